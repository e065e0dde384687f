from __future__ import annotations

import asyncio

import pytest

from agents.stream import EventType
from exaim_core import SpokenKind
from infra.errors import StoreUnavailable
from infra.streams import Command
from realtime.room import Beaten, Closed, Joined, RoomGone
from realtime.session import GRACE_S
from realtime.testing import ListStreams, ScriptedRoom, event, scene_wall_ms
from tests.realtime.making import spoken, update, update_id, utterance
from tests.realtime.scene import GREETING, SESSION, Scene
from tts_queue import Phase
from tts_queue.testing import Line, ScriptedVoice

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
        assert s.text_of(GREETING) == "EXAIM: decision support only. A case. Two agents are thinking."
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


def test_nobody_is_greeted_before_the_sound_is_unlocked(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            s.client.join()
            s.client.beating = True
            await s.until(60.0)
        assert s.room.phases(GREETING) == []
        assert s.streams.commands == []

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


# --- the voice is never ahead of the page -------------------------------------------------------------


def test_an_update_is_with_the_page_before_any_of_its_items_sounds(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(room=ScriptedRoom(takes_s=0.15))
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            for number in (1, 2, 3):
                s.streams.commit(update(number, spoken("One thing."), spoken("Another.")), update_id(number))
                await asyncio.sleep(0.7)
            await s.until(25.0)
        updates = {said.message.body["update_id"]: said for said in s.room.of_type("update")}
        assert len(updates) == 3
        sounding = s.sink.sounding()
        for segment in s.room.bodies("segment"):
            of_update = segment["utterance_id"].rpartition(".")[0]
            if of_update in updates:
                assert any(start == segment["start_sample"] for start, _ in sounding)
                assert updates[of_update].at_s <= segment["start_sample"] / 48_000
        for said in s.room.of_type("utterance", "segment"):
            of_update = said.message.body["utterance_id"].rpartition(".")[0]
            if of_update in updates:
                assert updates[of_update].message.seq < said.message.seq
        assert all(s.room.phases(f"{uid}.{k}")[-1] == "spoken" for uid in updates for k in (1, 2))

    virtual.run(scene())


def test_lag_is_counted_from_the_emission_of_the_last_delta(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(5.0)
            emitted_s = scene_wall_ms() / 1000 - 2.0
            s.streams.commit(update(1, spoken("Text."), last_delta_at_s=emitted_s), update_id(1))
            await s.until(5.5)
        (offered,) = [u for u in s.log.created if u.utterance_id != GREETING]
        assert offered.lag_from_s == pytest.approx(3.0, abs=0.01)
        assert offered.queued_at_s == pytest.approx(5.0, abs=0.01)

    virtual.run(scene())


# --- a listener comes and goes ------------------------------------------------------------------------

LONG = " ".join(f"word{n}" for n in range(20)) + "."


def test_a_listener_whose_beats_stop_is_held_and_goes_on_from_the_word(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        item = f"{update_id(1)}.1"
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken(LONG)), update_id(1))
            await s.until(11.0)
            s.client.beating = False
            last_s, played = s.client.last_beat_s, s.client.last_played
            await s.until(20.0)
            (held_s,) = s.told_at_s(item, "held")
            assert 1.5 <= held_s - last_s <= 1.61
            heard_in_silence = [a for a, b in s.sink.sounding() if b / 48_000 > held_s + 0.2]
            assert heard_in_silence == []
            s.client.beating = True
            await s.until(30.0)
            assert s.room.phases(item) == ["queued", "speaking", "held", "speaking", "spoken"]
        first, again = [b for b in s.room.bodies("segment") if b["utterance_id"] == item]
        at_last_beat = next(w["text"] for w in first["words"] if w["end_sample"] > played)
        assert again["words"][0]["text"] == at_last_beat
        assert [w["text"] for w in again["words"]][-1] == "word19."
        held = next(b for b in s.room.bodies("utterance") if b["phase"] == "held")
        assert held["cause"] == "listener"
        assert [c.text for c in s.room.captions if c.final][-1] == LONG, "captions lose no word either"

    virtual.run(scene())


def test_what_was_sent_while_nobody_is_known_to_hear_is_said_again_each_time(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        item = f"{update_id(1)}.1"
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken(LONG)), update_id(1))
            for stops_s in (10.0, 15.0):
                await s.until(stops_s)
                s.client.beating = False
                await s.until(stops_s + 4.0)
                assert s.room.phases(item)[-1] == "held"
                s.client.beating = True
            await s.until(40.0)
        assert s.room.phases(item).count("held") == 2
        assert s.room.phases(item)[-1] == "spoken"
        starts = [b["words"][0]["text"] for b in s.room.bodies("segment") if b["utterance_id"] == item]
        heard = [int(word.strip("word.")) for word in starts]
        assert heard == sorted(heard)
        assert [c.text for c in s.room.captions if c.final][-1] == LONG

    virtual.run(scene())


def test_who_joins_again_hears_nothing_before_it_is_ready(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        item = f"{update_id(1)}.1"
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken(LONG)), update_id(1))
            await s.until(11.0)
            s.client.leave()
            await s.until(11.3)
            assert s.room.phases(item)[-1] == "held"
            s.client.join()
            s.client.beating = True
            await s.until(20.0)
            assert s.room.phases(item)[-1] == "held"
            await s.client.say(1)
            await s.until(20.3)
            assert s.room.phases(item)[-1] == "speaking"
            await s.until(30.0)
        assert s.room.phases(item)[-1] == "spoken"
        assert [c.kind for c in s.streams.commands] == ["ready"]
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


