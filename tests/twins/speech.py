"""What the twins of speech services share: what was asked, what goes wrong next, and a plausible sound."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from tts_queue import SAMPLE_RATE_HZ
from tts_queue.model import Pcm

SILENCE_S = 0.15  # before and after the sound, as the services have it
WORD_S = 0.30


@dataclass(frozen=True, slots=True)
class Fault:
    """The next request fails: a gRPC status' name or an HTTP status, and the service's word for it."""

    code: str | int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Hang:
    """The next request gets no answer until the client has gone."""


@dataclass(frozen=True, slots=True)
class BreakOff:
    """The next answer ends before its end."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sound, and the sample at which each blank-separated word begins."""

    pcm: Pcm
    starts: Sequence[int]


Sayer = Callable[[str, float], Said]
"""Makes the sound of a text at a rate; on a thread, since it may compute."""


def tones(text: str, rate: float) -> Said:
    """Return a tone for each word, each of its own pitch, all of one length, between silences."""
    words = text.split()
    each = round(WORD_S / rate * SAMPLE_RATE_HZ)
    silence = np.zeros(round(SILENCE_S * SAMPLE_RATE_HZ), np.int16)
    times = np.arange(each) / SAMPLE_RATE_HZ
    sounds = [8000 * np.sin(2 * np.pi * (200 + 40 * (n % 20)) * times + 0.5) for n in range(len(words))]
    pcm = np.concatenate([silence, *(sound.astype(np.int16) for sound in sounds), silence])
    return Said(pcm, [len(silence) + n * each for n in range(len(words))])


@dataclass
class Asked:
    """One request that the service took."""

    text: str  # as it is said, without markup
    voice: str
    rate: float
    pitch: float = 0.0
    gain_db: float = 0.0
    markup: str = ""


@dataclass
class SpeechTwin:
    """A running twin, as a test sees it."""

    say: Sayer = tones
    faults: deque[Fault | Hang | BreakOff] = field(default_factory=deque)
    down: bool = False  # every request fails, as if the service were away
    asked: list[Asked] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    hung: int = 0  # requests that were left without an answer
    address: str = ""

    async def hang(self) -> None:
        """Wait until the client has gone."""
        self.hung += 1
        await asyncio.Event().wait()

    @property
    def texts(self) -> list[str]:
        """What was said, in order."""
        return [asked.text for asked in self.asked]
