"""One case under work: what every tier needs of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from agents.stream import TOLD_MAX, Decision, DecisionKind, Progress, ProgressKind, TokenContext
from agents.teams.mdagents.answers import answer_in_prose, answer_of, in_words, words_of
from agents.teams.mdagents.asking import Agent, Asker
from agents.teams.mdagents.cleaning import cleaned
from agents.teams.mdagents.outcome import Opinion, Outcome
from agents.teams.mdagents.prompts import answer_rule, case_block
from agents.teams.mdagents.settings import Settings, Tier
from agents.teams.mdagents.shapes import Answer, Report
from agents.teams.mdagents.telling import Follower, Message, Nobody, NoInbox, Spoken
from agents.teams.mdagents.writing import WHOLE_SENTENCES, Aloud
from agents.teams.port import Inbox
from agents.teams.reasons import SPENT, BudgetSpent
from agents.teams.tasks import Tasks
from chat_models.errors import CallFailed

log = logging.getLogger(__name__)

T = TypeVar("T")
U = TypeVar("U")
Shape = TypeVar("Shape", bound=BaseModel)
REASONING_MOST: Final = 4_000  # characters kept of one agent's reasoning


def kept_of(reasoning: str) -> str:
    """Return what is kept of a reasoning, by whole sentences; the same of one that is still being written."""
    if len(reasoning) <= REASONING_MOST:
        return reasoning
    whole = WHOLE_SENTENCES.match(reasoning[: REASONING_MOST + 1])
    return f"{whole[0] if whole is not None else reasoning[:REASONING_MOST]} […]"


@dataclass(slots=True)
class Work:
    """A case, how it is worked on, and what has come of it."""

    text: str
    options: Mapping[str, str]
    settings: Settings
    asker: Asker
    listener: Follower = field(default_factory=Nobody)
    inbox: Inbox = field(default_factory=NoInbox)
    examples: Sequence[str] = ()
    tasks: Tasks = field(default_factory=Tasks)
    told: list[str] = field(default_factory=list)  # facts that the clinician has told since the start
    outcome: Outcome = field(init=False)

    def __post_init__(self) -> None:
        self.outcome = Outcome(self.settings.tier or Tier.INTERMEDIATE, self.options)

    @property
    def case(self) -> str:
        """The case as a prompt holds it, with what was told since."""
        return case_block(self.text, self.options, self.told)

    @property
    def rule(self) -> str:
        """How an answer is to be written."""
        return answer_rule(self.options)

    def opinion_of(self, found: Answer | Report | str) -> Opinion:
        """Return what an answer says; of prose only what it says outright."""
        if isinstance(found, str):
            return Opinion(kept_of(cleaned(found)), answer_in_prose(found, self.options))
        reasoning = found.reasoning if isinstance(found, Answer) else found.report
        answer = answer_of(found.answer, self.options)
        return Opinion(kept_of(reasoning), answer or answer_in_prose(f"answer: {found.answer}", self.options))

    async def asked(
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
    ) -> Shape | str | None:
        """Return what an agent answers, as `Asker.ask`; None if it fails: then it is named, and the others go on.

        One that is not asked, as the budget is spent, has not failed.
        """
        try:
            return await self.asker.ask(
                agent,
                question,
                shape,
                run=run,
                temperature=temperature,
                keep=keep,
                aloud=aloud,
                closing=closing,
            )
        except BudgetSpent:
            return None
        except CallFailed as error:
            self.outcome.failed[agent.name] = error.reason
            await self.step(ProgressKind.FAILED, (agent.name,), f"The {agent.name} gave no answer.")
            return None

    def aloud(self, *, round_: int | None = None, final: bool = False) -> Aloud:
        """Return how an unfinished answer is told: in options' words, as the whole one will be."""
        context = TokenContext.FINAL_SYNTHESIS if final else TokenContext.AGENT_THOUGHT
        return Aloud(lambda text: in_words(kept_of(cleaned(text)), self.options), round_, context)

    def warn(self, warnings: Iterable[str]) -> None:
        """Note what had to be put right."""
        for each in warnings:
            log.warning("%s", each)
            self.outcome.warnings.append(each)

    async def step(
        self,
        kind: ProgressKind,
        agents: tuple[str, ...] = (),
        text: str = "",
        *,
        round_: int | None = None,
        turn: int | None = None,
    ) -> None:
        """Tell a step of the work."""
        step = Progress(kind=kind, agents=agents, text=text[:TOLD_MAX])
        await self.listener.progress(step, round_=round_, turn=turn)

    async def view(
        self,
        agent: str,
        held: Opinion,
        run: str,
        *,
        kind: DecisionKind = DecisionKind.LEADING,
        round_: int | None = None,
    ) -> None:
        """Tell an agent's reasoning and its answer: in words, under the heading by which a listener knows it."""
        words = words_of(held.answer, self.options)[:TOLD_MAX]
        final = kind is DecisionKind.FINAL
        text, decision = in_words(held.reasoning, self.options), None
        if words:
            text = f"{text}\n\n{self._heading(final)}\n**{words}**\n".lstrip()
            decision = Decision(kind=kind, text=words, rests_on=words)
        await self.listener.spoken(
            Spoken(
                agent,
                run,
                text,
                round_,
                context=TokenContext.FINAL_SYNTHESIS if final else TokenContext.AGENT_THOUGHT,
                decision=decision,
            )
        )

    async def say(
        self,
        agent: str,
        text: str,
        run: str,
        *,
        round_: int | None = None,
        turn: int | None = None,
        in_reply_to: str | None = None,
    ) -> None:
        """Tell an agent's words."""
        told = in_words(text, self.options)
        await self.listener.spoken(Spoken(agent, run, told, round_, turn, in_reply_to=in_reply_to))

    def why_nobody(self) -> dict[str, str]:
        """Return why nobody is left that could answer: by agent, or for all."""
        return dict(self.outcome.failed) or {"all": SPENT if self.asker.is_spent() else "nobody answered"}

    async def is_spent(self) -> bool:
        """Return whether the debate has to end here; a run that goes on ends where it would have ended."""
        name = self.tasks.name("spent")
        kept: str = await self.tasks.once(name, self._spent)
        return kept == SPENT

    async def _spent(self) -> str:
        return SPENT if self.asker.is_spent() else "no"

    async def messages(self) -> list[Message]:
        """Take what the clinician has sent: facts are added to the case, the rest is returned."""
        found = await self.tasks.messages(self.inbox)
        self.told += [each.text for each in found if each.is_fact]
        return [each for each in found if not each.is_fact]

    def _heading(self, final: bool) -> str:
        if final:
            return "### Final Decision"
        return "### My answer" if self.options else "### Most Likely Diagnosis"


async def together(asked: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return what all bring, asked at once, in order. The first that raises ends the others.

    Raises: what the first one raised.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in asked]
    except* Exception as failed:  # one error is told, as if it had been asked alone
        raise _first(failed) from None
    return [task.result() for task in tasks]


async def both(one: Coroutine[Any, Any, T], other: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """Return what the two bring, asked at once. Raises: as `together`."""
    try:
        async with asyncio.TaskGroup() as group:
            first, second = group.create_task(one), group.create_task(other)
    except* Exception as failed:
        raise _first(failed) from None
    return first.result(), second.result()


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
