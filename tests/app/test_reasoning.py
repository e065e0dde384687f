"""A session's reasoning on a real store: played, judged, taken over, broken off."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from agents.recorded import Catalogue
from agents.stream import EventType
from app.reasoning import Cases, SessionReasoning
from app.writing import Writer, writer_of
from exaim_core import EXAIM, Delta, Update
from infra.leases import Lease
from infra.sessions import SessionRecord, SessionStore
from infra.sessions import Status as SessionStatus
from infra.settings import load_settings
from infra.streams import Command, SessionStreams
from tests.conftest import ROOT
from tests.e2e import mini
from tests.twins.openai_twin import openai_twin
from tests.twins.script import KEY, MODEL, Answer, Script, Status, Step

pytestmark = pytest.mark.real


LONG = "case-hyperkalaemia-aki"


def session_of(case_id: str, speed: float = 20.0) -> SessionRecord:
    return SessionRecord(
        session_id="s-1",
        thread_id="s-1",
        case_id=case_id,
        room="case-s-1",
        secret_sha256="0" * 64,
        created_at_ms=0,
        speed=speed,
    )


async def opened(store: Redis) -> SessionRecord:
    return await SessionStore(store).create(session_of(mini.CASE_ID))


async def reason(store: Redis, record: SessionRecord, cases: Cases, writer: Writer | None = None) -> None:
    lease = Lease(store, record.keys, "reason")
    assert await lease.acquire() is not None
    await SessionReasoning(store, record, cases, lease, writer).run()
    await lease.release()


async def ready(store: Redis, record: SessionRecord) -> None:
    await SessionStreams(store, record.keys).append_command(Command(kind="ready", by="clinician", at_ms=0))


async def test_a_successor_makes_nothing_twice_and_nothing_else(store: Redis, tmp_path: Path) -> None:
    mini.write(tmp_path)
    cases = Cases(Catalogue.open([tmp_path]))
    record = await opened(store)
    await ready(store, record)
    await reason(store, record, cases)
    streams = SessionStreams(store, record.keys)
    first, events = await streams.read_updates(), await streams.last_event_seq()
    assert [each.update["number"] for each in first] == list(range(1, len(first) + 1))
    assert first[-1].update["path"] == "end"

    await reason(store, record, cases)
    assert await streams.read_updates() == first
    assert await streams.last_event_seq() == events
    assert (await SessionStore(store).get("s-1")).reasoning == "finished"


@pytest.mark.parametrize("paper", ["{oops", '{"case_id": "x", "history": "a secret"}'])
async def test_a_broken_case_paper_costs_no_reasoning_and_is_not_quoted(
    store: Redis, tmp_path: Path, paper: str, caplog: pytest.LogCaptureFixture
) -> None:
    mini.write(tmp_path)
    (tmp_path / f"{mini.CASE_ID}.paper.json").write_text(paper)
    record = await opened(store)
    await ready(store, record)
    await reason(store, record, Cases(Catalogue.open([tmp_path])))
    updates = await SessionStreams(store, record.keys).read_updates(count=100)
    assert "finished" in {(await SessionStore(store).get(record.session_id)).reasoning}
    assert updates
    assert "without its paper" in caplog.text
    assert "secret" not in caplog.text


async def test_a_case_that_is_gone_breaks_off_and_is_never_closed(store: Redis, tmp_path: Path) -> None:
    path = mini.write(tmp_path)
    cases = Cases(Catalogue.open([tmp_path]))
    path.unlink()
    record = await opened(store)
    await ready(store, record)
    await reason(store, record, cases)
    streams = SessionStreams(store, record.keys)
    assert [each.event.type for each in await streams.read_events()] == [EventType.ERROR, EventType.END]
    assert await streams.read_updates() == []
    assert (await SessionStore(store).get("s-1")).reasoning == "failed"


async def test_nothing_is_played_before_the_listener_is_ready_and_nothing_after_the_end(
    store: Redis, tmp_path: Path
) -> None:
    mini.write(tmp_path)
    record = await opened(store)
    streams = SessionStreams(store, record.keys)
    reasoning = asyncio.create_task(reason(store, record, Cases(Catalogue.open([tmp_path]))))
    assert await streams.read_events(block_ms=600) == []
    await streams.append_command(Command(kind="end", by="api", at_ms=0))
    await asyncio.wait_for(reasoning, 10.0)
    assert await streams.read_events() == []


async def test_a_case_of_an_abandoned_session_stops_and_opened_again_is_played_to_its_end_once(
    store: Redis, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "cases" / f"{LONG}.trace.jsonl.gz", tmp_path)
    cases = Cases(Catalogue.open([tmp_path]))
    sessions = SessionStore(store)
    record = await sessions.create(session_of(LONG, speed=30.0))
    streams = SessionStreams(store, record.keys)
    await asyncio.wait_for(left_alone(store, record, cases), 10.0)
    assert await streams.last_event_seq() == -1

    await sessions.change("s-1", goes_on)
    await ready(store, record)
    reasoning = asyncio.create_task(reason(store, record, cases))
    async with asyncio.timeout(20.0):
        while len(await streams.read_updates()) < 2:
            await asyncio.sleep(0.02)
    await sessions.end("s-1", SessionStatus.ABANDONED)
    await asyncio.wait_for(reasoning, 10.0)
    first, played = await streams.read_updates(), await streams.last_event_seq()
    assert (await sessions.get("s-1")).reasoning == "thinking"

    await sessions.change("s-1", goes_on)
    await reason(store, record, cases)
    updates = await streams.read_updates(count=1_000)
    assert updates[: len(first)] == first and len(updates) > len(first)
    assert [each.update["number"] for each in updates] == list(range(1, len(updates) + 1))
    assert updates[-1].update["path"] == "end"
    seqs = [each.event.seq for each in await streams.read_events(count=100_000)]
    assert seqs == list(range(len(seqs))) and len(seqs) > played + 1


async def left_alone(store: Redis, record: SessionRecord, cases: Cases) -> None:
    """Reason about a case to which nobody listens, until it is given up."""
    await SessionStore(store).end(record.session_id, SessionStatus.ABANDONED)
    await reason(store, record, cases)


def goes_on(record: SessionRecord) -> SessionRecord:
    return record.model_copy(update={"status": SessionStatus.IN_PROGRESS})


# --- with models -------------------------------------------------------------------------------


class Moody(Script):
    """A model that is never asked too often, and judges by how often it was asked before."""

    def __init__(self, due_each: int) -> None:
        super().__init__()
        self.due_each = due_each

    def next(self) -> Step:
        due = len(self.requests) % self.due_each == 0
        return Answer(
            json.dumps(
                {
                    "rationale": "",
                    "stream_state": "SAME_TOPIC_CONTINUING",
                    "is_relevant": due,
                    "is_novel": due,
                    "is_complete": due,
                }
            )
        )


@asynccontextmanager
async def judged(script: Script) -> AsyncIterator[Writer]:
    """Give sessions a judge whose verdicts are a twin's."""
    async with openai_twin(script) as address:
        environ = {
            "BUFFER_AGENT_LLM_PROVIDER": "openai",
            "OPENAI_BASE_URL": address,
            "OPENAI_API_KEY": KEY,
            "OPENAI_MODEL": MODEL,
        }
        writer = writer_of(load_settings(judge="llm"), environ)
        yield writer
        await writer.aclose()


