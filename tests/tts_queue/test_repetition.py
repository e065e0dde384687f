"""Alarms that say themselves again, unless another one waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from tests.tts_queue.scenes import WORD_S, now_s, playing, until
from tts_queue import Part, Priority, Prosody, Utterance, VoiceFailed, VoiceUnavailable
from tts_queue.testing import SteadyVoice

pytestmark = pytest.mark.usefixtures("no_task_left_behind")

ALARM = "Potassium is six. I repeat: potassium is six."


@pytest.mark.parametrize("at_s", [0.4, 1.45])  # in its first sentence, and in the pause after it
def test_an_alarm_is_not_said_again_while_another_one_waits(virtual: asyncio.Runner, at_s: float) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.offer(alarm("a", ALARM, repeats_from=1))
            await until(lambda: bool(play.segments("a")))
            await asyncio.sleep(at_s)
            play.queue.offer(alarm("b", "Lactate is four."))
            await play.queue.idle()
            assert play.phases("a") == play.phases("b") == ["queued", "speaking", "spoken"]
            assert [s.text for s in play.events_of_segments()] == ["Potassium is six.", "Lactate is four."]
            said = play.moves("a")[-1]
            assert said.complete
            assert said.total < round((3 * WORD_S + 0.3) * 48_000) + 1

    virtual.run(scene())


@pytest.mark.parametrize("waits", [None, Priority.SUMMARY])
def test_an_alarm_is_said_again_where_nothing_as_urgent_waits(
    virtual: asyncio.Runner, waits: Priority | None
) -> None:
    async def scene() -> None:
        async with playing() as play:
            play.queue.offer(alarm("a", ALARM, repeats_from=1))
            await until(lambda: bool(play.segments("a")))
            if waits is not None:
                play.say("b", "Something else.", waits)
            await play.queue.idle()
            assert next(s.text for s in play.segments("a")) == "Potassium is six."
            assert " ".join(s.text for s in play.segments("a")) == ALARM

    virtual.run(scene())


@pytest.mark.parametrize(("away", "takes_s"), [(True, 0.1), (False, 0.65)])
def test_a_repetition_that_is_left_out_while_the_engine_fails_is_asked_for_no_more(
    virtual: asyncio.Runner, away: bool, takes_s: float
) -> None:
    async def scene() -> None:
        voice = NeverTwice(away=away, takes_s=takes_s)
        async with playing(voice) as play:
            play.queue.offer(alarm("a", ALARM, repeats_from=1))
            await until(lambda: bool(play.segments("a")))
            play.queue.offer(alarm("b", "Lactate is four."))
            await until(lambda: play.queue.snapshot().standings[0].all_sent)
            asked = voice.refused
            await play.queue.idle()
            assert play.phases("a") == play.phases("b") == ["queued", "speaking", "spoken"]
            assert voice.refused == asked > 1
            assert not [e for e in play.events if isinstance(e, VoiceFailed) and e.final]

    virtual.run(scene())


def alarm(utterance_id: str, text: str, repeats_from: int | None = None) -> Utterance:
    return Utterance(
        utterance_id,
        text,
        Priority.CRITICAL,
        kind="critical",
        critical_key=utterance_id,
        repeats_from=repeats_from,
        queued_at_s=now_s(),
    )


class NeverTwice(SteadyVoice):
    """Says anything but repetitions, and is asked for them in vain."""

    def __init__(self, *, away: bool, takes_s: float) -> None:
        super().__init__(word_s=WORD_S)
        self._away, self._fails_after_s = away, takes_s
        self.refused = 0

    async def parts(
        self, text: str, prosody: Prosody, *, urgent: bool = False, ahead: bool = False
    ) -> AsyncGenerator[Part, None]:
        if text.startswith("I repeat"):
            self.refused += 1
            await asyncio.sleep(self._fails_after_s)
            raise VoiceUnavailable("scripted", "engine died", away=self._away)
        async for part in super().parts(text, prosody, urgent=urgent, ahead=ahead):
            yield part
