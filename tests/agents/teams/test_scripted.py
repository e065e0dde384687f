"""The scripted model is a chat model like any other: streams, thinks, calls tools, counts, and fails as told."""

from __future__ import annotations

import asyncio

import pytest
from langchain_core.tools import tool

from agents.stream import EventType, LLMMetadata, TokenType
from agents.streaming import CallOptions, stream_call
from agents.teams.cdss import CdssTeam
from agents.teams.cdss.state import Route
from agents.teams.doctors import DoctorsTeam
from agents.teams.errors import ScriptRefused
from agents.teams.scripted import (
    NO_ANSWER,
    ScriptedChatModel,
    ScriptedModels,
    ScriptLine,
    parsed_script,
    read_script,
    script_names,
)
from chat_models import ModelCaller
from tests.agents.teams.runs import checked, events_of, line

SAID = "The sodium is 112 mmol/L.\nGive saline."
THOUGHT = "Is it real? The osmolality is low."


def model(**more: object) -> ScriptedChatModel:
    return ScriptedChatModel(role="doctor0", lines={"turn": {1: ScriptLine(text=SAID, **more)}})


async def answered(
    found: ScriptedChatModel, *, stream: bool = True
) -> tuple[str, str, LLMMetadata | None, str, list[object]]:
    said, thought, cost, failed, calls = "", "", None, "", list[object]()
    async for event in stream_call(found, [("human", "What is it?")], CallOptions(stream=stream)):
        if event.type is EventType.TOKEN:
            thinks = event.token_type is TokenType.LLM_THINKING
            said, thought = said + ("" if thinks else event.text), thought + (event.text if thinks else "")
        cost = event.llm or cost
        failed = event.error.reason if event.error is not None else failed
        calls += event.tool_calls
    return said, thought, cost, failed, calls


@pytest.mark.parametrize("how", ["block", "field", "tags"])
@pytest.mark.parametrize("stream", [True, False])
def test_its_thinking_is_told_apart_and_its_words_are_the_scripts(
    virtual: asyncio.Runner, how: str, stream: bool
) -> None:
    found = virtual.run(answered(model(thinking=THOUGHT, thinking_as=how), stream=stream))
    said, thought, cost, failed, _ = found
    assert (said.strip(), thought, failed) == (SAID, THOUGHT, "")
    assert cost is not None
    assert (cost.stop_reason, cost.thinking_tokens) == ("stop", len(THOUGHT) // 4)


def test_it_takes_the_time_that_the_script_says(virtual: asyncio.Runner) -> None:
    async def scene() -> float:
        await answered(model(first_s=2.0, words_per_s=4.0))
        return asyncio.get_running_loop().time()

    assert virtual.run(scene()) == pytest.approx(2.0 + len(SAID.split()) / 4.0)


def test_it_calls_a_tool(virtual: asyncio.Runner) -> None:
    *_, calls = virtual.run(answered(model(tool={"name": "look_up", "args": {"drug": "indapamide"}})))
    assert [(each["name"], each["args"]) for each in calls] == [("look_up", {"drug": "indapamide"})]  # type: ignore[index]


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ("rate_limited", "rate_limited"),
        ("unavailable", "unavailable"),
        ("wrong_request", "wrong_request"),
        ("refused", "refused"),
        ("cut_short", "cut_short"),
    ],
)
def test_it_fails_as_the_script_says_and_then_answers(virtual: asyncio.Runner, how: str, reason: str) -> None:
    async def scene() -> None:
        found = model(fails=(how,))
        assert (await answered(found))[3] == reason
        said, *_, failed, _ = await answered(found)
        assert (said, failed) == (SAID, "")

    virtual.run(scene())


async def test_a_declared_form_comes_by_the_models_own_way_and_as_text() -> None:
    form = {"summary": "Low.", "next": [{"specialist": "cardiology", "task": "Look."}], "done": False}
    lines = {"turn": {1: line(form=form, first_s=0.0)}}
    for way in ("json_schema", "function_calling", "text"):
        caller = ModelCaller(ScriptedChatModel(role="orchestrator", lines=lines), structured=way)
        found = await caller.structured([("human", "Whom?")], Route)
        assert found == Route.model_validate(form)
        assert caller.counts.output_tokens > 0


async def test_it_binds_tools_without_forgetting_how_often_it_failed() -> None:
    @tool
    def look_up(drug: str) -> str:
        """Look a drug up."""
        return drug

    found = model(fails=("unavailable",), first_s=0.0)
    with pytest.raises(Exception, match="unavailable"):
        await found.ainvoke("x")
    assert (await found.bind_tools([look_up]).ainvoke("x")).content == SAID


async def test_a_question_that_the_script_does_not_have_is_answered_by_what_it_is() -> None:
    found = await model().ainvoke('{"kind": "answer", "round": 1, "question": "Why?"}')
    assert found.content == NO_ANSWER
    with pytest.raises(ScriptRefused, match="no line of the kind 'route'"):
        await model().ainvoke('{"kind": "route", "round": 1}')


@pytest.mark.parametrize("name", script_names("cdss"))
@pytest.mark.parametrize("team", [CdssTeam, DoctorsTeam])
async def test_each_script_drives_the_whole_graph(
    name: str, team: type[CdssTeam] | type[DoctorsTeam]
) -> None:
    script = read_script(name)
    running = team()
    events = checked(await events_of(running, ScriptedModels(script, team.name, speed=0.0), script.as_case()))
    assert running.outcome["final"].startswith("### Final Decision")
    assert running.outcome["failed"] == []
    assert not [each for each in events if each.type is EventType.ERROR]
    assert script.as_case().title.startswith("Scripted: ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("version: [", "not YAML"),
        ("version: 1", "case"),
        (
            "version: 1\ncase: {chief_complaint: x}\nlines: {cdss: {a: {turn: {1: {text: x, loud: 1}}}}}",
            "loud",
        ),
    ],
)
def test_a_broken_script_is_refused_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ScriptRefused, match=told):
        parsed_script(text, "mine")
