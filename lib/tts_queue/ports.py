"""The ports of the queue and the ears, and the errors of the adapters behind them.

SpeechError
├── VoiceUnavailable   the engine gave no sound (retryable or not)
├── EngineUnavailable  the engines process did not do what was asked (retryable or not)
└── LogUnavailable     the log can't be written now; speech is silent until it can
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from tts_queue.model import Clip, Move, Part, Pcm, Prosody, Utterance, joined


class SpeechError(Exception):
    """Base of this package's errors."""


class VoiceUnavailable(SpeechError):
    """A voice engine gave no sound; trying again helps if `retryable`.

    `away`: the engine was not there to be asked, or never answered; the text is not to blame. Both false:
    this text can't be said. Away and not retryable: nothing can, until somebody mends it (a key, a name).
    """

    def __init__(self, engine: str, reason: str, *, retryable: bool = True, away: bool = False) -> None:
        super().__init__(f"{engine}: {reason}")
        self.engine, self.reason, self.retryable, self.away = engine, reason, retryable, away


class EngineUnavailable(SpeechError):
    """The engines process did not do what was asked; trying again helps if `retryable`.

    `away`: it was not there, or gave no answer.
    """

    def __init__(self, reason: str, *, retryable: bool = True, away: bool = False) -> None:
        super().__init__(f"engines: {reason}")
        self.reason, self.retryable, self.away = reason, retryable, away


class LogUnavailable(SpeechError):
    """The log can't be written at the moment; the same record is offered again later."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a recogniser heard in a turn."""

    text: str = ""
    confidence: float = 0.0  # of the text, 0 to 1
    word: str | None = None  # the closed word that the whole turn is; only short turns are asked for it
    word_confidence: float = 0.0  # 0 to 1


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a second recogniser heard in the same sound."""

    text: str = ""
    confidence: float = 0.0  # of the text, 0 to 1
    silence: float = 1.0  # how likely nothing was said at all, 0 to 1


class Voice(Protocol):
    """A text-to-speech engine."""

    async def synthesise(self, text: str, prosody: Prosody) -> Clip:
        """Return the whole sound of `text`. Raises: VoiceUnavailable."""
        ...

    def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        """Yield the sound of `text`, which is already written for the ear, as it is made.

        Every part tells the length and the words of the whole; the last one completes it. An `urgent` one
        may go before what others wait for; one `ahead` of its time, for which nobody waits yet, may come in
        longer parts. Closing the generator takes the rest back.
        Raises: VoiceUnavailable, also after some parts: the rest will not come, and can be asked for as a
        text of its own.
        """
        ...


async def whole(parts: AsyncGenerator[Part, None]) -> Clip:
    """Return the clip of all its parts. Raises: VoiceUnavailable."""
    async with aclosing(parts):
        return joined([part async for part in parts])


class AudioSink(Protocol):
    """The source of the one audio track."""

    @property
    def queued_s(self) -> float:
        """Seconds of audio handed over and not yet sent."""
        ...

    async def write(self, pcm: Pcm) -> None:
        """Hand over one frame of 48 kHz mono; waits while the native queue is full."""
        ...


class SpeechLog(Protocol):
    """The durable record of what was and will be said. Records come in order, one at a time.

    After LogUnavailable, or a deadline, the same record comes again: `create` of the same id and `move`
    of the same number must then be accepted. Any other error ends the queue's `run`.
    """

    async def create(self, utterance: Utterance) -> None:
        """Record a new utterance as QUEUED. Raises: LogUnavailable."""
        ...

    async def move(self, move: Move) -> None:
        """Record one change of phase. Raises: LogUnavailable."""
        ...


class Pacing(Protocol):
    """How much may be said, and when. Both calls are quick and never wait."""

    def not_before(self, utterance: Utterance, now_s: float) -> float:
        """Return the earliest time at which `utterance` may start; at or before `now_s`: now."""
        ...

    def spoke(self, utterance: Utterance, started_s: float, ended_s: float) -> None:
        """Count a stretch of sound of `utterance`; one utterance may have several."""
        ...


class NoPacing:
    """Everything may be said at once."""

    def not_before(self, utterance: Utterance, now_s: float) -> float:
        """Return `now_s`."""
        return now_s

    def spoke(self, utterance: Utterance, started_s: float, ended_s: float) -> None:
        """Count nothing."""
