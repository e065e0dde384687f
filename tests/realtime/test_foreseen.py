"""The first words of an answer are made at a question's pause, so that they sound as soon as it is over."""

from __future__ import annotations

import asyncio

from tests.realtime.reading import reading
from tests.realtime.scene import Scene
from tts_queue.testing import SteadyVoice

ASKED = "What is the potassium?"
ANSWER = "On the potassium: 6.9."


def made(voice: SteadyVoice, word: str) -> int:
    """Return how many clips were asked of the voice with this word in them."""
    return sum(word in text for text, _ in voice.asked)


def decided_at(s: Scene) -> float:
    return next(said.at_s for said in s.room.of_type("turn") if said.message.body["phase"] == "decided")


def answer_begins_after(virtual: asyncio.Runner, *parts: str, whole: str | None = None) -> tuple[float, int]:
    """Ask by voice; return from the verdict to the answer's first sound, and how often its clip was made."""

    async def scene() -> tuple[float, int]:
        voice = SteadyVoice(word_s=0.4, takes_s=0.12)
        async with reading(answers={ASKED: ANSWER}, voice=voice) as s:
            await s.ears.say(*parts, lasts_s=1.4, whole=whole)
            await s.until(30.0)
            (answer,) = s.room.bodies("answer")
            begun = s.told_at_s(answer["utterance_id"], "speaking")[0]
            return begun - decided_at(s), made(voice, "potassium")

    return virtual.run(scene())


def test_an_answer_begins_without_waiting_for_its_clip(virtual: asyncio.Runner) -> None:
    after_s, clips = answer_begins_after(virtual, ASKED)
    assert clips == 1
    assert after_s <= 0.08  # the dialogue takes 0.02, a frame 0.02


def test_what_was_heard_otherwise_at_the_pause_costs_a_clip_and_no_more(virtual: asyncio.Runner) -> None:
    after_s, clips = answer_begins_after(virtual, "What is the sodium?", whole=ASKED)
    assert clips == 1
    assert after_s >= 0.12


def test_a_voice_that_goes_on_has_nothing_said_of_what_was_foreseen(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        voice = SteadyVoice(word_s=0.4, takes_s=0.12)
        async with reading(answers={ASKED: ANSWER}, voice=voice) as s:
            await s.ears.say(ASKED, "Stop.", lasts_s=1.4, whole="Stop.")
            await s.until(30.0)
            assert s.room.bodies("answer") == []
            assert s.dialogue.asked == []
            assert made(voice, "potassium") == 1

    virtual.run(scene())
