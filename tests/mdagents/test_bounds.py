"""What MDAgents may spend, and what is told of a wait: as the graphs do, by the same code."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.stream import Decision, DecisionKind, EventType, Progress, ProgressKind, TeamEvent, TurnMark
from agents.teams.budgets import Budget
from agents.teams.mdagents.scripted import ScriptedModel
from agents.teams.mdagents.settings import Settings, Tier
from agents.teams.mdagents.team import HEARD, MDAgentsTeam
from agents.teams.running import Running
from chat_models.calls import CallLimits
from tests.mdagents.rehearsed import Call, Rehearsed, TooMany, Writing, answer
from tests.mdagents.test_team import assert_whole, heard, words_of
from tests.mdagents.test_tiers import ROLES, debate

EXPERTS = Settings(tier=Tier.INTERMEDIATE, experts=3)


def told(events: list[TeamEvent], kind: ProgressKind) -> list[Progress]:
    return [each.progress for each in events if each.progress is not None and each.progress.kind is kind]


def final(events: list[TeamEvent]) -> list[Decision]:
    return [each.decision for each in events if each.decision and each.decision.kind is DecisionKind.FINAL]


def bounded(**budget: Any) -> Running:
    return Running(budget=Budget(**budget), prices={"scripted": (1.0, 1.0)}, structured="text")


def test_an_expert_that_lets_one_wait_is_told_after_twenty_seconds_and_then_each_minute(
    virtual: asyncio.Runner,
) -> None:
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=Tier.BASIC)), ScriptedModel(latency_s=150.0)))
    waits = [each for each in events if each.progress and each.progress.kind is ProgressKind.WAITING]
    assert [each.source_ms for each in waits] == pytest.approx([20_000, 80_000, 140_000], abs=1_000)
    first = told(events, ProgressKind.WAITING)[0]
    assert first.agents == ("physician",)
    assert first.text == "The physician has not answered yet after 20 s"


@pytest.mark.parametrize(
    ("tier", "budget"),
    [
        (Tier.INTERMEDIATE, {"tokens": 4_000}),
        (Tier.INTERMEDIATE, {"money": 0.004}),
        (Tier.INTERMEDIATE, {"seconds": 60.0}),
        (Tier.ADVANCED, {"tokens": 1_500}),
        (Tier.ADVANCED, {"seconds": 60.0}),
    ],
)
def test_at_its_bound_a_debate_ends_and_is_decided_from_what_there_is(
    virtual: asyncio.Runner, tier: Tier, budget: dict[str, Any]
) -> None:
    settings = Settings(tier=tier, experts=5)
    model, free = ScriptedModel(latency_s=6.0), ScriptedModel(latency_s=6.0)
    events = virtual.run(heard(MDAgentsTeam(settings, bounded(**budget)), model))
    virtual.run(heard(MDAgentsTeam(settings), free))
    assert_whole(events)
    assert len(told(events, ProgressKind.BUDGET)) == 1
    assert len(final(events)) == 1
    assert not told(events, ProgressKind.FAILED)
    assert model.served.calls < free.served.calls
    if "tokens" in budget:
        assert model.served.input_tokens + model.served.output_tokens <= budget["tokens"] * 1.3


def test_a_budget_that_is_spent_before_anybody_spoke_is_an_error_that_says_so(
    virtual: asyncio.Runner,
) -> None:
    events = virtual.run(heard(MDAgentsTeam(EXPERTS, bounded(tokens=50)), ScriptedModel()))
    errors = [each.data for each in events if each.type is EventType.ERROR]
    assert errors == ["no agent is left that could answer (all: the budget is spent)"]
    assert not told(events, ProgressKind.FAILED)


def test_a_stream_that_is_refused_waits_as_long_as_the_service_asks(virtual: asyncio.Runner) -> None:
    refused: list[float] = []

    class Busy(TooMany):
        class response:
            headers = {"retry-after": "30"}  # noqa: RUF012 - never changed

    def reply(call: Call) -> Any:
        if not refused:
            refused.append(call.at_s)
            raise Busy("wait")
        return answer("B", "It fits.")

    model = Writing(reply=reply)
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=Tier.BASIC), HEARD), model))
    assert_whole(events)
    assert [each.at_s - refused[0] for each in model.told.calls] == pytest.approx([0.0, 30.0], abs=0.5)


def test_what_was_told_of_a_stream_that_broke_off_is_withdrawn(virtual: asyncio.Runner) -> None:
    why = "The rings are yellow. The pulse is slow. So it is."
    model = Writing(reply=lambda _: answer("B", why), breaks_after=9)
    how = Running(structured="text", limits=CallLimits(deadline_s=60, tries=2))
    events = virtual.run(heard(MDAgentsTeam(Settings(tier=Tier.BASIC), how), model))
    assert_whole(events)
    marks = [each.mark for each in events if each.mark is not None]
    assert marks == [
        TurnMark.TURN_START,
        TurnMark.TURN_ABORTED,
        TurnMark.TURN_START,
        TurnMark.TURN_END,
    ]
    last = next(each for each in events if each.mark is TurnMark.TURN_END).turn
    assert words_of([each for each in events if each.turn == last]).startswith(why)


def test_an_expert_that_does_not_answer_is_named_by_each_stage_of_its_wait(virtual: asyncio.Runner) -> None:
    class Slow(Rehearsed):
        async def _agenerate(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
            if "Surgeon" in str(messages[0].content) and "opinion" not in self.slow:
                self.slow.append("opinion")
                await asyncio.sleep(45.0)
            return await super()._agenerate(messages, *args, **kwargs)

        slow: list[str] = []  # noqa: RUF012 - pydantic copies it

    held = {name: ["A"] for name in ROLES}
    model = Slow(reply=lambda call: debate(call, {}, held))
    events = virtual.run(heard(MDAgentsTeam(EXPERTS), model))
    assert {each.agents for each in told(events, ProgressKind.WAITING)} == {("surgeon",)}
