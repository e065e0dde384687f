"""One call of a chat model as events: words as they come, what it cost, how it ended.

Any LangChain chat model. Nothing here knows a page, a log or a store: whoever reads the events decides.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias
from uuid import uuid4

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, ToolCall
from langchain_core.runnables import Runnable, RunnableConfig
from langsmith import tracing_context

from agents.stream import EventType, LLMMetadata, TokenContext, TokenType
from chat_models.errors import CallFailed, CutShort, Overdue, Refused, translated
from chat_models.stream_closing import closing_stream
from exaim_live.pieces import Piece, pieces_of
from exaim_live.stop_reasons import REFUSED
from exaim_live.thinking import Splitter, split_whole
from exaim_live.usage import Meter

log = logging.getLogger(__name__)

ChatModel: TypeAlias = Runnable[LanguageModelInput, AIMessage]
"""A `BaseChatModel`, or one with tools bound to it."""

DEADLINE_S: Final = 900.0  # of a whole call: a slow model at home thinks for minutes
SILENCE_S: Final = 300.0  # without any piece: a connection that is dead and does not know


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """How a model is called, and for what.

    `context` says what its words are for, and so their type. `on_thought` hears each piece of an agent's
    thought, thinking or response, and no other. `trace_id` names the call; by default it is a new one.
    `thinks_first`: the answer begins with thinking of which only the end is marked, as some templates have it.
    """

    stream: bool = True
    context: TokenContext = TokenContext.OTHER
    on_thought: Callable[[str], None] | None = None
    trace_id: str | None = None
    deadline_s: float = DEADLINE_S
    silence_s: float = SILENCE_S
    thinks_first: bool = False

    def __post_init__(self) -> None:
        if self.deadline_s <= 0 or self.silence_s <= 0:
            raise ValueError("a call wants a deadline and a bound of silence above 0 s")


@dataclass(frozen=True, slots=True)
class CallEvent:
    """One event of a call.

    TOKEN has `text` and `token_type`; METADATA has `llm`, once a call; ERROR has `error`, at most once; END is
    the last one, always, and has the calls of tools that the model asks for.
    """

    type: EventType
    text: str = ""
    token_type: TokenType | None = None
    llm: LLMMetadata | None = None
    error: CallFailed | None = None
    tool_calls: tuple[ToolCall, ...] = ()


async def stream_call(
    model: ChatModel,
    messages: Sequence[Any],
    options: CallOptions | None = None,
    *,
    now_s: Callable[[], float] = time.monotonic,
) -> AsyncGenerator[CallEvent, None]:
    """Ask `model`, and yield what comes of it; it is asked once and never again.

    A failure is an ERROR event, and what was written before it stays. Nothing is raised but a cancellation.
    Closing this generator ends the call and closes the provider's connection.
    """
    call = _Call(options or CallOptions(), now_s)
    events = call.streamed(model, messages) if call.options.stream else call.whole(model, messages)
    error: CallFailed | None = None
    async with aclosing(events):
        try:
            async for event in events:
                yield event
        except Exception as raised:  # a client raises anything
            error = _ours(raised)
    for event in call.rest():
        yield event
    metadata = call.metadata()
    if metadata is not None:
        yield CallEvent(EventType.METADATA, llm=metadata)
    error = error or call.failure()
    if error is not None:
        log.warning("a call of a model failed: %s", error.reason)
        yield CallEvent(EventType.ERROR, error=error)
    yield CallEvent(EventType.END, tool_calls=() if error is not None else call.tool_calls())


@dataclass(slots=True)
class _Call:
    """One call under way."""

    options: CallOptions
    now_s: Callable[[], float]
    meter: Meter = field(init=False)
    splitter: Splitter = field(init=False)
    calling: list[BaseMessage] = field(default_factory=list)  # the pieces that call tools
    filtered: bool = False
    spoke: bool = False
    began: bool = False

    def __post_init__(self) -> None:
        self.meter = Meter(self.now_s(), self.options.trace_id or uuid4().hex)
        self.splitter = Splitter(thinks_first=self.options.thinks_first)

    async def streamed(self, model: ChatModel, messages: Sequence[Any]) -> AsyncGenerator[CallEvent, None]:
        """Yield the words of a stream."""
        chunks: Any = model.astream(list(messages), config=alone())
        until_s = asyncio.get_running_loop().time() + self.options.deadline_s
        async with closing_stream(chunks):
            while (chunk := await self._next(chunks, until_s)) is not None:
                self._note(chunk)
                for piece in pieces_of(chunk):
                    for event in self._split(piece):
                        yield event

    async def whole(self, model: ChatModel, messages: Sequence[Any]) -> AsyncGenerator[CallEvent, None]:
        """Yield the words of an answer that comes at once: its thinking, then its text as one piece."""
        async with asyncio.timeout(self.options.deadline_s):
            with tracing_context(enabled=False):
                message = await model.ainvoke(list(messages), config=alone())
        self._note(message)
        pieces = pieces_of(message)
        parts = split_whole("".join(piece.text for piece in pieces if not piece.thinking))
        thought = "".join(piece.text for piece in pieces if piece.thinking)
        thought += "".join(part.text for part in parts if part.hidden)
        if thought:
            yield self._token(thought, thinking=True)
        said = "".join(part.text for part in parts if not part.hidden)
        if said:
            yield self._token(said, thinking=False)

    def rest(self) -> Iterator[CallEvent]:
        """Yield what was held back as the beginning of a tag, at the end of all."""
        for part in self.splitter.end_turn():
            yield self._token(part.text, thinking=part.hidden)

    def metadata(self) -> LLMMetadata | None:
        """Return what the call cost up to now; None if nothing was said and nothing came."""
        return self.meter.told(self.now_s())

    def failure(self) -> CallFailed | None:
        """Return what is wrong with a call that ended without an error, if anything is."""
        if self.filtered or (self.meter.usage.stop_reason or "").lower() in REFUSED:
            return Refused("the model would not answer")
        if self.meter.usage.provider is not None and self.meter.usage.stop_reason is None:
            return CutShort("the stream ended without saying so")
        return None

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """Return the calls of tools, put together from their pieces."""
        if not self.calling:
            return ()
        first, *others = self.calling
        for other in others:
            first = first + other  # type: ignore[assignment]  # chunks of one message make a chunk
        return tuple(getattr(first, "tool_calls", ()))

    async def _next(self, chunks: AsyncIterator[BaseMessage], until_s: float) -> BaseMessage | None:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout_at(min(until_s, loop.time() + self.options.silence_s)):
            if self.began:
                return await anext(chunks, None)
            self.began = True
            with tracing_context(enabled=False):  # read once, when the stream begins; not around a yield
                return await anext(chunks, None)

    def _note(self, message: BaseMessage) -> None:
        self.meter.note(message)
        if getattr(message, "tool_call_chunks", None) or getattr(message, "tool_calls", None):
            self.calling.append(message)
        blocked = message.response_metadata.get("prompt_feedback") or {}
        if message.additional_kwargs.get("refusal") or (
            isinstance(blocked, dict) and blocked.get("block_reason")
        ):
            self.filtered = True

    def _split(self, piece: Piece) -> Iterator[CallEvent]:
        if piece.thinking:
            yield self._token(piece.text, thinking=True)
            return
        for part in self.splitter.take(piece.text):
            yield self._token(part.text, thinking=part.hidden)

    def _token(self, text: str, *, thinking: bool) -> CallEvent:
        if not self.spoke:
            self.spoke = True
            self.meter.began_to_speak(self.now_s())
        self._tell(text)
        return CallEvent(EventType.TOKEN, text, TokenType.of(self.options.context, thinking=thinking))

    def _tell(self, text: str) -> None:
        if self.options.on_thought is None or self.options.context is not TokenContext.AGENT_THOUGHT:
            return
        try:
            self.options.on_thought(text)
        except Exception as error:  # a stranger's function: its errors must not end the call
            log.warning("a listener to thoughts raised %s", type(error).__name__)


def alone() -> RunnableConfig:
    """Return a configuration without the caller's callbacks: who calls tells the words by itself."""
    return {"callbacks": [], "tags": [], "metadata": {}}


def _ours(error: Exception) -> CallFailed:
    if isinstance(error, CallFailed):
        return error
    return Overdue("the deadline passed") if isinstance(error, TimeoutError) else translated(error)
