"""When turns end: whole phrases, and phrases with a pause inside.

    python -m lab.ears.ends [PART [EVERY [first]]]    hear a part (develop), or each EVERYth phrasing of it, and print
                                                      tables; `first`: by the first recogniser alone, in half the time
    python -m lab.ears.ends table PART    print them of what was heard: into out/ears/ends-PART.json
    python -m lab.ears.ends text          what is made of the texts alone

Voices and phrasings of a part, in a quiet room. A phrase of four words or more is cut at two seeded places, its halves
are said one after the other, so much apart. The first recogniser's text counts from 0.16 s after the pause, the
second's, where it is asked, 0.29 s later.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from agents.shares import wilson
from lab.ears.full_stop import FullStop
from lab.ears.hear import OUT
from lab.ears.matrix import PARTS, ROOM_DBFS, SPOKEN_DBFS, Part, Said, part_of_split, phrasings, who_says
from lab.ears.score import case_words, effect_of
from lab.ears.voices import RATE_HZ, Sound, Speakers, at_level, tight, to_int16
from realtime.ears import WINDOW, EarsConfig, Ending
from realtime.ears.detector import DetectorState, EndedTurn, Paused, hear
from realtime.ears.engines.moonshine import MoonshineEars
from realtime.ears.engines.whisper import WhisperEars, packaged_whisper
from realtime.ears.hints import hints
from realtime.ears.near import own
from realtime.ears.second import taken
from realtime.ears.silero import SileroVad
from realtime.interruption import ending_of, is_made_out, understood, whole_commands
from tts_queue import Recognised

GAPS_S: Final = (0.45, 0.8, 1.3)
LEAD_S: Final = 0.6
TAIL_S: Final = 2.0
CUTS: Final = 2
TEXT_AFTER: Final = 5  # windows from the pause: 75 ms and the engines' other work
SECOND_AFTER: Final = 9  # windows more: what it took at the median with both cores busy (042)

Judge = Callable[[str], Ending]


@dataclass(frozen=True, slots=True)
class Spoken:
    """A sound, where its first half ends and its last word, and whose it is."""

    said: Said
    sound: Sound
    half_s: float  # 0: it has no pause
    gap_s: float
    until_s: float


@dataclass(frozen=True, slots=True)
class Written:
    """What was written at a pause, which began then."""

    at_s: float
    ms: int  # of the turn so far
    first: str
    second: str | None  # None: it was not asked, or its text does not count
    stop: float | None = None  # how likely the second, asked of all, puts a full stop after its last word


@dataclass(frozen=True, slots=True)
class Row:
    """One sound, as it was heard."""

    text: str
    family: str
    want: Sequence[str]
    voice: str
    half_s: float
    gap_s: float
    until_s: float
    probabilities: Sequence[float]
    written: Sequence[Written]


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


def material(part: Part, every: int, speakers: Speakers) -> Iterator[tuple[str, list[Spoken]]]:
    """Render whole phrases, then halves, these once for each pause: of one voice, alike up to the pause."""
    raw, all_said, rng = part_of_split(part), phrasings(part), np.random.default_rng(58)
    speaks = [(voice, {each.text for each in theirs}) for voice, theirs in who_says(raw, all_said)]
    for at, said in enumerate(all_said):
        words = said.text.split()
        cuts = [int(at) for at in rng.permutation(np.arange(1, len(words)))[:CUTS]] if len(words) >= 4 else []
        for number, (voice, theirs) in enumerate(speaks):
            if at % every or said.text not in theirs:
                continue
            say = [at_level(tight(speakers.say(said.text, voice)), SPOKEN_DBFS)]
            yield voice["name"], [placed(said, say, 0.0, number)]
            for cut in cuts:
                halves = (" ".join(words[:cut]), " ".join(words[cut:]))
                say = [at_level(tight(speakers.say(each, voice)), SPOKEN_DBFS) for each in halves]
                yield voice["name"], [placed(said, say, gap_s, number) for gap_s in GAPS_S]


class Listening:
    """The detector and the recognisers on one sound after another."""

    def __init__(self, *, second: bool = False) -> None:
        self._vad, self._ears = SileroVad(), MoonshineEars()
        self._words = case_words()
        whole = (whole_commands(), understood)
        self._second = WhisperEars(packaged_whisper(), *whole) if second else None
        self._full_stop = FullStop() if second else None

    def probabilities(self, sound: Sound) -> list[float]:
        """Return the detector's, window by window."""
        self._vad.reset()
        windows = (sound[at : at + WINDOW] for at in range(0, len(sound) - WINDOW + 1, WINDOW))
        return [self._vad.probability(each) for each in windows]

    def text(self, sound: Sound, began_s: float, until_s: float) -> str:
        """Return what the first hears there, as the ears would ask."""
        return self.write(self.cut(sound, began_s, until_s))

    def cut(self, sound: Sound, began_s: float, until_s: float) -> Sound:
        """Return its speaker's own part of a turn."""
        return own_part(sound, began_s, until_s)

    def write(self, sound: Sound) -> str:
        """Return what the first hears in a sound."""
        return self._ears.transcribe(sound)

    def written(self, sound: Sound, began_s: float, until_s: float) -> Written:
        """Return what both write of it."""
        pcm, ms = own_part(sound, began_s, until_s), round((until_s - began_s) * 1000)
        text = self._ears.transcribe(pcm)
        stop = None if self._full_stop is None else round(self._full_stop.of(pcm)[1], 4)
        if self._second is None or not text or is_made_out(text, self._words):
            return Written(until_s, ms, text, None, stop)
        found = taken(Recognised(text, 1.0), self._second.transcribe(pcm, hints(self._words))).text
        return Written(until_s, ms, text, None if found == text else found, stop)


