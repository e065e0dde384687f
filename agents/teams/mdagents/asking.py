"""The one place from which a model is asked: its history, its account, and what a failure means.

Back-off with jitter, Retry-After, deadline and breaker are `ModelCaller`'s.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel

from agents.stream import NAME_MAX, THOUGHT, LLMMetadata
from agents.streaming import CallOptions, stream_call
from agents.teams.mdagents.ledger import Ledger, Spent
from agents.teams.mdagents.telling import Listener, Nobody
from agents.teams.mdagents.writing import Aloud, field_of, said_so_far
from agents.teams.port import Models
from exaim_core.llm.breaker import Breaker, BreakerLimits
from exaim_core.llm.calls import CallLimits, Counts, ModelCaller, Pace, answer_as
from exaim_core.llm.errors import CallFailed, SwitchedOff, Unparsable

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)
BATCH: Final = CallLimits(deadline_s=300.0, tries=12, backoff_s=1.0, backoff_max_s=30.0)
"""Nobody waits for a batch, so a service that answers 429 for minutes is waited for."""
LIVE: Final = CallLimits(deadline_s=180.0, tries=3, backoff_s=0.5, backoff_max_s=4.0)
"""Somebody listens: an expert who does not come back is named and done without."""


class Callers:
    """A caller for each model of a team; shared by the cases of a batch, as are their breakers."""

    def __init__(
        self,
        models: Models,
        *,
        structured: str = "text",
        limits: CallLimits = BATCH,
        pace: Pace | None = None,
    ) -> None:
        self._models, self._structured, self._limits = models, structured, limits
        self._pace = pace or Pace(now_s=_loop_s)
        self._by_model: dict[int, ModelCaller] = {}

    def of(self, role: str) -> ModelCaller:
        """Return the caller of a role's model. Raises: LLMError, with what to set."""
        model: BaseChatModel = self._models.of(role)
        if id(model) not in self._by_model:
            name = getattr(model, "model_name", None) or getattr(model, "model", None) or ""
            self._by_model[id(model)] = ModelCaller(
                model,
                structured=self._structured,
                limits=self._limits,
                # a dozen failures in a row, each after all its tries, are no bad luck
                breaker=Breaker(BreakerLimits(failures=12, open_s=30.0)),
                pace=self._pace,
                name=str(name),
            )
        return self._by_model[id(model)]


@dataclass(slots=True)
class Agent:
    """One voice of a team: its name, the role by which it gets its model, its instruction and what was said."""

    name: str
    role: str
    instruction: str
    history: list[tuple[str, str]] = field(default_factory=list)


