"""One agent's call of a model: its words told as they come, tries, a deadline, what it cost, what it decided.

Each call is a LangGraph task of its own, so that a checkpointer keeps what it brought: a graph that goes on after
a kill repeats no call that had ended. Of a call that was cut midway the half turn is closed as broken off, and it
is made anew as another turn.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypedDict, TypeVar, cast

from langgraph.func import task
from pydantic import BaseModel

from agents.stream import (
    THOUGHT,
    EventType,
    LLMMetadata,
    ProgressKind,
    TokenContext,
    TokenType,
    TurnMark,
)
from agents.streaming import CallOptions, stream_call
from agents.teams.budgets import CHARS_A_TOKEN, Cost, Ledger
from agents.teams.decisions import decisions_in
from agents.teams.desk import Desk, Place
from agents.teams.port import Inbox, Message, Models
from exaim_core.llm import CallFailed, CallLimits, Counts, LLMError, ModelCaller, Pace
from exaim_core.text.names import spoken_name

log = logging.getLogger(__name__)

ANSWER_CHARS: Final = 40_000  # of one answer; ten pages. A model that loops is cut off there
THOUGHT_CHARS: Final = 400_000  # of what it thinks before: a reasoning model at home may think for minutes
SPENT: Final = "the budget is spent"
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamLimits:
    """How long one call may take with all its tries, and how often it is made."""

    call_s: float = 600.0  # a model of 8B on a processor writes a page in some minutes
    tries: int = 3
    backoff_s: float = 1.0  # before the second try, doubled each time, with up to half of it more at random
    backoff_max_s: float = 30.0


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


class Said(TypedDict):
    """What a call brought, as a graph's state and a checkpoint hold it; `failed` says why it brought nothing."""

    agent: str
    text: str
    turn: int
    round: int
    failed: str
    costs: list[dict[str, Any]]
    llm: dict[str, Any]
    life: str


def missing(said: Said) -> list[str]:
    """Return the agent if it can't be asked any more; what only the budget's end has stopped is no failure."""
    return [said["agent"]] if said["failed"] not in ("", SPENT) else []


@dataclass(frozen=True, slots=True)
class Found(Generic[Shape]):
    """An answer in a declared form, or why there is none."""

    answer: Shape | None
    failed: str = ""


@dataclass(slots=True)
class Calls:
    """Makes the calls of one run. `life` tells this process's calls from those of one that was killed."""

    models: Models
    desk: Desk
    ledger: Ledger
    inbox: Inbox
    limits: TeamLimits = field(default_factory=TeamLimits)
    pace: Pace = field(default_factory=Pace)
    streams: bool = True
    structured: str = "json_schema"
    life: str = field(default_factory=lambda: secrets.token_hex(8))
    _counted: set[str] = field(default_factory=set)
    _messages: set[str] = field(default_factory=set)

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

    async def formed(self, ask: Ask, shape: type[Shape]) -> Found[Shape]:
        """Return the agent's answer in a declared form; nothing of it is told."""
        found = await _form(self, ask, shape)
        await self._count(ask.key, ask.agent, found["costs"])
        answer = shape.model_validate(found["answer"]) if found["answer"] is not None else None
        return Found(answer, found["failed"])

    async def messages(self, key: str) -> list[dict[str, Any]]:
        """Return what the clinician sent since the last time; the same again after a kill."""
        came = [each for each in await _take(self, key) if each["id"] not in self._messages]
        self._messages.update(str(each["id"]) for each in came)
        return came

    async def step(
        self, key: str, kind: ProgressKind, agents: Sequence[str], text: str, round: int | None = None
    ) -> None:
        """Tell a step of the work; after a kill not again."""
        await _step(self, key, kind.value, list(agents), text, round)

    def name_of(self, role: str) -> str:
        """Return the name of a role's model, as a price table has it; "" if it can't be had."""
        try:
            model: Any = self.models.of(role)
        except LLMError:
            return ""
        name = str(getattr(model, "model_name", None) or getattr(model, "model", None) or "")
        return name.removeprefix("models/")  # Google's client puts it before its models' names

    # -- inside ----------------------------------------------------------------------------------

    async def _count(self, key: str, agent: str, costs: Sequence[Mapping[str, Any]]) -> None:
        if key in self._counted:
            return
        self._counted.add(key)
        for each in costs:
            self.ledger.add(agent, Cost(**each))
        share = self.ledger.to_tell()
        if share is not None:
            text = f"{round(share * 100)} % of what may be spent is spent"
            await self.desk.progress(ProgressKind.BUDGET, text=text, share=share)

    def _seconds(self, ask: Ask) -> float:
        left_s = self.ledger.left_s(closing=ask.closing)
        return self.limits.call_s if left_s is None else min(self.limits.call_s, left_s)

    def _is_spent(self, ask: Ask) -> bool:
        ahead = sum(len(text) for _, text in ask.messages)
        return not ask.closing and self.ledger.is_spent(ahead)

    async def _answered(self, ask: Ask, turn: int) -> Said:
        costs: list[dict[str, Any]] = []
        if self._is_spent(ask):
            return _nothing(ask, turn, SPENT, costs)
        until_s = asyncio.get_running_loop().time() + self._seconds(ask)
        wait_s, why = self.limits.backoff_s, ""
        for left in reversed(range(self.limits.tries)):
            attempt = _Attempt(self, ask, turn, costs)
            try:
                text, llm = await attempt.made(until_s)
            except LLMError as error:
                why = _why(error)
                pause_s = _pause(error, wait_s, self.pace.chance())
                gone = asyncio.get_running_loop().time() + pause_s >= until_s
                if not left or gone or not getattr(error, "retryable", False):
                    break
                turn = self.desk.new_turn() if attempt.opened else turn
                await self.pace.sleep(pause_s)
                wait_s = min(2 * wait_s, self.limits.backoff_max_s)
            else:
                found = _nothing(ask, turn, "", costs)
                return {**found, "text": text, "llm": llm, "life": self.life}
        if not ask.closing and self.ledger.is_spent():
            return _nothing(ask, turn, SPENT, costs)  # the end of the time has cut it short, and nothing else
        await self._tell_failed(ask, why)
        return _nothing(ask, turn, why, costs)

    async def _closed(self, ask: Ask, said: Said) -> None:
        """Tell what a turn cost and decided, and its end; of a turn whose life was cut, all of it anew."""
        place = _place(ask, said["turn"])
        if said["life"] != self.life:
            await self.desk.mark(place, TurnMark.TURN_ABORTED)
            place = _place(ask, self.desk.new_turn())
            await self.desk.mark(place, TurnMark.TURN_START)
            await self.desk.say(place, said["text"], TokenType.of(ask.context), thinks=False)
        if said["llm"]:
            await self.desk.cost(place, LLMMetadata.model_validate(said["llm"]))
        for each in decisions_in(said["text"], chairs=ask.chairs):
            await self.desk.decided(place, each)
        await self.desk.mark(place, TurnMark.TURN_END)
        await self.desk.delivered()

    async def _tell_failed(self, ask: Ask, why: str) -> None:
        log.warning("%s brought nothing (%s): %s", ask.agent, ask.key, why)
        text = f"{spoken_name(ask.agent)} can't be asked: {why}"
        await self.desk.progress(ProgressKind.FAILED, (ask.agent,), text, round=ask.round)


