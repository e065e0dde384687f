from __future__ import annotations

import gzip
from pathlib import Path

from infra.sfu_testing import ScriptedSfu
from tests.api.serving import CASE, refusal, serving, settings_for


def broken_trace(folder: Path) -> Path:
    """Write a gzip file that was cut short."""
    path = folder / "cut-short.trace.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"record_type": "trace_meta"}\n' * 200)[:40])
    return path


async def test_the_shipped_case_is_listed_with_what_a_client_shows(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.get("/cases")
    (case,) = [each for each in answer.json()["cases"] if each["case_id"] == CASE]
    assert set(case) == {"case_id", "title", "words", "duration_s", "agents", "problem"}
    assert case["problem"] is None
    assert len(case["agents"]) == 4
    assert 0 < case["words"] <= 1500
    assert 60 < case["duration_s"] < 120


async def test_a_broken_trace_is_listed_with_its_problem_and_can_not_be_opened(tmp_path: Path) -> None:
    settings = settings_for(tmp_path, cases=(broken_trace(tmp_path),))
    async with serving(settings, ScriptedSfu()) as client:
        (case,) = (await client.get("/cases")).json()["cases"]
        opened = await client.post("/sessions", json={"case_id": case["case_id"]})
    assert case["problem"]
    assert refusal(opened) == (409, "broken_case")
    assert case["problem"] in opened.json()["error"]["message"]


async def test_an_unknown_case_is_answered_with_those_there_are(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.post("/sessions", json={"case_id": "no-such-case"})
    assert refusal(answer) == (404, "unknown_case")
    message = answer.json()["error"]["message"]
    assert CASE in message
    assert "no-such-case" not in message


async def test_a_missing_folder_of_cases_is_told_and_stops_nothing_else(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path, cases=(tmp_path / "nowhere",)), ScriptedSfu()) as client:
        (listed,) = (await client.get("/cases")).json()["cases"]
        opened = await client.post("/sessions", json={"case_id": CASE})
    assert "CASES" in listed["problem"]
    assert refusal(opened) == (404, "unknown_case")
    assert "GET /cases" in opened.json()["error"]["message"]


async def test_without_a_built_page_the_root_says_how_to_build_it(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain")
    assert "make run" in answer.text


async def test_the_built_page_is_served_beside_the_api_and_nothing_outside_it(tmp_path: Path) -> None:
    (tmp_path / "dist" / "assets").mkdir(parents=True)
    (tmp_path / "dist" / "index.html").write_text("<!doctype html><title>EXAIM Voice</title>")
    (tmp_path / "dist" / "assets" / "app-1a2b.js").write_text("export {}")
    (tmp_path / "key").write_text("not to be seen")
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        index, script = await client.get("/"), await client.get("/assets/app-1a2b.js")
        outside = [
            await client.get(path) for path in ("/%2e%2e/key", "/..%2fkey", "/assets/../../key", "/key")
        ]
        cases = await client.get("/cases")
        posted = await client.post("/index.html")
    assert "EXAIM Voice" in index.text
    assert index.headers["cache-control"] == "no-cache"
    assert "immutable" in script.headers["cache-control"]
    assert {refusal(answer) for answer in outside} == {(404, "not_found")}
    assert cases.json()["cases"]
    assert refusal(posted) == (405, "method_not_allowed")


async def test_wrong_paths_and_methods_are_refused_in_the_one_form(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        assert refusal(await client.get("/nothing")) == (404, "not_found")
        assert refusal(await client.delete("/cases")) == (405, "method_not_allowed")
        assert refusal(await client.get("/sessions")) == (405, "method_not_allowed")
        assert refusal(await client.get("/docs")) == (404, "not_found")


async def test_openapi_describes_every_route_and_its_refusals(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        api = (await client.get("/openapi.json")).json()
    assert set(api["paths"]) == {
        "/key",
        "/papers/draft",
        "/sessions/{session_id}/calls",
        "/cases",
        "/sessions",
        "/sessions/{session_id}/invitations",
        "/sessions/{session_id}",
        "/sessions/{session_id}/invitation",
        "/sessions/{session_id}/revoke",
        "/sessions/{session_id}/token",
        "/sessions/{session_id}/end",
        "/sessions/{session_id}/events",
        "/sessions/{session_id}/ask",
        "/sessions/{session_id}/inbox",
        "/sessions/{session_id}/report",
        "/sessions/{session_id}/reopen",
        "/health",
        "/teams",
        "/health/live",
    }
    for methods in api["paths"].values():
        for route in methods.values():
            assert route["summary"]
            assert route["description"]
            for status, answer in route["responses"].items():
                if status.startswith("4"):
                    assert answer["content"]["application/json"]["schema"]["$ref"].endswith("/ErrorBody")
    assert {"404", "409", "413", "422", "429", "503"} <= set(api["paths"]["/sessions"]["post"]["responses"])
