"""Moonshine as ears: a whole turn of speech to its text, offline. Only the engines process imports this."""

from __future__ import annotations

from typing import Final

import numpy as np
from moonshine_voice import ModelArch, Transcriber, get_model_path

from tts_queue.model import Pcm

NAME: Final = "moonshine tiny-en"
RATE_HZ: Final = 16_000
# Its own segmenter makes a line of leading silence ("You"); a second of faint noise on each side and
# dropping empty lines keeps single words right.
_PAD: Final = RATE_HZ
_NOISE: Final = 1e-4


class MoonshineEars:
    """One recogniser: for one thread, never shared (two threads on one return garbage)."""

    def __init__(self) -> None:
        self._recogniser = Transcriber(model_path=str(get_model_path("tiny-en")), model_arch=ModelArch.TINY)
        self._noise = np.random.default_rng(0).normal(0.0, _NOISE, _PAD).astype(np.float32)

    def transcribe(self, pcm: Pcm) -> str:
        """Return the words in 16 kHz mono sound, or an empty text. Blocks."""
        sound = np.concatenate([self._noise, pcm.astype(np.float32) / 32768.0, self._noise])
        transcript = self._recogniser.transcribe_without_streaming(sound.tolist(), RATE_HZ)
        lines = (line.text.strip() for line in transcript.lines)
        return " ".join(line for line in lines if line)
