"""Which stretches of the sent track were to be heard, when speech was held, gone on with, or never."""

from __future__ import annotations

import numpy as np

from lab.demo.account import Stretch
from lab.demo.runs import Run, joints, runs, to_be_heard
from tests.app.demo_scene import segment

WORD = 24_000  # samples, half a second
TEXT = ("Doctor", "One", "differs", "on", "this")


def words(*texts: str) -> tuple[tuple[str, int, int], ...]:
    return tuple((text, WORD * n, WORD * (n + 1)) for n, text in enumerate(texts))


def track(*spoken: tuple[int, int]) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Return 20 s of silence with sound from and to these samples."""
    sent = np.zeros(960_000, np.int16)
    for start, end in spoken:
        sent[start:end] = 900
    return sent


def of(sent: np.ndarray[tuple[int], np.dtype[np.int16]], *bodies: dict[str, object]) -> list[Run]:
    return runs(bodies, sent)


def test_an_unbroken_clause_is_one_stretch() -> None:
    found = of(track((0, 5 * WORD)), segment("a", 0, 0, 5 * WORD, words(*TEXT)))
    assert to_be_heard(found) == [Stretch("a", 0, 0, 5 * WORD)]
    assert joints(found) == []


def test_what_was_held_inside_a_word_goes_on_from_that_word_and_loses_none() -> None:
    cut = 2 * WORD + 9_000  # in "differs"
    again = 200_000
    found = of(
        track((0, cut), (again, again + 3 * WORD)),
        segment("a", 0, 0, 5 * WORD, words(*TEXT)),
        segment("a", 0, again, 3 * WORD, words(*TEXT[2:])),
    )
    assert to_be_heard(found) == [Stretch("a", 0, 0, 2 * WORD), Stretch("a", 0, again, 3 * WORD)]
    [joint] = joints(found)
    assert (joint.again, joint.lost) == ((), ())
    assert [word.text for word in joint.before.heard_words] == ["Doctor", "One"]


def test_a_word_that_ended_just_before_the_hold_may_come_again() -> None:
    again = 200_000
    for cut, twice in ((3 * WORD + 400, ()), (3 * WORD + 6_000, ("differs",))):
        found = of(
            track((0, cut), (again, again + 3 * WORD)),
            segment("a", 0, 0, 5 * WORD, words(*TEXT)),
            segment("a", 0, again, 3 * WORD, words(*TEXT[2:])),
        )
        assert joints(found)[0].again == twice


def test_a_word_between_the_hold_and_the_going_on_is_lost() -> None:
    again = 200_000
    found = of(
        track((0, 2 * WORD), (again, again + 2 * WORD)),
        segment("a", 0, 0, 5 * WORD, words(*TEXT)),
        segment("a", 0, again, 2 * WORD, words(*TEXT[3:])),
    )
    [joint] = joints(found)
    assert joint.lost == ("differs",)


def test_a_clause_that_is_said_again_from_its_beginning_has_its_words_twice() -> None:
    again = 400_000
    found = of(
        track((0, 3 * WORD + 6_000), (again, again + 5 * WORD)),
        segment("a", 0, 0, 5 * WORD, words(*TEXT)),
        segment("a", 0, again, 5 * WORD, words(*TEXT)),
    )
    assert to_be_heard(found) == [Stretch("a", 0, again, 5 * WORD)]
    [joint] = joints(found)
    assert joint.again == ("Doctor", "One", "differs")


def test_words_are_lost_when_a_clause_breaks_off_and_the_next_one_follows() -> None:
    found = of(
        track((0, 3 * WORD), (300_000, 300_000 + WORD)),
        segment("a", 0, 0, 5 * WORD, words(*TEXT)),
        segment("a", 1, 300_000, WORD, words("Why")),
    )
    [joint] = joints(found)
    assert joint.after is None
    assert joint.lost == ("on", "this")


def test_sound_that_came_late_goes_on_inside_its_word_and_nothing_is_lost() -> None:
    late = 2 * WORD + 12_000  # the rest of "differs" is told of without the word
    rest = 200_000
    body = segment("a", 0, rest, 5 * WORD - late, ())
    body["words"] = [
        {"text": text, "start_sample": rest + 12_000 + WORD * n, "end_sample": rest + 12_000 + WORD * (n + 1)}
        for n, text in enumerate(TEXT[3:])
    ]
    found = of(
        track((0, late), (rest, rest + 5 * WORD - late)),
        segment("a", 0, 0, 5 * WORD, words(*TEXT)),
        body,
    )
    [joint] = joints(found)
    assert (joint.again, joint.lost) == ((), ())
    assert to_be_heard(found) == [Stretch("a", 0, 0, late), Stretch("a", 0, rest, 5 * WORD - late)]


def test_a_run_that_two_clients_were_told_of_counts_once() -> None:
    body = segment("a", 0, 0, 5 * WORD, words(*TEXT))
    assert len(of(track((0, 5 * WORD)), body, dict(body))) == 1
