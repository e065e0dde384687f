"""Who breaks in goes next: else two utterances would hold each other in every frame, and none be heard."""

from __future__ import annotations

import asyncio
from itertools import product

import pytest

from tests.tts_queue.scenes import now_s, playing
from tts_queue import HoldCause, Phase, Priority, Utterance
from tts_queue.scheduling import QueueEntry, breaks_in, choose, may_break_in

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

KINDS = [
    Utterance("", text, priority, "finding", gives_way=gives_way, replays=replays, yields_for_s=yields_for_s)
    for text, priority, gives_way, replays, yields_for_s in product(
        ["Round one.", "One two three four five."], Priority, [False, True], [None, "a"], [0.0, 20.0]
    )
] + [Utterance("", "Noted.", Priority.ANSWER, "reply", at_next_pause=True)]


def named(uid: str, like: Utterance) -> Utterance:
    return Utterance(
        *(uid, like.text, like.priority, like.kind),
        gives_way=like.gives_way,
        replays=like.replays,
        yields_for_s=like.yields_for_s,
        at_next_pause=like.at_next_pause,
    )


@pytest.mark.parametrize("at_s", [5.0, 25.0])
@pytest.mark.parametrize("pressed", [0, 1, 2, 5])
@pytest.mark.parametrize("let_pass", [False, True])
@pytest.mark.parametrize("resumed_s", [None, 4.0])
def test_who_breaks_in_is_chosen_next(
    at_s: float, pressed: int, let_pass: bool, resumed_s: float | None
) -> None:
    broken = 0
    for one, other in product(KINDS, KINDS):
        speaking = QueueEntry(named("speaking", one), Phase.SPEAKING, 0, begun_s=1.0, resumed_s=resumed_s)
        waiting = QueueEntry(named("waiting", other), Phase.QUEUED, 1)
        if breaks_in(speaking, waiting, at_s, pressed=pressed, let_pass=let_pass) is None:
            continue
        broken += 1
        held = QueueEntry(speaking.utterance, Phase.HELD, 0, HoldCause.CRITICAL, begun_s=1.0, held_s=at_s)
        chosen = choose(
            [held, waiting], at_s, may_speak=lambda *_: True, not_before=lambda *_: 0.0, pressed=pressed
        )
        assert chosen is waiting, (one, other)
    assert broken


@pytest.mark.parametrize("mute", [False, True])
def test_whatever_breaks_in_at_any_time_is_looked_at(mute: bool) -> None:
    never = 0
    for one, other in product(KINDS, KINDS):
        speaking = QueueEntry(named("speaking", one), Phase.SPEAKING, 0, begun_s=1.0, mute=mute)
        waiting = QueueEntry(named("waiting", other), Phase.QUEUED, 1)
        found = [
            breaks_in(speaking, waiting, at_s, pressed=pressed, let_pass=let_pass)
            for at_s, pressed, let_pass in product([0.0, 5.0, 25.0], [0, 2], [False, True])
        ]
        if may_break_in(speaking.utterance, waiting.utterance):
            continue
        assert not any(found), (one, other)
        never += 1
    assert never > len(KINDS), "most of what waits is not looked at"


def test_what_comes_while_something_sounds_breaks_in(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "One two three four. Five six seven eight.", Priority.SUMMARY)
            play.say("b", "Nine ten.", Priority.SUMMARY)
            await asyncio.sleep(0.6)
            play.say("c", "Potassium is 6.9.", Priority.CRITICAL)
            async with asyncio.timeout(30.0):
                await play.queue.idle()
            assert play.order_spoken() == ["a", "c", "b"]
            assert "held" in play.phases("a")

    virtual.run(scene())


def test_a_repetition_of_what_gives_way_is_said_to_its_end_before_what_presses(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            again = ("a.r1", "One two three four. Five six seven eight.", Priority.ANSWER, "greeting")
            play.queue.offer(Utterance(*again, replays="a", gives_way=True, queued_at_s=now_s()))
            await asyncio.sleep(0.6)
            play.say("p", "Stop the heparin.", Priority.PRESSING)
            async with asyncio.timeout(30.0):
                await play.queue.idle()
            assert play.phases("a.r1") == play.phases("p") == ["queued", "speaking", "spoken"]
            assert play.order_spoken() == ["a.r1", "p"]

    virtual.run(scene())


def test_what_gives_way_and_is_let_pass_has_a_clause_of_its_own(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("p1", "One two three.", Priority.PRESSING)
            play.say("p2", "One two three.", Priority.PRESSING)
            play.say("p3", "One two three.", Priority.PRESSING)
            text = "One two three four five. Six seven eight."
            play.queue.offer(
                Utterance("n", text, Priority.NOTICE, "step", gives_way=True, queued_at_s=now_s())
            )
            async with asyncio.timeout(30.0):
                await play.queue.idle()
            heard = [(e.utterance_id, e.index) for e in play.events_of_segments()]
            assert heard == [("p1", 0), ("p2", 0), ("n", 0), ("p3", 0), ("n", 1)]

    virtual.run(scene())


def test_a_short_reply_goes_before_the_rest_of_a_long_answer_and_after_an_alarm(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "One two three four. Five six seven eight. Nine ten.", Priority.ANSWER)
            await asyncio.sleep(0.6)
            play.say("p", "Stop the heparin.", Priority.PRESSING)
            play.say("c", "Potassium is seven.", Priority.CRITICAL)
            noted = Utterance(
                "r", "Noted.", Priority.ANSWER, "reply", at_next_pause=True, queued_at_s=now_s()
            )
            play.queue.offer(noted)
            await asyncio.sleep(12.0)
            assert play.begun() == ["a", "c", "r", "p", "a"]

    virtual.run(scene())


def test_a_short_reply_comes_at_the_end_of_a_clause(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.say("a", "One two three four. Five six seven eight. Nine ten.")
            await asyncio.sleep(0.6)
            noted = Utterance(
                "r", "Noted.", Priority.ANSWER, "reply", at_next_pause=True, queued_at_s=now_s()
            )
            play.queue.offer(noted)
            await asyncio.sleep(12.0)
            assert play.begun() == ["a", "r", "a"]
            assert play.moves("a")[1].heard <= 4 * 0.4 * 48_000, "after its first sentence"

    virtual.run(scene())
