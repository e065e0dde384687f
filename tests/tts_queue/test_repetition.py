"""Alarms that say themselves again, unless another one waits."""

from __future__ import annotations

import asyncio

import pytest

from tests.tts_queue.scenes import WORD_S, now_s, playing, until
from tts_queue import Priority, Utterance

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
