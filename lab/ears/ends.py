"""When turns end: whole phrases, and phrases with a pause inside: `python -m lab.ears.ends [PART [EVERY]]`.

Voices and phrasings of a part (develop), or each EVERYth phrasing of it, in a quiet room. A phrase of four words or
more is cut at two seeded places, its halves are said one after the other, so much apart. The recogniser's text counts
from 0.16 s after the pause; there is no second recogniser. `text` in place of a part: what is made of the texts alone.
"""

from __future__ import annotations

import os
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from lab.ears.matrix import PARTS, ROOM_DBFS, SPOKEN_DBFS, Part, Said, phrasings, who_says
from lab.ears.score import case_words
from lab.ears.voices import RATE_HZ, Sound, Speakers, at_level, tight, to_int16
from lab.yamlfile import read_yaml
from realtime.ears import WINDOW, EarsConfig, Ending
from realtime.ears.detector import Ended, Hearing, Paused, hear
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.near import own
from realtime.ears.silero import SileroVad
from realtime.interruption import ending_of

GAPS_S: Final = (0.45, 0.8)
LEAD_S: Final = 0.6
TAIL_S: Final = 1.6
CUTS: Final = 2
TEXT_AFTER: Final = 5  # windows from the pause: 75 ms and the engines' other work
_SPLIT: Final = Path(__file__).parent / "split.yaml"

Judge = Callable[[str], Ending]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sound, where its first half ends and its last word, and whose it is."""

    said: Said
    sound: Sound
    half_s: float  # 0: it has no pause
    gap_s: float
    until_s: float


def placed(said: Said, parts: Iterable[Sound], gap_s: float, seed: int) -> Spoken:
    """Return the parts so far apart, in a room."""
    first, *rest = parts
    gap = np.zeros(round(gap_s * RATE_HZ), np.int16)
    whole = np.concatenate([first, *(part for each in rest for part in (gap, each))])
    count = len(whole) + round((LEAD_S + TAIL_S) * RATE_HZ)
    room = np.random.default_rng(seed).normal(size=count) * 10 ** (ROOM_DBFS / 20) * 32768
    start = round(LEAD_S * RATE_HZ)
    room[start : start + len(whole)] += whole
    half_s = LEAD_S + len(first) / RATE_HZ if rest else 0.0
    return Spoken(said, to_int16(room), half_s, gap_s, LEAD_S + len(whole) / RATE_HZ)


def material(part: Part, every: int, speakers: Speakers) -> Iterable[Spoken]:
    """Render whole phrases, then halves."""
    raw, all_said, rng = read_yaml(_SPLIT)["parts"][part], phrasings(part), np.random.default_rng(58)
    speaks = [(voice, {each.text for each in theirs}) for voice, theirs in who_says(raw, all_said)]
    for at, said in enumerate(all_said):
        words = said.text.split()
        cuts = [int(at) for at in rng.permutation(np.arange(1, len(words)))[:CUTS]] if len(words) >= 4 else []
        for number, (voice, theirs) in enumerate(speaks):
            if at % every or said.text not in theirs:
                continue
            say = [at_level(tight(speakers.say(said.text, voice)), SPOKEN_DBFS)]
            yield placed(said, say, 0.0, number)
            for cut in cuts:
                halves = (" ".join(words[:cut]), " ".join(words[cut:]))
                say = [at_level(tight(speakers.say(each, voice)), SPOKEN_DBFS) for each in halves]
                for gap_s in GAPS_S:
                    yield placed(said, say, gap_s, number)


class Listening:
    """The detector and the recogniser on one sound after another; what was recognised is kept."""

    def __init__(self) -> None:
        self._vad, self._ears = SileroVad(), MoonshineEars()

    def probabilities(self, sound: Sound) -> list[float]:
        """Return the detector's, window by window."""
        self._vad.reset()
        windows = (sound[at : at + WINDOW] for at in range(0, len(sound) - WINDOW + 1, WINDOW))
        return [self._vad.probability(each) for each in windows]

    def text(self, sound: Sound, began_s: float, until_s: float) -> str:
        """Return what is heard there, as the ears would ask."""
        cut = sound[max(0, round((began_s - 0.3) * RATE_HZ)) : round(until_s * RATE_HZ)]
        first, last = own(cut)
        return self._ears.transcribe(cut[first:last])


