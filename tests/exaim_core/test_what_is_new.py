"""The fields tell what is new, views in many wordings, what is left open, and what presses."""

# ruff: noqa: E501 - sentences stay whole
from __future__ import annotations

import pytest

from exaim_core import SpokenKind, Update
from tests.exaim_core.test_exaim import play
from tests.exaim_core.test_templates import items

GOUT = (
    "doctor0",
    "### Most Likely Diagnosis:\n**Gout** - based on a swollen toe.\n### Recommended Tests:\n1. **Serum urate**\n",
)
SEPTIC = (
    "doctor1",
    "### Most Likely Diagnosis:\n**Septic arthritis** - based on fever.\n### Differential Diagnoses:\n1. **Pseudogout** - possible at her age.\n2. **Reactive arthritis** - less likely without diarrhoea.\n",
)


async def told(*turns: tuple[str, str]) -> tuple[Update, ...]:
    updates, _, _ = await play(turns, size=1000)
    return tuple(updates)


def texts(updates: tuple[Update, ...]) -> list[str]:
    return [item.text for item in items(updates)]


async def test_a_field_without_news_says_so_and_the_closing_tells_what_holds() -> None:
    updates = await told(GOUT, SEPTIC)
    tests = next(u.summary for u in updates if "urate" in u.summary.recommendation_next_step)
    assert tests.key_findings in {"None new.", "None yet."}
    last = updates[-1].summary
    assert "Serum urate" in last.recommendation_next_step
    assert "Or septic arthritis" in last.differential_rationale or "Or gout" in last.differential_rationale


async def test_what_is_held_for_less_likely_is_not_shown_as_considered() -> None:
    updates = await told(GOUT, SEPTIC)
    field = next(
        u.summary.differential_rationale
        for u in updates
        if "Pseudogout" in u.summary.differential_rationale
        or "pseudogout" in u.summary.differential_rationale
    )
    assert "Less likely: reactive arthritis" in field
    assert "Also: pseudogout" in field


@pytest.mark.parametrize(
    "sentence",
    [
        "1. **Pseudogout** - this makes gout less likely.",
        "1. **Pseudogout** - it is not unlikely.",
        "1. **Pseudogout** - other crystals are less likely.",
    ],
)
async def test_a_doubt_about_something_else_is_none_about_the_item(sentence: str) -> None:
    updates = await told(("doctor0", f"### Differential Diagnoses:\n{sentence}\n"))
    assert not any("Less likely" in u.summary.differential_rationale for u in updates)


NO_VIEWS = (
    "Ceftriaxone remains my first choice.",
    "CT angiography is my preferred choice.",
    "I would not call this vasculitis.",
    "My money is on the scan.",
    "Surgery it is.",
    "Tell me what it is.",
    "To me this looks like a difficult decision.",
    "We are agreed on MRI next.",
    "Chest pain in the elderly is ischaemia until proven otherwise.",
    "### Diagnosis:\nHe fell in the **22nd minute** of the match.",
    "### Diagnosis:\nShe has an infected, obstructed **left** kidney today.",
)


@pytest.mark.parametrize("sentence", NO_VIEWS)
async def test_a_drug_a_study_a_time_or_a_side_is_no_leading_view(sentence: str) -> None:
    assert not any("leads with" in text for text in texts(await told(("doctor0", sentence + "\n"))))


async def test_what_is_first_is_an_act_and_not_the_problem() -> None:
    ruling = "### First Priority:\nA potassium of 6.9 mmol/L. Calcium gluconate, then insulin with glucose.\n"
    said = texts(await told(GOUT, ("supervisor", ruling)))
    assert "First, says the supervisor: calcium gluconate, then insulin with glucose." in said
    bare = "### First Priority:\nA potassium of 6.9 mmol/L. She feels unwell.\n"
    assert not any(text.startswith("First") for text in texts(await told(GOUT, ("supervisor", bare))))


@pytest.mark.parametrize(
    ("sentence", "urgent"),
    [
        ("Haemodialysis only if the potassium stays above 6.5 mmol/L.", True),
        ("The patient must go to theatre now.", None),
    ],
)
async def test_only_if_orders_and_where_the_patient_goes_are_told(sentence: str, urgent: bool | None) -> None:
    updates = await told(GOUT, ("doctor1", f"### What remains:\n- {sentence}\n"))
    [order] = [item for item in items(updates) if item.kind is SpokenKind.ACTION]
    assert sentence.split(" only")[0].rstrip(".").lower()[4:] in order.text.lower()
    assert urgent is None or (order.urgency == "important") is urgent


