"""A turn that broke off: what rests on it alone is withdrawn, with a correction if it was told."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import Delta, SpokenKind, StatedKind
from exaim_core.readings.port import ReadClaim, ReaderReply, ReadingRequest, ReadKind, ReadStance
from tests.exaim_core.test_readings import Scripted, number
from tests.exaim_core.test_stated import FITS, Debate

ALARM = "The potassium is 7.9 mmol/L. My leading diagnosis is adrenal crisis.\n"


async def aborted(debate: Debate, agent_id: str) -> None:
    debate.updates += await debate.exaim.abort_turn(agent_id, debate.seq + 1, debate.at_s + 1)
    debate.seq, debate.at_s = debate.seq + 1, debate.at_s + 1


async def test_what_was_told_of_it_is_told_to_be_withdrawn_and_leaves_the_board() -> None:
    debate = Debate()
    await debate.says("cardiologist", ALARM)
    told = [item.item_id for item in debate.items]
    assert any("7.9" in text for text in debate.texts)
    await aborted(debate, "cardiologist")
    correction = debate.items[-1]
    assert correction.kind is SpokenKind.CORRECTION and correction.presses
    assert correction.text.startswith("The cardiologist's last answer broke off, and is withdrawn")
    assert set(debate.updates[-1].withdraws) == set(told)
    assert debate.exaim.board.criticals == {} and debate.exaim.board.views.leads == {}
    closing = await debate.closing()
    assert "adrenal" not in closing


async def test_what_was_not_told_yet_is_never_told_and_needs_no_correction() -> None:
    debate = Debate()
    await debate.says("cardiologist", "I have looked at it and the potassium is")
    await aborted(debate, "cardiologist")
    await debate.closing()
    assert not any("potassium" in text or "withdrawn" in text for text in debate.texts)


async def test_the_repeated_turn_is_told_anew_and_every_delta_is_covered_once() -> None:
    debate = Debate()
    await debate.says("cardiologist", ALARM)
    await aborted(debate, "cardiologist")
    before = len(debate.items)
    await debate.turn("cardiologist", ALARM)
    again = [item.text for item in debate.items[before:]]
    assert any("7.9" in text for text in again) and any("adrenal crisis" in text for text in again)
    await debate.closing()
    covers = [cover for update in debate.updates for cover in update.covers]
    assert [(each.first_seq, each.last_seq) for each in covers] == sorted(
        (each.first_seq, each.last_seq) for each in covers
    )


async def test_what_others_said_and_what_the_agent_held_before_stands() -> None:
    debate = Debate()
    await debate.turn("cardiologist", "My leading diagnosis is pericarditis.")
    await debate.turn("radiologist", "My leading diagnosis is pericarditis.")
    await debate.says("cardiologist", "My leading diagnosis is aortic dissection. Do not give heparin.\n")
    await aborted(debate, "cardiologist")
    leads = debate.exaim.board.views.leads
    assert {agent: lead.claim.entity for agent, lead in leads.items()} == {
        "cardiologist": "pericarditis",
        "radiologist": "pericarditis",
    }
    assert debate.exaim.board.cautions == []
    assert await debate.closing() == "Finished. Pericarditis, both agree."


async def test_a_decision_of_a_withdrawn_turn_is_withdrawn_with_it() -> None:
    debate = Debate()
    await debate.says("moderator", FITS)
    await debate.states("moderator", StatedKind.FINAL, "giant cell arteritis", FITS)
    await aborted(debate, "moderator")
    await debate.ends("moderator")
    assert "giant cell" not in await debate.closing()
    assert not any("giant cell" in text for text in debate.texts)


async def test_an_agent_that_never_spoke_may_be_aborted() -> None:
    debate = Debate()
    await aborted(debate, "nobody")
    debate.updates += await debate.exaim.feed(Delta("a", "All is well.", 9, 99.0))
    assert debate.texts == []


async def test_a_turn_that_is_over_stands() -> None:
    debate = Debate()
    await debate.turn("cardiologist", ALARM)
    before = debate.texts
    await aborted(debate, "cardiologist")
    assert debate.texts == before and debate.exaim.board.criticals


@pytest.mark.parametrize("breaks_off", [True, False])
def test_what_a_model_still_reads_of_a_withdrawn_turn_comes_to_nothing(
    virtual: asyncio.Runner, breaks_off: bool
) -> None:
    def answer(request: ReadingRequest) -> ReaderReply:
        claim = ReadClaim(
            kind=ReadKind.LEADING,
            holder="cardiologist",
            stance=ReadStance.AFFIRMED,
            say="Giant cell arteritis fits everything.",
            slots={"entity": "giant cell arteritis"},
            cites=(number(request, "giant cell"),),
        )
        return ReaderReply((claim,))

    async def scene() -> None:
        debate = Debate(Scripted(answer, takes_s=5.0))
        await debate.says("cardiologist", f"{FITS}\n")
        if breaks_off:
            await aborted(debate, "cardiologist")
        else:
            await debate.ends("cardiologist")
        await asyncio.sleep(6.0)
        debate.updates += await debate.exaim.tick(debate.at_s + 1)
        await debate.closing()
        assert any("giant cell" in text.lower() for text in debate.texts) is not breaks_off

    virtual.run(scene())
