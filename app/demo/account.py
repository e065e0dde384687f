"""What became of everything that the engine had to say. Pure; the report is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exaim_core import Update
from infra.ledger import LedgerEntry
from tts_queue import Phase, is_over


@dataclass(frozen=True, slots=True)
class Account:
    """Updates and spoken items, each with its end. `unaccounted` holds ids without one, and why."""

    updates: int
    page_only: int
    items: int
    phases: Mapping[str, int]
    unaccounted: tuple[str, ...]


def account(updates: Mapping[str, Update], entries: Sequence[LedgerEntry], shown: frozenset[str]) -> Account:
    """Compare the update stream with the ledger, and with what the page was sent (`shown` update ids)."""
    by_id = {entry.utterance.utterance_id: entry for entry in entries}
    missing: list[str] = [f"{uid}: not shown" for uid in updates if uid not in shown]
    items = 0
    for uid, update in updates.items():
        for number in range(1, len(update.items) + 1):
            items += 1
            entry = by_id.get(f"{uid}.{number}")
            if entry is None:
                missing.append(f"{uid}.{number}: not in the ledger")
            elif not is_over(entry.phase):
                missing.append(f"{uid}.{number}: still {entry.phase}")
    return Account(
        updates=len(updates),
        page_only=sum(not update.items for update in updates.values()),
        items=items,
        phases=dict(Counter(entry.phase.value for entry in entries)),
        unaccounted=tuple(missing),
    )


@dataclass(frozen=True, slots=True)
class Stretch:
    """A segment of a SPOKEN utterance on the sent track."""

    utterance_id: str
    index: int
    start_sample: int
    samples: int


def spoken_stretches(entries: Sequence[LedgerEntry]) -> list[Stretch]:
    """Return the segments of what the ledger calls SPOKEN, in order of time."""
    found = [
        Stretch(entry.utterance.utterance_id, mark.index, mark.start_sample, mark.samples)
        for entry in entries
        if entry.phase is Phase.SPOKEN and entry.move is not None
        for mark in entry.move.segments
    ]
    return sorted(found, key=lambda stretch: stretch.start_sample)


def lags_s(messages_at: Mapping[str, float], lag_from: Mapping[str, float]) -> list[float]:
    """Return end of speech less emission, for the ids in both; seconds on one clock."""
    return [messages_at[uid] - lag_from[uid] for uid in messages_at if uid in lag_from]