class _Attempt:
    """One try of a call. `opened`: words of it were told."""

    def __init__(self, calls: Calls, ask: Ask, turn: int, costs: list[dict[str, Any]]) -> None:
        self._calls, self._ask, self._costs = calls, ask, costs
        self._place = _place(ask, turn)
        self._parts: list[str] = []
        self._llm: LLMMetadata | None = None
        self.opened = False

    async def made(self, until_s: float) -> tuple[str, dict[str, Any]]:
        """Return the agent's words, all told, and what they cost. Raises: LLMError, with the turn broken off."""
        try:
            with self._calls.desk.awaiting(self._ask.agent):
                failed = await self._heard(until_s)
        except LLMError as error:  # no such model, no key
            failed = error
        text = "".join(self._parts)
        if failed is None and not text.strip():
            failed = CallFailed("it answered nothing")
        if failed is not None:
            if self._llm is not None:
                await self._calls.desk.cost(self._place, self._llm)
            if self.opened:
                await self._calls.desk.mark(self._place, TurnMark.TURN_ABORTED)
            raise failed
        return text, {} if self._llm is None else self._llm.model_dump(mode="json", exclude_none=True)

    async def _heard(self, until_s: float) -> LLMError | None:
        model = self._calls.models.of(self._ask.role)
        left_s = max(until_s - asyncio.get_running_loop().time(), 0.001)
        options = CallOptions(
            stream=self._calls.streams, context=self._ask.context, deadline_s=left_s, silence_s=left_s
        )
        chars, thought, failed = 0, 0, None
        async with aclosing(stream_call(model, list(self._ask.messages), options)) as events:
            async for event in events:
                match event.type:
                    case EventType.TOKEN if event.token_type is not None:
                        thinks = event.token_type in THOUGHT
                        thought += len(event.text) if thinks else 0
                        chars += 0 if thinks else len(event.text)
                        await self._told(event.text, event.token_type)
                        if chars > ANSWER_CHARS or thought > THOUGHT_CHARS:
                            log.warning("%s was cut off: it went on and on", self._ask.agent)
                            break
                    case EventType.METADATA if event.llm is not None:
                        self._cost(event.llm, chars + thought)
                    case EventType.ERROR:
                        failed = event.error
                    case _:
                        pass
        if self._llm is None and chars + thought:
            self._cost(LLMMetadata(), chars + thought)
        return failed

    async def _told(self, text: str, token_type: TokenType) -> None:
        desk = self._calls.desk
        if not self.opened:
            self.opened = True
            await desk.mark(self._place, TurnMark.TURN_START)
        thinks = token_type in THOUGHT
        if not thinks:
            self._parts.append(text)
        await desk.say(self._place, text, token_type, thinks=thinks)

    def _cost(self, llm: LLMMetadata, chars: int) -> None:
        asked = sum(len(text) for _, text in self._ask.messages)
        counted = llm.input_tokens is not None and llm.output_tokens is not None
        self._costs.append(
            {
                "model": self._calls.name_of(self._ask.role),
                "input_tokens": llm.input_tokens if llm.input_tokens is not None else asked // CHARS_A_TOKEN,
                "output_tokens": llm.output_tokens
                if llm.output_tokens is not None
                else chars // CHARS_A_TOKEN,
                "estimated": not counted,
            }
        )
        self._llm = llm