@pytest.mark.parametrize(
    "sentence",
    [
        "The valve works only if it is replaced.",
        "He could go to theatre.",
        "The team has been told.",
    ],
)
async def test_what_is_supposed_or_done_or_can_wait_is_no_such_order(sentence: str) -> None:
    updates = await told(GOUT, ("doctor1", f"### What remains:\n- {sentence}\n"))
    assert not [item for item in items(updates) if item.kind is SpokenKind.ACTION]


@pytest.mark.parametrize(
    "sentence", ["If he bleeds he must go to theatre.", "The patient should be referred to genetics."]
)
async def test_what_can_wait_is_told_whole_and_does_not_press(sentence: str) -> None:
    updates = await told(GOUT, ("doctor1", f"### What remains:\n- {sentence}\n"))
    [order] = [item for item in items(updates) if item.kind is SpokenKind.ACTION]
    assert order.text.endswith(f"{sentence[:1].lower()}{sentence[1:]}") and not order.presses


async def test_an_allergy_stays_in_the_status() -> None:
    allergy = "### Allergy:\nShe has a penicillin allergy with anaphylaxis, so co-amoxiclav is out of the question.\n"
    updates = await told(("doctor1", allergy), GOUT, SEPTIC)
    assert all("enicillin allergy" in u.summary.status_action for u in updates[1:])


async def test_a_caution_that_states_an_allergy_presses_and_one_that_only_warns_does_not() -> None:
    allergy = "**Caution**: penicillin allergy with anaphylaxis - co-amoxiclav is no option for her.\n"
    [stated] = [each for each in items(await told(("doctor1", allergy))) if each.kind is SpokenKind.CAUTION]
    assert stated.presses and stated.protects
    for text, presses in (
        ("I would not start antibiotics at this point.\n", True),  # a ban presses, of a class of drugs too
        ("The sodium should not rise by more than 8 mmol/L in 24 hours.\n", False),
    ):
        [said] = [each for each in items(await told(("doctor1", text))) if each.kind is SpokenKind.CAUTION]
        assert said.presses is presses


async def test_a_second_alarm_within_seconds_is_said_once() -> None:
    one, other = (
        f"### Critical Finding:\n{text}\n"
        for text in ("The potassium is 6.9 mmol/L.", "The lactate is 7.2 mmol/L.")
    )
    made = items(await told(("doctor0", one), ("doctor0", other)))
    assert [item.text for item in made if item.kind is SpokenKind.CRITICAL] == [
        "Critical, from Doctor Zero: potassium 6.9 mmol/L.",
        "Critical: lactate 7.2 mmol/L.",
    ]


async def test_a_diagnosis_may_begin_with_a_number() -> None:
    said = texts(await told(("doctor0", "### Diagnosis:\n**22q11 deletion syndrome** - the face fits.\n")))
    assert said[0].startswith("Doctor Zero leads with 22q11 deletion syndrome")


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        ("She is allergic to iodinated contrast.", "Allergic to iodinated contrast."),
        ("She has a penicillin allergy.", "Penicillin allergy."),
        ("He has had anaphylaxis to cefazolin.", "Anaphylaxis to cefazolin."),
    ],
)
async def test_an_allergy_stands_in_the_status_with_its_whole_agent(said: str, stands: str) -> None:
    updates = await told(("doctor0", f"### Allergy:\n{said}\n"), GOUT)
    assert all(stands in update.summary.status_action for update in updates)


@pytest.mark.parametrize("other", ["The adrenaline is running at 12 mL/h.", "The chest drain lost 12 mL/h."])
async def test_a_number_that_was_given_of_one_thing_is_news_of_another(other: str) -> None:
    said = texts(await told(("doctor0", "Heparin is running at 12 mL/h.\n"), ("doctor1", f"{other}\n")))
    assert any(other[4:].rstrip(".") in text for text in said)


async def test_a_number_given_again_of_the_same_thing_is_no_news() -> None:
    said = texts(
        await told(
            ("doctor0", "Heparin is running at 12 mL/h.\n"), ("doctor1", "The heparin runs at 12 mL/h.\n")
        )
    )
    assert sum("12 mL/h" in text for text in said) == 1
