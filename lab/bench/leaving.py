"""A client that is killed, and one that comes back: how soon is speech held, and how soon heard again?"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from infra.settings import Settings
from lab.bench import figures
from lab.bench.figures import Figure
from lab.bench.lines import line
from lab.bench.session import BenchSession, bench_session
from lab.bench.talking import Say
from lab.demo.listener import Grant, ListenerError
from lab.tellers import Teller, Told
from tts_queue import HoldCause, Phase

HELD_S: Final = 2.0
AGAIN_P50_S: Final = 1.5
HELD_WITHIN_S: Final = 10.0
HEARD_WITHIN_S: Final = 20.0
POLL_S: Final = 0.05
AWAY_S: Final = 0.5  # from the hold to the return
INTO_S: Final = (1.0, 1.7, 2.4, 3.1)  # seconds of a line before the kill


@dataclass(frozen=True, slots=True)
class Left:
    """One kill and one return, in seconds. `welcomed`: it was greeted; `went_on`: the cut line came again."""

    held_s: float
    held: bool
    again_s: float
    welcomed: bool
    went_on: bool


class Client(Teller):
    """A clinician's client in a process of its own, told of by what it prints."""

    @classmethod
    async def start(cls) -> Client:
        """Return a client that is up and has not joined. Raises: ListenerError."""
        return await cls.started("lab.bench.client", lambda told: "up" in told)

    async def join(self, grant: Grant) -> None:
        """Let it join; what it hears is told from then on. Raises: ListenerError."""
        await self.say(asdict(grant))

    async def tells(self, wanted: Callable[[Told], bool], what: str) -> Told:
        """Return the first telling that is wanted, past or to come. Raises: ListenerError."""
        return await self.wait_for(wanted, HEARD_WITHIN_S, what)


async def measure(settings: Settings, n: int, say: Say) -> list[Left]:
    """Kill a client in the middle of a line and bring another, `n` times. Raises: ListenerError."""
    found: list[Left] = []
    async with bench_session(settings) as session:
        client = successor = await Client.start()
        try:
            await client.join(session.grant())
            await client.tells(_phase("greeting", "spoken"), "the greeting")
            now = ""
            for k in range(n):
                successor = await Client.start()
                now = await _in_a_line(session, client, now, k)
                found.append(await _one(session, client, successor, now))
                client = successor
                say(f"bench: return {k + 1} of {n}: {found[-1]}")
        finally:
            await client.kill()
            await successor.kill()
    return found


async def _in_a_line(session: BenchSession, client: Client, now: str, k: int) -> str:
    """Return the id of what is being spoken, well into it: the line `now` if it is not over yet."""
    await asyncio.sleep(INTO_S[k % len(INTO_S)])
    entry = await session.entry(now)
    if entry is not None and entry.phase is Phase.SPEAKING:
        return now
    now, _ = await session.commit(line(k))
    await client.tells(_phase(now, "speaking"), "a line")
    await asyncio.sleep(INTO_S[k % len(INTO_S)])
    return now


async def _one(session: BenchSession, client: Client, successor: Client, now: str) -> Left:
    killed_s = time.time()  # the ledger's times are the store's wall clock, and it is this machine's
    await client.kill()
    held_s = await _held_after(session, now, killed_s)
    await asyncio.sleep(AWAY_S)
    await successor.join(session.grant())
    joining = await successor.tells(lambda told: "joining" in told, "the return")
    word = await successor.tells(lambda told: "word" in told, "a first word")
    return Left(
        held_s=HELD_WITHIN_S if held_s is None else held_s,
        held=held_s is not None,
        again_s=word["word"] - joining["joining"],
        welcomed=await _happens(successor, _phase("welcome", "spoken")),
        went_on=await _happens(successor, _phase(now, "speaking")),
    )


async def _held_after(session: BenchSession, now: str, killed_s: float) -> float | None:
    """Return how long after the kill the ledger has the line as held for the listener, or None."""
    while time.time() < killed_s + HELD_WITHIN_S:
        entry = await session.entry(now)
        if entry is not None and entry.phase is Phase.HELD and entry.cause is HoldCause.LISTENER:
            return entry.moved_at_ms / 1000 - killed_s
        await asyncio.sleep(POLL_S)
    return None


async def _happens(client: Client, wanted: Callable[[Told], bool]) -> bool:
    try:
        await client.tells(wanted, "it")
    except ListenerError:
        return False
    return True


def _phase(what: str, phase: str) -> Callable[[Told], bool]:
    """Return a test for: an utterance, or the first of a kind, came to a phase."""
    return lambda told: what in (told.get("utterance"), told.get("kind")) and told["phase"] == phase


def rows(found: Sequence[Left]) -> list[Figure]:
    """Return the figures."""
    held = [each.held_s for each in found]
    again = [each.again_s for each in found]
    amiss = sum(not (each.held and each.welcomed and each.went_on) for each in found)
    return [
        figures.figure("client killed → held", "s", held, most=HELD_S, at="max", aim=f"max ≤ {HELD_S:g} s"),
        figures.figure("return → first word", "s", again, most=AGAIN_P50_S, aim=f"p50 ≤ {AGAIN_P50_S:g} s"),
        figures.count(
            "returns not held, not welcomed or not gone on with", "events", amiss, len(found), most=0
        ),
    ]
