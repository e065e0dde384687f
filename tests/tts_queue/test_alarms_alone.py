"""An alarm waits for no other utterance: neither for its sound nor for its confirmation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from tests.tts_queue.scenes import WORD_S, playing
from tts_queue import Part, Priority, Prosody
from tts_queue.testing import SteadyVoice

pytestmark = pytest.mark.usefixtures("no_task_left_behind")


class HangingVoice(SteadyVoice):
    """Never gives the sound of a text with "hang" in it."""

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        if "hang" in text:
            await asyncio.sleep(1_000.0)
        async for part in super().parts(text, prosody, urgent=urgent, ahead=ahead):
            yield part


class SlowVoice(SteadyVoice):
    """Gives the sound of a text with "slow" in it after a second."""

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        if "slow" in text:
            await asyncio.sleep(1.0)
        async for part in super().parts(text, prosody, urgent=urgent, ahead=ahead):
            yield part


def test_an_alarm_is_said_to_its_end_while_the_sound_of_another_item_does_not_come(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(HangingVoice(word_s=WORD_S)) as play:
            play.say("a", "This will hang now.")
            await asyncio.sleep(0.5)
            text = "Potassium is seven point four. Stop the spironolactone now. Give the calcium."
            play.say("c", text, Priority.CRITICAL)
            await asyncio.sleep(8.0)
            assert play.phases("c") == ["queued", "speaking", "spoken"]
            assert [e.index for e in play.segments("c")] == [0, 1, 2]
            assert play.queue.snapshot().longest_gap_s < 1.0

    virtual.run(scene())


def test_an_alarm_does_not_wait_until_what_was_said_before_is_confirmed(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(listens=False) as play:
            play.say("a", "One two.")
            play.say("b", "Three four.")
            play.say("d", "Five six.")
            await asyncio.sleep(3.0)
            assert play.order_spoken() == ["a", "b"], "the third waits until one is confirmed"
            play.say("c", "Potassium is seven.", Priority.CRITICAL)
            await asyncio.sleep(1.0)
            assert play.order_spoken() == ["a", "b", "c"]

    virtual.run(scene())


def test_an_alarm_without_sound_lets_the_next_alarm_pass(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(HangingVoice(word_s=WORD_S)) as play:
            play.say("a", "Potassium will hang.", Priority.CRITICAL)
            play.say("s", "A summary.")
            await asyncio.sleep(0.5)
            play.say("b", "Lactate is nine.", Priority.CRITICAL)
            await asyncio.sleep(4.0)
            assert play.phases("b") == ["queued", "speaking", "spoken"]
            assert play.order_spoken() == ["b"], "nothing less urgent goes before an alarm that waits"
            await asyncio.sleep(15.0)
            assert play.phases("a") == ["queued", "failed"]

    virtual.run(scene())


def test_two_alarms_without_sound_do_not_delay_a_third(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(HangingVoice(word_s=WORD_S)) as play:
            play.say("a", "Potassium will hang.", Priority.CRITICAL)
            play.say("b", "Sodium will hang.", Priority.CRITICAL)
            play.say("c", "Lactate is nine.", Priority.CRITICAL)
            await asyncio.sleep(6.0)
            assert play.phases("c") == ["queued", "speaking", "spoken"]

    virtual.run(scene())


def test_an_alarm_whose_second_sentence_does_not_come_lets_the_next_alarm_pass(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with playing(HangingVoice(word_s=WORD_S)) as play:
            play.say("a", "Potassium is seven. This will hang.", Priority.CRITICAL)
            await asyncio.sleep(0.5)
            play.say("b", "Lactate is nine.", Priority.CRITICAL)
            await asyncio.sleep(5.0)
            assert play.phases("a")[:3] == ["queued", "speaking", "held"]
            assert play.phases("b") == ["queued", "speaking", "spoken"]
            await asyncio.sleep(15.0)
            assert play.phases("a")[-1] == "failed"

    virtual.run(scene())


def test_an_alarm_whose_sound_is_only_slow_keeps_its_turn(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with playing(SlowVoice(word_s=WORD_S)) as play:
            play.say("a", "Potassium is slow.", Priority.CRITICAL)
            play.say("b", "Lactate is nine.", Priority.CRITICAL)
            await asyncio.sleep(6.0)
            assert play.order_spoken() == ["a", "b"]

    virtual.run(scene())
