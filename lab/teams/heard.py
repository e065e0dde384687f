"""How soon a case of a team of ours is heard and seen: at the ear and on the page, on a whole stack.

At the listener. From "Start the team" to the first sound of the reasoning: the greeting is none of
it, nor is what tells the team's steps. From a token to the ear: from when the last token that an utterance rests on
was in the log, to its first sound; what waited for another one's end counts too. From a model's wire to the page
is `lab.teams.page`'s.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from redis.asyncio import Redis

from infra import store
from infra.keys import SessionKeys
from infra.streams import SessionStreams
from lab.bench.figures import Figure, count, figure, table, write
from lab.bench.loudness import loudness, sound_after
from lab.demo.listener import Listener, ListenerError, Received
from lab.demo.stackproc import SETTLES_S, RunningStack, stack
from lab.teams import page
from lab.teams.keys import each_its_own
from lab.teams.starting import Started, listening, start, told_of

CASES: Final = (
    ("cdss", "low-sodium"),
    ("doctors", "low-sodium"),
    ("cdss", "thunderclap-headache"),
    ("doctors", "fever-after-chemotherapy"),
)
FIRST_WORD_S: Final = 8.0
FIRST_WITHIN_S: Final = 45.0
WHOLE: Final = 2  # so many cases are heard for a while, for the way from token to ear
LISTENED_S: Final = 60.0

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Begun:
    """One case: from its start to the first sound of its reasoning, and from tokens to the ear. Seconds."""

    team: str
    script: str
    first_s: float | None
    ears_s: tuple[float, ...]


async def run(out: Path, *, cases: int, say: Say) -> bool:
    """Measure on a stack of its own; return whether every aim was met. Raises: StackFailed, ListenerError."""
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    async with stack(out / "run", {}) as running:
        client = store.connect(running.redis_url)
        try:
            await asyncio.sleep(SETTLES_S)
            shown = await page.measure(running, client, say)
            begun = []
            own = each_its_own(running.api_url)
            for number in range(cases):
                begun.append(await _case(running, client, number, next(own)))
                say(f"teams: {number + 1} of {cases}: {_line(begun[-1])}")
        finally:
            await client.aclose()
    figures = [*rows(begun), *page.rows(shown)]
    write(out, "9-teams", figures)
    (out / "cases.json").write_text(json.dumps([asdict(each) for each in begun], indent=1), encoding="utf-8")
    text = table(figures)
    (out / "table.md").write_text(text + "\n", encoding="utf-8")
    say(f"{text}\nload at the end: {os.getloadavg()[0]:.1f}")
    return all(each.met is not False for each in figures)


async def run_page(out: Path, *, say: Say) -> bool:
    """Measure the way to the page alone; return whether its aim was met. Raises: StackFailed, ListenerError."""
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    async with stack(out / "run", {}) as running:
        client = store.connect(running.redis_url)
        try:
            await asyncio.sleep(SETTLES_S)
            figures = page.rows(await page.measure(running, client, say))
        finally:
            await client.aclose()
    write(out, "9-page", figures)
    say(f"{table(figures)}\nload at the end: {os.getloadavg()[0]:.1f}")
    return all(each.met is not False for each in figures)


def rows(begun: Sequence[Begun]) -> list[Figure]:
    """Return the figures; of what was never heard only how often."""
    first = [1000 * each.first_s for each in begun if each.first_s is not None]
    ears = [1000 * took for each in begun for took in each.ears_s]
    silent = sum(each.first_s is None for each in begun)
    found = [count("cases of which nothing was heard", "events", silent, len(begun), most=0)]
    if first:
        most, aim = 1000 * FIRST_WORD_S, f"p50 ≤ {1000 * FIRST_WORD_S:g} ms"
        name = '"Start the team" → first sound of the reasoning'
        found.append(figure(name, "ms", first, most=most, aim=aim))
    if ears:
        found.append(figure("token → ear, scripted case", "ms", ears))
    return found


def _line(begun: Begun) -> str:
    first = "nothing was heard" if begun.first_s is None else f"first heard after {begun.first_s:.1f} s"
    return f"{begun.team}, {begun.script}: {first}"


async def _case(running: RunningStack, client: Redis, number: int, key: Mapping[str, str]) -> Begun:
    """Begin a scripted case, and listen to its first sound, or for a minute."""
    team, script = CASES[number % len(CASES)]
    started = await start(running.api_url, {"team": team, "scripted": script}, key)
    async with listening(running.api_url, started.grant) as listener:
        await listener.command("ready")
        return await _heard(listener, client, number, started)


async def _heard(listener: Listener, client: Redis, number: int, started: Started) -> Begun:
    """Return what is heard of a case that was started; where no reasoning comes, its row says so."""

    def update_of(segment: Received) -> str:
        return str(told_of(listener.messages, segment).get("update_id") or "")

    def reasons(message: Received) -> bool:
        first = message.type == "segment" and message.body["index"] == 0
        return first and bool(update_of(message))

    team, script = CASES[number % len(CASES)]
    try:
        first = await listener.wait_for(reasons, FIRST_WITHIN_S)
    except ListenerError:
        return Begun(team, script, None, ())
    await asyncio.sleep(LISTENED_S if number < WHOLE else 1.0)
    sound, until_s = loudness(listener.heard), time.monotonic()
    heard_s = sound_after(sound, first.at_s, until_s)
    written = await _written(SessionStreams(client, SessionKeys(started.thread_id, started.grant.session_id)))
    ears = []
    for message in filter(reasons, listener.messages):
        at_s, token_s = sound_after(sound, message.at_s, until_s), written.get(update_of(message))
        if at_s is not None and token_s is not None:
            ears.append(at_s - token_s)
    return Begun(team, script, None if heard_s is None else heard_s - started.asked_s, tuple(ears))


async def _written(streams: SessionStreams) -> dict[str, float]:
    """Return by update when the last token that it rests on was in the log, on this process's monotonic clock."""
    ahead_s = time.time() - time.monotonic()
    logged = await streams.read_updates(count=1_000)
    return {each.update_id: float(each.update["last_delta_at_s"]) - ahead_s for each in logged}