def own_part(sound: Sound, began_s: float, until_s: float) -> Sound:
    """Return its speaker's own part of a turn that began and was voiced until then (s)."""
    cut = sound[max(0, round((began_s - 0.3) * RATE_HZ)) : round(until_s * RATE_HZ)]
    first, last = own(cut)
    return cut[first:last]


def listen(part: Part, every: int, *, second: bool) -> list[Row]:
    """Hear a part, and keep what was heard."""
    listening, rows = Listening(second=second), list[Row]()
    OUT.mkdir(parents=True, exist_ok=True)
    for voice, alike in material(part, every, Speakers()):
        written: list[Written] | None = None
        for spoken in alike:
            probabilities = listening.probabilities(spoken.sound)
            written = pauses(spoken, listening, probabilities) if written is None else written
            said, rounded = spoken.said, [round(each, 4) for each in probabilities]
            rows.append(
                Row(
                    said.text, said.family, sorted(said.want), voice,
                    spoken.half_s, spoken.gap_s, spoken.until_s, rounded, written,
                )
            )  # fmt: skip
        if len(rows) % 20 == 0:
            _keep(part, rows)
    _keep(part, rows)
    return rows


def _keep(part: Part, rows: Sequence[Row]) -> None:
    _kept(part).write_text(json.dumps([asdict(row) for row in rows]), encoding="utf-8")


def heard(part: Part) -> list[Row]:
    """Return what was heard of a part."""
    raw: list[dict[str, Any]] = json.loads(_kept(part).read_text(encoding="utf-8"))
    return [Row(**row | {"written": [Written(**each) for each in row["written"]]}) for row in raw]


def _kept(part: Part) -> Path:
    return OUT / f"ends-{part}.json"


def pauses(spoken: Spoken, listening: Listening, probabilities: list[float]) -> list[Written]:
    """Return what is written at each pause; after the one that was made nothing matters."""
    config, now, found = EarsConfig(), DetectorState(), list[Written]()
    for number, probability in enumerate(probabilities):
        now, change = hear(now, probability, number * WINDOW / RATE_HZ, config)
        if isinstance(change, Paused) and (not spoken.half_s or change.at_s < spoken.half_s + spoken.gap_s):
            found.append(listening.written(spoken.sound, now.began_s, change.at_s))
    return found


@dataclass(frozen=True, slots=True)
class End:
    """When a turn ended, and what had been written of it."""

    at_s: float
    written: Written | None


