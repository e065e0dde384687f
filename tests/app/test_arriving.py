"""One job of a session at a time, from when a worker takes it until it is in its room."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn, cast

import pytest
from livekit.agents import JobRequest
from redis.asyncio import Redis

from agents.dialogue import Dialogue
from app.voice import NotOurs, held, speak
from app.worker import Seats, accept
from infra.arrivals import NAME, Arrivals, is_arriving
from infra.errors import LeaseLost
from infra.keys import SessionKeys
from infra.leases import Fence, Lease
from infra.sessions import SessionRecord, SessionStore
from infra.settings import Settings
from infra.sfu_port import voice_dispatch
from realtime.room.livekit_room import RoomGone
from tests.infra.test_leases import until
from tests.servers import StoreServer

pytestmark = pytest.mark.real

KEYS = SessionKeys("t-1", "s-1")
RECORD = SessionRecord(
    session_id="s-1", thread_id="t-1", case_id="c", room="r", secret_sha256="x", created_at_ms=0
)


@dataclass(slots=True)
class Request:
    """A job that a server offers; `fails`: what its acceptance comes to."""

    id: str
    fails: Exception | None = None
    answers: list[str] = field(default_factory=list)
    metadata: str = field(default_factory=lambda: voice_dispatch("s-1", "t-1").metadata)

    @property
    def job(self) -> Any:
        return SimpleNamespace(metadata=self.metadata)

    async def accept(self, *, identity: str, name: str) -> None:
        self.answers.append(f"{name} takes it as {identity}")
        if self.fails is not None:
            raise self.fails

    async def reject(self, *, terminate: bool = True) -> None:
        self.answers.append("refused" if terminate else "left to others")


async def offer(arrivals: Arrivals, request: Request, seats: Seats | None = None) -> list[str]:
    await accept(arrivals, seats or Seats(4, tuple), cast("JobRequest", request))
    return request.answers


def settings_of(store_server: StoreServer, folder: Path) -> Settings:
    return Settings(redis_url=store_server.url, cases=(folder,), run_dir=folder, encoder="none")


async def never_joined() -> NoReturn:
    raise AssertionError("it went for the room")


async def arriving(store: Redis) -> bool:
    return is_arriving(cast("str | None", await store.get(KEYS.name(NAME))))


async def test_a_second_job_is_refused_while_the_first_is_on_its_way(
    store: Redis, store_server: StoreServer
) -> None:
    active = {"j-1"}
    arrivals = Arrivals(store_server.url, lambda: active)
    async with arrivals.running():
        assert await offer(arrivals, Request("j-1")) == ["EXAIM takes it as agent-s-1"]
        assert await offer(arrivals, Request("j-2")) == ["refused"]
        active.clear()  # its process died before it was in its room

        async def taken() -> bool | None:
            return await offer(arrivals, Request("j-3")) != ["refused"] or None

        assert await until(taken)


async def test_a_job_that_comes_to_nothing_is_not_on_its_way(store: Redis, store_server: StoreServer) -> None:
    arrivals = Arrivals(store_server.url, set)
    async with arrivals.running():
        with pytest.raises(RuntimeError, match="no assignment"):
            await offer(arrivals, Request("j-1", RuntimeError("no assignment")))
        assert not await arriving(store)
        assert await offer(arrivals, Request("j-2")) != ["refused"]


async def test_a_job_without_a_session_is_refused(store_server: StoreServer) -> None:
    for metadata in ("", '{"v": 1}', '{"v": 1, "session_id": "s-1", "thread_id": ""}'):
        assert await offer(Arrivals(store_server.url, set), Request("j-1", metadata=metadata)) == ["refused"]


async def test_a_worker_without_a_job_takes_as_many_at_once_as_it_has_seats(
    store: Redis, store_server: StoreServer
) -> None:
    seats = Seats(2, tuple)  # none of them has a process yet
    all_asked = asyncio.Barrier(2)

    class Slow(Request):
        async def accept(self, *, identity: str, name: str) -> None:
            await all_asked.wait()
            await super().accept(identity=identity, name=name)

    requests = [Slow(f"j-{k}", metadata=voice_dispatch(f"s-{k}", "t-1").metadata) for k in (1, 2, 3)]
    arrivals = Arrivals(store_server.url, set)
    async with arrivals.running(), asyncio.timeout(20.0):
        answers = await asyncio.gather(*(offer(arrivals, request, seats) for request in requests))
    assert answers == [["EXAIM takes it as agent-s-1"], ["EXAIM takes it as agent-s-2"], ["left to others"]]
    assert seats.is_free_for("another")


async def test_who_has_all_its_sessions_leaves_a_job_to_others(
    store: Redis, store_server: StoreServer
) -> None:
    arrivals = Arrivals(store_server.url, set)
    full = Seats(2, lambda: ["one", "two"])
    assert await offer(arrivals, Request("j-1"), full) == ["left to others"]
    assert not await arriving(store), "another worker would be refused for it"


async def test_a_stopped_job_keeps_no_seat_from_its_successor(
    store: Redis, store_server: StoreServer
) -> None:
    stopped = Request("j-1")
    arrivals = Arrivals(store_server.url, set)
    async with arrivals.running():
        answers = await offer(arrivals, Request("j-2"), Seats(2, lambda: ["one", stopped.metadata]))
    assert answers == ["EXAIM takes it as agent-s-1"]


async def test_the_lease_is_renewed_before_there_is_a_room(store: Redis) -> None:
    lease = Lease(store, KEYS, "voice", ttl_s=0.4)
    await lease.acquire()

    async def joining() -> str:
        await asyncio.sleep(1.0)  # the store's clock can't be jumped
        return "joined" if lease.valid else "too late"

    assert await held(lease, joining()) == "joined"
    assert await Lease(store, KEYS, "voice").acquire() is not None, "it was let go of"


async def test_who_loses_the_lease_on_its_way_ends(store: Redis) -> None:
    lease = Lease(store, KEYS, "voice", ttl_s=0.4)
    await lease.acquire()
    await store.delete(KEYS.name("lease:voice"))
    await Lease(store, KEYS, "voice").acquire()
    with pytest.raises(ExceptionGroup) as raised:
        await held(lease, asyncio.Event().wait())  # type: ignore[arg-type]
    assert raised.group_contains(LeaseLost)


async def test_a_successor_is_ready_before_the_lease_of_who_died_has_run_out(
    store: Redis, store_server: StoreServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await SessionStore(store).create(RECORD)
    died = Lease(store, KEYS, "voice", ttl_s=60.0)
    await died.acquire()
    happened: list[str] = []

    def making(**given: Any) -> Dialogue:
        happened.append("made what answers")
        return Dialogue(**given)

    async def join() -> NoReturn:
        happened.append("joined")
        raise RoomGone("enough")

    monkeypatch.setattr("app.voice.Dialogue", making)
    settings = settings_of(store_server, tmp_path)
    speaking = asyncio.create_task(speak(settings, "s-1", "j-1", join))

    async def made() -> bool | None:
        return bool(happened) or None

    await until(made)
    assert happened == ["made what answers"]
    await died.release()
    with pytest.raises(ExceptionGroup) as raised:
        await speaking
    assert raised.group_contains(RoomGone)
    assert happened == ["made what answers", "joined"]


async def test_a_session_that_ended_while_the_lease_was_waited_for_gets_no_voice(
    store: Redis, store_server: StoreServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await SessionStore(store).create(RECORD)
    died = Lease(store, KEYS, "voice", ttl_s=60.0)
    await died.acquire()
    refused = asyncio.Event()

    class Watched(Lease):
        async def acquire(self) -> Fence | None:
            fence = await super().acquire()
            if fence is None:
                refused.set()
            return fence

    monkeypatch.setattr("app.voice.Lease", Watched)
    speaking = asyncio.create_task(speak(settings_of(store_server, tmp_path), "s-1", "j-1", never_joined))
    async with asyncio.timeout(20.0):
        await refused.wait()
        await SessionStore(store).end("s-1")
        await died.release()
        with pytest.raises(ExceptionGroup) as raised:
            await speaking
    assert raised.group_contains(NotOurs)


async def test_who_is_told_to_leave_before_it_has_the_lease_does_not_take_it(
    store: Redis, store_server: StoreServer, tmp_path: Path
) -> None:
    await SessionStore(store).create(RECORD)
    leaving = asyncio.Event()
    leaving.set()
    with pytest.raises(NotOurs, match="told to leave"):
        await speak(settings_of(store_server, tmp_path), "s-1", "j-1", never_joined, leaving)
    assert await Lease(store, KEYS, "voice").acquire() is not None