# The tasks of a graph. LangGraph keeps what they return; what they are given is never stored.

Work = TypeVar("Work", bound=Callable[..., Any])


def _kept(name: str) -> Callable[[Work], Work]:
    """Return LangGraph's decorator of a task, under the types of what it decorates."""
    decorate: Any = task
    return cast("Callable[[Work], Work]", decorate(name=name))


@_kept("begin")
async def _begin(calls: Calls, key: str) -> dict[str, Any]:
    """Keep which turn a call was given, and in which life, before any of it is told."""
    return {"turn": calls.desk.new_turn(), "life": calls.life}


@_kept("answer")
async def _answer(calls: Calls, ask: Ask, begun: Mapping[str, Any]) -> Said:
    turn = int(begun["turn"])
    if begun["life"] != calls.life:
        await calls.desk.mark(_place(ask, turn), TurnMark.TURN_ABORTED)
        turn = calls.desk.new_turn()
    return await calls._answered(ask, turn)


@_kept("close")
async def _close(calls: Calls, ask: Ask, said: Said) -> None:
    """Bring a turn to its end, once its answer is kept: what was told of it may be lost with a process."""
    await calls._closed(ask, said)


@_kept("form")
async def _form(calls: Calls, ask: Ask, shape: type[BaseModel]) -> dict[str, Any]:
    if calls._is_spent(ask):
        return {"answer": None, "failed": SPENT, "costs": []}
    counts = Counts()
    limits = CallLimits(
        deadline_s=calls._seconds(ask), tries=calls.limits.tries, backoff_s=calls.limits.backoff_s
    )
    try:
        model = calls.models.of(ask.role)
        caller = ModelCaller(model, structured=calls.structured, limits=limits, pace=calls.pace)
        with calls.desk.awaiting(ask.agent):
            found = await caller.structured(ask.messages, shape, into=counts)
    except LLMError as error:
        if not calls.ledger.is_spent():
            await calls._tell_failed(ask, _why(error))
        return {"answer": None, "failed": _why(error), "costs": _costs(counts, calls.name_of(ask.role))}
    return {
        "answer": found.model_dump(mode="json"),
        "failed": "",
        "costs": _costs(counts, calls.name_of(ask.role)),
    }


@_kept("step")
async def _step(calls: Calls, key: str, kind: str, agents: list[str], text: str, round: int | None) -> None:
    await calls.desk.progress(ProgressKind(kind), agents, text, round=round)


@_kept("messages")
async def _take(calls: Calls, key: str) -> list[dict[str, Any]]:
    return [
        {"id": each.message_id, "text": each.text, "to": each.to, "is_fact": each.is_fact}
        for each in calls.inbox.take()
    ]


def as_message(kept: Mapping[str, Any]) -> Message:
    """Return a clinician's message from what a checkpoint holds of it."""
    return Message(str(kept["id"]), str(kept["text"]), str(kept["to"]), bool(kept["is_fact"]))


def _place(ask: Ask, turn: int) -> Place:
    return Place(ask.agent, turn, ask.round, ask.in_reply_to)


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


def _costs(counts: Counts, model: str) -> list[dict[str, Any]]:
    return [{"model": model, "input_tokens": counts.input_tokens, "output_tokens": counts.output_tokens}]


def _pause(error: LLMError, wait_s: float, chance: float) -> float:
    """Return how long to wait before the next try: longer each time, and as the service says."""
    return max(wait_s * (1 + chance / 2), getattr(error, "retry_after_s", None) or 0.0)


def _why(error: LLMError) -> str:
    """Return a reason in words, without what a client wrote, which may quote the prompt."""
    if not isinstance(error, CallFailed):
        return str(error)
    return {
        "deadline": "it did not answer in time",
        "rate_limited": "its provider asks to wait for too long",
        "unavailable": "its model can't be reached",
        "cut_short": "its answer broke off",
        "refused": "its model would not answer",
        "unparsable": "its answer has not the form that was asked for",
        "wrong_request": "its provider does not take the request: check the model's name, key and address",
    }.get(error.reason, error.reason)
