"""Call a model for an agent: stream its words, retry, keep the deadline, report cost and decisions.

Each call is a LangGraph task of its own, so that a checkpointer keeps what it brought: a graph that goes on after
a kill repeats no call that had ended. Of a call that was cut midway the half turn is closed as broken off, and it
is made anew as another turn.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, NotRequired, TypedDict, TypeVar, cast

from langgraph.func import task
from pydantic import BaseModel

from agents.stream import THOUGHT, LLMMetadata, ProgressKind, TokenContext, TokenType, TurnMark
from agents.teams.budgets import Cost, Ledger
from agents.teams.decisions import decisions_in
from agents.teams.event_queue import EventPlace, EventQueue
from agents.teams.one_call import Account, AnswerReading, Callers, ModelCalls, Question
from agents.teams.port import Inbox
from agents.teams.reasons import SPENT, BudgetSpent, why
from chat_models.errors import LLMError
from exaim_core.text.names import spoken_name

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)
Node = Callable[[Any], Awaitable[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What one agent is asked. `key` names the call within its case; `closing`: it may use the reserve."""

    agent: str
    role: str
    key: str
    messages: Sequence[tuple[str, str]]
    context: TokenContext = TokenContext.AGENT_THOUGHT
    round: int | None = None
    in_reply_to: str | None = None
    closing: bool = False
    chairs: bool = False

    @property
    def question(self) -> Question:
        """Return what of it is a model's."""
        return Question(
            agent=self.agent,
            role=self.role,
            messages=self.messages,
            context=self.context,
            closing=self.closing,
        )


class Said(TypedDict):
    """The result of a call, for a graph's state and a checkpoint; `failed` says why it is empty.

    `cut`: the answer was ended before its end, by its provider or by us.
    """

    agent: str
    text: str
    turn: int
    round: int
    failed: str
    costs: list[dict[str, Any]]
    llm: dict[str, Any]
    life: str
    cut: NotRequired[bool]


class CallCosts(TypedDict):
    """What the call named `key` cost, for a graph's state: whoever goes on with a run counts it again."""

    key: str
    agent: str
    costs: list[dict[str, Any]]


def whole_lines(said: Said) -> str:
    """Return what was said; of an answer that was cut without the line in which it broke off."""
    text = said["text"]
    return text[: text.rfind("\n") + 1] if said.get("cut") else text


def missing(said: Said) -> list[str]:
    """Return the agent if it can't be asked any more; one stopped by the budget only has not failed."""
    return [said["agent"]] if said["failed"] not in ("", SPENT) else []


@dataclass(frozen=True, slots=True)
class DeclaredAnswer(Generic[Shape]):
    """An answer in a declared form, or why there is none."""

    answer: Shape | None
    failed: str = ""


