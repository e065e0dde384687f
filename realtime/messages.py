"""Our values as the page's messages. Pure."""

from __future__ import annotations

from collections.abc import MutableMapping, Sequence
from typing import Final

from agents.stream import THOUGHT, EventType, StreamEvent
from exaim_core import Update, spoken_name
from realtime.blobs import without_blobs
from realtime.evidence import evidence_body
from realtime.narrator import first_offering, item_id
from realtime.protocol import (
    FallbackBody,
    ItemBody,
    NoticeBody,
    ReadBody,
    ReaderBody,
    SegmentBody,
    SummaryBody,
    TraceItem,
    UpdateBody,
    UtteranceBody,
    Word,
)
from tts_queue import HoldCause, Phase, SegmentStarted, Utterance


def update_body(update: Update, update_id: str) -> UpdateBody:
    """Return an update for the page; item ids are those of the utterances."""
    return UpdateBody(
        update_id=update_id,
        number=update.number,
        path=update.path,
        summary=SummaryBody(**{name: without_blobs(text) for name, text in update.summary}),
        items=tuple(
            ItemBody(
                item_id=item_id(update_id, number),
                kind=item.kind.value,
                text=without_blobs(item.text),
                topic=item.topic,
                urgency=item.urgency,
            )
            for number, item in enumerate(update.items, start=1)
        ),
        engine=update.engine,
        model=update.model,
        by_model=update.by_model,
        fallbacks=tuple(FallbackBody(part=each.part, reason=each.reason) for each in update.fallbacks),
        truncated=update.truncated,
        evidence=evidence_body(update),
        read_by=ReadBody(**update.read_by.model_dump()) if update.read_by is not None else None,
    )


def reader_body(reader: tuple[str, str, str] | None) -> ReaderBody | None:
    """Return who reads the agents' words for the page: the name, the model and the host."""
    return None if reader is None else ReaderBody(name=reader[0], model=reader[1], host=reader[2])


def utterance_body(
    utterance: Utterance,
    phase: Phase,
    *,
    cause: HoldCause | None = None,
    reason: str = "",
    acknowledged: bool = False,
) -> UtteranceBody:
    """Return an utterance and its phase for the page."""
    return UtteranceBody(
        utterance_id=utterance.utterance_id,
        update_id=utterance.update_id,
        item_id=first_offering(utterance.utterance_id) if utterance.update_id else None,
        kind=utterance.kind,
        priority=utterance.priority.name.lower(),
        text=utterance.text,
        phase=phase.value,
        cause=cause.value if cause else None,
        reason=reason,
        critical_key=utterance.critical_key,
        acknowledged=acknowledged,
        replays=utterance.replays,
    )


_PACE: Final = {
    "read_late": "This team writes faster than it can be read; it is read with a delay.",
    "read_in_time": "The team's words are read in time again.",
}


def pace_notice(code: str) -> NoticeBody:
    """Return what the page is told when the team is read with a delay, and when that is over."""
    return NoticeBody(code=code, text=_PACE[code])


def segment_body(event: SegmentStarted) -> SegmentBody:
    """Return a clause and its words' times for the page."""
    return SegmentBody(
        utterance_id=event.utterance_id,
        index=event.index,
        of=event.of,
        start_sample=event.start_sample,
        samples=event.samples,
        words=tuple(Word(text=word, start_sample=start, end_sample=end) for word, start, end in event.words),
    )


def trace_items(events: Sequence[StreamEvent], said: MutableMapping[str, int]) -> list[TraceItem]:
    """Return what the agents answered, for the raw panel; thinking, marks and other events are not shown.

    `said` holds how many characters each agent has answered, and is brought up to date: it is in step with
    what the engine was fed, so that the places of evidence are places here.
    """
    items: list[TraceItem] = []
    for event in events:
        if event.type is not EventType.TOKEN or event.token_type in THOUGHT:
            continue
        if event.agent_id is None or not event.data:
            continue
        start = said.get(event.agent_id, 0)
        said[event.agent_id] = start + len(event.data)
        items.append(
            TraceItem(
                agent_id=event.agent_id,
                name=spoken_name(event.agent_id),
                turn=event.turn or 0,
                text=event.data,
                start=start,
            )
        )
    return items
