"""Write records to the log: in order, one at a time, each retried until it is written."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from tts_queue.model import Move, Utterance
from tts_queue.ports import LogUnavailable, SpeechLog


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLimits:
    """Deadlines, retries and bound of the outbox."""

    deadline_s: float = 2.0  # of one write; a store on the machine answers in about 1 ms
    retry_first_s: float = 0.25
    retry_most_s: float = 2.0
    # 64 utterances that wait, each with a create and some moves, for a few minutes without a store
    bound: int = 4096


class Outbox:
    """Writes records in the background; `is_written` tells whether one is in the log."""

    def __init__(self, log: SpeechLog, limits: LogLimits, on_lost: Callable[[bool], None]) -> None:
        """`on_lost(True)` is called when the log can't be written, `on_lost(False)` when it can again."""
        self._log, self._limits, self._on_lost = log, limits, on_lost
        self._waiting: deque[Utterance | Move] = deque()
        self._wake = asyncio.Event()
        self._put = 0
        self._written = 0

    def put(self, record: Utterance | Move) -> int:
        """Add a record; return its ticket. Raises: LogUnavailable: the bound is reached."""
        if len(self._waiting) >= self._limits.bound:
            raise LogUnavailable(f"{len(self._waiting)} records wait for the log")
        self._waiting.append(record)
        self._put += 1
        self._wake.set()
        return self._put

    def is_written(self, ticket: int) -> bool:
        """Return whether the record of `ticket`, and so all before it, are in the log."""
        return self._written >= ticket

    @property
    def settled(self) -> bool:
        """Whether nothing waits to be written."""
        return self._written == self._put

    async def run(self) -> None:
        """Write until cancelled. Errors of the log other than LogUnavailable end it."""
        while True:
            self._wake.clear()
            while self._waiting:
                await self._write(self._waiting[0])
                self._waiting.popleft()
                self._written += 1
            await self._wake.wait()

    async def _write(self, record: Utterance | Move) -> None:
        lost, wait_s = False, self._limits.retry_first_s
        while not await self._try(record):
            if not lost:
                lost = True
                self._on_lost(True)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, self._limits.retry_most_s)
        if lost:
            self._on_lost(False)

    async def _try(self, record: Utterance | Move) -> bool:
        try:
            async with asyncio.timeout(self._limits.deadline_s):
                if isinstance(record, Move):
                    await self._log.move(record)
                else:
                    await self._log.create(record)
        except (LogUnavailable, TimeoutError):
            return False
        return True
