from __future__ import annotations

import asyncio
import resource
from typing import Any

import pytest
from redis.asyncio import Redis

from agents.stream import StreamFenced, StreamFull, StreamUnavailable
from infra.errors import CorruptSession, Fenced, NewerSchema, SequenceGap, StoreUnavailable
from infra.keys import SessionKeys
from infra.leases import Fence
from infra.store import connect
from infra.streams import Command, SessionSink, SessionStreams
from tests.infra.making import events, taken, taken_over
from tests.servers import valkey

pytestmark = pytest.mark.real

SOON_S = 20.0


def update(number: int, **last_seqs: int) -> dict[str, object]:
    covers = [{"agent_id": agent, "first_seq": 0, "last_seq": last} for agent, last in last_seqs.items()]
    return {"v": 1, "number": number, "covers": covers}


async def test_events_come_back_in_order_with_the_stores_append_times(
    store: Redis, keys: SessionKeys
) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    seconds, micros = await store.time()
    sent = events(0, 9, 'naïve 漢\n\t"{}" \\ \u2028 ')
    await streams.append_events(sent, fence)
    logged = await streams.read_events()
    assert [each.event for each in logged] == sent
    assert [each.epoch for each in logged] == [fence.epoch] * 10
    times = [each.at_ms for each in logged]
    assert times == sorted(times)
    assert 0 <= times[0] - (seconds * 1000 + micros // 1000) < 5_000


async def test_events_that_are_sent_again_are_there_once(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    assert await streams.last_event_seq() == -1
    await streams.append_events(events(0, 4), fence)
    before = await streams.read_events()
    await streams.append_events(events(0, 4), fence)
    assert await streams.read_events() == before
    await streams.append_events(events(2, 7), fence)
    assert [each.event.seq for each in await streams.read_events()] == list(range(8))
    assert await streams.last_event_seq() == 7


async def test_the_same_events_from_many_tries_at_once_are_there_once(
    store: Redis, keys: SessionKeys
) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    await asyncio.gather(*(streams.append_events(events(0, 30), fence) for _ in range(20)))
    assert [each.event.seq for each in await streams.read_events()] == list(range(31))


async def test_a_gap_before_the_first_new_event_is_refused_whole(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    await streams.append_events(events(0, 1), fence)
    with pytest.raises(SequenceGap, match="event 3 was offered where 2 comes next"):
        await streams.append_events(events(3, 5), fence)
    assert await streams.last_event_seq() == 1


async def test_a_batch_with_a_hole_in_it_is_refused_whole(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    with pytest.raises(SequenceGap):
        await streams.append_events([*events(0, 1), *events(3, 3)], fence)
    assert await streams.read_events() == []


async def test_at_its_bound_the_log_refuses_the_whole_batch(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys, event_bound=5), await taken(store, keys, "reason")
    await streams.append_events(events(0, 2), fence)
    with pytest.raises(StreamFull) as full:
        await streams.append_events(events(3, 5), fence)
    assert full.value.bound == 5
    assert await streams.last_event_seq() == 2
    await streams.append_events(events(1, 4), fence)
    await streams.append_events(events(0, 4), fence)
    assert await streams.last_event_seq() == 4


async def test_who_was_taken_over_writes_neither_event_nor_update(store: Redis, keys: SessionKeys) -> None:
    streams = SessionStreams(store, keys)
    stale, fence = await taken_over(store, keys, "reason")
    with pytest.raises(Fenced):
        await streams.append_events(events(0, 0), stale)
    with pytest.raises(StreamFenced):
        await SessionSink(streams, stale).append(events(0, 0))
    with pytest.raises(Fenced):
        await streams.commit_update(update(1, doctor0=3), "u-1", stale)
    assert await streams.read_events() == []
    assert await streams.read_updates() == []
    await SessionSink(streams, fence).append(events(0, 0))
    assert [each.epoch for each in await streams.read_events()] == [fence.epoch] == [2]


async def test_the_voice_lease_does_not_open_the_event_log(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "voice")
    with pytest.raises(Fenced):
        await streams.append_events(events(0, 0), fence)


async def test_an_update_lands_once_and_the_next_has_the_next_number(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    assert await streams.commit_update(update(1, doctor0=9, doctor1=12), "u-1", fence) is True
    assert await streams.commit_update(update(1, doctor0=99), "u-1", fence) is False
    assert await streams.commit_update(update(2, doctor0=4, doctor1=20), "u-2", fence) is True
    logged = await streams.read_updates()
    assert [(each.update_id, each.seq, each.update["number"]) for each in logged] == [
        ("u-1", 1, 1),
        ("u-2", 2, 2),
    ]


async def test_of_one_update_committed_twenty_times_at_once_one_is_new(
    store: Redis, keys: SessionKeys
) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    won = await asyncio.gather(*(streams.commit_update(update(1, a=n), "u-1", fence) for n in range(20)))
    assert won.count(True) == 1
    [logged] = await streams.read_updates()
    assert logged.update["covers"][0]["last_seq"] == won.index(True)


async def test_a_reader_goes_on_after_what_it_saw_last(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    await streams.append_events(events(0, 9), fence)
    seen: list[int] = []
    after = "0-0"
    while logged := await streams.read_events(after, count=3):
        seen += [each.event.seq for each in logged]
        after = logged[-1].id
    assert seen == list(range(10))


async def test_a_waiting_reader_wakes_with_the_next_command(store: Redis, keys: SessionKeys) -> None:
    streams = SessionStreams(store, keys)
    async with asyncio.TaskGroup() as group:
        reading = group.create_task(streams.read_commands(block_ms=5_000))
        await streams.append_command(Command(kind="ready", by="clinician-s-1", at_ms=5, args={"n": [1]}))
    assert [each.command.kind for each in reading.result()] == ["ready"]
    assert reading.result()[0].command.args == {"n": [1]}


async def test_a_reader_that_waits_longer_than_one_read_gets_nothing_and_no_error(
    store: Redis, keys: SessionKeys
) -> None:
    begun_s = asyncio.get_running_loop().time()
    assert await SessionStreams(store, keys).read_updates(block_ms=700) == []
    assert asyncio.get_running_loop().time() - begun_s >= 0.69


async def test_commands_keep_their_order_and_one_sent_twice_is_there_once(
    store: Redis, keys: SessionKeys
) -> None:
    streams = SessionStreams(store, keys)
    sent = [Command(kind=f"k{n}", by="c", at_ms=n) for n in range(5)]
    for command in sent:
        assert await streams.append_command(command)
        assert not await streams.append_command(command)
    logged = await streams.read_commands()
    assert [each.command for each in logged] == sent
    assert [each.seq for each in logged] == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("name", ["events", "updates", "commands"])
async def test_an_entry_of_a_later_version_is_refused_and_not_misread(
    store: Redis, keys: SessionKeys, name: str
) -> None:
    streams = SessionStreams(store, keys)
    await store.xadd(keys.name(name), {"v": "2", "seq": "1", "epoch": "1", "whatever": "x"})
    read = {"events": streams.read_events, "updates": streams.read_updates, "commands": streams.read_commands}
    with pytest.raises(NewerSchema, match="update the program"):
        await read[name]()


async def test_every_entry_carries_version_sequence_and_epoch(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    await streams.append_events(events(0, 0), fence)
    await streams.commit_update(update(1), "u-1", fence)
    await streams.append_command(Command(kind="end", by="c", at_ms=1))
    for name in (keys.events, keys.updates, keys.commands):
        entries: Any = await store.xrange(name)
        [(_, fields)] = entries
        assert (fields["v"], fields["epoch"]) == ("1", "1"), name
        assert int(fields["seq"]) >= 0


async def test_a_write_renews_the_life_of_all_keys_of_the_session(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    await streams.append_events(events(0, 0), fence)
    await streams.append_command(Command(kind="ready", by="c", at_ms=1))
    lease_ms = await store.pttl(keys.name("lease:reason"))
    for name in (keys.events, keys.commands, keys.name("fence:reason")):
        await store.pexpire(name, 60_000)
    await streams.commit_update(update(1, doctor0=0), "u-1", fence)
    left = {name: await store.pttl(name) for name in keys.lasting}
    there = {name for name, ms in left.items() if ms != -2}
    assert {keys.events, keys.updates, keys.commands} <= there
    assert all(left[name] > 4 * 3_600_000 - 10_000 for name in there)
    assert await store.pttl(keys.name("lease:reason")) <= lease_ms, "a write must not keep a lease"


async def test_scripts_that_the_server_forgot_are_sent_again(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    await streams.append_events(events(0, 0), fence)
    await store.script_flush()
    await streams.append_events(events(1, 1), fence)
    assert await streams.last_event_seq() == 1


async def test_two_sessions_of_one_thread_do_not_mix(store: Redis) -> None:
    first, second = SessionKeys("t-1", "s-1"), SessionKeys("t-1", "s-2")
    fence = await taken(store, first, "reason")
    await SessionStreams(store, first).append_events(events(0, 3), fence)
    assert await SessionStreams(store, second).read_events() == []
    with pytest.raises(Fenced):
        await SessionStreams(store, second).append_events(events(0, 3), fence)


async def test_a_cancelled_read_costs_no_later_call_its_answer(store: Redis, keys: SessionKeys) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    for seq in range(16):
        reading = asyncio.create_task(streams.read_commands(block_ms=5_000), name="read")
        if seq % 2:
            await streams.append_events(events(seq, seq), fence)
        else:
            for _ in range(seq // 2):  # at each step on the way, also where wait_for loses it
                await asyncio.sleep(0)
            await streams.append_events(events(seq, seq), fence)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(SOON_S):
                await reading
        assert await streams.last_event_seq() == seq
    assert len(await streams.read_events()) == 16


async def test_a_write_that_is_cancelled_at_any_step_ends_as_cancelled(
    store: Redis, keys: SessionKeys
) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    for steps in range(30):
        writing = asyncio.create_task(streams.append_events(events(0, 0), fence), name="write")
        for _ in range(steps):
            await asyncio.sleep(0)
        if writing.cancel():
            with pytest.raises(asyncio.CancelledError):
                await writing
        else:
            await writing
    await streams.append_events(events(0, 1), fence)
    assert [each.event.seq for each in await streams.read_events()] == [0, 1]


async def test_without_a_store_the_sink_is_unavailable_and_takes_the_same_events_later(
    tmp_path_factory: pytest.TempPathFactory, keys: SessionKeys
) -> None:
    with valkey(tmp_path_factory.mktemp("crash")) as server:
        client = connect(server.url)
        sink = SessionSink(SessionStreams(client, keys), await taken(client, keys, "reason"))
        await sink.append(events(0, 5))
        server.crash()
        with pytest.raises(StreamUnavailable):
            await sink.append(events(6, 9))
        server.start()
        await sink.append(events(6, 9))
        logged = await SessionStreams(client, keys).read_events()
        assert [each.event.seq for each in logged] == list(range(10)), "what was acknowledged survived"
        await client.aclose()


async def test_a_store_without_memory_refuses_the_whole_and_takes_it_later(
    store: Redis, keys: SessionKeys
) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    kept = str((await store.config_get("maxmemory"))["maxmemory"])
    await store.config_set("maxmemory", "1")
    try:
        with pytest.raises(StoreUnavailable, match="no memory left"):
            await streams.append_events(events(0, 3), fence)
    finally:
        await store.config_set("maxmemory", kept)
    await streams.append_events(events(0, 3), fence)
    assert await streams.last_event_seq() == 3


async def test_a_store_whose_disk_is_full_refuses_the_whole_and_takes_it_later(
    tmp_path_factory: pytest.TempPathFactory, keys: SessionKeys
) -> None:
    with valkey(tmp_path_factory.mktemp("full")) as server:
        client = connect(server.url)
        streams, fence = SessionStreams(client, keys), await taken(client, keys, "reason")
        _, most = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (0, most))  # as if no file could grow
        with pytest.raises(StoreUnavailable, match="no room on its disk"):
            async with asyncio.timeout(SOON_S):
                while True:  # what comes before its first failed write is acknowledged, as for any crash
                    last = await streams.last_event_seq()
                    await streams.append_events(events(last + 1, last + 3), fence)
        refused_from = await streams.last_event_seq() + 1
        assert [each.event.seq for each in await streams.read_events()] == list(range(refused_from))

        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (most, most))
        async with asyncio.timeout(SOON_S):
            while not await _is_taken(streams, refused_from, fence):  # it looks once a second
                await asyncio.sleep(0.05)
        assert [each.event.seq for each in await streams.read_events()] == list(range(refused_from + 3))
        await client.aclose()


async def _is_taken(streams: SessionStreams, first: int, fence: Fence) -> bool:
    try:
        await streams.append_events(events(first, first + 2), fence)
    except StoreUnavailable:
        return False
    return True


async def test_a_key_of_another_kind_is_no_answer_of_the_vendors(store: Redis, keys: SessionKeys) -> None:
    await store.set(keys.commands, "not a stream")
    with pytest.raises(CorruptSession, match="a stream can't be read"):
        await SessionStreams(store, keys).read_commands()
