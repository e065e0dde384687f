"""What becomes of our own voice in the clinician's microphone, and of words said over it: `python -m lab.ears.echo`.

Our voice leaks back through a loudspeaker and a room, later than it was sent; develop voices speak over it.
Each is heard as it comes, and after the echo canceller. No room of LiveKit's is needed.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from lab.ears.acoustics import cancelled, leaked, our_voice, response
from lab.ears.matrix import ROOM_DBFS, SPOKEN_DBFS, part_of_split, phrasings
from lab.ears.voices import RATE_HZ, Sound, Speakers, at_level, tight, to_int16
from realtime.ears import WINDOW, EarsConfig, Vad
from realtime.ears.detector import Began, DetectorState, hear
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.silero import SileroVad
from realtime.interruption import words_of

ALONE_S: Final = 120.0
DELAYS_S: Final = (0.06, 0.25, 0.45, 0.6)
LEAKS_DB: Final = (-10.0, -20.0)  # below the clinician's voice
EVERY_S: Final = 4.0  # a phrase is said over our voice
FIRST_S: Final = 6.0  # of our voice before the first
EACH_NTH: Final = 5  # of the develop phrasings
IN_TIME_S: Final = 0.3
EARLY_S: Final = (0.2, 0.6, 2.0, 5.0)  # of our first words before somebody talks over them
EARLY: Final = ("Stop, hold on.", "Stop.", "Wait.")


@dataclass(frozen=True, slots=True)
class Clip:
    """A phrase over our voice: where it is, and its text."""

    at: int
    pcm: Sound
    text: str


def clips(speakers: Speakers) -> list[Clip]:
    """Return what develop voices say over it."""
    voices = part_of_split("develop")["voices"]
    chosen = phrasings("develop")[::EACH_NTH]
    pairs = [(each, voice) for each in chosen for voice in voices]
    return [
        Clip(
            round((FIRST_S + number * EVERY_S) * RATE_HZ),
            at_level(tight(speakers.say(each.text, voice)), SPOKEN_DBFS),
            each.text,
        )
        for number, (each, voice) in enumerate(pairs)
    ]


def heard_by_microphone(ours: Sound, said: Sequence[Clip], leak_db: float | None, delay_s: float) -> Sound:
    """Return our leaking voice, who speaks over it, and the room's own noise."""
    sound = np.random.default_rng(1).normal(size=len(ours)) * 10 ** (ROOM_DBFS / 20) * 32768
    if leak_db is not None:
        sound += leaked(ours, response(3), delay_s=delay_s, dbfs=SPOKEN_DBFS + leak_db)
    for clip in said:
        sound[clip.at : clip.at + len(clip.pcm)] += clip.pcm
    return to_int16(sound)


def begins(vad: Vad, sound: Sound) -> tuple[list[float], float]:
    """Return when a voice began, and in which share of the windows there was one."""
    vad.reset()
    config, now, found, voiced = EarsConfig(), DetectorState(), list[float](), 0
    count = len(sound) // WINDOW
    for number in range(count):
        probability = vad.probability(sound[number * WINDOW : (number + 1) * WINDOW])
        voiced += probability >= config.begin_at
        now, change = hear(now, probability, number * WINDOW / RATE_HZ, config)
        if isinstance(change, Began):
            found.append(change.at_s)
    return found, voiced / count


def word_errors(said: str, heard: str) -> int:
    """Return how many words were put in, left out or changed."""
    wanted, found = words_of(said), words_of(heard)
    row = list(range(len(found) + 1))
    for number, word in enumerate(wanted, start=1):
        before, row[0] = row[0], number
        for at, other in enumerate(found, start=1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (word != other))
    return row[-1]


def spoken_over(sound: Sound, said: Sequence[Clip], vad: Vad, ears: MoonshineEars) -> str:
    """Return the word errors of all clips, and how soon a voice began in each."""
    before, after = round(0.3 * RATE_HZ), round(0.35 * RATE_HZ)
    began, _ = begins(vad, sound)
    errors = words = 0
    late: list[float] = []
    for clip in said:
        at_s = clip.at / RATE_HZ
        errors += word_errors(
            clip.text, ears.transcribe(sound[clip.at - before : clip.at + len(clip.pcm) + after])
        )
        words += len(words_of(clip.text))
        late += [each - at_s for each in began if -0.1 <= each - at_s <= len(clip.pcm) / RATE_HZ][:1]
    in_time = sum(each <= IN_TIME_S for each in late)
    return f"{100 * errors / words:.1f} % ({errors} of {words}) | {in_time} of {len(said)}"


def over_first_words(speakers: Speakers, ours: Sound, vad: Vad, after_s: float) -> str:
    """Return how many of `EARLY` were heard, by a canceller that has met no echo yet (a headset)."""
    voices = part_of_split("develop")["voices"]
    late: list[float] = []
    for text in EARLY:
        for voice in voices:
            said = at_level(tight(speakers.say(text, voice)), SPOKEN_DBFS)
            spoken = ours[: round((after_s + 3.0) * RATE_HZ)]
            clip = Clip(round(after_s * RATE_HZ), said, text)
            began, _ = begins(vad, cancelled(heard_by_microphone(spoken, (clip,), None, 0.0), spoken))
            late += [each - after_s for each in began if each >= after_s - 0.1][:1]
    count = len(EARLY) * len(voices)
    return f"{sum(each <= IN_TIME_S for each in late)} of {count} | {len(late)} of {count}"


def main() -> None:
    """Print the three tables."""
    speakers, vad, ears = Speakers(), SileroVad(), MoonshineEars()
    voice = our_voice(speakers)
    alone = np.resize(voice, round(ALONE_S * RATE_HZ))
    out = sys.stdout
    out.write(
        "| our voice alone, 2 min | delay | begins / voiced before | after | CPU of a core |\n|---|---|---|---|---|\n"
    )
    for leak_db in LEAKS_DB:
        for delay_s in DELAYS_S:
            microphone = heard_by_microphone(alone, (), leak_db, delay_s)
            began_s = time.process_time()
            clean = cancelled(microphone, alone)
            took_s = time.process_time() - began_s
            cells = [
                f"{len(found)} / {share:.0%}"
                for found, share in (begins(vad, microphone), begins(vad, clean))
            ]
            out.write(f"| {leak_db:.0f} dB | {delay_s} s | {' | '.join(cells)} | {took_s / ALONE_S:.2%} |\n")
            out.flush()
    said = clips(speakers)
    ours = np.resize(voice, round((FIRST_S + len(said) * EVERY_S) * RATE_HZ))
    out.write("\n| spoken over our voice | word errors | began within 0.3 s |\n|---|---|---|\n")
    for name, sounds, leak in (
        ("none sounds", False, None),
        ("no leak", True, None),
        ("-20 dB", True, -20.0),
        ("-10 dB", True, -10.0),
    ):
        microphone = heard_by_microphone(ours, said, leak, 0.25)
        clean = cancelled(microphone, ours if sounds else np.zeros_like(ours))
        out.write(f"| {name}, before | {spoken_over(microphone, said, vad, ears)} |\n")
        out.write(f"| {name}, after | {spoken_over(clean, said, vad, ears)} |\n")
        out.flush()
    out.write("\n| said over our first words, after | begun within 0.3 s | ever |\n|---|---|---|\n")
    for after_s in EARLY_S:
        out.write(f"| {after_s} s | {over_first_words(speakers, ours, vad, after_s)} |\n")
        out.flush()


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # the SDK's threads have nothing to finish
