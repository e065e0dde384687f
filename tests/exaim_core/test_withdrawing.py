"""A turn that broke off: what rests on it alone is withdrawn, with a correction if it was told."""

from __future__ import annotations

import asyncio

import pytest

from exaim_core import EXAIM, Delta, SpokenKind, StatedKind
from exaim_core.readings.port import ReadClaim, ReaderReply, ReadingRequest, ReadKind, ReadStance
from exaim_core.text.units import Sentence
from exaim_core.words.summarizer import Draft, LexicalSummarizer, SummaryRequest
from tests.exaim_core.scripted_readings import Scripted, number
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


POTASSIUM = "The potassium is 6.9 mmol/L now.\n"


@pytest.mark.parametrize("between", [False, True])
@pytest.mark.parametrize(
    "said", ["The potassium of 6.9 was a lab error.", "The potassium is 4.9 mmol/L now, on a new sample."]
)
async def test_an_alarm_that_the_turn_took_off_stands_again(said: str, between: bool) -> None:
    debate = Debate()
    await debate.turn("doctor_1", POTASSIUM)
    assert debate.exaim.board.criticals
    told = len(debate.items)
    await debate.says("doctor_2", f"{said}\n")
    if between:
        debate.updates += await debate.exaim.tick(debate.at_s + 4)
        debate.at_s += 4
        assert not debate.exaim.board.criticals
    await aborted(debate, "doctor_2")
    assert [claim.text for claim in debate.exaim.board.criticals.values()] == [POTASSIUM.strip()]
    await debate.closing()
    assert "6.9" in debate.updates[-1].summary.status_action
    withdrawn = {each for update in debate.updates for each in update.withdraws}
    alarms = [item for item in debate.items if item.kind is SpokenKind.CRITICAL]
    assert any(item.item_id not in withdrawn for item in alarms)
    if any("lab error" in text or "4.9" in text for text in debate.texts[told:]):
        assert any("6.9" in item.text and item.presses for item in debate.items[told:])


async def test_an_alarm_of_its_own_that_the_turn_passed_over_is_told_again() -> None:
    debate = Debate()
    await debate.turn("doctor_1", POTASSIUM)
    told = len(debate.items)
    await debate.says("doctor_1", "The potassium is 7.4 mmol/L now.\n")
    debate.updates += await debate.exaim.tick(debate.at_s + 4)
    debate.at_s += 4
    await aborted(debate, "doctor_1")
    assert [claim.text for claim in debate.exaim.board.criticals.values()] == [POTASSIUM.strip()]
    assert "6.9" in debate.items[-1].text or any("6.9" in text for text in debate.texts[told:])


async def test_a_value_that_only_the_withdrawn_turn_gave_alarms_when_the_moderator_gives_it() -> None:
    debate = Debate()
    await debate.says("doctor_1", POTASSIUM)
    await aborted(debate, "doctor_1")
    await debate.turn("moderator", POTASSIUM)
    assert debate.exaim.board.criticals


async def test_a_view_that_the_turn_took_back_is_held_again() -> None:
    debate = Debate()
    await debate.turn("doctor_1", "My leading diagnosis is sarcoidosis.")
    await debate.says("doctor_1", "I withdraw sarcoidosis as my leading diagnosis.\n")
    await aborted(debate, "doctor_1")
    assert [lead.claim.entity for lead in debate.exaim.board.views.firm().values()] == ["sarcoidosis"]


async def test_the_view_before_a_turn_with_two_views_is_held_again() -> None:
    debate = Debate()
    await debate.turn("doctor_1", "My leading diagnosis is sarcoidosis.")
    for view in ("lymphoma", "tuberculosis"):
        await debate.says("doctor_1", f"My leading diagnosis is {view}.\n")
    await aborted(debate, "doctor_1")
    assert [lead.claim.entity for lead in debate.exaim.board.views.firm().values()] == ["sarcoidosis"]


async def test_an_earlier_ruling_stands_again() -> None:
    debate = Debate()
    await debate.turn("doctor_1", "My leading diagnosis is gout.")
    await debate.turn("moderator", "The leading diagnosis is sarcoidosis.")
    ruling = debate.exaim.board.views.ruling
    assert ruling is not None
    await debate.says("moderator", "The leading diagnosis is lymphoma.\n")
    await aborted(debate, "moderator")
    assert debate.exaim.board.views.ruling is ruling


async def test_a_correction_of_a_dose_is_told_no_more() -> None:
    debate = Debate()
    await debate.turn("doctor_1", "Start colchicine 5 mg today.")
    await debate.says("doctor_2", "Correction: colchicine 0.5 mg, not 5 mg.\n")
    await aborted(debate, "doctor_2")
    assert debate.exaim.board.righted == []
    await debate.closing()
    assert "0.5" not in str(debate.updates[-1].summary)


async def test_a_value_that_the_turn_corrected_is_a_finding_again() -> None:
    debate = Debate()
    await debate.turn("doctor_1", "The lactate is 3.1 mmol/L.")
    before = [claim.text for claim in debate.exaim.board.findings]
    assert before
    await debate.says("doctor_1", "Correction: the lactate is 1.3, not 3.1 mmol/L.\n")
    await aborted(debate, "doctor_1")
    assert [claim.text for claim in debate.exaim.board.findings] == before
    assert not debate.exaim.board.numbers.was_put_right({("3.1", "mmol/l")})


