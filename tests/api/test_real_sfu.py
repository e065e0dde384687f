"""The real livekit-server: what we rely on, and that we ask for it in the right words."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Literal

import httpx
import pytest
import pytest_asyncio
from livekit import api, rtc

from infra.keys import LIVE
from infra.settings import Settings
from infra.sfu import Sfu
from infra.sfu_port import (
    DEPARTURE_TIMEOUT_S,
    EMPTY_TIMEOUT_S,
    GRACE_S,
    MAX_PARTICIPANTS,
    TOKEN_TTL_S,
    RoomGone,
    RoomState,
    SfuRefused,
    SfuUnavailable,
    agent_identity,
    clinician_identity,
    room_of,
    voice_dispatch,
)
from infra.store import connect
from infra.watcher import WatchLimits
from tests.api.serving import CASE, KEY, SECRET, bearer, refusal, serving, settings_for
from tests.sfu_server import SfuServer, livekit_server

SESSION = "s-abcdefghijklmnop"
ROOM = room_of(SESSION)
SOON = WatchLimits(poll_s=0.05, untaken_s=0.2, retry_s=0.2, patience_s=0.2, claim_s=0.1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SfuServer]:
    with livekit_server(tmp_path_factory.mktemp("sfu")) as running:
        yield running


@pytest_asyncio.fixture
async def sfu(server: SfuServer) -> AsyncIterator[Sfu]:
    """Yield our side of the server; the room of the tests is gone before and after."""
    async with at(server) as ours:
        await ours.delete_room(ROOM)
        yield ours
        await ours.delete_room(ROOM)


def at(server: SfuServer) -> Sfu:
    """Return our side of the server."""
    return Sfu(server.url, server.api_key, server.api_secret)


def agent_token(server: SfuServer, identity: str, kind: Literal["standard", "agent"]) -> str:
    """Return a token as the SFU gives it to a worker's job."""
    grants = api.VideoGrants(room_join=True, room=ROOM, agent=kind == "agent")
    token = api.AccessToken(server.api_key, server.api_secret).with_identity(identity)
    return token.with_kind(kind).with_grants(grants).to_jwt()


@pytest.mark.real
async def test_a_room_outlives_the_grace_and_has_the_dispatch_in_it(sfu: Sfu) -> None:
    made = await sfu.create_room(ROOM, '{"v": 1}', voice_dispatch(SESSION, SESSION))
    asked_for = await sfu.dispatches(ROOM)
    assert not await sfu.agent_present(ROOM, agent_identity(SESSION))
    assert (made.departure_timeout_s, made.empty_timeout_s) == (DEPARTURE_TIMEOUT_S, EMPTY_TIMEOUT_S)
    assert min(DEPARTURE_TIMEOUT_S, EMPTY_TIMEOUT_S) > GRACE_S
    assert made.max_participants == MAX_PARTICIPANTS
    assert asked_for == (voice_dispatch(SESSION, SESSION),)


@pytest.mark.real
async def test_a_room_made_twice_is_one_room_with_one_dispatch(sfu: Sfu) -> None:
    for _ in range(2):
        await sfu.create_room(ROOM, "{}", voice_dispatch(SESSION, SESSION))
    assert len(await sfu.dispatches(ROOM)) == 1


@pytest.mark.real
async def test_a_room_that_is_gone_is_told_apart_from_an_empty_one(sfu: Sfu) -> None:
    await sfu.create_room(ROOM, "{}", voice_dispatch(SESSION, SESSION))
    assert await sfu.participants(ROOM) == ()
    await sfu.delete_room(ROOM)
    await sfu.delete_room(ROOM)
    for call in (
        sfu.participants(ROOM),
        sfu.agent_present(ROOM, agent_identity(SESSION)),
        sfu.dispatch(ROOM, voice_dispatch(SESSION, SESSION)),
        sfu.room(ROOM),
    ):
        with pytest.raises(RoomGone):
            await call


@pytest.mark.real
async def test_an_agent_is_known_by_its_kind_and_not_by_its_name(sfu: Sfu, server: SfuServer) -> None:
    identity = agent_identity(SESSION)
    await sfu.create_room(ROOM, "{}", voice_dispatch(SESSION, SESSION))
    kinds: tuple[tuple[Literal["standard", "agent"], bool], ...] = (("standard", False), ("agent", True))
    for kind, is_agent in kinds:
        room = rtc.Room()
        await room.connect(server.url, agent_token(server, identity, kind))
        try:
            assert await sfu.agent_present(ROOM, identity) is is_agent
            assert [each.identity for each in await sfu.participants(ROOM)] == [identity]
            await sfu.evict(ROOM, identity)
            assert await sfu.participants(ROOM) == ()
            await sfu.evict(ROOM, identity)
        finally:
            await room.disconnect()


