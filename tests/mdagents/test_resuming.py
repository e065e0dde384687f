"""A debate that is killed at any point goes on at the last call: the same decision, said once, paid for once."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from redis.asyncio import Redis

from agents.stream import THOUGHT, EventType, ProgressKind, TeamEvent, TurnMark
from agents.teams.budgets import Budget
from agents.teams.mdagents.settings import Settings, Tier
from agents.teams.mdagents.team import MDAgentsTeam
from agents.teams.models import OneModel
from agents.teams.port import Inbox, Message, NoInbox
from agents.teams.running import RunCheckpoints, Running
from infra.checkpoints import RedisSaver
from tests.mdagents.rehearsed import Call, Writing, talk
from tests.mdagents.test_team import CASE, assert_whole
from tests.mdagents.test_tiers import debate

TALKS = {
    ("Surgeon", 1, 1): talk(_1="Look at the rings."),
    ("Nephrologist", 2, 1): talk(_1="And the kidneys."),
}
HELD = {"Cardiologist": [*"ABBBB"], "Nephrologist": [*"AAAAA"], "Surgeon": [*"BBBBB"]}
MIDDLES = 6  # kills at random events, beside those at the end of each call
BOUNDS = (TurnMark.TURN_START, TurnMark.TURN_END)


def reply(call: Call) -> Any:
    return debate(call, TALKS, HELD) if call.kind in {"experts", "talk", "reasoning"} else None


@dataclass
class Life:
    """One life of a run: its model, the team that ran, and what it told."""

    model: Writing = field(default_factory=lambda: Writing(reply=reply, latency_s=0.1))
    events: list[TeamEvent] = field(default_factory=list)
    team: MDAgentsTeam = field(default_factory=MDAgentsTeam)


class Endless:
    """An inbox that is read from its beginning again in each life, as a session's is."""

    def __init__(self, *messages: Message) -> None:
        self._messages = messages

    def take(self) -> Sequence[Message]:
        return self._messages


async def life(
    settings: Settings,
    saver: Any,
    before: Sequence[TeamEvent] = (),
    *,
    kill_after: int | None = None,
    inbox: Inbox | None = None,
    budget: Budget | None = None,
    word_s: float = 0.1,
) -> Life:
    """Run a debate, and let go of it after so many events as a kill does; it goes on from what `before` told."""
    kept = RunCheckpoints(saver, "t", first_turn=len(before))
    for each in before:
        kept.said.read(each)
    how = Running(structured="text", kept=kept, budget=budget or Budget())
    found = Life(Writing(reply=reply, latency_s=word_s), team=MDAgentsTeam(settings, how))
    async with aclosing(found.team.run(CASE, OneModel(found.model), inbox or NoInbox())) as running:
        async for event in running:
            found.events.append(event)
            if len(found.events) == kill_after:
                break
    return found


def standing_of(events: Sequence[TeamEvent]) -> tuple[Counter[Any], Counter[Any], Counter[Any]]:
    """Return what stands of it: turns with their words, steps, and the cost of each call; END and waits aside."""
    words: dict[int, str] = {}
    turns, steps, costs = Counter[Any](), Counter[Any](), Counter[Any]()
    for each in events:
        if each.progress is not None and each.progress.kind is not ProgressKind.WAITING:
            steps[(each.progress.kind, each.progress.agents, each.progress.text)] += 1
        elif each.llm is not None:
            costs[(each.run_id, each.llm.input_tokens, each.llm.output_tokens)] += 1
        elif each.turn is None:
            continue
        elif each.mark is TurnMark.TURN_START:
            assert each.turn not in words, "a turn begins once"
            words[each.turn] = ""
        elif each.mark is TurnMark.TURN_END:
            turns[(each.agent_id, each.run_id, each.round, each.in_reply_to, words.pop(each.turn))] += 1
        elif each.mark is TurnMark.TURN_ABORTED:
            words.pop(each.turn)
        elif each.type is EventType.TOKEN and each.token_type not in THOUGHT:
            words[each.turn] += each.data
    assert not words, "no half turn is left open"
    return turns, steps, costs


def ends_of_calls(events: Sequence[TeamEvent]) -> list[int]:
    return [at for at, each in enumerate(events, 1) if each.llm is not None or each.mark in BOUNDS]


