from __future__ import annotations

from dataclasses import replace

import pytest

from infra.ledger import LedgerEntry
from realtime.speech.takeover import replay_id, take_over
from tests.realtime.making import utterance
from tts_queue import HoldCause, Move, Phase


def entry(
    uid: str, phase: Phase = Phase.QUEUED, *, number: int = 1, replays: str | None = None,
    cause: HoldCause | None = None,
) -> LedgerEntry:  # fmt: skip
    came_from = Phase.QUEUED if phase in (Phase.SPEAKING, Phase.EXPIRED, Phase.SUPERSEDED) else Phase.SPEAKING
    move = None
    if phase is not Phase.QUEUED:
        move = Move(
            uid, number, came_from, phase, 4.0, cause=cause, sent=900, played=700, heard=700, total=2000
        )
    return LedgerEntry(utterance(uid, replays=replays, queued_at_s=1.0), move, 1, 1, 0, 0)


def test_of_an_empty_ledger_nothing_is_left_to_do() -> None:
    nothing = take_over([], now_s=50.0)
    assert (dict(nothing.finished), nothing.cut, nothing.again) == ({}, (), ())


def test_what_waited_is_offered_under_its_own_id_and_its_age_counts_anew() -> None:
    left = take_over([entry("a")], now_s=50.0)
    assert [(u.utterance_id, u.replays, u.queued_at_s) for u in left.again] == [("a", None, 50.0)]
    assert "a" not in left.finished
    assert left.cut == ()


@pytest.mark.parametrize("phase", [Phase.SPEAKING, Phase.HELD])
def test_what_had_begun_is_cut_and_offered_again_as_a_replay_that_names_it(phase: Phase) -> None:
    left = take_over([entry("a", phase, number=3, cause=HoldCause.LISTENER)], now_s=50.0)
    (cut,) = left.cut
    assert (cut.utterance_id, cut.number, cut.phase_from, cut.phase_to) == ("a", 4, phase, Phase.CUT)
    assert (cut.cause, cut.reason, cut.at_s, cut.heard) == (HoldCause.TAKEOVER, "takeover", 50.0, 700)
    assert [(u.utterance_id, u.replays) for u in left.again] == [("a.r1", "a")]
    assert left.finished == {"a": Phase.CUT}


@pytest.mark.parametrize("phase", [Phase.QUEUED, Phase.HELD, Phase.SPOKEN])
def test_what_was_offered_again_already_is_not_offered_under_that_id_once_more(phase: Phase) -> None:
    left = take_over([entry("a", Phase.HELD, number=2), entry("a.r1", phase, replays="a")], now_s=50.0)
    assert left.finished["a"] == Phase.CUT
    assert "a" in {move.utterance_id for move in left.cut}
    assert not {u.utterance_id for u in left.again} & set(left.finished)
    again = {Phase.QUEUED: ["a.r1"], Phase.HELD: ["a.r2"], Phase.SPOKEN: []}[phase]
    assert [u.utterance_id for u in left.again] == again


@pytest.mark.parametrize("kind", ["welcome", "question"])
@pytest.mark.parametrize(
    ("phase", "ends"), [(Phase.QUEUED, Phase.CANCELLED), (Phase.SPEAKING, Phase.CUT), (Phase.HELD, Phase.CUT)]
)
def test_a_welcome_and_a_question_of_ours_end_with_their_worker(kind: str, phase: Phase, ends: Phase) -> None:
    found = replace(entry("w", phase), utterance=utterance("w", kind=kind))
    left = take_over([found], now_s=50.0)
    assert (left.finished, left.again) == ({"w": ends}, ())
    assert [(move.phase_from, move.phase_to) for move in left.cut] == [(phase, ends)]


def test_what_was_over_stays_over() -> None:
    over = [Phase.SPOKEN, Phase.CUT, Phase.SUPERSEDED, Phase.EXPIRED, Phase.CANCELLED, Phase.FAILED]
    left = take_over([entry(phase.value, phase) for phase in over], now_s=50.0)
    assert left.finished == {phase.value: phase for phase in over}
    assert (left.cut, left.again) == ((), ())


def test_what_is_left_keeps_its_order() -> None:
    entries = [entry("a", Phase.HELD), entry("b", Phase.SPOKEN), entry("c"), entry("d", Phase.SPEAKING)]
    assert [u.utterance_id for u in take_over(entries, now_s=1.0).again] == ["a.r1", "c", "d.r1"]


def test_a_replay_that_is_cut_short_is_offered_under_the_next_number() -> None:
    cut = entry("a", Phase.CUT, cause=HoldCause.TAKEOVER)
    left = take_over([cut, entry("a.r1", Phase.SPEAKING, replays="a")], now_s=1.0)
    assert [(u.utterance_id, u.replays) for u in left.again] == [("a.r2", "a.r1")]


def test_what_a_takeover_cut_and_could_not_offer_again_is_offered_by_the_next_one() -> None:
    left = take_over([entry("a", Phase.CUT, cause=HoldCause.TAKEOVER)], now_s=1.0)
    assert [u.utterance_id for u in left.again] == ["a.r1"]
    assert left.cut == ()
    user = take_over([entry("a", Phase.CUT, cause=HoldCause.USER)], now_s=1.0)
    assert user.again == ()


@pytest.mark.parametrize(
    ("uid", "then"),
    [
        ("u-s-1-0001.2", "u-s-1-0001.2.r1"),
        ("u-s-1-0001.2.r1", "u-s-1-0001.2.r2"),
        ("u-s-1-0001.2.r9", "u-s-1-0001.2.r10"),
        ("s-1.notice.reading", "s-1.notice.reading.r1"),
    ],
)
def test_offerings_are_numbered(uid: str, then: str) -> None:
    assert replay_id(uid) == then
