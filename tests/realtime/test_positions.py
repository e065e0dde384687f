from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from realtime.protocol import RTP_MODULUS, Beat, ClockKind
from realtime.room.positions import RATE_HZ, STOCK_ALLOWANCE_S, ListenerClock, Onset, OnsetDetector
from tests.realtime.making import beat

CLOSE = round(0.060 * RATE_HZ)


@dataclass(frozen=True)
class Report:
    """A beat on its way: when it arrives, and which sample the listener had really played."""

    arrives_s: float
    beat: Beat
    truth: int


class Listener:
    """A listener on a real line: its own clock, media that come late, looks that are 20-30 ms apart."""

    def __init__(self, random: Random, zero: int, *, starts_s: list[float], until_s: float) -> None:
        self.random, self.zero, self.until_s = random, zero, until_s
        self.delay_s = random.uniform(0.02, 0.25)
        self.starts_s = starts_s

    def reports(self) -> list[Report]:
        """Return what arrives, in order of arrival: a third is lost, some overtake others."""
        sent = []
        at_s, beaten_s, seq, onset = 0.0, -9.0, 0, None
        heard = 0
        while at_s < self.until_s:
            at_s += self.random.uniform(0.020, 0.030)
            truth = round((at_s - self.delay_s) * RATE_HZ)
            position = (self.zero + truth) % RTP_MODULUS
            begun = sum(start + self.delay_s <= at_s for start in self.starts_s)
            if begun > heard:
                heard, onset = begun, position
            if truth > 0 and at_s - beaten_s >= 0.25:
                beaten_s, seq = at_s, seq + 1
                late_s = self.random.uniform(0.02, 0.25)
                sent.append(Report(at_s + late_s, beat(seq, position, onset), truth))
        kept = [report for report in sent if self.random.random() > 0.33]
        return sorted(kept, key=lambda report: report.arrives_s)


def onsets(random: Random, until_s: float) -> list[float]:
    """Return when our own sound begins after silence: each lasts 0.4 s or more, and so does the silence."""
    starts, at_s = [], random.uniform(0.5, 1.5)
    while at_s < until_s:
        starts.append(at_s)
        at_s += random.uniform(0.4, 5.0) + random.uniform(0.4, 2.5)
    return starts


def errors(
    clock: ListenerClock, starts_s: list[float], reports: list[Report], *, from_s: float = 0.0
) -> list[int]:
    """Play the reports to the clock; return how far each answer is off once the constant is known."""
    ours = [(start_s - 0.03, Onset(round(start_s * RATE_HZ), start_s)) for start_s in starts_s]
    off = []
    for report in reports:
        while ours and ours[0][0] <= report.arrives_s:
            clock.began(ours.pop(0)[1])
        sent = round(report.arrives_s * RATE_HZ)
        played = clock.played(report.beat, sent=sent, now_s=report.arrives_s)
        if played is not None and clock.zero is not None and report.arrives_s >= from_s:
            assert 0 <= played <= sent
            off.append(played - report.truth)
    return off


