"""One way to ask a chat model: a deadline over all tries, back-off, a breaker, and one tree of errors.

What a client raises is translated in `errors`; what it answers is checked here. No prompt and no answer is
logged, and nothing is traced to a third party whatever the environment says.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from chat_models.breaker import Breaker
from chat_models.errors import (
    CallFailed,
    Empty,
    Looping,
    Overdue,
    Overlong,
    Refused,
    SwitchedOff,
    TokenLimit,
    TooLong,
    Unparsable,
    translated,
)
from chat_models.forms import form_of
from chat_models.jsonout import objects_in
from chat_models.whole_answers import whole_answer
from exaim_live.pieces import pieces_of
from exaim_live.stop_reasons import REFUSED, is_cut, stop_reason_of
from exaim_live.thinking import split_whole

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import RunnableConfig

log = logging.getLogger(__name__)

Messages = Sequence[tuple[str, Any]]
"""Who says what: text, or LangChain's blocks of text and images."""
Shape = TypeVar("Shape", bound=BaseModel)
_Answer = TypeVar("_Answer")
_ANSWERED: Final = (Refused, Unparsable, TooLong, Empty, TokenLimit, Looping, Overlong)
"""The service is well; it is this answer that is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """How long one question may take, and how often it is asked."""

    deadline_s: float = 6.0  # over all tries; with the judge's 2 s, the 8 s in which news is to be said
    tries: int = 3
    backoff_s: float = 0.25  # before the second try; doubled each time, with up to half of it more at random
    backoff_max_s: float = 2.0

    def __post_init__(self) -> None:
        if self.deadline_s <= 0 or self.tries < 1 or self.backoff_s < 0:
            raise ValueError("a call wants a deadline above 0 and at least one try")


@dataclass(frozen=True, slots=True)
class Pace:
    """The clock, the wait and the chance of the retries: replaced in tests."""

    now_s: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random


@dataclass(slots=True)
class Counts:
    """What was asked and what it cost; `failures` by reason, tokens as the services count them.

    `unmetered` counts answers of which the service told no tokens.
    """

    calls: int = 0
    retries: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unmetered: int = 0
    failures: Counter[str] = field(default_factory=Counter)


class ModelCaller:
    """Asks one model. May be shared by sessions: then they share the breaker too.

    `name` is the model's, as people are told it.
    """

    def __init__(
        self,
        model: BaseChatModel,
        *,
        structured: str = "json_schema",
        streaming: bool = True,
        limits: CallLimits | None = None,
        breaker: Breaker | None = None,
        pace: Pace | None = None,
        name: str = "",
    ) -> None:
        self.name = name
        self._model = model
        self.method = structured
        self.streaming = streaming
        self.limits = limits or CallLimits()
        self.breaker = breaker or Breaker()
        self._pace = pace or Pace()
        self.counts = Counts()
        self._at: dict[float, BaseChatModel] = {}  # the model at another temperature than its own

    async def text(
        self,
        messages: Messages,
        *,
        deadline_s: float | None = None,
        into: Counts | None = None,
        temperature: float | None = None,
    ) -> str:
        """Return the whole answer; arguments as of `structured`. Raises CallFailed."""
        model = self.model_at(temperature)

        async def ask() -> str:
            return _text(self._checked(await model.ainvoke(list(messages), config=_alone()), into))

        return await self.asked(ask, deadline_s=deadline_s, into=into)

    async def structured(
        self,
        messages: Messages,
        shape: type[Shape],
        *,
        deadline_s: float | None = None,
        into: Counts | None = None,
        temperature: float | None = None,
        form_told: bool = False,
    ) -> Shape:
        """Return the answer as `shape`, by the provider's own way or else as JSON in the text.

        `deadline_s` and `temperature` in place of the caller's and the model's own; retries and tokens are
        counted `into` somebody's own counts too. `form_told`: the messages say themselves which JSON is wanted.

        Raises CallFailed. Unparsable, TokenLimit, Looping and Overlong hold what was answered, and are not tried
        again, as the same question brings the same answer.
        """
        model = self.model_at(temperature)
        runnable = self._runnable(model, shape)
        if not form_told and (runnable is None or self.method == "json_mode"):
            messages = _with_form(messages, shape)

        async def ask() -> Shape:
            if runnable is None:
                message = self._checked(await self._whole(model, messages, into), into)
                return answer_as(shape, _text(message))
            found: Mapping[str, Any] = await runnable.ainvoke(list(messages), config=_alone())
            raw = self._checked(found["raw"], into)
            parsed = found.get("parsed")
            ready = (dict(parsed),) if isinstance(parsed, Mapping) else ()
            return _valid(shape, chain(ready, _objects(_parts(raw))), _text(raw))

        return await self.asked(ask, deadline_s=deadline_s, into=into)

    async def asked(
        self,
        ask: Callable[[], Awaitable[_Answer]],
        *,
        deadline_s: float | None = None,
        into: Counts | None = None,
    ) -> _Answer:
        """Ask in a way of one's own: under the same deadline, tries, back-off and breaker. Raises CallFailed."""
        from langsmith import tracing_context

        async with self._one_call(deadline_s):
            with tracing_context(enabled=False):
                return await self._tried(ask, deadline_s or self.limits.deadline_s, into)

    # -- inside ----------------------------------------------------------------------------------

    def model_at(self, temperature: float | None) -> BaseChatModel:
        """Return the model at a temperature: a copy that shares the client, or itself if it knows of none.

        A temperature that is given with a call is lost within `with_structured_output`.
        """
        model = self._model
        if temperature is None or "temperature" not in type(model).model_fields:
            return model
        if temperature not in self._at:
            self._at[temperature] = model.model_copy(update={"temperature": temperature})
        return self._at[temperature]

    def _runnable(self, model: BaseChatModel, shape: type[BaseModel]) -> Any:
        """Return the model bound to a shape, or None where it answers in text only."""
        if self.method == "text":
            return None
        schema = {"title": shape.__name__, "description": shape.__doc__ or "", **shape.model_json_schema()}
        try:
            return model.with_structured_output(schema, method=self.method, include_raw=True)
        except NotImplementedError:
            return None

    @asynccontextmanager
    async def _one_call(self, deadline_s: float | None = None) -> AsyncGenerator[None, None]:
        """Let one call through if the breaker does, within the deadline, and count what becomes of it."""
        if not self.breaker.allows(self._pace.now_s()):
            self.counts.failures[SwitchedOff.reason] += 1
            raise SwitchedOff
        self.counts.calls += 1
        try:
            async with asyncio.timeout(deadline_s or self.limits.deadline_s) as deadline:
                yield
        except Exception as error:  # whatever a client raises becomes one of ours, cut off or not
            late = deadline.expired()
            short = deadline_s is not None and deadline_s < self.limits.deadline_s
            raise self._failed(TimeoutError() if late else error, excused=late and short) from None
        except BaseException:
            self.breaker.abandoned()
            raise
        self.breaker.succeeded()

    async def _tried(
        self, ask: Callable[[], Awaitable[_Answer]], deadline_s: float, into: Counts | None
    ) -> _Answer:
        until_s = self._pace.now_s() + deadline_s
        wait_s = self.limits.backoff_s
        for left in reversed(range(self.limits.tries)):
            try:
                return await ask()
            except Exception as error:  # a client raises anything
                failed = _ours(error)
                pause_s = pause_before(failed, wait_s, self._pace.chance())
                if not failed.retryable or not left or self._pace.now_s() + pause_s >= until_s:
                    raise failed from None
            for counts in filter(None, (self.counts, into)):
                counts.retries += 1
            await self._pace.sleep(pause_s)
            wait_s = min(wait_s * 2, self.limits.backoff_max_s)
        raise AssertionError("the last try returns or raises")

    async def _whole(self, model: BaseChatModel, messages: Messages, into: Counts | None) -> BaseMessage:
        """Return an answer of JSON in text, watched while it is written if the model streams."""
        if self.streaming:
            try:
                return await whole_answer(model, messages, _alone())
            except (Looping, Overlong):
                self._unmetered(into)  # it was left before it could say what it cost
                raise
        return await model.ainvoke(list(messages), config=_alone())

    def _failed(self, error: Exception, *, excused: bool = False) -> CallFailed:
        """Count a failure. `excused`: whoever asked gave it less than its time, so the breaker learns nothing."""
        failed = _ours(error)
        self.counts.failures[failed.reason] += 1
        if excused:
            self.breaker.abandoned()
        elif isinstance(failed, _ANSWERED):
            self.breaker.succeeded()
        else:
            self.breaker.failed(self._pace.now_s())
        log.warning("a model call failed: %s", failed.reason)
        return failed

    def _unmetered(self, into: Counts | None) -> None:
        for counts in filter(None, (self.counts, into)):
            counts.unmetered += 1

    def _checked(self, message: BaseMessage, into: Counts | None = None) -> BaseMessage:
        for counts in filter(None, (self.counts, into)):
            _count(message, counts)
        _refuse_if_filtered(message)
        if is_cut(_finish(message)):
            raise TokenLimit("its provider ended the answer at a limit of tokens", answer=_text(message))
        return message


