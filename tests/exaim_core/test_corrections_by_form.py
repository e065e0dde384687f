"""A correction is told by its form: it opens as one, says whose something is, or denies what was said before."""

from __future__ import annotations

import pytest

from exaim_core.claims.announced import announces_correction
from exaim_core.claims.contrast import denied
from exaim_core.claims.whose import says_whose
from tests.exaim_core import talks

WHOSE = [
    "The positive anti-Jo-1 I filed on Monday belongs to a Mr Brandvoll.",
    "Penicillin is on the form too, but that line is about the sister, who filled it in.",
    "My error, that one belongs to bay 4.",
    "The pregnancy in the letter is her sister's; her own hCG is negative.",
    "The Jehovah's Witness is bed 12, not her.",
    "That sheet is the sister's.",
    "Digoxin is Mr HALLAM, cubicle 6.",
    "It says latex, but that's bed nine's, somebody wiped the wrong line.",
    "That's the husband!",
    "That's the lady before her.",
    "Those bloods belong to the patient in bed 9; do not transfuse.",
    "The trace on the monitor is from bed 9.",
    "The drug list is from bed 14.",
    "That prescription is for the man in bay 3.",
    "The infusion was meant for bed 4.",
    "The tablets are from her husband.",
    "I must also correct myself: the lupus is her *mother's*.",
    "The 'bilious' line sits in the note of bed 14.",
    "The anaphylaxis belongs to her twin sister, whose letter was filed in this chart.",
    "The DNACPR in February was made out for his brother at the same address.",
    "scan at 0310 = the other John Smith, dob 1951.",
    "The B pos group comes from the neighbour in bay 3, labelled with her sticker.",
    "The pens are the patient's own, Lantus 28 at night.",
]
NOBODYS = [
    "Her mother is a nurse.",
    "She is the mother of three.",
    "The historian is her daughter.",
    "It was his wife who found him.",
    "The donor is his brother.",
    "His father had diabetes.",
    "Is that her sister's?",
    "If that is his brother's, stop.",
    "The decision is the family's.",
    "He was brought in by his wife.",
    "We moved her to bed 12.",
    "Mr Pell is in bed three.",
    "The rash is on her arm.",
    "The collateral history is from her daughter, who found her at seven.",
    "The list is from her husband.",
    "The pump is from bed 12.",
    "The referral is from room 4.",
    "The phone number is her brother's.",
    "The signature is her mother's.",
    "The isolation room is for the patient in bed 9.",
]


@pytest.mark.parametrize("text", WHOSE)
def test_whose_something_is_is_read_outright(text: str) -> None:
    assert says_whose(text)


@pytest.mark.parametrize("text", NOBODYS)
def test_a_relative_or_a_bed_that_owns_nothing_puts_nothing_right(text: str) -> None:
    assert not says_whose(text)


@pytest.mark.parametrize(
    "text",
    [
        "Correction, the father's drug is metformin, not metoprolol.",
        "I need to correct my earlier statement: the last dose was at 20:00 yesterday.",
        "Sorry, I misread the chart: her weight is 60 kg.",
        "That's not right, he lives with his daughter.",
        "Transcription error in the plan above, the doctor dictated lamotrigine.",
        "Scratch that, the wife says 11 last night.",
        "There's an error in my gestation, by scan it is 31+5.",
        "The segment VI lesion is amended from haemangioma to probable metastasis.",
    ],
)
def test_an_opening_that_announces_a_correction_is_read(text: str) -> None:
    assert announces_correction(text)


@pytest.mark.parametrize(
    "text",
    [
        "Correction of sodium should be slow.",
        "I would like to correct the potassium first.",
        "That is not right for her.",
        "My apologies for the digression.",
        "Correction, thanks.",
        "The sodium was corrected slowly.",
        "Fix the fracture tonight.",
        "My mistake for not chasing it sooner: the potassium is 7.1.",
        "That's wrong?",
    ],
)
def test_no_correction_is_announced_where_nothing_is_put_right(text: str) -> None:
    assert not announces_correction(text)


