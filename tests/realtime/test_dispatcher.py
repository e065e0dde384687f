from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from realtime.protocol import ClientCommand, CommandKind
from realtime.room.dispatcher import REMEMBERED, CommandDispatcher, TooLate
from realtime.room.livekit_room import RoomGone
from tests.realtime.making import command

ME = "clinician-s-1"


class Office:
    """Does what it is asked, in `takes_s`; raises `error` while there is one."""

    def __init__(self) -> None:
        self.done: list[int] = []
        self.takes_s = 0.0
        self.error: Exception | None = None
        self.dispatcher = CommandDispatcher(ME, {CommandKind.STOP: self.do, CommandKind.READY: self.do})
        self.dispatcher.open()

    async def do(self, asked: ClientCommand) -> None:
        await asyncio.sleep(self.takes_s)
        if self.error is not None:
            raise self.error
        self.done.append(asked.seq)

    async def ask(self, payload: str, caller: str = ME) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(await self.dispatcher.take(caller, payload))
        return answer


async def test_a_command_is_done_and_answered() -> None:
    office = Office()
    assert await office.ask(command(1, "stop")) == {"v": 1, "ok": True}
    assert office.done == [1]


async def test_a_repeated_command_gets_the_first_answer_and_is_done_once() -> None:
    office = Office()
    office.error = TooLate()
    first = await office.ask(command(1, "stop"))
    office.error = None
    assert await office.ask(command(1, "stop")) == first
    assert office.done == []


def test_a_command_repeated_while_the_first_is_under_way_waits_for_its_answer(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        office = Office()
        office.takes_s = 2.0
        answers = list(await asyncio.gather(office.ask(command(1, "stop")), office.ask(command(1, "stop"))))
        assert answers == [{"v": 1, "ok": True}] * 2
        assert office.done == [1]
        assert asyncio.get_running_loop().time() == pytest.approx(2.0)

    virtual.run(scene())


async def test_a_command_that_could_not_be_done_may_be_repeated() -> None:
    office = Office()
    office.error = RoomGone("gone")
    with pytest.raises(RoomGone):
        await office.ask(command(1, "stop"))
    office.error = None
    assert (await office.ask(command(1, "stop")))["ok"]
    assert office.done == [1]


async def test_a_client_that_joins_again_counts_from_one() -> None:
    office = Office()
    await office.ask(command(1, "stop"))
    office.dispatcher.forget()
    await office.ask(command(1, "stop"))
    assert office.done == [1, 1]


async def test_the_last_64_answers_are_remembered() -> None:
    office = Office()
    for seq in range(1, REMEMBERED + 2):
        await office.ask(command(seq, "stop"))
    await office.ask(command(2, "stop"))
    assert len(office.done) == REMEMBERED + 1
    await office.ask(command(1, "stop"))
    assert len(office.done) == REMEMBERED + 2


async def test_ready_is_done_each_time_for_a_client_of_which_the_news_is_late() -> None:
    office = Office()
    await office.ask(command(1, "ready"))
    await office.ask(command(2, "stop"))
    await office.ask(command(1, "ready"))
    await office.ask(command(2, "stop"))
    assert office.done == [1, 2, 1, 2]


REFUSALS = [
    ("somebody", command(1), "not_allowed"),
    ("clinician-s-2", command(1), "not_allowed"),
    ("somebody", "nonsense", "not_allowed"),
    (ME, "nonsense", "bad_message"),
    (ME, command(0), "bad_message"),
    (ME, command(1, "dance"), "unknown_kind"),
    (ME, command(1, "end"), "unknown_kind"),  # known to the protocol, but not to this dispatcher
]


@pytest.mark.parametrize(("caller", "payload", "code"), REFUSALS)
async def test_what_is_not_for_the_desk_is_refused_with_a_code_and_a_sentence(
    caller: str, payload: str, code: str
) -> None:
    office = Office()
    answer = await office.ask(payload, caller)
    assert (answer["v"], answer["ok"], answer["error"]["code"]) == (1, False, code)
    assert answer["error"]["message"]
    assert office.done == []


async def test_after_the_end_a_command_is_too_late() -> None:
    office = Office()
    office.error = TooLate()
    assert (await office.ask(command(1)))["error"]["code"] == "too_late"


async def test_a_strangers_command_takes_no_number_from_the_clinician() -> None:
    office = Office()
    await office.ask(command(1), "somebody")
    assert (await office.ask(command(1)))["ok"]
    assert office.done == [1]
