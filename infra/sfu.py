"""Control the SFU by LiveKit's server API: rooms, dispatches, participants, tokens. No media.

Rooms are made by CreateRoom with the dispatch in it, alike on every LIVEKIT_URL, and outlive a listener's
absence by more than the grace. What livekit-server 1.13.5 does, found by asking it:

* a dispatch that meets no free worker is never delivered later, and CreateRoom of an existing room adds
  none: whoever dispatches looks for the agent and asks again (`infra.watcher`);
* ListParticipants of a room that is gone answers with an empty list, CreateDispatch with "no response from
  servers" after 3 s: both are told apart from a poor answer here by asking for the room itself;
* a wrong key and a wrong secret are both a bare HTTP 401.

This module alone knows the vendor's exceptions; what leaves it is the tree of `infra.sfu_port`.
"""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

import aiohttp
from google.protobuf.message import DecodeError
from livekit import api
from livekit.protocol.models import ParticipantInfo

from infra.sfu_port import (
    CALL_DEADLINE_S,
    DEPARTURE_TIMEOUT_S,
    EMPTY_TIMEOUT_S,
    MAX_PARTICIPANTS,
    MIN_SECRET_CHARS,
    TOKEN_TTL_S,
    Dispatch,
    JoinToken,
    Participant,
    RoomGone,
    RoomState,
    SfuError,
    SfuMisconfigured,
    SfuRefused,
    SfuUnavailable,
    is_address,
)


class Sfu:
    """`SfuPort` over LiveKit's server API, for one event loop. Connects at the first call.

    Raises, at once: SfuMisconfigured.
    """

    def __init__(self, url: str, key: str, secret: str, *, deadline_s: float = CALL_DEADLINE_S) -> None:
        check_settings(url, key, secret)
        self._url, self._key, self._secret = url, key, secret
        self._deadline_s = deadline_s
        self._client: api.LiveKitAPI | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. May be called twice; a later call opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def create_room(self, room: str, metadata: str, dispatch: Dispatch) -> RoomState:
        """Make the room, with the dispatch in it. An existing room is returned, and no dispatch added."""
        request = api.CreateRoomRequest(
            name=room,
            metadata=metadata,
            empty_timeout=EMPTY_TIMEOUT_S,
            departure_timeout=DEPARTURE_TIMEOUT_S,
            max_participants=MAX_PARTICIPANTS,
            agents=[api.RoomAgentDispatch(agent_name=dispatch.agent_name, metadata=dispatch.metadata)],
        )
        async with self._call("CreateRoom", room) as client:
            return _room_state(await client.room.create_room(request))

    async def room(self, room: str) -> RoomState:
        """Return what the SFU says about a room. Raises RoomGone beside the rest."""
        async with self._call("ListRooms", room) as client:
            found = await client.room.list_rooms(api.ListRoomsRequest(names=[room]))
        if not found.rooms:
            raise RoomGone(room)
        return _room_state(found.rooms[0])

    async def dispatch(self, room: str, dispatch: Dispatch) -> None:
        """Ask for one more agent job in an existing room. Success does not mean that a worker took it."""
        await self.room(room)
        request = api.CreateAgentDispatchRequest(
            room=room, agent_name=dispatch.agent_name, metadata=dispatch.metadata
        )
        async with self._call("CreateDispatch", room) as client:
            await client.agent_dispatch.create_dispatch(request)

    async def dispatches(self, room: str) -> tuple[Dispatch, ...]:
        """Return what was ever asked for in an existing room, delivered or not."""
        await self.room(room)
        async with self._call("ListDispatch", room) as client:
            listed = await client.agent_dispatch.list_dispatch(room)
        return tuple(Dispatch(agent_name=each.agent_name, metadata=each.metadata) for each in listed)

    async def jobs(self, room: str) -> int:
        """Return how many jobs workers have ever taken in an existing room; a dropped dispatch is none."""
        async with self._call("ListDispatch", room) as client:
            listed = await client.agent_dispatch.list_dispatch(room)
        return sum(len(each.state.jobs) for each in listed)

    async def agent_present(self, room: str, identity: str) -> bool:
        """Return whether the agent of that identity is in the room, or joining it."""
        return any(each.is_agent and each.identity == identity for each in await self.participants(room))

    async def participants(self, room: str) -> tuple[Participant, ...]:
        """Return who is in an existing room, without those who have left."""
        async with self._call("ListParticipants", room) as client:
            listed = await client.room.list_participants(api.ListParticipantsRequest(room=room))
        if not listed.participants:
            await self.room(room)
        return tuple(
            Participant(
                identity=each.identity,
                is_agent=each.kind == ParticipantInfo.Kind.AGENT,
                active=each.state == ParticipantInfo.State.ACTIVE,
            )
            for each in listed.participants
            if each.state != ParticipantInfo.State.DISCONNECTED
        )

    async def evict(self, room: str, identity: str) -> None:
        """Put a participant out of a room. One that is gone already, or a room that is, is no error."""
        try:
            async with self._call("RemoveParticipant", room) as client:
                wanted = api.RoomParticipantIdentity(room=room, identity=identity)
                await client.room.remove_participant(wanted)
        except RoomGone:  # the server says the same of a participant that is not there
            return

    async def delete_room(self, room: str) -> None:
        """Delete the room and disconnect all in it. One that is gone already is no error."""
        try:
            async with self._call("DeleteRoom", room) as client:
                await client.room.delete_room(api.DeleteRoomRequest(room=room))
        except RoomGone:
            return

    async def check(self) -> None:
        """Raise what any call would raise now, or return."""
        async with self._call("ListRooms", "") as client:
            await client.room.list_rooms(api.ListRoomsRequest(names=["exaim-health"]))

    def token(self, identity: str, room: str, ttl_s: int = TOKEN_TTL_S) -> JoinToken:
        """Return a clinician's token: join this room, publish a microphone and data, subscribe; no more."""
        grants = api.VideoGrants(
            room_join=True,
            room=room,
            can_publish=True,
            can_publish_sources=["microphone"],
            can_publish_data=True,
            can_subscribe=True,
            can_update_own_metadata=False,
        )
        expires_at_utc = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=ttl_s)
        signed = (
            api.AccessToken(self._key, self._secret)
            .with_identity(identity)
            .with_grants(grants)
            .with_ttl(datetime.timedelta(seconds=ttl_s))
            .to_jwt()
        )
        return JoinToken(jwt=signed, expires_at_ms=int(expires_at_utc.timestamp()) * 1000)

    @asynccontextmanager
    async def _call(self, call: str, room: str) -> AsyncIterator[api.LiveKitAPI]:
        """Lend the client for one call, under the deadline, with the vendor's errors translated."""
        if self._client is None:
            self._client = api.LiveKitAPI(self._url, self._key, self._secret)
        try:
            async with asyncio.timeout(self._deadline_s):
                yield self._client
        except TimeoutError as error:
            raise SfuUnavailable(call, f"nothing within {self._deadline_s:g} s") from error
        except (aiohttp.ClientError, DecodeError, AttributeError) as error:
            # AttributeError: the vendor takes the JSON of any answer for an object; a proxy may send null
            raise SfuUnavailable(call, type(error).__name__) from error
        except api.ServerError as error:
            raise _translated(error, call, room) from error


