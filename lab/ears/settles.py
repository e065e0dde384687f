"""When a question's text is settled, counted from its last sound: `python -m lab.ears.settles [EVERY]`.

The six questions of `exaim bench --only asking` by its six speakers, without a room; with EVERY each so many of them.
The detector's windows are real, and a recogniser takes as long as the processor time that it used: so other
work on the machine moves the figures less than those of a room. To each comes the way up and down, the answer and its
first sound: some 150 ms (docs/decisions/118-a-session-that-costs-less.md). Before: the second recogniser was asked of
every question here; now: of those that were not made out.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import soxr

from app.clinician.speech import speaker
from lab.bench.asking import QUESTIONS
from lab.bench.sounds import WHO
from lab.ears.ends import own_part
from lab.ears.matrix import ROOM_DBFS, SPOKEN_DBFS
from lab.ears.score import case_words
from lab.ears.voices import RATE_HZ, Sound, at_level, tight, to_int16
from realtime.ears import WINDOW, EarsConfig
from realtime.ears.detector import DetectorState, EndedTurn, hear
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.engines.whisper import WhisperEars, packaged_whisper
from realtime.ears.hints import hints
from realtime.ears.model import WINDOW_S
from realtime.ears.silero import SileroVad
from realtime.interruption import ending_of, is_made_out, understood, whole_commands
from tts_queue import SAMPLE_RATE_HZ, Prosody
from tts_queue.engines.piper import PiperVoice

LEAD_S: Final = 0.6
TAIL_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class Settled:
    """One question. Seconds from its last sound: its silence was long enough; its text could be taken."""

    text: str
    made_out: bool
    silence_s: float
    first_s: float  # the recognisers' own time
    second_s: float
    before_s: float
    now_s: float


def renderings(every: int) -> Iterator[Sound]:
    """Yield the questions at 16 kHz, as a room gives them."""
    voice, rng = PiperVoice(steady=True), np.random.default_rng(118)
    said = [(text, who) for text in QUESTIONS for who in WHO][::every]
    for text, who in said:
        pcm = speaker(voice.say(text, Prosody()).pcm, who.semitones, who.rate).astype(np.float32)
        clip = at_level(tight(to_int16(soxr.resample(pcm, SAMPLE_RATE_HZ, RATE_HZ))), SPOKEN_DBFS)
        room = (
            rng.normal(size=len(clip) + round((LEAD_S + TAIL_S) * RATE_HZ)) * 10 ** (ROOM_DBFS / 20) * 32768
        )
        start = round(LEAD_S * RATE_HZ)
        room[start : start + len(clip)] += clip
        yield to_int16(room)


class Listening:
    """The detector and both recognisers."""

    def __init__(self) -> None:
        self._vad, self._first = SileroVad(), MoonshineEars()
        self._second = WhisperEars(packaged_whisper(), whole_commands(), understood)
        self._words, self._config = case_words(), EarsConfig()

    def settle(self, sound: Sound) -> Settled | None:
        """Return when a question is settled; None: it was no turn, or was asked about more than once."""
        self._vad.reset()
        last_s, now = len(sound) / RATE_HZ - TAIL_S, DetectorState()
        asked_s = first_s = 0.0
        text, pcm = "", sound[:0]
        for number in range(len(sound) // WINDOW):
            at_s = number * WINDOW_S
            probability = self._vad.probability(sound[number * WINDOW : (number + 1) * WINDOW])
            if asked_s and at_s + WINDOW_S >= asked_s + first_s and now.silent:
                now = replace(now, ending=ending_of(text, self._words))
            now, change = hear(now, probability, at_s, self._config)
            if now.silent == 0:
                asked_s = 0.0  # a breath: what was asked is dropped
            elif not asked_s and now.lulls(self._config):
                asked_s = at_s + WINDOW_S
                pcm = own_part(sound, now.began_s, now.voiced_until_s)
                text, first_s = self._timed_first(pcm)
            if isinstance(change, EndedTurn) and not change.noise:
                return self._settled(text, pcm, at_s + WINDOW_S - last_s, asked_s - last_s, first_s)
        return None

    def _settled(self, text: str, pcm: Sound, silence_s: float, asked_s: float, first_s: float) -> Settled:
        made_out = is_made_out(text, self._words)
        began_s = time.process_time()
        self._second.transcribe(pcm, hints(self._words))
        second_s = min(time.process_time() - began_s, self._config.second_s)
        with_first, with_both = (
            max(silence_s, asked_s + first_s),
            max(silence_s, asked_s + first_s + second_s),
        )
        now_s = with_first if made_out else with_both
        return Settled(text, made_out, silence_s, first_s, second_s, with_both, now_s)

    def _timed_first(self, pcm: Sound) -> tuple[str, float]:
        began_s = time.process_time()
        return self._first.transcribe(pcm), time.process_time() - began_s


def main(every: int) -> None:
    """Ask, and print each question and the medians."""
    listening, found = Listening(), list[Settled]()
    for sound in renderings(every):
        settled = listening.settle(sound)
        if settled is not None:
            found.append(settled)
            sys.stdout.write(f"{settled}\n")
            sys.stdout.flush()
    for name in ("silence_s", "first_s", "second_s", "before_s", "now_s"):
        times = sorted(1000 * getattr(each, name) for each in found)
        p95 = times[round(0.95 * (len(times) - 1))]
        sys.stdout.write(f"{name[:-2]}: p50 {statistics.median(times):.0f}, p95 {p95:.0f} ms\n")
    sys.stdout.write(f"made out: {sum(each.made_out for each in found)} of {len(found)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
