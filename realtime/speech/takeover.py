"""Decide how a new worker continues from the ledger of the one before it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from infra.ledger import LedgerEntry, Reached
from tts_queue import SAMPLE_RATE_HZ, HoldCause, Move, Phase, Priority, SegmentMark, Utterance
from tts_queue.ear import segments
from tts_queue.phases import is_over
from tts_queue.playout import Pauses

PAUSE_SAMPLES: Final = round(Pauses().sentence_s * SAMPLE_RATE_HZ)  # the longest between two clauses
TAKEOVER: Final = "takeover"  # reason of an utterance that a takeover ends
STOPPED: Final = "stopped"  # reason of one that the listener had stopped before
PASSING: Final = frozenset({"question", "welcome", "reply", "arrival", "silence"})  # kinds not said later


@dataclass(frozen=True, slots=True)
class Takeover:
    """What to do with each entry that was found."""

    finished: Mapping[str, Phase]  # ids not to be offered, and how they ended
    cut: tuple[Move, ...]  # to be recorded before anything is offered
    again: tuple[Utterance, ...]  # to be offered, in order


def take_over(
    entries: Sequence[LedgerEntry],
    *,
    now_s: float,
    reached: Reached | None = None,
    settled: Set[str] = frozenset(),
    silenced_ms: float | None = None,
) -> Takeover:
    """Return what to do with an earlier worker's ledger; `now_s` is on this worker's loop clock.

    * What waited is offered under its own id.
    * What was being spoken, or held, ends as CUT by takeover and is offered again as a replay that names it. It
      goes on from the clause that was cut; if all of it was sent but not confirmed, from its last clause. A
      critical finding is told whole. `reached` is the clause that began to sound last.
      What was spoken, or waits, under its next id already only ends.
    * What an earlier takeover cut is offered again too, if that worker was gone before it could offer it.
    * A welcome or a question of ours ends and is not said again. Neither is a critical finding that was heard
      and acknowledged (`settled` has the keys).
    * What the listener stopped by a quiet or a wait that still lasts (since `silenced_ms` on the store's clock)
      is offered as stopped, and waits until that silence ends.
    """
    became = [_became(entry, entries, now_s, reached, settled, silenced_ms) for entry in entries]
    ended = zip(entries, became, strict=True)
    return Takeover(
        {entry.utterance.utterance_id: each.ended for entry, each in ended if each.ended is not None},
        tuple(each.cut for each in became if each.cut is not None),
        tuple(each.again for each in became if each.again is not None),
    )


@dataclass(frozen=True, slots=True)
class _Became:
    """What becomes of one entry."""

    ended: Phase | None = None  # None: it goes on waiting
    cut: Move | None = None  # by which it ends now
    again: Utterance | None = None  # is offered for it


def _became(
    entry: LedgerEntry,
    entries: Sequence[LedgerEntry],
    now_s: float,
    reached: Reached | None,
    settled: Set[str],
    silenced_ms: float | None,
) -> _Became:
    """Return what becomes of one of `entries`; see `take_over`."""
    utterance, queued = entry.utterance, entry.phase is Phase.QUEUED
    if _of_no_use(utterance, settled) and not is_over(entry.phase):
        if queued:
            return _Became(Phase.CANCELLED, _dropped(entry, now_s))
        return _Became(Phase.CUT, _cut(entry, now_s))
    if queued:
        return _Became(again=replace(utterance, queued_at_s=now_s))
    begun, stopped = not is_over(entry.phase), _was_stopped(entry, silenced_ms)
    ended = Phase.CUT if begun else entry.phase
    cut = _cut(entry, now_s, reason=STOPPED if stopped else TAKEOVER) if begun else None
    goes_on = begun or _cut_by_takeover(entry, settled)
    if not goes_on or _is_offered_again(entry, entries, told=begun):
        return _Became(ended, cut)
    clause = _clause(entry, reached, later=_sounds_later(entries, entry, reached))
    return _Became(ended, cut, replace(replay(utterance, now_s), from_clause=clause, stopped=stopped))


def _is_offered_again(entry: LedgerEntry, entries: Sequence[LedgerEntry], *, told: bool) -> bool:
    """Return whether an entry has its next offering; `told`: one that was spoken, or is not over."""
    return any(
        each.utterance.replays == entry.utterance.utterance_id
        and (not told or not is_over(each.phase) or each.phase is Phase.SPOKEN)
        for each in entries
    )


def _clause(entry: LedgerEntry, reached: Reached | None, *, later: bool) -> int:
    """Return the clause from which an entry goes on; `later`: another one began to sound after it."""
    utterance, move = entry.utterance, entry.move
    if utterance.priority is Priority.CRITICAL or move is None:
        return 0
    last = max(0, len(segments(utterance.text)) - 1)
    if later and entry.phase is Phase.SPEAKING:
        return last
    if reached is not None and _sounded(entry, reached):
        return min(last, max(utterance.from_clause, reached.clause))
    return utterance.from_clause + _clause_at(move.heard, move.segments)


def _sounded(entry: LedgerEntry, reached: Reached) -> bool:
    """Return whether `reached` is a clause of this entry, which has sounded without a hold since."""
    same = entry.utterance.utterance_id == reached.utterance_id and entry.version == reached.number
    return same and entry.phase is Phase.SPEAKING


def _sounds_later(entries: Sequence[LedgerEntry], entry: LedgerEntry, reached: Reached | None) -> bool:
    """Return whether another entry began to sound after this one, so that all of this one was sent."""
    return reached is not None and any(_sounded(each, reached) for each in entries if each is not entry)


def _clause_at(heard: int, segments: Sequence[SegmentMark]) -> int:
    """Return the clause in which content sample `heard` lies, or the one before: pauses are not recorded."""
    at, begins = 0, 0
    for index, segment in enumerate(segments):
        if begins <= heard:
            at = index
        begins += segment.samples + PAUSE_SAMPLES
    return at


def replay_id(utterance_id: str) -> str:
    """Return the id of the next offering: `x`, `x.r1`, `x.r2`, …"""
    stem, mark, number = utterance_id.rpartition(".r")
    return f"{stem}.r{int(number) + 1}" if mark and number.isdigit() else f"{utterance_id}.r1"


def replay(utterance: Utterance, now_s: float) -> Utterance:
    """Return the next offering of an utterance, as it stands, offered now."""
    return replace(
        utterance,
        utterance_id=replay_id(utterance.utterance_id),
        replays=utterance.utterance_id,
        stopped=False,
        queued_at_s=now_s,
    )


def _was_stopped(entry: LedgerEntry, silenced_ms: float | None) -> bool:
    """Return whether the listener stopped an entry by asking for silence.

    A silence asked for by a button is written to the log beside the hold, so either may come first.
    """
    if entry.phase is not Phase.HELD:
        return entry.reason == STOPPED
    if silenced_ms is None:
        return False
    return entry.cause is HoldCause.USER or entry.moved_at_ms <= silenced_ms


def _dropped(entry: LedgerEntry, now_s: float) -> Move:
    return Move(
        entry.utterance.utterance_id,
        1,
        Phase.QUEUED,
        Phase.CANCELLED,
        now_s,
        cause=HoldCause.TAKEOVER,
        reason=TAKEOVER,
    )


def _cut_by_takeover(entry: LedgerEntry, settled: Set[str]) -> bool:
    cut = entry.phase is Phase.CUT and entry.cause is HoldCause.TAKEOVER
    return cut and not _of_no_use(entry.utterance, settled)


def _of_no_use(utterance: Utterance, settled: Set[str]) -> bool:
    return utterance.kind in PASSING or (utterance.replays is not None and utterance.critical_key in settled)


def _cut(entry: LedgerEntry, now_s: float, *, reason: str = TAKEOVER) -> Move:
    last = entry.move
    assert last is not None  # an entry without a move is QUEUED
    return replace(
        last,
        number=last.number + 1,
        phase_from=last.phase_to,
        phase_to=Phase.CUT,
        at_s=now_s,
        cause=HoldCause.TAKEOVER,
        reason=reason,
    )
