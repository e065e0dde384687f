"""What a new worker makes of the ledger that it finds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from infra.ledger import LedgerEntry
from tts_queue import HoldCause, Move, Phase, Utterance

OPEN = frozenset({Phase.QUEUED, Phase.SPEAKING, Phase.HELD})


@dataclass(frozen=True, slots=True)
class Takeover:
    """`finished`: ids not to be offered; `cut`: moves to record first; `again`: what to offer, in order."""

    finished: frozenset[str]
    cut: tuple[Move, ...]
    again: tuple[Utterance, ...]


def take_over(entries: Sequence[LedgerEntry], *, now_s: float) -> Takeover:
    """Return what to do with an earlier worker's ledger; `now_s` is on this worker's loop clock.

    What waited is offered under its own id. What was being spoken, or held, ends as CUT by takeover and
    is offered again as a replay that names it: it was not heard to its end.
    """
    open_entries = [entry for entry in entries if entry.phase in OPEN]
    begun = [entry for entry in open_entries if entry.phase is not Phase.QUEUED]
    replayed = {entry.utterance.utterance_id: _replay(entry.utterance, now_s) for entry in begun}
    return Takeover(
        finished=frozenset(entry.utterance.utterance_id for entry in entries if entry not in open_entries)
        | replayed.keys(),
        cut=tuple(_cut(entry, now_s) for entry in begun),
        again=tuple(
            replayed.get(entry.utterance.utterance_id, replace(entry.utterance, queued_at_s=now_s))
            for entry in open_entries
        ),
    )


def replay_id(utterance_id: str) -> str:
    """Return the id of the next offering: `x`, `x.r1`, `x.r2`, …"""
    stem, mark, number = utterance_id.rpartition(".r")
    return f"{stem}.r{int(number) + 1}" if mark and number.isdigit() else f"{utterance_id}.r1"


def _replay(utterance: Utterance, now_s: float) -> Utterance:
    return replace(
        utterance,
        utterance_id=replay_id(utterance.utterance_id),
        replays=utterance.utterance_id,
        queued_at_s=now_s,
    )


def _cut(entry: LedgerEntry, now_s: float) -> Move:
    last = entry.move
    assert last is not None  # an entry without a move is QUEUED
    return replace(
        last,
        number=last.number + 1,
        phase_from=last.phase_to,
        phase_to=Phase.CUT,
        at_s=now_s,
        cause=HoldCause.TAKEOVER,
        reason="takeover",
    )