@settings(max_examples=150)
@given(seed=st.integers(0, 2**32), zero=st.integers(0, RTP_MODULUS - 1))
def test_after_the_first_onset_the_played_position_is_within_60_ms_of_the_truth(seed: int, zero: int) -> None:
    random = Random(seed)
    starts = onsets(random, 40.0)
    listener = Listener(random, zero, starts_s=starts, until_s=40.0)
    off = errors(ListenerClock(), starts, listener.reports())
    assert len(off) > 40
    assert max(map(abs, off)) <= CLOSE


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), before=st.integers(1, 30))
def test_a_listeners_clock_may_wrap_in_the_middle(seed: int, before: int) -> None:
    random = Random(seed)
    starts = onsets(random, 40.0)
    listener = Listener(random, RTP_MODULUS - before * RATE_HZ, starts_s=starts, until_s=40.0)
    assert max(map(abs, errors(ListenerClock(), starts, listener.reports()))) <= CLOSE


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32), jump=st.integers(RATE_HZ // 2, RTP_MODULUS - RATE_HZ // 2))
def test_a_clock_that_jumps_is_taken_over_at_the_next_onset(seed: int, jump: int) -> None:
    random = Random(seed)
    first, second = onsets(random, 20.0), [20.0 + start for start in onsets(random, 20.0)]
    line = Listener(random, 7, starts_s=first, until_s=20.0)
    clock = ListenerClock()
    assert errors(clock, first, line.reports())
    line.zero = (7 + jump) % RTP_MODULUS
    line.starts_s, line.until_s = second, 40.0
    reports = [
        Report(r.arrives_s, r.beat.model_copy(update={"seq": r.beat.seq + 1000}), r.truth)
        for r in line.reports()
        if r.arrives_s > 20.0
    ]
    known_s = second[0] + 2.0  # an onset, one beat a quarter of a second, a third of them lost
    known_s = next((r.arrives_s for r in reports if r.arrives_s > known_s and r.beat.onset is not None), 40.0)
    off = errors(clock, second, [r for r in reports if r.beat.position is not None], from_s=known_s)
    assert off
    assert max(map(abs, off)) <= CLOSE


def test_before_an_onset_played_is_sent_less_the_allowance_of_a_stock_client() -> None:
    clock = ListenerClock()
    assert clock.played(beat(1, 5), sent=RATE_HZ, now_s=1.0) == RATE_HZ - int(STOCK_ALLOWANCE_S * RATE_HZ)
    assert clock.played(beat(2, 5), sent=100, now_s=1.1) == 0
    assert clock.zero is None


def known_clock() -> ListenerClock:
    """Return a clock whose constant is 1000, learnt from an onset at sample 48,000 heard at 1.2 s."""
    clock = ListenerClock()
    clock.began(Onset(RATE_HZ, 1.0))
    assert clock.played(beat(1, 1000 + RATE_HZ, 1000 + RATE_HZ), sent=2 * RATE_HZ, now_s=1.2) == RATE_HZ
    assert clock.zero == 1000
    return clock


def test_a_position_beyond_what_was_sent_is_held_to_it_and_counted_as_a_lie() -> None:
    clock = known_clock()
    sent = 2 * RATE_HZ
    assert clock.played(beat(2, 1000 + sent + RATE_HZ), sent=sent, now_s=2.0) == sent
    assert clock.lies == 1
    assert clock.played(beat(3, 1000 + sent + RATE_HZ // 20), sent=sent, now_s=2.1) == sent
    assert clock.lies == 1, "50 ms are within the error of what was sent"


def test_a_position_before_the_track_began_is_its_beginning() -> None:
    assert known_clock().played(beat(2, 10), sent=RATE_HZ, now_s=1.5) == 0


def test_a_beat_that_was_overtaken_or_comes_twice_says_nothing() -> None:
    clock = known_clock()
    assert clock.played(beat(5, 1000 + 60_000), sent=96_000, now_s=1.5) == 60_000
    assert clock.played(beat(4, 1000 + 50_000), sent=96_000, now_s=1.6) is None
    assert clock.played(beat(5, 1000 + 60_000), sent=96_000, now_s=1.6) is None


def test_a_beat_without_a_position_says_nothing_of_it() -> None:
    assert known_clock().played(beat(2, None), sent=96_000, now_s=1.5) is None


def test_after_a_reset_the_beats_count_from_one_and_the_constant_is_learnt_anew() -> None:
    clock = known_clock()
    clock.reset()
    assert clock.zero is None
    assert clock.kind is None
    clock.began(Onset(10 * RATE_HZ, 10.0))
    position = 77 + 10 * RATE_HZ
    assert clock.played(beat(1, position, position), sent=11 * RATE_HZ, now_s=10.1) == 10 * RATE_HZ
    assert clock.zero == 77


def test_a_listener_that_changes_its_kind_of_clock_is_learnt_anew() -> None:
    clock = known_clock()
    clock.played(beat(2, 5, clock=ClockKind.SAMPLES), sent=96_000, now_s=1.5)
    assert clock.zero is None
    assert clock.kind is ClockKind.SAMPLES


def test_an_onset_of_which_nothing_of_ours_could_be_the_cause_teaches_nothing() -> None:
    clock = ListenerClock()
    clock.began(Onset(RATE_HZ, 1.0))
    clock.played(beat(1, 9_000_000, 9_000_000), sent=400_000, now_s=8.0)
    assert clock.zero is None


def sound(level: float, ms: int = 10) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    return np.full(RATE_HZ * ms // 1000, round(level), np.int16)


LOUD, FAINT = 32768 * 10 ** (-49 / 20), 32768 * 10 ** (-51 / 20)


def fed(detector: OnsetDetector, level: float, ms: int) -> int:
    return sum(detector.feed(sound(level)) for _ in range(ms // 10))


def test_the_first_sound_of_a_track_is_an_onset_and_what_follows_is_none() -> None:
    detector = OnsetDetector()
    assert fed(detector, LOUD, 500) == 1


@pytest.mark.parametrize(("silence_ms", "begins"), [(390, 0), (400, 1), (2000, 1)])
def test_sound_begins_anew_after_at_least_400_ms_of_silence(silence_ms: int, begins: int) -> None:
    detector = OnsetDetector()
    fed(detector, LOUD, 100)
    assert fed(detector, 0, silence_ms) == 0
    assert fed(detector, LOUD, 100) == begins


def test_what_is_below_minus_50_dbfs_is_silence() -> None:
    detector = OnsetDetector()
    fed(detector, LOUD, 100)
    assert fed(detector, FAINT, 400) == 0
    assert fed(detector, LOUD, 10) == 1


def test_an_empty_frame_is_no_sound() -> None:
    assert not OnsetDetector().feed(np.zeros(0, np.int16))
