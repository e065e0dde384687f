"""The one who calls: asks a model, tells all who watch, and puts the answer together.

    adapter (stream_call) ──▶ core ──▶ sockets: stream, observations, messages

An adapter knows none of them (tests/test_architecture.py): whoever calls decides what is told and kept.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import uuid4

from agents.costs import all_together
from agents.stream import THOUGHT, EventType, LLMMetadata, StreamEvent, TurnMark
from agents.streaming.call import CallEvent, CallOptions, ChatModel, stream_call
from agents.streaming.observing import Observer
from agents.streaming.sockets import FinalMessage, Sockets
from chat_models.errors import CallFailed

MOST_CALLS: Final = 1_000  # whose costs are told apart
MOST_BUBBLES: Final = 200


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The outcome of a call: its words without thinking, its cost, and its failure, if any."""

    text: str
    trace_id: str
    llm: LLMMetadata | None = None
    error: CallFailed | None = None


class Core:
    """Calls models in one thread of one session.

    Tokens go to the stream's socket and to nothing that is kept. What a call cost, that it failed and that it
    ended goes there too, and is observed. The whole answer is told as a message, under the call's own id.
    """

    def __init__(
        self,
        sockets: Sockets,
        *,
        thread_id: str,
        session_id: str,
        now_s: Callable[[], float] = time.monotonic,
        wall_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._sockets = sockets
        self._thread_id, self._session_id = thread_id, session_id
        self._now_s, self._wall_ms = now_s, wall_ms
        self._observer = Observer()
        self._seq = 0
        self._turn = 0
        self._costs: list[LLMMetadata] = []

    @property
    def llm_metadata(self) -> LLMMetadata:
        """What all calls up to now cost together."""
        return all_together(self._costs)

    async def process(
        self, model: ChatModel, messages: Sequence[Any], options: CallOptions, *, agent_id: str | None = None
    ) -> CallOutcome:
        """Ask, and return the answer; a failure is in it.

        Cancelling closes the provider's connection, and tells the call's turn as aborted and its end.
        """
        trace_id = options.trace_id or uuid4().hex
        self._turn += 1
        told = _Told(trace_id, agent_id, self._turn)
        self._tell(told, EventType.METADATA, mark=TurnMark.TURN_START)
        call = stream_call(model, messages, replace(options, trace_id=trace_id), now_s=self._now_s)
        words: list[str] = []
        answer = CallOutcome("", trace_id)
        try:
            async with aclosing(call) as events:
                async for event in events:
                    answer = self._take(told, event, words, answer)
        except BaseException:
            self._tell(told, EventType.METADATA, mark=TurnMark.TURN_ABORTED)
            self._tell(told, EventType.END)
            raise
        answer = replace(answer, text="".join(words))
        if answer.error is None:
            self._sockets.messages.notify(
                FinalMessage(
                    self._thread_id,
                    self._session_id,
                    trace_id,
                    answer.text,
                    agent_id=agent_id,
                    llm=answer.llm,
                )
            )
        return answer

    def _take(self, told: _Told, event: CallEvent, words: list[str], answer: CallOutcome) -> CallOutcome:
        match event.type:
            case EventType.TOKEN:
                if event.token_type not in THOUGHT:
                    words.append(event.text)
                self._tell(told, event.type, data=event.text, token_type=event.token_type)
            case EventType.METADATA:
                self._tell(told, event.type, llm=event.llm)
                if event.llm is not None:
                    self._count(event.llm)
                return replace(answer, llm=event.llm)
            case EventType.ERROR:
                self._tell(told, event.type, data=event.error.reason if event.error else "")
                return replace(answer, error=event.error)
            case EventType.END:
                self._tell(told, event.type)
        return answer

    def _count(self, llm: LLMMetadata) -> None:
        self._costs.append(llm)
        if len(self._costs) > MOST_CALLS:
            self._costs = [all_together(self._costs[:2]), *self._costs[2:]]

    def _tell(self, told: _Told, kind: EventType, **fields: Any) -> None:
        event = StreamEvent(
            type=kind,
            seq=self._seq,
            agent_id=told.agent_id,
            turn=told.turn,
            thread_id=self._thread_id,
            session_id=self._session_id,
            trace_id=told.trace_id,
            **fields,
        )
        self._seq += 1
        self._sockets.stream.notify(event)
        if kind is EventType.TOKEN:
            return
        for each in self._observer.saw(event, event_id=f"{told.trace_id}-{event.seq}", at_ms=self._wall_ms()):
            self._sockets.observations.notify(each)


@dataclass(frozen=True, slots=True)
class _Told:
    trace_id: str
    agent_id: str | None
    turn: int


@dataclass(frozen=True, slots=True)
class Bubble:
    """What is shown of one call: its words, what was thought, and how it stands."""

    text: str = ""
    thought: str = ""
    ended: bool = False
    failed: bool = False
    whole: bool = False  # the final message is there, and what was streamed is gone


class Bubbles:
    """A reader's view of the calls: a final message replaces the streamed one, whichever comes first.

    Words that come after the final message change nothing. Holds the newest `MOST_BUBBLES`.
    """

    def __init__(self) -> None:
        self._all: OrderedDict[str, Bubble] = OrderedDict()

    def saw(self, item: StreamEvent | FinalMessage) -> None:
        """Take an event of a call, or its final message."""
        bubble = self._all.get(item.trace_id, Bubble())
        self._all[item.trace_id] = _after(bubble, item)
        while len(self._all) > MOST_BUBBLES:
            self._all.popitem(last=False)

    def of(self, trace_id: str) -> Bubble:
        """Return a call's bubble; an empty one if nothing is known of it."""
        return self._all.get(trace_id, Bubble())


def _after(bubble: Bubble, item: StreamEvent | FinalMessage) -> Bubble:
    if isinstance(item, FinalMessage):
        return replace(bubble, text=item.text, whole=True)
    match item.type:
        case EventType.TOKEN if item.token_type in THOUGHT:
            return replace(bubble, thought=bubble.thought + item.data)
        case EventType.TOKEN:
            return bubble if bubble.whole else replace(bubble, text=bubble.text + item.data)
        case EventType.ERROR:
            return replace(bubble, failed=True)
        case EventType.END:
            return replace(bubble, ended=True)
        case EventType.METADATA:
            return bubble
