"""Scenes on virtual time: the clinician approves what the team recommends, by "confirm" alone."""

from __future__ import annotations

import asyncio

import pytest

from agents.inbox import MessageKind
from exaim_core.board.shown import BoardView, ClaimView
from exaim_core.claims.claims import Stance
from realtime.team.to_team import APPROVED, HELD, NO_SUCH, NOT_APPROVED, SEVERAL
from realtime.testing import ListLine
from tests.realtime.asking_team import (
    CASE_WORDS,
    asked_to_the_end,
    listening,
    said,
)
from tests.realtime.making import update, update_id
from tests.realtime.scene import Scene

FAB = "Give Fab antibody fragments 80 mg intravenously over 30 minutes."
ATROPINE = "Atropine 0.5 mg intravenously if the pulse falls below 35."
APPROVE_FAB = f"Approve this of Doctor One: {FAB} The team is told; nothing is ordered. Say: confirm."


def recommended(s: Scene, *more: ClaimView) -> None:
    """Have the board hold what Doctor One recommends."""
    actions = [ClaimView(agent_id="doctor1", text=text, at=(1, 0, 1)) for text in (FAB, ATROPINE)]
    board = BoardView(actions=(*actions, *more))
    s.streams.commit(update(2).model_copy(update={"board": board}), update_id(2))


@pytest.mark.parametrize(
    ("answer", "approves"),
    [
        (("Confirm.", None), True),
        (("I confirm, please.", None), True),
        (("Yes.", None), False),
        (("Yes, send it.", None), False),
        (("No.", None), False),
        (("Conform.", "confirm"), False),
        (("Mm-hm.", None), False),
    ],
)
def test_a_recommendation_is_named_read_back_and_approved_by_confirm_alone(
    virtual: asyncio.Runner, answer: tuple[str, str | None], approves: bool
) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line, case_words=CASE_WORDS) as s:
            recommended(s)
            await s.until(s.loop.time() + 1.0)
            await s.ears.say("Approve the antibody fragments.", lasts_s=2.0)
            await asked_to_the_end(s)
            assert said(s, "question") == [APPROVE_FAB]
            assert not line.messages
            await s.ears.say(answer[0], word=answer[1])
            await s.until(s.loop.time() + 20.0)
            sent = [(each.message.kind, each.message.to, each.message.text) for each in line.messages]
            assert sent == ([(MessageKind.APPROVAL, "doctor1", FAB)] if approves else [])
            assert said(s, "reply") == [APPROVED if approves else NOT_APPROVED]

    virtual.run(scene())


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Approve the alteplase.", NO_SUCH),
        ("I approve the atropine and the alteplase.", NO_SUCH),
        ("We approve atropine.", SEVERAL),
    ],
)
def test_what_is_not_one_standing_recommendation_is_not_approved(
    virtual: asyncio.Runner, text: str, told: str
) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line, case_words=CASE_WORDS) as s:
            rejected = ClaimView(
                agent_id="doctor0", text="No alteplase here.", at=(1, 2, 2), stance=Stance.REJECTS
            )
            again = ClaimView(agent_id="doctor0", text="Repeat atropine after five minutes.", at=(1, 3, 3))
            recommended(s, rejected, again)
            await s.until(s.loop.time() + 1.0)
            await s.ears.say(text, lasts_s=2.0)
            await s.until(s.loop.time() + 10.0)
            assert said(s, "reply") == [told]
            assert not said(s, "question")
            assert not line.messages

    virtual.run(scene())


def test_nothing_is_approved_while_we_are_silenced(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line, case_words=CASE_WORDS) as s:
            recommended(s)
            await s.ears.say("Stop.")
            await s.ears.say("Approve the antibody fragments.", lasts_s=2.0)
            await s.until(s.loop.time() + 10.0)
            assert said(s, "reply") == [HELD]
            await s.ears.say("Confirm.")
            await s.until(s.loop.time() + 5.0)
            assert not line.messages

    virtual.run(scene())


def test_a_recommendation_that_was_typed_wants_a_confirm_too(virtual: asyncio.Runner) -> None:
    async def scene() -> None:
        line = ListLine()
        async with listening(line, case_words=CASE_WORDS) as s:
            recommended(s)
            await s.until(s.loop.time() + 1.0)
            assert (await s.client.say(2, "ask", text="approve the antibody fragments"))["ok"]
            await s.until(s.loop.time() + 0.5)
            assert s.room.bodies("mode")[-1]["question"] == APPROVE_FAB
            assert (await s.client.say(3, "ask", text="confirm"))["ok"]
            await s.until(s.loop.time() + 8.0)
            assert [each.message.kind for each in line.messages] == [MessageKind.APPROVAL]

    virtual.run(scene())
