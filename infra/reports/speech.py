"""Account for the speech: what became of every utterance, and how much of every item was heard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exaim_core import SpokenItem
from infra.ledger import LedgerEntry
from infra.reports.material import MadeUpdate, Material
from infra.reports.model import (
    Counts,
    CriticalReport,
    Heard,
    ItemReport,
    Offering,
    SummaryReport,
)
from infra.sessions import Status
from tts_queue import SAMPLE_RATE_HZ, Phase
from tts_queue.phases import is_over

ENDED_FIRST: Final = "session ended"
"""The reason of what the voice took back because the session ended."""
_WHY_BY_REASON: Final[Mapping[str, str]] = {
    "too old": "it was too old before its turn came",
    "full": "too much waited",
    "newer on its topic": "a newer one on its topic took its place",
    "critical finding already told": "the same finding was told already",
    "closing": "the end of the reasoning was told instead",
    ENDED_FIRST: "the session ended first",
    "skipped": "the clinician asked for the next",
    "takeover": "the voice's process ended",
    "unconfirmed": "the listener did not confirm it",
    "repeated": "the clinician wanted to hear it again",
    "reworded": "a finding was acknowledged meanwhile",
}
_WHY_BY_PHASE: Final[Mapping[Phase, str]] = {
    Phase.QUEUED: "it still waited",
    Phase.SPEAKING: "it was being said when the record ends",
    Phase.HELD: "it was held when the record ends",
    Phase.CUT: "it was cut",
    Phase.SUPERSEDED: "a newer one took its place",
    Phase.EXPIRED: "it was too old",
    Phase.CANCELLED: "it was taken back",
    Phase.FAILED: "the voice failed on it",
}
NEVER_OFFERED: Final = "it never came to the voice"


@dataclass(frozen=True, slots=True)
class Speech:
    """The ledger, looked up. `offered_as`: entries by the id under which they were offered first."""

    entries: tuple[LedgerEntry, ...]
    offered_as: Mapping[str, tuple[LedgerEntry, ...]]
    replayed: frozenset[str]

    @classmethod
    def of(cls, entries: Sequence[LedgerEntry]) -> Speech:
        """Return the ledger with every offering under its first one's id."""
        parents = {each.utterance.utterance_id: each.utterance.replays for each in entries}
        grouped: dict[str, list[LedgerEntry]] = {}
        for entry in entries:
            grouped.setdefault(_first(entry.utterance.utterance_id, parents), []).append(entry)
        replayed = frozenset(parent for parent in parents.values() if parent is not None)
        return cls(tuple(entries), {key: tuple(group) for key, group in grouped.items()}, replayed)


def _first(utterance_id: str, parents: Mapping[str, str | None]) -> str:
    """Follow the replays back; a circle, which nobody writes, ends where it began."""
    at, seen = utterance_id, {utterance_id}
    while (parent := parents.get(at)) is not None and parent not in seen:
        seen.add(parent)
        at = parent
    return at


def counts(material: Material, speech: Speech) -> Counts:
    """Return where every utterance ended, and every item that never became one."""
    places = dict.fromkeys(
        ("heard", "superseded", "expired", "cut", "failed", "offered_again", "waiting", "unaccounted"), 0
    )
    unaccounted = []
    for entry in speech.entries:
        place = _place(entry, speech, material.record.status)
        places[place] += 1
        if place == "unaccounted":
            unaccounted.append(entry.utterance.utterance_id)
    unaccounted += [
        item_id
        for made in material.updates
        for number in range(1, len(made.update.items) + 1)
        if (item_id := f"{made.update_id}.{number}") not in speech.offered_as
    ]
    places["unaccounted"] = len(unaccounted)
    return Counts(**places, total=sum(places.values()), unaccounted_ids=tuple(unaccounted))


def _place(entry: LedgerEntry, speech: Speech, status: Status) -> str:
    match entry.phase:
        case Phase.SPOKEN:
            return "heard"
        case _ if entry.utterance.utterance_id in speech.replayed:
            return "offered_again"
        case Phase.SUPERSEDED:
            return "superseded"
        case Phase.EXPIRED:
            return "expired"
        case Phase.CUT | Phase.CANCELLED:
            return "cut"
        case Phase.FAILED:
            return "failed"
        case _:
            return "waiting" if status is Status.ABANDONED else "unaccounted"


