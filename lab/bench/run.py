"""`exaim bench`: every figure, or those of some parts, into `out/bench/*.json` and one table."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from app.launcher import socket_folder
from infra.settings import Settings, load_settings
from lab.bench import (
    asking,
    cost,
    figures,
    floors,
    leaving,
    peer,
    reading,
    setup,
    sharing,
    sounds,
    store,
    streaming,
    talk,
    voice,
)
from lab.bench.figures import Figure
from lab.bench.talking import Outcome, Sound
from lab.demo.stackproc import SETTLES_S, stack
from tts_queue import Pcm

STARTS: Final = 20
ITEMS: Final = 20
FLOORS: Final = 15
EVENTS: Final = 30
ROUNDS: Final = 500  # of the store
CALLS: Final = 20  # of a model, of 2,000 tokens each
COST_S: Final = 60.0  # over which the CPU of a session is counted
PEERS: Final = 30  # of each kind, like ours; each takes it a line of its own

Say = Callable[[str], None]


class Part(StrEnum):
    """What can be measured alone."""

    VOICE = "voice"
    TALK = "talk"
    ASKING = "asking"
    LEAVING = "leaving"
    STORE = "store"
    SHARING = "sharing"
    READING = "reading"
    STREAMING = "streaming"
    SETUP = "setup"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class Bench:
    """Where figures go, over how many events, the stack that is measured, and whether its peer is too."""

    out: Path
    settings: Settings
    events: int
    say: Say
    with_peer: bool

    def keep(self, name: str, events: Sequence[Any]) -> None:
        """Write every single event, for whoever asks why."""
        folder = self.out / "events"
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(list(events), indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")

    async def voice(self) -> list[Figure]:
        """Measure how soon a summary is heard."""
        self.say(f"bench: {ITEMS} items in a real room")
        return await voice.measure(self.settings, ITEMS, self.say)

    async def talk(self) -> list[Figure]:
        """Measure how the voice takes being talked to, the peer and the floors beside it."""
        self.say(f"bench: {FLOORS} bare events each way")
        bare = await floors.measure(self.settings, FLOORS)
        made = await sounds.renderings(self.settings.engines_socket)
        self.say(f"bench: {self.events} stops, hums and noises each")
        ours = await talk.measure(self.settings, made, self.events, self.say)
        self.keep("talk", [asdict(each) for each in ours])
        theirs = await self._peer(made) if self.with_peer else []
        return [*floors.rows(bare), *talk.rows(ours, theirs, floor_s=floors.there_and_back_s(bare))]

    async def _peer(self, made: Mapping[Sound, Sequence[Pcm]]) -> list[Outcome]:
        peers = min(PEERS, self.events)
        self.say(f"bench: the same to an AgentSession, {peers} each")
        theirs, defaults = await peer.measure(
            self.settings, made, peers, self.say, log=self.out / "runs" / "peer.log"
        )
        self.keep("peer", [defaults, *(asdict(each) for each in theirs)])
        return theirs

    async def asking(self) -> list[Figure]:
        """Measure how soon a question is answered."""
        self.say(f"bench: {self.events} questions")
        answers = await asking.measure(self.settings, self.events, self.say)
        self.keep("asking", [asdict(each) for each in answers])
        return asking.rows(answers)

    async def leaving(self) -> list[Figure]:
        """Measure how soon who is lost is missed, and who is back hears again."""
        self.say(f"bench: {self.events} clients killed")
        found = await leaving.measure(self.settings, self.events, self.say)
        self.keep("leaving", [asdict(each) for each in found])
        return leaving.rows(found)

    async def store(self) -> list[Figure]:
        """Measure what the store costs."""
        self.say(f"bench: {ROUNDS} checkpoints and batches")
        return await store.measure(self.settings, ROUNDS)

    async def sharing(self) -> list[Figure]:
        """Measure how late one patient's alarm is beside models that loop."""
        found = await sharing.measure(self.settings, self.events, self.say)
        self.keep("sharing", [asdict(each) for each in found])
        return sharing.rows(found)