async def test_what_others_raised_since_stands_beside_it() -> None:
    debate = Debate()
    await debate.turn("doctor_1", POTASSIUM)
    await debate.says("doctor_2", "The potassium of 6.9 was a lab error.\n")
    await debate.turn("doctor_3", "The sodium is 108 mmol/L.")
    await aborted(debate, "doctor_2")
    assert [key.partition("=")[0] for key in debate.exaim.board.criticals] == ["potassium", "sodium"]


class _Asked(LexicalSummarizer):
    """Keeps what each request says was said."""

    def __init__(self) -> None:
        self.said: list[str] = []

    async def summarise(self, request: SummaryRequest) -> Draft:
        self.said += [unit.full for unit in request.said if isinstance(unit, Sentence)]
        return await super().summarise(request)


async def test_no_summariser_is_shown_the_words_of_the_turn() -> None:
    debate, asked = Debate(), _Asked()
    debate.exaim = EXAIM(summarizer=asked)
    await debate.turn("doctor_2", "The sodium is 108 mmol/L.")
    await debate.says("doctor_1", "The patient may have sarcoidosis after all.")
    await aborted(debate, "doctor_1")
    await debate.closing()
    assert asked.said == ["The sodium is 108 mmol/L."]


@pytest.mark.parametrize("said", [POTASSIUM, "Do not give heparin.\nShe is well.\n"])
async def test_an_alarm_or_a_ban_that_another_agent_gave_too_is_told_as_its_own(said: str) -> None:
    debate = Debate()
    await debate.says("doctor_1", said)
    await debate.turn("doctor_2", said)
    told = len(debate.items)
    await aborted(debate, "doctor_1")
    board = debate.exaim.board
    assert [claim.agent_id for claim in (*board.criticals.values(), *board.cautions)] == ["doctor_2"]
    assert any(item.agents == ("doctor_2",) for item in debate.items[told:])


async def test_an_alarm_that_is_over_does_not_come_back_with_the_turn() -> None:
    debate = Debate()
    await debate.says("doctor_1", POTASSIUM)
    await debate.turn("doctor_2", POTASSIUM)
    await debate.turn("doctor_3", "The potassium is 4.9 mmol/L now.")
    await aborted(debate, "doctor_1")
    assert debate.exaim.board.criticals == {}


@pytest.mark.parametrize("goes_on", [False, True])
async def test_a_turn_that_fell_silent_before_it_broke_off_is_withdrawn_whole(goes_on: bool) -> None:
    debate = Debate()
    await debate.turn("doctor_1", "My leading diagnosis is gout.")
    await debate.says("doctor_1", "My leading diagnosis is sarcoidosis. Start prednisolone 40 mg today.\n")
    debate.at_s += 30
    debate.updates += await debate.exaim.fall_silent(debate.at_s)
    board, told = debate.exaim.board, len(debate.items)
    assert board.actions and board.views.leads["doctor_1"].claim.entity == "sarcoidosis"
    if goes_on:
        await debate.says("doctor_1", "The calcium fits.\n")
    await aborted(debate, "doctor_1")
    assert board.actions == [] and board.views.leads["doctor_1"].claim.entity == "gout"
    assert any("broke off, and is withdrawn" in text for text in debate.texts[told:])


async def test_a_turn_that_ended_after_it_fell_silent_stands() -> None:
    debate = Debate()
    await debate.says("doctor_1", "Start prednisolone 40 mg today.\n")
    debate.updates += await debate.exaim.fall_silent(debate.at_s + 30)
    debate.at_s += 30
    await debate.ends("doctor_1")
    await debate.says("doctor_1", "My leading diagnosis is sarcoidosis.\n")
    await aborted(debate, "doctor_1")
    assert debate.exaim.board.actions and debate.exaim.board.views.leads == {}


async def test_what_was_held_back_of_the_turn_shifts_no_evidence() -> None:
    debate = Debate()
    await debate.says("doctor_1", "My leading diagnosis is gout <thi")
    await aborted(debate, "doctor_1")
    await debate.says("doctor_1", POTASSIUM)
    await debate.ends("doctor_1")
    written = f"My leading diagnosis is gout <thi{POTASSIUM}"
    (span,) = debate.items[0].evidence
    assert written[span.start : span.end] == POTASSIUM.strip()


@pytest.mark.parametrize("silent", [False, True])
async def test_an_allergy_that_another_agent_stated_too_is_still_followed_up(silent: bool) -> None:
    debate = Debate()
    await debate.says("doctor_1", "She is allergic to penicillin.\n")
    if silent:
        debate.at_s += 30
        debate.updates += await debate.exaim.fall_silent(debate.at_s)
    await debate.turn("doctor_2", "She is allergic to penicillin.")
    await aborted(debate, "doctor_1")
    await debate.turn("doctor_3", "She is not allergic to penicillin.")
    assert any("not allergic to penicillin" in text for text in debate.texts)


@pytest.mark.parametrize("broke_off", [False, True])
async def test_a_ban_that_stands_and_is_repeated_is_told_once(broke_off: bool) -> None:
    debate = Debate()
    await debate.turn("nurse_1", "Do not give enoxaparin.")
    if broke_off:
        await debate.says("doctor_1", "No enoxaparin.\n")
        await aborted(debate, "doctor_1")
    await debate.turn("nurse_1", "Do not give enoxaparin.")
    await debate.turn("doctor_1", "No enoxaparin.")
    assert debate.texts == ["Caution, Nurse One: do not give enoxaparin."]
