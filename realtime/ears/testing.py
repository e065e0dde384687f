"""Strict scripted fakes of the ears' ports, for scenes on virtual time."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from realtime.ears.model import EARS_RATE_HZ, WINDOW
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
class Asked:
    """A recognition that was asked for: when (loop clock), and of how much sound."""

    at_s: float
    sound_s: float
    short: bool


class ScriptedRecogniser:
    """`realtime.ears.Recogniser` that gives its script in order; one recognition at a time, and no other."""

    def __init__(self, *script: Hear) -> None:
        self._script = deque(script)
        self._busy = False
        self.asked: list[Asked] = []
        self.dropped = 0  # recognitions that were cancelled

    async def transcribe(self, pcm: NDArray[np.int16], *, short: bool) -> Recognised:
        """Give the next of the script. Raises: EngineUnavailable, as scripted; UnexpectedListening."""
        if self._busy or not self._script:
            raise UnexpectedListening("a second recognition" if self._busy else "one that the script has not")
        line = self._script.popleft()
        now_s = asyncio.get_running_loop().time()
        self.asked.append(Asked(now_s, len(pcm) / EARS_RATE_HZ, short))
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
