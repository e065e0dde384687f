"""`GET /teams` and `POST /teams`: what is offered, what is refused before anything is opened, what is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from agents.teams.cdss import CdssTeam
from agents.teams.doctors import DoctorsTeam
from agents.teams.script_files import script_names
from infra.keys import TEAMS
from infra.papers import read_paper
from infra.sessions import SessionStore
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.team_runs import TeamRun, TeamRuns
from routes import teams
from tests.api.serving import a_key, bearer, refusal, serving, settings_for, stopped
from tests.servers import StoreServer

MODELS = """
teams:
  at-home: {provider: openai, model: qwen3:8b, base_url: http://127.0.0.1:11434/v1}
  far-away: {provider: groq, model: llama-3.3-70b-versatile}
"""
BUNDLE = {
    "resourceType": "Bundle",
    "type": "collection",
    "entry": [{"resource": {"resourceType": "Patient", "id": "p", "gender": "female", "birthDate": "1960-01-01"}},
              {"resource": {"resourceType": "Condition", "id": "c", "subject": {"reference": "Patient/p"},
                            "code": {"text": "Asthma"}}}],
}  # fmt: skip


@pytest.fixture
def settings(
    tmp_path: Path, store_server: StoreServer, store: Redis, monkeypatch: pytest.MonkeyPatch
) -> Settings:
    monkeypatch.setenv("GROQ_API_KEY", "a-key-of-the-operator")
    models = tmp_path / "models.yaml"
    models.write_text(MODELS, encoding="utf-8")
    return settings_for(tmp_path, store_server.url, models=models)


def opens() -> ScriptedSfu:
    return ScriptedSfu([Expect("create_room")])


async def run_of(store: Redis, session_id: str) -> TeamRun:
    run = await TeamRuns(store).get(session_id)
    assert run is not None
    return run


async def test_what_can_be_started_is_listed_with_names_and_where_words_go(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu()) as http:
        shown = (await http.get("/teams")).json()
    assert [each["name"] for each in shown["teams"]] == ["cdss", "doctors", "mdagents"]
    assert shown["models"] == [
        {"name": "at-home", "host": "127.0.0.1:11434", "stays_here": True, "problem": None},
        {"name": "far-away", "host": "api.groq.com", "stays_here": False, "problem": None},
    ]
    assert [each["name"] for each in shown["scripted"]] == script_names()
    assert all(each["title"].startswith("Scripted: ") for each in shown["scripted"])
    assert shown["leaves"] == []
    assert "a-key-of-the-operator" not in json.dumps(shown)


async def test_a_scripted_team_is_asked_for_and_whoever_starts_it_is_its_clinician(
    settings: Settings, store: Redis
) -> None:
    async with serving(settings, opens(), key=a_key(principal="ward-3", tenant="north")) as http:
        answer = await http.post(
            "/teams", json={"team": "doctors", "scripted": "low-sodium", "stays_here": True}
        )
        assert answer.status_code == 201, answer.text
        opened = answer.json()
        stands = await http.get(f"/sessions/{opened['session_id']}", headers=bearer(opened["client_secret"]))
        assert stands.json()["title"] == "Scripted: A fit with a sodium of 112"
    run = await run_of(store, opened["session_id"])
    assert (run.team, run.scripted, run.case, run.stays_here) == ("doctors", "low-sodium", None, True)
    assert (run.tenant, run.opened_by) == ("north", "ward-3")
    record = await SessionStore(store).get(opened["session_id"])
    assert record.live
    assert record.agents == teams.AGENTS["doctors"]
    assert run.team_token not in answer.text, "the clinician does not speak as the team"
    paper = await read_paper(store, record.keys)
    assert paper is not None
    assert paper.fictional


@pytest.mark.parametrize(
    ("case", "in_text", "has_paper"),
    [
        ("A man of 40 with a cough.", "A man of 40 with a cough.", False),
        (
            {"case_id": "own-1", "title": "A cough", "presenting_complaint": "Cough for a week."},
            "Cough for a week",
            True,
        ),
        (BUNDLE, "Asthma", True),
        (json.dumps(BUNDLE), "Asthma", True),
    ],
)
async def test_a_case_of_ones_own_goes_along_as_text_paper_or_fhir(
    settings: Settings, store: Redis, case: Any, in_text: str, has_paper: bool
) -> None:
    async with serving(settings, opens()) as http:
        answer = await http.post("/teams", json={"team": "cdss", "case": case, "stays_here": True})
        assert answer.status_code == 201, answer.text
    run = await run_of(store, answer.json()["session_id"])
    assert run.case is not None
    assert in_text in run.case.text
    assert (run.model, run.scripted) == ("at-home", "")
    record = await SessionStore(store).get(run.session_id)
    assert (await read_paper(store, record.keys) is not None) == has_paper


@pytest.mark.parametrize(
    ("body", "refused", "told"),
    [
        ({}, (422, "invalid_request"), "scripted"),
        ({"case": "x", "scripted": "low-sodium"}, (422, "invalid_request"), "either"),
        ({"case": "x", "base_url": "http://evil"}, (422, "invalid_request"), "unknown"),
        ({"case": "x", "model": "nobody's"}, (404, "unknown_model"), "at-home, far-away"),
        ({"scripted": "../../etc/passwd"}, (404, "unknown_script"), "low-sodium"),
        ({"case": " \n "}, (422, "case_refused"), "empty"),
        ({"case": "x" * 40_001}, (422, "case_refused"), "40,000"),
        ({"case": '{"age": 200}'}, (422, "case_refused"), "age"),
        ({"case": {"case_id": "x", "allergy": ["a"]}}, (422, "case_refused"), "write allergies"),
        ({"case": "A man of 71. A woman of 58."}, (422, "two_patients"), "character 16"),
        ({"case": {"resourceType": "Patient"}}, (422, "case_refused"), "FHIR"),
        ({"case": "x", "model": "far-away", "stays_here": True}, (409, "leaves_machine"), "api.groq.com"),
    ],
)
async def test_what_can_not_be_is_refused_before_anything_is_opened(
    settings: Settings, store: Redis, body: dict[str, Any], refused: tuple[int, str], told: str
) -> None:
    async with serving(settings, ScriptedSfu()) as http:
        answer = await http.post("/teams", json=body)
    assert refusal(answer) == refused
    assert told in answer.json()["error"]["message"]
    assert await store.hlen(TEAMS) == 0


async def test_what_speaks_and_hears_elsewhere_is_named_where_all_is_to_stay(settings: Settings) -> None:
    cloud = settings.model_copy(
        update={
            "voice": "deepgram",
            "ears": "deepgram",
            "judge": "llm",
            "livekit_url": "wss://x.livekit.cloud",
        }
    )
    async with serving(cloud, ScriptedSfu()) as http:
        answer = await http.post("/teams", json={"scripted": "low-sodium", "stays_here": True})
        leaves = (await http.get("/teams")).json()["leaves"]
    assert refusal(answer) == (409, "leaves_machine")
    for part in ("the voice (deepgram)", "the recogniser (deepgram)", "the SFU", "buffer_agent"):
        assert part in answer.json()["error"]["message"]
        assert any(part in each for each in leaves)


async def test_without_a_model_a_case_of_ones_own_is_refused_with_what_to_set(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "")
    bare = settings.model_copy(update={"models": None})
    async with serving(bare, ScriptedSfu()) as http:
        answer = await http.post("/teams", json={"case": "A man of 40 with a cough."})
        assert refusal(answer) == (409, "no_model")
        assert "EXAIM_MODELS" in answer.json()["error"]["message"]
        assert (await http.get("/teams")).json()["models"] == []
    async with serving(settings, ScriptedSfu()) as http:
        answer = await http.post("/teams", json={"case": "A man of 40.", "model": "far-away"})
        assert refusal(answer) == (409, "no_model")
        assert "GROQ_API_KEY" in answer.json()["error"]["message"]


async def test_nobody_without_a_key_starts_or_lists(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu(), key="") as http:
        assert refusal(await http.post("/teams", json={"scripted": "low-sodium"})) == (401, "no_key")
        assert refusal(await http.get("/teams")) == (401, "no_key")


async def test_a_full_list_and_many_starts_are_refused_with_when_to_come_again(
    settings: Settings, store: Redis
) -> None:
    runs = TeamRuns(store)
    for number in range(32):
        await runs.ask(
            TeamRun(
                session_id=f"s-{number}", thread_id="t", team="cdss", scripted="x", team_token="t", at_ms=0
            )
        )
    full = ScriptedSfu([step for _ in range(6) for step in (Expect("create_room"), Expect("delete_room"))])
    async with serving(settings, full, now_s=stopped) as http:
        for _ in range(6):
            answer = await http.post("/teams", json={"scripted": "low-sodium"})
            assert refusal(answer) == (429, "teams_full")
            assert int(answer.headers["Retry-After"]) > 0
        assert await SessionStore(store).live() == [], "nothing is left open"
        answer = await http.post("/teams", json={"scripted": "low-sodium"})
        assert refusal(answer) == (429, "too_many_teams")
        assert int(answer.headers["Retry-After"]) > 0
    full.assert_finished()


def test_the_agents_that_are_listed_are_the_teams_own() -> None:
    assert teams.AGENTS["cdss"] == CdssTeam().agents
    assert teams.AGENTS["doctors"] == DoctorsTeam().agents
