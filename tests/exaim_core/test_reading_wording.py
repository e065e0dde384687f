"""Which wordings of a claim pass: names, figures, a thing in a pronoun's place; and which still do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exaim_core.readings.checking import Checked, RefusedClaim, check
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
    return ReadingRequest(number=1, names=NAMES, sentences=numbered)


def checked(
    kind: ReadKind, say: str, *said: str, agent: str = "dr_adeyemi", **slots: str
) -> tuple[Checked | RefusedClaim, str]:
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
    assert isinstance(found, RefusedClaim) and reason == "value is not in the cited text"


EARLIER = "The pacing wire is on the tray."
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
        (
            "The pacing wire comes back only if she falls under 40 on adrenaline.",
            ("No pacing wire now.", LATER),
        ),
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
    said = ("Warfarin goes on.", "Heparin goes on.", "It is measured daily.")
    assert not worded(ReadKind.ACTION, "Warfarin is measured daily.", *said)
    assert worded(ReadKind.ACTION, "Warfarin is measured daily.", said[0], said[2])
    both = "Warfarin goes on with heparin."
    assert not worded(ReadKind.ACTION, "Warfarin is measured daily.", both, said[2])


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


def test_of_a_tables_row_only_numbers_of_another_time_are_left_out() -> None:
    said = request("a", "INR: Day 4: 1.0; Today: 1.6; What worries me: synthetic function going")
    told = "INR: Today: 1.6; What worries me: synthetic function going"
    (one,) = said.sentences
    row = replace(one, unit=replace(one.unit, row=True))
    claim = ReadClaim(
        kind=ReadKind.VALUE, holder="a", stance=ReadStance.AFFIRMED, say="INR now 1.6.", cites=(1,)
    )
    found, _ = check(claim, replace(said, sentences=(row,)))
    assert isinstance(found, Checked) and (found.wording or found.quote) == told


def test_what_a_view_is_called_is_not_the_doubt_about_it() -> None:
    said = "Working reason: suspected spinal epidural abscess."
    assert not worded(ReadKind.DECISION, "Working reason: spinal epidural abscess.", said)
    assert worded(ReadKind.DECISION, "Working reason: suspected spinal epidural abscess.", said)


LABELLED = [
    ("Not confirmed by the second reader: nodules in both upper lobes.", "Nodules in both upper lobes."),
    ("Excluded on the venogram: clot in the femoral vein.", "Clot in the femoral vein."),
    ("None of these: rigors, night sweats, a new murmur.", "Rigors, night sweats."),
    ("Cleared since Sunday: the wheeze on both sides.", "The wheeze on both sides."),
    ("Clotted tube, to be sent again: platelets 31.", "Platelets 31."),
    ("Wrong bed: bilirubin 88.", "Bilirubin 88."),
    ("Negative: legionella antigen in the urine.", "Legionella antigen in the urine."),
    ("Pulse 88; disproved by the repeat: lactate 6.2.", "Lactate 6.2."),
]


@pytest.mark.parametrize(("said", "say"), LABELLED)
@pytest.mark.parametrize("kind", [ReadKind.VALUE, ReadKind.FINDING, ReadKind.ACTION])
def test_what_a_label_says_of_its_words_is_not_left_out(kind: ReadKind, said: str, say: str) -> None:
    assert not worded(kind, say, said)


def test_a_label_that_only_announces_may_be_left_out() -> None:
    assert worded(ReadKind.LEADING, "BRASH syndrome.", "Leading diagnosis: BRASH syndrome.")
    assert worded(
        ReadKind.FINDING, "Clot in the femoral vein.", "On the venogram: clot in the femoral vein."
    ) == (
        ""  # nobody knows what a label means that no heading says
    )
    assert worded(ReadKind.VALUE, "Venogram: clot in the vein.", "Venogram: clot in the vein.")


@pytest.mark.parametrize(
    ("name", "agent", "said"),
    [
        ("Doctor 3", "doctor_3", "3 tablets of prednisolone with breakfast."),
        ("Agent 2", "a2", "2 bags of plasma within the hour."),
        ("Nurse 4", "nurse4", "4 litres of oxygen by the mask."),
        ("Cardiology", "card", "Cardiac output is low on the echo."),
        ("Neurology", "neuro", "Neurogenic shock is seen in the legs."),
        ("Renal specialist", "renal", "Renal colic on the left side."),
        ("The liver surgeon", "liver_surgeon", "Liver bleeding from the second segment."),
    ],
)
def test_what_begins_like_its_speakers_name_is_no_name(name: str, agent: str, said: str) -> None:
    asked = replace(request(agent, said), names={agent: name})
    claim = ReadClaim(kind=ReadKind.FINDING, holder=agent, stance=ReadStance.AFFIRMED, say=said, cites=(1,))
    found, _ = check(claim, asked)
    assert isinstance(found, Checked) and found.wording == said


def test_a_speakers_name_is_not_put_before_what_the_text_does_not_say() -> None:
    asked = replace(request("renal", "Bleeding on the left side."), names={"renal": "Renal specialist"})
    claim = ReadClaim(
        kind=ReadKind.FINDING,
        holder="renal",
        stance=ReadStance.AFFIRMED,
        say="Renal bleeding on the left side.",
        cites=(1,),
    )
    found, _ = check(claim, asked)
    assert isinstance(found, Checked) and not found.wording


@pytest.mark.parametrize(
    ("say", "said"),
    [
        # the pronoun may mean another thing, or is none
        ("The drain comes out.", ("The drain is in place.", "The catheter is in place.", "It comes out.")),
        ("The drain comes out tomorrow.", ("The catheter is beside the drain.", "It comes out tomorrow.")),
        ("The drain is why the drain comes out.", ("The drain is in place.", "That is why the drain comes out.")),
        ("The drain comes out tomorrow.", ("The drain is in place.", "Tomorrow it comes out.")),
        ("Effusion film was taken at six.", ("Effusion is seen.", "This film was taken at six.")),
        ("The pill drain comes out.", ("The drain is in place.", "The pill that comes out.")),
        ("The left drain is infected.", ("The left drain site is red.", "It is infected.")),
        # what it is taken from is not said to be so
        ("Milrinone runs at 5 ml an hour.", ("If he tires, milrinone is next.", "It runs at 5 ml an hour.")),
        ("Milrinone runs at 5 ml an hour.", ("Milrinone is next if he tires.", "It runs at 5 ml an hour.")),
        ("Milrinone runs at 5 ml an hour.", ("Milrinone is not for him.", "It runs at 5 ml an hour.")),
        ("Milrinone runs at 5 ml an hour.", ("Milrinone was stopped in 2019.", "It runs at 5 ml an hour.")),
        ("Milrinone runs at 5 ml an hour.", ("Milrinone is possible.", "It runs at 5 ml an hour.")),
        ("Milrinone runs at 5 ml an hour.", ("Milrinone is running?", "It runs at 5 ml an hour.")),
        ("Milrinone runs at 5 ml an hour.", ("Guidelines advise milrinone.", "It runs at 5 ml an hour.")),
        ("Milrinone runs at 5 ml an hour.", ("Her sister was on milrinone.", "It runs at 5 ml an hour.")),
    ],
)  # fmt: skip
def test_a_noun_that_may_be_the_wrong_one_is_refused(say: str, said: tuple[str, ...]) -> None:
    assert not worded(ReadKind.FINDING, say, *said)


@pytest.mark.parametrize("said", ["> 60 ml of urine since noon.", "≥ 3 units of blood since noon.",
                                  "< 20 ml of bile since noon.", ">40 % of the skin is burnt."])  # fmt: skip
def test_a_bound_is_no_mark_of_a_quotation(said: str) -> None:
    found, _ = checked(ReadKind.FINDING, "", said)
    assert isinstance(found, Checked) and found.quote == said
    assert not worded(ReadKind.FINDING, said.lstrip("<>≥ "), said)


def of_row(said: str, say: str, kind: ReadKind = ReadKind.VALUE) -> Checked:
    asked = request("a", said)
    (one,) = asked.sentences
    row = replace(one, unit=replace(one.unit, row=True))
    claim = ReadClaim(kind=kind, holder="a", stance=ReadStance.AFFIRMED, say=say, cites=(1,))
    found, _ = check(claim, replace(asked, sentences=(row,)))
    assert isinstance(found, Checked)
    return found


@pytest.mark.parametrize(
    ("said", "say", "kept"),
    [
        ("Lactate: 06:00: 6.1; 09:00: 2.2; Remark: tourniquet on", "Lactate 6.1.", "tourniquet on"),
        ("Ferritin: 2018: 900; Now: 90", "Ferritin 900.", "Now: 90"),
        (
            "Urine culture: Result: E. coli; State: mixed up, void",
            "Urine culture: E. coli.",
            "mixed up, void",
        ),
        ("Platelets: Result: 31; Earlier: 200; Comment: clumped", "Platelets 31.", "clumped"),
    ],
)
def test_a_rows_comment_and_what_holds_now_stay(said: str, say: str, kept: str) -> None:
    found = of_row(said, say)
    assert kept in (found.wording or found.quote)


@pytest.mark.parametrize(
    ("say", "said"),
    [
        ("The bypass tonight.", "The bypass tonight is off the table."),
        ("Contrast for the scan.", "Contrast for the scan is contraindicated."),
        ("Start dalteparin now.", "Start dalteparin now, and no aspirin."),
        ("Not on Monday.", "No aspirin, and not on Monday."),
    ],
)
def test_a_bans_wording_is_itself_a_ban(say: str, said: str) -> None:
    assert not worded(ReadKind.PROHIBITION, say, said)
