"""Call plain functions with every text taken in and every summary made; their errors harm nothing."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable

from exaim_core.schema import AgentSummary

log = logging.getLogger(__name__)

TraceCallback = Callable[[str, str], None]
SummaryCallback = Callable[[AgentSummary], None]


class Listeners:
    """The callbacks of one engine, in the order of their registration."""

    def __init__(self) -> None:
        self._on_trace: list[TraceCallback] = []
        self._on_summary: list[SummaryCallback] = []

    def of_traces(self, callback: TraceCallback) -> None:
        """Add a callback for texts. Raises TypeError for a coroutine function."""
        self._on_trace.append(_plain_callback(callback))

    def of_summaries(self, callback: SummaryCallback) -> None:
        """Add a callback for summaries. Raises TypeError for a coroutine function."""
        self._on_summary.append(_plain_callback(callback))

    def tell_trace(self, agent_id: str, text: str) -> None:
        """Call the callbacks for a text."""
        for callback in self._on_trace:
            _tell("trace", callback, agent_id, text)

    def tell_summary(self, summary: AgentSummary) -> None:
        """Call the callbacks for a summary."""
        for callback in self._on_summary:
            _tell("summary", callback, summary)


def _tell(kind: str, callback: Callable[..., None], *args: object) -> None:
    """Call a stranger's callback; an exception that it raises is logged and goes no further."""
    try:
        callback(*args)
    except Exception as error:  # a callback is not our code: none of its errors may leave it
        log.warning("a %s callback raised %s", kind, type(error).__name__)


def _plain_callback(callback: Callable[..., None]) -> Callable[..., None]:
    if inspect.iscoroutinefunction(callback):
        raise TypeError("a callback must be a plain function; a coroutine would never be awaited")
    return callback
