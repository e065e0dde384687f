"""The process of the teams of ours: what was asked for is run, alone or beside others, and ended when it should be."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis.asyncio import Redis

from agents.keys import KEY_HEADER
from agents.stream import EventType, StreamEvent, TurnMark
from app.our_teams import OurTeams, Runs
from app.run_failed import RunFailed
from app.team_run import MOST_STARTS, Runner
from infra.checkpoints.keys import ThreadKeys
from infra.keys import SessionKeys
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore
from infra.settings import Settings
from infra.sfu_testing import Expect
from infra.streams import SessionStreams
from infra.team_runs import TeamRun, TeamRuns
from tests.agents.teams.runs import marks, words
from tests.api.serving import BASE, a_key, bearer, settings_for
from tests.api.test_live_team import Wire, api_on
from tests.servers import StoreServer
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Script, Stall

SOON_S = 30.0
ENDS = (Expect("agent_present", answer=False), Expect("delete_room"))
FINAL_AGENT = "orchestrator"


@pytest.fixture
def settings(tmp_path: Path, store_server: StoreServer, store: Redis) -> Settings:
    return settings_for(tmp_path, store_server.url)


@asynccontextmanager
async def api(settings: Settings, *steps: Expect) -> AsyncIterator[httpx.AsyncClient]:
    wire = Wire()
    async with api_on(wire, settings, *steps), httpx.AsyncClient(transport=wire, timeout=5.0) as http:
        http.headers[KEY_HEADER] = a_key()
        yield http


@asynccontextmanager
async def running(
    store: Redis, runs: Runs, now_s: Callable[[], float] = time.monotonic
) -> AsyncIterator[None]:
    """Run the process's loop for as long as the block lasts; it is cancelled then, as by SIGTERM."""
    task = asyncio.create_task(OurTeams(store, runs, most=8, now_s=now_s).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait({task})


async def started(http: httpx.AsyncClient, **body: Any) -> dict[str, Any]:
    answer = await http.post(f"{BASE}/teams", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def events(store: Redis, session: dict[str, Any]) -> Sequence[StreamEvent]:
    streams = SessionStreams(store, SessionKeys(session["thread_id"], session["session_id"]))
    return [each.event for each in await streams.read_events(count=2_000)]


async def until_over(store: Redis) -> None:
    async with asyncio.timeout(SOON_S):
        while await TeamRuns(store).asked():
            await asyncio.sleep(0.02)


async def test_a_team_that_was_asked_for_is_in_its_sessions_log_and_off_the_list(
    settings: Settings, store: Redis
) -> None:
    async with api(settings, Expect("create_room"), Expect("create_room")) as http:
        sessions = [await started(http, team=team, scripted="low-sodium") for team in ("cdss", "doctors")]
        async with running(store, Runner(store, http, BASE, settings, {}, 0.0)):
            await until_over(store)
        for session in sessions:
            found = await events(store, session)
            assert [each.type for each in found].count(EventType.END) == 1
            assert not [each for each in found if each.type is EventType.ERROR]
            assert any(each.decision for each in found)


async def test_a_process_that_is_stopped_leaves_the_session_and_the_next_one_goes_on(
    settings: Settings, store: Redis
) -> None:
    async with api(settings, Expect("create_room")) as http:
        session = await started(http, team="cdss", scripted="low-sodium")
        async with running(store, Runner(store, http, BASE, settings, {}, 20.0)):
            async with asyncio.timeout(SOON_S):
                while not any(each.mark is TurnMark.TURN_END for each in await events(store, session)):
                    await asyncio.sleep(0.01)
        before = await events(store, session)
        assert before[-1].type not in (EventType.END, EventType.ERROR), "a stop is no end of the team"
        async with running(store, Runner(store, http, BASE, settings, {}, 20.0)):
            await until_over(store)
        told = await events(store, session)
    assert [each.type for each in told].count(EventType.END) == 1
    assert_said_once(told)


def assert_said_once(told: Sequence[StreamEvent]) -> None:
    """Hold a log against what a run that was cut keeps to: each turn that stands is whole, and there once."""
    void = {turn for _, turn, mark in marks(told) if mark is TurnMark.TURN_ABORTED}
    standing = [each for each in told if each.turn not in void]
    begun = Counter(who for who, _, mark in marks(standing) if mark is TurnMark.TURN_START)
    ended = Counter(who for who, _, mark in marks(standing) if mark is TurnMark.TURN_END)
    assert begun == ended
    assert set(begun.values()) == {1}, f"said more than once: {begun}"
    assert set(begun) == {"laboratory", "internal_medicine", "cardiology", "radiology", FINAL_AGENT}
    assert words(standing, FINAL_AGENT).strip()


class Failing:
    """Runs of which one fails until it may not, and the others wait to be ended."""

    def __init__(self, fails: str, times: int) -> None:
        self.fails, self.left = fails, times
        self.begun: Counter[str] = Counter()
        self.going: set[str] = set()
        self.forgotten: list[str] = []

    async def run_team(self, run: TeamRun) -> None:
        self.begun[run.session_id] += 1
        if run.session_id == self.fails:
            if self.left == 0:
                return
            self.left -= 1
            if self.left:
                raise RunFailed("the server is away")
            raise KeyError("a mistake of this program")
        self.going.add(run.session_id)
        try:
            await asyncio.Event().wait()
        finally:
            self.going.discard(run.session_id)

    async def forget(self, run: TeamRun) -> None:
        self.forgotten.append(run.session_id)

    async def aclose(self) -> None: ...


async def put(store: Redis, session_id: str) -> TeamRun:
    record = SessionRecord(
        session_id=session_id,
        thread_id=session_id,
        case_id="live",
        room=f"r-{session_id}",
        secret_sha256="",
        created_at_ms=0,
        team_sha256="x",
    )
    await SessionStore(store).create(record)
    run = TeamRun(session_id=session_id, thread_id=session_id, team="cdss", team_token="t", at_ms=0)
    await TeamRuns(store).ask(run)
    return run


async def test_a_run_that_fails_is_begun_again_alone_and_the_others_go_on(store: Redis) -> None:
    for session_id in ("s-bad", "s-good"):
        await put(store, session_id)
    runs = Failing("s-bad", 2)
    clock = [0.0]
    process = OurTeams(store, runs, most=8, now_s=lambda: clock[0])
    task = asyncio.create_task(process.run())
    async with asyncio.timeout(SOON_S):
        while "s-bad" in await TeamRuns(store).asked():
            clock[0] += 30.0
            await asyncio.sleep(0.02)
    assert runs.begun == {"s-bad": 3, "s-good": 1}
    assert runs.going == {"s-good"}
    task.cancel()
    await asyncio.wait({task})
    assert not runs.going, "no run outlives its process"
    assert await TeamRuns(store).asked() == ["s-good"], "it is gone on with by the next process"


async def test_what_a_run_needs_is_loaded_while_a_dead_process_still_holds_it(store: Redis) -> None:
    run = await put(store, "s-one")
    keys = SessionKeys(run.thread_id, run.session_id)
    assert await Lease(store, keys, "team", ttl_s=60.0).acquire() is not None
    seen = asyncio.Event()
    runs = Failing("", 0)
    task = asyncio.create_task(OurTeams(store, runs, most=8, seen=seen.set).run())
    async with asyncio.timeout(SOON_S):
        await seen.wait()
    assert not runs.begun, "it is held"
    task.cancel()
    await asyncio.wait({task})


async def test_two_processes_run_a_team_once_and_one_of_a_session_that_is_over_never(store: Redis) -> None:
    await put(store, "s-one")
    await put(store, "s-over")
    await SessionStore(store).end("s-over")
    runs, looked = Failing("", 0), 0

    def now_s() -> float:
        nonlocal looked
        looked += 1
        return time.monotonic()

    async with running(store, runs, now_s), running(store, runs, now_s):
        async with asyncio.timeout(SOON_S):
            while not runs.going or "s-over" in await TeamRuns(store).asked():
                await asyncio.sleep(0.02)
            until = looked + 3  # who does not hold the run looks at it again: a second start would be made
            while looked < until:
                await asyncio.sleep(0.02)
    assert runs.begun == {"s-one": 1}
    assert "s-over" in runs.forgotten, "what was kept to go on with it is of no use any more"
    assert "s-one" not in runs.forgotten


async def test_a_case_over_which_the_process_fails_again_and_again_is_given_up_and_told(
    settings: Settings, store: Redis
) -> None:
    async with api(settings, Expect("create_room")) as http:
        session = await started(http, scripted="low-sodium")
        for _ in range(MOST_STARTS):
            await TeamRuns(store).begun(session["session_id"])
        async with running(store, Runner(store, http, BASE, settings, {}, 0.0)):
            await until_over(store)
        found = await events(store, session)
    assert [each.type for each in found] == [EventType.ERROR, EventType.END]
    assert "too often" in found[0].data


async def test_a_case_that_is_to_stay_here_is_looked_at_again_when_it_begins(
    settings: Settings, store: Redis
) -> None:
    async with api(settings, Expect("create_room")) as http:
        session = await started(http, scripted="low-sodium", stays_here=True)
        since = settings.model_copy(update={"voice": "google"})
        async with running(store, Runner(store, http, BASE, since, {}, 0.0)):
            await until_over(store)
        found = await events(store, session)
    assert [each.type for each in found] == [EventType.ERROR, EventType.END]
    assert "the voice (google)" in found[0].data


@pytest.mark.parametrize("how", ["ended", "cancelled"])
async def test_an_end_and_a_cancel_close_the_providers_socket_within_a_second(
    settings: Settings, store: Redis, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    stalled = Stall("### Most Likely Diagnosis", asyncio.Event())
    async with openai_twin(Script(stalled)) as address:
        models = tmp_path / "models.yaml"
        models.write_text(
            f"teams:\n  twin: {{provider: openai, model: {MODEL}, base_url: {address}}}\n", "utf-8"
        )
        ours = settings.model_copy(update={"models": models})
        steps = ENDS if how == "ended" else ()
        async with api(ours, Expect("create_room"), *steps) as http:
            session = await started(http, team="doctors", case="A man of 40 with a cough.", stays_here=True)
            path, secret = f"{BASE}/sessions/{session['session_id']}", bearer(session["client_secret"])
            async with running(store, Runner(store, http, BASE, ours, {"OPENAI_API_KEY": KEY})):
                async with asyncio.timeout(SOON_S):
                    while not any(each.data for each in await events(store, session)):
                        await asyncio.sleep(0.02)
                if how == "ended":
                    answer = await http.post(f"{path}/end", headers=secret)
                else:
                    answer = await http.post(f"{path}/ask", headers=secret, json={"kind": "cancelled"})
                assert answer.is_success, answer.text
                async with asyncio.timeout(5.0):
                    await stalled.gone.wait()
                await until_over(store)
            checkpoints = ThreadKeys(f"team-{session['session_id']}").declared
            assert await store.exists(*checkpoints) == 0
