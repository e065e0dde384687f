"""`exaim team`: what it refuses before anything is opened, and what a session's log has of a team's run."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis
from typer.testing import CliRunner

from agents.keys import KEY_VARIABLE
from agents.stream import DecisionKind, EventType, Progress, ProgressKind, StreamEvent, TokenType, TurnMark
from agents.teams.budgets import Budget
from agents.teams.cdss import CdssTeam
from agents.teams.errors import CaseRefused, PriceUnknown, ScriptRefused
from agents.teams.port import NoInbox
from agents.teams.scripted import script_names
from app.cli import cli
from app.exits import Exit
from app.resumable_runs import KeptRun, keep
from app.team_models import TeamModels, WantedModels
from app.teams import NoModel, TeamRequest, asked_at, heard, prepared
from chat_models.config import KEY_VARIABLE as KEY_OF
from exaim_live import Opened
from infra.settings import Settings
from infra.sfu_testing import Expect
from tests.api.serving import BASE, a_key, settings_for
from tests.api.test_live_team import Wire, api_on, client_on, events_of, text_of
from tests.servers import StoreServer
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Answer, Script, Stall, Status

TODAY = date(2026, 3, 1)
VIEW = "### Most Likely Diagnosis\n**Pneumonia** - a cough and a fever of 39.1.\n"
FINAL = (
    "### Final Decision\n**Pneumonia** - both hold it.\n### Immediate Actions\n- Take a chest radiograph.\n"
)


@pytest.fixture
def settings(tmp_path: Path, store_server: StoreServer, store: Redis) -> Settings:
    return settings_for(tmp_path, store_server.url)


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "cough.txt"
    path.write_text("A man of 40 with a cough and a fever of 39.1.", encoding="utf-8")
    return path


def asked(case: Path | None = None, **more: Any) -> TeamRequest:
    given: dict[str, Any] = {
        "team": "doctors",
        "scripted": None,
        "wanted": WantedModels(),
        "budget": Budget(),
        "doctors": 2,
    }
    return TeamRequest(case=case, **{**given, **more})


@pytest.mark.parametrize("team", ["cdss", "doctors"])
@pytest.mark.parametrize("name", script_names("cdss"))
async def test_a_scripted_team_is_in_the_log_with_its_turns_decisions_steps_and_costs(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    team: str,
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, a_key())
    wire = Wire()
    ready = prepared(asked(scripted=name, team=team, doctors=3, speed=0.0), {}, None, TODAY)
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        assert await heard(ready, BASE, http=http) is None
        link = capsys.readouterr().out.splitlines()[0]
        assert link.startswith(f"Listen here: {BASE}/#session=")
        found = await events_of_link(settings, link)
    assert ready.case.title.startswith("Scripted: ")
    assert [event.type for event in found].count(EventType.END) == 1
    assert found[-1].type is EventType.END
    chair = ready.team.agents[-1]
    finals = [
        event.decision for event in found if event.decision and event.decision.kind is DecisionKind.FINAL
    ]
    assert len(finals) == 1
    assert finals[0].rests_on in text_of(found, chair)
    assert {event.token_type for event in found if event.agent_id == chair and event.data} == {
        TokenType.FINAL_SYNTHESIS_LLM_RESPONSE
    }
    starts = {event.turn for event in found if event.mark is TurnMark.TURN_START}
    assert starts == {event.turn for event in found if event.mark is TurnMark.TURN_END}
    assert sum(event.llm is not None for event in found) == len(starts)
    assert any(event.progress is not None for event in found)


async def test_mdagents_without_a_key_recruits_debates_and_decides_in_the_log(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, a_key())
    wire = Wire()
    ready = prepared(asked(scripted="low-sodium", team="mdagents", speed=0.0), {}, None, TODAY)
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        assert await heard(ready, BASE, http=http) is None
        found = await events_of_link(settings, capsys.readouterr().out.splitlines()[0])
    assert [event.type for event in found].count(EventType.END) == 1
    assert not [event for event in found if event.type is EventType.ERROR]
    steps = [event.progress.kind for event in found if event.progress]
    assert steps[0] is ProgressKind.RECRUITING
    assert [event for event in found if event.decision and event.decision.kind is DecisionKind.FINAL]
    assert any(event.llm is not None for event in found)


def test_money_without_a_price_is_refused_for_mdagents_as_for_any_team(case: Path) -> None:
    wanted = WantedModels("openai:unheard-of")
    with pytest.raises(PriceUnknown):
        prepared(
            asked(case, team="mdagents", wanted=wanted, budget=Budget(money=1.0)),
            {"OPENAI_API_KEY": KEY},
            None,
            TODAY,
        )


async def events_of_link(settings: Settings, link: str) -> Sequence[StreamEvent]:
    session_id = link.partition("#session=")[2].partition("&")[0]
    answer = {"session_id": session_id, "thread_id": session_id}
    return await events_of(settings, Opened("", "", answer=answer))


async def test_a_case_of_ones_own_is_reasoned_about_by_a_service_that_speaks_openais_protocol(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    case: Path,
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, a_key())
    script = Script(Answer(VIEW), Status(429, {"retry-after": "0"}), Answer(VIEW), Answer(FINAL))
    wire = Wire()
    async with openai_twin(script) as address:
        wanted = WantedModels(f"openai:{MODEL}", address)
        ready = prepared(asked(case, wanted=wanted), {"OPENAI_API_KEY": KEY}, None, TODAY)
        async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
            assert await heard(ready, BASE, http=http) is None
            found = await events_of_link(settings, capsys.readouterr().out.splitlines()[0])
    script.assert_finished()
    assert text_of(found, "doctor1") == VIEW
    assert text_of(found, "supervisor") == FINAL
    first = script.requests[0]["messages"][-1]["content"]
    assert json.loads(first)["case"] == case.read_text(encoding="utf-8")


def test_without_a_key_or_an_address_it_says_what_to_set(case: Path) -> None:
    with pytest.raises(NoModel, match=r"(?s)GROQ_API_KEY is not set.*--model .*--base-url .*--scripted "):
        prepared(asked(case), {}, None, TODAY)


@pytest.mark.parametrize(
    ("more", "error", "told"),
    [
        ({}, NoModel, "--scripted fever"),
        ({"scripted": "nope"}, ScriptRefused, "fever-after-chemotherapy"),
        ({"scripted": "../../etc/passwd"}, ScriptRefused, "there is no script"),
        ({"team": "surgeons", "scripted": "low-sodium"}, ValueError, "cdss, doctors"),
    ],
)
def test_what_can_not_be_done_is_told_before_anything_is_opened(
    more: dict[str, Any], error: type[Exception], told: str
) -> None:
    with pytest.raises(error, match=told):
        prepared(asked(**more), {}, None, TODAY)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"wanted": WantedModels("openai:x", "http://h/v1")}, "leave out --model, --base-url"),
        ({"wanted": WantedModels(role_models=("foo=bar",))}, "leave out --role-model"),
        ({"budget": Budget(money=1.0)}, "leave out --max-money"),
        ({"one_patient": True}, "leave out --one-patient"),
    ],
)
def test_a_script_takes_nothing_that_would_do_nothing(more: dict[str, Any], told: str) -> None:
    with pytest.raises(NoModel, match=told):
        prepared(asked(scripted="low-sodium", **more), {}, None, TODAY)


def test_a_script_takes_no_case_of_ones_own(case: Path) -> None:
    with pytest.raises(NoModel, match="leave out CASE"):
        prepared(asked(case, scripted="low-sodium"), {}, None, TODAY)


@pytest.mark.parametrize(
    "kept",
    [
        {
            "case_id": "x",
            "history": ["A cough."],
            "ward": 7,
            "labs": [{"analyte": "CRP", "value": 90, "x": 1}],
        },
        {"chief_complaint": "A cough.", "medications": [{"drug": "ramipril", "colour": "red"}]},
        {"case_id": "x", "medication": [{"drug": "ramipril"}]},
        "A man of 40 with a cough. A woman of 70 with a fall.",
    ],
)
async def test_a_run_that_an_older_version_began_goes_on_with_the_case_that_was_taken(
    kept: dict[str, Any] | str, tmp_path: Path
) -> None:
    path = tmp_path / "case.json"
    path.write_text(kept if isinstance(kept, str) else json.dumps(kept), encoding="utf-8")
    given = asked(path, wanted=WantedModels("openai:x", "http://127.0.0.1:1/v1"))
    with pytest.raises(CaseRefused):
        prepared(given, {"OPENAI_API_KEY": KEY}, None, TODAY)
    ready = prepared(given, {"OPENAI_API_KEY": KEY}, None, TODAY, resumed=True)
    assert ("A cough" in ready.case.text) or "ramipril" in ready.case.text or ready.case.text == kept
    assert ready.close is not None
    await ready.close()


def test_the_command_goes_on_with_a_paper_as_the_store_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = tmp_path / "x.json"
    paper.write_text('{"case_id": "x", "history": ["A cough."], "ward": 7}', encoding="utf-8")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setenv("GROQ_API_KEY", "")  # which is asked for once the paper is read
    begun = KeptRun(
        asked(paper, wanted=WantedModels("groq:x")), Opened(f"{BASE}/api/live/s-{'a' * 16}/events", "t", BASE)
    )
    keep(begun)
    ended = CliRunner().invoke(cli, ["team", "--resume", begun.name])
    assert ended.exit_code == Exit.SETTINGS
    assert "GROQ_API_KEY is not set" in ended.stderr


def test_a_scripted_run_goes_on_with_a_bound_that_is_idle() -> None:
    kept = asked(scripted="low-sodium", budget=Budget(money=1.0))
    assert prepared(kept, {}, None, TODAY, resumed=True).case.title.startswith("Scripted: ")


def test_whoever_has_no_key_is_told_of_every_provider(case: Path) -> None:
    with pytest.raises(NoModel) as refused:
        prepared(asked(case), {}, None, TODAY)
    assert all(variable in str(refused.value) for variable in KEY_OF.values())


async def test_a_role_that_can_not_be_asked_is_told_once_with_its_host(
    case: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wanted = WantedModels("openai:x", "http://me:secret@127.0.0.1:1/v1", ("doctor1=openai:y@http://h:2/v1",))
    ready = prepared(asked(case, wanted=wanted), {"OPENAI_API_KEY": KEY}, None, TODAY)
    models = ready.models
    assert isinstance(models, TeamModels)
    failed = Progress(kind=ProgressKind.FAILED, agents=("doctor0", "doctor1"))
    assert asked_at(failed, models) == " (asked: 127.0.0.1:1, h:2)"
    assert asked_at(Progress(kind=ProgressKind.ROUND, agents=("doctor0",)), models) == ""
    await models.aclose()


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        (WantedModels("qwen3"), "provider:model"),
        (WantedModels("nobody:x"), "providers are google, groq, openai"),
        (WantedModels("openai:x", "127.0.0.1:11434"), "http://"),
        (WantedModels("openai:x", "http://h/v1", ("surgeon=openai:y",)), "no role 'surgeon'"),
        (WantedModels("openai:x", "http://h/v1", ("doctor0\n=openai:y",)), "role=provider:model"),
    ],
)
def test_a_model_that_can_not_be_meant_is_refused(wanted: WantedModels, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        TeamModels(wanted, ("doctor0", "supervisor"), {})


async def test_a_role_may_have_a_model_and_an_address_of_its_own() -> None:
    wanted = WantedModels(
        "openai:qwen3:8b", "http://127.0.0.1:11434/v1", ("supervisor=openai:big@http://10.0.0.2/v1",)
    )
    models = TeamModels(wanted, ("doctor0", "supervisor"), {})
    assert models.of("doctor0") is models.of("doctor1")
    assert models.of("supervisor") is not models.of("doctor0")
    assert [(spec.model, spec.base_url) for spec in models.specs] == [
        ("qwen3:8b", "http://127.0.0.1:11434/v1"),
        ("big", "http://10.0.0.2/v1"),
    ]
    assert models.prices["qwen3:8b"] == models.prices["big"] == (0.0, 0.0), "nobody bills for them"
    await models.aclose()


def test_a_bound_of_money_wants_a_price(case: Path) -> None:
    wanted = WantedModels("openai:unheard-of")
    with pytest.raises(PriceUnknown, match="unheard-of"):
        prepared(asked(case, wanted=wanted, budget=Budget(money=1.0)), {"OPENAI_API_KEY": "k"}, None, TODAY)


def test_a_case_that_is_no_case_is_told_with_its_field(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text('{"age": 200}', encoding="utf-8")
    with pytest.raises(CaseRefused, match="age") as refused:
        prepared(asked(path), {}, None, TODAY)
    assert refused.value.field == "age"


def test_the_command_says_what_is_wrong_and_ends_with_the_code_of_the_settings(
    case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "")
    ended = CliRunner().invoke(cli, ["team", str(case)])
    assert ended.exit_code == Exit.SETTINGS
    assert "--base-url http://127.0.0.1:11434/v1" in ended.stderr


async def test_the_orchestrators_plan_comes_by_the_clients_own_way_of_structured_answers(
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    case: Path,
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, a_key())
    plan = {"summary": "A cough.", "next": [{"specialist": "Radiology", "task": "Look."}], "done": False}
    over = {"summary": "Pneumonia.", "next": [], "done": True}
    script = Script(Answer(json.dumps(plan)), Answer(VIEW), Answer(json.dumps(over)), Answer(FINAL))
    wire = Wire()
    async with openai_twin(script) as address:
        given = asked(case, team="cdss", wanted=WantedModels(f"openai:{MODEL}", address))
        ready = prepared(given, {"OPENAI_API_KEY": KEY}, None, TODAY)
        async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
            assert await heard(ready, BASE, http=http) is None
            found = await events_of_link(settings, capsys.readouterr().out.splitlines()[0])
    script.assert_finished()
    assert script.requests[0]["response_format"]["json_schema"]["name"] == "Route"
    assert (text_of(found, "radiology"), text_of(found, "orchestrator")) == (VIEW, FINAL)
    assert isinstance(ready.team, CdssTeam)
    assert ready.team.outcome["summary"] == "Pneumonia."


async def test_leaving_a_team_closes_the_providers_socket_within_a_second(case: Path) -> None:
    stalled = Stall("### Most Likely Diagnosis", asyncio.Event())
    async with openai_twin(Script(stalled)) as address:
        given = asked(case, wanted=WantedModels(f"openai:{MODEL}", address))
        ready = prepared(given, {"OPENAI_API_KEY": KEY}, None, TODAY)
        assert ready.close is not None
        running = ready.team.run(ready.case, ready.models, NoInbox())
        async for event in running:
            if event.type is EventType.TOKEN:
                break
        await running.aclose()
        async with asyncio.timeout(5.0):
            await stalled.gone.wait()
        await ready.close()
