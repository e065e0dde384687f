"""Doctors in turns, and their supervisor."""

from __future__ import annotations

import asyncio
import json

import pytest

from agents.stream import DecisionKind, EventType, ProgressKind, TokenType, TurnMark
from agents.teams.budgets import Budget
from agents.teams.cdss import CdssTeam
from agents.teams.doctors import DoctorsTeam
from agents.teams.doctors.graph import ROUNDS, ROUNDS_MOST
from agents.teams.port import Message
from agents.teams.running import STEPS_MOST, Running
from tests.agents.teams.runs import (
    FINAL,
    Sent,
    WatchedModels,
    cdss_lines,
    checked,
    decisions,
    doctors_lines,
    events_of,
    line,
    marks,
    models,
    steps,
    words,
)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_they_speak_in_turns_until_the_supervisor_decides(virtual: asyncio.Runner, count: int) -> None:
    team = DoctorsTeam(doctors=count)
    events = checked(virtual.run(events_of(team, models(doctors_lines()))))
    order = [agent for agent, _, mark in marks(events) if mark is TurnMark.TURN_START]
    assert order == [*(f"doctor{number}" for number in range(count)), "supervisor"] * 2
    assert [each.kind for each in decisions(events, "supervisor")] == [DecisionKind.FINAL, DecisionKind.ORDER]
    assert team.outcome["final"] == FINAL
    types = {each.agent_id: each.token_type for each in events if each.type is EventType.TOKEN}
    assert types["supervisor"] is TokenType.FINAL_SYNTHESIS_LLM_RESPONSE
    assert [each.round for each in events if each.mark is TurnMark.TURN_START] == [1] * (count + 1) + [2] * (
        count + 1
    )


@pytest.mark.parametrize("count", [0, 1, 5])
def test_there_are_two_to_four(count: int) -> None:
    with pytest.raises(ValueError, match="2 to 4"):
        DoctorsTeam(doctors=count)


def test_a_supervisor_who_never_decides_is_told_that_the_last_round_is_the_last(
    virtual: asyncio.Runner,
) -> None:
    lines = doctors_lines(supervisor={"chair": {1: line("### Open Questions\n- Which drug?\n")}})
    team, watched = DoctorsTeam(doctors=2), WatchedModels(lines)
    events = checked(virtual.run(events_of(team, watched)))
    assert team.outcome["round"] == ROUNDS
    chaired = [str(messages[0].content) for role, messages in watched.asked if role == "supervisor"]
    assert ["decide now" in each for each in chaired] == [False, False, True]
    assert not [each for each in decisions(events, "supervisor") if each.kind is DecisionKind.FINAL]


def test_words_that_broke_off_are_closed_as_that_and_said_anew(virtual: asyncio.Runner) -> None:
    cut = {1: line("It is low sodium, I think so.", fails=("cut_short",)), 2: line("I agree.")}
    lines = doctors_lines(doctor1={"turn": cut})
    events = checked(virtual.run(events_of(DoctorsTeam(doctors=2), models(lines))))
    ends = [
        mark for agent, _, mark in marks(events) if agent == "doctor1" and mark is not TurnMark.TURN_START
    ]
    assert ends == [TurnMark.TURN_ABORTED, TurnMark.TURN_END, TurnMark.TURN_END]
    broken, whole, *_ = [
        turn for agent, turn, mark in marks(events) if agent == "doctor1" and mark is TurnMark.TURN_START
    ]
    assert words(events, "doctor1", broken) == "It is low "
    assert words(events, "doctor1", whole) == "It is low sodium, I think so."
    assert not steps(events, ProgressKind.FAILED)


def test_a_model_that_hangs_is_left_after_its_time_and_named(virtual: asyncio.Runner) -> None:
    lines = doctors_lines(doctor0={"turn": {1: line("x", fails=("hangs",) * 9)}})
    team = DoctorsTeam(doctors=2)
    events = checked(virtual.run(events_of(team, models(lines))))
    failed = steps(events, ProgressKind.FAILED)
    assert [(each.agents, each.text) for each in failed] == [
        (("doctor0",), "Doctor Zero can't be asked: it did not answer in time")
    ]
    assert len(steps(events, ProgressKind.WAITING)) == 10, "at 20 s, then every minute"
    assert team.outcome["final"] == FINAL


