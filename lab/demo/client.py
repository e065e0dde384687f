"""The demo's hold on a clinician's client: a process that it starts, watches by its files, and may kill."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Final

from lab.demo.listener import Grant, ListenerError, Received, talking_to
from lab.demo.parts import Tail
from lab.demo.scene import Scene

LOOK_EVERY_S: Final = 0.05
ENDS_WITHIN_S: Final = 5.0


class Client:
    """A clinician's client in a process of its own. `end` it, or it ends with this process."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self.folder = folder
        self.scene = Scene()
        self.acts: dict[str, bool] = {}  # that have ended, and whether they were done
        self._process = process
        self._messages, self._outcomes = Tail(folder / "messages.jsonl"), Tail(folder / "acts.jsonl")

    @staticmethod
    async def start(folder: Path, sounds: Path) -> Client:
        """Return a client that joins when it is told to; it takes a second or two to be up."""
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        with (folder / "client.log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "lab.demo.clinician", str(folder), str(sounds)),
                stdin=asyncio.subprocess.PIPE,
                stderr=log,
            )
        return Client(process, folder)

    async def join(self, grant: Grant, *, acts: bool) -> float:
        """Let it join, with or without acts to do; return when it was told to (monotonic)."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"grant": asdict(grant), "acts": acts}).encode() + b"\n")
        await self._process.stdin.drain()
        return time.monotonic()

    def look(self) -> list[Received]:
        """Return the messages that came since the last call."""
        fresh = [Received(**line) for line in self._messages.fresh()]
        for message in fresh:
            self.scene.take(message)
        for line in self._outcomes.fresh():
            self.acts[line["act"]] = line["done"]
        return fresh

    async def until(
        self, seen: Callable[[], bool], within_s: float, what: str, tell: Callable[[Received], None]
    ) -> None:
        """Wait for what its files show; `tell` is called with each message. Raises: ListenerError."""
        deadline = time.monotonic() + within_s
        while True:
            ended = self._process.returncode is not None
            for message in self.look():
                tell(message)
            if seen():
                return
            if ended:
                raise ListenerError(f"the clinician's client ended before {what}: {self._last_words()}")
            if time.monotonic() > deadline:
                raise ListenerError(f"the demo waited {within_s:.0f} s for {what}, in vain")
            await asyncio.sleep(LOOK_EVERY_S)

    @property
    def ended(self) -> bool:
        """Whether the process is over."""
        return self._process.returncode is not None

    def kill(self) -> float:
        """End it as SIGKILL does; return when (wall clock, seconds), to be compared with the store's."""
        at_s = time.time()
        self._process.kill()
        return at_s

    async def end(self) -> None:
        """End it if it has not ended, by closing its stdin; return once it is over."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(ENDS_WITHIN_S):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def _last_words(self) -> str:
        words = (self.folder / "client.log").read_text(encoding="utf-8", errors="replace").splitlines()
        return words[-1] if words else f"exit code {self._process.returncode}"


async def fresh_grant(api_url: str, grant: Grant) -> Grant:
    """Return a grant with a fresh token, for who comes back. Raises: ListenerError: no answer, or it was refused."""
    async with talking_to(api_url, {"Authorization": f"Bearer {grant.client_secret}"}) as client:
        answer = await client.post(f"/sessions/{grant.session_id}/token")
    if answer.status_code != 200:
        raise ListenerError(f"the API refused a fresh token ({answer.status_code}): {answer.text}")
    return replace(grant, token=answer.json()["token"])
