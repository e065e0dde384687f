"""Fakes of the ears' ports, for scenes on virtual time; all but `ScriptedEars` are strict and scripted."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import (
    EARS_RATE_HZ,
    WINDOW,
    EagerTurn,
    EarEvent,
    TurnEnded,
    TurnMetadata,
    TurnResumed,
    VoiceBegan,
    VoicePaused,
)
from realtime.ears.stream import FRAME, LineLost
from realtime.ears.transcript import RecognisedWord, TranscriptNews
from tts_queue import EngineUnavailable, Recognised

_FULL: Final = 10_000  # the level that stands for a probability of 1


def voice(seconds: float, probability: float = 0.9) -> NDArray[np.int16]:
    """Return sound that `ScriptedVad` takes for a voice with this probability."""
    return np.full(round(seconds * EARS_RATE_HZ), round(probability * _FULL), np.int16)


def quiet(seconds: float) -> NDArray[np.int16]:
    """Return digital silence."""
    return np.zeros(round(seconds * EARS_RATE_HZ), np.int16)


class UnexpectedListening(AssertionError):
    """The ears asked for what no detector or recogniser could give."""


class ScriptedVad:
    """`realtime.ears.Vad` for which the sound is the script: the level of a window is its probability."""

    def __init__(self) -> None:
        self.windows = 0
        self.resets = 0

    def probability(self, window: NDArray[np.int16]) -> float:
        """Return the mean level of the window. Raises: UnexpectedListening: it is of another length."""
        if window.shape != (WINDOW,) or window.dtype != np.int16:
            raise UnexpectedListening(f"a window of {window.shape} {window.dtype}")
        self.windows += 1
        return float(np.abs(window.astype(np.int32)).mean()) / _FULL

    def reset(self) -> None:
        """Count the reset."""
        self.resets += 1


@dataclass(frozen=True, slots=True)
class Hear:
    """One expected recognition: what comes after `takes_s`, the text or `fails`; with `hangs`, nothing."""

    text: str = ""
    takes_s: float = 0.06
    confidence: float = 1.0
    word: str | None = None
    word_confidence: float = 0.0
    fails: str | None = None
    hangs: bool = False


@dataclass(frozen=True, slots=True)
class RecognitionAsked:
    """A recognition that was asked for: when (loop clock), and of how much sound."""

    at_s: float
    sound_s: float
    short: bool


class ScriptedRecogniser:
    """`realtime.ears.Recogniser` that gives its script in order; one recognition at a time, and no other."""

    def __init__(self, *script: Hear) -> None:
        self._script = deque(script)
        self._busy = False
        self.asked: list[RecognitionAsked] = []
        self.dropped = 0  # recognitions that were cancelled

    async def transcribe(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised:
        """Give the next of the script. Raises: EngineUnavailable, as scripted; UnexpectedListening."""
        if self._busy or not self._script:
            raise UnexpectedListening("a second recognition" if self._busy else "one that the script has not")
        line = self._script.popleft()
        now_s = asyncio.get_running_loop().time()
        self.asked.append(RecognitionAsked(now_s, len(pcm) / EARS_RATE_HZ, short))
        self._busy = True
        try:
            await (asyncio.Event().wait() if line.hangs else asyncio.sleep(line.takes_s))
        except asyncio.CancelledError:
            self.dropped += 1
            raise
        finally:
            self._busy = False
        if line.fails is not None:
            raise EngineUnavailable(line.fails)
        return Recognised(line.text, line.confidence, line.word, line.word_confidence)

    def assert_finished(self) -> None:
        """Fail if the script holds a recognition that was never asked for."""
        if self._script:
            raise AssertionError(f"{len(self._script)} recognitions were never asked for")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedConnection:
    """One expected connection of a transcriber: what is written on it, and how it goes wrong."""

    words: tuple[RecognisedWord, ...] = ()  # on the connection's clock
    opens_s: float = 0.05
    takes_s: float = 0.1  # from a frame that comes in to the news of it
    refuses: LineLost | None = None
    drops_at_s: float | None = None  # of sound
    mute: bool = False


class ScriptedLine:
    """A scripted `RecogniserLine`: after each 0.25 s of sound it tells all words so far, as one turn."""

    def __init__(self, leg: ScriptedConnection) -> None:
        self._leg = leg
        self._news: asyncio.Queue[tuple[float, TranscriptNews | None]] = asyncio.Queue()
        self._told = 0
        self.samples = 0
        self.closed = False

    async def send(self, pcm: NDArray[np.int16]) -> None:
        """Take a frame. Raises: UnexpectedListening: it is of another length."""
        if pcm.shape != (FRAME,) or pcm.dtype != np.int16:
            raise UnexpectedListening(f"a frame of {pcm.shape} {pcm.dtype}")
        self.samples += len(pcm)
        until_s, at_s = self.samples / EARS_RATE_HZ, asyncio.get_running_loop().time() + self._leg.takes_s
        if self._leg.drops_at_s is not None and until_s >= self._leg.drops_at_s:
            self._news.put_nowait((at_s, None))
        elif until_s >= 0.25 * (self._told + 1) and not self._leg.mute:
            self._told += 1
            words = tuple(word for word in self._leg.words if word.end_s <= until_s)
            self._news.put_nowait((at_s, TranscriptNews(0, until_s, words)))

    async def receive(self) -> TranscriptNews:
        """Return what is told next. Raises: LineLost, as scripted."""
        at_s, news = await self._news.get()
        await asyncio.sleep(at_s - asyncio.get_running_loop().time())
        if news is None:
            raise LineLost("scripted")
        return news


class ScriptedLines:
    """`realtime.ears.stream.Dial` that makes the connections of its script in order, and no other."""

    def __init__(self, *script: ScriptedConnection) -> None:
        self._script = deque(script)
        self.dialled_s: list[float] = []  # loop clock
        self.lines: list[ScriptedLine] = []

    @asynccontextmanager
    async def dial(self) -> AsyncIterator[ScriptedLine]:
        """Connect. Raises: LineLost, as scripted; UnexpectedListening."""
        if not self._script:
            raise UnexpectedListening("a connection that the script has not")
        leg = self._script.popleft()
        self.dialled_s.append(asyncio.get_running_loop().time())
        await asyncio.sleep(leg.opens_s)
        if leg.refuses is not None:
            raise leg.refuses
        line = ScriptedLine(leg)
        self.lines.append(line)
        try:
            yield line
        finally:
            line.closed = True

    def assert_finished(self) -> None:
        """Fail if the script holds a connection that was never made, or one is still open."""
        if self._script or not all(line.closed for line in self.lines):
            raise AssertionError(f"{len(self._script)} connections were never made, or one is open")


class ScriptedEars:
    """`realtime.ears.ports.EarsPort` that hears what a scene says, when it says it.

    The times are near those of the real ears: a pause is noticed after 0.25 s, its text is there 0.1 s later,
    and the turn ends 0.6 s after its last sound.
    """

    silent_s = 0.0

    def __init__(self, on_event: Callable[[EarEvent], None]) -> None:
        self._on_event = on_event
        self._turn = 0

    def feed(self, pcm: NDArray[np.int16]) -> None:
        """Take no note: scenes have no sound."""

    def track_ended(self) -> None:
        """Take no note: a scene says itself how a turn ends."""

    def tell(self, event: EarEvent) -> None:
        """Say one event as it is."""
        self._on_event(event)

    async def run(self) -> None:
        """Hear nothing but what is said."""
        await asyncio.Event().wait()

    async def mumble(self, lasts_s: float = 0.6) -> None:
        """Have the clinician say something that the recogniser gives no text for in time."""
        now, (turn, began_s) = asyncio.get_running_loop().time, self._begin()
        await asyncio.sleep(lasts_s)
        ended_s = now()
        await asyncio.sleep(0.25)
        self._on_event(VoicePaused(turn, ended_s))
        await asyncio.sleep(3.0)
        metadata = self._metadata(turn, began_s, ended_s)
        self._on_event(TurnEnded(turn, "", replace(metadata, trigger="failed")))

    async def noise(self, lasts_s: float = 0.1) -> None:
        """Have a sound taken for a voice, and found to be none as soon as it is over."""
        now, (turn, began_s) = asyncio.get_running_loop().time, self._begin()
        await asyncio.sleep(lasts_s)
        metadata = self._metadata(turn, began_s, now())
        await asyncio.sleep(0.13)
        self._on_event(TurnEnded(turn, "", replace(metadata, had_eager_eot=False)))

    async def trail_off(
        self, text: str, *, lasts_s: float = 0.8, thinks_s: float = 1.6, first: str = ""
    ) -> None:
        """Have the clinician stop where a word is missing; `first`: words said before, with a pause."""
        now, (turn, began_s) = asyncio.get_running_loop().time, self._begin()
        if first:
            await asyncio.sleep(0.3)
            early = self._metadata(turn, began_s, now(), first)
            await asyncio.sleep(0.25)
            self._on_event(VoicePaused(turn, early.ended_s))
            self._on_event(EagerTurn(turn, first, early))
            await asyncio.sleep(0.1)
            self._on_event(TurnResumed(turn, now()))
        await asyncio.sleep(lasts_s)
        metadata = replace(self._metadata(turn, began_s, now(), text), ending="wanting")
        await asyncio.sleep(0.25)
        self._on_event(VoicePaused(turn, metadata.ended_s))
        await asyncio.sleep(0.1)
        self._on_event(EagerTurn(turn, text, metadata))
        await asyncio.sleep(thinks_s - 0.35)
        self._on_event(TurnEnded(turn, text, metadata))

    async def say(
        self,
        *parts: str,
        lasts_s: float = 0.6,
        word: str | None = None,
        word_confidence: float = 0.9,
        whole: str | None = None,
        joined: str = "",
    ) -> None:
        """Have the clinician say `parts`, each for `lasts_s`, with 0.4 s between them.

        `whole` is what is heard in all of it at its end, if that is another text; `joined` in it and the turn before.
        """
        now, (turn, began_s), said = asyncio.get_running_loop().time, self._begin(), ""
        for number, part in enumerate(parts):
            if number:
                self._on_event(TurnResumed(turn, now()))
            await asyncio.sleep(lasts_s)
            said, ended_s = f"{said} {part}".strip(), now()
            metadata = self._metadata(
                turn, began_s, ended_s, said, resumed=number > 0, word=word, word_confidence=word_confidence
            )
            await asyncio.sleep(0.25)
            self._on_event(VoicePaused(turn, ended_s))
            await asyncio.sleep(0.1)
            self._on_event(EagerTurn(turn, said, metadata))
            await asyncio.sleep(0.05)
        metadata = replace(metadata, joined=joined)
        if joined:
            self._on_event(EagerTurn(turn, said, metadata))
        await asyncio.sleep(0.2)
        self._on_event(TurnEnded(turn, said if whole is None else whole, metadata))

    def _begin(self) -> tuple[int, float]:
        """Tell that a voice begins another turn; return its number, and when."""
        self._turn += 1
        began_s = asyncio.get_running_loop().time()
        self._on_event(VoiceBegan(self._turn, began_s))
        return self._turn, began_s

    def _metadata(
        self,
        turn: int,
        began_s: float,
        ended_s: float,
        text: str = "",
        *,
        resumed: bool = False,
        word: str | None = None,
        word_confidence: float = 0.0,
    ) -> TurnMetadata:
        return TurnMetadata(
            turn=turn,
            began_s=began_s,
            ended_s=ended_s,
            duration_ms=round((ended_s - began_s) * 1000),
            word_count=len(text.split()),
            had_eager_eot=True,
            had_turn_resumed=resumed,
            confidence=1.0 if text else 0.0,
            word=word,
            word_confidence=word_confidence if word else 0.0,
            trigger="silence",
        )
