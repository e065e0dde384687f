"""LiveKit Agents' own session in the same room, client and run, with our voice and ears: what others have."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from infra.settings import Settings
from infra.sfu import Sfu
from infra.sfu_port import Dispatch, agent_identity
from lab.bench.floors import token
from lab.bench.lines import line
from lab.bench.loudness import NOTHING_MISSED, Missed, Word, loudness, missed
from lab.bench.sounds import Pcm
from lab.bench.talking import Line, Outcome, Say, Sound, Taken, apart, outcome, sounding, talk
from lab.demo.listener import FRAME_SAMPLES, Grant, Listener, ListenerError, listen

READY_WITHIN_S: Final = 60.0
QUIET_WITHIN_S: Final = 20.0


class PeerVoice:
    """An `AgentSession` in a process of its own as `talking.Measured`."""

    def __init__(self, process: asyncio.subprocess.Process, listener: Listener) -> None:
        self._process = process
        self._listener = listener
        self._told: dict[str, list[tuple[int, int]]] = {}
        self._onset: dict[str, int] = {}
        self._present = ""
        self.defaults: dict[str, Any] = {}

    async def until_started(self) -> None:
        """Wait until its session runs. Raises: ListenerError."""
        try:
            async with asyncio.timeout(READY_WITHIN_S):
                while not self.defaults:
                    await asyncio.sleep(0.05)
        except TimeoutError:
            raise ListenerError(f"the peer did not start within {READY_WITHIN_S:.0f} s") from None

    async def begin(self, number: int) -> Line:
        """Ask for a line."""
        text = line(number)
        self._present = f"line-{number}"
        self._told[self._present] = []
        self._onset[self._present] = len(self._listener.heard.onsets)
        await self._ask({"say": text})
        return Line(self._present, len(text.split()))

    async def quieten(self) -> None:
        """Interrupt it, and wait until it is silent. Raises: ListenerError."""
        await self._ask({"quiet": True})
        try:
            async with asyncio.timeout(QUIET_WITHIN_S):
                while sounding(self._listener):
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise ListenerError(f"the peer was not quiet within {QUIET_WITHIN_S:.0f} s") from None

    def missed(self, line: Line, cut: int, *, went_on: bool) -> Missed:
        """Return the rest of a line that was given up; one that goes on does so from where it paused."""
        if went_on:
            return NOTHING_MISSED
        began = self._listener.heard.onsets[self._onset[line.line_id]] - FRAME_SAMPLES
        words = [Word(k, began + a, began + b) for k, (a, b) in enumerate(self._told[line.line_id])]
        return missed([words], cut, line.words)

    def taken(self, since_s: float, until_s: float) -> Taken | None:
        """Return None: it tells of no verdicts."""
        return None

    async def follow(self) -> None:
        """Read what the process tells, until it ends."""
        assert self._process.stdout is not None
        while told := await self._process.stdout.readline():
            message = json.loads(told)
            if "defaults" in message:
                self.defaults = message["defaults"]
            elif self._present:
                self._told[self._present] += [(a, b) for a, b in message["words"]]

    async def _ask(self, wanted: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(wanted).encode() + b"\n")
        await self._process.stdin.drain()


async def measure(
    settings: Settings, sounds: Mapping[Sound, Sequence[Pcm]], n: int, say: Say, *, log: Path
) -> tuple[list[Outcome], dict[str, Any]]:
    """Return what came of `n` stops, `n` hums and `n` noises, and the session's defaults. `log`: its log.

    Raises: ListenerError: it did not come up, or a line was not heard.
    """
    async with _running(settings, log) as (voice, listener), listener.microphone() as microphone:
        await asyncio.sleep(1.0)  # it subscribes; no message tells when
        events = await talk(apart(n), voice, listener, microphone, sounds, say)
        sound = loudness(listener.heard)
        return [outcome(event, sound, voice, {}) for event in events], voice.defaults


@asynccontextmanager
async def _running(settings: Settings, log: Path) -> AsyncIterator[tuple[PeerVoice, Listener]]:
    session = f"peer-{secrets.token_hex(4)}"
    async with Sfu(settings.livekit_url, settings.livekit_api_key, settings.livekit_api_secret) as sfu:
        await sfu.create_room(session, "{}", Dispatch(agent_name="nobody", metadata=""))
        with log.open("wb") as errors:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "lab.bench.peer_agent", settings.livekit_url),
                *(token(settings, session, agent_identity(session)), str(settings.engines_socket)),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=errors,
            )
        grant = Grant(session, session, settings.livekit_url, token(settings, session, "clinician"), "")
        try:
            await _joined(process)
            async with listen(grant, beats=False) as listener:
                voice = PeerVoice(process, listener)
                following = asyncio.create_task(voice.follow(), name="peer-follow")
                try:
                    await voice.until_started()
                    yield voice, listener
                finally:
                    following.cancel()
                    await asyncio.wait({following})
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            await sfu.delete_room(session)


async def _joined(process: asyncio.subprocess.Process) -> None:
    """Wait for the first thing that the process tells. Raises: ListenerError."""
    assert process.stdout is not None
    try:
        told = await asyncio.wait_for(process.stdout.readline(), READY_WITHIN_S)
    except TimeoutError:
        told = b""
    if not told:
        raise ListenerError(f"the peer did not join within {READY_WITHIN_S:.0f} s; see its log")