async def run(
    out: Path,
    *,
    say: Say,
    only: Sequence[Part] = (),
    events: int = EVENTS,
    cold: bool = False,
    with_peer: bool = True,
) -> bool:
    """Measure into `out`; return whether every aim was met. `only`: some parts; what others left stays.

    `cold`: the set-up from nothing too, which takes minutes.

    Raises: SettingsError, before anything is measured.
    """
    here = load_settings()
    parts = tuple(only) or tuple(Part)
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > cores / 2:
        say(f"bench: {load:.1f} processes want the {cores} cores already; the figures will be theirs too")
    if not only:
        shutil.rmtree(out, ignore_errors=True)
    bench = Bench(out, here, events, say, with_peer)
    await _measure_alone(bench, parts, cold=cold)
    live = [part for part in _LIVE if part in parts]
    if live:
        await _measure_live(bench, live)
    found_all = figures.read(out)
    text = figures.table(found_all)
    (out / "table.md").write_text(text + "\n", encoding="utf-8")
    say(text)
    return all(each.met is not False for each in found_all)


async def _measure_alone(bench: Bench, parts: Sequence[Part], *, cold: bool) -> None:
    """Measure those of `parts` that need no running stack, or make their own."""
    out, say = bench.out, bench.say
    if Part.SETUP in parts:
        figures.write(out, "5-setup", await _setup(out / "runs", say, cold=cold))
    if Part.READING in parts:
        say("bench: every shipped case, read on virtual time")
        found = await asyncio.to_thread(reading.measure)
        figures.write(out, "4-reading", reading.rows(found))
        bench.keep("reading", [asdict(each) for each in found])
    if Part.STREAMING in parts:
        say(f"bench: {CALLS} calls of a model that writes at once")
        figures.write(out, "8-streaming", await streaming.measure(CALLS))
    if Part.COST in parts:
        say(f"bench: what a stack and one session cost, over {COST_S:g} s")
        spent = await cost.measure(out / "runs" / "cost", COST_S)
        say(cost.told(spent))
        figures.write(out, "9-cost", cost.rows(spent))
        bench.keep("cost", [asdict(spent)])


_LIVE: Final[Mapping[Part, tuple[str, Callable[[Bench], Awaitable[list[Figure]]]]]] = {
    Part.VOICE: ("1-voice", Bench.voice),
    Part.TALK: ("2-talk", Bench.talk),
    Part.ASKING: ("3-asking", Bench.asking),
    Part.LEAVING: ("3-leaving", Bench.leaving),
    Part.STORE: ("6-store", Bench.store),
    Part.SHARING: ("7-sharing", Bench.sharing),
}


async def _measure_live(bench: Bench, parts: Sequence[Part]) -> None:
    """Measure `parts` on a stack of their own."""
    folder = bench.out / "runs" / "live"
    async with stack(folder, {}) as running:
        key, secret = _key_of(folder / "livekit" / "keys.yaml")
        settings = load_settings(
            redis_url=running.redis_url,
            livekit_url=running.noted["livekit_url"],
            livekit_api_key=key,
            livekit_api_secret=secret,
            engines_socket=socket_folder(folder.absolute()) / "engines.sock",
        )
        await asyncio.sleep(SETTLES_S)
        for part in parts:
            topic, measure = _LIVE[part]
            figures.write(bench.out, topic, await measure(replace(bench, settings=settings)))


async def _setup(runs: Path, say: Say, *, cold: bool) -> list[Figure]:
    say(f"bench: {STARTS} warm starts")
    start = [await setup.warm(runs, STARTS)]
    if cold:
        say("bench: a set-up from nothing")
        start.append(await setup.cold())
    return start


def _key_of(file: Path) -> tuple[str, str]:
    """Return key and secret of the embedded server, as it was given them: one `key: secret` line."""
    key, _, secret = file.read_text(encoding="utf-8").strip().partition(":")
    return key.strip(), secret.strip().strip('"')
