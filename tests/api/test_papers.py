"""`POST /papers/draft`: who may, what is refused with what to set, and a draft without any key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from infra.settings import Settings
from routes.quotas import DRAFTS
from tests.api.serving import serving, settings_for, stopped
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Answer, Script

TEXT = "A 40-year-old man with a cough. Potassium 6.9 mmol/L."
FORM = {
    "age": {"age": 40, "words": "40-year-old"},
    "labs": [{"name": "potassium", "value": 9.6, "unit": "mmol/L", "words": "Potassium 6.9 mmol/L"}],
}


@pytest.fixture
def asks_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings by which no model has a key, whatever this machine's environment and `.env` say."""
    monkeypatch.chdir(tmp_path)
    for name in ("GROQ_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "MAS_LLM_PROVIDER", "MAS_LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    return settings_for(tmp_path)


async def posted(
    settings: Settings, body: dict[str, Any], key: str | None = None
) -> tuple[int, dict[str, Any]]:
    async with serving(settings, key=key) as client:
        answer = await client.post("/papers/draft", json=body)
    return answer.status_code, answer.json()


async def test_without_a_key_of_a_provider_a_script_can_be_tried(asks_no_store: Settings) -> None:
    status, found = await posted(asks_no_store, {"scripted": "low-sodium"})
    assert (status, found["scripted"]) == (200, True)
    assert found["paper"]["allergies"] == [
        {"substance": "phenytoin", "reaction": "blistering rash", "year": 2011}
    ]
    for source in found["sources"]:
        assert found["text"][source["start"] : source["end"]] == source["words"]
    assert {"field": "labs", "words": "lactate 4.8 mmol/L"}.items() <= found["left_out"][-1].items()
    assert found["unread"] == ["Her brother has epilepsy."]


@pytest.mark.parametrize(
    ("body", "status", "code", "told"),
    [
        ({"text": TEXT}, 409, "no_model", "set GROQ_API_KEY"),
        ({"scripted": "../secret"}, 404, "unknown_script", "low-sodium"),
        ({"scripted": "low-sodium", "text": TEXT}, 422, "invalid_request", "of its own"),
        ({"text": TEXT, "base_url": "http://elsewhere.test"}, 422, "invalid_request", "unknown here"),
    ],
)
async def test_what_can_not_be_made_is_refused_with_what_to_do(
    asks_no_store: Settings, body: dict[str, Any], status: int, code: str, told: str
) -> None:
    got, found = await posted(asks_no_store, body)
    assert (got, found["error"]["code"]) == (status, code)
    assert told in found["error"]["message"]


async def test_only_a_model_of_the_operators_is_asked_and_one_that_stays_here_if_that_is_wanted(
    asks_no_store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", KEY)
    status, found = await posted(asks_no_store, {"text": TEXT, "model": "nobody"})
    assert (status, found["error"]["code"]) == (404, "unknown_model")
    assert "those there are: mas" in found["error"]["message"]
    status, found = await posted(asks_no_store, {"text": TEXT, "stays_here": True})
    assert (status, found["error"]["code"]) == (409, "leaves_machine")
    assert "api.groq.com" in found["error"]["message"]


async def test_nobody_without_a_key_of_ours_may_ask(asks_no_store: Settings) -> None:
    status, found = await posted(asks_no_store, {"scripted": "low-sodium"}, key="")
    assert (status, found["error"]["code"]) == (401, "no_key")


async def test_a_configured_model_copies_and_what_it_invents_is_left_out(
    asks_no_store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(Answer(json.dumps(FORM)))
    async with openai_twin(script) as address:
        for name, value in (("PROVIDER", "openai"), ("MODEL", MODEL)):
            monkeypatch.setenv(f"MAS_LLM_{name}", value)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        status, found = await posted(asks_no_store, {"text": TEXT})
        _, two = await posted(asks_no_store, {"text": "Patient A: pain.\nPatient B: cough."})
        _, none = await posted(asks_no_store, {"text": " "})
        _, long = await posted(asks_no_store, {"text": "x" * 50_000})
        _, longest = await posted(asks_no_store, {"text": "x" * 100_000})
    script.assert_finished()
    assert status == 200
    assert "labs" not in found["paper"]
    assert [each["field"] for each in found["sources"]] == ["age"]
    codes = [each["error"]["code"] for each in (two, none, long, longest)]
    assert codes == ["two_patients", "case_empty", "case_too_long", "too_large"]


async def test_a_key_asks_for_so_many_papers_and_then_waits(asks_no_store: Settings) -> None:
    async with serving(asks_no_store, now_s=stopped) as client:
        statuses = [
            (await client.post("/papers/draft", json={"scripted": "nope"})).status_code
            for _ in range(int(DRAFTS.burst) + 1)
        ]
    assert statuses == [404] * int(DRAFTS.burst) + [429]


async def test_a_text_that_seems_of_two_is_asked_about_before_a_model_is(
    asks_no_store: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{TEXT} A woman of 58."
    script = Script()
    async with openai_twin(script) as address:
        monkeypatch.setenv("MAS_LLM_PROVIDER", "openai")
        monkeypatch.setenv("MAS_LLM_MODEL", MODEL)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", address)
        status, found = await posted(asks_no_store, {"text": text})
        assert (status, found["error"]["code"]) == (422, "two_patients")
        assert not script.requests
        script.add(Answer(json.dumps(FORM)))
        status, _ = await posted(asks_no_store, {"text": text, "one_patient": True})
    assert status == 200
