"""Our values as the page's messages. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.stream import THOUGHT, EventType, StreamEvent
from exaim_core import Update, spoken_name
from realtime.blobs import without_blobs
from realtime.narrator import first_offering, item_id
from realtime.protocol import (
    FallbackBody,
    ItemBody,
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


def trace_items(events: Sequence[StreamEvent]) -> list[TraceItem]:
    """Return what the agents answered, for the raw panel; thinking, marks and other events are not shown."""
    return [
        TraceItem(
            agent_id=event.agent_id,
            name=spoken_name(event.agent_id),
            turn=event.turn or 0,
            text=event.data,
        )
        for event in events
        if event.type is EventType.TOKEN
        and event.token_type not in THOUGHT
        and event.agent_id is not None
        and event.data
    ]