def ends(row: Row, judge: Judge, *, second: bool) -> list[End]:
    """Return when turns end, by `judge` of what was written at each pause."""
    config, now, found = EarsConfig(), DetectorState(), list[End]()
    written = {each.at_s: each for each in row.written}
    due: dict[int, str] = {}
    for number, probability in enumerate(row.probabilities):
        now, change = hear(now, probability, number * WINDOW / RATE_HZ, config)
        if isinstance(change, Paused):
            due = _due(written.get(change.at_s), number, second=second)
        if number in due and now.silent:
            now = replace(now, ending=judge(due[number]))
        if isinstance(change, EndedTurn) and not change.noise:
            found.append(End((number + 1) * WINDOW / RATE_HZ, written.get(now.voiced_until_s)))
    return found


def _due(written: Written | None, number: int, *, second: bool) -> dict[int, str]:
    """Return which text is there from which window on, after a pause at window `number`."""
    if written is None:
        return {number + TEXT_AFTER: ""}
    due = {number + TEXT_AFTER: written.first}
    if second and written.second is not None:
        due[number + TEXT_AFTER + SECOND_AFTER] = written.second
    return due


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


def table(rows: Sequence[Row]) -> None:
    """Print how many turns a pause ends, and when whole ones end."""
    words = case_words()
    ways: dict[str, tuple[Judge, bool]] = {
        "silence": (lambda _: "open", False),
        "words": (lambda text: ending_of(text, words), False),
        "words, both recognisers": (lambda text: ending_of(text, words), True),
    }
    for name, (judge, second) in ways.items():
        for gap_s in GAPS_S:
            _tell_early(name, gap_s, [row for row in rows if row.gap_s == gap_s], judge, second=second)
    for name, (judge, second) in ways.items():
        _tell_late(name, [row for row in rows if not row.half_s], judge, second=second)


def _tell_early(name: str, gap_s: float, rows: Sequence[Row], judge: Judge, *, second: bool) -> None:
    early, right = 0, 0
    for row in rows:
        inside = [
            each for each in ends(row, judge, second=second) if each.at_s < row.half_s + row.gap_s + 0.1
        ]
        early += bool(inside)
        right += bool(inside) and all(_is_right(row, each, second=second) for each in inside)
    low, high = wilson(early, len(rows)) if rows else (0.0, 0.0)
    share = f"{early} of {len(rows)} ({100 * low:.1f}-{100 * high:.1f} %)"
    sys.stdout.write(f"{name}: a pause of {gap_s} s ends {share}; {right} of them had said it all by then\n")


def _is_right(row: Row, end: End, *, second: bool) -> bool:
    """Tell whether what was said before the pause alone has the effect that the whole one should have."""
    if end.written is None:
        return False
    text = end.written.second if second and end.written.second is not None else end.written.first
    return effect_of(text, None, 0.0, end.written.ms) in row.want


def _tell_late(name: str, rows: Sequence[Row], judge: Judge, *, second: bool) -> None:
    late: dict[str, list[float]] = {}
    for row in rows:
        found = ends(row, judge, second=second)
        if found:
            family = {"question": "questions", "stop": "stops", "command": "commands"}.get(
                row.family, "all else"
            )
            late.setdefault(family, []).append(found[-1].at_s - row.until_s)
    for family, times in late.items():
        if len(times) > 1:
            middle, most = statistics.median(times), statistics.quantiles(times, n=20)[-1]
            told = f"p50 {middle * 1000:.0f}, p95 {most * 1000:.0f}, mean {statistics.mean(times) * 1000:.0f}"
            sys.stdout.write(f"{name}: {family} end after {told} ms (n = {len(times)})\n")


def main(arguments: list[str]) -> None:
    """Hear a part, or print the tables of one that was heard."""
    match arguments:
        case ["text"]:
            by_text()
        case ["table", part] if part in PARTS:
            table(heard(part))
        case [] | [_] | [_, _] | [_, _, "first"] if not arguments or arguments[0] in PARTS:
            chosen: Part = next((each for each in PARTS if each in arguments[:1]), "develop")
            every = int(arguments[1]) if len(arguments) > 1 else 1
            table(listen(chosen, every, second="first" not in arguments))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
