"""Feed an engine text as it is written, without making the writer wait: one task does the work.

any thread ──offer──▶ [held text, bounded] ──▶ one task ──▶ EXAIM
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import deque
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

from chat_models.errors import LLMError
from exaim_core.exaim import EXAIM
from exaim_core.text.errors import EngineError

log = logging.getLogger(__name__)

MOST_CHARS: Final = 1_000_000  # held while the engine is busy: over an hour of one agent's talk
TIMER_S: Final = 0.25  # how late a timer of the gate may fire


@dataclass(slots=True)
class _Held:
    agent_id: str
    texts: list[str] = field(default_factory=list)
    ends: bool = False


class LiveFeed:
    """Feeds one engine. Use it as a context: leaving it feeds the rest and (by default) finishes.

    When an exception leaves the context, the rest is fed and the case is not finished: reasoning that broke off is not
    reported as complete.

    When `MOST_CHARS` are held, and once the context was left, further text is refused and counted in `lost_chars`; ends
    of turns are never refused. A model that fails while text is fed, or when a timer is due, ends nothing: what it was
    asked about comes with the next update. If `finish` fails, leaving the context raises.
    Neighbouring pieces of one agent are joined while they wait. Order is kept over all agents.
    """

    def __init__(self, exaim: EXAIM, *, finish: bool = True, most_chars: int = MOST_CHARS) -> None:
        self.exaim = exaim
        self.lost_chars = 0
        self._finish = finish
        self._most_chars = most_chars
        self._held: deque[_Held] = deque()
        self._chars = 0
        self._guard = threading.Lock()
        self._woken = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._closing = False
        self._over = False  # nothing more is read

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(self._work(), name="exaim-feed")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._task is not None, "it was entered"
        self._finish = self._finish and kind is None
        self._closing = True
        self._woken.set()
        try:
            await asyncio.wait({self._task})
        except asyncio.CancelledError:
            self._task.cancel()
            await asyncio.wait({self._task})
            raise
        if not self._task.cancelled() and (failed := self._task.exception()) is not None and error is None:
            raise failed

    def offer(self, agent_id: str, text: str, *, thinking: bool = False) -> bool:
        """Take text from any thread, at once; return False if there was no room, or nobody reads it any more.

        Thinking is skipped.
        """
        if thinking or not text:
            return True
        with self._guard:
            if self._over or self._chars + len(text) > self._most_chars:
                if not self.lost_chars:
                    log.warning(
                        "the engine is %s; text is being lost", "done" if self._over else "far behind"
                    )
                self.lost_chars += len(text)
                return False
            self._chars += len(text)
            last = self._held[-1] if self._held else None
            if last is None or last.ends or last.agent_id != agent_id:
                last = _Held(agent_id)
                self._held.append(last)
            last.texts.append(text)
        self._wake()
        return True

    def end_turn(self, agent_id: str) -> None:
        """Take the end of an agent's turn from any thread, at once."""
        with self._guard:
            last = self._held[-1] if self._held else None
            if last is not None and last.agent_id == agent_id:
                last.ends = True
            else:
                self._held.append(_Held(agent_id, ends=True))
        self._wake()

    def _wake(self) -> None:
        if self._loop is None or self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._woken.set)

    def _next(self) -> tuple[str, str, bool] | None:
        with self._guard:
            if not self._held:
                return None
            held = self._held.popleft()
            text = "".join(held.texts)
            self._chars -= len(text)
            return held.agent_id, text, held.ends

    def _is_done(self) -> bool:
        with self._guard:
            self._over = self._closing and not self._held
            return self._over

    async def _work(self) -> None:
        try:
            await self._feed_all()
        finally:
            with self._guard:
                self._over = True
                self.lost_chars += self._chars
        if self._finish:
            await self.exaim.finish()

    async def _feed_all(self) -> None:
        while not self._is_done():
            self._woken.clear()
            while (found := self._next()) is not None:
                await self._feed(*found)
            if self._closing:
                continue
            try:
                async with asyncio.timeout(TIMER_S):  # `wait_for` may swallow a cancellation on Python 3.11
                    await self._woken.wait()
            except TimeoutError:
                await self._tick()

    async def _tick(self) -> None:
        try:
            await self.exaim.tick()
        except (EngineError, LLMError) as error:
            log.warning("the engine could not tell what was due: %s", type(error).__name__)

    async def _feed(self, agent_id: str, text: str, ends: bool) -> None:
        try:
            if text:
                await self.exaim.on_new_token(agent_id, text)
            if ends:
                await self.exaim.on_turn_end(agent_id)
        except (EngineError, LLMError) as error:
            log.warning("the engine took no more text: %s", type(error).__name__)
