"""A drug with its dose is meant, wherever the verb stands, if nothing in its clause denies, ends, dates or moves it."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, CasePaper, Delta
from exaim_core.patient.contraindications import facts_in
from exaim_core.patient.paper import Allergy
from exaim_core.patient.treatments import treatments_in
from tests.exaim_core.test_whose_words import alarms as alarms_of
from tests.exaim_core.test_whose_words import played

MEANT = [
    ("I would like terlipressin 2 mg now and ceftriaxone 1 g", "ceftriaxone"),
    ("For the pressure give labetalol 20 mg intravenously.", "labetalol"),
    ("I would like ibuprofen 400 mg.", "ibuprofen"),
    ("After the second litre hang ceftriaxone 2 g.", "ceftriaxone"),
    ("Because the pressure is 180 over 110 give labetalol 20 mg.", "labetalol"),
    ("With a lactate of four, ceftriaxone 2 g intravenously within the hour.", "ceftriaxone"),
    ("For the headache try ibuprofen 400 mg.", "ibuprofen"),
    ("As soon as the line is in, get labetalol 20 mg into her.", "labetalol"),
    ("erythro 250 iv before scope", "erythro"),
    ("CTPA now.", "ctpa"),
    ("CT of the abdomen with IV contrast now.", "ct of the abdomen with iv contrast"),
    ("Contrast CT of the chest, please.", "contrast ct"),
]
NOT_MEANT = [
    "I would not like ibuprofen 400 mg here.",
    "The last time she was given ceftriaxone 1 g she arrested.",
    "I would like to know who gave ibuprofen 400 mg.",
    "For the lady in bed four give labetalol 20 mg.",
    "Whatever you do, do not ever give ibuprofen 400 mg.",
    "Instead of labetalol 20 mg we wait.",
    "He swallowed labetalol 200 mg times thirty.",
    "She got ibuprofen 400 mg in the ambulance.",
    "She reacted to ibuprofen 400 mg last spring.",
    "Ibuprofen 400 mg caused the bleed.",
    "I am unhappy with ceftriaxone 1 g.",
    "The textbook dose is labetalol 20 mg.",
    "CTPA now shows a clot.",
    "CTPA is not needed now.",
    "No CTPA now.",
    "CT of the abdomen without contrast now.",
    "Rash: erythro-papular.",
]
GESTATIONS = [
    "Pregnancy, 35 weeks",
    "Pregnancy (35+2)",
    "G2P1, 35/40",
    "G1P0 at 31+4",
    "Primigravida, 36 weeks",
    "Gestation 34 weeks",
    "Pregnancy: 30 weeks and 2 days",
    "Admitted at 33/40",
]
NO_GESTATIONS = [
    "Two previous pregnancies",
    "G2P2, last delivery 2015",
    "Pregnancy in 2018",
    "Pain 7/10",
    "Molar pregnancy in 2010",
    "Pregnancy test negative",
    "Scored 35/40",
    "Age at menarche 13",
]
PUT_OFF = [
    "Restart apixaban not before day seven, and ask cardiology first.",
    "Restart apixaban no earlier than day seven.",
    "Start apixaban in a week, not sooner.",
    "Restart apixaban next Monday.",
    "Resume apixaban only after day seven.",
    "Restart apixaban 5 mg from day seven on.",
    "No apixaban before day seven.",
]
NOT_PUT_OFF = [
    "Restart apixaban now, not at night.",
    "Restart apixaban not later than noon.",
    "Restart apixaban 5 mg twice daily.",
    "Start apixaban before theatre.",
    "Restart apixaban today, not tomorrow.",
    "Start apixaban, and see her again in a week.",
]
LOW_PLATELETS = "The lab rang: platelets are 38."
PAPER = CasePaper(
    case_id="invented",
    history=("Asthma since childhood", "Pregnancy, 35 weeks"),
    allergies=(Allergy(substance="ceftriaxone", reaction="anaphylaxis"), Allergy(substance="erythromycin")),
)


@pytest.mark.parametrize(("text", "drug"), MEANT)
def test_what_stands_with_its_dose_or_a_now_is_meant(text: str, drug: str) -> None:
    assert drug in [mention.word.lower() for mention, _ in treatments_in(text)]


@pytest.mark.parametrize("text", NOT_MEANT)
def test_what_is_denied_past_or_of_another_is_not_meant(text: str) -> None:
    assert treatments_in(text) == ()


@pytest.mark.parametrize("text", GESTATIONS)
def test_a_gestation_says_that_she_is_pregnant(text: str) -> None:
    assert "pregnancy" in {fact.condition for fact in facts_in(text)[0]}


@pytest.mark.parametrize("text", NO_GESTATIONS)
def test_what_is_over_or_another_number_is_no_pregnancy(text: str) -> None:
    assert "pregnancy" not in {fact.condition for fact in facts_in(text)[0]}


async def alarms(*said: str, paper: CasePaper | None = None) -> list[str]:
    """Return the alarms of what two doctors say in turn."""
    exaim, told = EXAIM(paper=paper), list[str]()
    for number, text in enumerate(said):
        updates = await exaim.feed(Delta(f"doctor{number}", text, 2 * number, float(number)))
        updates += await exaim.turn_end(f"doctor{number}", 2 * number + 1, number + 0.5)
        told += [item.text for update in updates for item in update.items if item.critical_key]
    last = await exaim.finish(len(said) + 5.0)
    return told + [item.text for update in last for item in update.items if item.critical_key]


@pytest.mark.parametrize("order", PUT_OFF)
async def test_a_value_of_now_does_not_count_against_what_is_put_off(order: str) -> None:
    assert not any("pixaban" in each for each in await alarms(order, LOW_PLATELETS))


@pytest.mark.parametrize("order", NOT_PUT_OFF)
async def test_a_value_of_now_counts_against_what_is_given_now(order: str) -> None:
    assert any("pixaban" in each for each in await alarms(order, LOW_PLATELETS))


async def test_what_is_put_off_still_meets_an_allergy() -> None:
    assert await alarms("Start ceftriaxone 1 g next Monday.", paper=PAPER)


@pytest.mark.parametrize(
    "order",
    [
        "I would like terlipressin 2 mg now and ceftriaxone 1 g",
        "For the pressure give labetalol 20 mg intravenously.",
        "Give erythro 250 mg IV.",
        "Start ramipril 5 mg.",
    ],
)
async def test_an_order_in_ordinary_words_meets_the_record(order: str) -> None:
    assert len(await alarms(order, paper=PAPER)) == 1


@pytest.mark.parametrize(
    ("talk", "name"),
    [
        (("med", "She is allergic to penicillin."), "She deteriorated, co-amoxiclav 1.2 g now."),
        (("med", "She is allergic to penicillin."), "She needed fluids, co-amoxiclav 1.2 g and theatre now."),
        (("med", "Platelets are 12."), "Give enoxaparin 40 mg tonight and recount in 2 days."),
        (("med", "Potassium 6.9 mmol/L."), "Give potassium chloride 40 mmol now and check it in 2 days."),
    ],
)
async def test_what_stands_beside_the_order_leaves_it_one_of_now(talk: tuple[str, str], name: str) -> None:
    assert alarms_of(await played(talk, ("ed", name)))


@pytest.mark.parametrize(
    "said",
    [
        "Under no circumstances should anybody give labetalol 20 mg.",
        "The family asked why we try labetalol 20 mg here.",
        "He'd like labetalol 20 mg but I refuse.",
    ],
)
async def test_what_nobody_orders_alarms_nobody(said: str) -> None:
    assert not alarms_of(await played(("med", "She has asthma."), ("ed", said)))
