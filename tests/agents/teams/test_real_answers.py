"""What small real models answered, shortened, played through the teams: loops, a full context, silence.

Seen of Qwen2.5-Coder 0.5B and 1.5B Instruct (GGUF, served by llama.cpp), 2026-11-26.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel, GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage

from agents.stream import DecisionKind, LLMMetadata, ProgressKind, TeamEvent, TokenType, TurnMark
from agents.teams import one_call
from agents.teams.budgets import Budget, Ledger
from agents.teams.cdss import CdssTeam
from agents.teams.doctors import DoctorsTeam
from agents.teams.reasons import why
from agents.teams.running import Running
from agents.teams.shortening import shortened
from chat_models import whole_answers
from chat_models.errors import Overlong
from chat_models.looping import json_loops, loop_in
from tests.agents.teams.runs import (
    CASE,
    FINAL,
    SPECIALISTS,
    VIEW,
    Watched,
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

OPENING = (
    "### Most Likely Diagnosis\nThe patient has a severe chest pain, sweating and nausea.\n\n"
    "### Recommended Tests\n- The patient should take metformin 1 g twice daily and ramipril 5 mg.\n"
)
SAME = "- The patient should not take penicillin (anaphylaxis in 2011) as a last resort.\n"
COUNTED = "- The patient should take penicillin (anaphylaxis in 2011) as a {}-line treatment.\n"
ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
).split()
FULL = "request (5211 tokens) exceeds the available context size (4096 tokens), try increasing it"
"""llama.cpp's words, with status 400."""


@pytest.mark.parametrize(
    ("loop", "kept"),
    [
        (SAME * 60, SAME),
        ("".join(COUNTED.format(each) for each in ORDINALS) + SAME * 60, COUNTED.format("first")),
        ("".join(f"{n}. Measure the troponin again after three hours and look.\n" for n in range(1, 60)),
         "1. Measure the troponin again after three hours and look.\n"),
    ],
)  # fmt: skip
def test_an_answer_that_loops_is_cut_there_and_the_others_are_asked(
    virtual: asyncio.Runner, loop: str, kept: str
) -> None:
    looping = {"turn": {1: line(OPENING + loop)}}
    team = CdssTeam(Running(structured="text"))
    events = checked(virtual.run(events_of(team, models(cdss_lines(laboratory=looping)))))
    told = words(events, "laboratory")
    assert told.startswith(OPENING) and len(told) < len(OPENING) + 1_500
    assert [mark for agent, _, mark in marks(events) if agent == "laboratory"] == [
        TurnMark.TURN_START,
        TurnMark.TURN_END,
    ]
    said = {each["agent"]: each["text"] for each in team.outcome["said"]}
    assert said["laboratory"] == OPENING + kept
    assert words(events, "cardiology") and team.outcome["final"] and not steps(events, ProgressKind.FAILED)


@pytest.mark.parametrize(
    "text",
    [
        SAME * 3,
        "".join(f"| potassium | {4 + n / 10:.1f} mmol/L | at {n:02}:00 |\n" for n in range(24)),
        "".join(f"- No sign of {each}.\n" for each in ORDINALS),
        OPENING,
        "",
    ],
)
def test_a_table_and_a_list_are_no_loop(text: str) -> None:
    assert all(loop_in(text[:at]) is None for at in range(0, len(text) + 1, 40))


class ContextFull(Exception):
    """As the client raises it."""

    status_code = 400


