# ruff: noqa: E501 - sentences stay whole
"""Alarms on time, votes that follow a change of mind, confirmed diagnoses, and what loses its sense alone."""

from __future__ import annotations

import pytest

from exaim_core import SpokenItem, SpokenKind, Update
from tests.exaim_core.test_exaim import play, spoken


async def heard(*turns: tuple[str, str]) -> list[SpokenItem]:
    updates, _, _ = await play(turns)
    return [item for update in updates for item in update.items][:-1]


def lead(name: str, why: str = "given the picture") -> str:
    return f"### Most Likely Diagnosis:\n**{name}** - {why}.\n\n"


THREE = (
    ("doctor0", lead("Ectopic pregnancy")),
    ("doctor1", lead("Acute appendicitis")),
    ("doctor2", lead("Ovarian torsion")),
)


# -- alarms ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "key"),
    [
        ("Blood pressure in the left arm is 64/38 mmHg.", "systolic blood pressure=64/38"),
        ("Her oxygen saturation on room air has dropped to 78%.", "oxygen saturation=78"),
        ("Lactate in the repeat arterial sample is 6.2 mmol/L.", "lactate=6.2"),
        ("The heart rate on the monitor is 34 per minute.", "heart rate=34"),
        ("The blood pressure by the arterial line is now 70/41 mmHg.", "systolic blood pressure=70/41"),
        ("Potassium on the second sample is 7.0 mmol/L.", "potassium=7"),
    ],
)
async def test_where_and_when_a_value_was_taken_does_not_silence_its_alarm(sentence: str, key: str) -> None:
    items = await heard(("doctor1", f"{sentence}\n"))
    assert [item.critical_key for item in items if item.critical_key] == [key]


async def test_a_pressure_given_as_two_numbers_is_not_called_systolic() -> None:
    [item] = await heard(("doctor1", "The blood pressure is 64/38 mmHg.\n"))
    assert item.text == "Critical, from Doctor One: blood pressure 64/38 mmHg."


async def test_the_moderator_summing_up_an_earlier_value_raises_no_late_alarm() -> None:
    said = "If she is left alone the lactate of 6.2 mmol/L will rise.\n"  # supposed: no alarm
    recap = '```json\n{"Most Likely Diagnosis": "Sepsis", "Critical Finding": "Lactate 6.2 mmol/L"}\n```\n'
    items = await heard(("doctor1", said), ("supervisor", recap))
    assert not any(item.kind is SpokenKind.CRITICAL for item in items)
    first = await heard(("supervisor", recap))
    assert any(item.kind is SpokenKind.CRITICAL for item in first), "a value that nobody gave before is news"


@pytest.mark.parametrize(
    ("text", "clears"),
    [
        ("The potassium is down to 5.4 mmol/L.", True),
        ("After insulin the potassium is 5.1 mmol/L.", True),
        ("The potassium was 4.9 mmol/L last week.", False),
        ("Aim for a potassium of 5.0 mmol/L.", False),
        ("Give insulin until the potassium is 5.5 mmol/L.", False),
        ("If the potassium is 5.4 mmol/L in an hour, stop.", False),
        ("The potassium is 6.8 mmol/L.", False),
    ],
)
async def test_a_value_within_its_limits_takes_the_alarm_off_the_page(text: str, clears: bool) -> None:
    updates, exaim, _ = await play((("doctor1", "The potassium is 7.0 mmol/L.\n"), ("doctor1", f"{text}\n")))
    assert ("Critical: potassium" in updates[-1].summary.status_action) is not clears  # the last one given
    assert bool(exaim.board.criticals) is not clears


# -- votes -------------------------------------------------------------------------------------------


def shown(updates: tuple[Update, ...]) -> str:
    page = updates[-1].summary
    return f"{page.differential_rationale} {page.agent_contributions} {page.uncertainty_confidence}"


