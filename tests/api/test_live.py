"""A live session over HTTP: opened, its events taken once and in order, refused with what to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.stream import EventType, StreamFull
from app.voice import facts_of
from exaim_live.events import SENT_CHARS
from infra.keys import SessionKeys
from infra.papers import read_paper
from infra.sessions import SessionStore
from infra.settings import Settings
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from infra.streams import Logged, SessionStreams
from infra.team_log import BYTE_BOUND, KEPT_BYTES, KEPT_EVENTS, TeamLog
from routes.events import MOST_EVENTS
from tests.api.serving import BASE, CASE, bearer, redeemed, refusal, serving, settings_for

PAPER = {
    "case_id": "case-cellar",
    "age": 61,
    "labs": [{"analyte": "potassium", "value": 4.4, "unit": "mmol/L"}],
}
GONE = Expect("agent_present", answer=False)


def token(seq: int, text: str, agent: str = "Doctor Zero") -> dict[str, Any]:
    return {"type": "TOKEN", "seq": seq, "agentId": agent, "turn": 1, "data": text}


def end(seq: int) -> dict[str, Any]:
    return {"type": "END", "seq": seq}


async def opened(client: httpx.AsyncClient, **case: Any) -> dict[str, Any]:
    answer = await client.post("/sessions", json={"live": {"title": "Cold hands", **case}})
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


async def send(
    client: httpx.AsyncClient, session: dict[str, Any], *events: dict[str, Any], secret: str | None = None
) -> httpx.Response:
    path = session["live"]["events_url"].removeprefix(BASE)
    headers = bearer(session["live"]["team_token"] if secret is None else secret)
    return await client.post(path, json={"events": events}, headers=headers)


async def logged(settings: Settings, session_id: str) -> Sequence[Logged]:
    async with connect(settings.redis_url) as client:
        return await SessionStreams(client, SessionKeys(session_id, session_id)).read_events()


async def test_a_live_session_is_opened_with_a_page_a_token_and_its_paper(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        body = await opened(client, paper=PAPER, agents=["Doctor Zero", "Doctor One"], silence_s=60)
        async with connect(settings.redis_url) as store:
            record = await SessionStore(store).get(body["session_id"])
            paper = await read_paper(store, record.keys)
    live = body["live"]
    assert live["events_url"] == f"{BASE}/sessions/{body['session_id']}/events"
    assert live["page_url"].startswith(f"{BASE}/#session={body['session_id']}&invitation=")
    assert live["team_token"] not in record.model_dump_json()
    assert (record.live, record.title, record.case_id) == (True, "Cold hands", "case-cellar")
    assert (record.agents, record.team_silence_s) == (("Doctor Zero", "Doctor One"), 60.0)
    assert paper is not None
    assert [(lab.value, lab.unit) for lab in paper.labs if lab.analyte == "potassium"] == [(4.4, "mmol/L")]


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"live": {}}, "live.title"),
        ({"live": {"title": " "}}, "live.title"),
        ({"live": {"title": "x"}, "case_id": CASE}, "case_id"),
        ({"live": {"title": "x"}, "speed": 2}, "speed"),
        ({"live": {"title": "x", "silence_s": 1}}, "silence_s"),
        ({"live": {"title": "x", "paper": {"labs": [{"analyte": "Na"}]}}}, "live.paper.case_id"),
        ({"live": {"title": "x", "agents": ["y" * 65]}}, "live.agents"),
        ({"live": {"title": "Cold\x00\nhands"}}, "live.title"),
        ({"live": {"title": "x", "agents": ["Doctor\nZero"]}}, "live.agents"),
        (
            {"live": {"title": "x", "agents": ["Doctor Zero", " \u3000"]}},
            "live.agents.1: String should have at",
        ),
        ({"live": {"title": "x", "paper": {"case_id": "  "}}}, "not blanks alone"),
        (
            {"live": {"title": "x", "paper": {"case_id": "x", "allergy": ["a"]}}},
            "live.paper: allergy is no field",
        ),
    ],
)
async def test_a_live_case_that_is_none_is_refused_by_its_field(body: Any, named: str, tmp_path: Any) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.post("/sessions", json=body)
    assert refusal(answer) == (422, "invalid_request")
    assert named in answer.json()["error"]["message"]


async def test_an_agent_without_a_name_is_refused_and_blanks_about_one_are_not_its(
    settings: Settings,
) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client, agents=["Doctor Zero "])
        nobody = await send(client, session, token(0, "The potassium is 6.9.", " \u2003"))
        taken = await send(client, session, token(0, "The potassium is 6.9.", " Doctor Zero"))
    async with connect(settings.redis_url) as store:
        record = await SessionStore(store).get(session["session_id"])
    [event] = [each.event for each in await logged(settings, session["session_id"])]
    assert refusal(nobody) == (422, "invalid_request")
    assert "events.0.agentId: String should have at least 1 character" in nobody.json()["error"]["message"]
    assert taken.status_code == 200
    assert (record.agents, event.agent_id) == (("Doctor Zero",), "Doctor Zero")


@pytest.mark.parametrize("value", ["1e999", "-1e999", "NaN", "1" + 400 * "0"])
async def test_a_paper_with_a_value_that_is_no_number_is_refused(value: str, tmp_path: Any) -> None:
    paper = f'{{"case_id": "x", "labs": [{{"analyte": "potassium", "value": {value}}}]}}'
    body = f'{{"live": {{"title": "x", "paper": {paper}}}}}'
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.post("/sessions", content=body, headers={"Content-Type": "application/json"})
    assert refusal(answer) == (422, "invalid_request")
    assert "live.paper.labs" in answer.json()["error"]["message"]


async def test_a_batch_that_comes_again_changes_nothing_and_tells_what_is_stored(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        first = [token(0, "Cold hands, "), token(1, "since May.")]
        answers = [
            await send(client, session),
            await send(client, session, *first),
            await send(client, session, *first),
            await send(client, session, first[1], token(2, " Raynaud.")),
            await send(client, session, end(3)),
            await send(client, session, *first),
            await send(client, session, end(3)),
        ]
        found = await logged(settings, session["session_id"])
    assert [answer.json() for answer in answers] == [{"stored_seq": seq} for seq in (-1, 1, 1, 2, 3, 3, 3)]
    assert [entry.event.data for entry in found] == ["Cold hands, ", "since May.", " Raynaud.", ""]
    event = found[0].event
    assert (event.session_id, event.thread_id, event.trace_id) == (
        session["session_id"], session["thread_id"], "live",
    )  # fmt: skip
    assert found[-1].event.type is EventType.END


async def test_events_one_a_line_are_taken_too(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        lines = "\n".join(json.dumps(each) for each in (token(0, "Cold\nhands."), end(1))) + "\n\n"
        headers = bearer(session["live"]["team_token"]) | {"Content-Type": "application/x-ndjson"}
        url = session["live"]["events_url"]
        answer = await client.post(url, content=lines, headers=headers)
        bad = await client.post(url, content=b"{\n}", headers=headers)
        form = await client.post(
            url, content=b'{"events":[]}', headers=headers | {"Content-Type": "text/plain"}
        )
        found = await logged(settings, session["session_id"])
    assert answer.json() == {"stored_seq": 1}
    assert [entry.event.data for entry in found] == ["Cold\nhands.", ""]
    assert refusal(bad) == refusal(form) == (422, "invalid_request")


async def test_a_gap_is_refused_with_the_number_that_comes_next(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        await send(client, session, token(0, "a"))
        refused = await send(client, session, token(2, "c"), token(3, "d"))
        found = await logged(settings, session["session_id"])
    assert refusal(refused) == (409, "sequence_gap")
    assert "event 1 comes next" in refused.json()["error"]["message"]
    assert len(found) == 1


async def test_nothing_follows_the_end_and_an_ended_session_takes_nothing(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room"), GONE, Expect("delete_room")])
    async with serving(settings, sfu) as client:
        session = await opened(client)
        await send(client, session, token(0, "a"), end(1))
        late = await send(client, session, token(2, "b"))
        clinician = await redeemed(client, session["live"]["page_url"])
        await client.post(f"/sessions/{session['session_id']}/end", headers=clinician)
        gone = await send(client, session, token(2, "b"))
    assert refusal(late) == (409, "reasoning_over")
    assert refusal(gone) == (410, "session_ended")


async def test_only_the_teams_own_token_lets_events_in_and_it_lets_nothing_else(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("create_room")] * 3)
    async with serving(settings, sfu) as client:
        session, other = await opened(client), await opened(client)
        recorded = (await client.post("/sessions", json={"case_id": CASE})).json()
        path = f"/sessions/{recorded['session_id']}/events"
        clinician = (await redeemed(client, session["live"]["page_url"]))["Authorization"][7:]
        refused = [
            await send(client, session, token(0, "a"), secret=secret)
            for secret in ("x", clinician, other["live"]["team_token"])
        ]
        refused.append(
            await client.post(path, json={"events": []}, headers=bearer(recorded["client_secret"]))
        )
        refused.append(await client.post(path, json={"events": []}))
        refused.append(await client.post("/sessions/s-aaaaaaaaaaaaaaaa/events", json={"events": []}))
        crossed = await client.post(
            f"/sessions/{session['session_id']}/token", headers=bearer(session["live"]["team_token"])
        )
        found = await logged(settings, session["session_id"])
    assert {refusal(answer) for answer in refused} == {(401, "wrong_token")}
    assert refusal(crossed) == (401, "wrong_secret")
    assert found == []
    assert "live" not in recorded


@pytest.mark.parametrize(
    ("events", "named"),
    [
        ([{"type": "TOKEN", "seq": 0, "data": "qqq"}], "agentId"),
        ([token(0, "qqq"), token(2, "qqq")], "seq"),
        ([end(0), token(1, "qqq")], "END"),
        ([token(-1, "qqq")], "events.0.seq"),
        ([token(0, "q" * (SENT_CHARS + 1))], "events.0.data"),
        ([token(0, "qqq", agent="a\nb")], "events.0.agentId"),
        ([token(0, "qqq") | {"sessionId": "s-1"}], "events.0.sessionId is unknown here"),
        ([{"type": "TOKEN", "seq": 0, "text": "qqq", "agentId": "a"}], "events.0.text is unknown here"),
        ([token(0, "qqq") | {"the qqq of bed 4": 1}], "events.0: a field that is no name is unknown here"),
        ([token(0, "qqq") | {"decision": {"because": 1}}], "events.0.decision.because is unknown here"),
        ([token(seq, "qqq") for seq in range(MOST_EVENTS + 1)], "events"),
        ([{"type": "SONG", "seq": 0}], "events.0.type"),
    ],
)
async def test_a_bad_batch_is_refused_by_its_field_and_nothing_of_it_is_told(
    events: list[dict[str, Any]], named: str, settings: Settings
) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        refused = await send(client, session, *events)
        found = await logged(settings, session["session_id"])
    assert refusal(refused) == (422, "invalid_request")
    assert named in refused.json()["error"]["message"]
    assert "qqq" not in refused.text
    assert found == []


async def test_a_batch_beyond_the_bound_of_a_body_is_refused_whole(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        refused = await send(client, session, *(token(seq, "x" * SENT_CHARS) for seq in range(9)))
        found = await logged(settings, session["session_id"])
    assert refusal(refused) == (413, "too_large")
    assert found == []


async def test_a_full_log_says_so_and_still_takes_the_end(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        await send(client, session, token(0, "a"))
        async with connect(settings.redis_url) as store:
            heads = SessionKeys(session["session_id"], session["session_id"]).name("heads")
            await store.hset(heads, "event_bytes", str(BYTE_BOUND - KEPT_BYTES))
        refused = await send(client, session, token(1, "b"))
        ended = await send(client, session, {"type": "ERROR", "seq": 1}, end(2))
        found = await logged(settings, session["session_id"])
    assert refusal(refused) == (429, "log_full")
    assert "16 MiB" in refused.json()["error"]["message"]
    assert int(refused.headers["Retry-After"]) > 0
    assert ended.json() == {"stored_seq": 2}
    assert len(found) == 3


async def test_the_log_is_bounded_in_events_too(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        session = await opened(client)
        await send(client, session, token(0, "a"), token(1, "b"))
        (entry, _) = await logged(settings, session["session_id"])
        async with connect(settings.redis_url) as store:
            keys = SessionKeys(session["session_id"], session["session_id"])
            log = TeamLog(store, keys, event_bound=KEPT_EVENTS + 2)
            with pytest.raises(StreamFull):
                await log.take([entry.event.model_copy(update={"seq": 2})])
            assert await log.take([]) == 1


async def test_a_store_that_is_gone_is_told_as_such(tmp_path: Any) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        refused = await client.post(
            "/sessions/s-aaaaaaaaaaaaaaaa/events", json={"events": []}, headers=bearer("x")
        )
    assert refusal(refused) == (503, "store_unavailable")
    assert int(refused.headers["Retry-After"]) > 0


async def test_both_forms_of_a_batch_are_in_the_api_text(tmp_path: Any) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        text = (await client.get("/openapi.json")).json()
    taken = text["paths"]["/sessions/{session_id}/events"]["post"]
    assert set(taken["requestBody"]["content"]) == {"application/json", "application/x-ndjson"}
    assert {"401", "409", "410", "413", "422", "429", "503"} <= set(taken["responses"])
    assert taken["security"] == [{"TeamToken": []}]


async def test_a_team_chooses_the_reader_among_the_operators_by_name(
    settings: Settings, tmp_path: Path
) -> None:
    models = tmp_path / "models.yaml"
    models.write_text("readers: {house: {provider: openai, model: qwen3, base_url: 'http://127.0.0.1:9/v1'}}")
    configured = settings.model_copy(update={"engine": "auto", "models": models})
    async with serving(configured, ScriptedSfu([Expect("create_room")])) as client:
        for name in ("elsewhere", "http://127.0.0.1:9/v1"):
            answer = await client.post("/sessions", json={"live": {"title": "Cold hands", "reader": name}})
            assert refusal(answer) == (404, "unknown_reader")
            assert "house" in answer.text and "qwen3" not in answer.text
        body = await opened(client, reader="house")
        async with connect(settings.redis_url) as store:
            record = await SessionStore(store).get(body["session_id"])
    assert record.reader == "house"
    assert facts_of(configured, record, 1, None).reader == ("house", "qwen3", "127.0.0.1:9")


async def test_where_rules_read_no_reader_can_be_chosen(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([])) as client:
        answer = await client.post("/sessions", json={"live": {"title": "Cold hands", "reader": "house"}})
    assert refusal(answer) == (404, "unknown_reader")