def _with_form(messages: Messages, shape: type[BaseModel]) -> Messages:
    """Return the messages with the form under the instructions: one system message, as many templates take no two."""
    (role, content), *others = messages
    if role != "system" or not isinstance(content, str):
        return [("system", form_of(shape)), *messages]
    return [(role, f"{content}\n{form_of(shape)}"), *others]


def pause_before(failed: CallFailed, wait_s: float, chance: float) -> float:
    """Return how long to wait before the next try: up to half longer by chance, and never less than was asked for."""
    return max(wait_s * (1 + chance / 2), failed.retry_after_s or 0.0)


def _count(message: BaseMessage, counts: Counts) -> None:
    from langchain_core.messages import BaseMessageChunk  # loaded long since, by the model

    usage = getattr(message, "usage_metadata", None)
    if usage:
        counts.input_tokens += usage["input_tokens"]
        counts.output_tokens += usage["output_tokens"]
    elif not isinstance(message, BaseMessageChunk):  # of a stream, one piece alone tells them
        counts.unmetered += 1


def _alone() -> RunnableConfig:
    """Return a configuration without the caller's callbacks: what we ask is not the agents' talk."""
    return {"callbacks": [], "tags": [], "metadata": {}}


def _ours(error: Exception) -> CallFailed:
    if isinstance(error, CallFailed):
        return error
    return Overdue("the deadline passed") if isinstance(error, TimeoutError) else translated(error)


