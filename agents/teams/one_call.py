"""Ask a model for a team: with retries, the case's bounds, a count of tokens, and notices of waits.

calling.py (graphs: prose with headings, each call kept in a checkpoint) ─┐
                                                                          ├─▶ here ─▶ ModelCaller, stream_call
mdagents/asking.py (one JSON object each, agents with a history) ─────────┘

Back-off with jitter, Retry-After, deadline and breaker are `ModelCaller`'s; the bounds of a case are the ledger's.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from pydantic import BaseModel

from agents.stream import (
    THOUGHT,
    EventType,
    LLMMetadata,
    Progress,
    ProgressKind,
    TokenContext,
    TokenType,
)
from agents.streaming import CallOptions, stream_call
from agents.teams.budgets import CHARS_A_TOKEN, Cost, Ledger
from agents.teams.port import Models
from agents.teams.reasons import BudgetSpent
from agents.teams.shortening import shortened
from agents.teams.waiting import Waits
from chat_models.breaker import Breaker, BreakerLimits
from chat_models.calls import CallLimits, Counts, ModelCaller, Pace
from chat_models.errors import (
    CallFailed,
    Empty,
    LLMError,
    Looping,
    Overlong,
    SwitchedOff,
    TokenLimit,
    TooLong,
    Unparsable,
)
from chat_models.looping import LOOK_BACK, LOOK_CHARS, json_loops, loop_in
from exaim_live.stop_reasons import LOOP, OVERLONG

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

log = logging.getLogger(__name__)

ANSWER_CHARS: Final = 40_000  # of one answer; ten pages. A model that loops is cut off there
THOUGHT_CHARS: Final = 400_000  # of what it thinks before: a reasoning model at home may think for minutes
FAILURES: Final = 12  # in a row, each after all its tries, before a model is let alone; fewer may be bad luck
LET_ALONE_S: Final = 30.0
AFTER_S: Final = 0.01  # after the stream's own deadline, which ends the call and still tells its cost
TEAM: Final = CallLimits(deadline_s=600.0, tries=3, backoff_s=1.0, backoff_max_s=30.0)
"""Somebody listens, and is told of each wait: a model of 8B on a processor writes a page in some minutes."""

Answer = TypeVar("Answer")
Shape = TypeVar("Shape", bound=BaseModel)
Messages = Sequence[tuple[str, Any]]
"""Who says what: text, or LangChain's blocks of text and images."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question to one agent. `closing`: it may use the reserve. `temperature`: replaces the model's.

    `form_told`: where an answer has a form, the messages say it themselves.
    """

    agent: str
    role: str
    messages: Messages
    context: TokenContext = TokenContext.AGENT_THOUGHT
    closing: bool = False
    temperature: float | None = None
    form_told: bool = False

    @property
    def chars(self) -> int:
        """Return how long its text is."""
        return sum(_chars(content) for _, content in self.messages)


class Teller(Protocol):
    """Whoever tells the words of an answer while it is written."""

    async def told(self, text: str, token_type: TokenType) -> None:
        """Take a piece of the answer, or of the thinking before it."""
        ...

    async def broke_off(self, llm: LLMMetadata | None) -> None:
        """A try has failed, `llm` says what it cost: what was told of it counts no more. May come twice."""
        ...


@dataclass(frozen=True, slots=True)
class AnswerReading(Generic[Answer]):
    """How an answer is taken: who tells it while it is written, and what `read` makes of the whole text.

    `in_json`: of an answer that was cut (`LLMMetadata.is_cut`) nothing is taken; of prose all but its last words holds.
    """

    teller: Teller
    read: Callable[[str], Answer]
    in_json: bool = False


@dataclass(slots=True)
class Account:
    """What one question took, over all its tries."""

    counts: Counts = field(default_factory=Counts)
    costs: list[Cost] = field(default_factory=list)

    def took(self, heard: _Heard, question: Question, model: str) -> None:
        """Count one try of an answer that was told; where its provider counts nothing, by characters."""
        if heard.llm is None and not heard.chars:
            return
        llm = heard.llm or LLMMetadata()
        tokens_in, tokens_out = llm.input_tokens, llm.output_tokens
        counted = tokens_in is not None and tokens_out is not None
        if tokens_in is None or tokens_out is None:
            self.counts.unmetered += 1
        else:
            self.counts.input_tokens += tokens_in
            self.counts.output_tokens += tokens_out
        self.costs.append(
            Cost(
                model,
                question.chars // CHARS_A_TOKEN if tokens_in is None else tokens_in,
                heard.chars // CHARS_A_TOKEN if tokens_out is None else tokens_out,
                estimated=not counted,
            )
        )


class Callers:
    """A caller for each model of a team; the cases of a batch share them, and so their breakers."""

    def __init__(
        self,
        models: Models,
        *,
        structured: str = "text",
        limits: CallLimits = TEAM,
        pace: Pace | None = None,
        streams: bool = True,
    ) -> None:
        self.limits = limits
        self.pace = pace or Pace(now_s=_loop_s)
        self._models, self._structured, self._streams = models, structured, streams
        self._by_model: dict[int, ModelCaller] = {}

    def of(self, role: str) -> ModelCaller:
        """Return the caller of a role's model. Raises: LLMError, with what to set."""
        model = self._models.of(role)
        if id(model) not in self._by_model:
            self._by_model[id(model)] = ModelCaller(
                model,
                structured=self._structured,
                streaming=self._streams,
                limits=self.limits,
                breaker=Breaker(BreakerLimits(failures=FAILURES, open_s=LET_ALONE_S)),
                pace=self.pace,
                name=_name(model),
            )
        return self._by_model[id(model)]

    def name_of(self, role: str) -> str:
        """Return the name of a role's model, as a price table has it; "" if it can't be had."""
        try:
            return self.of(role).name
        except LLMError:
            return ""


