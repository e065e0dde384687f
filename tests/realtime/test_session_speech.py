from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from agents.stream import EventType
from exaim_core import SpokenKind
from realtime.speech.before import FIRST
from realtime.testing import ScriptedRoom, event, scene_wall_ms
from tests.realtime.making import spoken, update, update_id, utterance
from tests.realtime.scene import GREETING, LONG, SESSION, Scene
from tts_queue import Phase
from tts_queue.testing import Line, ScriptedVoice

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


def test_short_forms_are_taken_for_half_a_minute_once_something_was_left_unsaid(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            item = spoken("In all its length.", brief="In short.")
            s.streams.commit(update(1, spoken("Long. " * 12), spoken("Unsaid.")), update_id(1))
            for number, at_s in ((2, 30.0), (3, 60.0)):
                await s.until(at_s)
                s.streams.commit(update(number, item), update_id(number))
            await s.until(70.0)
        phases = s.room.phases(f"{update_id(1)}.2")
        assert phases[-1] == "expired"
        offered = {u.utterance_id: u.text for u in s.log.created}
        assert offered[f"{update_id(2)}.1"] == "In short."
        assert offered[f"{update_id(3)}.1"] == "In all its length."

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
        assert [(c.kind, c.command_id) for c in s.asked()] == [("ready", f"{SESSION}.ready")]
        assert s.room.phases(GREETING) == []

    virtual.run(scene())


def test_the_closing_counts_what_an_earlier_worker_could_not_read(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(before=replace(FIRST, unread=frozenset({f"{update_id(1)}.2"})))
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


def test_a_question_of_ours_is_no_item_that_was_not_read(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            await s.ears.say("EXAIM?")
            await asyncio.sleep(0.4)
            await s.ears.say("Go on.")
            await s.until(20.0)
            asked = [b for b in s.room.bodies("utterance") if b["kind"] == "question"]
            assert asked[-1]["phase"] == "cancelled"
            s.streams.commit(update(1, spoken("That is all.", SpokenKind.CLOSING), path="end"), update_id(1))
            await s.until(30.0)
        assert s.text_of(f"{update_id(1)}.1") == "That is all."

    virtual.run(scene())


def test_nor_is_one_of_an_earlier_worker(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        s.streams.commit(update(1, spoken("That is all.", SpokenKind.CLOSING), path="end"), update_id(1))
        kinds = ("question.t-2-1", "welcome.2.1", "answer.t-2-2")
        finished = {GREETING: Phase.SPOKEN} | {f"{SESSION}.{kind}": Phase.CANCELLED for kind in kinds}
        async with s.running(finished):
            await s.client.come()
            await s.until(10.0)
        assert s.text_of(f"{update_id(1)}.1") == "That is all."

    virtual.run(scene())


TWELVE = "One two three four five six seven eight nine ten eleven twelve."


def test_the_closing_comes_after_what_protects_and_twenty_seconds_of_the_rest_which_it_counts(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            rest = [spoken(TWELVE) for _ in range(6)]
            items = [spoken(LONG), spoken("Allergy.", protects=True), *rest]
            s.streams.commit(update(1, *items), update_id(1))
            await s.until(10.0)
            closing = spoken("That is all.", SpokenKind.CLOSING)
            s.streams.commit(update(2, closing, path="end"), update_id(2))
            await s.until(80.0)
        assert s.room.phases(f"{update_id(1)}.1")[-1] == s.room.phases(f"{update_id(1)}.2")[-1] == "spoken"
        again = [f"{update_id(1)}.{k}.r1" for k in range(3, 9)]
        offered = {b["utterance_id"] for b in s.room.bodies("utterance")}
        assert [each in offered for each in again] == [True] * 4 + [False] * 2
        assert all(s.room.phases(each)[-1] == "spoken" for each in again[:4])
        assert s.text_of(f"{update_id(2)}.1") == "That is all. Two items not read."
        assert s.room.phases(f"{update_id(2)}.1")[-1] == "spoken"
        assert s.told_at_s(f"{update_id(2)}.1", "speaking") > s.told_at_s(again[3], "spoken")
        cancelled = [b for b in s.room.bodies("utterance") if b["phase"] == "cancelled"]
        assert {b["reason"] for b in cancelled} == {"closing", "put off"}
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
        assert s.text_of(f"{update_id(3)}.1") == "That is all. One critical finding not acknowledged."

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


def test_captions_of_what_a_critical_finding_breaks_into_wait_with_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken(LONG)), update_id(1))
            await s.until(10.0)
            critical = spoken("Potassium is 6.8 and rising fast now.", SpokenKind.CRITICAL)
            s.streams.commit(update(2, critical, path="C"), update_id(2))
            await s.until(25.0)
        assert s.room.phases(f"{update_id(1)}.1") == ["queued", "speaking", "held", "speaking", "spoken"]
        order = [c.segment_id.rpartition(".")[0] for c in s.room.captions if c.at_s > 8.0]
        first, last = order.index(f"{update_id(2)}.1"), len(order) - order[::-1].index(f"{update_id(2)}.1")
        assert set(order[first:last]) == {f"{update_id(2)}.1"}
        assert [c.text for c in s.room.captions if c.final][-1] == LONG

    virtual.run(scene())


def test_who_says_that_it_hears_and_never_where_it_is_confirms_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        item = f"{update_id(1)}.1"
        async with s.running():
            s.client.locked = True
            await s.client.come()
            await s.until(16.0)
            s.streams.commit(update(1, spoken("One two three four five.")), update_id(1))
            await s.until(35.0)
        assert s.room.phases(item) == ["queued", "speaking", "cut"]
        assert s.room.captions == [], "they go by what was heard"

    virtual.run(scene())


@pytest.mark.parametrize("ends", ["cancelled", "superseded"])
def test_the_caption_of_a_held_item_that_is_not_gone_on_with_ends_there(
    virtual: asyncio.Runner, ends: str
) -> None:
    async def scene() -> None:
        s = Scene()
        item = f"{update_id(1)}.1"
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.commit(update(1, spoken(LONG, topic="potassium")), update_id(1))
            await s.until(10.0)
            await s.client.say(2, "stop")
            await s.until(11.0)
            if ends == "cancelled":
                await s.client.say(3, "repeat")
            else:
                s.streams.commit(update(2, spoken("Potassium is 5.", topic="potassium")), update_id(2))
            await s.until(12.0)
        assert s.room.phases(item)[-1] == ends
        *before, last = [c for c in s.room.captions if c.segment_id == f"{item}.0"]
        assert last.final
        assert last.text == before[-1].text, "what was shown stays, and nothing more"

    virtual.run(scene())


def test_a_reasoning_that_broke_off_is_told_once_and_never_as_finished(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come()
            await s.until(8.0)
            s.streams.log(event(0, kind=EventType.ERROR), event(1, kind=EventType.END))
            await s.until(20.0)
        assert [body["phase"] for body in s.room.bodies("reasoning")][-1] == "failed"
        assert s.text_of("s-1.notice.failure").startswith("The agents have stopped with an error.")
        assert s.room.phases("s-1.notice.failure") == ["queued", "speaking", "spoken"]
        assert not [b for b in s.room.bodies("utterance") if b["kind"] == "closing"]

    virtual.run(scene())