async def first_half(store: Redis, record: SessionRecord, cases: Cases, writer: Writer) -> None:
    """Reason until two updates are committed, and die."""
    streams = SessionStreams(store, record.keys)
    reasoning = asyncio.create_task(reason(store, record, cases, writer))
    async with asyncio.timeout(20.0):
        while len(await streams.read_updates()) < 2:
            await asyncio.sleep(0.02)
    reasoning.cancel()
    await asyncio.wait({reasoning})
    await store.delete(record.keys.name("lease:reason"))


@pytest.mark.parametrize("successor", ["another mood", "rules"])
async def test_whoever_takes_over_from_a_model_goes_on_from_its_last_update(
    successor: str, store: Redis, tmp_path: Path
) -> None:
    shutil.copy(ROOT / "cases" / f"{LONG}.trace.jsonl.gz", tmp_path)
    cases = Cases(Catalogue.open([tmp_path]))
    record = await SessionStore(store).create(session_of(LONG, speed=30.0))
    streams = SessionStreams(store, record.keys)
    await ready(store, record)
    async with judged(Moody(due_each=3)) as writer:
        await first_half(store, record, cases, writer)
    first = await streams.read_updates()
    assert any(each.update["judged"] for each in first)
    if successor == "rules":
        await reason(store, record, cases)
    else:
        async with judged(Moody(due_each=2)) as writer:
            await reason(store, record, cases, writer)

    updates = await streams.read_updates(count=1_000)
    assert updates[: len(first)] == first
    assert [each.update["number"] for each in updates] == list(range(1, len(updates) + 1))
    assert updates[-1].update["path"] == "end"
    seen: dict[str, int] = {}
    for each in updates:
        for covered in each.update["covers"]:
            assert covered["first_seq"] > seen.get(covered["agent_id"], -1), "covered twice"
            seen[covered["agent_id"]] = covered["last_seq"]
    said = await said_by(streams)
    assert {agent: max(seqs) for agent, seqs in said.items()} == seen, "not covered"


