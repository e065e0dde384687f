"""What the bench makes of sounds, words and key points: arithmetic only, no figure is asserted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from lab.bench.lines import line
from lab.bench.loudness import FRAME_S, Loudness, Missed, Word, gap_at, gaps, missed, sound_after
from lab.bench.reading import Point, told
from lab.bench.talking import HUMS, NOISES, Event, Line, Sound, Taken, apart, outcome, together
from lab.demo.microphone import Said
from tts_queue.ear import segments


def heard(*stretches: tuple[float, bool]) -> Loudness:
    """Return stretches of so many seconds, loud or not, whose frames arrive as they sound."""
    loud = np.concatenate([np.full(round(seconds / FRAME_S), sounds) for seconds, sounds in stretches])
    return Loudness(loud, (np.arange(loud.size) * FRAME_S).astype(np.float64))


SPOKEN = heard((1.0, False), (2.0, True), (0.1, False), (1.0, True), (0.8, False), (1.0, True), (2.0, False))


def test_silences_are_found_between_sounds_and_at_the_end_but_not_before_the_first() -> None:
    found = gaps(SPOKEN, 0.0, 7.9, 0.25)
    assert [(round(gap.from_s, 2), gap.to_s and round(gap.to_s, 2)) for gap in found] == [
        (4.09, 4.9),
        (5.89, None),
    ]
    assert len(gaps(SPOKEN, 0.0, 7.9, 0.1)) == 3


def test_the_silence_that_a_sound_made_ends_after_its_first_and_begins_before_its_last() -> None:
    made = gap_at(SPOKEN, 1.0, 3.8, 4.2, 5.5, 0.25)
    assert made is not None
    assert (made.from_s, made.to_s) == pytest.approx((4.09, 4.9))
    assert gap_at(SPOKEN, 1.0, 2.0, 2.4, 3.9, 0.25) is None
    late = gap_at(SPOKEN, 1.0, 5.2, 7.0, 7.9, 1.0)
    assert late is not None
    assert late.to_s is None


def test_the_next_sound_is_the_first_frame_that_is_loud() -> None:
    assert sound_after(SPOKEN, 4.2, 7.9) == pytest.approx(4.9)
    assert sound_after(SPOKEN, 6.0, 7.9) is None


def words(first: int, start: int, count: int) -> list[Word]:
    return [Word(first + k, start + 100 * k, start + 100 * (k + 1)) for k in range(count)]


@pytest.mark.parametrize(
    ("stretches", "cut", "lost", "again"),
    [
        ([words(0, 0, 5), words(5, 500, 5), words(7, 2000, 3)], 750, (), ()),  # the broken word again
        ([words(0, 0, 5), words(5, 500, 5), words(8, 2000, 2)], 750, (7,), ()),  # the broken word lost
        ([words(0, 0, 5), words(5, 500, 5), words(6, 2000, 4)], 750, (), (6,)),  # one word twice
        ([words(0, 0, 5), words(5, 2000, 5)], 500, (), ()),  # between two stretches
        ([words(0, 0, 5), words(5, 500, 5)], 750, (7, 8, 9), ()),  # never gone on with
        ([words(0, 0, 5), words(5, 500, 5), words(8, 2000, 2)], 795, (), ()),  # all but its dying sound
    ],
)
def test_words_are_lost_if_no_whole_was_heard(
    stretches: Sequence[Sequence[Word]], cut: int, lost: tuple[int, ...], again: tuple[int, ...]
) -> None:
    assert missed(stretches, cut, of=10) == Missed(lost, again)


def test_the_plan_holds_what_it_promises_and_leaves_noises_apart() -> None:
    for plan in (together(30), apart(30)):
        sounds = [cue.sound for cues in plan for cue in cues]
        assert sounds.count(Sound.STOP) == 30
        assert sum(sound in HUMS for sound in sounds) == sum(sound in NOISES for sound in sounds) == 30
        assert sum(cue.at_s < 1.0 for cues in plan for cue in cues if cue.sound is Sound.STOP) == 10
    for cues in together(30):
        assert all(b.at_s - a.at_s > 2.5 for a, b in pairwise(cues))
        assert sum(cue.sound in NOISES for cue in cues) <= 1
    assert all(len(cues) == 1 for cues in apart(30))


def test_no_line_comes_twice_or_holds_a_sentence_end_inside() -> None:
    lines = [line(number) for number in range(100)]
    assert len(set(lines)) == 100
    assert not any(mark in text[:-1] for text in lines for mark in ".;:!?")
    assert all(sum(len(segment.tokens) for segment in segments(text)) == len(text.split()) for text in lines)


class Spoke:
    """A voice that spoke ten words, and takes turns for one thing."""

    def __init__(self, effect: str | None, *stretches: Sequence[Word]) -> None:
        self._effect, self._stretches = effect, stretches

    async def begin(self, number: int) -> Line:
        raise NotImplementedError

    async def quieten(self) -> None:
        raise NotImplementedError

    def missed(self, line: Line, cut: int, *, went_on: bool) -> Missed:
        return missed(self._stretches, cut, line.words)

    def taken(self, since_s: float, until_s: float) -> Taken | None:
        return Taken("", self._effect, "") if self._effect else None


def event(sound: Sound, first_s: float, last_s: float, until_s: float) -> Event:
    return Event(sound, 0, Line("x", 10), 1.0, Said(first_s, last_s), until_s)


MEANT = {Sound.STOP: frozenset({"quiet"}), Sound.HUM: frozenset({"go_on"})}


def test_a_hum_is_judged_by_when_speech_goes_on_and_what_it_cost() -> None:
    at = [Word(k, 48_000 + 38_400 * k, 48_000 + 38_400 * (k + 1)) for k in range(10)]
    came = outcome(event(Sound.HUM, 3.9, 4.4, 5.5), SPOKEN, Spoke("go_on", at), MEANT)
    assert came.took_s == pytest.approx(0.5)
    assert came.as_meant and came.under_way
    other = outcome(event(Sound.HUM, 3.9, 4.4, 5.5), SPOKEN, Spoke("quiet", at), MEANT)
    assert not other.as_meant
    never = outcome(event(Sound.HUM, 5.2, 5.7, 7.9), SPOKEN, Spoke(None, at), MEANT)
    assert not never.as_meant
    assert never.took_s == pytest.approx(2.2)
    assert never.lost == 10 - 6


def test_a_stop_is_judged_by_its_silence_and_one_over_nothing_is_told() -> None:
    stopped = outcome(event(Sound.STOP, 5.6, 6.9, 7.9), SPOKEN, Spoke("quiet"), MEANT)
    assert stopped.as_meant
    assert stopped.took_s == pytest.approx(0.29)
    went_on = outcome(event(Sound.STOP, 3.9, 4.4, 5.5), SPOKEN, Spoke("quiet"), MEANT)
    assert not went_on.as_meant
    assert went_on.took_s == pytest.approx(1.6)
    assert not outcome(event(Sound.STOP, 7.2, 7.4, 7.9), SPOKEN, Spoke("quiet"), MEANT).under_way


def test_a_point_is_told_by_one_text_that_holds_all_its_terms_and_not_before_it_was_said() -> None:
    point = Point("k1", 10.0, (("potassium",), ("6.9", "six point nine")))
    assert told([point], [(10.0, "Potassium is six point nine.")]) == ("k1",)
    assert told([point], [(10.0, "Potassium."), (11.0, "It is 6.9.")]) == ()
    assert told([point], [(9.0, "Potassium 6.9.")]) == ()
