"""How soon a debate is heard in a real room: the scripted debates of MDAgents, each started by `POST /teams`.

Two figures at the listener's ear, from the request: the first sound of a stage or of the reasoning (the greeting is
neither), and the first sound of the reasoning, that is of words that an update brought. An utterance is known by the
message of its first clause; its sound is the first that arrives then. The listener is there and has said "ready" as
soon as it can: its way into the room counts. `python -m lab.debates`: two minutes, on a stack of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from agents.keys import NoOpenerKey
from agents.teams.mdagents.debates import TEAM
from agents.teams.script_files import script_names
from app.console import complain, say
from app.exits import Exit
from lab.bench.figures import Figure, figure, table
from lab.bench.loudness import Loudness, loudness, sound_after
from lab.demo.listener import Listener, ListenerError, Received
from lab.demo.stackproc import SETTLES_S, RunningStack, StackFailed, stack
from lab.teams.keys import each_its_own
from lab.teams.starting import listening, start, told_of

FIRST_WORD_S: Final = 10.0  # the aim, whatever the tier: docs/mdagents.md
REASONS_WITHIN_S: Final = 60.0
AFTER_S: Final = 1.0  # so long is listened on, that the last utterance's sound is there
NO_STAGE: Final = frozenset({"greeting", "arrival", "welcome"})


@dataclass(frozen=True, slots=True)
class Begun:
    """One debate: what was heard first, and how long after its start; None: not within the time. Seconds."""

    script: str
    said: str
    first_s: float | None
    reasoning_s: float | None

    @property
    def in_time(self) -> bool:
        """Whether its stage or its reasoning was heard in time."""
        return self.first_s is not None and self.first_s <= FIRST_WORD_S

    def line(self) -> str:
        """Return it in a line."""
        if self.first_s is None:
            return f"{self.script}: nothing was heard"
        reasoning = "later" if self.reasoning_s is None else f"after {self.reasoning_s:.1f} s"
        return f'{self.script}: "{self.said}" after {self.first_s:.1f} s, the reasoning {reasoning}'


def begins(messages: Sequence[Received]) -> Received | None:
    """Return the first clause of a stage or of the reasoning."""
    return _first(messages, lambda told: told.get("kind", "greeting") not in NO_STAGE)


def reasons(messages: Sequence[Received]) -> Received | None:
    """Return the first clause of what an update brought."""
    return _first(messages, lambda told: bool(told.get("update_id")))


def begun(
    script: str, began_s: float, messages: Sequence[Received], sound: Loudness, until_s: float
) -> Begun:
    """Return what was heard of a debate that was asked for at `began_s`."""

    def after_s(segment: Received | None) -> float | None:
        heard_s = None if segment is None else sound_after(sound, segment.at_s, until_s)
        return None if heard_s is None else heard_s - began_s

    first = begins(messages)
    said = "" if first is None else str(told_of(messages, first).get("text", ""))
    return Begun(script, said, after_s(first), after_s(reasons(messages)))


def rows(debates: Sequence[Begun]) -> list[Figure]:
    """Return the figures. Raises: ValueError: nothing was heard."""
    first = [each.first_s for each in debates if each.first_s is not None]
    reasoning = [each.reasoning_s for each in debates if each.reasoning_s is not None]
    aim = f"max ≤ {FIRST_WORD_S:g} s"
    return [
        figure("POST /teams → a stage, or the reasoning", "s", first, aim=aim, most=FIRST_WORD_S, at="max"),
        figure("POST /teams → the reasoning", "s", reasoning),
    ]


def _first(messages: Sequence[Received], wanted: Callable[[Mapping[str, Any]], bool]) -> Received | None:
    heard = (each for each in messages if each.type == "segment" and each.body["index"] == 0)
    found = (each for each in heard if wanted(told_of(messages, each)))
    return min(found, key=lambda each: each.at_s, default=None)


async def _debate(running: RunningStack, script: str, key: Mapping[str, str]) -> Begun:
    started = await start(running.api_url, {"team": TEAM, "scripted": script}, key)
    async with listening(running.api_url, started.grant) as listener:
        await listener.ready()
        await _until_it_reasons(listener)
        await asyncio.sleep(AFTER_S)
        sound, until_s = loudness(listener.heard), time.monotonic()
        return begun(script, started.asked_s, listener.messages, sound, until_s)


async def _until_it_reasons(listener: Listener) -> None:
    """Wait for the reasoning's first clause; where it doesn't come, the debate's row says so."""
    try:
        await listener.wait_for(lambda _: reasons(listener.messages) is not None, REASONS_WITHIN_S)
    except ListenerError:
        pass


async def run(out: Path, *, times: int) -> bool:
    """Measure on a stack of its own; return whether each was in time. Raises: StackFailed, ListenerError."""
    await asyncio.to_thread(shutil.rmtree, out, ignore_errors=True)
    debates: list[Begun] = []
    async with stack(out / "run", {}) as running:
        await asyncio.sleep(SETTLES_S)
        for script, key in zip(times * script_names(TEAM), each_its_own(running.api_url), strict=False):
            debates.append(await _debate(running, script, key))
            say(debates[-1].line())
    kept = json.dumps([asdict(each) for each in debates], indent=1)
    (out / "debates.json").write_text(kept + "\n", encoding="utf-8")
    say(shown(debates))
    return all(each.in_time for each in debates)


def shown(debates: Sequence[Begun]) -> str:
    """Return the figures as a table, and the least and the most of what was heard."""
    first = [each.first_s for each in debates if each.first_s is not None]
    if not first:
        return "nothing was heard"
    span = f"first word after {min(first):.1f} to {max(first):.1f} s, {len(first)} of {len(debates)} debates"
    return f"{table(rows(debates))}\n{span}; load at the end: {os.getloadavg()[0]:.1f}"


def main() -> int:
    """Measure as the command line asks; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("out/debates"), help="where the figures go")
    parser.add_argument(
        "--times", type=int, default=1, help="how often each of the scripted debates is begun"
    )
    asked = parser.parse_args()
    try:
        held = asyncio.run(run(asked.out, times=max(1, asked.times)))
    except (StackFailed, ListenerError, NoOpenerKey) as error:
        return complain(str(error), Exit.CHECK_FAILED)
    return Exit.STOPPED.value if held else Exit.CHECK_FAILED.value


if __name__ == "__main__":
    sys.exit(main())
