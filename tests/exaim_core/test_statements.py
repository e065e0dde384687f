# ruff: noqa: E501 - sentences stay whole
"""Which values, sides and denials of a sentence are this patient's own, and with which words they are told."""

from __future__ import annotations

import pytest

from exaim_core import Update
from exaim_core.lexicon.prose import gives_doses, is_order, is_warning
from exaim_core.lexicon.statements import measured, told, unmeasured
from tests.exaim_core.test_exaim import play, spoken


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("The procalcitonin turned out to be 6.4 ng/mL.", ["6.4"]),
        ("Platelets have come down to 74 × 10⁹/L.", ["74"]),
        ("His HbA1c was 72 mmol/mol in the clinic.", ["72"]),
        ("The MELD score is 31 and the pH 7.28.", ["31", "7.28"]),
        ("Her lactate is 4.4 mmol/L, so we should send another one.", ["4.4"]),
        ("His sister's calcium was 3.1 mmol/L, but his own calcium is 2.3 mmol/L.", ["2.3"]),
        ("A bicarbonate of 11 mmol/L worries me.", ["11"]),
    ],
)
def test_a_value_that_is_stated_of_the_patient_counts_whatever_its_sentence_says_beside_it(
    text: str, numbers: list[str]
) -> None:
    assert [each.number for each in measured(text)] == numbers


@pytest.mark.parametrize(
    "text",
    [
        "Patients with haemochromatosis often have a ferritin of 2,000 µg/L.",
        "A lactate above 4 mmol/L predicts a bad outcome.",
        "In one series the median platelet count was 45 × 10⁹/L.",
        "The criteria require a fibrinogen below 1.5 g/L.",
        "Milrinone 0.5 micrograms/kg/min has been tested in trials of this kind.",
        "She was on warfarin 3 mg until 2018.",
        "Levels above 900 ng/L point to infarction.",
        "Most hospitals accept a pressure of 180/105 mmHg.",
        "The usual dose is 15 mg/kg every twelve hours.",
        "If the sodium were 118 mmol/L, he would be drowsy.",
        "Had her glucose been 2 mmol/L, we would have seen sweating.",
        "Should the potassium reach 6.2 mmol/L, call the renal team.",
        "His brother's haemoglobin was 62 g/L.",
        "Another patient of mine had a bilirubin of 500 µmol/L.",
        "Six years ago his creatinine was 80 µmol/L.",
        "Was the troponin above 50 ng/L?",
        "We discussed morphine 5 mg but decided against it.",
    ],
)
def test_what_is_supposed_asked_general_or_somebody_elses_is_no_value_of_the_patient(text: str) -> None:
    assert measured(text) == () and told(text) == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (  # short: as it stands
            "Her lactate is 3 mmol/L and the pressure has held.",
            ("Her lactate is 3 mmol/L and the pressure has held.",),
        ),
        (  # long: clause by clause
            "Since this morning her platelets have fallen to 96 × 10⁹/L, the fibrinogen is down to 1.1 g/L, and her ferritin has risen to 8,000 µg/L.",
            (
                "Since this morning her platelets have fallen to 96 × 10⁹/L",
                "the fibrinogen is down to 1.1 g/L",
                "her ferritin has risen to 8,000 µg/L.",
            ),
        ),
        (  # what the speaker says of itself goes
            "I agree with all of that, and her calcium is 2.9 mmol/L.",
            ("her calcium is 2.9 mmol/L.",),
        ),
        (  # a clause that points back keeps its name
            "In infants a protein of up to 1 g/L is normal; hers is 2.4 g/L.",
            ("In infants a protein of up to 1 g/L is normal; hers is 2.4 g/L.",),
        ),
        (  # a bare number has the unit of the one that it stands against
            "Last spring his sodium fell to 118 mmol/L; today it is 137.",
            ("Last spring his sodium fell to 118 mmol/L; today it is 137.",),
        ),
    ],
)
def test_a_sentence_is_told_by_its_clauses_where_it_is_long_or_mixed(
    text: str, parts: tuple[str, ...]
) -> None:
    assert told(text) == parts


@pytest.mark.parametrize(
    "text",
    [
        "The left knee is swollen and hot.",
        "A filling defect is seen in the right pulmonary artery.",
        "Breath sounds are absent on the left.",
        "She is not allergic to fluorescein.",
        "He takes no anticoagulant.",
    ],
)
def test_a_finding_of_one_side_and_a_denied_one_need_no_number(text: str) -> None:
    assert unmeasured(text) == (text,)


@pytest.mark.parametrize(
    "text",
    [
        "The right treatment is still open.",
        "You are right to doubt it.",
        "I would image the left kidney first.",
        "Her mother had a swollen left leg.",
        "If the left ventricle were dilated, this would fit.",
        "There is no need to hurry, in my opinion.",
    ],
)
def test_the_right_treatment_has_no_side_and_a_plan_is_no_finding(text: str) -> None:
    assert unmeasured(text) == ()


@pytest.mark.parametrize(
    "text",
    [
        "As a first measure, I'd give icatibant 30 mg under the skin.",
        "For the pain I would go with morphine 2.5 mg intravenously.",
        "The immediate priority is hydrocortisone 100 mg intravenously.",
        "Rituximab 500 mg once weekly is what I would choose.",
        "It would make sense to begin eculizumab 900 mg weekly.",
        "Metoprolol 25 mg twice daily seems reasonable, unless his pressure falls.",
        "One could switch her to zuranolone 50 mg nightly.",
    ],
)
def test_a_drug_with_its_dose_that_a_speaker_means_to_give_is_an_order(text: str) -> None:
    assert is_order(text)