def summary(made: MadeUpdate, speech: Speech) -> SummaryReport:
    """Return one summary with its items."""
    update = made.update
    items = tuple(
        _item(made, item, f"{made.update_id}.{number}", speech) for number, item in enumerate(update.items, 1)
    )
    heard = {item.heard for item in items}
    whole: Heard = "heard" if heard == {"heard"} else "not_heard" if heard == {"not_heard"} else "partly"
    agents = dict.fromkeys(agent for item in items for agent in item.agents)
    agents |= dict.fromkeys(covered.agent_id for covered in update.covers)
    return SummaryReport(
        number=update.number,
        update_id=made.update_id,
        path=update.path,
        made_at_ms=made.at_ms,
        agents=tuple(agents),
        fields=update.summary.model_dump(),
        heard=whole if items else "page_only",
        listening_s=round(sum(item.listening_s for item in items), 2),
        items=items,
    )


def _item(made: MadeUpdate, item: SpokenItem, item_id: str, speech: Speech) -> ItemReport:
    entries = speech.offered_as.get(item_id, ())
    heard, why = heard_of(entries)
    said = entries[-1].utterance if entries else None
    return ItemReport(
        item_id=item_id,
        text=said.text if said else item.text,
        kind=item.kind.value,
        urgency=item.urgency,
        priority=said.priority.name.lower() if said else None,
        agents=item.agents,
        heard=heard,
        why=why,
        listening_s=round(sum(map(_heard_s, entries)), 2),
        lag_s=_lag_s(made, entries),
        offerings=tuple(map(_offering, entries)),
    )


def heard_of(entries: Sequence[LedgerEntry]) -> tuple[Heard, str]:
    """Return how much of something was heard over all its offerings, and why not whole."""
    if any(entry.phase is Phase.SPOKEN for entry in entries):
        return "heard", ""
    if not entries:
        return "not_heard", NEVER_OFFERED
    last = entries[-1]
    why = _WHY_BY_REASON.get(last.reason or "", _WHY_BY_PHASE[last.phase])
    return ("partly" if any(map(_heard_s, entries)) else "not_heard"), why


def _heard_s(entry: LedgerEntry) -> float:
    return entry.move.heard / SAMPLE_RATE_HZ if entry.move else 0.0


def _offering(entry: LedgerEntry) -> Offering:
    total = entry.move.total / SAMPLE_RATE_HZ if entry.move and entry.move.complete else None
    return Offering(
        utterance_id=entry.utterance.utterance_id,
        phase=entry.phase.value,
        reason=entry.reason or "",
        heard_s=round(_heard_s(entry), 2),
        total_s=None if total is None else round(total, 2),
        ended_at_ms=entry.moved_at_ms,
    )


def _lag_s(made: MadeUpdate, entries: Sequence[LedgerEntry]) -> float | None:
    """Return the lag of a first offering that was heard; that of a later one would tell of an absence.

    Both times are the store's: of the agents' words as they were logged, and of the last move. That one
    is written when the listener has confirmed the end, up to a beat of 250 ms after it.
    """
    if not entries or entries[0].phase is not Phase.SPOKEN:
        return None
    return round(max(0.0, entries[0].moved_at_ms / 1000 - made.update.last_delta_at_s), 2)


def criticals(material: Material, speech: Speech) -> tuple[CriticalReport, ...]:
    """Return each critical finding once, those that were not acknowledged first.

    One that was made and never came to the voice is among them.
    """
    acknowledged = {
        str(logged.command.args.get("critical_key")): logged.at_ms
        for logged in reversed(material.commands)
        if logged.command.kind == "acknowledge"
    }
    by_key: dict[str, list[LedgerEntry]] = {}
    for entry in speech.entries:
        if entry.utterance.critical_key is not None:
            by_key.setdefault(entry.utterance.critical_key, []).append(entry)
    made = {item.critical_key: item for each in material.updates for item in each.update.items}
    found = []
    for key in dict.fromkeys((*by_key, *made)):
        if key is None:
            continue
        entries = by_key.get(key, [])
        told = [entry for entry in entries if entry.phase is Phase.SPOKEN]
        found.append(
            CriticalReport(
                critical_key=key,
                text=entries[0].utterance.text if entries else made[key].text,
                agents=made[key].agents if key in made else (),
                heard=heard_of(entries)[0],
                times_told=len(told),
                heard_at_ms=told[0].moved_at_ms if told else None,
                acknowledged_at_ms=acknowledged.get(key),
            )
        )
    return tuple(sorted(found, key=lambda each: each.acknowledged_at_ms is not None))


def unheard(entries: Sequence[LedgerEntry], items: Mapping[str, int]) -> int:
    """Return how many items wait in the ledger, or never came to it; greetings and answers do not count.

    `items`: how many each update has, by its id.
    """
    offered = {entry.utterance.utterance_id for entry in entries}
    waiting = sum(
        entry.utterance.update_id is not None and (not is_over(entry.phase) or entry.reason == ENDED_FIRST)
        for entry in entries
    )
    return waiting + sum(
        f"{update_id}.{number}" not in offered
        for update_id, count in items.items()
        for number in range(1, count + 1)
    )