def _text(message: BaseMessage) -> str:
    """Return the text of a whole answer; thinking and tool calls are none, marked as they may be."""
    said = "".join(piece.text for piece in pieces_of(message) if not piece.thinking)
    return "".join(part.text for part in split_whole(said) if not part.hidden)


def _finish(message: BaseMessage) -> str:
    return (stop_reason_of(message.response_metadata) or "").lower()


def _refuse_if_filtered(message: BaseMessage) -> None:
    blocked = message.response_metadata.get("prompt_feedback") or {}
    reason = blocked.get("block_reason") if isinstance(blocked, Mapping) else None
    if message.additional_kwargs.get("refusal") or _finish(message) in REFUSED or reason:
        raise Refused("the model would not answer")


def _parts(message: BaseMessage) -> tuple[str, ...]:
    """Return where an answer's JSON may be: its text, then the arguments of calls that could not be read."""
    calls = [*getattr(message, "invalid_tool_calls", ())]
    return (_text(message), *(str(call.get("args") or "") for call in calls))


def _objects(parts: Iterable[str]) -> Iterable[dict[str, Any]]:
    return (found for part in parts for found in objects_in(part))


def answer_as(shape: type[Shape], text: str) -> Shape:
    """Return the first object in `text` that has the shape. Raises: Unparsable, which holds the text."""
    return _valid(shape, objects_in(text), text)


def _valid(shape: type[Shape], found: Iterable[dict[str, Any]], text: str) -> Shape:
    for each in found:
        try:
            return shape.model_validate(each)
        except ValidationError:
            continue
    raise Unparsable(f"no {shape.__name__} in the answer", answer=text)
