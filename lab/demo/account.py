"""What became of everything that the engine had to say. Pure; the report is made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exaim_core import Update
from infra.ledger import LedgerEntry
from tts_queue import Phase, is_over

ENDS: Final = ("heard", "superseded", "expired", "cancelled", "skipped", "cut", "failed")


@dataclass(frozen=True, slots=True)
class Account:
    """Updates and spoken items, each with its end. `unaccounted` holds ids without one, and why.

    `ends` counts items by what became of them: heard (in whole, perhaps when offered again), superseded,
    expired, cancelled (the closing took their place), skipped (by the clinician), cut, failed.
    `offered_again`: items, and other utterances, that were cut and said again under another id.
    """

    updates: int
    page_only: int
    updates_heard: int  # of which at least one item was heard
    items: int
    ends: Mapping[str, int]
    offered_again: int
    phases: Mapping[str, int]
    unaccounted: tuple[str, ...]


def account(updates: Mapping[str, Update], entries: Sequence[LedgerEntry], shown: frozenset[str]) -> Account:
    """Compare the update stream with the ledger, and with what the page was sent (`shown` update ids)."""
    by_id = {entry.utterance.utterance_id: entry for entry in entries}
    again: dict[str | None, LedgerEntry] = {
        entry.utterance.replays: entry for entry in entries if entry.utterance.replays
    }
    missing: list[str] = [f"{uid}: not shown" for uid in updates if uid not in shown]
    ends: Counter[str] = Counter()
    updates_heard = 0
    for uid, update in updates.items():
        of_update = [f"{uid}.{number}" for number in range(1, len(update.items) + 1)]
        found = [_end(by_id.get(item), again) for item in of_update]
        updates_heard += "heard" in found
        ends.update(end for end in found if end in ENDS)
        missing += [f"{item}: {end}" for item, end in zip(of_update, found, strict=True) if end not in ENDS]
    return Account(
        updates=len(updates),
        page_only=sum(not update.items for update in updates.values()),
        updates_heard=updates_heard,
        items=sum(len(update.items) for update in updates.values()),
        ends={end: ends[end] for end in ENDS if ends[end]},
        offered_again=len(again),
        phases=dict(Counter(entry.phase.value for entry in entries)),
        unaccounted=tuple(missing),
    )


def _end(entry: LedgerEntry | None, again: Mapping[str | None, LedgerEntry]) -> str:
    """Return what became of an item, or what is wrong with it; of one offered again, what of the newest."""
    if entry is None:
        return "not in the ledger"
    while entry.phase is not Phase.SPOKEN and entry.utterance.utterance_id in again:
        entry = again[entry.utterance.utterance_id]
    if not is_over(entry.phase):
        return f"still {entry.phase.value}"
    if entry.phase is Phase.SPOKEN:
        return "heard"
    if entry.reason == "skipped":
        return "skipped"
    return entry.phase.value


@dataclass(frozen=True, slots=True)
class Stretch:
    """A segment of a SPOKEN utterance on the sent track, or a part of one."""

    utterance_id: str
    index: int
    start_sample: int
    samples: int


def spoken_stretches(entries: Sequence[LedgerEntry]) -> list[Stretch]:
    """Return the segments of what the ledger calls SPOKEN, in order of time; right where nothing was held."""
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
