"""The vote on short turns: how unlike words sound, and which of the three witnesses is believed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from realtime.ears.engines.closed_words import NOTHING, ClosedWords, distance, written
from realtime.ears.engines.moonshine import MoonshineEars
from tests.ears.material import Sound, at_snr, hums, level, spoken


@pytest.fixture(scope="module")
def closed() -> Iterator[ClosedWords]:
    yield ClosedWords()


@pytest.fixture(scope="module")
def recogniser() -> Iterator[MoonshineEars]:
    yield MoonshineEars()


def turn(text: str, speed: float = 1.0, speaker: float = 1.0) -> Sound:
    """Return a turn as the ears cut it: a quarter second before, next to nothing behind."""
    return at_snr(level(spoken(text, speed, speaker), -22), 40, lead_s=0.25, tail_s=0.06)


def phones(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def test_distance_is_none_for_the_same_little_for_neighbours_and_much_for_others() -> None:
    stop, star, boss, pause = phones("S T AA P"), phones("S T AA R"), phones("B AO S"), phones("P AO Z")
    assert distance(stop, stop) == 0.0
    assert distance(boss, pause) < 0.2
    assert distance(stop, star) == distance(star, stop) == 0.25
    assert distance(stop, phones("OW K EY")) > 0.6


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Stop.", "stop"),
        ("No, no, no!", "no"),
        ("OK.", "okay"),
        ("Mm-hmm,", "mm-hm"),
        ("Acknowledge.", "acknowledged"),
        ("Stop, hold on.", None),
        ("Should we stop the heparin?", None),
        ("", None),
    ],
)
def test_a_text_is_a_closed_word_only_as_a_whole(text: str, word: str | None) -> None:
    assert written(text) == word


def test_a_text_that_is_a_closed_word_is_believed_without_the_sound(closed: ClosedWords) -> None:
    assert closed.vote(np.zeros(8000, np.int16), "Okay.") == ("okay", 0.9)


def test_a_hum_that_is_written_no_is_a_hum_and_a_spoken_no_stays_one(closed: ClosedWords) -> None:
    hum = at_snr(dict(hums())["mm-hm"], 40, lead_s=0.25, tail_s=0.06)
    for text in ("No.", "No, no."):
        assert closed.vote(hum, text) == ("mm-hm", 0.8)
        for speaker in (0.86, 1.0, 1.18):
            for speed in (0.85, 1.0, 1.25):
                assert closed.vote(turn(text, speed, speaker), text) == ("no", 0.9), (text, speed, speaker)


def test_a_misheard_word_is_found_by_its_sound_and_its_phonemes(closed: ClosedWords) -> None:
    assert closed.vote(turn("Skip."), "Let's get.") == ("skip", 0.8)
    assert closed.vote(turn("Pause."), "Oz.") == ("pause", 0.8)


def test_a_text_that_sounds_the_same_as_a_closed_word_is_that_word(closed: ClosedWords) -> None:
    nothing = np.zeros(8000, np.int16)
    assert closed.vote(nothing, "Contain you.") == ("continue", 0.9)
    assert closed.vote(nothing, "Write.") == ("right", 0.9)


def test_a_neighbour_that_the_text_has_right_is_not_made_a_closed_word(closed: ClosedWords) -> None:
    for word in ("Candle.", "Star.", "Text.", "White."):
        vote = closed.vote(turn(word), word)
        assert vote.confidence < 0.5, (word, vote)


def test_a_sentence_or_a_text_like_no_closed_word_gets_no_vote(closed: ClosedWords) -> None:
    assert closed.vote(turn("Stop."), "What about the potassium then?") == NOTHING
    assert closed.vote(turn("Stop."), "Allergies.") == NOTHING


def test_a_sound_without_a_text_gets_a_weak_vote_at_most(closed: ClosedWords) -> None:
    rng = np.random.default_rng(0)
    for sound in (turn("Stop."), rng.normal(0, 800, 12_000).astype(np.int16), np.zeros(160, np.int16)):
        assert closed.vote(sound, "").confidence <= 0.2


def test_a_text_of_any_letters_breaks_no_grammar(closed: ClosedWords) -> None:
    for text in ("很", "x | <y> ;", "o'clock", "'tis", "e-mail!", "zzyzx", "(pause)"):
        closed.vote(turn("Pause."), text)


def test_clear_words_and_hums_come_through_recogniser_and_vote(
    closed: ClosedWords, recogniser: MoonshineEars
) -> None:
    for word in ("stop", "wait", "hold on", "next", "go on", "okay", "yes", "no", "why"):
        sound = turn(f"{word.capitalize()}.", speaker=0.86)
        assert closed.vote(sound, recogniser.transcribe(sound)) == (word, 0.9)
    for name, sound in hums()[:2]:
        heard = at_snr(sound, 40, lead_s=0.25, tail_s=0.06)
        assert closed.vote(heard, recogniser.transcribe(heard)).word == name


def test_sounds_without_words_have_no_text(recogniser: MoonshineEars) -> None:
    assert recogniser.transcribe(np.zeros(160, np.int16)) == ""
    assert recogniser.transcribe(np.zeros(8000, np.int16)) == ""
    assert recogniser.transcribe(np.zeros(0, np.int16)) == ""
