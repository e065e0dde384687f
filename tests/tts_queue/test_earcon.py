"""Scenes on virtual time: the tone that opens an alarm."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from tests.tts_queue.scenes import WORD_S, Scene, playing, seconds, until
from tts_queue import SAMPLE_RATE_HZ, HoldCause, Priority, Prosody, QueueConfig, Utterance
from tts_queue.prosody import prosody_for

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

TONE_S = 0.25
EARCON = np.full(round(TONE_S * SAMPLE_RATE_HZ), 77, np.int16)  # no voice of a test is at this level
ALARM = prosody_for("critical", "critical")
SIX = "One two three four five six."


def tones(play: Scene) -> list[float]:
    """Return when each earcon began, in seconds of the track; it may lie on other sound nowhere."""
    is_tone = play.sink.pcm == 77
    edges = np.flatnonzero(np.diff(np.concatenate(([0], is_tone.astype(np.int8), [0]))))
    assert [end - start for start, end in zip(edges[::2], edges[1::2], strict=True)] == [EARCON.size] * (
        len(edges) // 2
    )
    return [seconds(start) for start in edges[::2]]


def begins(play: Scene, utterance_id: str) -> float:
    return seconds(play.segments(utterance_id)[0].start_sample)


def alarm(play: Scene, utterance_id: str = "alarm") -> None:
    play.say(utterance_id, "Stop it now.", Priority.CRITICAL, critical_key=utterance_id, prosody=ALARM)


def test_an_alarm_in_silence_opens_with_its_tone(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(earcon=EARCON)) as play:
            await asyncio.sleep(1.0)
            alarm(play)
            await play.queue.idle()
            (tone,) = tones(play)
            assert 0.0 <= begins(play, "alarm") - tone - TONE_S <= 0.04, "the first word right after it"
            assert tone <= 1.1

    virtual.run(scene())


def test_an_alarm_that_breaks_in_has_its_tone_in_the_pause_and_begins_no_later_for_it(
    virtual: asyncio.Runner,
) -> None:
    starts = {}
    for earcon in (None, EARCON):

        async def scene(config: QueueConfig) -> float:
            async with playing(config=config) as play:
                play.say("a", SIX)
                await until(lambda: bool(play.segments("a")))
                await asyncio.sleep(2.5 * WORD_S)
                alarm(play)
                await play.queue.idle()
                if config.earcon is not None:
                    (tone,) = tones(play)
                    cut = max(
                        end
                        for _, end in play.sink.sounding()
                        if end < begins(play, "alarm") * SAMPLE_RATE_HZ - EARCON.size
                    )
                    assert tone - seconds(cut) >= 0.1, "apart from the word before it"
                    assert play.phases("a")[-1] == "spoken"
                return begins(play, "alarm")

        starts[earcon is None] = virtual.run(scene(QueueConfig(earcon=earcon)))
    assert starts[False] - starts[True] <= 0.06


def test_each_alarm_has_one_tone_and_going_on_has_none(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(earcon=EARCON)) as play:
            alarm(play, "one")
            alarm(play, "two")
            await until(lambda: bool(play.segments("one")))
            await asyncio.sleep(0.5)
            play.queue.hold(HoldCause.USER)
            await asyncio.sleep(5.0)
            play.queue.release(HoldCause.USER)
            await play.queue.idle()
            assert len(tones(play)) == 2

    virtual.run(scene())


def test_nothing_else_has_a_tone(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(earcon=EARCON)) as play:
            play.say("welcome", "Welcome back.", Priority.CRITICAL)
            play.say("item", SIX, prosody=prosody_for("correction"))
            await play.queue.idle()
            assert tones(play) == []

    virtual.run(scene())


def test_a_tone_whose_alarm_was_kept_waiting_is_sounded_again(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(config=QueueConfig(earcon=EARCON)) as play:
            alarm(play)
            await asyncio.sleep(0.1)
            play.queue.hold(HoldCause.VOICE)
            await asyncio.sleep(4.0)
            play.queue.release(HoldCause.VOICE)
            await play.queue.idle()
            assert len(tones(play)) == 2
            assert begins(play, "alarm") - tones(play)[-1] == pytest.approx(TONE_S, abs=0.04)

    virtual.run(scene())


def test_only_alarms_ask_for_a_tone() -> None:
    assert ALARM.earcon
    assert not any(prosody_for(kind).earcon for kind in ("correction", "caution", "finding", "closing"))
    assert not Prosody().earcon
    assert not Utterance("a", "b", Priority.CRITICAL, "welcome").prosody.earcon
