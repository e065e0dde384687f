"""What takes the place of what: an item of another, a dose of another, a right value of a wrong one."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta, SpokenItem, Update
from exaim_core.claims.revoking import treatments_taken_back
from exaim_core.lexicon.prohibitions import tells_allergy

ALLERGY = "He has a chlorhexidine allergy with anaphylaxis in 2017."


async def updates(*turns: tuple[str, str]) -> list[Update]:
    """Return the updates of a talk: of each turn its agent and its words."""
    exaim, found, seq = EXAIM(), list[Update](), 0
    for agent, text in turns:
        found += await exaim.feed(Delta(agent, text, seq := seq + 1, float(seq)))
        found += await exaim.turn_end(agent, seq := seq + 1, float(seq))
    return [*found, *await exaim.finish(float(seq + 1))]


async def items(*turns: tuple[str, str]) -> list[SpokenItem]:
    """Return the items of a talk."""
    return [item for update in await updates(*turns) for item in update.items]


async def test_a_ban_takes_no_allergys_place() -> None:
    told = await items(("doctor0", ALLERGY), ("doctor0", "Use no chlorhexidine on the skin."))
    allergy, ban = (item for item in told if "chlorhexidine" in item.text)

    assert allergy.topic != ban.topic


async def test_an_alarm_takes_no_bans_place() -> None:
    told = await items(
        ("doctor0", "The lithium level is 7.1 mmol/L. Stop lithium and ramipril."),
        ("doctor1", "The repeat lithium is 5.2 mmol/L."),
    )
    bans = {item.topic for item in told if item.kind == "caution"}

    assert bans and not bans & {item.topic for item in told if item.kind == "critical"}


async def test_a_grave_finding_takes_no_other_ones_place() -> None:
    told = await items(
        ("doctor0", "The blood pressure in the right arm is 76/52 mmHg and the neck veins are full."),
        (
            "doctor1",
            "The repeat echocardiogram shows an 18 mm effusion with collapse of the right ventricle.",
        ),
    )
    topics = [item.topic for item in told if item.kind == "finding" and item.topic]

    assert len(topics) == len(set(topics))


@pytest.mark.parametrize(
    ("between", "again"),
    [
        ("Give ibuprofen 400 mg by mouth now.", "Stop ibuprofen."),  # it was asked for since
        ("The urine output is 40 mL/hour.", "No ibuprofen until the creatinine is below 120 micromol/L."),
        ("The urine output is 40 mL/hour.", "She has an ibuprofen allergy with anaphylaxis."),
    ],
)
async def test_a_ban_presses_again_for_what_is_new(between: str, again: str) -> None:
    told = await items(("doctor0", "Avoid ibuprofen."), ("doctor1", between), ("doctor2", again))

    assert [item for item in told if item.kind == "caution"][-1].presses


async def test_a_dose_in_place_of_another_takes_that_off_the_page() -> None:
    *_, last = await updates(
        ("doctor1", "1. **Gentamicin 5 mg/kg intravenously, 400 mg at 80 kg**"),
        ("doctor1", "I also accept 240 mg of gentamicin in place of my 400 mg."),
    )

    assert "400 mg at 80 kg" not in " ".join(last.summary.model_dump().values())


async def test_a_value_that_was_put_right_leaves_the_page_when_the_right_one_alarms() -> None:
    *_, last = await updates(
        ("doctor0", "The lithium level is 7.1 mmol/L."),
        ("doctor2", "In a serum tube the lithium level is 4.6 mmol/L, not 7.1."),
    )

    assert "7.1" not in last.summary.status_action


async def test_an_order_that_waits_is_not_told_without_what_it_waits_for() -> None:
    told = await items(
        ("doctor0", "1. **Glucose 10% at 125 mL/hour** as soon as glucose falls below 14 mmol/L.")
    )

    assert [item.text for item in told if item.kind == "action"] == [
        "Doctor Zero: glucose 10% at 125 mL/hour as soon as glucose falls below 14 mmol/L."
    ]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("I take piperacillin-tazobactam back; meropenem it is.", ("piperacillin-tazobactam",)),
        ("I withdraw both the charcoal and the saline.", ("the charcoal", "the saline")),
        ("I withdraw alteplase and support thrombectomy.", ("alteplase",)),
        ("Without fever I give up serotonin syndrome and take back cyproheptadine.", ("cyproheptadine",)),
        ("I retract my tenecteplase suggestion and the 0.78.", ("tenecteplase suggestion",)),
        ("She can take her ramipril back home.", ()),
        ("I take the sample back to the laboratory.", ()),
    ],
)
def test_what_is_taken_back_is_read_to_its_end_and_no_further(text: str, parts: tuple[str, ...]) -> None:
    assert treatments_taken_back(text) == parts


async def test_a_withdrawal_is_told_in_its_speakers_words_where_they_say_more() -> None:
    told = await items(
        ("doctor0", "1. **Vitamin K 10 mg intravenously**\n2. **Tranexamic acid 1 g intravenously**"),
        ("doctor0", "I withdraw tranexamic acid, and vitamin K is to be 5 mg."),
    )

    assert "Doctor Zero: I withdraw tranexamic acid, and vitamin K is to be 5 mg." in [i.text for i in told]


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("Cefuroxime gave her widespread urticaria in 2022.", True),
        ("At the age of 2 he developed a blistering rash after phenytoin.", True),
        ("Omeprazole gave him interstitial nephritis in 2020.", True),
        ("The infection gave her a fever.", False),
        ("She had a rash for three days.", False),
    ],
)
def test_a_reaction_that_a_drug_gave_is_an_allergy(text: str, tells: bool) -> None:
    assert tells_allergy(text) is tells


async def test_a_concession_is_no_change_of_mind() -> None:
    told = await items(
        (
            "doctor1",
            "I accept that she is dry, but I doubt that volume loss alone has tripled her creatinine.",
        )
    )

    assert not [item for item in told if item.kind == "change"]
