"""What the clinician types in the room's chat: whose is read, how much of it, and what it does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from livekit import rtc

from realtime.conversation.chat import meaning_of
from realtime.conversation.effects import NOTHING_PASSED_ON
from realtime.interruption import Context, Effect, Mode, PendingQuestion
from realtime.protocol import CHAT_TOPIC, MAX_QUESTION_CHARS, NOT_TAKEN
from realtime.room.livekit_room import CHAT_DEADLINE_S, CHATS, LiveKitRoom, Typed
from tests.realtime import test_room
from tests.realtime.reading import ITEM, modes, reading
from tests.realtime.test_room import ME

SECRET = "leukaemia"


class Reader:
    """`rtc.TextStreamReader` with what a client sends; one that is `open` never ends."""

    def __init__(self, *chunks: str, open: bool = False, breaks: bool = False) -> None:
        self._chunks, self._open, self._breaks = chunks, open, breaks
        self.taken = 0
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[str]:
        for chunk in self._chunks:
            self.taken += 1
            yield chunk
        if self._breaks:
            raise rtc.StreamError("scripted")
        if self._open:
            await asyncio.Event().wait()

    def close(self) -> None:
        self.closed = True


class LocalParticipant(test_room.LocalParticipant):
    """Also says something in the chat."""

    def __init__(self) -> None:
        self.said: list[tuple[str, str]] = []

    async def send_text(self, text: str, *, topic: str, attributes: dict[str, str]) -> None:
        self.said.append((topic, text))


class Chat(test_room.Room):
    """A room in which people type."""

    def __init__(self) -> None:
        super().__init__()
        self.local_participant: LocalParticipant = LocalParticipant()

    def isconnected(self) -> bool:
        return True

    def type(self, *readers: Reader, by: str = ME) -> None:
        for reader in readers:
            self.handlers[CHAT_TOPIC](cast("Any", reader), by)

    async def typed(self, ours: LiveKitRoom, count: int) -> list[str]:
        """Return the first messages that come, and no event that is none."""
        events = [await ours.next_event() for _ in range(count)]
        return [event.text for event in events if isinstance(event, Typed)]


@asynccontextmanager
async def read() -> AsyncIterator[tuple[Chat, LiveKitRoom]]:
    async def on_command(caller: str, payload: str) -> str:
        raise AssertionError(caller)

    room = Chat()
    async with (
        LiveKitRoom(cast("Any", room), on_command, clinician=ME) as ours,
        asyncio.TaskGroup() as group,
    ):
        reading = group.create_task(ours.read_chat())
        yield room, ours
        reading.cancel()
    assert room.handlers == {}, "nobody is called after the session"


# --- whose, and how much


def test_messages_of_the_clinician_come_in_order_in_one_line(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with read() as (room, ours):
            room.type(Reader("  What is\nthe ", "potassium?\n"), Reader("  \n"), Reader("stop"))
            assert await room.typed(ours, 2) == ["What is the potassium?", "stop"]
            assert room.local_participant.said == []

    virtual.run(scene())


def test_whoever_else_types_is_not_read(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with read() as (room, ours):
            stranger = Reader("stop")
            room.type(stranger, by="clinician-s-2")
            room.type(Reader("go on"))
            assert await room.typed(ours, 1) == ["go on"]
            assert (stranger.closed, stranger.taken) == (True, 0)

    virtual.run(scene())


@pytest.mark.parametrize(
    "bad",
    [
        lambda: Reader(SECRET * 20, "x" * MAX_QUESTION_CHARS, "never read"),
        lambda: Reader(SECRET, open=True),
        lambda: Reader(SECRET, breaks=True),
    ],
    ids=["too long", "without an end", "broken off"],
)
def test_what_is_not_taken_is_told_in_the_chat_and_not_in_the_log(
    virtual: asyncio.Runner, bad: Callable[[], Reader], caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        async with read() as (room, ours):
            message = bad()
            room.type(message, Reader("?" * MAX_QUESTION_CHARS))
            assert await room.typed(ours, 1) == ["?" * MAX_QUESTION_CHARS]
            assert room.local_participant.said == [(CHAT_TOPIC, NOT_TAKEN)]
            assert message.closed
            assert message.taken <= 2
            assert asyncio.get_running_loop().time() <= CHAT_DEADLINE_S + 1.0

    with caplog.at_level(logging.DEBUG):
        virtual.run(scene())
    assert "not taken" in caplog.text
    assert SECRET not in caplog.text


def test_of_a_flood_the_newest_are_taken_two_a_second_and_the_rest_is_told(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    async def scene() -> None:
        async with read() as (room, ours):
            flood = [Reader(f"message {n}") for n in range(100)]
            room.type(*flood)
            assert await room.typed(ours, CHATS) == [f"message {n}" for n in range(100 - CHATS, 100)]
            assert asyncio.get_running_loop().time() == pytest.approx(0.5 * (CHATS - 1))
            assert all(each.closed for each in flood)

    virtual.run(scene())
    assert [record.args for record in caplog.records] == [("a chat message", 1), ("a chat message", 10)]


def test_what_still_waits_at_the_end_is_closed(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        waiting = [Reader("one", open=True), Reader("two"), Reader("three")]
        async with read() as (room, _):
            room.type(*waiting)
            await asyncio.sleep(0.1)
        assert all(each.closed for each in waiting)

    virtual.run(scene())


# --- what it means

FREE = Context(asked_anything=True, case_words=frozenset({"potassium", "heparin"}))
QUIET = Context(asked_anything=True, mode=Mode.QUIET)
READY = Context(asked_anything=True, asked=PendingQuestion.READY)
CRITICAL = Context(asked_anything=True, critical_told=True)


@pytest.mark.parametrize(
    ("text", "context", "effect"),
    [
        ("stop", FREE, Effect.QUIET),
        ("Quiet!", FREE, Effect.QUIET),
        ("wait", FREE, Effect.WAIT),
        ("next", FREE, Effect.SKIP),
        ("say that again", FREE, Effect.REPEAT),
        ("slower", FREE, Effect.SLOWER),
        ("normal volume", FREE, Effect.USUAL_VOLUME),
        ("go on", QUIET, Effect.RESUME),
        ("thanks", QUIET, Effect.GO_ON),
        ("yes", READY, Effect.RESUME),
        ("no", READY, Effect.WAIT),
        ("got it", CRITICAL, Effect.ACKNOWLEDGE),
        ("got it", FREE, Effect.GO_ON),
        ("stop the heparin", FREE, Effect.REFUSE_ORDER),
        ("stop the heparin?", FREE, Effect.ANSWER),
        ("what is the potassium?", FREE, Effect.ANSWER),
        ("potassium", FREE, Effect.ANSWER),
        ("The potassium was 4 yesterday", FREE, Effect.ANSWER),
        ("lunch at twelve", FREE, Effect.ANSWER),
        ("step", FREE, Effect.ANSWER),
        ("什么", FREE, Effect.ANSWER),
    ],
)
def test_a_word_to_us_does_what_it_does_when_spoken_and_all_else_is_asked(
    text: str, context: Context, effect: Effect
) -> None:
    assert meaning_of(text, context).effect is effect


def asking(asked: PendingQuestion) -> Context:
    return Context(asked_anything=True, asked=asked, case_words=frozenset({"dialysis"}))


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("confirm?", PendingQuestion.APPROVAL),
        ("confirm?!", PendingQuestion.APPROVAL),
        ("yes?", PendingQuestion.TO_TEAM),
        ("confirm?", PendingQuestion.WRONG_CASE),
        ("approve dialysis?", None),
    ],
)
def test_a_question_mark_binds_nobody(text: str, asked: PendingQuestion | None) -> None:
    context = asking(asked) if asked else FREE
    assert meaning_of(text, context).effect is Effect.ANSWER
    bare = meaning_of(text.rstrip("?!"), context).effect
    assert bare in {Effect.SEND_TO_TEAM, Effect.CONFIRM_WRONG_CASE, Effect.APPROVE}


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("why wait?", Effect.ANSWER),
        ("hold?", Effect.ANSWER),
        ("why stop?", Effect.ANSWER),
        ("no more?", Effect.ANSWER),
        ("that's all?", Effect.ANSWER),
        ("no?", Effect.ANSWER),
        ("who next", Effect.ANSWER),
        ("next?", Effect.ANSWER),
        ("when do you stop", Effect.ANSWER),
        ("can you stop?", Effect.QUIET),
        ("could you wait?", Effect.WAIT),
        ("stop please?", Effect.QUIET),
        ("why don't you stop?", Effect.QUIET),
        ("what? stop", Effect.QUIET),
        ("wait? no, stop", Effect.QUIET),
    ],
)
def test_a_typed_question_silences_nothing_but_for_a_polite_command(text: str, effect: Effect) -> None:
    assert meaning_of(text, FREE).effect is effect


CASE = Context(
    asked_anything=True, case_words=frozenset({"potassium", "metformin", "ramipril", "penicillin"})
)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("check allergies", "allergies?"),
        ("repeat allergies", "allergies?"),
        ("get potassium", "potassium?"),
        ("give potassium values", "potassium values?"),
        ("get the labs", "the labs?"),
        ("please check the potassium", "the potassium?"),
        ("check metformin", "metformin?"),
        ("stop metformin or not", "stop metformin or not?"),
        ("stop ramipril or continue", "stop ramipril or continue?"),
        ("operate or wait", "operate or wait?"),
        ("give calcium when", "give calcium when?"),
        ("stop heparin why", "stop heparin why?"),
    ],
)
def test_a_look_up_and_a_choice_are_asked_and_it_is_said_that_no_order_went_out(
    text: str, question: str
) -> None:
    meaning = meaning_of(text, CASE)
    assert (meaning.effect, meaning.question, meaning.may_order) == (Effect.ANSWER, question, True)


@pytest.mark.parametrize("text", ["Stop metformin?!", '"stop metformin?"', "Stop metformin? Thanks"])
def test_a_question_mark_anywhere_makes_no_order(text: str) -> None:
    meaning = meaning_of(text, CASE)
    assert (meaning.effect, meaning.may_order) == (Effect.ANSWER, False)


@pytest.mark.parametrize(
    "text",
    [
        "stop metformin", "give calcium", "give potassium", "give penicillin", "give him the penicillin",
        "get the penicillin", "get a potassium", "get a CT", "get oxygen", "repeat the heparin",
        "get potassium 20 mmol", "give calcium and check the potassium", "order a CT",
    ],
)  # fmt: skip
def test_what_is_given_or_done_is_refused(text: str) -> None:
    assert meaning_of(text, CASE).effect is Effect.REFUSE_ORDER


def test_an_answer_to_what_may_be_an_order_goes_with_that_none_was_passed_on(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        case_words = frozenset({"potassium"})
        async with reading(case_words=case_words, answers={"the potassium?": "On the potassium: 6.9."}) as s:
            assert (await s.client.say(2, "ask", text="check the potassium"))["ok"]
            await s.until(30.0)
            (turn,) = s.room.bodies("turn")
            assert (turn["effect"], turn["text"]) == ("answer", "check the potassium")
            assert turn["reply"] == NOTHING_PASSED_ON
            assert [each.text for each in s.dialogue.asked] == ["the potassium?"]
            told = [b["text"] for b in s.room.bodies("utterance") if b["phase"] == "spoken"]
            assert told.index(NOTHING_PASSED_ON) < told.index("On the potassium: 6.9.")
            assert s.room.phases(ITEM)[-1] == "spoken", "and on it goes"

    virtual.run(scene())


def test_words_and_questions_in_the_chat_do_what_they_do_when_spoken(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        asked = "what is the sodium?"
        async with reading(answers={asked: "On the sodium: 132."}) as s:
            s.room.offer(Typed("stop"))
            await s.until(12.0)
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("quiet", "held")
            s.room.offer(Typed(asked))
            await s.until(30.0)
            assert [b["question"] for b in s.room.bodies("answer")] == [asked]
            assert (modes(s)[-1], s.room.phases(ITEM)[-1]) == ("quiet", "held")
            told = [(b["via"], b["text"], b["effect"]) for b in s.room.bodies("turn")]
            assert told == [("text", "stop", "quiet"), ("text", asked, "answer")]
            assert [c.args["text"] for c in s.streams.commands if c.kind == "turn"] == ["stop", asked]

    virtual.run(scene())


@pytest.mark.parametrize(
    ("text", "effect", "mode"),
    [
        ("stop", "quiet", "quiet"),
        ("hold on", "wait", "waiting"),
        ("slower", "slower", "free"),
        ("next", "skip", "free"),
        ("this is the wrong patient", "wrong_case", "asking"),
        ("stop the heparin", "refuse_order", "free"),
        ("The sodium was 132 yesterday", "answer", "free"),
    ],
)
def test_what_is_typed_in_the_pages_box_does_what_it_does_when_spoken(
    virtual: asyncio.Runner, text: str, effect: str, mode: str
) -> None:
    async def scene() -> None:
        async with reading(case_words=frozenset({"heparin"}), answers={text: "132."}) as s:
            assert (await s.client.say(2, "ask", text=text))["ok"]
            await s.until(9.0)
            told = [(b["via"], b["text"], b["effect"]) for b in s.room.bodies("turn")]
            assert told == [("text", text, effect)]
            assert (s.room.bodies("mode") or [{"mode": "free"}])[-1]["mode"] == mode
            assert [each.text for each in s.dialogue.asked] == ([text] if effect == "answer" else [])

    virtual.run(scene())


def test_a_wrong_patient_is_confirmed_and_taken_back_in_the_pages_box(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with reading() as s:
            for seq, text in enumerate(("this is the wrong patient", "confirm"), start=2):
                assert (await s.client.say(seq, "ask", text=text))["ok"]
            await s.until(9.0)
            assert modes(s)[-1] == "wrong_case"
            refused = await s.client.say(4, "ask", text="next")
            assert refused["error"]["code"] == "bad_message"
            assert s.room.bodies("notice") == [], "a command is answered, not told of"
            assert (await s.client.say(5, "ask", text="this is the right patient"))["ok"]
            await s.until(10.0)
            assert modes(s)[-1] == "free"

    virtual.run(scene())


def test_nothing_is_begun_by_a_message_while_an_ended_session_closes_its_books(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with reading() as s:
            s.log.down = True  # so that closing takes its time
            assert (await s.client.say(2, "end"))["ok"]
            await s.until(8.5)
            s.room.offer(Typed("what is the sodium?"))
            await s.until(8.6)
            s.room.assert_finished()
            assert s.room.of_type("ended") == [], "it is not over yet"
            assert s.room.bodies("turn") == []
            s.client.beating = False
            await s.until(12.0)
            assert s.room.said[-1].message.type == "ended"

    virtual.run(scene())