# --- a worker takes over -----------------------------------------------------------------------------


def test_a_successor_speaks_what_was_left_and_nothing_that_was_over(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        s.streams.commit(update(1, spoken("Over."), spoken("Cut short."), spoken("New.")), update_id(1))
        one, two, three, again = (f"{update_id(1)}.{k}" for k in ("1", "2", "3", "2.r1"))
        finished = {GREETING: Phase.SPOKEN, one: Phase.SPOKEN, two: Phase.CUT}
        left = utterance(again, "Cut short.", update_id=update_id(1), replays=two)
        async with s.running(finished, (left,)):
            await s.until(2.0)
            assert s.sink.sounding() == [], "nobody is there yet"
            await s.client.come()
            await s.until(12.0)
        assert [u.utterance_id for u in s.log.created] == [again, three]
        assert {uid: s.room.phases(uid)[-1:] for uid in (GREETING, one, two, again, three)} == {
            GREETING: [], one: [], two: [], again: ["spoken"], three: ["spoken"],
        }  # fmt: skip
        (body,) = [
            b for b in s.room.bodies("utterance") if b["phase"] == "spoken" and ".r1" in b["utterance_id"]
        ]
        assert body["item_id"] == two
        assert len(s.room.bodies("update")) == 1, "the page gets every update again"

    virtual.run(scene())


def test_a_successor_begins_the_case_if_its_predecessor_could_not(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running({GREETING: Phase.SPOKEN}):
            await s.client.come()
            await s.until(3.0)
        assert [(c.kind, c.command_id) for c in s.streams.commands] == [("ready", f"{SESSION}.ready")]
        assert s.room.phases(GREETING) == []

    virtual.run(scene())


def test_the_closing_counts_what_an_earlier_worker_could_not_read(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        closing = spoken("That is all.", SpokenKind.CLOSING)
        s.streams.commit(update(1, spoken("A."), spoken("B.")), update_id(1))
        s.streams.commit(update(2, closing, path="end"), update_id(2))
        finished = {f"{update_id(1)}.1": Phase.SPOKEN, f"{update_id(1)}.2": Phase.EXPIRED}
        async with s.running(finished):
            await s.client.come()
            await s.until(5.0)
        assert s.text_of(f"{update_id(2)}.1") == "That is all. One item not read."

    virtual.run(scene())


# --- the closing --------------------------------------------------------------------------------------


def test_the_closing_takes_the_place_of_what_waits_and_counts_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            items = [spoken(LONG), spoken("A."), spoken("B."), spoken("Allergy.", protects=True)]
            s.streams.commit(update(1, *items), update_id(1))
            await s.until(10.0)
            closing = spoken("That is all.", SpokenKind.CLOSING)
            s.streams.commit(update(2, closing, path="end"), update_id(2))
            await s.until(30.0)
        last = {k: s.room.phases(f"{update_id(1)}.{k}")[-1] for k in (1, 2, 3, 4)}
        assert last == {1: "spoken", 2: "cancelled", 3: "cancelled", 4: "spoken"}
        assert s.text_of(f"{update_id(2)}.1") == "That is all. Two items not read."
        assert s.room.phases(f"{update_id(2)}.1")[-1] == "spoken"
        assert s.told_at_s(f"{update_id(2)}.1", "speaking") > s.told_at_s(f"{update_id(1)}.4", "spoken")
        cancelled = [b for b in s.room.bodies("utterance") if b["phase"] == "cancelled"]
        assert {b["reason"] for b in cancelled} == {"closing"}
        assert s.room.bodies("reasoning")[-1]["phase"] == "finished"

    virtual.run(scene())


def test_a_critical_finding_that_was_told_already_is_not_counted_as_unread(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            for number in (1, 2):
                critical = spoken("Potassium 6.8.", SpokenKind.CRITICAL, critical_key="potassium 6.8")
                s.streams.commit(update(number, critical), update_id(number))
                await s.until(8.0 + 3 * number)
            s.streams.commit(update(3, spoken("That is all.", SpokenKind.CLOSING), path="end"), update_id(3))
            await s.until(18.0)
        assert s.room.phases(f"{update_id(1)}.1")[-1] == "spoken"
        assert s.room.phases(f"{update_id(2)}.1")[-1] == "superseded"
        assert s.text_of(f"{update_id(3)}.1") == "That is all."

    virtual.run(scene())


# --- what else a client is told -----------------------------------------------------------------------


def test_captions_come_in_step_with_the_sound_and_each_is_final_once(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken("Potassium is high. Repeat it now.")), update_id(1))
            await s.until(14.0)
        segments = {f"{b['utterance_id']}.{b['index']}": b for b in s.room.bodies("segment")}
        finals = [c.segment_id for c in s.room.captions if c.final]
        assert finals == list(segments), "in order, each once"
        for caption in s.room.captions:
            words = segments[caption.segment_id]["words"]
            shown = caption.text.split()
            assert shown == [w["text"] for w in words][: len(shown)]
            heard_s = (words[len(shown) - 1]["start_sample"] + s.client.delay) / 48_000
            assert heard_s <= caption.at_s <= heard_s + 0.5, "a beat and a tick late at most"

    virtual.run(scene())


def test_the_agents_state_says_whether_it_listens_thinks_or_speaks(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.think("doctor0", "Potassium is high.")
            await s.until(9.0)
            closing = update(1, spoken("Done."), path="end")
            s.streams.commit(closing, update_id(1))
            await s.until(12.0)
        assert [state for _, state in s.room.agent_states] == [
            "listening", "speaking", "listening", "thinking", "speaking", "listening",
        ]  # fmt: skip

    virtual.run(scene())


def test_the_agents_own_words_reach_the_page_in_order(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            s.client.join()
            for n in range(600):
                s.streams.think("doctor0", f"{n} ", turn=n // 200)
            await s.until(2.0)
            s.streams.log(event(600, kind=EventType.ERROR))
            await s.until(3.0)
        said = [item for body in s.room.bodies("trace") for item in body["items"]]
        assert "".join(item["text"] for item in said) == "".join(f"{n} " for n in range(600))
        assert [b["phase"] for b in s.room.bodies("reasoning")] == ["thinking", "failed"]

    virtual.run(scene())


def test_a_voice_that_fails_on_an_item_is_told_once_and_speech_goes_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        bad = Line("Bad.", fails="scripted", retryable=False)
        s = Scene(voice=ScriptedVoice(bad, Line("Good.")))
        async with s.running({GREETING: Phase.SPOKEN}):
            await s.client.come()
            s.streams.commit(update(1, spoken("Bad."), spoken("Good.")), update_id(1))
            await s.until(5.0)
        assert [s.room.phases(f"{update_id(1)}.{k}")[-1] for k in (1, 2)] == ["failed", "spoken"]
        assert [b["code"] for b in s.room.bodies("notice")] == ["voice_unavailable"]
        assert "Bad" not in s.room.bodies("notice")[0]["text"]

    virtual.run(scene())