class Asker:
    """Asks agents on one case, and keeps its account."""

    def __init__(self, callers: Callers, listener: Listener | None = None) -> None:
        self._callers = callers
        self._listener = listener or Nobody()
        self.ledger = Ledger()

    async def ask(
        self,
        agent: Agent,
        question: str,
        shape: type[Shape],
        *,
        run: str,
        temperature: float,
        keep: bool = True,
        aloud: Aloud | None = None,
    ) -> Shape:
        """Return an agent's answer; with `keep`, question and answer go into its history.

        With `aloud`, its prose is told while it is written, where the listener wants that and the model can.

        Raises: Unparsable, with the text that was answered; any other CallFailed: nothing was answered.
        """
        counts, began_s = Counts(), _loop_s()
        cost: LLMMetadata | None = None
        failed: CallFailed | None = None
        caller = self._callers.of(agent.role)
        try:
            counts.calls += 1
            messages = [("system", agent.instruction), *agent.history, ("human", question)]
            if aloud is None or not self._can_be_heard(caller, shape):
                found = await caller.structured(messages, shape, into=counts, temperature=temperature)
            else:
                model = caller.model_at(temperature)
                written = await self._written(agent.name, run, model, messages, shape, aloud, caller)
                cost = written.cost
                _count(cost, counts)
                found = await self._taken(written, caller, messages, shape, counts, temperature)
        except CallFailed as error:
            failed = error
            if isinstance(error, SwitchedOff):
                counts.calls -= 1  # nothing was sent
            log.warning("%s gave no %s: %s", agent.name, run, error.reason)
        finally:
            spent = Spent.of(counts)
            spent.failed = int(failed is not None)
            self.ledger.add(agent.name, run, spent)
        whole = _metadata(caller.name, counts, _loop_s() - began_s)
        if cost is not None and counts.calls == 1:  # of a stream more is known
            whole = whole.model_copy(
                update=cost.model_dump(include={"time_to_first_token_ms", "thinking_tokens", "stop_reason"})
            )
        await self._listener.cost(agent.name, run, whole)
        if failed is not None:
            raise failed
        if keep:
            agent.history += [("human", question), ("ai", found.model_dump_json())]
        return found

    async def ask_or_prose(
        self,
        agent: Agent,
        question: str,
        shape: type[Shape],
        *,
        run: str,
        temperature: float,
        keep: bool = True,
        aloud: Aloud | None = None,
    ) -> Shape | str:
        """Return the answer, or its text where it has not the shape. Raises: CallFailed: nothing was answered."""
        try:
            return await self.ask(
                agent, question, shape, run=run, temperature=temperature, keep=keep, aloud=aloud
            )
        except Unparsable as error:
            if keep and error.answer:
                agent.history += [("human", question), ("ai", error.answer)]
            return error.answer

    def _can_be_heard(self, caller: ModelCaller, shape: type[BaseModel]) -> bool:
        return (
            self._listener.hears_writing
            and caller.method == "text"  # a provider's own way of JSON gives it whole
            and caller.streaming
            and field_of(shape) is not None
            and not caller.breaker.is_open(_loop_s())
        )

    async def _written(
        self,
        name: str,
        run: str,
        model: BaseChatModel,
        messages: Sequence[tuple[str, str]],
        shape: type[BaseModel],
        aloud: Aloud,
        caller: ModelCaller,
    ) -> _Written:
        """Ask once, and tell the answer's prose sentence by sentence, its thinking as it comes."""
        found, told, field_ = _Written(), "", field_of(shape) or ""
        options = CallOptions(context=aloud.context, deadline_s=caller.limits.deadline_s)
        async with aclosing(stream_call(model, messages, options, now_s=_loop_s)) as call:
            async for event in call:
                found.cost, found.error = event.llm or found.cost, event.error or found.error
                if event.token_type in THOUGHT:
                    await self._listener.wrote(name, run, event.text, event.token_type, round_=aloud.round)
                elif event.token_type is not None:
                    found.text += event.text
                    now = aloud.told_as(said_so_far(found.text, field_))
                    if now.startswith(told) and len(now) > len(told):
                        piece, told = now[len(told) :], now
                        await self._listener.wrote(name, run, piece, event.token_type, round_=aloud.round)
        return found

    async def _taken(
        self,
        written: _Written,
        caller: ModelCaller,
        messages: Sequence[tuple[str, str]],
        shape: type[Shape],
        counts: Counts,
        temperature: float,
    ) -> Shape:
        """Return what was written; if the stream broke off, ask again for the whole, with all tries."""
        if written.error is None:
            caller.breaker.succeeded()
            return answer_as(shape, written.text)
        if not written.error.retryable:
            raise written.error
        counts.calls += 1
        return await caller.structured(messages, shape, into=counts, temperature=temperature)


@dataclass(slots=True)
class _Written:
    """What came of an answer that was told while it was written."""

    text: str = ""
    cost: LLMMetadata | None = None
    error: CallFailed | None = None


def _count(cost: LLMMetadata | None, counts: Counts) -> None:
    """Count a streamed call's tokens as `ModelCaller` counts its own."""
    if cost is None or cost.input_tokens is None or cost.output_tokens is None:
        counts.unmetered += 1
    else:
        counts.input_tokens += cost.input_tokens
        counts.output_tokens += cost.output_tokens


def _metadata(model: str, counts: Counts, took_s: float) -> LLMMetadata:
    known: dict[str, Any] = {}
    if not counts.unmetered:
        known = {"input_tokens": counts.input_tokens, "output_tokens": counts.output_tokens}
    return LLMMetadata(model=model[:NAME_MAX] or None, total_generation_time_ms=round(took_s * 1000), **known)


def _loop_s() -> float:
    return asyncio.get_running_loop().time()
