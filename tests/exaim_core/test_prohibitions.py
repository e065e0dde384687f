"""What must not be given is told, whatever it is; what is only said about forbidding is not."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.lexicon.drugs import DRUG, drugs_meant
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.datafiles import drug_names

LONG = (
    "After two bleeds in six months and a haemoglobin that fell from 112 to 84 g/L since Monday, "
    "I would not give apixaban, rivaroxaban or any other anticoagulant before the endoscopy is done."
)
FORMS = (
    "I would avoid {} with an eGFR of 22 mL/min.",
    "Hold the {}.",
    "Never give {} here.",
    "{} is contraindicated.",
    "No {}, please.",
    "Do not start {}.",
    "{} must not be given.",
    "We should withhold {} tonight.",
    "Please stop {} now.",
    "She must not receive {}.",
    "Skip the {}.",
    "{} is off the table.",
)


@pytest.mark.parametrize("form", FORMS)
def test_every_drug_of_the_list_is_forbidden_in_every_form(form: str) -> None:
    assert [name for name in sorted(drug_names()) if not prohibits(form.format(name))] == []


@pytest.mark.parametrize("form", [form for form in FORMS if not form.startswith("No ")])
def test_a_drug_that_nobody_knows_is_forbidden_too(form: str) -> None:
    assert prohibits(form.format("zorbaxil"))


@pytest.mark.parametrize(
    "text",
    [
        "There is no need to avoid metformin.",
        "Metformin was held last year.",
        "Avoid delay in giving ceftriaxone.",
        "I would not withhold oxygen.",
        "Metformin is not contraindicated.",
        "Stopping apixaban was considered and rejected.",
        "Guidelines say to avoid metformin below an eGFR of 30.",
        "Her brother should avoid suxamethonium.",
        "Should we hold the metformin?",
        "We cannot avoid contrast here.",
        "Stop and think about the diagnosis.",
        "Hold a digoxin level.",
        "I would not stop the heparin.",
        "No evidence of heparin allergy.",
        "The heparin was stopped yesterday.",
        "We discussed whether NSAIDs should be avoided.",
    ],
)
def test_what_is_only_said_about_forbidding_forbids_nothing(text: str) -> None:
    assert not prohibits(text)


@pytest.mark.parametrize("word", ["April", "cholesterol", "aldosterone", "cystatin", "intercept"])
def test_words_that_end_like_a_drug_are_none(word: str) -> None:
    assert DRUG.search(word) is None
    assert drugs_meant(word) == frozenset()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("I would avoid metformin with an eGFR of 22 mL/min.", "avoid metformin with an egfr of 22 ml/min"),
        ("Hold the zorbaxil.", "hold the zorbaxil"),
        ("### Contraindicated\n- Thrombolysis\n", "contraindicated: thrombolysis"),
        ('{"avoid": ["metformin"], "plan": "Fluids."}\n', "avoid metformin"),
        (
            "| Drug | Decision |\n|---|---|\n| Apixaban | must not be given |\n",
            "apixaban must not be given",
        ),
        (LONG, LONG[95:-1].lower()),
    ],
)
async def test_a_prohibition_is_told_whole(said: str, told: str) -> None:
    engine = EXAIM()
    updates = [*await engine.feed(Delta("doctor0", said, 0, 0.0)), *await engine.turn_end("doctor0", 1, 1.0)]
    updates += await engine.finish(2.0)
    cautions = [item.text for update in updates for item in update.items if item.kind == "caution"]
    assert [text for text in cautions if told in text.lower()], cautions


async def test_each_ban_in_a_long_row_is_told() -> None:
    between = "His kidneys are poor and must be watched from day to day. " * 12
    row = f"| Plan | What |\n|---|---|\n| Drugs | Avoid metformin. {between}Never give ibuprofen. |\n"
    engine = EXAIM()
    updates = [*await engine.feed(Delta("doctor0", row, 0, 0.0)), *await engine.finish(1.0)]
    told = [item.text for update in updates for item in update.items if item.kind == "caution"]
    assert any("metformin" in each for each in told)
    assert any("ibuprofen" in update.summary.recommendation_next_step for update in updates)