@pytest.mark.real
async def test_a_clinician_joins_and_may_publish_a_microphone_but_no_camera(
    sfu: Sfu, server: SfuServer
) -> None:
    await sfu.create_room(ROOM, "{}", voice_dispatch(SESSION, SESSION))
    token = sfu.token(clinician_identity(SESSION), ROOM)
    room = rtc.Room()
    await room.connect(server.url, token.jwt)
    try:
        audio = rtc.LocalAudioTrack.create_audio_track("microphone", rtc.AudioSource(48_000, 1))
        microphone = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
        published = await room.local_participant.publish_track(audio, microphone)
        assert published.sid
        camera = rtc.LocalVideoTrack.create_video_track("camera", rtc.VideoSource(64, 64))
        options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_CAMERA)
        with pytest.raises((rtc.participant.PublishTrackError, TimeoutError)):  # the SDK tries for 10 s
            async with asyncio.timeout(1.0):
                await room.local_participant.publish_track(camera, options)
        async with api.LiveKitAPI(server.url, server.api_key, server.api_secret) as vendor:
            listed = await vendor.room.list_participants(api.ListParticipantsRequest(room=ROOM))
        assert [track.source for each in listed.participants for track in each.tracks] == [
            api.TrackSource.MICROPHONE
        ]
    finally:
        await room.disconnect()


@pytest.mark.real
async def test_a_wrong_key_or_secret_is_refused_with_the_settings_named(server: SfuServer) -> None:
    for key, secret in ((server.api_key, "x" * 40), ("another-key", server.api_secret)):
        async with Sfu(server.url, key, secret) as sfu:
            with pytest.raises(SfuRefused, match="LIVEKIT_API_SECRET") as raised:
                await sfu.create_room(ROOM, "{}", voice_dispatch(SESSION, SESSION))
            assert secret not in str(raised.value)