@pytest.mark.parametrize(
    "text",
    [
        "I withdraw ovarian torsion, and I now agree with Doctor0 and Doctor1.",
        "I withdraw ovarian torsion as my leading diagnosis, since the ultrasound excludes it. I now side with Doctor 0.",
        "I no longer support ovarian torsion. I join Doctor0.",
        "I abandon ovarian torsion. I agree with Doctor0 on the diagnosis.",
    ],
)
async def test_who_withdraws_and_then_agrees_by_name_counts_with_those(text: str) -> None:
    changed = ("doctor1", "I withdraw acute appendicitis.\n\n" + lead("Ectopic pregnancy"))
    updates, _, _ = await play((*THREE, changed, ("doctor2", f"### Revised Opinion:\n{text}\n")))

    assert any(
        text.startswith("Doctor Two has changed") and text.endswith("All three agree.")
        for text in spoken(updates)
    )
    assert spoken(updates)[-1] == "Finished. Ectopic pregnancy, all agree."
    assert "torsion" not in shown(updates)


async def test_the_same_view_in_fewer_words_is_no_change_of_mind() -> None:
    updates, _, _ = await play(
        (*THREE[:2], ("doctor1", "I still favour appendicitis, although less strongly.\n"))
    )
    assert not any("changed" in text for text in spoken(updates))


async def test_who_withdraws_and_agrees_with_another_by_name_holds_that_view() -> None:
    turn = ("doctor2", "I withdraw ovarian torsion and agree with Doctor0.\n")
    _, exaim, _ = await play((THREE[0], THREE[2], turn))
    assert exaim.board.views.vote().holders == ("doctor0", "doctor2")


@pytest.mark.parametrize(
    "text", ["I would put patient safety first.", "I'd put the airway first.", "I put antibiotics first."]
)
async def test_what_is_to_be_done_first_is_no_view(text: str) -> None:
    _, exaim, _ = await play((("doctor0", f"{text}\n"),))
    assert exaim.board.views.vote().holders == ()


async def test_who_withdraws_and_names_no_other_view_has_none() -> None:
    gone = ("doctor2", "I withdraw ovarian torsion. I agree with Doctor0 on the need for a scan.\n")
    updates, _, _ = await play((*THREE[:1], ("doctor1", lead("Ectopic pregnancy")), THREE[2], gone))

    assert "torsion" not in shown(updates)
    assert "two to one" not in " ".join([*spoken(updates)[-2:], shown(updates)]).lower()
    assert spoken(updates)[-1] == "Finished. Ectopic pregnancy, from Doctor Zero and Doctor One."


async def test_what_the_moderator_calls_settled_is_told_and_is_not_contradicted_by_a_count() -> None:
    chair = (
        "supervisor",
        "### Most Likely Diagnosis:\n**Ectopic pregnancy** - the disagreement is settled.\n",
    )
    updates, _, _ = await play((*THREE, chair))

    assert "The supervisor rules for ectopic pregnancy." in spoken(updates)
    assert spoken(updates)[-1] == "Finished. Ectopic pregnancy, settled, says the supervisor."


# -- confirmed ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The ultrasound confirms ectopic pregnancy.", "Doctor One: the ultrasound confirms ectopic pregnancy."),
        ("### MRI Report:\n**Acute appendicitis is confirmed** - the wall is thick.", "Doctor One: acute appendicitis is confirmed: the wall is thick."),
        ("Ovarian torsion has been confirmed by laparoscopy.", "Doctor One: ovarian torsion has been confirmed by laparoscopy."),
        ("Her laparoscopy has now proved acute appendicitis.", "Doctor One: her laparoscopy has now proved acute appendicitis."),
    ],
)  # fmt: skip
async def test_a_study_that_confirms_a_diagnosis_on_the_board_is_told(text: str, said: str) -> None:
    items = await heard(*THREE, ("doctor1", f"{text}\n"))
    [item] = [item for item in items if item.text == said]
    assert item.urgency == "important"


@pytest.mark.parametrize(
    "text",
    [
        "Ectopic pregnancy is not confirmed.",
        "The ultrasound should confirm ectopic pregnancy.",
        "Until ectopic pregnancy is confirmed, we wait.",
        "Has the ultrasound confirmed ectopic pregnancy?",
    ],
)
async def test_what_is_hoped_denied_or_not_on_the_board_is_not_told_as_confirmed(text: str) -> None:
    items = await heard(*THREE, ("doctor1", f"{text}\n"))
    assert not any("confirm" in item.text for item in items)


