"""Back a voice by a stand-in, which says the clauses that the first one can't.

answers ─▶ fails (retryable) ─▶ rests 5 s, then 10, 20 … 60; the next clause after that asks it again
   ▲                                │
   └──────── it answers ◀───────────┘        fails for good (a key is refused): not asked again

A clause that the first voice can't say is said by the other at once. One that broke off after some sound is
not begun again: the error goes on to the queue, which asks for the words that were not whole. A single text
that is refused says nothing of the next. While the first voice is known to be unwell, an urgent clause
does not wait to see whether it is back: it is asked only if the other can't say the clause either.

An urgent clause never waits for a voice that says nothing: after `URGENT_AFTER_S` the other is asked too, and
who begins first says it. A voice that was overtaken so rests like one that failed.

A stand-in may have one of its own: Google, then Deepgram, then this machine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from math import inf
from typing import Final

from tts_queue.model import Clip, Part, Prosody
from tts_queue.ports import Voice, VoiceUnavailable, whole

log = logging.getLogger("tts_queue.voice")

REST_FIRST_S: Final = 5.0
REST_MOST_S: Final = 60.0
URGENT_AFTER_S: Final = 0.4  # an alarm is heard a second after it was found, with what this machine needs

_Say = Callable[[str, Prosody, bool, bool], AsyncGenerator[Part, None]]


@dataclass(slots=True)
class Counts:
    """Clauses, by who said them."""

    first: int = 0
    stand_in: int = 0


class BackedVoice:
    """Says what the first voice can, and the rest by its stand-in; `counts` tells how often."""

    def __init__(self, first: Voice, stand_in: Voice, *, urgent_after_s: float = URGENT_AFTER_S) -> None:
        """`urgent_after_s`: how long an urgent clause is asked of the first voice alone."""
        self._first, self._stand_in, self._urgent_after_s = first, stand_in, urgent_after_s
        self.counts = Counts()
        self._rest_s = 0.0  # how long it rests since its last failure; 0: it answered last time
        self._asked_again_at_s = 0.0  # on the loop's clock; inf: never

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the whole sound of `text`. Raises: VoiceUnavailable."""
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        """Yield the sound of `text`, all of one voice. Raises: VoiceUnavailable: neither has it."""
        order = self._order(urgent)
        if urgent and order[0] == self._by_first:
            begun_with, rest = await self._who_begins(text, prosody)
            async with aclosing(rest):
                yield begun_with
                async for part in rest:
                    yield part
            return
        errors = []
        for say in order:
            begun = False
            try:
                async with aclosing(say(text, prosody, urgent, ahead)) as parts:
                    async for part in parts:
                        begun = True
                        yield part
            except VoiceUnavailable as error:
                if begun:
                    raise
                errors.append(error)
            else:
                return
        raise errors[order.index(self._by_stand_in)]

    async def _by_first(
        self, text: str, prosody: Prosody, urgent: bool, ahead: bool
    ) -> AsyncGenerator[Part, None]:
        begun = False
        try:
            async with aclosing(self._first.parts(text, prosody, urgent=urgent, ahead=ahead)) as parts:
                async for part in parts:
                    if not begun:
                        self._answered()
                    begun = True
                    yield part
        except VoiceUnavailable as error:
            self._failed(error)
            raise

    async def _by_stand_in(
        self, text: str, prosody: Prosody, urgent: bool, ahead: bool
    ) -> AsyncGenerator[Part, None]:
        begun = False
        async with aclosing(self._stand_in.parts(text, prosody, urgent=urgent, ahead=ahead)) as parts:
            async for part in parts:
                self.counts.stand_in += not begun
                begun = True
                yield part

    async def _who_begins(self, text: str, prosody: Prosody) -> tuple[Part, AsyncGenerator[Part, None]]:
        """Return the first part of who begins first, and the rest of it; the other's is taken back.

        Raises: VoiceUnavailable: the stand-in's, where neither begins.
        """
        first, other = (say(text, prosody, True, False) for say in (self._by_first, self._by_stand_in))
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(_begin(first), name="first-voice")
            await asyncio.wait({asked}, timeout=self._urgent_after_s)
            if asked.done() and isinstance(part := asked.result(), Part):
                return part, first
            backing = group.create_task(_begin(other), name="stand-in-voice")
            begun, waiting = await _first_to_begin({asked, backing})
            for task in waiting:
                task.cancel()
        if begun is None:
            raise _error_of(backing)
        if begun is asked:
            await other.aclose()
            return _part_of(asked), first
        await first.aclose()
        if asked.cancelled():
            self._failed(VoiceUnavailable("the voice", "silent when it was urgent", away=True))
        return _part_of(backing), other

    def _order(self, urgent: bool) -> tuple[_Say, ...]:
        """Return by whom a clause is tried; the second is asked if the first of them can't begin it."""
        if self._is_asked(urgent):
            return self._by_first, self._by_stand_in
        if self._asked_again_at_s == inf:
            return (self._by_stand_in,)
        return self._by_stand_in, self._by_first

    def _is_asked(self, urgent: bool) -> bool:
        if self._rest_s == 0.0:
            return True
        return not urgent and asyncio.get_running_loop().time() >= self._asked_again_at_s

    def _answered(self) -> None:
        self.counts.first += 1
        if self._rest_s:
            log.warning("the first voice is back")
        self._rest_s = self._asked_again_at_s = 0.0

    def _failed(self, error: VoiceUnavailable) -> None:
        if not (error.retryable or error.away):
            log.warning("%s; another voice says this clause", error)
            return
        if not error.retryable:
            self._rest_s, self._asked_again_at_s = REST_MOST_S, inf
            log.error("%s; another voice speaks from here on", error)
            return
        now_s = asyncio.get_running_loop().time()
        if self._rest_s and now_s < self._asked_again_at_s:
            return  # another clause, asked for at the same time, has told
        self._rest_s = min(max(REST_FIRST_S, 2 * self._rest_s), REST_MOST_S)
        self._asked_again_at_s = now_s + self._rest_s
        log.warning("%s; another voice speaks for %g s", error, self._rest_s)


_Begun = asyncio.Task[Part | VoiceUnavailable]


async def _begin(parts: AsyncGenerator[Part, None]) -> Part | VoiceUnavailable:
    """Return the first part, or why there is none."""
    try:
        return await anext(parts)
    except VoiceUnavailable as error:
        return error
    except StopAsyncIteration:
        return VoiceUnavailable("the voice", "it said nothing")


async def _first_to_begin(tasks: set[_Begun]) -> tuple[_Begun | None, set[_Begun]]:
    """Return who begins first, or None: nobody; and who has not ended yet."""
    waiting = tasks
    while waiting:
        done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            if isinstance(task.result(), Part):
                return task, waiting
    return None, waiting


def _part_of(task: _Begun) -> Part:
    part = task.result()
    assert isinstance(part, Part)  # it began
    return part


def _error_of(task: _Begun) -> VoiceUnavailable:
    error = task.result()
    assert isinstance(error, VoiceUnavailable)  # it did not
    return error