async def test_an_address_where_nobody_answers_is_unavailable_within_the_deadline() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    listener = await asyncio.start_server(silent, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener, Sfu(f"ws://127.0.0.1:{port}", KEY, SECRET, deadline_s=0.1) as sfu:
        with pytest.raises(SfuUnavailable, match=r"0\.1 s"):
            await sfu.check()
    async with Sfu(f"ws://127.0.0.1:{port}", KEY, SECRET) as sfu:
        with pytest.raises(SfuUnavailable, match="LIVEKIT_URL"):
            await sfu.check()


@pytest.mark.parametrize(
    ("status", "body"),
    [(404, "not here"), (200, "<html>hello</html>"), (502, ""), (503, "null"), (503, "[]"), (429, '"later"')],
)
async def test_something_that_is_no_sfu_is_unavailable(status: int, body: str) -> None:
    async def some_server(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 {status} Hm\r\nContent-Length: {len(body)}\r\nConnection: close\r\n"
        writer.write((head + "Content-Type: application/json\r\n\r\n" + body).encode())
        await writer.drain()
        writer.close()

    listener = await asyncio.start_server(some_server, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    async with listener, Sfu(f"http://127.0.0.1:{port}", KEY, SECRET) as sfu:
        with pytest.raises(SfuUnavailable):
            await sfu.check()


async def test_a_clinicians_token_grants_its_room_and_no_more() -> None:
    async with Sfu("ws://127.0.0.1:7880", KEY, SECRET) as sfu:
        token = sfu.token(clinician_identity(SESSION), ROOM)
    claims = api.TokenVerifier(KEY, SECRET).verify(token.jwt)
    granted = {name: value for name, value in vars(claims.video).items() if value not in (None, False)}
    assert granted == {
        "room_join": True,
        "room": ROOM,
        "can_publish": True,
        "can_publish_sources": ["microphone"],
        "can_publish_data": True,
        "can_subscribe": True,
    }
    assert (claims.identity, claims.kind) == (f"clinician-{SESSION}", "")
    assert TOKEN_TTL_S == 600


@pytest.mark.real
async def test_a_session_without_a_voice_is_dispatched_again_by_the_application(
    sfu: Sfu, server: SfuServer, store_url: str, tmp_path: Path
) -> None:
    settings = with_server(settings_for(tmp_path, store_url), server)
    async with serving(settings, at(server), SOON) as client:
        opened = (await client.post("/sessions", json={"case_id": CASE})).json()
        async with asyncio.timeout(30):
            while len(await sfu.dispatches(opened["room"])) < 3:  # another process's state
                await asyncio.sleep(0.05)
        room = rtc.Room()
        identity = agent_identity(opened["session_id"])
        grants = api.VideoGrants(room_join=True, room=opened["room"], agent=True)
        minted = api.AccessToken(server.api_key, server.api_secret).with_identity(identity).with_kind("agent")
        await room.connect(server.url, minted.with_grants(grants).to_jwt())
        try:
            asked_for = len(await sfu.dispatches(opened["room"]))
            await asyncio.sleep(4 * SOON.patience_s)
            assert len(await sfu.dispatches(opened["room"])) - asked_for <= 1  # one may have been under way
            counts = (await client.get("/health")).json()["watcher"]
            assert counts["dispatched"] >= 2
        finally:
            await room.disconnect()
        ended = await client.post(
            f"/sessions/{opened['session_id']}/end", headers=bearer(opened["client_secret"])
        )
        assert ended.json()["status"] == "COMPLETED"
        with pytest.raises(RoomGone):
            await sfu.room(opened["room"])


@pytest.mark.real
async def test_a_live_session_whose_room_went_away_gets_it_again_and_one_that_ended_does_not(
    sfu: Sfu, server: SfuServer, store_url: str, tmp_path: Path
) -> None:
    settings = with_server(settings_for(tmp_path, store_url), server)
    async with serving(settings, at(server), SOON) as client:
        opened = (await client.post("/sessions", json={"case_id": CASE})).json()
        await looked_at(client)
        await sfu.delete_room(opened["room"])
        made = await room_within(sfu, opened["room"], 30.0)
        assert (made.empty_timeout_s, made.departure_timeout_s) == (EMPTY_TIMEOUT_S, DEPARTURE_TIMEOUT_S)
        assert made.metadata == f'{{"v": 1, "session_id": "{opened["session_id"]}"}}'
        (dispatch, *_) = await sfu.dispatches(opened["room"])
        assert opened["session_id"] in dispatch.metadata
        assert (await client.get("/health")).json()["watcher"]["rooms_made"] == 1
        ended = await client.post(
            f"/sessions/{opened['session_id']}/end", headers=bearer(opened["client_secret"])
        )
        assert ended.json()["status"] == "COMPLETED"
        await asyncio.sleep(10 * SOON.poll_s)
        with pytest.raises(RoomGone):
            await sfu.room(opened["room"])


async def looked_at(client: httpx.AsyncClient) -> None:
    """Wait until the watcher has gone round once, from beginning to end."""
    async with asyncio.timeout(30):
        begun = (await client.get("/health")).json()["watcher"]["rounds"]
        while (await client.get("/health")).json()["watcher"]["rounds"] < begun + 2:
            await asyncio.sleep(0.05)


async def room_within(sfu: Sfu, room: str, within_s: float) -> RoomState:
    """Wait for a room."""
    async with asyncio.timeout(within_s):
        while True:
            try:
                return await sfu.room(room)
            except RoomGone:
                await asyncio.sleep(0.05)


@pytest.mark.real
async def test_a_dispatch_that_no_worker_took_is_told_from_one_that_was(sfu: Sfu) -> None:
    await sfu.create_room(ROOM, "{}", voice_dispatch(SESSION, SESSION))
    await sfu.dispatch(ROOM, voice_dispatch(SESSION, SESSION))
    assert len(await sfu.dispatches(ROOM)) == 2
    assert await sfu.jobs(ROOM) == 0


@pytest.mark.real
async def test_a_wrong_secret_in_the_settings_opens_nothing_and_is_named(
    sfu: Sfu, server: SfuServer, store_url: str, tmp_path: Path
) -> None:
    settings = settings_for(tmp_path, store_url, livekit_url=server.url, livekit_api_secret="y" * 40)
    async with serving(settings) as client, connect(store_url) as store:
        answer = await client.post("/sessions", json={"case_id": CASE})
        health = (await client.get("/health")).json()
        assert await store.zcard(LIVE) == 0
    assert refusal(answer) == (503, "sfu_refused")
    assert re.search("LIVEKIT_API_KEY and LIVEKIT_API_SECRET", answer.json()["error"]["message"])
    assert not health["parts"]["sfu"]["ok"]


def with_server(settings: Settings, server: SfuServer) -> Settings:
    """Return the settings of an application at this SFU."""
    return settings.model_copy(
        update={
            "livekit_url": server.url,
            "livekit_api_key": server.api_key,
            "livekit_api_secret": server.api_secret,
        }
    )
