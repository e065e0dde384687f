"""Transcribe over a network: one connection per session, sound up while somebody speaks, words down.

A leg is the life of one connection, with a clock of its own. It is asked for when a turn begins, and the
turn's sound waits for it, two seconds at most. A turn whose leg is lost, or whose text is late, has none:
the recogniser's is taken. The next turn asks for a new leg, after growing pauses while nothing comes of them.
A connection that is lost in a silence costs nothing and is not made again before somebody speaks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EARS_RATE_HZ
from realtime.ears.transcript import Transcript, TranscriptNews
from tts_queue import Recognised

log = logging.getLogger("exaim.ears")

FRAME: Final = EARS_RATE_HZ * 80 // 1000  # samples: the 80 ms that Deepgram's guide to Flux asks for


class LineLost(Exception):
    """The connection ended, or was not made; making it again helps unless it is `lasting`.

    `reason` holds no text of the clinician and no key.
    """

    def __init__(self, reason: str, *, lasting: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.lasting = reason, lasting


class RecogniserLine(Protocol):
    """A connection to a streaming recogniser."""

    async def send(self, pcm: NDArray[np.int16]) -> None:
        """Send a frame of 16 kHz mono sound. Raises: LineLost."""
        ...

    async def receive(self) -> TranscriptNews:
        """Return what is written next. Raises: LineLost."""
        ...


Dial = Callable[[], AbstractAsyncContextManager[RecogniserLine]]
"""Makes a connection; it is closed, within a second, when the block ends. Raises: LineLost."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamConfig:
    """How long a text is waited for, and a line. The reasons: docs/decisions/027-cloud-ears.md."""

    within_s: float = 0.8  # from a turn's end: the queue's watchdog goes on without a verdict after 1.0 s
    settled_s: float = 0.2  # of sound transcribed behind the last of the voice: its words change no more
    tail_s: float = 0.5  # of silence behind a turn, filled up if less was heard; an Update comes each 0.25 s
    waiting_s: float = 2.0  # of sound that may wait for the line
    pause_first_s: float = 0.5  # before a line is asked for again; doubled each time
    pause_most_s: float = 30.0


@dataclass(slots=True)
class StreamCounts:
    """What came of it, for the log."""

    written: int = 0  # turns with the transcriber's text
    empty: int = 0  # turns in which it heard no word
    late: int = 0  # turns whose text did not come in time
    lost: int = 0  # turns for which there was no line, or which it was lost in
    legs: int = 0  # connections that were made
    sent_s: float = 0.0  # of sound, which is what such a service charges for

    def __str__(self) -> str:
        turns = f"{self.written} turns written, {self.empty} empty, {self.late} late, {self.lost} lost"
        return f"{turns}; {self.sent_s:.1f} s of sound sent on {self.legs} connections"


@dataclass(slots=True, eq=False)
class _Leg:
    """One connection: what goes up on it, and what has come down."""

    transcript: Transcript = field(default_factory=Transcript)
    taken: int = 0  # samples, sent or waiting: the leg's clock
    frames: deque[NDArray[np.int16]] = field(default_factory=deque)  # whole ones, bounded by `waiting_s`
    part: NDArray[np.int16] = field(default_factory=lambda: np.zeros(0, np.int16))
    some: asyncio.Event = field(default_factory=asyncio.Event)  # there are frames
    news: asyncio.Event = field(default_factory=asyncio.Event)  # made anew with each
    over: asyncio.Event = field(default_factory=asyncio.Event)
    useful: bool = False  # the last text that was asked of it came in time

    def add(self, pcm: NDArray[np.int16]) -> None:
        """Queue sound, in frames."""
        self.taken += len(pcm)
        self.part = np.concatenate([self.part, pcm])
        while len(self.part) >= FRAME:
            self.frames.append(self.part[:FRAME])
            self.part = self.part[FRAME:]
        if self.frames:
            self.some.set()

    def fill(self) -> None:
        """Complete the last frame with silence."""
        if len(self.part):
            self.add(np.zeros(FRAME - len(self.part), np.int16))

    def take(self, news: TranscriptNews) -> None:
        """Take in what came down."""
        self.transcript.take(news)
        self._tell()

    def end(self) -> None:
        """Have the connection closed; nothing more comes of it."""
        self.over.set()
        self.frames.clear()
        self._tell()

    def _tell(self) -> None:
        self.news.set()
        self.news = asyncio.Event()


@dataclass(frozen=True, slots=True, eq=False)
class StreamPassage:
    """A turn on a leg, whole; its times are on the leg's clock."""

    leg: _Leg
    counts: StreamCounts
    config: StreamConfig
    from_s: float
    voiced_until_s: float
    to_s: float

    async def text(self) -> Recognised | None:
        """Return what was said in it, or None: not in time, or not at all."""
        if not await self._settles():
            return None
        self.leg.useful = True
        heard = self.leg.transcript.between(self.from_s, self.to_s)
        if not heard.text:
            self.counts.empty += 1
            return None
        self.counts.written += 1
        return heard

    async def _settles(self) -> bool:
        leg = self.leg
        try:
            async with asyncio.timeout(self.config.within_s):
                while not leg.transcript.settled(self.voiced_until_s, self.config.settled_s):
                    if leg.over.is_set():
                        self.counts.lost += 1
                        return False
                    await leg.news.wait()
        except TimeoutError:
            self.counts.late += 1
            leg.useful = False
            leg.end()  # a service that is silent now may stay so, and nothing late is taken for news then
            return False
        return True


