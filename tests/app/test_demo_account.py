"""What became of every item: each has one end, and what has none is named."""

from __future__ import annotations

from exaim_core import AgentSummary, SpokenItem, SpokenKind, Update
from infra.ledger import LedgerEntry
from lab.demo.account import account
from lab.demo.reasons import REASONS
from realtime.interruption import Why
from tts_queue import HoldCause, Move, Phase, Priority, Utterance


def update(number: int, items: int) -> Update:
    nothing = AgentSummary(**dict.fromkeys(AgentSummary.model_fields, "None."))
    spoken = tuple(
        SpokenItem(item_id=f"{number:04d}.{k + 1}", kind=SpokenKind.FINDING, text="Urine sodium is 8 mmol/L.")
        for k in range(items)
    )
    return Update(number=number, path="A", reason="end", summary=nothing, items=spoken, last_delta_at_s=1.0)


def entry(uid: str, phase: Phase, *, reason: str = "", replays: str | None = None) -> LedgerEntry:
    move = None
    if phase is not Phase.QUEUED:
        cause = HoldCause.LISTENER if phase is Phase.HELD else None
        move = Move(uid, 1, Phase.QUEUED, phase, 1.0, cause=cause, reason=reason or None)
    utterance = Utterance(uid, "text", Priority.SUMMARY, "finding", replays=replays)
    return LedgerEntry(utterance, move, 1, 1, 0, 0)


def test_every_item_has_one_end() -> None:
    updates = {"u-1": update(1, 2), "u-2": update(2, 3), "u-3": update(3, 0)}
    books = account(
        updates,
        [
            entry("u-1.1", Phase.SPOKEN),
            entry("u-1.2", Phase.EXPIRED),
            entry("u-2.1", Phase.SUPERSEDED),
            entry("u-2.2", Phase.CUT, reason="skipped"),
            entry("u-2.3", Phase.CANCELLED),
            entry("s.notice.greeting", Phase.SPOKEN),
        ],
        frozenset(updates),
    )
    assert books.ends == {"heard": 1, "superseded": 1, "expired": 1, "cancelled": 1, "skipped": 1}
    assert sum(books.ends.values()) == books.items == 5
    assert (books.updates, books.updates_heard, books.page_only) == (3, 1, 1)
    assert books.unaccounted == ()


def test_what_was_cut_and_heard_when_offered_again_was_heard() -> None:
    found = [
        entry("u-1.1", Phase.CUT, reason="takeover"),
        entry("u-1.1.r1", Phase.CUT, replays="u-1.1"),
        entry("u-1.1.r2", Phase.SPOKEN, replays="u-1.1.r1"),
    ]
    books = account({"u-1": update(1, 1)}, found, frozenset({"u-1"}))
    assert books.ends == {"heard": 1}
    assert books.offered_again == 2


def test_what_was_cut_and_not_offered_again_is_told_as_cut() -> None:
    books = account({"u-1": update(1, 1)}, [entry("u-1.1", Phase.CUT)], frozenset({"u-1"}))
    assert books.ends == {"cut": 1}
    assert not books.unaccounted


def test_what_is_missing_waits_still_or_was_not_shown_is_named() -> None:
    updates = {"u-1": update(1, 3), "u-2": update(2, 0)}
    found = [entry("u-1.2", Phase.QUEUED), entry("u-1.3", Phase.HELD)]
    books = account(updates, found, frozenset({"u-1"}))
    assert books.unaccounted == (
        "u-2: not shown",
        "u-1.1: not in the ledger",
        "u-1.2: still queued",
        "u-1.3: still held",
    )


def test_every_rule_that_decides_a_turn_is_told_in_one_sentence() -> None:
    assert set(REASONS) == set(Why)
    assert all(told.endswith(".") for told in REASONS.values())