@dataclass(slots=True)
class ModelCalls:
    """Makes the calls of one case, within its bounds."""

    callers: Callers
    ledger: Ledger
    waits: Waits = field(default_factory=Waits)
    _refused: bool = False

    async def formed(self, question: Question, shape: type[Shape], account: Account) -> Shape:
        """Return an answer in a declared form; what it took is added to `account`, whatever comes of it.

        Raises: BudgetSpent; Unparsable, with the text; any other CallFailed; LLMError: there is no such model.
        """
        return await self._shortened(question, lambda asked: self._formed(asked, shape, account))

    async def told(
        self, question: Question, reading: AnswerReading[Answer], account: Account
    ) -> tuple[Answer, LLMMetadata | None]:
        """Stream an answer; return what `reading` makes of it, and what the last try cost.

        A try that breaks off is made anew, and the teller hears of that. What `read` raises ends the call.
        Raises: as `formed`.
        """
        return await self._shortened(question, lambda asked: self._told(asked, reading, account))

    def count(self, agent: str, costs: Sequence[Cost]) -> Progress | None:
        """Count the cost of an agent's call; return, once, the step that most of the budget is spent."""
        for each in costs:
            self.ledger.add(agent, each)
        share = self.ledger.to_tell()
        if share is None:
            return None
        text = f"{round(share * 100)} % of what may be spent is spent"
        return Progress(kind=ProgressKind.BUDGET, text=text, share=share)

    def went_on(self, elapsed_s: float, *, refused: bool) -> None:
        """Continue from an earlier life's call: count its time, and whether the budget refused it."""
        self.ledger.go_on_at(elapsed_s)
        self._refused = self._refused or refused

    def is_spent(self) -> bool:
        """Return whether only the reserve for the conclusion is left, or a question would have needed it."""
        return self._refused or self.ledger.is_spent()

    # -- inside ----------------------------------------------------------------------------------

    async def _shortened(self, question: Question, ask: Callable[[Question], Awaitable[Answer]]) -> Answer:
        """Ask; where a model says that it is too long for it, with less of what was said before."""
        while True:
            try:
                return await ask(question)
            except TooLong:
                shorter = shortened(question.messages)
                if shorter is None:
                    raise
                question = replace(question, messages=shorter)
                log.warning(
                    "%s was asked with less of what was said: its model's context is full", question.agent
                )

    async def _formed(self, question: Question, shape: type[Shape], account: Account) -> Shape:
        caller, counts = self._called(question), account.counts
        before = (counts.input_tokens, counts.output_tokens, counts.unmetered)
        counts.calls += 1
        answered = 0
        try:
            with self.waits.awaiting(question.agent):
                found = await caller.structured(
                    question.messages,
                    shape,
                    deadline_s=self._seconds(question, caller),
                    into=counts,
                    temperature=question.temperature,
                    form_told=question.form_told,
                )
            answered = len(found.model_dump_json())
        except CallFailed as error:
            answered = len(error.answer)
            raise self._meant(error, question, counts) from None
        finally:
            cost = _counted(caller.name, counts, before, question.chars, answered)
            account.costs += [] if cost is None else [cost]
        return found

    async def _told(
        self, question: Question, reading: AnswerReading[Answer], account: Account
    ) -> tuple[Answer, LLMMetadata | None]:
        caller, counts = self._called(question), account.counts
        until_s = _loop_s() + self._seconds(question, caller)
        model = caller.model_at(question.temperature)
        counts.calls += 1

        async def ask() -> tuple[Answer, LLMMetadata | None]:
            heard = _Heard(reading.teller, in_json=reading.in_json)
            try:
                await heard.out(model, question, until_s, caller.streaming)
                return reading.read(heard.text), heard.llm
            except Unparsable:
                raise  # an answer that can't be read was given all the same
            except CallFailed:
                await reading.teller.broke_off(heard.llm)
                raise
            finally:
                account.took(heard, question, caller.name)

        try:
            with self.waits.awaiting(question.agent):
                left_s = max(until_s - _loop_s(), 0.0)
                return await caller.asked(ask, deadline_s=left_s + AFTER_S, into=counts)
        except CallFailed as error:
            if not isinstance(error, Unparsable):
                await reading.teller.broke_off(None)  # if the deadline has cut it off from without
            raise self._meant(error, question, counts) from None

    def _called(self, question: Question) -> ModelCaller:
        if not question.closing and self.ledger.is_spent(question.chars):
            self._refused = True
            raise BudgetSpent
        return self.callers.of(question.role)

    def _seconds(self, question: Question, caller: ModelCaller) -> float:
        left_s = self.ledger.left_s(closing=question.closing)
        return caller.limits.deadline_s if left_s is None else min(caller.limits.deadline_s, left_s)

    def _meant(self, error: CallFailed, question: Question, into: Counts) -> CallFailed:
        """Return what a failure was: one after the end of the case's time is that, and nothing else."""
        if isinstance(error, SwitchedOff):
            into.calls -= 1  # nothing was sent
        return BudgetSpent() if not question.closing and self.ledger.is_spent() else error


