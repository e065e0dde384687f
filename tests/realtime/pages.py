"""A client as docs/protocol.md describes it, written again: what it has after each message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from realtime.protocol import (
    AnswerBody,
    Body,
    ClockBody,
    Past,
    Reasoning,
    SegmentBody,
    Snapshot,
    StepBody,
    Trace,
    TraceItem,
    TurnBody,
    UpdateBody,
    UtteranceBody,
)
from realtime.room.view import View


def told_by(view: View) -> list[Snapshot | Past]:
    """Return the messages of a snapshot, in their order."""
    first, parts = view.whole()
    return [first, *parts]


class Page:
    """Takes messages in their order."""

    def __init__(self) -> None:
        self.reasoning = Reasoning(phase="waiting")
        self.clock: ClockBody | None = None
        self.held: dict[str, dict[Any, Any]] = {}
        self.trace: list[TraceItem] = []

    def take(self, body: Body) -> None:
        """Take one message."""
        match body:
            case Snapshot():
                self.reasoning, self.clock, self.held = body.reasoning, body.clock, {}
                self._add(body)
                self.trace = list(body.trace)
            case Past():
                self._add(body)
                self.trace[:0] = body.trace
            case Trace():
                self.trace.extend(body.items)
            case Reasoning():
                self.reasoning = body
            case ClockBody():
                self.clock = body
            case UpdateBody() | UtteranceBody() | SegmentBody() | TurnBody() | AnswerBody() | StepBody():
                self._of_kind(body)[_id_of(body)] = body
            case _:
                pass

    def of(self, kind: str) -> Mapping[Any, Any]:
        """Return what it has of a kind, by id."""
        return self.held.get(kind, {})

    def words(self) -> dict[tuple[str, int], str]:
        """Return the words of each turn of each agent; a piece that does not follow the one before is an error."""
        said: dict[tuple[str, int], str] = {}
        ends: dict[str, int] = {}
        for item in self.trace:
            assert ends.get(item.agent_id, item.start) <= item.start, "what was said before stands before"
            ends[item.agent_id] = item.start + len(item.text)
            said[item.agent_id, item.turn] = said.get((item.agent_id, item.turn), "") + item.text
        return said

    def _add(self, body: Snapshot | Past) -> None:
        parts: Sequence[Iterable[Any]] = (
            *(body.updates, body.utterances, body.segments),
            *(body.turns, body.answers, body.steps),
        )
        for part in parts:
            self._put(part)

    def _put(self, bodies: Iterable[Any]) -> None:
        """Put what is not known before what is; what is known is replaced where it stands."""
        unknown: dict[str, dict[Any, Any]] = {}
        for each in bodies:
            kind, known = _kind_of(each), self._of_kind(each)
            (known if _id_of(each) in known else unknown.setdefault(kind, {}))[_id_of(each)] = each
        for kind, fresh in unknown.items():
            self.held[kind] = fresh | self.held[kind]

    def _of_kind(self, body: Any) -> dict[Any, Any]:
        return self.held.setdefault(_kind_of(body), {})


def _kind_of(body: Any) -> str:
    return type(body).__name__.removesuffix("Body").lower()


def _id_of(body: Any) -> Any:
    match body:
        case UpdateBody():
            return body.update_id
        case SegmentBody():
            return body.utterance_id, body.index
        case UtteranceBody():
            return body.utterance_id
        case StepBody():
            return body.step_id
        case _:
            return body.turn_id
