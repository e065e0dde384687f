"""Nobody opens a session, lists cases or sees the parts without a key; a foreign page has no say at all."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.keys import KEY_HEADER, signed
from api import create_app
from infra.access import new_secret
from infra.sessions import SessionStore
from infra.settings import Settings, SettingsError
from infra.sfu_testing import Expect, ScriptedSfu
from infra.store import connect
from routes.guard import content_security_policy
from tests.api.serving import (
    CASE,
    OPENER_KEY,
    a_key,
    bearer,
    invitation_in,
    redeemed,
    refusal,
    serving,
    settings_for,
)

WANTS_A_KEY = [
    ("GET", "/cases", None),
    ("POST", "/sessions", {"case_id": CASE}),
    ("POST", "/sessions", {"live": {"title": "x"}}),
    ("POST", "/sessions/s-aaaaaaaaaaaaaaaa/invitations", None),
]
NO_KEYS = {
    "none": ("", "no_key"),
    "nonsense": ("x", "wrong_key"),
    "the opener key itself": (OPENER_KEY, "wrong_key"),
    "of another server": (signed("p" * 43, "key", until_s=9e9), "wrong_key"),
    "a link": (signed(OPENER_KEY, "link", until_s=9e9), "wrong_key"),
    "an old one": (signed(OPENER_KEY, "key", until_s=1), "key_expired"),
}


@pytest.mark.parametrize(("shown", "code"), NO_KEYS.values(), ids=NO_KEYS.keys())
@pytest.mark.parametrize(("method", "path", "body"), WANTS_A_KEY)
async def test_without_a_good_key_nothing_is_opened_or_listed(
    tmp_path: Path, method: str, path: str, body: Any, shown: str, code: str
) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu(), key=shown) as client:
        answer = await client.request(method, path, json=body)
    assert refusal(answer) == (401, code)
    assert "exaim link" in answer.json()["error"]["message"]


async def test_a_cookie_or_a_query_is_no_key(tmp_path: Path) -> None:
    key = a_key()
    async with serving(settings_for(tmp_path), ScriptedSfu(), key="") as client:
        answers = [
            await client.get("/cases", headers={"Cookie": f"{KEY_HEADER}={key}; key={key}"}),
            await client.get("/cases", params={"key": key, KEY_HEADER: key}),
            await client.get("/cases", headers=bearer(key)),
        ]
    assert {refusal(answer) for answer in answers} == {(401, "no_key")}


async def test_the_page_itself_is_served_to_anybody(tmp_path: Path) -> None:
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "index.html").write_text("<!doctype html>")
    async with serving(settings_for(tmp_path), ScriptedSfu(), key="") as client:
        answers = [await client.get(path) for path in ("/", "/openapi.json", "/health/live")]
    assert [answer.status_code for answer in answers] == [200, 200, 200]


async def test_a_link_is_exchanged_for_a_key_once(settings: Settings) -> None:
    link = signed(OPENER_KEY, "link", until_s=time.time() + 60)
    async with serving(settings, ScriptedSfu(), key="") as client:
        first, second = [await client.post("/key", json={"link": link}) for _ in range(2)]
        cases = await client.get("/cases", headers={KEY_HEADER: first.json()["key"]})
    assert (first.status_code, cases.status_code) == (200, 200)
    assert refusal(second) == (410, "link_used")
    assert "set-cookie" not in first.headers


@pytest.mark.parametrize(
    ("link", "status", "code"),
    [
        ("", 401, "wrong_link"),
        ("x" * 900, 401, "wrong_link"),
        ("x" * 2_000, 422, "invalid_request"),
        (a_key(), 401, "wrong_link"),
        (OPENER_KEY, 401, "wrong_link"),
        (signed("p" * 43, "link", until_s=9e9), 401, "wrong_link"),
        (signed(OPENER_KEY, "link", until_s=1), 410, "link_expired"),
    ],
    ids=range(7),
)
async def test_no_other_text_is_a_link(tmp_path: Path, link: str, status: int, code: str) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu(), key="") as client:
        assert refusal(await client.post("/key", json={"link": link})) == (status, code)


async def test_a_link_is_not_believed_while_the_store_is_away(tmp_path: Path) -> None:
    link = signed(OPENER_KEY, "link", until_s=time.time() + 60)
    async with serving(settings_for(tmp_path), ScriptedSfu(), key="") as client:
        assert refusal(await client.post("/key", json={"link": link})) == (503, "store_unavailable")


async def test_without_an_opener_key_there_is_no_server(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="EXAIM_OPENER_KEY"):
        create_app(settings_for(tmp_path, opener_key=""), sfu=ScriptedSfu())
    with pytest.raises(SettingsError, match="EXAIM_OPENER_KEY"):
        settings_for(tmp_path, opener_key="short")


async def test_health_says_little_without_a_key_and_asks_the_parts_once_for_many(settings: Settings) -> None:
    sfu = ScriptedSfu([Expect("check")])  # one call, however many ask
    app = create_app(settings, sfu=sfu, watch=None, recording=None)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client,
    ):
        strangers = [await client.get("/health") for _ in range(20)]
        whole = await client.get("/health", headers={KEY_HEADER: a_key()})
    assert {(answer.status_code, answer.text) for answer in strangers} == {(503, '{"status":"failing"}')}
    assert set(whole.json()["parts"]) >= {"store", "sfu", "engines"}
    sfu.assert_finished()


# --- a foreign page in the clinician's browser


FOREIGN_FETCHES = [
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "anything"},
]


@pytest.mark.parametrize("headers", FOREIGN_FETCHES, ids=range(5))
@pytest.mark.parametrize("path", ["/", "/health", "/health/live", "/cases", "/openapi.json", "/assets/x.js"])
async def test_a_foreign_page_can_have_nothing_fetched(
    tmp_path: Path, path: str, headers: dict[str, str]
) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        assert refusal(await client.get(path, headers=headers)) == (403, "foreign_site")


@pytest.mark.parametrize("site", ["cross-site", "same-site", "same-origin", "none"])
async def test_a_link_from_anywhere_opens_the_page_and_nothing_else(tmp_path: Path, site: str) -> None:
    opens = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        page, health, posted = (
            await client.get("/", headers=opens),
            await client.get("/health/live", headers=opens),
            await client.post("/", headers=opens),
        )
    assert page.status_code == 200
    ours = site in ("same-origin", "none")
    assert (health.status_code == 200) == ours
    assert (posted.status_code == 405) == ours


@pytest.mark.parametrize(
    ("sfu", "sources"),
    [
        ("ws://127.0.0.1:7881", "ws://127.0.0.1:7881 http://127.0.0.1:7881"),
        ("wss://sfu.example", "wss://sfu.example https://sfu.example"),
        ("https://u:p@sfu.example:443", "wss://sfu.example:443 https://sfu.example:443"),
        (
            "wss://x.livekit.cloud",
            "wss://x.livekit.cloud https://x.livekit.cloud wss://*.livekit.cloud https://*.livekit.cloud",
        ),
    ],
)
def test_the_page_may_talk_to_us_and_to_the_sfu_by_name(sfu: str, sources: str) -> None:
    policy = dict(each.split(" ", 1) for each in content_security_policy(sfu).split("; "))
    assert policy["connect-src"] == f"'self' {sources}"


@pytest.mark.parametrize(
    "origin", ["http://voice.example.org:9999", "https://voice.example.org:8443", "http://127.0.0.1"]
)
async def test_another_port_of_an_allowed_name_is_another_site(tmp_path: Path, origin: str) -> None:
    settings = settings_for(tmp_path, allowed_hosts=("voice.example.org",))
    async with serving(settings, ScriptedSfu()) as client:
        assert refusal(await client.get("/cases", headers={"Origin": origin})) == (403, "foreign_origin")


# --- whose it is


async def test_a_session_is_of_whose_key_opened_it(settings: Settings) -> None:
    key = a_key(principal="ward-7", tenant="north")
    async with serving(settings, ScriptedSfu([Expect("create_room")]), key=key) as client:
        body = (await client.post("/sessions", json={"live": {"title": "x"}})).json()
    async with connect(settings.redis_url) as store:
        record = await SessionStore(store).get(body["session_id"])
    assert (record.tenant, record.opened_by) == ("north", "ward-7")


async def test_whoever_opened_a_session_invites_anew_until_somebody_has_it(settings: Settings) -> None:
    other = {KEY_HEADER: a_key(principal="other")}
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        body = (await client.post("/sessions", json={"live": {"title": "x"}})).json()
        path = f"/sessions/{body['session_id']}/invitations"
        foreign = await client.post(path, headers=other)
        made = await client.post(path)
        first, code = invitation_in(body["live"]["page_url"])
        former = await client.get(first, headers=bearer(code))
        await redeemed(client, made.json()["page_url"])
        late = await client.post(path)
    assert refusal(foreign) == (404, "unknown_session")
    assert made.status_code == 201
    assert refusal(former) == (401, "wrong_invitation")
    assert refusal(late) == (409, "session_taken")


async def test_an_invitation_to_a_session_that_has_ended_opens_nothing(settings: Settings) -> None:
    async with serving(settings, ScriptedSfu([Expect("create_room")])) as client:
        made = (await client.post("/sessions", json={"live": {"title": "x"}})).json()
        path, code = invitation_in(made["live"]["page_url"])
        async with connect(settings.redis_url) as store:
            await SessionStore(store).end(made["session_id"])
        late = await client.post(path, headers=bearer(code), json={"client_secret": new_secret()})
    assert refusal(late) == (410, "session_ended")
