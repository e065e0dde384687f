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
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import httpx
from redis.asyncio import Redis

from infra import store
from infra.keys import SessionKeys
from infra.streams import SessionStreams
from lab.bench.figures import Figure, figure, table, write
from lab.bench.loudness import loudness, sound_after
from lab.demo.listener import Grant, Listener, Received, end_session, listen
from lab.demo.stackproc import SETTLES_S, RunningStack, stack
from lab.teams import page
from lab.teams.keys import each_its_own

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
    return all(each.met is not False for each in figures) and all(each.first_s is not None for each in begun)


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
    """Return the figures. Raises: ValueError: nothing was heard."""
    first = [1000 * each.first_s for each in begun if each.first_s is not None]
    ears = [1000 * took for each in begun for took in each.ears_s]
    return [
        figure(
            *('"Start the team" → first sound of the reasoning', "ms", first),
            most=1000 * FIRST_WORD_S,
            aim=f"p50 ≤ {1000 * FIRST_WORD_S:g} ms",
        ),
        figure("token → ear, scripted case", "ms", ears),
    ]


def _line(begun: Begun) -> str:
    first = "nothing was heard" if begun.first_s is None else f"first heard after {begun.first_s:.1f} s"
    return f"{begun.team}, {begun.script}: {first}"


async def _case(running: RunningStack, client: Redis, number: int, headers: dict[str, str]) -> Begun:
    """Begin a scripted case, and listen to its first sound, or for a minute."""
    team, script = CASES[number % len(CASES)]
    async with httpx.AsyncClient(base_url=running.api_url, timeout=10.0, headers=headers) as http:
        began_s = time.monotonic()
        answer = (await http.post("/teams", json={"team": team, "scripted": script})).raise_for_status()
    body = answer.json()
    grant = Grant(body["session_id"], body["room"], body["livekit_url"], body["token"], body["client_secret"])
    async with listen(grant) as listener:
        await listener.command("ready")
        first = await listener.wait_for(_reasons(listener), FIRST_WITHIN_S)
        await asyncio.sleep(LISTENED_S if number < WHOLE else 1.0)
        sound, until_s = loudness(listener.heard), time.monotonic()
        heard_s = sound_after(sound, first.at_s, until_s)
        streams = SessionStreams(client, SessionKeys(body["thread_id"], body["session_id"]))
        written = await _written(streams)
        ears = []
        for message in filter(_reasons(listener), listener.messages):
            at_s = sound_after(sound, message.at_s, until_s)
            token_s = written.get(_update_of(listener, message))
            if at_s is not None and token_s is not None:
                ears.append(at_s - token_s)
    await end_session(running.api_url, grant)
    return Begun(team, script, None if heard_s is None else heard_s - began_s, tuple(ears))


def _reasons(listener: Listener) -> Callable[[Received], bool]:
    """Return a test for the first clause of an utterance that some update of the reasoning brought."""

    def wanted(message: Received) -> bool:
        first = message.type == "segment" and message.body["index"] == 0
        return first and bool(_update_of(listener, message))

    return wanted


def _update_of(listener: Listener, segment: Received) -> str:
    """Return the update of the utterance that a clause belongs to; "": the voice's own words, or unknown."""
    uid = segment.body["utterance_id"]
    told = (each.body for each in listener.messages if each.type == "utterance")
    return next((str(each["update_id"] or "") for each in told if each["utterance_id"] == uid), "")


async def _written(streams: SessionStreams) -> dict[str, float]:
    """Return by update when the last token that it rests on was in the log, on this process's monotonic clock."""
    ahead_s = time.time() - time.monotonic()
    logged = await streams.read_updates(count=1_000)
    return {each.update_id: float(each.update["last_delta_at_s"]) - ahead_s for each in logged}
