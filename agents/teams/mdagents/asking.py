"""Ask MDAgents' agents: each has a history, an answer is one JSON object, and costs are counted.

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
from agents.teams.budgets import Budget
from agents.teams.budgets import Ledger as Bounds
from agents.teams.mdagents.brought import Brought, read_brought
from agents.teams.mdagents.images import Block, shown
from agents.teams.mdagents.ledger import Ledger, Spent
from agents.teams.mdagents.telling import Follower, Nobody
from agents.teams.mdagents.writing import Aloud, field_of, said_so_far
from agents.teams.one_call import Account, AnswerReading, Callers, ModelCalls, Question
from agents.teams.reasons import BudgetSpent
from agents.teams.tasks import Tasks
from agents.teams.waiting import Waits
from chat_models.calls import CallLimits, Counts, answer_as
from chat_models.errors import CallFailed, Unparsable

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)
BATCH: Final = CallLimits(deadline_s=300.0, tries=12, backoff_s=1.0, backoff_max_s=30.0)
"""Nobody waits for a batch, so a service that answers 429 for minutes is waited for."""


@dataclass(slots=True)
class Agent:
    """One agent of a team: its name, the role of its model, its instruction and its history."""

    name: str
    role: str
    instruction: str
    history: list[tuple[str, str]] = field(default_factory=list)


class Asker:
    """Asks agents on one case, and keeps its account. Without `bounds` the case may spend what it needs."""

    def __init__(
        self,
        callers: Callers,
        listener: Follower | None = None,
        *,
        bounds: Bounds | None = None,
        waits: Waits | None = None,
        images: Sequence[Block] = (),
        tasks: Tasks | None = None,
    ) -> None:
        self._callers = callers
        self._tasks = tasks or Tasks()
        self._listener = listener or Nobody()
        self._models = ModelCalls(callers, bounds or Bounds(Budget(), lambda: 0.0), waits or Waits())
        self._images = images
        self.ledger = Ledger()

    def is_spent(self) -> bool:
        """Return whether only what is kept for the conclusion may still be spent."""
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
    ) -> Shape | str:
        """Return an agent's answer, or its text where it has not the shape; with `keep`, both go into its history.

        The call is a task: one that had ended in an earlier life is counted, and neither made nor told again.
        With `aloud`, its prose is told while it is written, where the listener wants that and the model can.
        `closing`: it concludes, and may use what is kept for that.

        Raises: BudgetSpent: nothing was asked; any other CallFailed: no whole answer came, or one was cut (TokenLimit,
        Looping, Overlong), of which nothing is taken.
        """
        asked = Question(
            agent=agent.name,
            role=agent.role,
            messages=shown(
                [("system", agent.instruction), *agent.history, ("human", question)], self._images
            ),
            closing=closing,
            temperature=temperature,
            form_told=True,
            **({} if aloud is None else {"context": aloud.context}),
        )
        name = self._tasks.name("answer", agent.name, run)
        brought = read_brought(self._tasks.found(name))
        if brought is None:
            brought = await self._asked(asked, shape, run, aloud)
            await self._tasks.keep(name, brought.to_json())
        await self._count(agent.name, run, brought)
        failed = brought.error()
        if failed is not None and not isinstance(failed, Unparsable):
            raise failed
        found = shape.model_validate(brought.answer) if failed is None else failed.answer
        written = found if isinstance(found, str) else found.model_dump_json()
        if keep and written:
            agent.history += [("human", question), ("ai", written)]
        return found

    # -- inside ----------------------------------------------------------------------------------

    async def _asked(self, asked: Question, shape: type[Shape], run: str, aloud: Aloud | None) -> Brought:
        """Make a call, and tell it while it is written. Raises: LLMError: there is no such model."""
        account, began_s = Account(), _loop_s()
        answer: dict[str, Any] | None = None
        of_stream: LLMMetadata | None = None
        failed: CallFailed | None = None
        try:
            if aloud is None or not self._can_be_heard(asked.role, shape):
                found = await self._models.formed(asked, shape, account)
            else:
                telling = _Telling(self._listener, asked.agent, run, aloud, field_of(shape) or "")
                read: Callable[[str], Shape] = lambda text: answer_as(shape, text)  # noqa: E731 - it has a type
                reading = AnswerReading(telling, read, in_json=True)
                found, of_stream = await self._models.told(asked, reading, account)
            answer = found.model_dump(mode="json")
        except CallFailed as error:
            failed = error
            if not isinstance(error, BudgetSpent):
                log.warning("%s gave no %s: %s", asked.agent, run, error.reason)
        llm = _metadata(self._callers.name_of(asked.role), account.counts, _loop_s() - began_s)
        if of_stream is not None and account.counts.calls == 1:  # of a stream more is known
            more = of_stream.model_dump(include={"time_to_first_token_ms", "thinking_tokens", "stop_reason"})
            llm = llm.model_copy(update=more)
        spent = Spent.of(account.counts)
        spent.failed = int(failed is not None)
        return Brought(
            answer=answer,
            failed=failed.reason if failed is not None else "",
            text=failed.answer if isinstance(failed, Unparsable) else "",
            spent=spent,
            costs=tuple(account.costs),
            llm=llm,
            elapsed_s=self._models.ledger.elapsed_s,
        )

    async def _count(self, agent: str, run: str, brought: Brought) -> None:
        """Write a call into the accounts, and tell what it cost."""
        unasked = brought.failed == BudgetSpent.reason and not brought.costs
        if not (unasked and not brought.spent.calls):
            self.ledger.add(agent, run, brought.spent)
        self._models.went_on(brought.elapsed_s, refused=brought.failed == BudgetSpent.reason)
        step = self._models.count(agent, brought.costs)
        if step is not None:
            await self._listener.progress(step)
        if not unasked:
            await self._listener.cost(agent, run, brought.llm)

    def _can_be_heard(self, role: str, shape: type[BaseModel]) -> bool:
        caller = self._callers.of(role)
        return (
            self._listener.hears_writing
            and caller.method == "text"  # a provider's own way of JSON gives it whole
            and caller.streaming
            and field_of(shape) is not None
        )


class _Telling:
    """Tells an answer's prose by sentences from its unfinished JSON, and its thinking as it comes."""

    def __init__(self, listener: Follower, agent: str, run: str, aloud: Aloud, field_: str) -> None:
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