async def said_by(streams: SessionStreams) -> dict[str, list[int]]:
    """Return the numbers of what each agent said."""
    found: dict[str, list[int]] = {}
    for each in await streams.read_events(count=100_000):
        event = each.event
        if event.type is EventType.TOKEN and event.agent_id is not None and event.data:
            found.setdefault(event.agent_id, []).append(event.seq)
    return found


async def test_an_engine_that_is_behind_asks_no_model_and_says_so(tmp_path: Path) -> None:
    script = Script()
    async with judged(script) as writer:
        exaim = EXAIM(judge=writer.judge((), lambda: 3.1))
        text = "The lactate is 4.1 mmol/L, and the leading diagnosis is septic shock.\n"
        updates = await exaim.feed(Delta("doctor0", text, 1, 0.0))
        updates += await exaim.turn_end("doctor0", 2, 1.0)
    assert script.requests == []
    assert ("judge", "behind") in [(each.part, each.reason) for up in updates for each in up.fallbacks]


async def test_a_judge_that_is_away_is_stood_in_for_and_then_left_alone(tmp_path: Path) -> None:
    script = Script(*[Status(500)] * 3)
    async with judged(script) as writer:
        exaim = EXAIM(judge=writer.judge((), lambda: 0.0))
        updates: tuple[Update, ...] = ()
        for seq in range(1, 9):
            text = f"The lactate of sample {seq} is {seq}.1 mmol/L in the blood.\n"
            updates += await exaim.feed(Delta("doctor0", text, seq, seq * 10.0))
            updates += await exaim.tick(seq * 10.0 + 5)
    reasons = [each.reason for up in updates for each in up.fallbacks]
    assert len(script.requests) == 3 and {"unavailable", "breaker_open"} <= set(reasons)
    script.assert_finished()


async def test_a_delay_is_over_when_the_reasoning_is(
    store: Redis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.fair_share.DELAYED_S", -1.0)  # each event is read late
    mini.write(tmp_path)
    record = await opened(store)
    await ready(store, record)
    await reason(store, record, Cases(Catalogue.open([tmp_path])))
    told = [each.command.kind for each in await SessionStreams(store, record.keys).read_commands("0-0")]
    assert [kind for kind in told if kind.startswith("read_")][-2:] == ["read_late", "read_in_time"]