@pytest.mark.parametrize("tier", [*Tier, None])
def test_a_debate_that_is_killed_at_any_call_or_within_one_comes_to_the_same(
    virtual: asyncio.Runner, tier: Tier | None
) -> None:
    settings = Settings(tier=tier, experts=3)

    async def scene() -> None:
        whole = await life(settings, InMemorySaver())
        assert_whole(whole.events)
        length = len(whole.events)
        points = set(ends_of_calls(whole.events)) | set(random.Random(18).sample(range(1, length), MIDDLES))
        for point in sorted(points):
            saver = InMemorySaver()
            first = await life(settings, saver, kill_after=point)
            second = await life(settings, saver, first.events)
            why = f"{tier}, killed after {point} of {length} events"
            assert second.team.outcome is not None and whole.team.outcome is not None
            assert second.team.outcome.debate_json() == whole.team.outcome.debate_json(), why
            assert second.team.outcome.answer == whole.team.outcome.answer, why
            assert second.team.account.to_json() == whole.team.account.to_json(), why
            assert standing_of([*first.events, *second.events]) == standing_of(whole.events), why
            asked, usual = len(first.model.told.calls) + len(second.model.told.calls), whole.model.told.calls
            under_way = len(first.model.told.calls) - first.team.account.total.calls
            assert asked == len(usual) + under_way, f"a call that had ended was paid for again: {why}"
            assert second.events[-1].type is EventType.END

    virtual.run(scene())


def test_a_debate_that_is_killed_again_and_again_comes_to_the_same(virtual: asyncio.Runner) -> None:
    settings = Settings(tier=Tier.INTERMEDIATE, experts=3)

    async def scene() -> None:
        whole, saver = await life(settings, InMemorySaver()), InMemorySaver()
        events: list[TeamEvent] = []
        for _ in range(40):
            found = await life(settings, saver, events, kill_after=25)
            events += found.events
            if events[-1].type is EventType.END:
                break
        assert events[-1].type is EventType.END
        assert standing_of(events) == standing_of(whole.events)
        assert found.team.account.to_json() == whole.team.account.to_json()

    virtual.run(scene())


def test_a_question_is_answered_once_and_a_fact_stays_told_across_a_kill(virtual: asyncio.Runner) -> None:
    settings = Settings(tier=Tier.INTERMEDIATE, experts=3)
    sent = Message("m1", "Why?"), Message("m2", "The lactate is 7.", is_fact=True)

    async def scene() -> None:
        whole = await life(settings, InMemorySaver(), inbox=Endless(*sent))
        answers = [each for each in whole.events if each.mark is TurnMark.TURN_END and each.in_reply_to]
        assert [each.in_reply_to for each in answers] == ["m1"]
        for point in ends_of_calls(whole.events)[::3]:
            saver = InMemorySaver()
            first = await life(settings, saver, kill_after=point, inbox=Endless(*sent))
            second = await life(settings, saver, first.events, inbox=Endless(*sent))
            assert standing_of([*first.events, *second.events]) == standing_of(whole.events), point
            last = [*first.model.told.calls, *second.model.told.calls][-1]
            assert "The clinician adds: The lactate is 7." in last.question

    virtual.run(scene())


def test_what_an_earlier_life_has_spent_of_the_time_is_spent(virtual: asyncio.Runner) -> None:
    """A debate at its bound of time ends where it ended: at a round that was over before the kill."""
    settings = Settings(tier=Tier.INTERMEDIATE, experts=3)

    async def scene() -> None:
        usual = await life(settings, InMemorySaver())
        half_s = usual.events[-1].source_ms / 1000 * 0.6
        budget = Budget(seconds=half_s)
        whole = await life(settings, InMemorySaver(), budget=budget)
        assert whole.team.outcome is not None and whole.team.outcome.stopped == "the budget is spent"
        saver = InMemorySaver()
        first = await life(settings, saver, kill_after=len(whole.events) - 3, budget=budget)
        second = await life(settings, saver, first.events, budget=budget)
        assert second.team.outcome is not None
        assert second.team.outcome.debate_json() == whole.team.outcome.debate_json()
        assert len(second.model.told.calls) <= 1, "no round is begun again"

    virtual.run(scene())


async def test_the_projects_own_checkpoints_keep_a_debate(store: Redis) -> None:
    settings = Settings(tier=Tier.INTERMEDIATE, experts=3)
    whole = await life(settings, InMemorySaver(), word_s=0.0)
    first = await life(settings, RedisSaver(store), kill_after=len(whole.events) // 2, word_s=0.0)
    second = await life(settings, RedisSaver(store), first.events, word_s=0.0)
    assert second.team.outcome is not None and whole.team.outcome is not None
    assert second.team.outcome.debate_json() == whole.team.outcome.debate_json()
    assert second.team.account.to_json() == whole.team.account.to_json()
    assert standing_of([*first.events, *second.events]) == standing_of(whole.events)
    again = await life(settings, RedisSaver(store), [*first.events, *second.events[:-1]], word_s=0.0)
    assert [each.type for each in again.events] == [EventType.END], "what had ended says nothing again"
    assert not again.model.told.calls
