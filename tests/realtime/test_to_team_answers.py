"""Scenes on virtual time: what the team answers to a question is told, once."""

from __future__ import annotations

import asyncio

from agents.inbox import MessageKind, TeamMessage
from realtime.speech.before import StateBefore
from realtime.testing import EPOCH_MS, ListLine
from tests.realtime.asking_team import (
    QUESTION,
    listening,
    offered,
    said,
)
from tests.realtime.making import question, reply
from tests.realtime.scene import SESSION, Scene


async def _sent(s: Scene, line: ListLine, text: str = QUESTION) -> TeamMessage:
    await s.client.say(2, "ask", text=text)
    await s.client.say(3, "send_to_team")
    await s.until(s.loop.time() + 6.0)
    return line.messages[-1].message


def test_words_that_name_the_question_are_told_as_an_answer_and_no_others(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            sent = await _sent(s, line)
            s.streams.think("doctor1", "Pericarditis is unlikely.", turn=6)
            s.streams.log(*reply("somebody-elses", "doctor0", "Yes.", turn=5))
            s.streams.log(*reply(sent.id, "doctor1", "No. The ECG ", "is **flat**."))
            await s.until(s.loop.time() + 30.0)
            assert said(s, "team_answer") == ["Doctor One answers: No. The ECG is flat."]

    virtual.run(scene())


def test_nobody_who_answers_in_time_is_told_once_and_a_late_answer_still_is(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            sent = await _sent(s, line)
            await s.until(s.loop.time() + 50.0)
            assert not said(s, "team_answer")
            await s.until(s.loop.time() + 100.0)
            assert said(s, "team_answer") == ["Doctor One has not answered yet."]
            s.streams.log(*reply(sent.id, "doctor1", "No."))
            await s.until(s.loop.time() + 10.0)
            assert said(s, "team_answer")[-1] == "Doctor One answers: No."

    virtual.run(scene())


def test_a_fact_wants_no_answer(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line) as s:
            sent = await _sent(s, line, "Tell them the lactate is seven.")
            assert sent.kind is MessageKind.FACT
            await s.until(s.loop.time() + 100.0)
            assert not said(s, "team_answer")
            notes = [command.args for command in s.asked() if command.kind == "to_team"]
            assert [(each["kind"], each["by"]) for each in notes] == [("fact", "clinician")]

    virtual.run(scene())


def test_a_successor_tells_again_neither_answers_nor_what_was_sent(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        sent = question().model_copy(update={"at_ms": EPOCH_MS - 90_000})
        for name in ("m", "unanswered"):
            await line.put(sent.model_copy(update={"id": name}))
        before = StateBefore(vacant_s=1.0, begun=True, now_ms=EPOCH_MS)
        s = Scene(team=line, live=True, before=before)
        s.streams.log(*reply("m", "doctor1", "No."))
        told = [f"{SESSION}.told.m.doctor1.7", f"{SESSION}.unanswered.unanswered"]
        async with s.running(finished=told):
            await s.client.come()
            await s.until(70.0)
            assert not offered(s, "team_answer")
            assert "team_asked" not in [body["code"] for body in s.room.bodies("notice")]
            s.streams.log(*reply("unanswered", "doctor1", "Still no.", turn=8))
            await s.until(80.0)
            assert said(s, "team_answer") == ["Doctor One answers: Still no."]

    virtual.run(scene())