class _Written:
    """What a model has written of one kind, words or thinking: at most `most` characters."""

    def __init__(self, most: int) -> None:
        self.room = most
        self._parts: list[str] = []
        self._unseen = 0

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def add(self, text: str) -> None:
        self._parts.append(text)
        self.room -= len(text)
        self._unseen += len(text)

    def loops(self, *, in_json: bool) -> bool:
        """Return whether it says the same again and again; then of prose only the first time of it is kept."""
        if self._unseen < LOOK_CHARS:
            return False
        self._unseen = 0
        text = self.text
        if in_json:
            return json_loops(text[-LOOK_BACK:])
        at = loop_in(text)
        self._parts = [text[:at]]
        return at is not None


class _Heard:
    """What is heard of one try."""

    def __init__(self, teller: Teller, *, in_json: bool) -> None:
        self._teller, self._in_json = teller, in_json
        self._words, self._thoughts = _Written(ANSWER_CHARS), _Written(THOUGHT_CHARS)
        self.chars = 0  # with the thinking
        self.llm: LLMMetadata | None = None

    @property
    def text(self) -> str:
        return self._words.text

    async def out(self, model: BaseChatModel, question: Question, until_s: float, streams: bool) -> None:
        """Hear the answer to its end. Raises: CallFailed, after what was written before it."""
        left_s = max(until_s - _loop_s(), 0.001)
        options = CallOptions(stream=streams, context=question.context, deadline_s=left_s, silence_s=left_s)
        failed = None
        async with aclosing(stream_call(model, list(question.messages), options, now_s=_loop_s)) as events:
            async for event in events:
                match event.type:
                    case EventType.TOKEN if event.token_type is not None:
                        if (why := await self._take(event.text, event.token_type)) is not None:
                            self.llm = LLMMetadata(stop_reason=why)
                            break
                    case EventType.METADATA if event.llm is not None:
                        self.llm = event.llm
                    case EventType.ERROR:
                        failed = event.error
                    case _:
                        pass
        failed = failed or self._unusable()
        if failed is not None:
            raise failed
        if self.llm is not None and self.llm.is_cut:
            log.warning("the answer of %s was cut: %s", question.agent, self.llm.stop_reason)

    async def _take(self, text: str, token_type: TokenType) -> str | None:
        """Take a piece and tell it; return why the answer is to be ended there, if it is."""
        side = self._thoughts if token_type in THOUGHT else self._words
        taken = text[: side.room]  # one piece may be all of a megabyte
        self.chars += len(taken)
        side.add(taken)
        await self._teller.told(taken, token_type)
        if len(text) > len(taken):
            return OVERLONG
        return LOOP if side is self._words and side.loops(in_json=self._in_json) else None

    def _unusable(self) -> CallFailed | None:
        """Return what is wrong with an answer that came to an end of some kind; None: it can be used."""
        said = bool(self.text.strip())
        if self.llm is None or not self.llm.is_cut:
            return None if said else Empty("it answered nothing")
        if said and not self._in_json:
            return None
        ours = {LOOP: Looping, OVERLONG: Overlong}
        return ours.get(self.llm.stop_reason or "", TokenLimit)("the answer was cut", answer=self.text)


def _counted(
    model: str, counts: Counts, before: tuple[int, int, int], asked: int, answered: int
) -> Cost | None:
    """Return what has been counted since `before`; where a provider counts nothing, by characters."""
    tokens_in, tokens_out, unmetered = before
    blind = counts.unmetered - unmetered
    if blind == 0 and counts.input_tokens == tokens_in and counts.output_tokens == tokens_out:
        return None
    return Cost(
        model,
        counts.input_tokens - tokens_in + blind * (asked // CHARS_A_TOKEN),
        counts.output_tokens - tokens_out + blind * (answered // CHARS_A_TOKEN),
        estimated=blind > 0,
    )


def _chars(content: Any) -> int:
    if isinstance(content, str):
        return len(content)
    return sum(len(each.get("text", "")) for each in content)


def _name(model: BaseChatModel) -> str:
    name = str(getattr(model, "model_name", None) or getattr(model, "model", None) or "")
    return name.removeprefix("models/")  # Google's client puts it before its models' names


def _loop_s() -> float:
    return asyncio.get_running_loop().time()
