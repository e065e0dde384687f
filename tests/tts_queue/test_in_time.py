"""What is still in time goes before what is late, and what an alarm broke into grows old."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.tts_queue.scenes import Scene, now_s, playing, until
from tts_queue import HoldCause, Phase, Priority, Utterance
from tts_queue.scheduling import (
    LET_PASS,
    LET_PASS_NOTICE,
    LONG_S,
    BreakIn,
    QueueEntry,
    breaks_in,
    has_waited_enough,
)

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

LONG = " ".join(["word"] * 30)  # some 11 s


def item(uid: str, *, queued_at_s: float, weight: int = 3, emitted_at_s: float | None = None) -> Utterance:
    return Utterance(
        *(uid, "One two three.", Priority.SUMMARY, "finding"),
        weight=weight,
        queued_at_s=queued_at_s,
        lag_from_s=emitted_at_s,
        timely_s=8.0,
    )


def sounds(utterance: Utterance) -> QueueEntry:
    return QueueEntry(utterance, Phase.SPEAKING, 0, begun_s=0.0)


def waits(utterance: Utterance) -> QueueEntry:
    return QueueEntry(utterance, Phase.QUEUED, 1)


def order(now_s: float, *waiting: Utterance) -> list[str]:
    entries = [QueueEntry(each, Phase.QUEUED, number) for number, each in enumerate(waiting)]
    return [each.utterance.utterance_id for each in sorted(entries, key=lambda each: each.rank(now_s))]


def test_what_is_in_time_goes_before_what_is_late_and_as_it_came() -> None:
    waiting = (item("old", queued_at_s=0.0), item("a", queued_at_s=5.0), item("b", queued_at_s=6.0))
    assert order(8.0, *waiting) == ["old", "a", "b"]
    assert order(9.0, *waiting) == ["a", "b", "old"]


def test_of_what_is_late_the_newest_goes_first_and_an_update_keeps_its_order() -> None:
    waiting = (item("a1", queued_at_s=0.0), item("a2", queued_at_s=0.0), item("b", queued_at_s=2.0))
    assert order(20.0, *waiting) == ["b", "a1", "a2"]


def test_lateness_counts_from_the_emission() -> None:
    waiting = (item("slow", queued_at_s=5.0, emitted_at_s=0.0), item("quick", queued_at_s=6.0))
    assert order(9.0, *waiting) == ["quick", "slow"]


def test_what_weighs_more_goes_first_however_late() -> None:
    waiting = (item("light", queued_at_s=19.0, weight=2), item("grave", queued_at_s=0.0, weight=3))
    assert order(20.0, *waiting) == ["grave", "light"]


def pressing(uid: str, *, queued_at_s: float, weight: int = 2) -> Utterance:
    return replace(item(uid, queued_at_s=queued_at_s, weight=weight), priority=Priority.PRESSING)


def test_of_what_presses_what_is_in_time_goes_first_whatever_it_weighs() -> None:
    waiting = (pressing("heavy", queued_at_s=0.0, weight=4), pressing("light", queued_at_s=9.0))
    assert order(5.0, *waiting) == ["heavy", "light"]
    assert order(10.0, *waiting) == ["light", "heavy"]


def test_of_what_presses_and_is_late_what_has_waited_longest_goes_first() -> None:
    waiting = (pressing("old", queued_at_s=0.0), pressing("new", queued_at_s=3.0))
    assert order(20.0, *waiting) == ["old", "new"]
    grave = pressing("grave", queued_at_s=5.0, weight=3)
    assert order(20.0, *waiting, grave) == ["grave", "old", "new"]


def test_what_presses_breaks_into_what_gives_way_and_that_goes_on_after_all_that_presses() -> None:
    greeting = replace(pressing("greeting", queued_at_s=0.0, weight=99), gives_way=True)
    ban = pressing("ban", queued_at_s=1.0, weight=0)
    assert breaks_in(sounds(greeting), waits(ban), 1.0) is BreakIn.NEXT_WORD
    assert breaks_in(sounds(greeting), waits(ban), 1.0, let_pass=True) is BreakIn.NEXT_CLAUSE
    assert breaks_in(sounds(ban), waits(pressing("other", queued_at_s=1.0)), 1.0) is None
    held = QueueEntry(greeting, Phase.HELD, 0, HoldCause.CRITICAL, begun_s=0.0, held_s=1.0)
    for now in (2.0, 60.0):  # also when the others are late
        assert held.rank(now) > QueueEntry(ban, Phase.QUEUED, 1).rank(now)


def test_what_yields_goes_after_everything_for_its_time_and_gives_way_at_its_clause() -> None:
    title = replace(item("title", queued_at_s=0.0), priority=Priority.NOTICE, yields_for_s=20.0)
    filler = replace(item("filler", queued_at_s=0.0), priority=Priority.FILLER)
    assert order(19.0, title, filler) == ["filler", "title"]
    assert breaks_in(sounds(title), waits(filler), 19.0) is BreakIn.NEXT_CLAUSE
    assert breaks_in(sounds(title), waits(title), 19.0) is None
    assert order(20.0, title, filler) == ["title", "filler"]
    assert breaks_in(sounds(title), waits(filler), 20.0) is None
    held = QueueEntry(title, Phase.HELD, 0, HoldCause.CRITICAL, begun_s=0.0, held_s=1.0)
    assert not has_waited_enough(held, 9, 19.0)
    assert has_waited_enough(held, 9, 20.0)


def test_what_presses_waits_for_the_end_of_what_does_not_give_way(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("first", LONG, Priority.PRESSING)
            await until(lambda: bool(play.segments("first")))
            play.queue.offer(pressing("ban", queued_at_s=now_s()))
            await play.queue.idle()
            assert play.order_spoken() == ["first", "ban"]

    virtual.run(scene())


def test_a_late_one_lets_one_in_time_pass_and_is_said_after_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("long", LONG)
            await until(lambda: bool(play.segments("long")))
            play.queue.offer(item("late", queued_at_s=now_s()))
            await asyncio.sleep(6.0)
            play.queue.offer(item("fresh", queued_at_s=now_s()))
            await play.queue.idle()
            assert play.order_spoken() == ["long", "fresh", "late"]

    virtual.run(scene())


async def broken_into(play: Scene, alarm_words: int, *, expires_after_s: float | None) -> None:
    play.say("item", LONG, expires_after_s=expires_after_s)
    await until(lambda: bool(play.segments("item")))
    await asyncio.sleep(1.0)
    play.say("alarm", " ".join(["word"] * alarm_words), Priority.CRITICAL)
    await play.queue.idle()


@pytest.mark.parametrize(
    ("alarm_words", "expires_after_s", "end"),
    [(3, 6.0, "spoken"), (40, 6.0, "spoken"), (90, 6.0, "expired"), (90, None, "spoken")],
)
def test_what_an_alarm_broke_into_for_too_long_is_left_to_the_page(
    virtual: asyncio.Runner, alarm_words: int, expires_after_s: float | None, end: str
) -> None:
    async def scene() -> None:
        async with playing() as play:
            await broken_into(play, alarm_words, expires_after_s=expires_after_s)
            assert play.phases("item")[:3] == ["queued", "speaking", "held"]
            assert play.phases("item")[-1] == end
            assert play.phases("alarm")[-1] == "spoken"

    virtual.run(scene())


def test_what_a_clinician_stopped_never_grows_too_old(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("item", LONG, expires_after_s=6.0)
            await until(lambda: bool(play.segments("item")))
            await asyncio.sleep(1.0)
            play.queue.hold(HoldCause.USER)
            await asyncio.sleep(30.0)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert play.phases("item") == ["queued", "speaking", "held", "speaking", "spoken"]

    virtual.run(scene())


def test_a_notice_is_told_between_two_that_press_and_one_of_two_words_after_the_first(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            for name in ("p1", "p2", "p3", "p4"):
                play.say(name, "One two three.", Priority.PRESSING)
            play.say("who", "A cardiologist and a pharmacist.", Priority.NOTICE)
            play.say("round", "Round one.", Priority.NOTICE)
            play.say("alarm", "One two three.", Priority.CRITICAL)
            await play.queue.idle()
            assert play.order_spoken() == ["alarm", "p1", "round", "p2", "p3", "who", "p4"]

    virtual.run(scene())


def test_a_notice_that_has_waited_long_goes_after_one_that_presses() -> None:
    who = Utterance("who", "A cardiologist and a pharmacist.", Priority.NOTICE, "progress", queued_at_s=0.0)
    waiting = QueueEntry(who, Phase.QUEUED, 1)
    assert not has_waited_enough(waiting, LET_PASS, LONG_S - 1.0)
    assert has_waited_enough(waiting, LET_PASS, LONG_S)
    assert has_waited_enough(waiting, LET_PASS_NOTICE, 0.0)
