"""A voice that another one stands in for, clause by clause.

answers ─▶ fails (retryable) ─▶ rests 5 s, then 10, 20 … 60; the next clause after that asks it again
   ▲                                │
   └──────── it answers ◀───────────┘        fails for good (a key is refused): not asked again

A clause that the first voice can't say is said by the other at once. One that broke off after some sound is
not begun again: the error goes on to the queue, which asks for the words that were not whole. A single text
that is refused says nothing of the next. While the first voice is known to be unwell, an urgent clause
does not wait to see whether it is back: it is asked only if the other can't say the clause either.
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

_Say = Callable[[str, Prosody, bool], AsyncGenerator[Part, None]]


@dataclass(slots=True)
class Counts:
    """Clauses, by who was asked to say them."""

    first: int = 0
    stand_in: int = 0


class BackedVoice:
    """Says what the first voice can, and the rest by its stand-in; `counts` tells how often."""

    def __init__(self, first: Voice, stand_in: Voice) -> None:
        self._first, self._stand_in = first, stand_in
        self.counts = Counts()
        self._rest_s = 0.0  # how long it rests since its last failure; 0: it answered last time
        self._asked_again_at_s = 0.0  # on the loop's clock; inf: never

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the whole sound of `text`. Raises: VoiceUnavailable."""
        return await whole(self.parts(text, prosody))

    async def parts(self, text: str, prosody: Prosody, *, urgent: bool = False) -> AsyncGenerator[Part, None]:
        """Yield the sound of `text`, all of one voice. Raises: VoiceUnavailable: neither has it."""
        order = self._order(urgent)
        errors = []
        for say in order:
            begun = False
            try:
                async with aclosing(say(text, prosody, urgent)) as parts:
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

    async def _by_first(self, text: str, prosody: Prosody, urgent: bool) -> AsyncGenerator[Part, None]:
        begun = False
        try:
            async with aclosing(self._first.parts(text, prosody, urgent=urgent)) as parts:
                async for part in parts:
                    if not begun:
                        self._answered()
                    begun = True
                    yield part
        except VoiceUnavailable as error:
            self._failed(error)
            raise

    def _by_stand_in(self, text: str, prosody: Prosody, urgent: bool) -> AsyncGenerator[Part, None]:
        self.counts.stand_in += 1
        return self._stand_in.parts(text, prosody, urgent=urgent)

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
