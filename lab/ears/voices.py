"""The voices of the matrix: Piper's resampled, and those that Debian has. All sound is 16 kHz mono int16."""

from __future__ import annotations

import subprocess
import tempfile
import wave
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

import numpy as np
import soxr
from numpy.typing import NDArray

from app.clinician import sounds
from tts_queue import SAMPLE_RATE_HZ, Prosody
from tts_queue.engines.piper import PiperVoice

RATE_HZ: Final = 16_000
NEAR_SILENCE: Final = 10 ** (-50 / 20) * 32768
WITHIN_S: Final = 30.0  # for one sentence of one engine

Sound: TypeAlias = NDArray[np.int16]


class VoiceMissing(RuntimeError):
    """A program that speaks is not installed."""


class Speakers:
    """Say a text with any voice of the matrix; Piper's model is loaded once."""

    def __init__(self) -> None:
        self._piper: PiperVoice | None = None

    def say(self, text: str, voice: Mapping[str, Any]) -> Sound:
        """Return `text` as that voice says it, near silence cut at both ends. Raises: VoiceMissing."""
        if voice["engine"] == "piper":
            return tight(self._say_with_piper(text, voice["speaker"], voice["speed"]))
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "said.wav"
            command, typed = _command(text, voice, out)
            try:
                subprocess.run(command, input=typed, check=True, capture_output=True, timeout=WITHIN_S)
            except FileNotFoundError:
                raise VoiceMissing(f"{command[0]} is missing: docs/ears.md says what to install") from None
            return tight(_at_16k(out))

    def _say_with_piper(self, text: str, speaker: float, speed: float) -> Sound:
        if self._piper is None:
            self._piper = PiperVoice(steady=True)
        clip = self._piper.say(text, Prosody(rate=speed / speaker))
        return to_int16(soxr.resample(clip.pcm.astype(np.float32), SAMPLE_RATE_HZ * speaker, RATE_HZ))


def hum(number: int) -> list[Sound]:
    """Return a person's two hums of agreement: lips closed, lips open."""
    made = (sounds.mm_hm(number), sounds.uh_huh(number))
    return [tight(to_int16(soxr.resample(each.astype(np.float32), SAMPLE_RATE_HZ, RATE_HZ))) for each in made]


def _command(text: str, voice: Mapping[str, Any], out: Path) -> tuple[Sequence[str], bytes]:
    name = str(voice["voice"])
    match voice["engine"]:
        case "flite":
            return ["flite", "-voice", name, "-t", text, "-o", str(out)], b""
        case "festival":
            return ["text2wave", "-eval", f"(voice_{name})", "-o", str(out)], text.encode()
        case "pico":
            return ["pico2wave", "-l", name, "-w", str(out), text], b""
        case "rhvoice":
            return ["RHVoice-test", "-p", name, "-o", str(out)], text.encode()
        case "espeak":
            return ["espeak-ng", "-v", name, "-s", str(voice["speed"]), "-w", str(out), text], b""
        case other:
            raise ValueError(f"no engine is called {other}")


def _at_16k(path: Path) -> Sound:
    with wave.open(str(path), "rb") as file:
        rate_hz, channels = file.getframerate(), file.getnchannels()
        pcm = np.frombuffer(file.readframes(file.getnframes()), "<i2").reshape(-1, channels)[:, 0]
    return to_int16(soxr.resample(pcm.astype(np.float32), rate_hz, RATE_HZ))


def to_int16(sound: NDArray[np.floating]) -> Sound:
    """Return sound rounded and kept within its range."""
    return np.asarray(np.clip(np.rint(sound), -32768, 32767), np.int16)


def tight(pcm: Sound) -> Sound:
    """Cut what is before the first and after the last 10 ms frame over -50 dBFS."""
    frames = pcm[: len(pcm) // 160 * 160].reshape(-1, 160).astype(np.float64)
    loud = np.flatnonzero(np.sqrt((frames**2).mean(axis=1)) > NEAR_SILENCE)
    return pcm[loud[0] * 160 : (loud[-1] + 1) * 160]


def loudest(pcm: Sound) -> float:
    """Return the RMS of the loudest 100 ms."""
    squares = np.convolve(pcm.astype(np.float64) ** 2, np.ones(1600) / 1600, mode="same")
    return float(np.sqrt(squares.max())) + 1e-9


def at_level(pcm: Sound, dbfs: float) -> Sound:
    """Return the sound with its loudest 100 ms at `dbfs` RMS."""
    return to_int16(pcm * (10 ** (dbfs / 20) * 32768 / loudest(pcm)))
