"""What the bench's clinician lets be heard: each sound in several renderings, 48 kHz mono."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.clinician import sounds
from app.clinician.speech import SPEAKERS, Speaker, phrases
from lab.bench.talking import Sound

Pcm = NDArray[np.int16]

VOICE_DBFS: Final = -23.0  # as the hums
WHO: Final = (*SPEAKERS, Speaker(1.5, 0.85), Speaker(-1.0, 1.25))
WORDS: Final = {Sound.STOP: "Stop, hold on.", Sound.OKAY: "Okay."}


async def renderings(engines: Path) -> dict[Sound, tuple[Pcm, ...]]:
    """Return every sound, each in six renderings or more. Raises: VoiceUnavailable."""
    spoken = {sound: await said_by_all(engines, text) for sound, text in WORDS.items()}
    return {
        **spoken,
        Sound.HUM: tuple(sounds.mm_hm(variant) for variant in range(len(sounds.HUMS))),
        Sound.SHORT_COUGH: tuple(sounds.cough(0.1, seed=seed) for seed in range(6)),
        Sound.COUGH: tuple(sounds.cough(0.35, seed=seed) for seed in range(6)),
        Sound.AHH: tuple(sounds.ahh(0.8, pitch_hz=95.0 + 25.0 * k, seed=k) for k in range(6)),
    }


async def said_by_all(engines: Path, text: str) -> tuple[Pcm, ...]:
    """Return `text` as each of `WHO` says it. Raises: VoiceUnavailable."""
    return tuple([(await asked(engines, [text], who))[text] for who in WHO])


async def asked(engines: Path, texts: Iterable[str], who: Speaker) -> Mapping[str, Pcm]:
    """Return each text as `who` says it, as loud as people are. Raises: VoiceUnavailable."""
    made = await phrases(engines, texts, who)
    return {text: sounds.at_level(pcm, VOICE_DBFS) for text, pcm in made.items()}