@pytest.mark.parametrize("why", ["refused", "wrong_request"])
def test_what_trying_again_does_not_mend_is_tried_once(virtual: asyncio.Runner, why: str) -> None:
    lines = doctors_lines(doctor0={"turn": {1: line("x", fails=(why,) * 9)}})
    watched = WatchedModels(lines)
    checked(virtual.run(events_of(DoctorsTeam(doctors=2), watched)))
    assert [role for role, _ in watched.asked].count("doctor0") == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "<think>only thoughts, never closed. Give alteplase 50 mg.",
        "x" * 1_000_000,
        "Es ist zu wenig Natrium.",
        '{"diagnosis": "low sod',
    ],
    ids=["empty", "blank", "inside a tag", "1 MB", "German", "broken JSON"],
)
def test_an_answer_of_any_kind_ends_nothing(virtual: asyncio.Runner, text: str) -> None:
    lines = doctors_lines(doctor0={"turn": {1: line(text)}})
    team = DoctorsTeam(Running(), doctors=2)
    events = checked(virtual.run(events_of(team, models(lines))))
    assert team.outcome["final"] == FINAL
    for turn in {each.turn for each in events if each.agent_id == "doctor0"}:
        assert len(words(events, "doctor0", turn)) <= 40_010
    assert "alteplase" not in words(events, "doctor0")


def test_a_call_of_a_tool_that_nobody_offered_is_done_by_nobody(virtual: asyncio.Runner) -> None:
    called = line("I will order it.", tool={"name": "order_drug", "args": {"drug": "alteplase 50 mg"}})
    team = DoctorsTeam(Running(), doctors=2)
    events = checked(virtual.run(events_of(team, models(doctors_lines(doctor0={"turn": {1: called}})))))
    assert team.outcome["final"] == FINAL
    assert not any("alteplase" in each.data for each in events)


def test_a_loop_of_words_is_cut_off(virtual: asyncio.Runner) -> None:
    lines = doctors_lines(doctor0={"turn": {1: line("and so on " * 20_000, words_per_s=1e6)}})
    events = checked(virtual.run(events_of(DoctorsTeam(doctors=2), models(lines))))
    for turn in {each.turn for each in events if each.agent_id == "doctor0"}:
        assert len(words(events, "doctor0", turn)) <= 40_010


def test_a_question_to_a_doctor_by_its_spoken_name_is_answered_by_it(virtual: asyncio.Runner) -> None:
    lines = doctors_lines()
    lines["doctor1"]["answer"] = {1: line("I would not.")}
    inbox = Sent([Message("m1", "Would you give heparin?", to="Doctor One")])
    events = checked(virtual.run(events_of(DoctorsTeam(doctors=2), models(lines), inbox=inbox)))
    answered = [each for each in events if each.in_reply_to == "m1" and each.type is EventType.TOKEN]
    assert {each.agent_id for each in answered} == {"doctor1"}
    assert "".join(each.data for each in answered) == "I would not."


def test_of_ten_questions_at_once_two_are_put_off_to_the_next_round(virtual: asyncio.Runner) -> None:
    lines = doctors_lines()
    lines["supervisor"]["answer"] = {number: line(f"Answer {number}.") for number in range(1, 11)}
    inbox = Sent([Message(f"m{number}", f"Question {number}?") for number in range(1, 11)])
    events = checked(virtual.run(events_of(DoctorsTeam(doctors=2), models(lines), inbox=inbox)))
    answered = {each.in_reply_to: each.round for each in events if each.in_reply_to}
    assert [answered.get(f"m{number}") for number in range(1, 11)] == [1] * 8 + [2] * 2


def test_however_many_rounds_may_be_the_supervisor_has_the_last_word(virtual: asyncio.Runner) -> None:
    lines = doctors_lines(supervisor={"chair": {1: line("### Open Questions\n- Which drug?\n")}})
    team = DoctorsTeam(Running(budget=Budget(rounds=100)), doctors=4)
    events = checked(virtual.run(events_of(team, models(lines))))
    assert not [each for each in events if each.type is EventType.ERROR]
    assert team.outcome["round"] == ROUNDS_MOST and team.outcome["over"]
    assert ROUNDS_MOST * 6 < STEPS_MOST


def test_a_spent_budget_is_named_and_no_model_is_blamed(virtual: asyncio.Runner) -> None:
    how = Running(budget=Budget(tokens=300))
    for team in (DoctorsTeam(how, doctors=2), CdssTeam(how)):
        lines = doctors_lines() if team.name == "doctors" else cdss_lines()
        events = checked(virtual.run(events_of(team, models(lines))))
        assert [each.data for each in events if each.type is EventType.ERROR] == [
            "no agent could be asked: the budget is spent: give a larger one, then start again"
        ]


def test_a_supervisor_that_failed_once_is_asked_again_and_is_not_told_that_it_is_unheard(
    virtual: asyncio.Runner,
) -> None:
    lines = doctors_lines()
    lines["supervisor"]["chair"][1] = line("x", fails=("refused",))
    watched, team = WatchedModels(lines), DoctorsTeam(doctors=2)
    checked(virtual.run(events_of(team, watched)))
    chaired = [json.loads(str(asked[-1].content)) for role, asked in watched.asked if role == "supervisor"]
    assert [each.get("unheard", []) for each in chaired] == [[], []]
    assert (team.outcome["failed"], team.outcome["final"]) == ([], FINAL)
