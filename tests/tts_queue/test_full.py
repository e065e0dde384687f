"""Scenes on virtual time: more critical findings than there is room for."""

from __future__ import annotations

import asyncio

import pytest

from tests.tts_queue.scenes import Scene, now_s, playing, until
from tts_queue import HoldCause, Offer, OfferOutcome, Phase, Priority, QueueConfig, Utterance

pytestmark = pytest.mark.usefixtures("no_task_left_behind")


def offer(play: Scene, utterance_id: str, *, weight: int = 3, replays: str | None = None) -> Offer:
    return play.queue.offer(
        Utterance(
            utterance_id,
            "Potassium is seven.",
            Priority.CRITICAL,
            kind="critical",
            critical_key=utterance_id.partition(".")[0],
            replays=replays,
            weight=weight,
            queued_at_s=now_s(),
        )
    )


def test_of_critical_findings_twice_the_bound_wait_and_no_more(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(bound=2)) as play:
            play.queue.hold(HoldCause.LISTENER)
            outcomes = [offer(play, f"c{n}").outcome for n in range(6)]
            assert outcomes == [OfferOutcome.QUEUED] * 4 + [OfferOutcome.FULL] * 2
            play.queue.release(HoldCause.LISTENER)
            await play.queue.idle()
            ends = [(play.phases(f"c{n}")[-1], play.moves(f"c{n}")[-1].reason) for n in range(6)]
            assert ends == [(Phase.SPOKEN, None)] * 4 + [(Phase.EXPIRED, "full")] * 2
            assert offer(play, "c5.again", replays="c5").accepted

    virtual.run(scene())


def test_a_finding_without_room_may_come_again_and_is_told_then(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(bound=1)) as play:
            play.queue.hold(HoldCause.LISTENER)
            offered = [offer(play, name).outcome for name in ("k1", "k2", "k3", "k3.later")]
            assert offered == [OfferOutcome.QUEUED] * 2 + [OfferOutcome.FULL] * 2
            play.queue.release(HoldCause.LISTENER)
            await play.queue.idle()
            assert offer(play, "k3.last").accepted, "its key was neither told nor waits"

    virtual.run(scene())


def test_what_weighs_more_takes_the_place_of_the_newest_that_weigh_least(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(bound=2)) as play:
            play.queue.hold(HoldCause.LISTENER)
            for name, weight in [("stands", 3), ("disputed1", 2), ("disputed2", 2), ("stands2", 3)]:
                assert offer(play, name, weight=weight).accepted
            assert offer(play, "welcome", weight=99).dropped == ("disputed2",)
            assert offer(play, "stands3").dropped == ("disputed1",)
            assert offer(play, "stands4").outcome is OfferOutcome.FULL

    virtual.run(scene())


def test_what_was_asked_for_has_room_whatever_waits(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(bound=1)) as play:
            play.queue.hold(HoldCause.USER)
            offers = [offer(play, "k1"), offer(play, "k2"), play.say("a", "Six point nine.", Priority.ANSWER)]
            assert [each.outcome for each in offers] == [OfferOutcome.QUEUED] * 3
            assert not offers[-1].dropped

    virtual.run(scene())


def test_how_many_wait_is_counted_without_what_sounds(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing() as play:
            for name in ("a", "b", "c"):
                play.say(name, "Sodium is one hundred and twenty.")
            assert play.queue.waiting == 3
            await until(lambda: play.begun() == ["a"])
            assert play.queue.waiting == 2
            play.queue.hold(HoldCause.USER)
            assert play.queue.waiting == 3
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert play.queue.waiting == 0

    virtual.run(scene())
