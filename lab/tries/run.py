"""Makes the tries, one after the other, and says of each how it ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

import httpx

from lab.tries import as_another, getting_in, silencing
from lab.tries.ground import Ground, Outcome, Try, ground

EVERY: Final = (*getting_in.EVERY, *as_another.BEFORE_THE_END, *silencing.EVERY, *as_another.AFTER_ALL)
EACH_S: Final = 60.0  # the longest, that of a slow head, is half of it

Say = Callable[[str], None]


async def run(base_url: str, opener_key: str, *, say: Say) -> bool:
    """Make every try at a running server; return whether all were refused. Raises: NoGround."""
    async with ground(base_url, opener_key) as on:
        found = await _made(on, say)
    bad = [name for name, outcome in found if not outcome.clear]
    say(f"{len(found)} tries, {len(found) - len(bad)} refused" + (f"; not: {'; '.join(bad)}" if bad else ""))
    return not bad


async def _made(on: Ground, say: Say) -> list[tuple[str, Outcome]]:
    found: list[tuple[str, Outcome]] = []

    def note(each: Try, outcome: Outcome) -> None:
        found.append((each.name, outcome))
        say(f"{outcome.what:<40} {each.name}")

    for each in (one for one in EVERY if not one.slow and one not in as_another.AFTER_ALL):
        note(each, await _outcome(on, each))
    slow: Sequence[Try] = [one for one in EVERY if one.slow]
    for each, outcome in zip(slow, await asyncio.gather(*(_outcome(on, one) for one in slow)), strict=True):
        note(each, outcome)
    for each in as_another.AFTER_ALL:
        note(each, await _outcome(on, each))
    return found


async def _outcome(on: Ground, each: Try) -> Outcome:
    """Make one try. What breaks off on this side proves nothing, and is told as that."""
    try:
        async with asyncio.timeout(EACH_S):
            return await each.make(on)
    except (httpx.HTTPError, OSError, TimeoutError, ValueError, LookupError) as error:
        return Outcome(False, f"UNCLEAR ({type(error).__name__})")
