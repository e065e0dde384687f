"""What the faults cost, on ledgers and recordings made by hand."""

from __future__ import annotations

from infra.ledger import LedgerEntry
from lab.chaos.audit import Heard, audit, ghosts, lost, root, twice, two_tracks_s
from lab.chaos.runs import Run
from lab.chaos.watching import Look, look, stuck_s
from tts_queue import HoldCause, Move, Phase, Priority, Utterance


def entry(
    uid: str,
    phase: Phase,
    *,
    kind: str = "summary",
    cause: HoldCause | None = None,
    reason: str | None = None,
    replays: str | None = None,
) -> LedgerEntry:
    utterance = Utterance(uid, "words", Priority.SUMMARY, kind, replays=replays)
    queued = phase is Phase.QUEUED
    move = None if queued else Move(uid, 1, Phase.QUEUED, phase, 0.0, cause=cause, reason=reason)
    return LedgerEntry(utterance, move, 1, 1, 0, 0)


def at(second: float, *, speaking: int = 0, waiting: int = 0, asked_for: int = 0, changed: int = 0) -> Look:
    return Look(second, speaking, waiting, asked_for, changed)


# --- lost, and twice


def test_what_was_cut_and_spoken_again_was_not_lost() -> None:
    entries = [entry("u.1", Phase.CUT, reason="takeover"), entry("u.1.r1", Phase.SPOKEN, replays="u.1")]
    assert lost(["u.1"], entries) == []


def test_what_has_no_entry_is_open_or_was_cut_without_another_offering_was_lost() -> None:
    entries = [
        entry("u.2", Phase.QUEUED),
        entry("u.3", Phase.HELD, cause=HoldCause.LISTENER),
        entry("u.4", Phase.CUT, reason="takeover"),
        entry("u.5", Phase.FAILED, reason="voice"),
        entry("u.6", Phase.CUT),
        entry("u.6.r1", Phase.CUT, reason="takeover", replays="u.6"),
    ]
    assert [each.split(":")[0] for each in lost(["u.1"], entries)] == [
        "u.1", "u.2", "u.3", "u.4", "u.5", "u.6",
    ]  # fmt: skip


def test_what_gave_way_or_was_of_its_moment_was_not_lost() -> None:
    entries = [
        entry("u.1", Phase.SUPERSEDED),
        entry("u.2", Phase.EXPIRED),
        entry("u.3", Phase.CANCELLED),
        entry("u.4", Phase.CUT, reason="skipped"),
        entry("w.1", Phase.CUT, kind="welcome", reason="takeover"),
    ]
    assert lost(["u.1", "u.2", "u.3", "u.4"], entries) == []


def test_two_offerings_spoken_to_their_end_are_once_too_often() -> None:
    entries = [
        entry("u.1", Phase.SPOKEN),
        entry("u.1.r1", Phase.SPOKEN, replays="u.1"),
        entry("u.2", Phase.SPOKEN),
    ]
    assert twice(entries) == ["u.1 and u.1.r1"]


def test_a_critical_finding_may_remind_after_two_minutes_and_not_before() -> None:
    def told(uid: str, made_s: int, over_s: int) -> LedgerEntry:
        utterance = Utterance(uid, "words", Priority.CRITICAL, "critical", critical_key="k")
        move = Move(uid, 1, Phase.SPEAKING, Phase.SPOKEN, 0.0)
        return LedgerEntry(utterance, move, 1, 1, made_s * 1_000, over_s * 1_000)

    assert twice([told("u.1", 0, 10), told("u.1.r1", 130, 140)]) == []
    assert twice([told("u.1", 0, 10), told("u.1.r1", 60, 70)]) == ["u.1 and u.1.r1"]


def test_an_item_is_known_by_its_first_id() -> None:
    assert [root(uid) for uid in ("u-1.2", "u-1.2.r1", "u-1.2.r13")] == ["u-1.2"] * 3


# --- two voices