def ends(spoken: Spoken, heard: dict[float, str], probabilities: list[float], judge: Judge) -> list[float]:
    """Return when turns end, by `judge` of what was heard at each pause."""
    config, now, found = EarsConfig(), Hearing(), list[float]()
    due = -1
    for number, probability in enumerate(probabilities):
        now, change = hear(now, probability, number * WINDOW / RATE_HZ, config)
        if isinstance(change, Paused):
            due = number + TEXT_AFTER
        if number == due and now.silent:
            now = replace(now, ending=judge(heard.get(now.voiced_until_s, "")))
        if isinstance(change, Ended) and not change.noise:
            found.append((number + 1) * WINDOW / RATE_HZ)
    return found


def pauses(spoken: Spoken, listening: Listening, probabilities: list[float]) -> dict[float, str]:
    """Return what is heard at each pause, by when the voice ended; after the one that was made, nothing matters."""
    config, now, found = EarsConfig(), Hearing(), dict[float, str]()
    for number, probability in enumerate(probabilities):
        now, change = hear(now, probability, number * WINDOW / RATE_HZ, config)
        if isinstance(change, Paused) and (not spoken.half_s or change.at_s < spoken.half_s + spoken.gap_s):
            found[change.at_s] = listening.text(spoken.sound, now.began_s, change.at_s)
    return found


def by_text() -> None:
    """Print what is made of the texts as they are said, whole and cut at every place: no sound is needed."""
    words = case_words()
    parts: tuple[Part, ...] = ("tune", "develop")
    for name in parts:
        texts = [said.text.split() for said in phrasings(name)]
        halves = [" ".join(each[:cut]) for each in texts if len(each) >= 4 for cut in range(1, len(each))]
        for kind, found in (("whole", [" ".join(each) for each in texts]), ("halves", halves)):
            counts = Counter(ending_of(each, words) for each in found)
            sys.stdout.write(f"{name}, {kind}: {dict(counts)} of {len(found)}\n")


def main(part: Part, every: int) -> None:
    """Print the tables."""
    listening, words = Listening(), case_words()
    ways: dict[str, Judge] = {"silence": lambda _: "open", "words": lambda text: ending_of(text, words)}
    early: dict[tuple[str, float], list[bool]] = {}
    late: dict[tuple[str, str], list[float]] = {}
    for spoken in material(part, every, Speakers()):
        probabilities = listening.probabilities(spoken.sound)
        heard = pauses(spoken, listening, probabilities)
        for name, judge in ways.items():
            found = ends(spoken, heard, probabilities, judge)
            if spoken.half_s:
                inside = any(each < spoken.half_s + spoken.gap_s + 0.1 for each in found)
                early.setdefault((name, spoken.gap_s), []).append(inside)
            elif found:
                family = {"question": "questions", "stop": "commands", "command": "commands"}.get(
                    spoken.said.family, "all else"
                )
                late.setdefault((name, family), []).append(found[-1] - spoken.until_s)
    for (name, gap_s), each in early.items():
        sys.stdout.write(f"{name}: a pause of {gap_s} s ends {sum(each)} of {len(each)}\n")
    for (name, family), times in late.items():
        middle, most = statistics.median(times), statistics.quantiles(times, n=20)[-1]
        mean = statistics.mean(times)
        told = f"p50 {middle * 1000:.0f}, p95 {most * 1000:.0f}, mean {mean * 1000:.0f}"
        sys.stdout.write(f"{name}: {family} end after {told} ms (n = {len(times)})\n")


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else "develop"
    if chosen == "text":
        by_text()
    elif chosen in PARTS:
        main(chosen, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    else:
        sys.exit(f"which part: {', '.join(PARTS)}, text?")
    sys.stdout.flush()
    os._exit(0)