@pytest.mark.parametrize(
    "text",
    [
        "If he seizes again, I would give lorazepam 4 mg intravenously.",
        "In the trial I would give most weight to, 40 mg once daily was used.",
        "I would have given aspirin 300 mg.",
        "Starting levothyroxine 50 micrograms now could be dangerous.",
        "We might think about hydrocortisone 50 mg should noradrenaline climb.",
        "Was it reasonable to give heparin 5,000 units?",
    ],
)
def test_a_dose_that_is_supposed_or_used_by_others_is_no_order(text: str) -> None:
    assert not is_order(text)


@pytest.mark.parametrize(
    "text",
    [
        "Allopurinol brought him out in blisters.",
        "Latex gloves gave her hives.",
        "Let's not forget that she reacted to clopidogrel with a rash.",
        "Her notes carry a warning about a collapse after iodinated contrast.",
        "Her contrast reaction in 2016 was hives.",
        "Nobody should give him co-trimoxazole.",
        "He collapsed when a nurse gave him teicoplanin.",
        "She swears that ramipril closed her throat.",
    ],
)
def test_harm_that_a_drug_did_is_a_caution(text: str) -> None:
    assert is_warning(text)


@pytest.mark.parametrize(
    "text",
    [
        "The infection gave her a rash.",
        "We gave her lidocaine spray for a sore throat.",
        "The rash cleared within a day after prednisolone.",
        "Wheeze after exercise responds to salbutamol.",
        "Her father came out in hives after aspirin.",
        "Nobody knows whether codeine ever gave him a rash.",
    ],
)
def test_harm_of_other_causes_or_to_others_is_none(text: str) -> None:
    assert not is_warning(text)


@pytest.mark.parametrize("text", ["Heparin should not be withheld.", "Do not withhold the heparin."])
def test_that_a_drug_must_not_be_withheld_warns_of_nothing(text: str) -> None:
    assert not is_warning(text)


def _fields(updates: tuple[Update, ...], name: str) -> str:
    return " ".join(getattr(update.summary, name) for update in updates)


async def test_prose_after_a_list_is_read_as_prose() -> None:
    text = "### Recommended Tests:\n- **Chest X-ray**\n\nHer ferritin came back at 3,100 µg/L. I'd start anakinra 100 mg subcutaneously once daily.\n"
    updates, _, _ = await play((("doctor0", text),))
    assert "3,100 µg/L" in _fields(updates, "key_findings")
    assert "anakinra 100 mg" in _fields(updates, "recommendation_next_step")


async def test_a_side_is_told_with_the_value_that_follows_it_and_on_no_line_of_its_own() -> None:
    updates, _, _ = await play((("doctor0", "The left knee is swollen and hot. CRP is 88 mg/L.\n"),))
    assert "left knee is swollen" in _fields(updates, "key_findings")
    assert "Doctor Zero: The left knee is swollen and hot. CRP is 88 mg/L." in spoken(updates)
    assert sum("left knee" in text for text in spoken(updates)) == 1
    board = updates[-1].board
    assert board is not None and {claim.entity for claim in board.findings} == {""}


async def test_a_finding_without_room_among_the_findings_stands_beside_its_author() -> None:
    said = (
        "Her creatinine has doubled to 318 µmol/L within two days, the potassium has reached 5.6 mmol/L, "
        "the urine protein comes to 4.1 g/L, her haemoglobin has slipped to 92 g/L after the fluids, "
        "the albumin is down to 19 g/L this morning, and her weight has gone up to 81 kg since the weekend."
    )
    updates, _, _ = await play((("doctor0", f"{said}\n"),))
    both = _fields(updates, "key_findings") + _fields(updates, "agent_contributions")
    assert all(value in both for value in ("318", "5.6", "4.1", "92 g/L", "19 g/L", "81 kg"))


async def test_what_stands_beside_an_alarm_in_its_sentence_is_on_the_page() -> None:
    updates, _, _ = await play(
        (("doctor0", "The potassium is 7.1 mmol/L, and her creatinine is 512 µmol/L.\n"),)
    )
    assert "512" in _fields(updates, "key_findings")
    assert "512" not in " ".join(spoken(updates))


@pytest.mark.parametrize(
    "text",
    [
        "Teicoplanin 400 mg by infusion every twelve hours.",
        "Then furosemide 40 mg, and 20 mg more at noon.",
        "Adenosine 6 mg into a large vein.",
        "Esmolol 500 micrograms/kg, then 3 mg/kg/h.",
    ],
)
async def test_a_dose_that_nobody_says_is_taken_is_no_finding(text: str) -> None:
    assert gives_doses(text)
    _, exaim, _ = await play((("doctor_zero", text),))
    assert exaim.board.findings == []
    assert [claim.text for claim in (*exaim.board.quotes, *exaim.board.actions)]


@pytest.mark.parametrize(
    "text",
    [
        "She takes furosemide 40 mg.",
        "Regular medicines: ramipril 5 mg.",
        "Furosemide 40 mg went in at nine.",
        "Morphine 10 mg was given in the ambulance.",
        "Creatinine 210 µmol/L on gentamicin 240 mg.",
        "The drain gave 300 mL.",
        "Oxygen 10 L/min.",
    ],
)
def test_a_dose_that_is_taken_or_was_given_stays_a_finding(text: str) -> None:
    assert not gives_doses(text)


async def test_a_dose_that_would_not_be_quoted_is_told_as_before() -> None:
    text = "Calcium chloride 10 %, 10 mL over five minutes."
    assert gives_doses(text)
    _, exaim, _ = await play((("doctor_zero", text),))
    assert [claim.text for claim in exaim.board.orders.standing] == [text]