@dataclass(slots=True)
class Calls:
    """Makes the calls of one run. `life` tells this process's calls from those of one that was killed."""

    queue: EventQueue
    inbox: Inbox
    models: ModelCalls
    life: str = field(default_factory=lambda: secrets.token_hex(8))
    _counted: set[str] = field(default_factory=set)
    _to_keep: list[CallCosts] = field(default_factory=list)
    _messages: set[str] = field(default_factory=set)
    _put_off: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(cls, callers: Callers, queue: EventQueue, ledger: Ledger, inbox: Inbox) -> Calls:
        """Return the calls of one run."""
        return cls(queue, inbox, ModelCalls(callers, ledger, queue.waits))

    @property
    def ledger(self) -> Ledger:
        """What may be spent, and what has been."""
        return self.models.ledger

    def is_spent(self) -> bool:
        """Return whether only the reserve is left, or a question would have needed it."""
        return self.models.is_spent()

    async def said(self, ask: Ask) -> Said:
        """Return what the agent said; its words, cost and decisions are told. Raises nothing of a model's.

        A call that ended in an earlier life is returned as it was, told no second time and counted once.
        """
        begun = await _begin(self, ask.key)
        found = await _answer(self, ask, begun)
        if not found["failed"]:
            await _close(self, ask, found)
        await self._count(ask.key, ask.agent, found["costs"])
        return found

    async def formed(self, ask: Ask, shape: type[Shape]) -> DeclaredAnswer[Shape]:
        """Return the agent's answer in a declared form; nothing of it is told."""
        found = await _form(self, ask, shape)
        await self._count(ask.key, ask.agent, found["costs"])
        answer = shape.model_validate(found["answer"]) if found["answer"] is not None else None
        return DeclaredAnswer(answer, found["failed"])

    async def messages(self, key: str) -> list[dict[str, Any]]:
        """Return what was put off, then what the clinician sent since the last time; the same again after a kill."""
        came = [each for each in await _take(self, key) if each["id"] not in self._messages]
        self._messages.update(str(each["id"]) for each in came)
        waiting, self._put_off = self._put_off, []
        return [*waiting, *came]

    def put_off(self, messages: Sequence[dict[str, Any]]) -> None:
        """Return these first the next time; after a kill the inbox is read from its beginning, and has them."""
        self._put_off.extend(messages)

    async def step(
        self, key: str, kind: ProgressKind, agents: Sequence[str], text: str, round: int | None = None
    ) -> None:
        """Tell a step of the work; after a kill not again."""
        await _step(self, key, kind.value, list(agents), text, round)

    def keeping(self, node: Node) -> Node:
        """Return a graph's node that counts what its state says was spent, and adds to `spent` what it spends.

        So a run that goes on has spent what its earlier lives have.
        """

        async def counted(state: Any) -> Any:
            for each in state.get("spent", ()):
                if each["key"] not in self._counted:
                    self._counted.add(each["key"])
                    self.models.count(each["agent"], [Cost(**cost) for cost in each["costs"]])
            new = await node(state)
            spent, self._to_keep = self._to_keep, []
            return {**new, "spent": spent}

        return counted

    # -- inside ----------------------------------------------------------------------------------

    async def _count(self, key: str, agent: str, costs: Sequence[Mapping[str, Any]]) -> None:
        if key in self._counted:
            return
        self._counted.add(key)
        self._to_keep.append(CallCosts(key=key, agent=agent, costs=[dict(each) for each in costs]))
        step = self.models.count(agent, [Cost(**each) for each in costs])
        if step is not None:
            await self.queue.progress(step.kind, text=step.text, share=step.share)

    async def _answered(self, ask: Ask, turn: int) -> Said:
        telling, account = _Telling(self.queue, ask, turn), Account()
        failed = ""
        try:
            text, llm = await self.models.told(ask.question, AnswerReading(telling, str), account)
        except BudgetSpent:
            failed = SPENT
        except LLMError as error:
            failed = why(error)
            await self._tell_failed(ask, failed)
        kept = [asdict(each) for each in account.costs]
        if failed:
            return _nothing(ask, telling.turn, failed, kept)
        told = {} if llm is None else llm.model_dump(mode="json", exclude_none=True)
        cut = llm is not None and llm.is_cut
        return {
            **_nothing(ask, telling.turn, "", kept),
            "text": text,
            "llm": told,
            "life": self.life,
            "cut": cut,
        }

    async def _closed(self, ask: Ask, said: Said) -> None:
        """Tell what a turn cost and decided, and its end; of a turn whose life was cut, all of it anew."""
        place = _place(ask, said["turn"])
        if said["life"] != self.life:
            await self.queue.mark(place, TurnMark.TURN_ABORTED)
            place = _place(ask, self.queue.new_turn())
            await self.queue.mark(place, TurnMark.TURN_START)
            await self.queue.say(place, said["text"], TokenType.of(ask.context), thinks=False)
        if said["llm"]:
            await self.queue.cost(place, LLMMetadata.model_validate(said["llm"]))
        for each in decisions_in(whole_lines(said), chairs=ask.chairs):
            await self.queue.decided(place, each)
        await self.queue.mark(place, TurnMark.TURN_END)
        await self.queue.delivered()

    async def _tell_failed(self, ask: Ask, reason: str) -> None:
        log.warning("%s brought nothing (%s): %s", ask.agent, ask.key, reason)
        text = f"{spoken_name(ask.agent)} can't be asked: {reason}"
        await self.queue.progress(ProgressKind.FAILED, (ask.agent,), text, round=ask.round)


