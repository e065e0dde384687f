"""What small real models answered, shortened, played through the teams: loops, a full context, silence.

Seen of Qwen2.5-Coder 0.5B and 1.5B Instruct (GGUF, served by llama.cpp), 2026-11-26.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.messages import BaseMessage

from agents.stream import ProgressKind, TurnMark
from agents.teams.cdss import CdssTeam
from agents.teams.doctors import DoctorsTeam
from agents.teams.looping import loop_in
from agents.teams.running import Running
from agents.teams.shortening import shortened
from tests.agents.teams.runs import (
    CASE,
    VIEW,
    Watched,
    WatchedModels,
    cdss_lines,
    checked,
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
