"""Synthesise one clip speculatively, so that an answer sounds as soon as its question is over.

A voice in front of another voice: it plays the expected clip as far as it is made, and passes all else on.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from tts_queue.model import Clip, Part, Prosody
from tts_queue.ports import Voice, VoiceUnavailable, whole


@dataclass(slots=True, eq=False)
class _Take:
    """A clip being made."""

    text: str
    prosody: Prosody
    parts: list[Part] = field(default_factory=list)
    begun: bool = False
    over: bool = False  # no more parts come
    failed: VoiceUnavailable | None = None
    dropped: bool = False  # nobody wants the rest
    more: asyncio.Event = field(default_factory=asyncio.Event)


class Rehearsal:
    """Keeps one clip at a time, which is given out once. All calls are for one event loop."""

    def __init__(self, voice: Voice, deadline_s: float) -> None:
        """`deadline_s` is the time limit for the whole of an expected clip."""
        self._voice, self._deadline_s = voice, deadline_s
        self._take: _Take | None = None
        self._some = asyncio.Event()

    def expect(self, text: str, prosody: Prosody) -> None:
        """Have the clip of `text` (written for the ear) made, in place of the one expected before. Quick."""
        take = self._take
        if take is not None:
            if (take.text, take.prosody) == (text, prosody):
                return
            take.dropped = True
        self._take = _Take(text, prosody)
        self._some.set()

    async def run(self) -> None:
        """Make what is expected, until cancelled."""
        while True:
            await self._some.wait()
            self._some.clear()
            if self._take is not None:
                await self._make(self._take)

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the whole sound of `text`. Raises: VoiceUnavailable."""
        return await whole(self.parts(text, prosody))

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        """Yield the sound of `text`: of the expected clip what is made and then the rest, else a new clip.

        An expected clip that is not begun, or failed before its first part, is made anew. Raises: VoiceUnavailable.
        """
        take = self._take
        if take is not None and (take.text, take.prosody) == (text, prosody):
            self._take = None
            if take.begun:
                try:
                    async for part in _followed(take):
                        yield part
                finally:
                    take.dropped = True
                if take.failed is None:
                    return
                if take.parts:
                    raise take.failed
        async with aclosing(self._voice.parts(text, prosody, urgent=urgent, ahead=ahead)) as parts:
            async for part in parts:
                yield part

    async def _make(self, take: _Take) -> None:
        take.begun = True
        try:
            async with (
                asyncio.timeout(self._deadline_s),
                aclosing(self._voice.parts(take.text, take.prosody)) as parts,
            ):
                async for part in parts:
                    take.parts.append(part)
                    take.more.set()
                    if take.dropped:
                        break
        except VoiceUnavailable as error:
            take.failed = error
        except TimeoutError:
            take.failed = VoiceUnavailable("voice", f"not made ahead within {self._deadline_s:g} s")
        take.over = True
        take.more.set()


async def _followed(take: _Take) -> AsyncGenerator[Part, None]:
    """Yield the parts of a clip that are made, then each further one as it comes."""
    at = 0
    while at < len(take.parts) or not take.over:
        if at < len(take.parts):
            yield take.parts[at]
            at += 1
        else:
            take.more.clear()
            await take.more.wait()
