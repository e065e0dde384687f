"""Where what was sent was heard, by whom, and where it was silent: on sounds made of numbers."""

from __future__ import annotations

import numpy as np
import pytest

from lab.demo.account import Stretch
from lab.demo.hearing import RATE_HZ, Pcm, find
from lab.demo.judging import follow, loud_share, silent_from
from lab.demo.parts import Part

SENT_S = 24


def speech(seconds: float) -> Pcm:
    """Return sound that is unlike itself everywhere, below 4 kHz as a comparison wants it."""
    coarse = np.random.default_rng(7).normal(0.0, 3000.0, round(seconds * 8000))
    return np.repeat(coarse, 6).astype(np.int16)


SENT = speech(SENT_S)


def part(from_s: float, to_s: float, *, late_s: float, began_s: float) -> Part:
    """Return a client that heard the sent track from and to, after so much silence of its own."""
    silence = np.zeros(round(late_s * RATE_HZ), np.int16)
    heard = SENT[round(from_s * RATE_HZ) : round(to_s * RATE_HZ)]
    return Part(began_s, np.concatenate([silence, heard]), ())


def stretch(uid: str, from_s: float, to_s: float) -> Stretch:
    return Stretch(uid, 0, round(from_s * RATE_HZ), round((to_s - from_s) * RATE_HZ))


FIRST = part(1.0, 9.0, late_s=0.5, began_s=100.0)
SECOND = part(15.0, 23.0, late_s=0.25, began_s=114.0)


def test_each_stretch_is_found_with_the_client_that_was_there() -> None:
    stretches = [stretch("a", 2.0, 4.0), stretch("b", 5.0, 8.0), stretch("c", 16.0, 19.0)]
    ear, places = follow(SENT, (FIRST, SECOND), stretches)
    assert [place.part for place in places] == [0, 0, 1]
    assert all(place.heard for place in places)
    assert ear.time_of(2 * RATE_HZ) == pytest.approx(101.5, abs=0.01)
    assert ear.time_of(16 * RATE_HZ) == pytest.approx(115.25, abs=0.01)


def test_what_sounded_while_nobody_was_there_was_not_heard() -> None:
    stretches = [stretch("a", 2.0, 4.0), stretch("lost", 10.0, 12.0), stretch("c", 16.0, 19.0)]
    ear, places = follow(SENT, (FIRST, SECOND), stretches)
    assert [(place.stretch.utterance_id, place.heard) for place in places] == [
        ("a", True),
        ("lost", False),
        ("c", True),
    ]
    assert ear.time_of(11 * RATE_HZ) is None


def test_what_the_killed_client_heard_in_part_only_was_not_heard() -> None:
    _, places = follow(SENT, (FIRST, SECOND), [stretch("a", 2.0, 4.0), stretch("cut", 7.0, 10.0)])
    assert [place.heard for place in places] == [True, False]


def test_a_piece_that_was_played_faster_was_heard_and_one_that_is_missing_was_not() -> None:
    cut = 2 * RATE_HZ
    drops = [(cut + at, cut + at + 600) for at in (18_000, 30_000, 42_000)]
    quick = np.delete(SENT, np.concatenate([np.arange(*drop) for drop in drops]))
    missing = SENT.copy()
    missing[cut + 24_000 : cut + 36_000] = 0
    start, length = cut, 2 * RATE_HZ
    assert find(SENT, quick, start, length, 0).whole
    assert not find(SENT, missing, start, length, 0).whole


def test_a_piece_with_a_splice_in_one_part_and_a_soft_other_part_was_heard() -> None:
    length = RATE_HZ // 2
    soft = SENT.copy()
    soft[:6_000] = soft[:6_000] // 2 + SENT[-6_000:] // 2  # a codec's worst: half of it is something else
    for heard in (
        np.delete(soft, np.arange(15_000, 15_576)),
        np.concatenate([soft[:15_000], np.zeros(4_320, np.int16), soft[15_000:]]),
    ):
        assert find(SENT, heard, 0, length, 0).whole


