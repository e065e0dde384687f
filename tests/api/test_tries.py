"""The tries that a stranger can run (`exaim tries`), at the whole application behind its real HTTP server."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import uvicorn

from api import create_app
from app.http_bounds import HttpLimits, bounded
from infra.settings import Settings
from infra.sfu_port import Dispatch, JoinToken, Participant, RoomState
from infra.sfu_testing import FAR_AWAY_MS, room_state
from lab.tries import run, silencing
from lab.tries.ground import NoGround, ground, judged
from routes import guard
from tests.api.serving import OPENER_KEY

pytestmark = pytest.mark.real
SIX_HOLES = {
    "have a link believed that was made up",
    "enter the room with the team's token",
    "open a session without a key",
    "start off loopback without TLS",
    "fill the store with text",
    "never end a head",
}
"""Of each of the issue's six holes one try at least."""


class Rooms:
    """An SFU that has rooms and nobody in them."""

    def __init__(self) -> None:
        self.rooms: dict[str, RoomState] = {}

    async def create_room(self, room: str, metadata: str, dispatch: Dispatch) -> RoomState:
        return self.rooms.setdefault(room, room_state(room, metadata))

    async def dispatch(self, room: str, dispatch: Dispatch) -> None:
        assert room in self.rooms

    async def jobs(self, room: str) -> int:
        return 0

    async def agent_present(self, room: str, identity: str) -> bool:
        return False

    async def participants(self, room: str) -> tuple[Participant, ...]:
        return ()

    async def evict(self, room: str, identity: str) -> None:
        raise AssertionError("nobody is there")

    async def delete_room(self, room: str) -> None:
        self.rooms.pop(room, None)

    async def check(self) -> None:
        return None

    def token(self, identity: str, room: str, ttl_s: int = 0) -> JoinToken:
        return JoinToken(jwt=f"token of {identity}", expires_at_ms=FAR_AWAY_MS)

    async def aclose(self) -> None:
        return None


@asynccontextmanager
async def served(settings: Settings, sfu: Rooms, limits: HttpLimits) -> AsyncIterator[str]:
    """Serve the application on a port of loopback."""
    app = create_app(settings, sfu=sfu, watch=None, recording=None)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        config = uvicorn.Config(
            app, http=bounded(limits), ws="none", log_config=None, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve([listening]))
        while not server.started:
            await asyncio.sleep(0.01)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        finally:
            server.should_exit = True
            await task


async def test_every_try_is_refused_and_nothing_of_them_is_left(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "BODY_DEADLINE_S", 2.0)  # of a body without end; a head is given as long
    said: list[str] = []
    sfu = Rooms()
    async with served(settings, sfu, HttpLimits(connections=200, head_s=2.0)) as address:
        safe = await run.run(address, OPENER_KEY, say=said.append)
    assert safe, "\n".join(said)
    assert len(said) == len(run.EVERY) + 1
    assert sfu.rooms == {}


def test_there_are_forty_at_least_each_with_a_name_and_every_hole_among_them() -> None:
    names = [each.name for each in run.EVERY]
    assert len(names) >= 40
    assert len(set(names)) == len(names)
    assert set(names) >= SIX_HOLES


@pytest.mark.parametrize(
    ("address", "why"), [("http://192.0.2.1:8080/", "another machine"), ("http://127.0.0.1:9/", "not answer")]
)
async def test_another_machine_is_left_alone_and_a_server_that_is_none_is_told(
    address: str, why: str
) -> None:
    with pytest.raises(NoGround, match=why):
        await run.run(address, OPENER_KEY, say=lambda _: None)


async def test_a_server_that_lets_somebody_in_is_told_as_such(settings: Settings) -> None:
    """The try sees the hole that the server's bounds close: here there are none."""
    async with (
        served(settings, Rooms(), HttpLimits(connections=10_000)) as address,
        ground(address, OPENER_KEY) as on,
    ):
        outcome = await silencing.connections(on)
    assert (outcome.clear, outcome.what) == (False, "GOT IN (300 are held)")


@pytest.mark.parametrize(
    ("status", "code", "clear"),
    [(200, "", False), (307, "", False), (401, "wrong", True), (500, "internal", False)],
)
def test_only_the_refusal_that_is_expected_proves_something(status: int, code: str, clear: bool) -> None:
    answer = httpx.Response(status, json={"error": {"code": code, "message": ""}}, headers={"Location": "/"})
    assert judged(answer, (401, "wrong")).clear is clear
