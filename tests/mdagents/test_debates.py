"""The scripted debates: three tiers, two cases each; what is reasoned is the script's, and every line is used."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from agents.stream import DecisionKind, EventType, ProgressKind, TeamEvent
from agents.teams.errors import ScriptRefused
from agents.teams.mdagents.debates import TEAM, Debate
from agents.teams.mdagents.settings import VOICE, Tier
from agents.teams.mdagents.team import MDAgentsTeam
from agents.teams.port import NoInbox
from agents.teams.scripted import read_script, script_names
from tests.agents.teams.runs import checked, steps
from tests.mdagents.test_team import words_of

NAMES = script_names(TEAM)


async def debated(name: str, speed: float = 0.0) -> list[TeamEvent]:
    script = read_script(name, TEAM)
    team = MDAgentsTeam(VOICE)
    return [event async for event in team.run(script.as_case(), Debate(script, speed=speed), NoInbox())]


def test_there_are_two_cases_of_each_tier() -> None:
    tiers = Counter(
        read_script(name).lines[TEAM]["assessor"]["tier"][1].form["tier"]  # type: ignore[index]
        for name in NAMES
    )
    assert tiers == dict.fromkeys(map(str, Tier), 2)


@pytest.mark.parametrize("name", NAMES)
def test_each_debate_goes_to_its_decision_with_every_line_of_it_heard(
    virtual: asyncio.Runner, name: str
) -> None:
    events = checked(virtual.run(debated(name)))
    assert not [each for each in events if each.type is EventType.ERROR]
    assert not steps(events, ProgressKind.FAILED)
    finals = [each.decision for each in events if each.decision and each.decision.kind is DecisionKind.FINAL]
    assert len(finals) == 1
    for role, kinds in read_script(name).lines[TEAM].items():
        for kind in {"reasoning", "report", "investigations", "feedback"} & set(kinds):
            for number, line in kinds[kind].items():
                assert line.form is not None
                text = next(str(line.form[key]) for key in (kind, *line.form) if key in line.form)
                told = words_of([each for each in events if each.agent_id == role])
                assert text in told, (role, kind, number)


@pytest.mark.parametrize("name", ["low-sodium", "yellow-rings"])
def test_who_changed_did_so_after_a_message_and_a_minority_stays(virtual: asyncio.Runner, name: str) -> None:
    events = virtual.run(debated(name))
    (changed,) = steps(events, ProgressKind.CHANGED)
    assert (
        changed.agents
        == {
            "low-sodium": ("neurologist", "pharmacist"),
            "yellow-rings": ("cardiologist", "pharmacist"),
        }[name]
    )
    held = {
        str(each.agent_id): each.decision.text
        for each in events
        if each.decision is not None and each.decision.kind is DecisionKind.LEADING
    }
    assert len(set(held.values())) == {"low-sodium": 1, "yellow-rings": 2}[name]


def test_a_stage_is_told_at_once_and_a_first_sentence_within_ten_seconds(virtual: asyncio.Runner) -> None:
    for name in NAMES:
        events = virtual.run(debated(name, speed=1.0))
        first = next(each for each in events if each.type is EventType.TOKEN)
        assert next(each for each in events if each.progress).source_ms == 0
        assert first.source_ms <= 10_000


def test_a_script_of_another_team_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ScriptRefused, match=r"fever-after-chemotherapy, low-sodium, thunderclap-headache$"):
        read_script("bee-sting", "cdss")
