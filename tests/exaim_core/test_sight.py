"""The second look: what may not be let out, and what may."""

# ruff: noqa: E501 - sentences stay whole
from __future__ import annotations

import ast
import cProfile
from pathlib import Path

import pytest

from exaim_core.grounding import placed, seen, sight
from exaim_core.grounding.sight import marks_at, unlike, verbatim

OPEN = "PE cannot be ruled out."
RULED = "The CTPA is clean, so PE is ruled out."
TWO = "Potassium is 6.9 mmol/L and sodium 132 mmol/L."
SWAP = "We switch from heparin to apixaban tonight."
ARMS = "Right arm 168/94, left arm 121/70."
KIDNEYS = "The left kidney is normal, the right kidney is dilated."
IF = "Give insulin if the potassium stays above 6.0 mmol/L."
MAYBE = "This could be sarcoidosis, or tuberculosis."
BROTHER = "His brother takes warfarin."


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("She has PE.", OPEN),
        ("PE is ruled out.", OPEN),
        ("PE.", RULED),
        ("PE cannot be ruled out.", RULED),
        ("Potassium 132 mmol/L.", TWO),
        ("Sodium 6.9 mmol/L.", TWO),
        ("Potassium 6.9 mg/L.", TWO),
        ("Potassium 9.6 mmol/L.", TWO),
        ("Calcium 6.9 mmol/L.", TWO),
        ("Switch from apixaban to heparin.", SWAP),
        ("Left arm 168/94.", ARMS),
        ("The left kidney is dilated.", KIDNEYS),
        ("Give insulin.", IF),
        ("Give insulin if the potassium stays below 6.0 mmol/L.", IF),
        ("Sarcoidosis.", MAYBE),
        ("Warfarin.", BROTHER),
        ("Cough.", "No fever, cough or rash."),
        ("Lap chole at the same sitting.", "Somebody asked about lap chole at the same sitting. No."),
        ("PTC by radiology.", "If they cannot cannulate: PTC by radiology."),
        ("Call it cancer.", "I do not yet call it cancer."),
    ],
)  # fmt: skip
def test_what_is_unlike_its_source_is_not_let_out(text: str, cited: str) -> None:
    assert unlike(text, [cited], strict=True) is not None


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        (OPEN, OPEN), (RULED, RULED), (TWO, TWO), (SWAP, SWAP), (ARMS, ARMS), (KIDNEYS, KIDNEYS), (IF, IF), (MAYBE, MAYBE),
        ("Potassium 6.9 mmol/L.", TWO),
        ("Right arm 168/94.", ARMS),
        ("The right kidney is dilated.", KIDNEYS),
        ("No fever or cough.", "No fever, cough or rash."),
        ("Doctor Two leads with cholangitis: bilirubin 88, rigors.", "Bili 88 + ALP 402 + rigors = cholangitis til proven otherwise."),
        ("Heart rate 128, blood pressure 82 on 44.", "HR 128 irreg, BP 82 on 44."),
        ("Gentamicin 5 mg/kg.", "Plan: cx x2, gent 5 mg/kg."),
    ],
)  # fmt: skip
def test_what_its_source_says_is_let_out(text: str, cited: str) -> None:
    assert unlike(text, [cited], names=["Doctor Two"], strict=True) is None


def test_a_slot_is_words_that_stand_one_behind_the_other() -> None:
    assert verbatim("type A dissection", "Acute **type A** dissection, says CT.")
    assert not verbatim("type B dissection", "Acute type A dissection.")
    assert not verbatim("", "Acute type A dissection.")


def test_what_was_held_against_its_source_is_not_read_again() -> None:
    """What waits is tried at each update, in the same words: the second look must cost next to nothing."""
    text, cited = (
        "Give dabigatran 110 mg tonight.",
        ["Doctor Two: give dabigatran 110 mg tonight, if CrCl holds."],
    )
    found = [unlike(text, cited, names=["Doctor Two"], terms=["the dabigatran"])]
    with cProfile.Profile() as profile:
        found.append(unlike(text, cited, names=["Doctor Two"], terms=["the dabigatran"]))
    assert found == ["a condition is lost"] * 2
    assert sum(entry.callcount for entry in profile.getstats()) < 10
    assert unlike(text, [cited[0].partition(",")[0]], names=["Doctor Two"]) is None


def test_marks_are_those_of_the_clause_that_holds_the_words() -> None:
    assert "weak" in marks_at("sarcoidosis", [MAYBE])
    assert "denied" in marks_at("PE", [RULED]) and "result" in marks_at("PE", [RULED])
    assert "denied" not in marks_at("right kidney", [KIDNEYS])


@pytest.mark.parametrize("module", [seen, placed, sight])
def test_it_shares_nothing_with_what_made_the_sentence(module: object) -> None:
    path = Path(str(getattr(module, "__file__", "")))
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name.startswith("exaim_core")} <= {
        "exaim_core.grounding.seen",
        "exaim_core.grounding.placed",
    }
