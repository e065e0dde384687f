"""What the same room allows at best, in the same run: a track with nothing before it, both ways."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

import numpy as np
from livekit import api

from infra.settings import Settings
from infra.sfu import Sfu
from infra.sfu_port import Dispatch, agent_identity
from lab.bench.figures import Figure, figure
from lab.bench.loudness import gap_at, loudness
from lab.demo.listener import Grant, Listener, ListenerError, listen

RATE_HZ: Final = 48_000
BURST_S: Final = 0.3
BETWEEN_S: Final = 0.6
SOON_S: Final = 1.0  # whatever takes longer belongs to something else

_TONE: Final = (8000 * np.sin(2 * np.pi * 300 * np.arange(int(BURST_S * RATE_HZ)) / RATE_HZ)).astype(np.int16)


@dataclass(frozen=True, slots=True)
class Floors:
    """In seconds, each over several events.

    speak: a bare track's first frame handed over → audible. stop: its queue cleared → silent at the
    listener. hear: the first frame leaves the clinician's microphone → a bare agent has it.
    """

    speak: list[float]
    stop: list[float]
    hear: list[float]


async def measure(settings: Settings, n: int) -> Floors:
    """Measure all three, `n` events each. Raises: ListenerError: not all was heard."""
    return Floors(await speak(settings, n), await stop(settings, n), await hear(settings, n))


def there_and_back_s(bare: Floors) -> float:
    """Return the least, at the median, that a sound of the clinician takes to silence anything."""
    return float(np.median(bare.hear) + np.median(bare.stop))


def rows(bare: Floors) -> list[Figure]:
    """Return the figures of the way up and of the way down's end; the voice's part has its beginning."""
    return [
        figure("bare microphone: first frame → a bare agent has it", "ms", [1000 * s for s in bare.hear]),
        figure("bare track: queue cleared → silence", "ms", [1000 * s for s in bare.stop]),
    ]


async def speak(settings: Settings, n: int) -> list[float]:
    """Return how long a bare track's first frame takes to the listener's ear."""
    async with _bare(settings, "speak", n) as (ear, agent):
        left = await _printed(agent, n)
    arrived = [ear.heard.time_of(onset) for onset in ear.heard.onsets]
    return _checked([_next(arrived, began) for began in left], n)


async def stop(settings: Settings, n: int) -> list[float]:
    """Return how long a bare track is still heard after its queue was cleared."""
    async with _bare(settings, "stop", n) as (ear, agent):
        cleared = await _printed(agent, n)
    sound = loudness(ear.heard)
    found = [gap_at(sound, at - 0.5, at, at + 0.5, at + SOON_S, 0.4) for at in cleared]
    return _checked([gap and max(0.0, gap.from_s - at) for gap, at in zip(found, cleared, strict=True)], n)


async def hear(settings: Settings, n: int) -> list[float]:
    """Return how long the clinician's first frame takes to a bare agent."""
    said = []
    async with _bare(settings, "hear", n) as (ear, agent), ear.microphone() as microphone:
        await asyncio.sleep(1.0)  # the agent subscribes
        for _ in range(n):
            said.append(await microphone.say(_TONE))
            await asyncio.sleep(BETWEEN_S)
        agent.terminate()  # it may wait for one that was lost
        arrived = await _printed(agent, n)
    return _checked([_next(arrived, each.first_s) for each in said], n)


def _next(arrived: list[float], began_s: float) -> float | None:
    """Return how long after `began_s` the next thing arrived, or None if none did soon."""
    return min((at - began_s for at in arrived if 0 <= at - began_s < SOON_S), default=None)


def _checked(values: list[float | None], n: int) -> list[float]:
    """Return what was heard; a busy machine may join two events into one."""
    heard = [value for value in values if value is not None]
    if 2 * len(heard) < n:
        raise ListenerError(f"only {len(heard)} of {n} bare events were heard")
    return heard


async def _printed(agent: asyncio.subprocess.Process, n: int) -> list[float]:
    written, _ = await asyncio.wait_for(agent.communicate(), 60.0 + 3.0 * n)
    return [float(line) for line in written.split()]


@asynccontextmanager
async def _bare(
    settings: Settings, mode: str, n: int
) -> AsyncIterator[tuple[Listener, asyncio.subprocess.Process]]:
    """Run a bare agent in a room of its own, with a listener beside it."""
    session = f"floor-{secrets.token_hex(4)}"
    async with Sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret) as sfu:
        await sfu.create_room(session, "{}", Dispatch(agent_name="nobody", metadata=""))
        agent = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "lab.bench.bare", mode, settings.livekit_url),
            *(token(settings, session, agent_identity(session)), str(n)),
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            grant = Grant(session, session, settings.livekit_url, token(settings, session, "ear"), "")
            async with listen(grant, beats=False) as ear:
                yield ear, agent
        finally:
            if agent.returncode is None:
                agent.kill()
                await agent.wait()
            await sfu.delete_room(session)


def token(settings: Settings, room: str, identity: str) -> str:
    """Return a token with which `identity` may do everything in `room`."""
    grants = api.VideoGrants(room_join=True, room=room)
    made = api.AccessToken(settings.livekit_api_key, settings.livekit_api_secret)
    return made.with_identity(identity).with_grants(grants).to_jwt()
