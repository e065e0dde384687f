from __future__ import annotations

import gzip
import re
import traceback
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from infra.settings import Settings
from infra.sfu_port import Dispatch, RoomState
from infra.sfu_testing import ScriptedSfu
from infra.unexpected_errors import UnexpectedError
from routes.errors import LastResort
from routes.guard import MAX_BODY_BYTES, AllowedHosts, Guard
from tests.api.serving import BASE, CASE, refusal, serving, settings_for

OURS = ("127.0.0.1:8080", "127.0.0.1", "localhost:8080", "LOCALHOST", "[::1]:8080", "voice.example.org:8443")
FOREIGN = (
    "evil.example",
    "evil.example:8080",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "192.168.1.7:8080",
    "0.0.0.0:8080",
    "127.0.0.1@evil.example",
    "127.0.0.1/evil",
    "127.0.0.1:port",
    "[::1",
    "",
)
ORIGINS_REFUSED = (
    "http://evil.example",
    "https://127.0.0.1.evil.example:8080",
    "http://127.0.0.1:3000",
    "http://localhost:8080",
    "null",
    "",
    "file://",
    "http://127.0.0.1:8080/path",
    "http://evil@127.0.0.1:8080",
)


@pytest.mark.parametrize("host", OURS)
async def test_a_request_to_our_own_name_is_served(host: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, allowed_hosts=("voice.example.org",))
    async with serving(settings, ScriptedSfu()) as client:
        assert (await client.get("/cases", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("host", FOREIGN)
async def test_a_request_to_a_foreign_name_is_misdirected(host: str, tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        for path in ("/cases", "/", "/health", "/openapi.json"):
            answer = await client.get(path, headers={"Host": host})
            assert refusal(answer) == (421, "foreign_host")


@pytest.mark.parametrize("origin", ORIGINS_REFUSED)
async def test_a_page_from_elsewhere_can_neither_read_nor_write(origin: str, tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        read = await client.get("/cases", headers={"Origin": origin})
        write = await client.post("/sessions", headers={"Origin": origin}, json={"case_id": "any"})
        preflight = await client.options("/sessions", headers={"Origin": origin})
    for answer in (read, write, preflight):
        assert refusal(answer) == (403, "foreign_origin")
        assert not [name for name in answer.headers if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "origin", ["http://127.0.0.1:8080", "https://voice.example.org", "http://dev.example:5173"]
)
async def test_our_own_page_and_the_listed_ones_are_served(origin: str, tmp_path: Path) -> None:
    settings = settings_for(tmp_path, allowed_hosts=("voice.example.org", "dev.example:5173"))
    async with serving(settings, ScriptedSfu()) as client:
        assert (await client.get("/cases", headers={"Origin": origin})).status_code == 200


def test_a_listed_port_admits_no_other_port() -> None:
    allowed = AllowedHosts(("dev.example:5173",))
    assert allowed.host("dev.example:5173")
    assert not allowed.host("dev.example:5174")
    assert not allowed.host("dev.example")


async def test_two_host_headers_are_refused(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.get("/cases", headers=[("Host", "127.0.0.1"), ("Host", "evil.example")])
    assert refusal(answer) == (421, "foreign_host")


async def test_every_answer_carries_the_security_headers(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answers = [
            await client.get("/cases"),
            await client.get("/"),
            await client.get("/nothing"),
            await client.get("/cases", headers={"Host": "evil.example"}),
            await client.post("/sessions", content=b"x" * (MAX_BODY_BYTES + 1)),
        ]
    for answer in answers:
        policy = answer.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"


async def test_what_the_api_answers_is_not_cached(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        assert (await client.get("/cases")).headers["cache-control"] == "no-store"


async def test_a_body_above_the_bound_is_refused_whether_announced_or_not(tmp_path: Path) -> None:
    async def unannounced() -> AsyncIterator[bytes]:
        for _ in range(MAX_BODY_BYTES // 1024 + 1):
            yield b" " * 1024

    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        announced = await client.post("/sessions", content=b" " * (MAX_BODY_BYTES + 1))
        streamed = await client.post("/sessions", content=unannounced())
        secretless = await client.post(
            "/sessions/s-aaaaaaaaaaaaaaaa/end", content=b" " * (MAX_BODY_BYTES + 1)
        )
    assert {refusal(answer) for answer in (announced, streamed, secretless)} == {(413, "too_large")}


@pytest.fixture(scope="module")
def bomb() -> bytes:
    """Return a small body that would be 50 MB."""
    return gzip.compress(b"[" + b" " * 50_000_000)


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "identity, gzip", "deflate", "br", "x"])
async def test_a_packed_body_is_never_unpacked(tmp_path: Path, coding: str, bomb: bytes) -> None:
    assert len(bomb) < MAX_BODY_BYTES
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
        packed = await client.post("/sessions", content=bomb, headers=headers)
        plain = await client.post(
            "/sessions", content=b"{}", headers={**headers, "Content-Encoding": "identity"}
        )
    assert refusal(packed) == (415, "packed_body")
    assert refusal(plain) == (422, "invalid_request")


async def test_a_body_with_two_lengths_is_refused_and_hung_up_on(tmp_path: Path) -> None:
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        headers = {"Content-Length": "4", "Transfer-Encoding": "chunked"}
        answer = await client.post("/key", content=b"{}", headers=headers)
    assert refusal(answer) == (400, "two_lengths")
    assert answer.headers["connection"] == "close"


class Mistaken(ScriptedSfu):
    async def create_room(self, room: str, metadata: str, dispatch: Dispatch) -> RoomState:
        raise KeyError("potassium 6.8")


async def test_a_mistake_of_ours_is_a_500_and_is_logged_without_its_words(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving(settings, Mistaken()) as client:  # the server, which logs what it gets, gets nothing
        answer = await client.post("/sessions", json={"case_id": CASE})
    assert refusal(answer) == (500, "internal")
    assert "content-security-policy" in answer.headers
    assert re.search(r"POST /sessions: .*KeyError at .*test_guard\.py:\d+", caplog.text)
    assert "potassium" not in answer.text + caplog.text


async def test_a_mistake_in_the_midst_of_an_answer_breaks_it_off_without_its_words() -> None:
    async def mistaken(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise KeyError("potassium 6.8")

    async with httpx.AsyncClient(
        transport=httpx.ASGITransport(LastResort(mistaken)), base_url=BASE
    ) as client:
        with pytest.raises(UnexpectedError) as told:
            await client.get("/sessions/s-1/events")
    assert "potassium" not in "".join(traceback.format_exception(told.value))


async def test_of_a_body_whose_sender_went_away_nothing_is_taken() -> None:
    """A batch of lines that is cut at the end of one is a whole batch of fewer."""
    sent: list[Message] = []
    came: Iterator[Message] = iter(
        [
            {"type": "http.request", "body": b'{"seq": 0, "type": "END"}\n', "more_body": True},
            {"type": "http.disconnect"},
        ]
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("it was passed on")

    async def receive() -> Message:
        return next(came)

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"host", b"127.0.0.1:8080")]}
    await Guard(app, AllowedHosts(), "ws://127.0.0.1:7880")(scope, receive, send)
    assert not sent


async def test_a_body_at_the_bound_is_read_whole(tmp_path: Path) -> None:
    body = b'{"case_id": "' + b"x" * 20 + b'"}'
    body += b" " * (MAX_BODY_BYTES - len(body))
    async with serving(settings_for(tmp_path), ScriptedSfu()) as client:
        answer = await client.post("/sessions", content=body, headers={"Content-Type": "application/json"})
    assert refusal(answer) == (404, "unknown_case")
