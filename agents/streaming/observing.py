"""Make observations of calls from their events: begin, cost, failure and end, never words. Pure.

The same for one program's calls and for a session's log, whose events are stored: what was observed in it is
read from it again at any time, and takes no room of its own (docs/decisions/044-thinking-stays-outside.md).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

from agents.stream import EventType, ProgressKind, StreamEvent, TurnMark
from agents.streaming.sockets import Observation, ObservationType

MOST_OPEN: Final = 1_000  # turns under way at once; the oldest is forgotten beyond it


class Observer:
    """Turns events, in order, into observations; words are never part of one."""

    def __init__(self) -> None:
        self._open: OrderedDict[tuple[str | None, int | None], None] = OrderedDict()

    def saw(self, event: StreamEvent, *, event_id: str, at_ms: int) -> list[Observation]:
        """Return what is observed at an event; `event_id` and `at_ms` are the log's."""
        kinds: list[tuple[ObservationType, dict[str, Any]]] = []
        turn = (event.agent_id, event.turn)
        if self._begins(event) and turn not in self._open:
            self._open[turn] = None
            while len(self._open) > MOST_OPEN:
                self._open.popitem(last=False)
            kinds.append((ObservationType.LLM_STREAM_START, {}))
        if event.llm is not None:
            kinds.append((ObservationType.LLM_STREAM_METADATA, {"llm": event.llm}))
        failed = event.progress is not None and event.progress.kind is ProgressKind.FAILED
        if failed or event.type is EventType.ERROR:
            text = event.progress.text if event.progress is not None else event.data
            kinds.append((ObservationType.LLM_STREAM_ERROR, {"text": text}))
        if self._ends(event) and (turn in self._open or event.mark is TurnMark.TURN_END):
            self._open.pop(turn, None)
            kinds.append((ObservationType.LLM_STREAM_END, {}))
        return [
            Observation(
                observation_id=event_id if number == 0 else f"{event_id}.{number}",
                at_ms=at_ms,
                type=kind,
                thread_id=event.thread_id,
                session_id=event.session_id,
                trace_id=event.llm.trace_id if event.llm and event.llm.trace_id else event.trace_id,
                agent_id=event.agent_id,
                turn=event.turn,
                **more,
            )
            for number, (kind, more) in enumerate(kinds)
        ]

    def _ends(self, event: StreamEvent) -> bool:
        """Return whether a turn that is open ends here; the END of a session ends no call that is not."""
        return event.mark in (TurnMark.TURN_END, TurnMark.TURN_ABORTED) or event.type is EventType.END

    def _begins(self, event: StreamEvent) -> bool:
        return event.type is EventType.TOKEN or event.mark is TurnMark.TURN_START
