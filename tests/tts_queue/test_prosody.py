"""How an utterance sounds: by its kind and urgency, and by how late it is."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from tests.tts_queue.scenes import now_s, playing, until
from tts_queue import Priority, Prosody, Utterance
from tts_queue.prosody import LATE, prosody_for, sounding
from tts_queue.testing import SteadyVoice

FASTEST = LATE[-1][1]


def summary(uid: str = "item", *, lag_from_s: float | None = 0.0, kind: str = "finding") -> Utterance:
    prosody = prosody_for(kind)
    return Utterance(
        uid, "One two three.", Priority.SUMMARY, kind, prosody=prosody, lag_from_s=lag_from_s, queued_at_s=0.0
    )


def test_a_critical_is_slower_louder_and_set_apart() -> None:
    critical, routine = prosody_for("critical", "critical"), prosody_for("finding")
    assert critical.rate < routine.rate == 1.0
    assert critical.volume_db > routine.volume_db == 0.0
    assert critical.pause_after_s > routine.pause_after_s


def test_urgency_makes_a_critical_of_any_kind() -> None:
    assert prosody_for("finding", "critical") == prosody_for("critical", "critical")


@pytest.mark.parametrize("kind", ["critical", "correction", "caution"])
def test_words_that_reverse_a_warning_are_stressed_where_a_voice_can(kind: str) -> None:
    assert "not" in prosody_for(kind).emphasis
    assert not prosody_for("finding").emphasis


def test_a_late_summary_is_said_faster_in_steps_up_to_a_bound() -> None:
    rates = [sounding(summary(), lag_s).rate for lag_s in (0.0, 5.9, 6.0, 9.0, 10.0, 99.0)]
    assert rates == [1.0, 1.0, 1.04, 1.08, FASTEST, FASTEST]


@pytest.mark.parametrize("kind", ["critical", "correction", "caution", "closing"])
def test_lag_never_hurries_what_is_marked_by_its_sound(kind: str) -> None:
    assert sounding(summary(kind=kind), 60.0) == prosody_for(kind)


@pytest.mark.parametrize(
    "unhurried",
    [
        replace(summary(), replays="item-before"),
        replace(summary(), priority=Priority.ANSWER),
        summary(lag_from_s=None),
    ],
    ids=["offered again", "an answer", "of no delta"],
)
def test_what_is_no_news_is_never_hurried(unhurried: Utterance) -> None:
    assert sounding(unhurried, 60.0).rate == 1.0


def test_an_item_keeps_the_pace_at_which_it_began(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = SteadyVoice()
        async with playing(voice) as play:
            began_s = now_s()
            long = " ".join(["word"] * 25) + "."
            play.queue.offer(replace(summary("early", lag_from_s=began_s), text=f"{long} {long}"))
            await until(lambda: bool(play.segments("early")))
            play.queue.offer(summary("late", lag_from_s=began_s - LATE[-1][0]))
            await play.queue.idle()
            paces = {prosody.rate for text, prosody in voice.asked if text.startswith("word")}
            assert paces == {1.0}, "its last clause was made after more than ten seconds"
            assert [prosody.rate for text, prosody in voice.asked if text == "One two three."] == [FASTEST]

    virtual.run(scene())


def test_an_engine_gets_what_is_marked_as_it_is(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = SteadyVoice()
        async with playing(voice) as play:
            play.say("alarm", "Stop it.", Priority.CRITICAL, prosody=prosody_for("critical", "critical"))
            await play.queue.idle()
            assert [prosody for _, prosody in voice.asked] == [prosody_for("critical", "critical")]
            assert Prosody() != prosody_for("critical", "critical")

    virtual.run(scene())
