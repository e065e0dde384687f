"""The one place from which a model is asked: its history, its account, and what a failure means.

Back-off with jitter, Retry-After, deadline and breaker are `ModelCaller`'s.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pydantic import BaseModel

from agents.stream import NAME_MAX, LLMMetadata
from agents.teams.mdagents.ledger import Ledger, Spent
from agents.teams.mdagents.telling import Listener, Nobody
from agents.teams.port import Models
from exaim_core.llm.breaker import Breaker, BreakerLimits
from exaim_core.llm.calls import CallLimits, Counts, ModelCaller, Pace
from exaim_core.llm.errors import CallFailed, Unparsable

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)
BATCH: Final = CallLimits(deadline_s=300.0, tries=12, backoff_s=1.0, backoff_max_s=30.0)
"""Nobody waits for a batch, so a service that answers 429 for minutes is waited for."""
LIVE: Final = CallLimits(deadline_s=90.0, tries=3, backoff_s=0.5, backoff_max_s=4.0)
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
    ) -> Shape:
        """Return an agent's answer; with `keep`, question and answer go into its history.

        Raises: Unparsable, with the text that was answered; any other CallFailed: nothing was answered.
        """
        counts, began_s = Counts(), _loop_s()
        failed: CallFailed | None = None
        caller = self._callers.of(agent.role)
        try:
            messages = [("system", agent.instruction), *agent.history, ("human", question)]
            found = await caller.structured(messages, shape, into=counts, temperature=temperature)
        except CallFailed as error:
            failed = error
            log.warning("%s gave no %s: %s", agent.name, run, error.reason)
        finally:
            spent = Spent.of(counts)
            spent.failed = int(failed is not None)
            self.ledger.add(agent.name, run, spent)
        await self._listener.cost(agent.name, run, _metadata(caller.name, counts, _loop_s() - began_s))
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
    ) -> Shape | str:
        """Return the answer, or its text where it has not the shape. Raises: CallFailed: nothing was answered."""
        try:
            return await self.ask(agent, question, shape, run=run, temperature=temperature, keep=keep)
        except Unparsable as error:
            if keep and error.answer:
                agent.history += [("human", question), ("ai", error.answer)]
            return error.answer


def _metadata(model: str, counts: Counts, took_s: float) -> LLMMetadata:
    known: dict[str, Any] = {}
    if not counts.unmetered:
        known = {"input_tokens": counts.input_tokens, "output_tokens": counts.output_tokens}
    return LLMMetadata(model=model[:NAME_MAX] or None, total_generation_time_ms=round(took_s * 1000), **known)


def _loop_s() -> float:
    return asyncio.get_running_loop().time()
