"""What a caller may send, and the store may hold, that no answer of 500 is the right one to."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest

from infra.access import digest
from infra.keys import SessionKeys
from infra.sessions import SessionStore
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from tests.api.serving import bearer, serving, settings_for
from tests.infra.making import session
from tests.servers import valkey

pytestmark = pytest.mark.real

SESSION = "s-" + "a" * 16
HALF = json.dumps({"live": {"title": "x", "paper": {"case_id": "c", "summary": "\ud83d"}}})
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "body",
    [
        HALF,
        json.dumps({"live": {"title": "x", "paper": {"case_id": "\u0000x"}}}),
        json.dumps({"live": {"title": "x", "paper": {"case_id": "x" * 200}}}),
        json.dumps({"live": {"title": "x", "paper": {"case_id": "x", "history": ["(" * 4_001]}}}),
        json.dumps(
            {"live": {"title": "x", "paper": {"case_id": "x", "allergies": [{"substance": " " * 201}]}}}
        ),
    ],
    ids=["half a surrogate", "a control character", "too long", "a long text", "a long name"],
)
async def test_a_case_paper_that_could_not_be_kept_is_refused(tmp_path: Path, body: str) -> None:
    with valkey(tmp_path) as server:
        async with serving(settings_for(tmp_path, server.url), sfu=ScriptedSfu([])) as http:
            answer = await http.post("/sessions", content=body, headers=JSON)
    assert answer.status_code == 422
    assert "live.paper" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    "event",
    [
        {"runId": "\ud83d"},
        {"runId": "x" * 200},
        {"seq": 10**400},
        {"seq": 2**53},
        {"turn": 10**400},
        {"sourceMs": -(10**400)},
    ],
    ids=lambda event: str(event)[:20],
)
async def test_an_event_that_the_log_could_not_hold_is_refused(tmp_path: Path, event: dict[str, Any]) -> None:
    sent = {"type": "TOKEN", "data": "x", "seq": 0, "agentId": "a", **event}
    with valkey(tmp_path) as server:
        sfu = ScriptedSfu([Expect("create_room")])
        async with serving(settings_for(tmp_path, server.url), sfu=sfu) as http:
            opened = (await http.post("/sessions", json={"live": {"title": "x"}})).json()
            url, token = f"/sessions/{opened['session_id']}/events", opened["live"]["team_token"]
            body = json.dumps({"events": [sent]})
            answer = await http.post(url, content=body, headers={**JSON, **bearer(token)})
    assert answer.status_code == 422


@pytest.mark.parametrize("form", ["md", "json"])
@pytest.mark.parametrize(
    "text", ['{"v":1,"title":{"patient":"Mrs Smith"}}', '{"v":"Mrs Smith"}', "{", "[]", '{"v":2}']
)
async def test_a_stored_report_that_is_none_is_told_of_without_its_text(
    tmp_path: Path, text: str, form: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with valkey(tmp_path) as server:
        client = connect(server.url)
        sessions, keys = SessionStore(client), SessionKeys(SESSION, SESSION)
        await sessions.create(session(SESSION).model_copy(update={"secret_sha256": digest("secret")}))
        await sessions.end(SESSION)
        await client.hset(keys.name("outbox"), "report", "made")
        await client.set(keys.name("report"), text)
        async with serving(settings_for(tmp_path, server.url), sfu=ScriptedSfu([])) as http:
            answer = await http.get(f"/sessions/{SESSION}/report?format={form}", headers=bearer("secret"))
        await client.aclose()
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "store_unusable")
    assert "Smith" not in caplog.text + answer.text
