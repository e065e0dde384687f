"""The page's chips that speak themselves, for whoever has no microphone.

    python -m app.clinician.chips web/public/chips

writes `mm-hm.wav`, `stop.wav`, `why.wav` and `go-on.wav`: 24 kHz mono, 16 bits. Words come from the voice
with its random variation off, so that the same packages give the same files.
"""

from __future__ import annotations

import sys
import wave
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import soxr

from app.clinician import sounds
from app.clinician.speech import Speaker, speaker
from tts_queue.engines.piper import PiperVoice
from tts_queue.model import SAMPLE_RATE_HZ, Pcm, Prosody

RATE_HZ: Final = 24_000
WHO: Final = Speaker(2.0, 0.95)  # not the voice that reads: the page plays both
# "Stop" is said twice: a page on a busy machine skips some sound, and half of one short word is another word.
WORDS: Final[Mapping[str, str]] = {"stop": "Stop, stop.", "why": "Why?", "go-on": "Go on."}
_EDGE: Final = SAMPLE_RATE_HZ // 20  # silence before and after: a first sound at sample 0 clicks
_VOICE_DBFS: Final = -20.0


def chips() -> dict[str, Pcm]:
    """Return the four sounds by name, at 48 kHz. Loads the voice."""
    made = steadily(WORDS.values(), WHO)
    return {
        "mm-hm": sounds.mm_hm(),
        **{name: sounds.at_level(made[text], _VOICE_DBFS) for name, text in WORDS.items()},
    }


def steadily(texts: Iterable[str], who: Speaker) -> dict[str, Pcm]:
    """Return each text as `who` says it, at 48 kHz, with the same samples each time. Loads the voice."""
    voice = PiperVoice(steady=True)
    return {text: speaker(voice.say(text, Prosody()).pcm, who.semitones, who.rate) for text in texts}


def write(folder: Path, made: Mapping[str, Pcm]) -> None:
    """Write one WAV file for each sound."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, pcm in made.items():
        padded = np.pad(pcm, _EDGE)
        small = soxr.resample(padded, SAMPLE_RATE_HZ, RATE_HZ)
        with wave.open(str(folder / f"{name}.wav"), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(RATE_HZ)
            file.writeframes(np.asarray(small, dtype="<i2").tobytes())


def main(arguments: Sequence[str]) -> int:
    """Write the chips into the folder that is named."""
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m app.clinician.chips FOLDER\n")
        return 2
    write(Path(arguments[0]), chips())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