class _Telling:
    """Tells a turn's words as they come; a try that breaks off is withdrawn, and the next is a new turn."""

    def __init__(self, queue: EventQueue, ask: Ask, turn: int) -> None:
        self._queue, self._ask = queue, ask
        self.turn = turn
        self._opened = self._used = False

    async def told(self, text: str, token_type: TokenType) -> None:
        if not self._opened:
            self.turn = self._queue.new_turn() if self._used else self.turn
            self._opened = self._used = True
            await self._queue.mark(self._place, TurnMark.TURN_START)
        await self._queue.say(self._place, text, token_type, thinks=token_type in THOUGHT)

    async def broke_off(self, llm: LLMMetadata | None) -> None:
        if llm is not None:
            await self._queue.cost(self._place, llm)
        if self._opened:
            self._opened = False
            await self._queue.mark(self._place, TurnMark.TURN_ABORTED)

    @property
    def _place(self) -> EventPlace:
        return _place(self._ask, self.turn)


# The tasks of a graph. LangGraph keeps what they return; what they are given is never stored.

Work = TypeVar("Work", bound=Callable[..., Any])


def _kept(name: str) -> Callable[[Work], Work]:
    """Return LangGraph's decorator of a task, under the types of what it decorates."""
    decorate: Any = task
    return cast("Callable[[Work], Work]", decorate(name=name))


@_kept("begin")
async def _begin(calls: Calls, key: str) -> dict[str, Any]:
    """Keep which turn a call was given, and in which life, before any of it is told."""
    return {"turn": calls.queue.new_turn(), "life": calls.life}


@_kept("answer")
async def _answer(calls: Calls, ask: Ask, begun: Mapping[str, Any]) -> Said:
    turn = int(begun["turn"])
    if begun["life"] != calls.life:
        await calls.queue.mark(_place(ask, turn), TurnMark.TURN_ABORTED)
        turn = calls.queue.new_turn()
    return await calls._answered(ask, turn)


@_kept("close")
async def _close(calls: Calls, ask: Ask, said: Said) -> None:
    """Bring a turn to its end, once its answer is kept: what was told of it may be lost with a process."""
    await calls._closed(ask, said)


@_kept("form")
async def _form(calls: Calls, ask: Ask, shape: type[BaseModel]) -> dict[str, Any]:
    account = Account()
    failed, answer = "", None
    try:
        found = await calls.models.formed(ask.question, shape, account)
        answer = found.model_dump(mode="json")
    except BudgetSpent:
        failed = SPENT
    except LLMError as error:
        failed = why(error)
        await calls._tell_failed(ask, failed)
    return {"answer": answer, "failed": failed, "costs": [asdict(each) for each in account.costs]}


@_kept("step")
async def _step(calls: Calls, key: str, kind: str, agents: list[str], text: str, round: int | None) -> None:
    await calls.queue.progress(ProgressKind(kind), agents, text, round=round)


@_kept("messages")
async def _take(calls: Calls, key: str) -> list[dict[str, Any]]:
    return [
        {"id": each.message_id, "text": each.text, "to": each.to, "is_fact": each.is_fact}
        for each in calls.inbox.take()
    ]


def _place(ask: Ask, turn: int) -> EventPlace:
    return EventPlace(ask.agent, turn, ask.round, ask.in_reply_to)


def _nothing(ask: Ask, turn: int, why: str, costs: list[dict[str, Any]]) -> Said:
    return Said(
        agent=ask.agent,
        text="",
        turn=turn,
        round=ask.round or 0,
        failed=why,
        costs=costs,
        llm={},
        life="",
    )
