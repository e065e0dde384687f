"""Which wordings of a claim pass: names, figures, a thing in a pronoun's place; and which still do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exaim_core.readings.checking import Checked, Refused, check
from exaim_core.readings.port import Numbered, ReadClaim, ReadingRequest, ReadKind, ReadStance
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence

NAMES = {"nephro-agent": "The nephro agent", "dr_adeyemi": "Doctor Adeyemi"}


def request(agent: str, *said: str) -> ReadingRequest:
    source = Source(agent, 1, 1, 0.0)
    units = [
        Sentence(text, Section.OTHER, "", None, True, False, (), at, source) for at, text in enumerate(said)
    ]
    numbered = tuple(Numbered(at, unit, unit.full) for at, unit in enumerate(units, start=1))
    return ReadingRequest(number=1, agent_id=agent, names=NAMES, sentences=numbered)


def checked(
    kind: ReadKind, say: str, *said: str, agent: str = "dr_adeyemi", **slots: str
) -> tuple[Checked | Refused, str]:
    cites = tuple(range(1, len(said) + 1))
    claim = ReadClaim(kind=kind, holder=agent, stance=ReadStance.AFFIRMED, slots=slots, say=say, cites=cites)
    return check(claim, request(agent, *said))


def worded(kind: ReadKind, say: str, *said: str, agent: str = "dr_adeyemi", **slots: str) -> str:
    found, _ = checked(kind, say, *said, agent=agent, **slots)
    return found.wording if isinstance(found, Checked) else ""


def test_the_holders_name_is_no_word_of_the_text() -> None:
    said = "Final Answer: BRASH syndrome."
    assert (
        worded(ReadKind.LEADING, "Nephrology: BRASH syndrome.", said, agent="nephro-agent")
        == "BRASH syndrome."
    )
    told = worded(
        ReadKind.LEADING, "Adeyemi thinks it is a staple-line leak.", "I think it is a staple-line leak."
    )
    assert told == "Doctor Adeyemi thinks it is a staple-line leak."


def test_another_speakers_name_is_a_word_like_any_other() -> None:
    assert not worded(
        ReadKind.LEADING, "Cardiology: BRASH syndrome.", "BRASH syndrome.", agent="nephro-agent"
    )


def test_a_number_in_words_is_the_number_that_was_shown() -> None:
    assert (
        worded(ReadKind.VALUE, "Ketones six point four.", "Ketones 6.4.", value="six point four")
        == "Ketones 6.4."
    )
    found, reason = checked(ReadKind.VALUE, "Ketones six point five.", "Ketones 6.4.", value="six point five")
    assert isinstance(found, Refused) and reason == "value is not in the cited text"


EARLIER = "No pacing wire for now."
LATER = "It comes back only if she falls under 40 on adrenaline."


def test_a_thing_of_an_earlier_sentence_stands_in_a_pronouns_place() -> None:
    say = "The pacing wire comes back only if she falls under 40 on adrenaline."
    found, _ = checked(ReadKind.ACTION, say, EARLIER, LATER, entity="pacing wire")
    assert isinstance(found, Checked) and found.wording == say
    assert "pacing wire comes back" in found.text


@pytest.mark.parametrize(
    ("say", "said"),
    [
        ("The pacing wire comes back if she falls under 50 on adrenaline.", (EARLIER, LATER)),
        ("The pacing wire comes back on adrenaline.", (EARLIER, LATER)),  # the condition is lost
        ("The pacing lead comes back only if she falls under 40 on adrenaline.", (EARLIER, LATER)),
        ("Heparin is started tonight.", ("Stop the warfarin, prepare heparin.", "It is started tonight.")),
        ("Pneumonia is shown on the CT.", ("Pneumonia or sarcoidosis.", "It is shown on the CT.")),
        ("The abscess needs drainage tonight.", ("Perhaps an abscess.", "It needs drainage tonight.")),
        (
            "The pacing wire comes back only if she falls under 40.",
            (EARLIER, "She falls under 40 only at night."),
        ),
    ],
)
def test_no_other_thing_and_nothing_lost_passes_with_it(say: str, said: tuple[str, str]) -> None:
    assert not worded(ReadKind.ACTION, say, *said)


def test_a_drug_named_in_between_may_be_meant_as_well() -> None:
    said = ("Start warfarin.", "Heparin goes on.", "It is measured daily.")
    assert not worded(ReadKind.ACTION, "Warfarin is measured daily.", *said)
    assert worded(ReadKind.ACTION, "Warfarin is measured daily.", said[0], said[2])


def test_a_ban_in_its_own_words_needs_no_word_for_no() -> None:
    told = worded(ReadKind.PROHIBITION, "Thrombolysis is off the table.", "Thrombolysis is off the table.")
    assert told == "Thrombolysis is off the table."


def test_what_bans_nothing_is_no_ban_in_its_own_words() -> None:
    assert not worded(ReadKind.PROHIBITION, "Physiotherapy would help.", "Physiotherapy would help.")


def test_a_ban_whose_denial_is_left_out_is_no_wording() -> None:
    assert not worded(ReadKind.PROHIBITION, "Thrombolysis tonight.", "No thrombolysis tonight.")


def test_what_is_measured_may_leave_out_what_is_denied_of_something_else() -> None:
    said = "Sats 97 on air, pulse 118. No fever."
    assert worded(ReadKind.VALUE, "Sats 97 on air, pulse 118.", said)
    assert not worded(ReadKind.FINDING, "Fever.", said)
    assert not worded(
        ReadKind.FINDING, "Free fluid in the pelvis.", "No hydronephrosis or free fluid in the pelvis."
    )


def test_an_abbreviation_is_the_thing_written_out() -> None:
    assert worded(ReadKind.ACTION, "Stop magnesium.", "Stop Mg.", agent="dr_adeyemi")
    assert not worded(ReadKind.ACTION, "Stop manganese.", "Stop Mg.", agent="dr_adeyemi")


def test_free_fluid_is_no_denial() -> None:
    assert not worded(
        ReadKind.FINDING, "Ascites in the pelvis.", "No hydronephrosis or ascites in the pelvis."
    )


def test_of_a_tables_row_only_the_cells_that_the_claim_is_of_are_quoted() -> None:
    said = request("a", "INR: Day 4: 1.0; Today: 1.6; What worries me: synthetic function going")
    (one,) = said.sentences
    row = replace(one, unit=replace(one.unit, row=True))
    claim = ReadClaim(
        kind=ReadKind.VALUE, holder="a", stance=ReadStance.AFFIRMED, say="INR now 1.6.", cites=(1,)
    )
    found, _ = check(claim, replace(said, sentences=(row,)))
    assert isinstance(found, Checked) and (found.wording or found.quote) == "INR: Today: 1.6"


def test_what_a_view_is_called_is_not_the_doubt_about_it() -> None:
    said = "Working reason: suspected spinal epidural abscess."
    assert not worded(ReadKind.DECISION, "Working reason: spinal epidural abscess.", said)
    assert worded(ReadKind.DECISION, "Working reason: suspected spinal epidural abscess.", said)