def test_sound_on_two_tracks_at_once_is_two_voices() -> None:
    page = Heard({"TR_a": [Run(0, 3)], "TR_b": [Run(2, 5)], "TR_c": [Run(6, 7)]}, [Run(0, 9)])
    assert two_tracks_s(page) == 1.0
    assert two_tracks_s(Heard({"TR_a": [Run(0, 3)], "TR_b": [Run(5, 6)]}, [])) == 0.0


def test_sound_while_nothing_is_spoken_by_the_ledger_is_a_ghost() -> None:
    looks = [at(second / 4, speaking=int(second < 20)) for second in range(80)]  # speaking for 5 of 20 s
    assert ghosts([Run(0.2, 5.5), Run(12.0, 14.0)], looks) == [Run(12.0, 14.0)]


def test_a_tone_is_no_ghost_nor_is_sound_while_nobody_looked() -> None:
    looks = [at(0.0), at(0.25), at(9.0), at(9.25), at(9.5)]  # the store was gone for nine seconds
    assert ghosts([Run(2.0, 5.0)], looks) == []
    assert ghosts([Run(12.0, 12.4)], [at(second / 4) for second in range(80)]) == []


# --- stuck


def test_who_waits_in_silence_with_a_listener_there_is_stuck() -> None:
    looks = [at(second, waiting=2) for second in range(41)]
    assert stuck_s(looks, [], [Run(0, 100)]) == 40.0
    assert stuck_s(looks, [Run(19.5, 20.5)], [Run(0, 100)]) < 21.0
    assert stuck_s(looks, [], [Run(0, 10), Run(30, 100)]) <= 11.0


def test_who_was_asked_to_be_quiet_or_has_nothing_to_say_is_not_stuck() -> None:
    assert stuck_s([at(s, waiting=2, asked_for=1) for s in range(60)], [], [Run(0, 100)]) == 0.0
    assert stuck_s([at(s) for s in range(60)], [], [Run(0, 100)]) == 0.0


def test_a_ledger_that_moves_is_not_stuck() -> None:
    assert stuck_s([at(s, waiting=2, changed=s // 5) for s in range(60)], [], [Run(0, 100)]) < 6.0


def test_a_look_tells_what_waits_from_what_was_asked_to_wait() -> None:
    found = look(
        [
            entry("a", Phase.SPEAKING),
            entry("b", Phase.HELD, cause=HoldCause.USER),
            entry("c", Phase.HELD, cause=HoldCause.LISTENER),
            entry("d", Phase.QUEUED),
            entry("e", Phase.SPOKEN),
        ],
        5.0,
    )
    assert (found.speaking, found.asked_for, found.waiting) == (1, 1, 2)


def test_a_voice_that_took_over_without_a_fault_was_needless() -> None:
    entries = [LedgerEntry(Utterance("u", "w", Priority.SUMMARY, "summary"), None, 1, 4, 0, 0)]
    assert audit("s-1", {}, entries, [], [], needed=2).needless == 1
    assert audit("s-1", {}, entries, [], [], needed=5).needless == 0


def test_the_books_of_a_session_count_items_and_hold_nothing_against_a_good_one() -> None:
    entries = [
        entry("u-1.1", Phase.SPOKEN),
        entry("u-1.2", Phase.CUT, reason="takeover"),
        entry("u-1.2.r1", Phase.SPOKEN, replays="u-1.2"),
    ]
    page = Heard({"TR_a": [Run(0, 4)], "TR_b": [Run(10, 14)]}, [Run(0, 15)])
    looks = [at(second / 4, speaking=1, changed=second) for second in range(60)]
    found = audit("s-1", {"u-1": 2, "u-2": 0}, entries, [page], looks)
    assert (found.summaries, found.items, found.spoken, found.again) == (2, 2, 2, 1)
    assert (found.lost, found.twice) == ((), ())
    assert not found.two_voices
    assert not found.stuck