class Small(Watched):
    """A model with room for so many characters of question."""

    room: int = 2_400

    async def _astream(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        if len(str(messages[-1].content)) > self.room:
            raise ContextFull(FULL)
        async for chunk in super()._astream(messages, *args, **kwargs):
            yield chunk


class SmallModels(WatchedModels):
    """Models with a small context."""

    def __init__(self, lines: Any, room: int) -> None:
        super().__init__(lines)
        for role, each in self._made.items():
            self._made[role] = Small(role=role, lines=each.lines, asked=[], room=room)
            self._made[role].asked = self.asked


def test_with_a_full_context_the_oldest_words_are_left_out(virtual: asyncio.Runner) -> None:
    long = VIEW.format("Low sodium", "the first") + "The sodium is low, and the cause is not known yet. " * 3
    lines = doctors_lines(**{f"doctor{n}": {"turn": {1: line(f"{n} {long}" * 4)}} for n in range(3)})
    small = SmallModels(lines, 2_400)
    team = DoctorsTeam(doctors=3)
    events = checked(virtual.run(events_of(team, small)))
    assert team.outcome["final"] and not steps(events, ProgressKind.FAILED)
    chaired = [json.loads(str(asked[-1].content)) for role, asked in small.asked if role == "supervisor"]
    assert chaired and all(each["characters_left_out"] > 0 for each in chaired)
    assert all(each["case"] == CASE.text and each["said_so_far"] for each in chaired)


def test_a_case_that_fills_the_context_is_told_as_that(virtual: asyncio.Runner) -> None:
    events = checked(virtual.run(events_of(DoctorsTeam(doctors=2), SmallModels(doctors_lines(), 10))))
    failed = steps(events, ProgressKind.FAILED)
    assert failed and all("longer than its model takes" in each.text for each in failed)


def test_a_history_loses_its_oldest_question_with_its_answer() -> None:
    history = [("human", "q1"), ("ai", "a1"), ("human", "q2"), ("ai", "a2"), ("human", "q3"), ("ai", "a3")]
    shorter = shortened([("system", "s"), *history, ("human", "q4")])
    assert shorter is not None and shorter == [("system", "s"), *history[-2:], ("human", "q4")]
    assert shortened(shorter) == [("system", "s"), ("human", "q4")]
    assert shortened([("system", "s"), ("human", "q4")]) is None


def test_an_answer_without_a_word_is_told_as_that(virtual: asyncio.Runner) -> None:
    lines = doctors_lines(doctor0={"turn": {1: line(" ")}})
    events = checked(virtual.run(events_of(DoctorsTeam(doctors=2), models(lines))))
    assert "answered nothing" in steps(events, ProgressKind.FAILED)[0].text


def costs_of(events: Sequence[TeamEvent], agent: str) -> list[LLMMetadata]:
    return [each.llm for each in events if each.llm is not None and each.agent_id == agent]


def test_an_answer_that_a_limit_has_ended_counts_but_for_its_last_line_and_is_known_as_cut(
    virtual: asyncio.Runner,
) -> None:
    said = (
        VIEW.format("Low sodium", "the first") + "### Immediate Actions\n- Give saline.\n- Give alteplase 50"
    )
    lines = doctors_lines(doctor0={"turn": {1: line(said, fails=("token_limit",)), 2: line("I agree.")}})
    watched, team = WatchedModels(lines), DoctorsTeam(doctors=2)
    events = checked(virtual.run(events_of(team, watched)))
    assert [each.text for each in decisions(events, "doctor0") if each.kind is DecisionKind.ORDER] == [
        "Give saline."
    ]
    [cost, *_] = costs_of(events, "doctor0")
    assert cost.is_cut and cost.stop_reason == "length"
    shown = json.loads(str(next(asked[-1].content for role, asked in watched.asked if role == "doctor1")))
    assert shown["said_so_far"][0]["text"] == f"{said} [cut off here]"
    assert [role for role, _ in watched.asked].count("doctor0") == 2, (
        "once a round: the limit would cut again"
    )
    assert not steps(events, ProgressKind.FAILED)


def test_a_final_decision_that_is_cut_within_its_line_ends_no_debate(virtual: asyncio.Runner) -> None:
    cut = line("### Final Decision\n**Low sodium** - all ho", fails=("token_limit",))
    lines = doctors_lines(supervisor={"chair": {1: cut, 2: line(FINAL)}})
    team = DoctorsTeam(doctors=2)
    events = checked(virtual.run(events_of(team, models(lines))))
    assert team.outcome["final"] == FINAL
    assert [each.kind for each in decisions(events, "supervisor")].count(DecisionKind.FINAL) == 1


def test_an_answer_that_loops_is_known_as_cut(virtual: asyncio.Runner) -> None:
    looping = {"turn": {1: line(OPENING + SAME * 60)}}
    team = CdssTeam(Running(structured="text"))
    events = checked(virtual.run(events_of(team, models(cdss_lines(laboratory=looping)))))
    [cost] = costs_of(events, "laboratory")
    assert cost.is_cut and cost.stop_reason == "loop"


@pytest.mark.parametrize(
    ("fails", "reason"),
    [
        ("token_limit", "a limit of tokens"),
        ("loop", "the same again and again"),
        ("overlong", "more than is read"),
    ],
)
def test_a_plan_that_is_cut_or_loops_is_none_and_all_are_asked(
    virtual: asyncio.Runner, monkeypatch: pytest.MonkeyPatch, fails: str, reason: str
) -> None:
    monkeypatch.setattr(whole_answers, "ANSWER_CHARS", 4000)
    plan = (
        '{"summary": "Sodium 112.", "next": [{"specialist": "laboratory", "task": "Look."}], "done": false}'
    )
    again = '{"summary": "", "next": [' + '{"specialist": "laboratory", "task": "Look at it again."}, ' * 60
    long = '{"summary": "' + " ".join(f"{n * n} of {n}" for n in range(600))
    first = {"token_limit": line(plan, fails=("token_limit",)), "loop": line(again), "overlong": line(long)}
    lines = cdss_lines()
    lines["orchestrator"]["route"][1] = first[fails]
    team = CdssTeam(Running(structured="text"))
    events = checked(virtual.run(events_of(team, models(lines))))
    assert all(words(events, each) for each in SPECIALISTS) and team.outcome["final"] == FINAL
    told = [each.text for each in steps(events, ProgressKind.FAILED)]
    assert len(told) == 1 and reason in told[0]


class _Silent:
    async def told(self, text: str, token_type: TokenType) -> None: ...

    async def broke_off(self, llm: LLMMetadata | None) -> None: ...


class _OneModel:
    def __init__(self, *answers: str) -> None:
        self.model = GenericFakeChatModel(messages=iter(map(AIMessage, answers)))

    def of(self, role: str) -> BaseChatModel:
        return self.model


async def test_json_that_is_told_and_only_too_long_is_told_as_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_call, "ANSWER_CHARS", 200)
    callers = one_call.Callers(_OneModel(" ".join(map(str, range(400)))))
    calls = one_call.ModelCalls(callers, Ledger(Budget(), lambda: 0.0))
    asked = one_call.Question(agent="expert", role="expert", messages=[("human", "And?")])
    reading = one_call.AnswerReading(_Silent(), str, in_json=True)
    with pytest.raises(Overlong) as failed:
        await calls.told(asked, reading, one_call.Account())
    assert len(failed.value.answer) == 200 and "more than is read" in why(failed.value)


@pytest.mark.parametrize(
    "loop",
    [
        '{"kind": "action", "say": "give penicillin as a last resort"}, ' * 8,
        " " * 400,
        "".join(f'"The patient should take penicillin as a {each}-line treatment.", ' for each in ORDINALS),
        '"' + "".join(COUNTED.format(each).replace("\n", "\\n") for each in ORDINALS),
    ],
    ids=["objects", "blanks", "strings that count", "lines in a string that count"],
)
def test_json_that_says_the_same_again_and_again_is_a_loop(loop: str) -> None:
    assert json_loops('{"claims": [' + loop)


def test_json_of_many_like_entries_is_no_loop() -> None:
    labs = [{"analyte": name, "value": n, "unit": "mmol/L"} for n, name in enumerate(ORDINALS)]
    claims = [
        {"kind": "value", "say": f"The {name} is {n}.", "cites": [n]} for n, name in enumerate(ORDINALS)
    ]
    for text in (json.dumps({"labs": labs}, indent=1), json.dumps({"claims": claims})):
        assert not any(json_loops(text[:at]) for at in range(0, len(text) + 1, 40))
