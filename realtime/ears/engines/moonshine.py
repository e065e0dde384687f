"""Recognise a whole turn offline with Moonshine. Only the engines process imports this."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from moonshine_voice import ModelArch, Transcriber, get_model_path

from infra.model_folder import NoModel
from tts_queue.model import Pcm

NAME: Final = "moonshine tiny-en"
RATE_HZ: Final = 16_000
# Its own voice detector loses quick words ("wait", "right": 4 of 18 came back empty) and costs a third of the
# time. Ours has cut the turn already, so it is off; the faint noise keeps a tight cut from garbling the word.
_OPTIONS: Final = {"vad_threshold": "0.0"}
_LEAD, _TAIL = RATE_HZ // 2, RATE_HZ // 5
_NOISE: Final = 1e-4
# What this model writes of a sound without words (32 of 40 noises); of others it writes notes and ideograms.
_NO_WORDS: Final = "you"


class MoonshineEars:
    """One recogniser: for one thread, never shared (two threads on one return garbage)."""

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` holds another model than the packaged one. Raises: NoModel: its name says no size."""
        path = str(folder or get_model_path("tiny-en"))
        size = ModelArch.TINY if folder is None else _size(folder)
        self._recogniser = Transcriber(model_path=path, model_arch=size, options=_OPTIONS)
        noise = np.random.default_rng(0).normal(0.0, _NOISE, _LEAD + _TAIL).astype(np.float32)
        self._lead, self._tail = noise[:_LEAD], noise[_LEAD:]

    def transcribe(self, pcm: Pcm) -> str:
        """Return the words in 16 kHz mono sound, or an empty text. Blocks."""
        sound = np.concatenate([self._lead, pcm.astype(np.float32) / 32768.0, self._tail])
        transcript = self._recogniser.transcribe_without_streaming(sound.tolist(), RATE_HZ)
        lines = (line.text.strip() for line in transcript.lines)
        text = " ".join(line for line in lines if line)
        return text if _says_something(text) else ""


def _size(folder: Path) -> ModelArch:
    for name, size in (("tiny", ModelArch.TINY), ("base", ModelArch.BASE)):
        if name in folder.resolve().name.lower():
            return size
    raise NoModel(f"{folder}: call the folder of a Moonshine model by its size, such as base-en")


def _says_something(text: str) -> bool:
    letters = "".join(each for each in text.lower() if each.isascii() and each.isalnum())
    return letters not in ("", _NO_WORDS)
