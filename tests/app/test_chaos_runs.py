"""Stretches of sound, and how long a fault was heard."""

from __future__ import annotations

import pytest

from lab.chaos.recovery import first_word_s, silence_s
from lab.chaos.runs import Run, RunTeller, merged, overlap_s, without


def tell(levels: str) -> list[Run]:
    """Frames of 10 ms, # loud and . quiet."""
    teller, found = RunTeller(), []
    for number, level in enumerate(levels):
        found.append(teller.frame(number / 100, loud=level == "#"))
    found.append(teller.end())
    return [run for run in found if run is not None]


def test_sound_with_short_pauses_is_one_stretch() -> None:
    assert tell("..####.......###" + "." * 30) == [Run(0.02, 0.15)]


def test_a_long_silence_parts_two_stretches() -> None:
    assert tell("###" + "." * 30 + "##") == [Run(0.0, 0.02), Run(0.33, 0.34)]


def test_a_long_stretch_is_told_in_parts_that_join() -> None:
    told = tell("#" * 180)
    assert len(told) > 2
    assert merged(told) == [Run(0.0, 1.79)]


def test_two_tracks_overlap_for_as_long_as_both_sound() -> None:
    assert overlap_s([Run(0, 1), Run(2, 4)], [Run(0.5, 2.5), Run(3.9, 5)]) == pytest.approx(1.1)
    assert overlap_s([Run(0, 1)], [Run(1, 2)]) == 0.0


def test_what_is_not_covered_is_left() -> None:
    assert without(Run(0, 10), [Run(-1, 1), Run(3, 4), Run(9, 20)]) == [Run(1, 3), Run(4, 9)]
    assert without(Run(0, 1), [Run(-5, 5)]) == []


# --- how long a fault at 10 s was heard


def test_speech_that_breaks_off_and_comes_again_is_counted_from_the_fault() -> None:
    assert silence_s([Run(8, 10.2), Run(15, 18)], 10.0, None, 20.0) == 5.0


def test_sound_that_was_made_already_goes_on_before_the_silence() -> None:
    assert silence_s([Run(8, 12.5), Run(14, 18)], 10.0, None, 20.0) == 4.0


def test_speech_that_goes_on_was_not_hurt() -> None:
    assert silence_s([Run(8, 9.8), Run(10.3, 16)], 10.0, None, 20.0) == 0.0


def test_the_pause_after_an_utterance_that_came_to_its_end_is_not_the_faults() -> None:
    assert silence_s([Run(8, 11.5), Run(14, 18)], 10.0, 11.7, 20.0) == 0.0


def test_speech_that_never_comes_again_is_told() -> None:
    assert silence_s([Run(8, 10.2)], 10.0, None, 40.0) is None


def test_who_is_back_hears_its_first_word_after_its_return() -> None:
    assert first_word_s([Run(10.7, 12.0)], 10.0) == pytest.approx(0.7)
    assert first_word_s([Run(9.0, 12.0)], 10.0) == 0.0
    assert first_word_s([Run(10.1, 10.11)], 10.0) is None


def test_a_tone_is_no_word_and_a_clause_is_though_the_tone_runs_into_it() -> None:
    assert first_word_s([Run(10.2, 10.5)], 10.0) is None
    assert first_word_s([Run(10.2, 10.5), Run(11.0, 13.0)], 10.0) == pytest.approx(1.0)
    assert first_word_s([Run(10.2, 13.0)], 10.0, [9.0, 10.6]) == pytest.approx(0.6)


def test_a_clause_that_was_under_way_is_heard_before_the_next_one_begins() -> None:
    assert first_word_s([Run(10.3, 14.0)], 10.0, [12.5]) == pytest.approx(0.3)