def test_a_piece_that_was_stretched_in_every_part_was_heard_and_other_sound_was_not() -> None:
    start, length = 2 * RATE_HZ, RATE_HZ // 2
    at = [start + part for part in (2_000, 5_000, 8_000, 11_000, 14_000, 17_000, 20_000)]  # every 62 ms
    drawn = np.insert(SENT, np.repeat(at, 240), np.concatenate([SENT[each - 240 : each] for each in at]))
    assert find(SENT, drawn, start, length, 0).whole, "a jitter buffer fills up so, after somebody joined"
    gap = np.zeros(RATE_HZ * 80 // 1000, np.int16)
    dry = np.insert(SENT, start + 12_000, gap)
    assert find(SENT, dry, start, length, 0).whole, "it ran dry within the piece"
    other = np.roll(SENT, 5 * RATE_HZ)
    assert not find(SENT, other, start, length, 0).whole


def test_a_faint_part_that_is_missing_was_not_heard_however_well_the_loud_rest_fits() -> None:
    length, half = RATE_HZ // 2, RATE_HZ // 4
    sent = SENT[:length].copy()
    sent[half:] //= 3
    heard = sent.copy()
    heard[half:] = 0
    assert find(sent, sent, 0, length, 0).whole
    assert not find(sent, heard, 0, length, 0).whole


def test_a_listener_that_falls_behind_again_and_again_is_followed() -> None:
    pause = np.zeros(round(0.3 * RATE_HZ), np.int16)
    half = RATE_HZ // 2
    heard = np.concatenate([SENT[:half], pause, SENT[half : 2 * half], pause, SENT[2 * half : 3 * half]])
    found = find(SENT, heard, 0, 3 * half, 0)
    assert (found.whole, found.start_sample) == (True, 0)


def test_where_a_stretch_begins_is_told_by_the_first_piece_that_was_found() -> None:
    heard = np.concatenate([np.zeros(4_800, np.int16), SENT])
    heard[4_800 : 4_800 + RATE_HZ // 2] = speech(40.0)[-RATE_HZ // 2 :]
    found = find(SENT, heard, 0, 2 * RATE_HZ, 0)
    assert (found.missed, found.start_sample) == (1, 4_800)
    assert find(SENT, speech(40.0)[-4 * RATE_HZ :], 0, RATE_HZ, 480).start_sample == 480


def test_silence_is_found_from_its_beginning_and_only_if_it_is_long_enough() -> None:
    pcm = np.concatenate(
        [speech(1.0), np.zeros(RATE_HZ // 5, np.int16), speech(1.0), np.zeros(RATE_HZ, np.int16)]
    )
    listener = Part(50.0, pcm, ())
    assert silent_from(listener, 50.5, for_s=0.5) == pytest.approx(52.2, abs=0.011)
    assert silent_from(listener, 50.5, for_s=1.5) is None


def test_sound_within_what_is_allowed_does_not_count() -> None:
    pcm = np.concatenate([np.zeros(RATE_HZ, np.int16), speech(1.0), np.zeros(RATE_HZ, np.int16)])
    listener = Part(50.0, pcm, ())
    assert loud_share(listener, 50.0, 53.0, ()) == pytest.approx(1 / 3, abs=0.01)
    assert loud_share(listener, 50.0, 53.0, [(50.9, 52.1)]) == 0.0
    assert loud_share(listener, 60.0, 61.0, ()) == 1.0, "a time that nobody recorded is no silence"


@pytest.mark.parametrize(("level", "whole"), [(0.03, True), (1.0, False)])
def test_a_short_end_does_not_stand_alone_and_is_missed_if_it_was_loud(level: float, whole: bool) -> None:
    length, loud = round(0.82 * RATE_HZ), round(0.5 * RATE_HZ)
    sent, heard = SENT[:length].copy(), SENT[:length].copy()
    sent[loud:] = (sent[loud:] * level).astype(np.int16)
    heard[loud:] = (heard[loud:][::-1] * level).astype(np.int16)
    assert find(sent, heard, 0, length, 0).whole is whole