def _translated(error: api.ServerError, call: str, room: str) -> SfuError:
    if error.status == 404 and error.code == api.ServerErrorCode.NOT_FOUND:
        return RoomGone(room)
    if error.status >= 500 or error.status == 429:
        return SfuUnavailable(call, f"HTTP {error.status} {error.code}")
    if error.status == 404:  # some other server answers there, one that knows no such call
        return SfuUnavailable(call, "what answers at this address is no LiveKit server")
    return SfuRefused(call, error.status, error.message)


def _room_state(room: api.Room) -> RoomState:
    return RoomState(
        name=room.name,
        metadata=room.metadata,
        empty_timeout_s=room.empty_timeout,
        departure_timeout_s=room.departure_timeout,
        max_participants=room.max_participants,
    )


def check_settings(url: str, key: str, secret: str) -> None:
    """Raise SfuMisconfigured for what no server could accept. No part of the secret is in a message."""
    if not is_address(url):
        raise SfuMisconfigured(
            "LIVEKIT_URL is no address such as ws://127.0.0.1:7880 or wss://voice.example.org"
        )
    if not key:
        raise SfuMisconfigured("LIVEKIT_API_KEY is empty; give the key of the server at LIVEKIT_URL")
    if len(secret) < MIN_SECRET_CHARS:
        raise SfuMisconfigured(
            f"LIVEKIT_API_SECRET has {len(secret)} characters and needs at least {MIN_SECRET_CHARS}; "
            'make one with `python -c "import secrets; print(secrets.token_urlsafe(32))"`, '
            "and give it to the server too"
        )
