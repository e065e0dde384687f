from __future__ import annotations

import pytest

from infra.errors import StoreUnavailable
from infra.streams import Command
from realtime.protocol import MAX_STATE_BYTES, encode_state
from realtime.room.livekit_room import Closed, Joined, RoomGone
from realtime.testing import ListStreams, ScriptedRoom, UnexpectedRead, UnexpectedSend
from tests.realtime.making import update_body


def message(seq: int) -> str:
    return encode_state(update_body(1), seq=seq, epoch=1, at_ms=0)


async def test_a_scripted_room_refuses_what_no_client_could_take() -> None:
    room = ScriptedRoom()
    await room.send_state(message(1))
    for bad in (message(1), message(3), message(2) + " " * MAX_STATE_BYTES):
        with pytest.raises(UnexpectedSend):
            await room.send_state(bad)
    await room.send_state(message(2))
    with pytest.raises(UnexpectedSend):
        await room.set_agent_state("dancing")
    await room.caption("x.0", "One", final=True)
    with pytest.raises(UnexpectedSend):
        await room.caption("x.0", "One two", final=True)


async def test_nothing_can_be_sent_to_a_scripted_room_that_closed() -> None:
    room = ScriptedRoom()
    room.offer(Closed("x"))
    with pytest.raises(RoomGone):
        await room.send_state(message(1))


async def test_a_scripted_room_misses_the_event_that_was_never_taken() -> None:
    room = ScriptedRoom(Joined("a"), Joined("b"))
    assert await room.next_event() == Joined("a")
    with pytest.raises(AssertionError, match="1 events"):
        room.assert_finished()
    await room.next_event()
    room.assert_finished()


async def test_streams_in_lists_refuse_a_place_that_nobody_was_told_of() -> None:
    streams = ListStreams()
    with pytest.raises(UnexpectedRead):
        await streams.read_events("1-0", block_ms=10, count=1)
    streams.think("doctor0", "Word.")
    (logged,) = await streams.read_events("0-0", block_ms=10, count=5)
    assert (logged.id, logged.event.data) == ("1-0", "Word.")


async def test_a_command_that_is_there_is_passed_over_as_in_the_store() -> None:
    streams = ListStreams(refusals=1)
    end = Command(kind="end", by="api", at_ms=0, command_id="s-1.end")
    with pytest.raises(StoreUnavailable):
        await streams.append_command(end)
    assert [await streams.append_command(end), await streams.append_command(end)] == [True, False]
    assert streams.commands == [end]
