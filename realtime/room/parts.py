"""Cut a snapshot into messages: pressing and sounding things first, then the newest. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from realtime.protocol import (
    MAX_STATE_BYTES,
    AnswerBody,
    Past,
    Reasoning,
    SegmentBody,
    Snapshot,
    StepBody,
    TraceItem,
    TurnBody,
    UpdateBody,
    UtteranceBody,
)

FIRST_BYTES: Final = MAX_STATE_BYTES - 1024  # of the snapshot itself: room for the envelope
PART_BYTES: Final = 14_000  # of each further message: one chunk of a text stream, so that live ones pass
NEWEST_CLAUSES: Final = 4  # what is heard, and was heard just now
NEWEST_ALARMS: Final = 4  # before what sounds; the others come behind it
NEWEST_ANSWERS: Final = 3  # with what they list for the page up to 4 kB each
WITHDRAWN: Final = "withdrawn"  # why an utterance ended: its finding is taken back
_UNFINISHED: Final = frozenset({"queued", "speaking", "held"})
_FIELDS: Final[Mapping[type, str]] = {
    UpdateBody: "updates",
    UtteranceBody: "utterances",
    TraceItem: "trace",
    SegmentBody: "segments",
    TurnBody: "turns",
    AnswerBody: "answers",
    StepBody: "steps",
}

Entry = UpdateBody | UtteranceBody | TraceItem | SegmentBody | TurnBody | AnswerBody | StepBody


@dataclass(frozen=True, slots=True)
class History:
    """The contents of a snapshot and its parts, each kind oldest first."""

    updates: Sequence[UpdateBody]
    utterances: Sequence[UtteranceBody]
    trace: Sequence[TraceItem]
    segments: Sequence[SegmentBody]
    turns: Sequence[TurnBody]
    answers: Sequence[AnswerBody]
    steps: Sequence[StepBody]


def in_parts(bare: Snapshot, history: History) -> tuple[Snapshot, tuple[Past, ...]]:
    """Return a snapshot with as much of `history` as it has room for, and the rest in parts to follow it.

    `bare` is the snapshot without any of it. What no message can hold was in none, and is left out.
    """
    if _size(bare) > FIRST_BYTES:
        bare = bare.model_copy(update={"reasoning": Reasoning(phase=bare.reasoning.phase)})
    places = _places(history)
    first, *rest = _packed(_ranked(history), FIRST_BYTES - _size(bare))
    parts = len(rest) + 1
    snapshot = bare.model_copy(update={**_filled(first, places), "parts": parts})
    return snapshot, tuple(
        Past(part=part, of=parts, **_filled(entries, places)) for part, entries in enumerate(rest, start=2)
    )


def is_open(utterance: UtteranceBody) -> bool:
    """Return whether this is a critical finding that was not acknowledged."""
    critical = utterance.critical_key is not None or utterance.kind == "critical"
    return critical and not _heeded(utterance)


def _heeded(said: UtteranceBody) -> bool:
    """Return whether a finding was acknowledged, withdrawn or, if it has no key, read to its end.

    The page has the same rule (`heeded` in `web/src/state/reading.ts`).
    """
    read = said.critical_key is None and said.phase == "spoken"
    return said.acknowledged or read or said.reason == WITHDRAWN


def pressing(updates: Iterable[UpdateBody], utterances: Iterable[UtteranceBody]) -> frozenset[str]:
    """Return the ids of the updates with a critical finding that was not acknowledged.

    The newest offering of a finding counts; `utterances` are oldest first.
    """
    newest = {said.item_id: said for said in utterances}
    noted = {item_id for item_id, said in newest.items() if _heeded(said)}
    return frozenset(
        update.update_id
        for update in updates
        if any(is_critical(update, at) and item.item_id not in noted for at, item in enumerate(update.items))
    )


def is_critical(update: UpdateBody, at: int) -> bool:
    """Return whether an item of an update is a critical finding."""
    return "critical" in (update.items[at].urgency, update.items[at].kind)


def _ranked(history: History) -> Iterator[Entry]:
    """Yield each entry once, in the order of `_in_order`, behind the newer offerings of its item."""
    seen: set[tuple[object, ...]] = set()
    offered = _offered(history.utterances[::-1])
    for entry in _in_order(history):
        for each in _with_newer(entry, offered):
            key = _key(each)
            if key not in seen:
                seen.add(key)
                yield each


def _offered(utterances: Iterable[UtteranceBody]) -> dict[str | None, list[UtteranceBody]]:
    """Return the offerings of each item, in the order of `utterances`."""
    offered: dict[str | None, list[UtteranceBody]] = {}
    for said in utterances:
        offered.setdefault(said.item_id, []).append(said)
    return offered


def _with_newer(entry: Entry, offered: Mapping[str | None, Sequence[UtteranceBody]]) -> Sequence[Entry]:
    """Return the newer offerings of an entry's item, then the entry: the page puts each before the last."""
    if not isinstance(entry, UtteranceBody) or entry.item_id is None:
        return (entry,)
    newest_first = offered[entry.item_id]
    return newest_first[: newest_first.index(entry) + 1]


