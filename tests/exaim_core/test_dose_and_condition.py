"""A dose is not told without its condition, nor a name without its dose (docs/decisions/146); with look-alikes."""

from __future__ import annotations

import re
from typing import Final

import pytest

from exaim_core.patient.contraindications import facts_in
from exaim_core.text.places import Source
from tests.exaim_core.test_whose_words import alarms, items, played, texts

WHOLE: Final = [
    "**Alteplase** - 50 mg only if he arrests.",
    "**Diazepam** - 10 mg IV if he seizes.",
    "**Tenecteplase**: 40 mg provided that the CT is clean.",
    "**Vancomycin** - 1 g, not if he is anuric.",
    "**Insulin** - 5 units, not as a bolus.",
    "**Metoprolol** - 20 mg IV, hold if the heart rate is below 60.",
    "**Adrenaline** - within 10 minutes if he loses his pulse.",
    "**Atropine** - 2 mg IV every 5 minutes.",
    "**Furosemide** - 40 mg, but never with a systolic below 90.",
    "**Heparin** - 5000 units as soon as the bleed is ruled out.",
    "**Midazolam** - 5 mg buccal should he fit again.",
    "**Cefazolin** 2 g before incision.",
    # not looked at before the code stood
    "**Naloxone** - 400 micrograms, repeat if he does not wake.",
    "**Esmolol**: 500 mcg/kg provided he has no block.",
    "**Glucagon** - 1 mg IM where no line can be had.",
    "**Rocuronium** - half the usual dose.",
    "**Levetiracetam** - loading dose tonight, then twice daily.",
    "**Dopamine**: as an infusion, through a central line.",
    "**Tranexamic acid** (1 g) - within 3 hours of the injury.",
    "**Bisoprolol** - 2.5 mg daily, hold if the pulse is below 50.",
]
IN_SHORT: Final = {
    "**Alteplase** - only if he arrests.": "recommends alteplase, only if he arrests.",
    "**Intubation** - once the anaesthetist is here.": "recommends intubation, once the anaesthetist is here.",
    "**Lumbar puncture** - to rule out meningitis.": "recommends lumbar puncture.",
    "**MRI brain** - because the CT was clean.": "recommends MRI brain.",
    "**Blood cultures** - these help to find the source.": "recommends blood cultures.",
    "**Start aspirin 300 mg** - it reduces mortality.": "start aspirin 300 mg.",
    "**Insulin 10 units with 25 g glucose** - her glucose is only 6.4 mmol/L.": (
        "recommends insulin 10 units with 25 g glucose."
    ),
    "**Calcium gluconate 30 mL** - repeat it if the ECG is no better.": "recommends calcium gluconate 30 mL.",
    "**Adrenaline 0.5 mg IM** - repeat if the pressure stays low.": "recommends adrenaline 0.5 mg IM.",
    "**Vancomycin 1.5 g** - his weight is 98 kg.": ": vancomycin 1.5 g, his weight is 98 kg.",
    "**Morphine 2 mg** - hold if he is drowsy.": ": morphine 2 mg, hold if he is drowsy.",
    "**Aspirin** - first line for this.": "",
    "**Amiodarone 300 mg** - after the third shock.": "recommends amiodarone 300 mg after the third shock.",
}


def words(text: str) -> str:
    return " ".join(re.findall(r"[\w/.%]+", text.lower())).replace(". ", " ").rstrip(".")


async def test_an_item_is_told_with_all_that_binds_it_by_ear_and_on_the_page() -> None:
    for item in WHOLE:
        updates = await played(("neurologist", f"### Management\n- {item}\n"))
        assert words(item) in words(texts(updates)), item
        page = [update.summary for update in updates]
        assert words(item) in words(" ".join(each.recommendation_next_step for each in page)), item


async def test_what_says_only_why_leaves_the_short_form_as_it_is() -> None:
    for item, said in IN_SHORT.items():
        assert said in texts(await played(("neurologist", f"### Management\n- {item}\n"))), item


LONG: Final = "2 g every 12 hours, " + "and 10 mg of dexamethasone with each dose of it, " * 4


async def test_what_is_too_long_is_pointed_to_and_not_cut() -> None:
    for item, kind in ((f"{LONG}unless it grows.", "conditional "), (f"{LONG}as a bolus.", "")):
        told = texts(await played(("neurologist", f"### Management\n- **Ceftriaxone** - {item}\n")))
        assert f"A {kind}recommendation from the neurologist on ceftriaxone is on the page." in told


async def test_a_later_step_that_waits_makes_no_order_wait() -> None:
    """An order that only its later step is on a condition of is held against what is measured as before."""
    item = "- **Bisoprolol** - 2.5 mg now, hold if the pulse is below 50.\n"
    record = {"case_id": "x", "history": ["Asthma"]}
    assert alarms(await played(("nephrologist", f"### Management\n{item}"), paper=record))


