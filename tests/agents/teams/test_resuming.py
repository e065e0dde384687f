"""A run that is killed at any point goes on where it was: no call that had ended is made again."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from redis.asyncio import Redis

from agents.stream import EventType, ProgressKind, TeamEvent, TurnMark
from agents.teams.budgets import Ledger
from agents.teams.cdss import CdssTeam
from agents.teams.doctors import DoctorsTeam
from agents.teams.port import NoInbox
from agents.teams.running import RunCheckpoints, Running
from agents.teams.scripted import ScriptLine
from infra.checkpoints import RedisSaver
from tests.agents.teams.runs import (
    CASE,
    WatchedModels,
    cdss_lines,
    doctors_lines,
    events_of,
    marks,
    steps,
    words,
)

KILLS = 12
STEPS = (ProgressKind.ROUND, ProgressKind.SYNTHESIS)
Teams = type[CdssTeam] | type[DoctorsTeam]


async def killed_after(team: Any, models: Any, events: int) -> list[TeamEvent]:
    """Run a team until it has told so many events, then let go of it as a kill does: nothing more is said."""
    told: list[TeamEvent] = []
    async with aclosing(team.run(CASE, models, NoInbox())) as running:
        async for event in running:
            told.append(event)
            if len(told) == events:
                break
    return told


def how(saver: Any, thread: str, first_turn: int = 0) -> Running:
    return Running(kept=RunCheckpoints(saver, thread, first_turn), structured="text")


def standing(told: Sequence[TeamEvent]) -> dict[str, str]:
    """Return each agent's words of turns that were not broken off."""
    broken = {turn for _, turn, mark in marks(told) if mark is TurnMark.TURN_ABORTED}
    agents = dict.fromkeys(each.agent_id for each in told if each.agent_id is not None)
    return {agent: words([each for each in told if each.turn not in broken], agent) for agent in agents}


def turns(asked: WatchedModels) -> Counter[str]:
    """Return how often each role was asked for a turn; plans are asked for anew without anybody hearing it."""
    found = [(role, json.loads(str(messages[-1].content))["kind"]) for role, messages in asked.asked]
    return Counter(role for role, kind in found if kind != "route")


def closed(told: Sequence[TeamEvent], role: str) -> int:
    """Return of how many calls of a role the end was told."""
    return sum(each.llm is not None and each.agent_id == role for each in told)


@pytest.mark.parametrize(("team", "lines"), [(CdssTeam, cdss_lines()), (DoctorsTeam, doctors_lines())])
def test_a_kill_at_any_point_repeats_no_call_that_had_ended_and_says_the_same(
    virtual: asyncio.Runner, team: Teams, lines: dict[str, dict[str, dict[int, ScriptLine]]]
) -> None:
    async def scene() -> None:
        usual = WatchedModels(lines)
        whole = await events_of(team(Running(structured="text")), usual)
        points = random.Random(17).sample(range(1, len(whole)), KILLS)
        for point in points:
            saver, asked = InMemorySaver(), WatchedModels(lines)
            before = await killed_after(team(how(saver, "t")), asked, point)
            asked_before = turns(asked)
            went_on = team(how(saver, "t", first_turn=1_000))
            after = await events_of(went_on, asked)
            assert standing([*before, *after]) == standing(whole), f"killed after {point} events"
            for role in lines:
                under_way = asked_before[role] - closed(before, role)
                again = turns(asked)[role] - turns(usual)[role]
                assert 0 <= again <= under_way <= 1, f"{role} was asked again, killed after {point} events"
            assert went_on.outcome["final"] == FINAL_OF[team]
            assert after[-1].type is EventType.END
            told = [each.text for kind in STEPS for each in steps([*before, *after], kind)]
            assert len(set(told)) == len(told), f"a step was told twice, killed after {point} events"
            open_turns = {turn for _, turn, mark in marks(before) if mark is TurnMark.TURN_START}
            ended = {turn for _, turn, mark in marks([*before, *after]) if mark is not TurnMark.TURN_START}
            assert open_turns <= ended, f"a half turn was left open, killed after {point} events"

    virtual.run(scene())


class Counted(Running):
    """Running whose account can be looked at."""

    def ledger(self) -> Ledger:
        LEDGERS.append(super().ledger())
        return LEDGERS[-1]


LEDGERS: list[Ledger] = []


@pytest.mark.parametrize(("team", "lines"), [(CdssTeam, cdss_lines()), (DoctorsTeam, doctors_lines())])
def test_what_an_earlier_life_has_spent_is_spent(
    virtual: asyncio.Runner, team: Teams, lines: dict[str, dict[str, dict[int, ScriptLine]]]
) -> None:
    async def scene() -> None:
        whole = await events_of(team(Counted(structured="text")), WatchedModels(lines))
        usual = LEDGERS[-1]
        for point in (len(whole) // 3, 2 * len(whole) // 3, len(whole) - 5):
            saver, asked = InMemorySaver(), WatchedModels(lines)
            await killed_after(team(how(saver, "t")), asked, point)
            kept = RunCheckpoints(saver, "t", 1_000)
            await events_of(team(Counted(kept=kept, structured="text")), asked)
            assert LEDGERS[-1].tokens == usual.tokens, f"killed after {point} events"

    virtual.run(scene())


FINAL_OF = {
    CdssTeam: cdss_lines()["orchestrator"]["synthesis"][0].text,
    DoctorsTeam: doctors_lines()["supervisor"]["chair"][2].text,
}


async def test_the_projects_own_checkpoints_keep_a_run(store: Redis) -> None:
    lines = cdss_lines()
    usual = WatchedModels(lines, speed=0.0)
    whole = await events_of(CdssTeam(Running(structured="text")), usual)
    asked = WatchedModels(lines, speed=0.0)
    before = await killed_after(CdssTeam(how(RedisSaver(store), "t")), asked, 40)
    went_on = CdssTeam(how(RedisSaver(store), "t", first_turn=1_000))
    after = await events_of(went_on, asked)
    assert went_on.outcome["final"] == FINAL_OF[CdssTeam]
    assert turns(asked).total() <= turns(usual).total() + 2, "only what was under way"
    assert standing([*before, *after]) == standing(whole)


async def test_a_run_that_had_ended_says_nothing_again(store: Redis) -> None:
    asked = WatchedModels(cdss_lines(), speed=0.0)
    await events_of(CdssTeam(how(RedisSaver(store), "t")), asked)
    again = await events_of(CdssTeam(how(RedisSaver(store), "t")), asked)
    assert [each.type for each in again] == [EventType.END]
