"""What waits may get other words: it keeps its place, only they are said, and the log learns them."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from tests.tts_queue.scenes import now_s, playing, until
from tts_queue import HoldCause, Priority, Reworded
from tts_queue.testing import SteadyVoice

OLD, NEW = "Potassium is 6.6.", "Earlier, potassium was 6.6, since then 5.5."


def said(play_words: list[tuple[str, ...]]) -> str:
    return " ".join(word for words in play_words for word in words)


def test_what_is_reworded_keeps_its_place_and_only_its_new_words_are_said(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("first", "One two three four.", Priority.CRITICAL, critical_key="1")
            play.say("old", OLD, Priority.CRITICAL, critical_key="2")
            play.say("last", "Nine.", Priority.CRITICAL, critical_key="3")
            await until(lambda: play.phases("first")[-1:] == ["speaking"])
            assert play.queue.reword("old", NEW)
            await play.queue.idle()
            assert play.order_spoken() == ["first", "old", "last"]
            words = [tuple(word.text for word in each.words) for each in play.segments("old")]
            assert said(words) == NEW
            assert [each.utterance.text for each in play.events if isinstance(each, Reworded)] == [NEW]
            assert [each.text for each in play.log.created if each.utterance_id == "old"] == [OLD]
            assert {each.text for each in play.log.moves if each.utterance_id == "old"} == {NEW}
            assert {each.text for each in play.log.moves if each.utterance_id != "old"} == {None}

    virtual.run(scene())


def test_what_has_begun_keeps_its_words(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", OLD, Priority.CRITICAL, critical_key="1")
            await until(lambda: play.phases("a")[-1:] == ["speaking"])
            assert not play.queue.reword("a", NEW)
            play.queue.hold(HoldCause.USER)
            assert not play.queue.reword("a", NEW)
            assert not play.queue.reword("unknown", NEW)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert {each.text for each in play.log.moves} == {None}

    virtual.run(scene())


def test_sound_of_the_old_words_that_is_being_made_is_dropped(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = SteadyVoice(takes_s=0.5)
        async with playing(voice) as play:
            play.say("a", OLD, Priority.CRITICAL, critical_key="1")
            await asyncio.sleep(0.2)
            assert play.queue.reword("a", NEW)
            await play.queue.idle()
            assert play.phases("a") == ["queued", "speaking", "spoken"]
            assert said([tuple(word.text for word in each.words) for each in play.segments("a")]) == NEW

    virtual.run(scene())


def test_new_words_that_were_rehearsed_sound_at_once(virtual: asyncio.Runner) -> None:
    async def begins_after_s(*, rehearsed: bool) -> float:
        async with playing(SteadyVoice(takes_s=1.0)) as play:
            play.queue.hold(HoldCause.USER)
            play.say("a", OLD, Priority.CRITICAL, critical_key="1")
            await asyncio.sleep(3.0)
            if rehearsed:
                waiting = play.queue.snapshot().standings[0].utterance
                play.queue.rehearse(replace(waiting, text=NEW))
                await asyncio.sleep(3.0)
            play.queue.reword("a", NEW)
            play.queue.release(HoldCause.USER)
            from_s = now_s()
            await until(lambda: bool(play.segments("a")))
            return now_s() - from_s

    assert virtual.run(begins_after_s(rehearsed=True)) < 0.5 < virtual.run(begins_after_s(rehearsed=False))
