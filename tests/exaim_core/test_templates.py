# ruff: noqa: E501 - sentences stay whole
from __future__ import annotations

import pytest

from exaim_core import SpokenItem, SpokenKind, Update
from exaim_core.lexicon.brevity import first_fit
from exaim_core.lexicon.phrases import condition_in, withdrawn
from exaim_core.lexicon.terms import is_generic, is_term
from exaim_core.text.names import Names, is_moderator, spoken_name
from exaim_core.text.wording import (
    common_wording,
    lower_first,
    mid_sentence,
    same_item,
    same_problem,
    series,
    term,
)
from tests.exaim_core.test_exaim import play


def items(updates: tuple[Update, ...]) -> list[SpokenItem]:
    return [item for update in updates for item in update.items]


LEAD = "### Most Likely Diagnosis:\n**Gout** - given a swollen toe.\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LEAD, ["Doctor Zero leads with gout."]),
        ("### Recommended Tests:\n1. **Joint aspiration**\n2. **Serum urate**\n", ["Doctor Zero asks for joint aspiration and serum urate."]),
        ("### Recommended Tests:\n1. **Heavy Metal Testing (if exposure is confirmed)**\n", ["Doctor Zero asks for heavy metal testing if exposure is confirmed."]),
        (
            "### Recommended Tests:\n1. **Biopsy**: If the second scan with contrast still shows a mass in the left lobe of the liver.\n",
            ["A conditional recommendation from Doctor Zero is on the page."],
        ),
        ("### Recommended Tests:\n1. **Further Evaluation**\n2. **Blood tests**\n3. **Follow-up Imaging**\n", []),
        ("### Immediate Actions:\n1. **Oxygen 15 L/min** - by reservoir mask.\n", ["Doctor Zero recommends oxygen 15 L/min by reservoir mask."]),
        ("### Immediate Actions:\n1. **Hold ramipril** - kidneys.\n", ["Caution, Doctor Zero: hold ramipril."]),
        ("She is allergic to penicillin.\n", ["Caution, Doctor Zero: she is allergic to penicillin."]),
        ("She has no known allergies.\n", []),
        ("Gentamicin should be avoided.\n", ["Caution, Doctor Zero: gentamicin should be avoided."]),
        ("We should avoid misdiagnosis.\n", []),
        ("There is no evidence of myocardial infarction.\n", ["Doctor Zero: there is no evidence of myocardial infarction."]),
        ("Creatinine has risen from 98 to 318 micromol/L.\n", ["Doctor Zero: creatinine has risen from 98 to 318 micromol/L."]),
        ("Last year her creatinine was 98 micromol/L.\n", []),
        ("Thank you all for your insights. I look forward to more.\n", []),
        ("**TERMINATE**\n", []),
    ],
)  # fmt: skip
async def test_a_change_is_said_by_its_template(text: str, said: list[str]) -> None:
    updates, _, _ = await play((("doctor0", text),), size=1000)
    assert [item.text for item in items(updates)[:-1]] == said


async def test_the_first_agreement_is_told_in_few_words_and_saying_it_again_is_nothing() -> None:
    updates, _, _ = await play((("doctor0", LEAD), ("doctor1", LEAD), ("doctor0", LEAD)), size=1000)
    assert [item.text for item in items(updates)] == [
        "Doctor Zero leads with gout.",
        "Doctor One agrees: gout.",
        "Finished. Gout, both agree.",
    ]


async def test_a_list_item_that_repeats_an_earlier_one_is_nothing() -> None:
    tests = "### Recommended Tests:\n1. **Genetic Testing for FGFR3 Mutations**\n2. **EEG**\n"
    again = "### Recommended Tests:\n1. **Genetic testing for FGFR3 mutations** - vital.\n2. **Skeletal survey**\n"
    updates, _, _ = await play((("doctor0", tests), ("doctor1", again)), size=1000)
    texts = [item.text for item in items(updates)]
    assert texts[:2] == [
        "Doctor Zero asks for genetic testing for FGFR3 mutations and EEG.",
        "Doctor One also wants skeletal survey.",
    ]


