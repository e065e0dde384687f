from __future__ import annotations

import asyncio
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agents.stream import EventType, LLMMetadata, TokenType
from infra.errors import CorruptSession, StoreUnavailable
from infra.sfu_port import GRACE_S
from infra.streams import Command, LoggedUpdate
from realtime.room.livekit_room import Beaten, Closed, Joined, RoomGone
from realtime.session import GOODBYE_S
from realtime.testing import ListStreams, ScriptedRoom, event, scene_wall_ms
from tests.realtime.making import spoken, update, update_id
from tests.realtime.scene import GREETING, LONG, Scene

# --- getting in -------------------------------------------------------------------------------------


def test_who_joins_and_says_ready_is_greeted_once_and_the_case_begins_once(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            assert (await s.client.say(1))["ok"], "the same call again"
            assert (await s.client.say(2))["ok"], "another call, as after a lost answer"
            await s.until(12.0)
        assert [(c.kind, c.by, c.args) for c in s.streams.commands] == [
            ("ready", "clinician", {"how": "ready"})
        ]
        assert s.room.phases(GREETING) == ["queued", "speaking", "spoken"]
        assert s.text_of(GREETING) == "EXAIM, decision support only. Recorded case. A case."
        assert s.log.phases(GREETING) == ["queued", "speaking", "spoken"]

    virtual.run(scene())


def test_the_first_message_is_hello_and_every_ready_is_answered_by_a_snapshot(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            s.client.join()
            await s.until(0.1)
            first = s.room.said[0].message
            assert (first.type, first.seq, first.epoch) == ("hello", 1, 3)
            assert first.body["track_sid"] == s.room.track_sid
            assert first.body["agents"][0] == {"id": "doctor0", "name": "Doctor Zero"}
            assert first.body["has_paper"] is False, "so the page says that nothing is checked"
            assert first.body["grace_s"] == GRACE_S, "what a page counts down that has lost its line"
            await s.client.say(1)
            await s.client.say(2)
            await s.until(0.2)
        assert len(s.room.of_type("snapshot")) == 2

    virtual.run(scene())


def test_a_stock_client_is_greeted_after_three_seconds_and_hears_to_the_end(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.until(1.0)
            s.client.join()
            await s.until(3.95)
            assert s.room.phases(GREETING) == []
            await s.until(15.0)
        (queued_s,) = s.told_at_s(GREETING, "queued")
        assert 4.0 <= queued_s <= 4.15
        assert s.room.phases(GREETING)[-1] == "spoken"
        assert [(c.kind, c.args) for c in s.streams.commands] == [("ready", {"how": "stock"})]

    virtual.run(scene())


@pytest.mark.parametrize(("taken_at_s", "greeted_at_s"), [(6.0, 6.0), (None, 9.0)])
def test_a_stock_client_is_greeted_once_our_track_is_taken_or_after_eight_seconds(
    virtual: asyncio.Runner, taken_at_s: float | None, greeted_at_s: float
) -> None:
    async def scene() -> None:
        s = Scene()
        s.room.subscribed = False
        async with s.running():
            await s.until(1.0)
            s.client.join()
            if taken_at_s is not None:
                await s.until(taken_at_s)
                s.room.subscribed = True
            await s.until(12.0)
        (queued_s,) = s.told_at_s(GREETING, "queued")
        assert greeted_at_s <= queued_s <= greeted_at_s + 0.15

    virtual.run(scene())


def test_nobody_is_greeted_before_the_sound_is_unlocked(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            s.client.locked = True
            s.client.join()
            s.client.beating = True
            await s.until(60.0)
            assert s.room.phases(GREETING) == []
            assert s.streams.commands == []
            s.client.locked = False
            await s.client.say(1)
            await s.until(70.0)
        assert s.room.phases(GREETING)[-1] == "spoken"

    virtual.run(scene())


def test_who_plays_the_track_and_never_says_ready_is_greeted_after_eight_seconds(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            s.client.join()
            s.client.beating = True
            await s.until(7.9)
            assert s.room.phases(GREETING) == []
            await s.until(15.0)
        (queued_s,) = s.told_at_s(GREETING, "queued")
        assert 8.0 <= queued_s <= 8.2
        assert s.room.phases(GREETING)[-1] == "spoken", "and its beats confirm it"

    virtual.run(scene())


def test_a_ready_that_comes_before_the_news_of_the_join_counts(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(room=ScriptedRoom(takes_s=0.2))
        async with s.running():
            s.client.join()
            s.client.beating = True
            assert (await s.client.say(1))["ok"]
            await s.until(3.0)
            s.client.beating = False
            await s.until(8.0)
        assert s.room.phases(GREETING)[:3] == ["queued", "speaking", "held"], "it is known to have left"

    virtual.run(scene())


def test_a_case_that_the_store_could_not_begin_begins_with_the_next_ready(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(streams=ListStreams(refusals=1))
        async with s.running():
            s.client.join()
            await s.until(0.2)
            with pytest.raises(StoreUnavailable):
                await s.client.say(1)
            assert (await s.client.say(1))["ok"]
            await s.until(1.0)
        assert [c.kind for c in s.streams.commands] == ["ready"]
        assert len(s.told_at_s(GREETING, "queued")) == 1

    virtual.run(scene())


def test_strangers_neither_start_nor_hold_nor_end_anything(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            s.room.offer(Joined("somebody"))
            s.room.offer(Beaten("somebody", b"x" * 5000))
            await s.until(5.0)
            for kind in ("ready", "end"):
                answer = await s.client.say(1, kind, caller="somebody")
                assert answer["error"]["code"] == "not_allowed"
            s.client.beat(identity="somebody")
            await s.until(6.0)
            assert s.room.phases(GREETING) == []
            assert s.streams.commands == []
            assert not run.done()
        assert s.listening.bad_beats == 0
        s.room.assert_finished()

    virtual.run(scene())


# --- a listener comes and goes ------------------------------------------------------------------------

ITEM = f"{update_id(1)}.1"


@asynccontextmanager
async def reading() -> AsyncIterator[Scene]:
    """Give a session at 8 s that begins to read `LONG` to its listener."""
    s = Scene()
    async with s.running():
        await s.client.come()
        await s.until(8.0)
        s.streams.commit(update(1, spoken(LONG)), update_id(1))
        yield s


def test_a_listener_whose_beats_stop_is_held_and_goes_on_from_the_clause(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.until(11.0)
            s.client.beating = False
            last_s = s.client.last_beat_s
            await s.until(20.0)
            (held_s,) = s.told_at_s(ITEM, "held")
            assert 1.5 <= held_s - last_s <= 1.61
            heard_in_silence = [a for a, b in s.sink.sounding() if b / 48_000 > held_s + 0.2]
            assert heard_in_silence == []
            s.client.beating = True
            await s.until(30.0)
            assert s.room.phases(ITEM) == ["queued", "speaking", "held", "speaking", "spoken"]
        _, again = [b for b in s.room.bodies("segment") if b["utterance_id"] == ITEM]
        assert [w["text"] for w in again["words"]] == LONG.split()
        held = next(b for b in s.room.bodies("utterance") if b["phase"] == "held")
        assert held["cause"] == "listener"
        assert [c.text for c in s.room.captions if c.final][-1] == LONG, "captions lose no word either"

    virtual.run(scene())


def test_what_was_sent_while_nobody_is_known_to_hear_is_said_again_each_time(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            for stops_s in (10.0, 15.0):
                await s.until(stops_s)
                s.client.beating = False
                await s.until(stops_s + 4.0)
                assert s.room.phases(ITEM)[-1] == "held"
                s.client.beating = True
            await s.until(40.0)
        assert s.room.phases(ITEM).count("held") == 2
        assert s.room.phases(ITEM)[-1] == "spoken"
        starts = [b["words"][0]["text"] for b in s.room.bodies("segment") if b["utterance_id"] == ITEM]
        heard = [LONG.split().index(word) for word in starts]
        assert heard == sorted(heard)
        assert [c.text for c in s.room.captions if c.final][-1] == LONG

    virtual.run(scene())


def test_who_joins_again_hears_nothing_before_it_is_ready(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            await s.until(11.0)
            s.client.leave()
            await s.until(11.3)
            assert s.room.phases(ITEM)[-1] == "held"
            s.client.locked = True
            s.client.join()
            s.client.beating = True
            await s.until(20.0)
            assert s.room.phases(ITEM)[-1] == "held"
            s.client.locked = False
            await s.client.say(1)
            await s.until(20.3)
            assert s.room.bodies("utterance")[-1]["kind"] == "welcome"
            await s.until(50.0)
        assert s.room.phases(ITEM)[-1] == "spoken"
        assert [c.kind for c in s.asked()] == ["ready"]
        assert s.room.phases(GREETING).count("queued") == 1

    virtual.run(scene())


def test_the_constant_of_the_listeners_clock_reaches_the_page(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
        (clock,) = s.room.bodies("clock")
        assert clock["clock"] == "samples"
        assert abs(clock["zero"] - s.client.zero) <= 480

    virtual.run(scene())


# --- how it ends --------------------------------------------------------------------------------------


def test_end_is_told_to_the_page_and_leaves_no_task(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            await s.client.come()
            await s.until(2.0)
            assert (await s.client.say(2, "end"))["ok"]
            assert await run == "ended_by_clinician"
            s.client.beating = False
            assert s.room.said[-1].message.type == "ended"
            assert s.loop.time() - s.room.said[-1].at_s >= GOODBYE_S, "the leave may overtake it"
            assert s.room.said[-1].message.body == {"reason": "ended_by_clinician"}
            left = {task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("voice-")}
            assert left == set()
            for seq, kind in ((3, "ready"), (4, "end")):
                assert (await s.client.say(seq, kind))["error"]["code"] == "too_late"

    virtual.run(scene())


def test_an_end_that_the_api_asked_for_counts_as_well(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            await s.until(1.0)
            await s.streams.append_command(Command(kind="end", by="api", at_ms=scene_wall_ms()))
            assert await run == "ended_by_clinician"

    virtual.run(scene())


def test_who_stays_away_for_the_grace_has_abandoned_the_session(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            await s.client.come()
            await s.until(20.0)
            s.client.leave()
            last_s = s.client.last_beat_s
            assert await run == "abandoned"
            assert s.loop.time() - last_s == pytest.approx(GRACE_S, abs=0.3)
            assert s.room.said[-1].message.body == {"reason": "abandoned"}

    virtual.run(scene())


def test_a_session_that_nobody_ever_joins_is_abandoned_after_the_grace(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            assert await run == "abandoned"
            assert s.loop.time() == pytest.approx(GRACE_S, abs=0.2)

    virtual.run(scene())


def test_who_comes_back_within_the_grace_has_a_whole_one_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running() as run:
            await s.client.come()
            await s.until(10.0)
            s.client.leave()
            await s.until(10.0 + GRACE_S - 10)
            await s.client.come()
            await s.until(20.0 + GRACE_S)
            assert not run.done()
            s.client.leave()
            await s.until(10.0 + 2 * GRACE_S)
            assert not run.done()

    virtual.run(scene())


def test_a_room_that_closes_ends_the_job_by_an_error(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        run = asyncio.create_task(s.session.run())
        await s.until(1.0)
        s.room.offer(Closed("server"))
        with pytest.raises(ExceptionGroup) as raised:
            await run
        assert raised.value.subgroup(RoomGone) is not None
        assert raised.value.split(RoomGone)[1] is None, "nothing else went wrong"

    virtual.run(scene())


def test_after_a_rejoin_the_snapshot_holds_no_clock_of_the_connection_before(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.client.leave()
            s.client.join()
            await s.until(8.1)
            await s.client.say(1)
        assert s.room.bodies("clock") != []
        assert s.room.bodies("snapshot")[-1]["clock"] is None

    virtual.run(scene())


# --- what is away ---------------------------------------------------------------------------------------


def test_a_store_that_is_away_silences_the_voice_and_it_goes_on_from_its_clause_when_it_is_back(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        first, second = (f"{update_id(n)}.1" for n in (1, 2))
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken(LONG)), update_id(1))
            await s.until(10.0)
            s.log.down = True
            s.streams.commit(update(2, spoken("Another.", protects=True)), update_id(2))
            await s.until(13.0)
            silent_from = s.sink.sounding()[-1][1]
            await s.until(20.0)
            assert s.sink.sounding()[-1][1] == silent_from
            assert [b["code"] for b in s.room.bodies("notice")] == ["store_gone"]
            s.log.down = False
            await s.until(45.0)
        assert [b["code"] for b in s.room.bodies("notice")] == ["store_gone", "store_back"]
        assert s.room.phases(first)[-1] == s.room.phases(second)[-1] == "spoken"
        starts = [b["words"][0]["text"] for b in s.room.bodies("segment") if b["utterance_id"] == first]
        assert starts == ["word-a", "word-a"], "after ten seconds from the beginning of its clause"

    virtual.run(scene())


def test_an_agent_state_that_the_sfu_does_not_confirm_disturbs_nothing_and_is_set_again(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene(room=ScriptedRoom(unconfirmed=1))
        async with s.running():
            await s.client.come()
            await s.until(6.0)
            assert s.room.phases(GREETING)[-1] == "spoken"
            await s.until(12.0)
        assert [state for _, state in s.room.agent_states] == ["listening"]

    virtual.run(scene())


def test_an_update_that_can_not_be_read_is_told_without_what_it_says(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        body = update(1, spoken("A secret.")).model_dump(mode="json") | {"number": "a secret"}
        with pytest.raises(ExceptionGroup) as fallen:
            async with s.running():
                await s.client.come()
                s.streams._updates.add(lambda entry: LoggedUpdate(entry, 0, update_id(1), body, 1, 1))
                await s.until(8.0)
        assert fallen.group_contains(CorruptSession, match="an update can't be read")
        assert "secret" not in "".join(traceback.format_exception(fallen.value))

    virtual.run(scene())


def test_thoughts_and_costs_reach_the_page_apart_from_words(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            thought = event(1, data="The potassium is 7.9.", agent_id="doctor0", turn=1)
            s.streams.log(thought.model_copy(update={"token_type": TokenType.LLM_THINKING}))
            s.streams.log(event(2, data="I agree.", agent_id="doctor0", turn=1))
            cost = event(3, agent_id="doctor0", turn=1, kind=EventType.METADATA)
            s.streams.log(cost.model_copy(update={"llm": LLMMetadata(output_tokens=7, trace_id="c")}))
            await asyncio.sleep(2.0)
            traces = s.room.bodies("trace")
            assert [item["text"] for body in traces for item in body["items"]] == ["I agree."]
            assert [item["text"] for body in traces for item in body["thoughts"]] == ["The potassium is 7.9."]
            [costs] = s.room.bodies("costs")
            assert [(each["name"], each["output_tokens"]) for each in costs["agents"]] == [("Doctor Zero", 7)]
            await s.client.say(9)
            snapshot = s.room.bodies("snapshot")[-1]
            assert "7.9" not in str(snapshot)
            assert snapshot["costs"] == costs

    virtual.run(scene())