@pytest.mark.parametrize(
    ("wrong", "right", "told"),
    [
        (
            "The rash came with amoxicillin.",
            "Mum rang. The rash was her brother's.",
            "rash was her brother's",
        ),
        (
            "She drinks a bottle of wine a day.",
            "That's the husband!",
            "bottle of wine a day. Doctor Two: that's the husband",
        ),
        ("He took his father's metoprolol.", "Correction, the father's drug is metformin.", "metformin"),
        ("Weight is 80 kg.", "Sorry, I misread the chart: her weight is 60 kg.", "60 kg"),
        ("Give insulin 10 units.", "pls 5 units not 10", "5 units not 10"),
        ("Give 500 ml.", "No! 1.5 L all in, not 500", "1.5 L all in, not 500"),
        ("Norad 1.5 mcg/kg/min.", "^ typo. noradrenaline 0.15", "typo. noradrenaline 0.15"),
        ("Fifty of ketamine, going in.", "15 not 50! Fifteen.", "15 not 50"),
        ("She's on thyroxine, 125 milligrams.", "That is micrograms, not milligrams.", "micrograms, not"),
        ("Pain in the right hip.", "It's the left hip, not the right.", "left hip, not the right"),
        ("She took 16 g of paracetamol at 8 pm.", "It was 8 am, not 8 pm.", "it was 8 am, not 8 pm"),
        ("Methotrexate 10 mg daily.", "Methotrexate 10 mg weekly, not daily.", "weekly, not daily"),
        ("Could give ibuprofen.", "Paracetamol, not ibuprofen, as her ulcer bled.", "not ibuprofen"),
        ("It is a haemorrhagic stroke.", "The stroke is ischaemic, not haemorrhagic.", "ischaemic, not"),
    ],
)
async def test_a_correction_by_its_form_is_told_and_presses(wrong: str, right: str, told: str) -> None:
    items = await talks.told(f"{wrong}\n", f"{right}\n")
    assert any(told in each.text and each.presses for each in items), [each.text for each in items]


@pytest.mark.parametrize("text", ["That is not an allergy.", "It does not matter.", "It hurts, not much."])
def test_a_denied_verb_puts_nothing_in_the_place_of_anything(text: str) -> None:
    assert denied(text) == ()


async def test_a_bare_number_is_denied_only_of_an_amount_of_its_unit() -> None:
    items = await talks.told("Catheter: 10 ml, brown.\n", "Insulin 5 units not 10.\n")
    assert not any("brown" in each.text and "5 units" in each.text for each in items)


@pytest.mark.parametrize(
    "asked",
    [
        "Is it sepsis?",
        "If this is sepsis, culture first.",
        "Consider PE or sepsis.",
        "Sepsis guidelines say an hour.",
    ],
)
async def test_another_diagnosis_than_one_that_nobody_stated_is_a_view(asked: str) -> None:
    items = await talks.told(f"{asked}\n", "It is pancreatitis, not sepsis.\n")
    assert not any(each.presses and asked[:12].lower() in each.text.lower() for each in items)
    assert not any(each.presses and "pancreatitis" in each.text for each in items)


async def test_an_allergy_that_is_said_to_be_somebody_elses_meets_no_order() -> None:
    items = await talks.told(
        "There's a red sticker, it says penicillin allergy.\n",
        "The penicillin allergy is the mother's.\n",
        "Give amoxicillin 1 g now.\n",
    )
    assert not any(each.kind == "critical" for each in items)


@pytest.mark.parametrize(
    "said", ["The penicillin allergy is the patient's own.", "The latex band is the daughter's."]
)
async def test_an_allergy_that_stays_the_patients_still_meets_an_order(said: str) -> None:
    items = await talks.told("He has a penicillin allergy.\n", f"{said}\n", "Give amoxicillin 1 g now.\n")
    assert any(each.kind == "critical" and "moxicillin" in each.text for each in items)
