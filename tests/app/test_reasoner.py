"""How often the reasoner tries a session that it can't reason about, on a real store and a clock of ours."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from redis.asyncio import Redis

from agents.recorded import Catalogue
from agents.stream import StreamFenced, StreamFull, StreamUnavailable
from app.reasoner import Reasoner
from app.reasoning import Cases
from app.retries import FIRST_WAIT_S, LONGEST_WAIT_S, Retries
from exaim_core import CasePaper
from infra.errors import CorruptSession, LeaseLost, StoreUnavailable
from infra.keys import SessionKeys
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore


class BrokenCases(Cases):
    """Fails with the errors of each session in turn, then waits: that one is reasoned about."""

    def __init__(self, **errors: list[Exception]) -> None:
        super().__init__(Catalogue({}, {}))
        self._errors = {name.replace("_", "-"): list(each) for name, each in errors.items()}
        self.tries: Counter[str] = Counter()
        self._more = asyncio.Condition()

    async def paper(self, client: Redis, record: SessionRecord) -> CasePaper | None:
        async with self._more:
            self.tries[record.session_id] += 1
            self._more.notify_all()
        errors = self._errors.get(record.session_id, [])
        if errors:
            raise errors.pop(0)
        return None

    async def tried(self, session_id: str, times: int) -> None:
        async with asyncio.timeout(10.0), self._more:
            await self._more.wait_for(lambda: self.tries[session_id] >= times)


class Scene:
    """A reasoner whose clock stands still unless it is set."""

    def __init__(self, store: Redis, cases: BrokenCases) -> None:
        self._store, self.cases = store, cases
        self.now_s = 100.0
        self._opened = 0

    async def open(self, session_id: str) -> SessionRecord:
        """Open a live session with a voice, so that it is reasoned about."""
        self._opened += 1
        record = SessionRecord(
            session_id=session_id,
            thread_id=session_id,
            case_id="live",
            room=f"case-{session_id}",
            secret_sha256="0" * 64,
            team_sha256="1" * 64,
            created_at_ms=0,
        )
        record = await SessionStore(self._store).create(record)
        assert await Lease(self._store, record.keys, "voice", ttl_s=60.0).acquire() is not None
        return record

    async def failed(self, record: SessionRecord, times: int) -> None:
        """Wait until so many tries have come to their end."""
        await self.cases.tried(record.session_id, times)
        while await self._store.exists(record.keys.name("lease:reason")):
            await asyncio.sleep(0.01)

    async def looked_again(self) -> None:
        """Wait until all sessions were looked at: a new one comes last, and is tried."""
        marker = f"z-{self._opened}"
        await self.open(marker)
        await self.cases.tried(marker, 1)


@asynccontextmanager
async def reasoner(store: Redis, **errors: list[Exception]) -> AsyncIterator[Scene]:
    scene = Scene(store, BrokenCases(**errors))
    running = asyncio.create_task(Reasoner(store, scene.cases, most=50, now_s=lambda: scene.now_s).run())
    try:
        yield scene
    finally:
        running.cancel()
        await asyncio.wait({running})
    assert running.cancelled()


@pytest.mark.real
@pytest.mark.parametrize("error", [CorruptSession("an update", "ValidationError"), StreamFull(9)])
async def test_a_session_that_cannot_be_reasoned_about_is_tried_more_and_more_seldom(
    store: Redis, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    async with reasoner(store, s_1=[error] * 3) as scene:
        record = await scene.open("s-1")
        await scene.failed(record, 1)
        await scene.looked_again()
        assert scene.cases.tries["s-1"] == 1
        scene.now_s += 1.0
        await scene.failed(record, 2)
        scene.now_s += 1.75
        await scene.looked_again()
        assert scene.cases.tries["s-1"] == 2
        scene.now_s += 0.25
        await scene.failed(record, 3)
        scene.now_s += 4.0
        await scene.cases.tried("s-1", 4)
    assert caplog.text.count("reasoning about s-1 stopped") == 3


@pytest.mark.real
async def test_an_outage_of_the_store_and_a_lost_lease_are_not_waited_for(store: Redis) -> None:
    passing = [StoreUnavailable("a test"), StreamUnavailable(), LeaseLost("reason", "a test"), StreamFenced()]
    async with reasoner(store, s_1=[*passing]) as scene:
        await scene.open("s-1")
        await scene.cases.tried("s-1", len(passing) + 1)


@pytest.mark.real
async def test_a_damaged_key_costs_its_own_session_alone(store: Redis) -> None:
    async with reasoner(store) as scene:
        damaged = await scene.open("s-1")
        await scene.cases.tried("s-1", 1)
    await store.delete(damaged.keys.name("lease:reason"))
    await store.delete(damaged.keys.name("fence:reason"))
    await store.rpush(damaged.keys.name("fence:reason"), "no string")
    async with reasoner(store) as scene:
        await scene.looked_again()
        await scene.looked_again()
        assert scene.cases.tries["s-1"] == 0


@pytest.mark.real
@pytest.mark.parametrize("damage", [("record", "json", b"\xff"), ("record", "version", b"many")])
async def test_a_record_that_is_damaged_is_passed_over(store: Redis, damage: tuple[str, str, bytes]) -> None:
    name, field, value = damage
    async with reasoner(store) as scene:
        damaged = await scene.open("s-1")
        await scene.cases.tried("s-1", 1)
        await store.hset(damaged.keys.name(name), field, value)
        await scene.looked_again()


@pytest.mark.real
@pytest.mark.parametrize("field", ["held:voice", "held:reason"])
async def test_a_time_that_is_no_number_costs_its_own_session_alone(store: Redis, field: str) -> None:
    async with reasoner(store) as scene:
        for session_id in ("s-1", "s-2"):
            await scene.open(session_id)
            await scene.cases.tried(session_id, 1)
        damaged = SessionKeys("s-1", "s-1")
        await store.hset(damaged.name("heads"), field, "soon")
        await store.delete(damaged.name("lease:voice"), damaged.name("lease:reason"))
        await scene.looked_again()


@pytest.mark.real
async def test_a_mistake_of_ours_in_one_session_ends_no_other_and_is_told_without_its_words(
    store: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    async with reasoner(store, s_1=[KeyError("potassium 6.8")]) as scene:
        await scene.failed(await scene.open("s-1"), 1)
        await scene.looked_again()
        scene.now_s += 1.0
        await scene.cases.tried("s-1", 2)
    assert "a mistake of this program, please report it: KeyError at" in caplog.text
    assert "potassium" not in caplog.text


def test_the_wait_doubles_up_to_a_bound_and_a_good_run_ends_it() -> None:
    retries = Retries()
    waits = [retries.failed("s-1", 0.0) for _ in range(9)]
    assert waits == [FIRST_WAIT_S, 2.0, 4.0, 8.0, 16.0, 32.0, LONGEST_WAIT_S, LONGEST_WAIT_S, LONGEST_WAIT_S]
    assert not retries.due("s-1", 59.9)
    assert retries.due("s-1", 60.0)
    retries.went_well("s-1")
    assert retries.failed("s-1", 0.0) == FIRST_WAIT_S


def test_a_session_that_is_no_longer_live_is_forgotten() -> None:
    retries = Retries()
    for session_id in ("s-1", "s-2"):
        retries.failed(session_id, 0.0)
    retries.keep(["s-2", "s-3"])
    assert [retries.due(each, 0.0) for each in ("s-1", "s-2")] == [True, False]
