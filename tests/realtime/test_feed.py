from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from realtime.protocol import Trace, TraceItem
from realtime.room.feed import QUEUE_SIZE, TRACE_BYTES, Feed, in_batches
from realtime.room.livekit_room import Closed, RoomGone
from realtime.testing import EPOCH_MS, ScriptedRoom, scene_wall_ms
from tests.realtime.making import trace_item, update_body, utterance_body


@asynccontextmanager
async def running(feed: Feed) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as group:
        task = group.create_task(feed.run())
        yield
        task.cancel()


def test_messages_are_numbered_from_one_in_the_order_in_which_they_were_said(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        room = ScriptedRoom(takes_s=0.1)
        feed = Feed(room, epoch=7, wall_ms=scene_wall_ms)
        async with asyncio.TaskGroup() as group:
            for number in range(1, 4):
                group.create_task(feed.say(update_body(number)))
        assert [(s.message.seq, s.message.body["number"]) for s in room.said] == [(1, 1), (2, 2), (3, 3)]
        assert {s.message.epoch for s in room.said} == {7}
        assert [s.message.at_ms for s in room.said] == [EPOCH_MS, EPOCH_MS + 100, EPOCH_MS + 200]

    virtual.run(scene())


def test_what_is_posted_is_sent_in_order_and_nobody_waits_for_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        room = ScriptedRoom(takes_s=0.1)
        feed = Feed(room, epoch=1, wall_ms=scene_wall_ms)
        async with running(feed):
            for phase in ("queued", "speaking", "spoken"):
                feed.post(utterance_body("x", phase))
            assert room.said == []
            await asyncio.sleep(1.0)
        assert room.phases("x") == ["queued", "speaking", "spoken"]

    virtual.run(scene())


def test_when_the_queue_is_full_one_snapshot_takes_the_place_of_all_that_waits(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        room = ScriptedRoom()
        feed = Feed(room, epoch=1, wall_ms=scene_wall_ms)
        for number in range(QUEUE_SIZE + 1):
            feed.post(utterance_body(str(number % 300), f"phase {number}"))
        async with running(feed):
            await asyncio.sleep(1.0)
        assert {said.message.type for said in room.said} == {"snapshot", "past"}
        told = [u for said in room.said for u in said.message.body["utterances"]]
        phases = {u["utterance_id"]: u["phase"] for u in told}
        assert len(phases) == len(told) == 300
        assert phases["212"] == "phase 512"
        assert phases["299"] == "phase 299"

    virtual.run(scene())


def test_a_snapshot_holds_all_that_was_sent_before_it(virtual: asyncio.Runner) -> None:
    """A client replaces all that it has by a snapshot, so one made too early would lose what came between."""

    async def scene() -> None:
        room = ScriptedRoom(takes_s=0.1)
        feed = Feed(room, epoch=1, wall_ms=scene_wall_ms)
        async with asyncio.TaskGroup() as group:
            group.create_task(feed.say(update_body(1)))
            group.create_task(feed.say(update_body(2)))
            group.create_task(feed.say_snapshot())
        assert [s.message.type for s in room.said] == ["update", "update", "snapshot"]
        assert [u["number"] for u in room.said[-1].message.body["updates"]] == [1, 2]

    virtual.run(scene())


def test_a_snapshot_for_a_full_queue_holds_what_was_said_while_it_waited(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        room = ScriptedRoom()
        feed = Feed(room, epoch=1, wall_ms=scene_wall_ms)
        for number in range(QUEUE_SIZE + 1):
            feed.post(utterance_body(str(number)))
        await feed.say(update_body(1))
        async with running(feed):
            await asyncio.sleep(1.0)
        types = [s.message.type for s in room.said]
        assert types == ["update", "snapshot", *["past"] * (len(types) - 2)]
        assert sum(len(s.message.body["updates"]) for s in room.said[1:]) == 1

    virtual.run(scene())


def test_what_could_not_be_sent_is_in_the_view_all_the_same(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        feed = Feed(ScriptedRoom(Closed("gone")), epoch=1, wall_ms=scene_wall_ms)
        with pytest.raises(RoomGone):
            await feed.say(update_body(1))
        assert [update.number for update in feed.view.snapshot().updates] == [1]

    virtual.run(scene())


Spoken = list[tuple[str, int, str]]


def merged(items: list[TraceItem]) -> Spoken:
    """Return the text of each stretch of one agent's turn, whatever pieces it came in."""
    out: Spoken = []
    for item in items:
        if out and out[-1][:2] == (item.agent_id, item.turn):
            out[-1] = (*out[-1][:2], out[-1][2] + item.text)
        else:
            out.append((item.agent_id, item.turn, item.text))
    return out


texts = st.text(max_size=30) | st.builds(lambda c, n: c * n, st.characters(), st.integers(1, 9_000))
items = st.builds(trace_item, texts, st.sampled_from(["doctor0", "doctor1"]), st.integers(0, 2))


@settings(deadline=None, max_examples=60)
@given(st.lists(items, max_size=12))
def test_batches_are_small_and_lose_or_double_no_text(said: list[TraceItem]) -> None:
    batches = in_batches(said)
    assert all(
        len(batch.model_dump_json().encode()) <= TRACE_BYTES + len('{"items":[],"thoughts":[]}')
        for batch in batches
    )
    assert merged([item for batch in batches for item in batch.items]) == merged(said)
    assert all(batch.items for batch in batches)


def test_many_agents_that_take_turns_at_single_tokens_fit_into_messages_as_well() -> None:
    said = [trace_item("a", f"doctor{n % 2}") for n in range(2000)]
    assert max(len(batch.model_dump_json()) for batch in in_batches(said)) <= TRACE_BYTES + 30


def test_nothing_said_makes_no_message() -> None:
    assert in_batches([]) == []
    following = trace_item("b").model_copy(update={"start": 1})
    assert in_batches([trace_item("a"), following]) == [Trace(items=(trace_item("ab"),))]
    apart = following.model_copy(update={"start": 9})
    assert in_batches([trace_item("a"), apart]) == [Trace(items=(trace_item("a"), apart))]
