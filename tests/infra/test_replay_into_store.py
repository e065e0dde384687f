"""A recorded case on its way through the real store, with a change of worker in the middle."""

from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from agents.recorded import Catalogue, Trace, default_cases, replay, script
from agents.stream import EventType
from exaim_core.schema import AgentSummary, Covered, Update
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.streams import Logged, SessionSink, SessionStreams
from tests.infra.making import taken

pytestmark = pytest.mark.real

SPEED = 150.0  # 91 s in 0.6 s


async def play(trace: Trace, streams: SessionStreams, fence: Fence, after_seq: int) -> None:
    await replay(
        trace,
        sink=SessionSink(streams, fence),
        session_id="s-1",
        thread_id="t-1",
        trace_id="r-1",
        speed=SPEED,
        after_seq=after_seq,
    )


async def followed(streams: SessionStreams) -> list[Logged]:
    """Read along as a reasoner does, to the end."""
    seen: list[Logged] = []
    while not seen or seen[-1].event.type is not EventType.END:
        seen += await streams.read_events(seen[-1].id if seen else "0-0", block_ms=1_000)
    return seen


async def test_a_case_that_two_workers_play_is_read_whole_and_once(store: Redis, keys: SessionKeys) -> None:
    catalogue = Catalogue.open([default_cases()])
    trace = catalogue.load(catalogue.ids()[0])
    whole = [each.event for each in script(trace, session_id="s-1", thread_id="t-1", trace_id="r-1")]
    streams = SessionStreams(store, keys)
    async with asyncio.timeout(30.0), asyncio.TaskGroup() as group:
        reading = group.create_task(followed(streams), name="reader")
        first = group.create_task(play(trace, streams, await taken(store, keys, "reason"), -1), name="first")
        while await streams.last_event_seq() < len(whole) // 3:
            await asyncio.sleep(0.01)
        first.cancel()
        await asyncio.wait([first])
        await store.delete(keys.name("lease:reason"))  # as its time to live does
        fence = await taken(store, keys, "reason")
        await play(trace, streams, fence, await streams.last_event_seq())
    logged = reading.result()
    assert [each.event for each in logged] == whole
    assert [each.epoch for each in logged] == sorted(each.epoch for each in logged)
    assert {each.epoch for each in logged} == {1, 2}
    times = [each.at_ms for each in logged]
    assert times == sorted(times)


async def test_an_update_of_the_core_comes_back_as_it_was(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    update = Update(
        number=1,
        path="A",
        reason="boundary_cue",
        summary=AgentSummary(
            status_action="Potassium 6.8 mmol/L – treat.",
            key_findings="k",
            differential_rationale="d",
            uncertainty_confidence="u",
            recommendation_next_step="r",
            agent_contributions="a",
        ),
        covers=(Covered(agent_id="doctor0", first_seq=0, last_seq=41),),
        last_delta_at_s=12.5,
    )
    assert await streams.commit_update(update, "u-s-1-0001", fence)
    [logged] = await streams.read_updates()
    assert Update.model_validate(logged.update) == update