def _in_order(history: History) -> Iterator[Entry]:
    updates, utterances = history.updates[::-1], history.utterances[::-1]
    alarms = pressing(updates, history.utterances)
    pressed = [update for update in updates if update.update_id in alarms]
    now = [said for said in utterances if said.phase in _UNFINISHED]
    heard = {clause.utterance_id for clause in history.segments[-NEWEST_CLAUSES:]}
    sounding = [said for said in now if said.phase != "queued"]
    yield from pressed[:NEWEST_ALARMS]
    yield from sounding
    yield from history.segments[: -NEWEST_CLAUSES - 1 : -1]
    yield from pressed
    yield from filter(is_open, utterances)
    yield from now
    yield from (said for said in utterances if said.utterance_id in heard or said.critical_key)
    of_sounding = {said.update_id for said in sounding}
    yield from (update for update in updates if update.update_id in of_sounding)
    yield from history.turns[::-1]
    yield from history.answers[: -NEWEST_ANSWERS - 1 : -1]
    yield from history.steps[::-1]
    yield from _found(updates, utterances)
    yield from history.answers[::-1]
    yield from utterances
    yield from history.segments[::-1]
    yield from history.trace[::-1]


def _found(updates: Sequence[UpdateBody], utterances: Sequence[UtteranceBody]) -> Iterator[Entry]:
    """Yield each update, and behind it the utterances of its items."""
    told: dict[str | None, list[UtteranceBody]] = {}
    for said in utterances:
        told.setdefault(said.update_id, []).append(said)
    for update in updates:
        yield update
        yield from told.get(update.update_id, ())


def _packed(entries: Iterator[Entry], first: int) -> list[list[Entry]]:
    """Cut `entries` into messages of `first` and then `PART_BYTES` bytes; a longer entry gets its own."""
    packed: list[list[Entry]] = [[]]
    room = first
    for entry in entries:
        size = _size(entry) + 1
        if size > FIRST_BYTES - 1024:
            continue
        if size > room and (packed[-1] or len(packed) == 1):
            packed.append([])
            room = PART_BYTES
        packed[-1].append(entry)
        room -= size
    return packed


def _size(body: Snapshot | Entry) -> int:
    return len(body.model_dump_json().encode())


def _places(history: History) -> Callable[[Entry], int]:
    """Return a function that gives an entry's place among those of its kind."""
    kinds: tuple[Sequence[Entry], ...] = (
        history.updates,
        history.utterances,
        history.trace,
        history.segments,
        history.turns,
        history.answers,
        history.steps,
    )
    places = {_key(entry): at for kind in kinds for at, entry in enumerate(kind)}
    return lambda entry: places[_key(entry)]


def _filled(entries: Iterable[Entry], place: Callable[[Entry], int]) -> dict[str, Any]:
    """Return the fields of a message that holds `entries`, each in the order of the history."""
    fields: dict[str, list[Entry]] = {}
    for entry in sorted(entries, key=place):
        fields.setdefault(_FIELDS[type(entry)], []).append(entry)
    return {name: tuple(held) for name, held in fields.items()}


def _key(entry: Entry) -> tuple[object, ...]:
    match entry:
        case UpdateBody():
            return UpdateBody, entry.update_id
        case UtteranceBody():
            return UtteranceBody, entry.utterance_id
        case SegmentBody():
            return SegmentBody, entry.utterance_id, entry.index
        case TurnBody() | AnswerBody():
            return type(entry), entry.turn_id
        case StepBody():
            return StepBody, entry.step_id
        case TraceItem():
            return TraceItem, entry.agent_id, entry.start, id(entry)
