"""What a live team states by its client, a decision or a step, is told as stated."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest

from agents.keys import KEY_VARIABLE
from agents.stream import StreamEvent, TurnMark
from app.reasoning import feed
from exaim_core import EXAIM
from exaim_live import LiveTeam
from infra.settings import Settings
from infra.sfu_testing import Expect
from infra.streams import Logged
from realtime.team.steps import step_text
from tests.api.serving import a_key
from tests.api.test_live_team import Wire, api_on, client_on, events_of, opened

VIEW = "### Most Likely Diagnosis:\n**Pericarditis** - given diffuse ST elevation and a friction rub.\n"
RULING = "Giant cell arteritis it is, and that goes into the letter."


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, a_key())


async def told(events: Sequence[StreamEvent]) -> str:
    exaim = EXAIM()
    logged = [Logged(f"{each.seq}-0", each.seq, each, 1) for each in events]
    updates = [update for each in logged for update in await feed(exaim, each)]
    updates += await exaim.finish(60.0)
    return " ".join(item.text for update in updates for item in update.items)


async def said_by(settings: Settings, *, stating: bool) -> Sequence[StreamEvent]:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        async with LiveTeam(session, http=http) as team:
            if stating:
                assert team.step("recruited", "cardiologist", "nephrologist", round=1, text="for the page")
            async with team.agent("cardiologist") as turn:
                await turn.say(VIEW)
            async with team.agent("moderator") as turn:
                await turn.say(RULING)
            if stating:  # the turn is over, and is still what it is about
                assert team.decide("moderator", "final", "giant cell arteritis", RULING)
        return await events_of(settings, session)


async def test_a_decision_and_a_step_are_told_as_they_were_stated(settings: Settings) -> None:
    events = await said_by(settings, stating=True)
    [step] = [each for each in events if each.progress is not None]
    assert (step_text(step), step.round) == ("A cardiologist and a nephrologist.", 1)
    [stated] = [each for each in events if each.decision is not None]
    ruled = next(each for each in events if each.agent_id == "moderator" and each.mark is TurnMark.TURN_END)
    assert (stated.agent_id, stated.turn) == ("moderator", ruled.turn)
    assert "Giant cell arteritis, the decision by the moderator" in await told(events)


async def test_without_it_nothing_is_told_as_the_ruling(settings: Settings) -> None:
    events = await said_by(settings, stating=False)
    assert "the decision by the moderator" not in await told(events)


async def test_what_can_not_be_stated_is_passed_over_and_the_team_goes_on(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        with caplog.at_level(logging.WARNING):
            async with LiveTeam(session, http=http) as team:
                assert not team.decide("cardiologist", "leading", "it has not spoken")
                async with team.agent("cardiologist") as turn:
                    await turn.say("An embolus.")
                    assert await turn.decide("nonsense", "an embolus") is False
                    assert not team.decide("cardiologist", "nonsense", "an embolus")
                    assert not team.decide("cardiologist", "leading", "")
                    assert not team.decide("cardiologist", "leading", "secret " * 1_000)
                assert not team.step("dancing", "cardiologist")
                assert not team.step("budget", share=7)
                assert team.step("round", round=-1)
        found = await events_of(settings, session)
    assert (team.refused, team.lost_chars) == (None, 0)
    assert [each.data for each in found if each.data] == ["An embolus."]
    assert not [each for each in found if each.decision is not None]
    assert "secret" not in caplog.text
    assert "embolus" not in caplog.text
    for why in (
        "no agent of that name has said anything yet",
        "its kind can't be sent",
        "its text, rests_on can't be sent",
    ):
        assert why in caplog.text, "each is logged with its reason"


async def test_what_is_stated_too_late_is_logged_with_its_reason(
    settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    wire = Wire()
    async with api_on(wire, settings, Expect("create_room")), client_on(wire) as http:
        session = await opened(http)
        async with LiveTeam(session, http=http) as team, team.agent("cardiologist") as turn:
            await turn.say("An embolus.")
        with caplog.at_level(logging.WARNING):
            assert not team.decide("cardiologist", "leading", "an embolus")
            assert not team.step("synthesis")
    assert "a decision of the team was passed over: nothing is taken any more" in caplog.text
    assert "a step of the team was passed over: nothing is taken any more" in caplog.text
    assert "embolus" not in caplog.text
