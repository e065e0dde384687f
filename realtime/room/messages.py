"""Our values as the page's messages. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from agents.costs import Costs
from agents.stream import THOUGHT, EventType, StreamEvent, TurnMark
from exaim_core import Update, spoken_name
from exaim_live.thinking import Part, Splitter
from realtime.protocol import (
    CostBody,
    CostsBody,
    FallbackBody,
    ItemBody,
    NoticeBody,
    ReadBody,
    ReaderBody,
    SegmentBody,
    SummaryBody,
    ThoughtItem,
    TraceItem,
    UpdateBody,
    UtteranceBody,
    Word,
)
from realtime.room.evidence import evidence_body
from realtime.speech.narrator import first_offering, item_id
from realtime.team.long_words import cut_long_words
from tts_queue import HoldCause, Phase, SegmentStarted, Utterance


def update_body(update: Update, update_id: str) -> UpdateBody:
    """Return an update for the page; item ids are those of the utterances."""
    return UpdateBody(
        update_id=update_id,
        number=update.number,
        path=update.path,
        summary=SummaryBody(**{name: cut_long_words(text) for name, text in update.summary}),
        items=tuple(
            ItemBody(
                item_id=item_id(update_id, number),
                kind=item.kind.value,
                text=cut_long_words(item.text),
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


def costs_body(costs: Costs) -> CostsBody:
    """Return what the agents' models cost for the page."""
    return CostsBody(
        agents=tuple(
            CostBody(
                agent_id=agent_id,
                name=spoken_name(agent_id),
                calls=spent.calls,
                input_tokens=spent.input_tokens,
                output_tokens=spent.output_tokens,
                thinking_tokens=spent.thinking_tokens,
            )
            for agent_id, spent in costs.by_agent().items()
        )
    )


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


ENDED_BY: Final[Mapping[str, str]] = {"store_gone": "store_back", "read_late": "read_in_time"}
"""Notices that are true for a while, and which one says that they no longer are; `ENDS` in view.ts has them too."""
_PACE: Final = {
    "read_late": "This team writes faster than it can be read; it is read with a delay.",
    "read_in_time": "The team's words are read in time again.",
}


def store_notice(*, gone: bool) -> NoticeBody:
    """Return the notice that the store went, or is back."""
    if gone:
        text = "The store is away: the voice is silent, so that nothing is said twice."
        return NoticeBody(code="store_gone", text=text)
    return NoticeBody(code="store_back", text="The store is back: the voice goes on.")


def pace_notice(code: str) -> NoticeBody:
    """Return the notice that the team is read with a delay, or no longer is."""
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


@dataclass(slots=True)
class WrittenSoFar:
    """What one agent has written up to now: characters of its answers and of its thoughts, and open tags."""

    said: int = 0
    thought: int = 0
    turn: int = 0
    splitter: Splitter = field(default_factory=Splitter)


def trace_items(
    events: Sequence[StreamEvent], written: MutableMapping[str, WrittenSoFar]
) -> list[TraceItem | ThoughtItem]:
    """Return what the agents answered, for the raw panel, and what their models thought on the way to it.

    Thoughts are apart, whether they are typed as such or stand in tags. Marks and other events are not shown.

    `written` holds how far each agent is, and is brought up to date: what was answered is counted in step with
    what the engine was fed, so that the places of evidence are places here.
    """
    items: list[TraceItem | ThoughtItem] = []
    for event in events:
        if event.agent_id is None:
            continue
        own = written.setdefault(event.agent_id, WrittenSoFar())
        if event.type is EventType.TOKEN and event.data:
            own.turn = event.turn or 0
            items += _items(event.agent_id, own, _parts(event, own))
        elif event.mark is TurnMark.TURN_END:
            items += _items(event.agent_id, own, own.splitter.end_turn())
    return items


def _parts(event: StreamEvent, own: WrittenSoFar) -> list[Part]:
    if event.token_type in THOUGHT:
        return [Part(event.data, 0, True)]
    at, own.said = own.said, own.said + len(event.data)
    return own.splitter.take(event.data, at)


def _items(agent_id: str, own: WrittenSoFar, parts: Iterable[Part]) -> Iterator[TraceItem | ThoughtItem]:
    name = spoken_name(agent_id)
    for part in parts:
        if part.hidden:
            start, own.thought = own.thought, own.thought + len(part.text)
            yield ThoughtItem(agent_id=agent_id, name=name, turn=own.turn, text=part.text, start=start)
        else:
            yield TraceItem(agent_id=agent_id, name=name, turn=own.turn, text=part.text, start=part.at)