async def test_a_disagreement_protects_itself_and_a_brief_form_is_shorter() -> None:
    other = "### Most Likely Diagnosis:\n**Septic arthritis** - based on fever and a hot, red joint.\n"
    updates, _, _ = await play((("doctor0", LEAD), ("doctor1", other)), size=1000)
    [differs] = [item for item in items(updates) if item.kind is SpokenKind.DISAGREEMENT]
    assert differs.protects and differs.urgency == "important"
    assert differs.brief is None or len(differs.brief.split()) <= 9
    assert items(updates)[-1].text == "Finished. Still open between gout and septic arthritis."


def test_the_first_text_that_fits_is_taken_and_none_is_cut() -> None:
    assert first_fit(iter(("one two three four", "one two")), 3) == "one two"
    assert first_fit(iter(("one two three four",)), 3) is None


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("Spinocerebellar Ataxia (SCA)", "spinocerebellar ataxia"),
        ("Friedreich's Ataxia", "Friedreich's ataxia"),
        ("Niemann-Pick Disease Type A", "Niemann-Pick disease type A"),
        ("GM1 Gangliosidosis", "GM1 gangliosidosis"),
        ("A Possible MRI/CT Angiography", "MRI or CT angiography"),
        ("Hyperthermia and/or Sudden Death", "hyperthermia or sudden death"),
    ],
)
def test_a_term_is_written_as_inside_a_sentence(written: str, spoken: str) -> None:
    assert term(written) == spoken


def test_terms_of_the_same_meaning_are_one() -> None:
    assert same_problem("Bilateral anterior uveitis", "bilateral anterior uveitis (post-MIS-C)")
    assert same_problem("obstructive uropathy from a left ureteric stone", "left ureteric obstruction")
    assert not same_problem("left ureteric obstruction", "right ureteric obstruction")
    assert not same_problem("hyperthermia", "hyperthermia and sudden cardiac death")
    assert not same_problem("acute tubular necrosis", "acute kidney injury")
    assert same_item("MRI of the brain", "brain MRI")
    assert common_wording("lung fibrosis with reflux", "lung fibrosis due to asbestos") == "lung fibrosis"


def test_small_words_are_small() -> None:
    assert lower_first("The ECG is flat.") == "the ECG is flat."
    assert lower_first("ECG is flat.") == "ECG is flat."
    assert mid_sentence("Optical Coherence Tomography") == "optical coherence tomography"
    assert series(["a", "b", "c"]) == "a, b and c"
    assert is_generic("Further evaluation") and not is_generic("Lumbar puncture")
    assert is_term("lumbar puncture") and not is_term("Reassessing Friedreich's ataxia")


def test_agents_have_spoken_names() -> None:
    assert spoken_name("doctor0") == "Doctor Zero"
    assert spoken_name("supervisor") == "The supervisor"
    assert spoken_name("doctor12") == "Doctor Twelve"
    assert spoken_name("case_manager") == "The case manager"
    assert spoken_name("Doctor Zero") == "Doctor Zero"
    assert spoken_name("Emergency Physician") == "Emergency Physician"
    assert spoken_name("Cardiologist") == "The cardiologist"
    assert Names({"doctor0": "Doctor Adams"})("doctor0") == "Doctor Adams"
    assert is_moderator("supervisor") and not is_moderator("doctor1")


def test_conditions_and_withdrawals_are_read_as_written() -> None:
    assert (
        condition_in("Dialysis", "only if potassium stays above 6.5 mmol/L")
        == "only if potassium stays above 6.5 mmol/L"
    )
    assert condition_in("Scan", "to assess if there is growth") is None
    assert (
        withdrawn("I withdraw left ureteric obstruction as the leading diagnosis.")
        == "left ureteric obstruction"
    )
    assert withdrawn("I have changed my mind.") == ""
    assert withdrawn("I agree.") is None
