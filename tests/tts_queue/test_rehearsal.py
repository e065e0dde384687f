"""What is made before it is known to be wanted: it sounds at once, or costs nothing but its making."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from tts_queue import Prosody
from tts_queue.ports import VoiceUnavailable, whole
from tts_queue.rehearsal import Rehearsal
from tts_queue.testing import Line, ScriptedVoice

USUAL = Prosody()
OTHER = Prosody(rate=0.9)


async def taken_after(
    voice: ScriptedVoice, wait_s: float, *, prosody: Prosody = USUAL, text: str = "On the age."
) -> float:
    """Expect "On the age.", wait, take `text`; return how long its whole sound took."""
    rehearsal = Rehearsal(voice, 6.0)
    making = asyncio.create_task(rehearsal.run())
    try:
        rehearsal.expect("On the age.", USUAL)
        await asyncio.sleep(wait_s)
        began_s = asyncio.get_running_loop().time()
        await whole(rehearsal.parts(text, prosody))
        return asyncio.get_running_loop().time() - began_s
    finally:
        making.cancel()
        with suppress(asyncio.CancelledError):
            await making


def test_what_was_made_is_there_at_once_and_made_once(virtual: asyncio.Runner) -> None:
    voice = ScriptedVoice(Line("On the age.", takes_s=0.1, parts=(0.3,)))
    assert virtual.run(taken_after(voice, 0.5)) == 0.0
    assert voice.asked == [("On the age.", USUAL)]


def test_what_is_still_being_made_comes_as_it_is_made(virtual: asyncio.Runner) -> None:
    voice = ScriptedVoice(Line("On the age.", takes_s=0.1, parts=(0.3, 0.3)))
    assert virtual.run(taken_after(voice, 0.15)) == pytest.approx(0.15)
    assert len(voice.asked) == 1


def test_another_text_or_pace_is_made_by_itself(virtual: asyncio.Runner) -> None:
    voice = ScriptedVoice(Line("On the age."), Line("On the pulse."))
    assert virtual.run(taken_after(voice, 0.5, text="On the pulse.")) == pytest.approx(0.05)
    voice = ScriptedVoice(Line("On the age."), Line("On the age."))
    assert virtual.run(taken_after(voice, 0.5, prosody=OTHER)) == pytest.approx(0.05)
    assert voice.asked[-1] == ("On the age.", OTHER)


def test_one_that_failed_before_its_first_part_is_asked_for_anew(virtual: asyncio.Runner) -> None:
    voice = ScriptedVoice(Line("On the age.", fails="busy"), Line("On the age."))
    assert virtual.run(taken_after(voice, 0.5)) == pytest.approx(0.05)


def test_one_that_failed_in_its_midst_fails_for_its_taker(virtual: asyncio.Runner) -> None:
    voice = ScriptedVoice(Line("On the age.", fails="busy", parts=(0.3,), fails_at=1))
    with pytest.raises(VoiceUnavailable):
        virtual.run(taken_after(voice, 0.5))


def test_a_newer_expectation_takes_the_place_of_one_under_way(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(
            Line("One.", takes_s=0.1, parts=(0.2, 0.2, 0.2)), Line("Two.", takes_s=0.1), in_order=True
        )
        rehearsal = Rehearsal(voice, 6.0)
        making = asyncio.create_task(rehearsal.run())
        rehearsal.expect("One.", USUAL)
        await asyncio.sleep(0.05)
        rehearsal.expect("Two.", USUAL)
        rehearsal.expect("Two.", USUAL)
        await asyncio.sleep(0.5)
        assert voice.taken_back == ["One."]
        await whole(rehearsal.parts("Two.", USUAL))
        voice.assert_finished()
        making.cancel()

    virtual.run(scene())


def test_one_that_is_taken_before_it_is_begun_is_made_at_once(virtual: asyncio.Runner) -> None:
    async def scene() -> float:
        voice = ScriptedVoice(Line("One.", takes_s=0.15), Line("Two.", takes_s=0.15))
        rehearsal = Rehearsal(voice, 6.0)
        making = asyncio.create_task(rehearsal.run())
        rehearsal.expect("One.", USUAL)
        await asyncio.sleep(0.05)
        rehearsal.expect("Two.", USUAL)
        await asyncio.sleep(0.03)
        began_s = asyncio.get_running_loop().time()
        await whole(rehearsal.parts("Two.", USUAL))
        took_s = asyncio.get_running_loop().time() - began_s
        await asyncio.sleep(1.0)
        making.cancel()
        return took_s

    assert virtual.run(scene()) == pytest.approx(0.15)


def test_a_voice_that_hangs_keeps_no_later_clip_from_being_made(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = ScriptedVoice(Line("One.", takes_s=1000.0), Line("Two."), in_order=True)
        rehearsal = Rehearsal(voice, 6.0)
        making = asyncio.create_task(rehearsal.run())
        rehearsal.expect("One.", USUAL)
        await asyncio.sleep(1.0)
        rehearsal.expect("Two.", USUAL)
        await asyncio.sleep(6.0)
        assert [text for text, _ in voice.asked] == ["One.", "Two."]
        making.cancel()

    virtual.run(scene())
