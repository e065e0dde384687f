"""Scenes on virtual time: the same device, another one, a short gap, a long one, and our question."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from agents.stream import TokenType
from exaim_core import SpokenKind
from realtime.room.livekit_room import ParticipantLeft
from realtime.testing import event
from tests.realtime.making import spoken, update, update_id
from tests.realtime.reading import modes
from tests.realtime.scene import ME, SESSION, Scene
from tests.realtime.test_return import CLAUSES, ONE, THREE, TWO, begin, spoken_order, welcomes

QUESTION = f"{SESSION}.question.{SESSION}.welcome.3.1"
REST = "Ten eleven twelve thirteen fourteen fifteen."


@asynccontextmanager
async def away(
    gap_s: float, *, device: str | None = "d1", back_on: str | None = "d1"
) -> AsyncIterator[Scene]:
    """Give a session whose listener left in the second clause of the first item, back after `gap_s`."""
    s = Scene()
    async with s.running():
        await s.client.come(device)
        await s.until(6.0)
        s.streams.commit(update(1, spoken(CLAUSES)), update_id(1))
        await s.until(11.5)
        s.client.leave()
        await s.until(s.client.last_beat_s + gap_s - 0.2)
        await s.client.come(back_on)
        yield s


def said(s: Scene) -> list[str]:
    """Return what sounded after the return, each once."""
    return list(dict.fromkeys(spoken_order(s)[2:]))


def clause_again(s: Scene) -> str:
    """Return the words of the first clause of the item that sounded after the return."""
    segments = [b for b in s.room.bodies("segment") if b["utterance_id"] == ONE]
    return " ".join(word["text"] for word in segments[2]["words"])


def test_the_same_device_after_a_moment_hears_a_tone_and_on_from_the_cut_clause(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with away(19.0) as s:
            came = s.sink.heard_samples
            await asyncio.sleep(6.0)
            assert welcomes(s) == []
            tone = next((start, end) for start, end in s.sink.sounding() if start >= came)
            assert (tone[1] - tone[0]) / 48_000 < 0.5
            assert clause_again(s) == REST
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_the_same_device_within_two_minutes_hears_one_sentence_and_no_question(
    virtual: asyncio.Runner,
) -> None:
    async def scene() -> None:
        async with away(60.0) as s:
            await asyncio.sleep(10.0)
            assert welcomes(s) == ["Back after 60 seconds, and going on."]
            assert said(s) == [f"{SESSION}.welcome.3.1", ONE]
            assert clause_again(s) == REST

    virtual.run(scene())


@pytest.mark.parametrize(("gap_s", "back_on"), [(121.0, "d1"), (5.0, "d2"), (5.0, None)])
def test_after_two_minutes_or_on_another_device_it_is_the_whole_welcome_and_a_question(
    virtual: asyncio.Runner, gap_s: float, back_on: str | None
) -> None:
    async def scene() -> None:
        async with away(gap_s, back_on=back_on) as s:
            await asyncio.sleep(30.0)
            (text,) = welcomes(s)
            where = "We were on summary 1 of 1. The agents are still thinking."
            assert text == f"Welcome back. Recorded case. A case. {where}"
            assert said(s) == [f"{SESSION}.welcome.3.1", QUESTION, ONE]
            assert s.text_of(QUESTION) == "Ready to continue?"
            asked_s = s.told_at_s(QUESTION, "spoken")[0]
            assert s.told_at_s(ONE, "speaking")[1] - asked_s == pytest.approx(6.0, abs=0.2)
            assert clause_again(s) == REST

    virtual.run(scene())


def test_who_is_lost_at_our_question_hears_what_presses_at_once_when_back(virtual: asyncio.Runner) -> None:
    """The last words of what presses were sent, and not heard, when we asked whether to go on."""

    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come("d1")
            await s.until(6.0)
            s.streams.commit(update(1, spoken(CLAUSES, kind=SpokenKind.CORRECTION)), update_id(1))
            await s.until(11.5)
            s.client.leave()
            await s.until(s.client.last_beat_s + 5.0)
            await s.client.come(None)
            while len(s.told_at_s(ONE, "speaking")) < 2:
                await asyncio.sleep(0.02)
            await asyncio.sleep(1.5)
            s.client.beating = False  # killed: that it is gone is noticed once we have asked
            await asyncio.sleep(5.0)
            assert (s.room.phases(QUESTION)[-1], s.room.phases(ONE)[-1]) == ("held", "held")
            s.client.leave()
            await s.client.come(None)
            for _ in range(200):
                if s.told_at_s(f"{SESSION}.welcome.3.2", "spoken"):
                    break
                await asyncio.sleep(0.1)
            await asyncio.sleep(2.0)
            assert s.room.phases(QUESTION)[-1] == "cancelled"
            assert s.room.phases(ONE)[-1] in {"speaking", "spoken"}
            await asyncio.sleep(15.0)
            assert spoken_order(s)[-2:] == [ONE, QUESTION.replace("3.1", "3.2")]

    virtual.run(scene())


def test_another_device_that_takes_over_from_one_that_hears_is_not_greeted(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with away(1.0, back_on="d2") as s:
            await asyncio.sleep(8.0)
            assert welcomes(s) == []
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


@pytest.mark.parametrize(("words", "mode", "goes_on"), [("yes", "free", True), ("no", "waiting", False)])
def test_our_question_is_answered_by_yes_or_no(
    virtual: asyncio.Runner, words: str, mode: str, goes_on: bool
) -> None:
    async def scene() -> None:
        async with away(130.0) as s:
            while not s.told_at_s(QUESTION, "spoken"):
                await asyncio.sleep(0.1)
            asking = s.room.bodies("mode")[-1]
            assert (asking["mode"], asking["question"]) == ("asking", "Ready to continue?")
            await s.ears.say(words)
            await asyncio.sleep(8.0)
            assert modes(s)[-1] == mode
            assert s.room.phases(ONE)[-1] == ("spoken" if goes_on else "held")

    virtual.run(scene())


def test_who_says_go_on_inside_the_welcome_hears_no_more_of_it(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        async with away(130.0) as s:
            await asyncio.sleep(2.0)
            await s.client.say(2, "go_on")
            await asyncio.sleep(4.0)
            assert s.room.phases(f"{SESSION}.welcome.3.1")[-1] == "cut"
            assert s.room.phases(ONE)[-1] == "spoken"
            assert QUESTION not in said(s)

    virtual.run(scene())


def test_who_asks_inside_the_welcome_is_answered_at_once(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene(answers={"what is the potassium": "It is 6.8."})
        async with s.running():
            await begin(s)
            s.client.leave()
            await s.until(20.0)
            await s.client.come()
            await asyncio.sleep(2.0)
            await s.ears.say("what is the potassium")
            await asyncio.sleep(12.0)
            answers = [uid for uid in said(s) if ".answer." in uid]
            assert said(s) == [f"{SESSION}.welcome.3.1", *answers, ONE]
            assert len(answers) == 1

    virtual.run(scene())


def test_a_critical_finding_that_was_cut_goes_on_before_the_question(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        alarm = spoken(CLAUSES, SpokenKind.CRITICAL, critical_key="k", urgency="critical")
        async with s.running():
            await s.client.come()
            await s.until(6.0)
            s.streams.commit(update(1, alarm), update_id(1))
            await s.until(11.5)
            assert s.room.phases(ONE)[-1] == "speaking"
            s.client.leave()
            await s.until(20.0)
            await s.client.come()
            await s.until(50.0)
            assert welcomes(s)[0].endswith("A critical finding first.")
            assert said(s) == [f"{SESSION}.welcome.3.1", ONE, QUESTION]
            assert s.room.phases(ONE)[-1] == "spoken"

    virtual.run(scene())


def test_who_asked_to_wait_is_welcomed_and_asked_nothing(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await begin(s)
            await s.client.say(2, "wait")
            s.client.leave()
            await s.until(150.0)
            await s.client.come()
            await s.until(190.0)
            (text,) = welcomes(s)
            assert text.endswith("The voice is silent, as you asked, until you say go on.")
            assert said(s) == [f"{SESSION}.welcome.3.1"]
            assert (modes(s)[-1], s.room.phases(ONE)[-1]) == ("waiting", "held")

    virtual.run(scene())


def test_the_welcome_counts_minutes_and_summaries_from_the_streams(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            s.streams.think("doctor0", "First words.")
            await begin(s)
            s.client.leave()
            await s.until(100.0)
            s.streams.commit(update(2, spoken("Sodium is 132.", protects=True)), update_id(2))
            await s.until(150.0)
            s.streams.log(event(1, data="So:").model_copy(update={"token_type": FINAL}))
            await s.until(160.0)
            await s.client.come()
            await s.until(162.0)
            assert welcomes(s) == [
                (
                    "Welcome back. Recorded case. A case. "
                    "We were on summary 1 of 2, 1 new while you were away. "
                    "The agents are writing their conclusion, after three minutes."
                )
            ]
            s.client.leave()
            s.streams.commit(update(3, spoken("Sepsis leads.", SpokenKind.CLOSING), path="end"), update_id(3))
            await s.until(180.0)
            await s.client.come()
            await s.until(182.0)
            assert "on summary 1 of 3, 1 new" in welcomes(s)[1]
            assert "The agents have finished" in welcomes(s)[1]
            await s.until(230.0)
            assert [s.room.phases(uid)[-1] for uid in (ONE, TWO, THREE)] == ["spoken"] * 3

    virtual.run(scene())


FINAL = TokenType.FINAL_SYNTHESIS_LLM_RESPONSE


def test_a_name_of_a_device_that_is_none_is_refused(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            s.client.join()
            for seq, device in enumerate(("x" * 65, "", 7), start=1):
                answer = await s.client.say(seq, device=device)
                assert answer["error"]["code"] == "bad_message"

    virtual.run(scene())


@pytest.mark.parametrize(("device", "told"), [("d1", []), ("d2", ["taken_over"])])
def test_a_page_whose_line_broke_is_no_other_window(
    virtual: asyncio.Runner, device: str, told: list[str]
) -> None:
    async def scene() -> None:
        s = Scene()
        async with s.running():
            await s.client.come("d1")
            await s.until(8.0)
            s.room.offer(ParticipantLeft(ME, unexplained=True))
            await s.client.come(device)
            await asyncio.sleep(1.0)
            assert [b["code"] for b in s.room.bodies("notice")] == told
            assert welcomes(s) == []

    virtual.run(scene())
