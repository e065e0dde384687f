"""Questions on their way to the dialogue, and notes on their way to the store."""

from __future__ import annotations

import asyncio

import pytest

from agents.dialogue.values import Answer, DialogueStalled, Question
from infra.errors import StoreUnavailable
from infra.streams import Command
from realtime.conversation.notes import BOUND, Notes
from realtime.conversation.replies import NO_ANSWER, Replies
from realtime.testing import ScriptedDialogue


def question(turn_id: str, text: str) -> Question:
    return Question(turn_id, text, None, None, 0)


class Gone:
    """A dialogue whose store is away, or hangs."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    async def answer(self, question: Question) -> Answer:
        if self._error is None:
            await asyncio.Event().wait()
        assert self._error is not None
        raise self._error


async def answered(dialogue: Gone | ScriptedDialogue, *texts: str) -> list[str]:
    """Ask at once and return what came back within ten seconds."""
    out: list[str] = []
    replies = Replies(dialogue, lambda asked, answer: out.append(answer.text))
    running = asyncio.create_task(replies.run())
    for number, text in enumerate(texts):
        replies.ask(question(f"t-{number}", text))
    await asyncio.sleep(10.0)
    running.cancel()
    return out


def test_the_newest_question_takes_the_place_of_one_that_waits(virtual: asyncio.Runner) -> None:
    dialogue = ScriptedDialogue({"one?": "1", "two?": "2"})
    assert virtual.run(answered(dialogue, "one?", "two?")) == ["2"]


async def dropped(dialogue: ScriptedDialogue, *texts: str) -> list[str]:
    """Ask at once and return which questions another one came before."""
    out: list[str] = []
    replies = Replies(dialogue, lambda asked, answer: None, on_dropped=lambda one: out.append(one.text))
    running = asyncio.create_task(replies.run())
    for number, text in enumerate(texts):
        replies.ask(question(f"t-{number}", text))
    await asyncio.sleep(10.0)
    running.cancel()
    return out


def test_a_question_that_another_came_before_is_told_as_dropped(virtual: asyncio.Runner) -> None:
    dialogue = ScriptedDialogue({"one?": "1", "two?": "2", "three?": "3"})
    assert virtual.run(dropped(dialogue, "one?", "two?", "three?")) == ["one?", "two?"]
    assert virtual.run(dropped(dialogue, "one?")) == []


def test_a_store_that_is_away_or_hangs_gives_an_apology(virtual: asyncio.Runner) -> None:
    for error in (StoreUnavailable("away"), DialogueStalled(3.0), None):
        assert virtual.run(answered(Gone(error), "one?")) == [NO_ANSWER]


def test_a_mistake_in_answering_gives_an_apology_and_later_questions_their_answers(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    class Mistaken(ScriptedDialogue):
        async def answer(self, question: Question) -> Answer:
            if question.text == "one?":
                raise KeyError("words of the case")
            return await super().answer(question)

        async def foreseen(self, question: Question) -> str | None:
            raise KeyError("words of the case")

    async def scene() -> list[str]:
        out: list[str] = []
        dialogue = Mistaken({"two?": "2"})
        replies = Replies(dialogue, lambda asked, answer: out.append(answer.text), dialogue)
        running = asyncio.create_task(replies.run())
        for number, text in enumerate(("one?", "two?")):
            replies.foresee(question(f"f-{number}", text))
            await asyncio.sleep(1.0)
            replies.ask(question(f"t-{number}", text))
            await asyncio.sleep(1.0)
        running.cancel()
        return out

    assert virtual.run(scene()) == [NO_ANSWER, "2"]
    assert len(caplog.records) == 3 and "words of the case" not in caplog.text


def note(number: int) -> Command:
    return Command(kind="turn", by="clinician", at_ms=0, command_id=str(number))


def test_a_note_is_written_when_the_store_is_back_and_the_order_is_kept(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        written: list[str] = []

        async def append(command: Command) -> bool:
            if asyncio.get_running_loop().time() < 5.0:
                raise StoreUnavailable("away")
            written.append(command.command_id)
            return True

        notes = Notes(append)
        running = asyncio.create_task(notes.run())
        for number in range(3):
            notes.keep(note(number))
        await asyncio.sleep(4.0)
        assert written == []
        await asyncio.sleep(4.0)
        assert written == ["0", "1", "2"]
        running.cancel()

    virtual.run(scene())


def test_too_many_notes_drop_the_oldest_and_tell_it(caplog: pytest.LogCaptureFixture) -> None:
    async def never(command: Command) -> bool:
        raise StoreUnavailable("away")

    notes = Notes(never)
    for number in range(BOUND + 3):
        notes.keep(note(number))
    assert [record.args for record in caplog.records] == [(BOUND, 1), (BOUND, 2), (BOUND, 3)]