async def test_what_may_be_confirmed_is_told_as_a_case_that_may_come() -> None:
    text = "If the ultrasound confirms ectopic pregnancy, she needs an operation."
    items = await heard(*THREE, ("doctor1", f"{text}\n"))
    confirming = [item for item in items if "confirm" in item.text]
    assert [(item.kind, item.presses) for item in confirming] == [(SpokenKind.ACTION, False)]
    assert confirming[0].text == f"Doctor One: {text[0].lower()}{text[1:]}"


async def test_what_confirms_no_diagnosis_is_a_plain_finding() -> None:
    items = await heard(*THREE, ("doctor1", "The scan confirms a normal liver.\n"))
    assert [item.urgency for item in items if "confirm" in item.text] == ["routine"]


# -- sense alone -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("He took sildenafil 50 mg last night. Nitrates are contraindicated after it.", "sildenafil"),
        ("### Actions:\n1. **Furosemide 40 mg intravenously** - slowly. Repeat it only if he passes no urine.", "furosemide 40 mg intravenously: repeat it only if"),
        ("### Actions:\n1. **Needle decompression only if** the trachea shifts. Use a 14-gauge needle now.", "only if the trachea shifts: use a 14-gauge needle"),
        ("### Actions:\n1. **Gelatine 500 mL** - to a systolic pressure of 100 mmHg and no higher.", "no higher"),
    ],
)  # fmt: skip
async def test_a_sentence_that_needs_the_one_before_it_is_told_with_it(text: str, holds: str) -> None:
    items = await heard(("doctor1", f"{text}\n"))
    told = [item.text.lower() for item in items]
    assert any(holds in one for one in told), told
    assert not any(
        " it" in one.replace("until it", "") and holds not in one for one in told if "repeat" in one
    )


@pytest.mark.parametrize(
    "text",
    [
        "Doctor2, please check her allergy to penicillin once more.",
        "I would like to ask Doctor1 to look at the heparin again, which must not be given.",
        "Colleagues, could you confirm that ramipril should be stopped?",
    ],
)
async def test_a_request_to_another_agent_is_no_item(text: str) -> None:
    assert await heard(("supervisor", f"{text}\n")) == []


async def test_agents_are_called_by_their_spoken_names_inside_a_sentence_and_on_the_page() -> None:
    updates, _, _ = await play((("doctor1", "No ibuprofen, as Doctor2 says, with this creatinine.\n"),))
    assert "Doctor Two" in spoken(updates)[0] and "Doctor2" not in " ".join(spoken(updates))
    assert "Doctor2" not in " ".join(updates[0].summary.model_dump().values())


async def test_what_an_agent_says_of_itself_is_left_out() -> None:
    items = await heard(("doctor1", "The ferritin is 2,400 micrograms/L, and I was wrong to doubt it.\n"))
    assert not any(" I " in item.text for item in items)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("### Blood Pressure:\n1. **Labetalol 20 mg intravenously** - over two minutes.", "Doctor One recommends labetalol 20 mg intravenously over two minutes."),
        ("### Pain:\n**Morphine 5 mg only if** the pain is above 7.", "Doctor One: morphine 5 mg only if the pain is above 7."),
        ("### Goals:\nThe target is a mean pressure of 65 mmHg.", "Doctor One: the target is a mean pressure of 65 mmHg."),
    ],
)  # fmt: skip
async def test_a_drug_with_its_dose_is_an_order_and_an_aim_is_one(text: str, said: str) -> None:
    [item] = await heard(("doctor1", f"{text}\n"))
    assert (item.kind, item.text) == (SpokenKind.ACTION, said)


@pytest.mark.parametrize(
    "text",
    [
        "### Home Medication:\n1. **Labetalol 200 mg twice daily** - for years.",
        "### Drugs to Avoid:\n1. **Diclofenac 75 mg** - kidneys.",
        "### Timeline:\n1. **Morphine 5 mg at 07:40** - given by the crew.",
    ],
)
async def test_a_drug_that_was_taken_or_is_to_be_avoided_is_no_order(text: str) -> None:
    assert not any(item.kind is SpokenKind.ACTION for item in await heard(("doctor1", f"{text}\n")))
