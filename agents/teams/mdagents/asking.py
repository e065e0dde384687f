"""How MDAgents asks its agents: a history each, one JSON object an answer, and an account by agent and run.

The call itself, its tries and its bounds are those of every team (`agents.teams.one_call`).
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from agents.stream import NAME_MAX, THOUGHT, LLMMetadata, TokenType
from agents.teams.budgets import Budget, Cost
from agents.teams.budgets import Ledger as Bounds
from agents.teams.mdagents.images import Block, shown
from agents.teams.mdagents.ledger import Ledger, Spent
from agents.teams.mdagents.telling import Listener, Nobody
from agents.teams.mdagents.writing import Aloud, field_of, said_so_far
from agents.teams.one_call import BudgetSpent, Callers, ModelCalls, Question
from agents.teams.waiting import Waits
from exaim_core.llm.calls import CallLimits, Counts, answer_as
from exaim_core.llm.errors import CallFailed, Unparsable

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)
BATCH: Final = CallLimits(deadline_s=300.0, tries=12, backoff_s=1.0, backoff_max_s=30.0)
"""Nobody waits for a batch, so a service that answers 429 for minutes is waited for."""


@dataclass(slots=True)
class Agent:
    """One voice of a team: its name, the role by which it gets its model, its instruction and what was said."""

    name: str
    role: str
    instruction: str
    history: list[tuple[str, str]] = field(default_factory=list)


class Asker:
    """Asks agents on one case, and keeps its account. Without `bounds` the case may spend what it needs."""

    def __init__(
        self,
        callers: Callers,
        listener: Listener | None = None,
        *,
        bounds: Bounds | None = None,
        waits: Waits | None = None,
        images: Sequence[Block] = (),
    ) -> None:
        self._callers = callers
        self._listener = listener or Nobody()
        self._models = ModelCalls(callers, bounds or Bounds(Budget(), lambda: 0.0), waits or Waits())
        self._images = images
        self.ledger = Ledger()

    def is_spent(self) -> bool:
        """Tell whether only what is kept for the conclusion may still be spent."""
        return self._models.is_spent()

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
        closing: bool = False,
    ) -> Shape:
        """Return an agent's answer; with `keep`, question and answer go into its history.

        With `aloud`, its prose is told while it is written, where the listener wants that and the model can.
        `closing`: it concludes, and may use what is kept for that.

        Raises: BudgetSpent; Unparsable, with the text that was answered; any other CallFailed: nothing was answered.
        """
        counts, costs, began_s = Counts(), list[Cost](), _loop_s()
        cost: LLMMetadata | None = None
        failed: CallFailed | None = None
        asked = Question(
            agent=agent.name,
            role=agent.role,
            messages=shown(
                [("system", agent.instruction), *agent.history, ("human", question)], self._images
            ),
            closing=closing,
            temperature=temperature,
            **({} if aloud is None else {"context": aloud.context}),
        )
        try:
            if aloud is None or not self._can_be_heard(agent.role, shape):
                found = await self._models.formed(asked, shape, counts, costs)
            else:
                telling = _Telling(self._listener, agent.name, run, aloud, field_of(shape) or "")
                read: Callable[[str], Shape] = lambda text: answer_as(shape, text)  # noqa: E731 - it has a type
                found, cost = await self._models.told(asked, telling, read, counts, costs)
        except CallFailed as error:
            failed = error
            if not isinstance(error, BudgetSpent):
                log.warning("%s gave no %s: %s", agent.name, run, error.reason)
        finally:
            self._write_down(agent.name, run, counts, failed)
        step = self._models.count(agent.name, costs)
        if step is not None:
            await self._listener.progress(step)
        whole = _metadata(self._callers.name_of(agent.role), counts, _loop_s() - began_s)
        if cost is not None and counts.calls == 1:  # of a stream more is known
            whole = whole.model_copy(
                update=cost.model_dump(include={"time_to_first_token_ms", "thinking_tokens", "stop_reason"})
            )
        if not isinstance(failed, BudgetSpent) or costs:
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
        closing: bool = False,
    ) -> Shape | str:
        """Return the answer, or its text where it has not the shape. Raises: CallFailed: nothing was answered."""
        try:
            return await self.ask(
                agent,
                question,
                shape,
                run=run,
                temperature=temperature,
                keep=keep,
                aloud=aloud,
                closing=closing,
            )
        except Unparsable as error:
            if keep and error.answer:
                agent.history += [("human", question), ("ai", error.answer)]
            return error.answer

    def _can_be_heard(self, role: str, shape: type[BaseModel]) -> bool:
        caller = self._callers.of(role)
        return (
            self._listener.hears_writing
            and caller.method == "text"  # a provider's own way of JSON gives it whole
            and caller.streaming
            and field_of(shape) is not None
        )

    def _write_down(self, agent: str, run: str, counts: Counts, failed: CallFailed | None) -> None:
        if isinstance(failed, BudgetSpent) and not counts.calls:
            return
        spent = Spent.of(counts)
        spent.failed = int(failed is not None)
        self.ledger.add(agent, run, spent)


class _Telling:
    """Tells an answer's prose sentence by sentence out of its unfinished JSON, and its thinking as it comes."""

    def __init__(self, listener: Listener, agent: str, run: str, aloud: Aloud, field_: str) -> None:
        self._listener, self._agent, self._run = listener, agent, run
        self._aloud, self._field = aloud, field_
        self._raw = self._told = ""

    async def told(self, text: str, token_type: TokenType) -> None:
        if token_type in THOUGHT:
            await self._tell(text, token_type)
            return
        self._raw += text
        now = self._aloud.told_as(said_so_far(self._raw, self._field))
        if now.startswith(self._told) and len(now) > len(self._told):
            piece, self._told = now[len(self._told) :], now
            await self._tell(piece, token_type)

    async def broke_off(self, llm: LLMMetadata | None) -> None:
        self._raw = self._told = ""
        await self._listener.broke_off(self._agent)

    async def _tell(self, text: str, token_type: TokenType) -> None:
        await self._listener.wrote(self._agent, self._run, text, token_type, round_=self._aloud.round)


def _metadata(model: str, counts: Counts, took_s: float) -> LLMMetadata:
    known: dict[str, Any] = {}
    if not counts.unmetered:
        known = {"input_tokens": counts.input_tokens, "output_tokens": counts.output_tokens}
    return LLMMetadata(model=model[:NAME_MAX] or None, total_generation_time_ms=round(took_s * 1000), **known)


def _loop_s() -> float:
    return asyncio.get_running_loop().time()