class NoPassage:
    """A turn for which there was no line."""

    async def text(self) -> None:
        """Return None."""
        return


class StreamTranscriber:
    """`realtime.ears.Transcriber` on a line that may be lost. Works while `run` does."""

    def __init__(self, name: str, dial: Dial, config: StreamConfig = StreamConfig()) -> None:
        """`name` is said in the log."""
        self._name, self._dial, self._config = name, dial, config
        self.counts = StreamCounts()
        self._leg: _Leg | None = None
        self._wanted = asyncio.Event()
        self._on: _Leg | None = None  # which the present turn is on,
        self._from = 0  # from this sample
        self._pause_s = 0.0
        self._not_before_s = 0.0  # loop clock
        self._given_up = False

    def begin(self, pcm: NDArray[np.int16]) -> None:
        """Take the first sound of a turn, and ask for a line if there is none."""
        if self._leg is None:
            self._ask()
        self._on = self._leg
        self._from = 0 if self._on is None else self._on.taken
        self.hear(pcm)

    def hear(self, pcm: NDArray[np.int16]) -> None:
        """Take the sound that follows. If it waits too long for its line, both are dropped."""
        leg = self._on
        if leg is None or leg.over.is_set():
            return
        leg.add(pcm)
        if len(leg.frames) * FRAME > self._config.waiting_s * EARS_RATE_HZ:
            leg.end()

    def end(self, silent: int) -> StreamPassage | NoPassage:
        """End the turn, with enough silence behind it for the last word to be understood."""
        leg, self._on = self._on, None
        if leg is None or leg.over.is_set():
            self.counts.lost += 1
            return NoPassage()
        voiced_until = leg.taken - silent
        leg.add(np.zeros(max(0, round(self._config.tail_s * EARS_RATE_HZ) - silent), np.int16))
        leg.fill()
        times = (samples / EARS_RATE_HZ for samples in (self._from, voiced_until, leg.taken))
        return StreamPassage(leg, self.counts, self._config, *times)

    async def run(self) -> None:
        """Keep a line while one is wanted; the first at once, to see whether the key is taken."""
        self._ask()
        try:
            while not self._given_up:
                await self._wanted.wait()
                self._wanted.clear()
                if self._leg is not None:
                    await self._keep(self._leg)
        finally:
            log.info("%s: %s", self._name, self.counts)

    def _ask(self) -> None:
        if not self._given_up and asyncio.get_running_loop().time() >= self._not_before_s:
            self._leg = _Leg()
            self._wanted.set()

    async def _keep(self, leg: _Leg) -> None:
        try:
            await self._serve(leg)
            log.warning("%s: too slow; its connection is given up", self._name)
        except LineLost as error:
            self._lost(leg, error)
        finally:
            leg.end()
            self._leg = None
            self._pause(leg)

    async def _serve(self, leg: _Leg) -> None:
        """Send and receive until the leg is over. Raises: LineLost."""
        try:
            async with asyncio.TaskGroup() as group:
                working = group.create_task(self._work(leg), name="line")
                await leg.over.wait()
                working.cancel()
        except* LineLost as errors:
            raise _first(errors) from None

    async def _work(self, leg: _Leg) -> None:
        async with self._dial() as line:
            self.counts.legs += 1
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._send(leg, line), name="line-up")
                    group.create_task(_receive(leg, line), name="line-down")
            except* LineLost as errors:
                raise _first(errors) from None

    async def _send(self, leg: _Leg, line: RecogniserLine) -> None:
        while True:
            await leg.some.wait()
            leg.some.clear()
            while leg.frames:
                await line.send(leg.frames.popleft())
                self.counts.sent_s += FRAME / EARS_RATE_HZ

    def _lost(self, leg: _Leg, error: LineLost) -> None:
        if error.lasting:
            self._given_up = True
            log.error("%s: %s. This session's ears are those of this machine", self._name, error)
        else:
            level = logging.INFO if leg.useful else logging.WARNING  # in a long silence it is let go
            log.log(level, "%s: %s", self._name, error)

    def _pause(self, leg: _Leg) -> None:
        """Have the next leg wait, the longer the more of them in a row were of no use."""
        longer_s = min(2 * self._pause_s or self._config.pause_first_s, self._config.pause_most_s)
        self._pause_s = 0.0 if leg.useful else longer_s
        self._not_before_s = asyncio.get_running_loop().time() + self._pause_s


async def _receive(leg: _Leg, line: RecogniserLine) -> None:
    while True:
        leg.take(await line.receive())


def _first(errors: BaseExceptionGroup[LineLost]) -> LineLost:
    error = errors.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