LEFT_OUT: Final = [
    "Morphine 2 mg, except in respiratory depression.",
    "Give metoprolol 5 mg save in asthma.",
    "Give alteplase 50 mg outside of active bleeding.",
    "Give metoprolol 5 mg IV apart from in asthma.",
    "Start heparin 5000 units, excluding active bleeding.",
    "Start metoprolol 5 mg, with the exception of asthma.",
    "Give morphine 2 mg in the absence of respiratory depression.",
    "Propranolol 40 mg other than in known asthma.",
    "Give labetalol 20 mg, save where there is asthma.",
]
THERE: Final = [
    "Morphine 2 mg in respiratory depression.",
    "Give metoprolol 5 mg, she is well except for asthma.",
    "Everything is fine except the asthma. Give metoprolol 5 mg.",
    "Nothing stands against metoprolol except asthma. Give metoprolol 5 mg.",
    "Give morphine 2 mg, except that he has respiratory depression.",
    "She has asthma. Give metoprolol 5 mg IV, except in asthma.",
    "Bisoprolol 5 mg is fine except in his asthma.",
    "She is well except for respiratory depression. Give morphine 2 mg.",
    "Apart from asthma she is well, so give metoprolol 5 mg.",
]


@pytest.mark.parametrize("text", LEFT_OUT)
async def test_what_an_order_leaves_out_is_nothing_that_the_patient_has(text: str) -> None:
    assert alarms(await played(("anaesthetist", text))) == []


@pytest.mark.parametrize("text", THERE)
async def test_what_the_patient_has_alarms_whatever_is_left_out(text: str) -> None:
    assert alarms(await played(("anaesthetist", text)))


def test_an_exception_is_looked_for_in_no_long_time() -> None:
    source = Source("a", 0, 0, 0.0)
    for hostile in (
        "except in a-" * 3000,
        "morphine except in " + "no " * 5000,
        "not in a/" * 5000 + "asthma",
    ):
        assert facts_in(hostile[:600], source) is not None
        facts_in(hostile, source)


ORDER_FIRST: Final = [
    "Roc 1.2 mg/kg ~ 90 mg, ketamine 1 mg/kg. No propofol in this pressure.",
    "Dantrolene 2.5 mg/kg, so 175 mg, as a rapid bolus. Stop sevoflurane at once.",
    "Meropenem 1 g IV. He is allergic to penicillin.",
    "- **Induction**: ketamine 1 mg/kg. No propofol.",
    "Labetalol 20 mg IV. Avoid metoprolol.",
    "Calcium gluconate 10 mL. Avoid digoxin.",
]
BAN_FIRST: Final = [
    "Avoid propofol. Give ketamine 1 mg/kg.",
    "He is allergic to penicillin. Give meropenem 1 g.",
    "No more fluids. Stop the propofol.",
    "She is 9 weeks pregnant. No valproate.",
    "Do not give metoprolol. Adrenaline 0.5 mg IM.",
    "She takes warfarin 5 mg daily. No aspirin.",
]


@pytest.mark.parametrize("text", ORDER_FIRST)
async def test_no_order_is_announced_as_a_caution(text: str) -> None:
    told = items(await played(("icu", text)))
    assert not any(item.text.startswith("Caution") for item in told), [item.text for item in told]
    last = text.rstrip(".").split(". ")[-1].lower()
    assert any(last in item.text.lower() for item in told), "the ban itself is told"


@pytest.mark.parametrize("text", BAN_FIRST)
async def test_what_keeps_from_something_is_announced(text: str) -> None:
    assert "Caution, " in texts(await played(("icu", text)))


LABETALOL: Final = "1. Labetalol 20 mg IV\n2. Hydralazine 5 mg IV when the pressure is above 160\n"


@pytest.mark.parametrize(
    "heading", ["### The old plan", "### Plan B, if it fails", "### Home medication", "### Planning"]
)
async def test_what_is_no_plan_of_now_is_no_order(heading: str) -> None:
    told = await played(("obstetrician", f"{heading}\n{LABETALOL}"))
    assert "recommends" not in texts(told)


@pytest.mark.parametrize(
    "text",
    [
        "**Impression:** Croup.",
        "Impression: croup.",
        "Impression: Croup (moderate to severe)",
        "- **Impression**: croup",
        "**Clinical impression:** Croup",
        "Diagnosis: croup.",
    ],
)
async def test_an_impression_is_a_leading_view(text: str) -> None:
    assert "leads with croup" in texts(await played(("paediatrician", f"{text}\n")))


@pytest.mark.parametrize(
    "text",
    [
        "Impression: stable.",
        "### Impression\nStable.",
        "Impression: no acute abnormality.",
        "Impression: the patient is worse.",
        "Impression: gout, not septic arthritis.",
        "Impression: probably croup, but epiglottitis is possible.",
        "Impression: sepsis or gout.",
        "First impression: gout.",
        "CT report. Impression: no haemorrhage.",
        "Impression: she takes warfarin.",
    ],
)
async def test_what_is_no_view_behind_that_label_is_none(text: str) -> None:
    assert "leads with" not in texts(await played(("paediatrician", f"{text}\n")))
