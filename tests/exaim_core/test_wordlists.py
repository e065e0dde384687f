"""What is called by the names of `data/terms` and `data/ward_names.txt` is known, and look-alikes are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from exaim_core.lexicon.drugs import brands, drugs_named, generics
from exaim_core.lexicon.kinds import is_listed, names_measure, states_condition
from exaim_core.lexicon.named import is_known
from exaim_core.patient.treatments import groups_named
from exaim_core.text.datafiles import data_lines
from lab.yamlfile import read_yaml
from tests.exaim_core.test_terse_orders import told
from tests.exaim_core.test_whose_words import alarms, played

LISTS = ("conditions", "tests", "measures")


@pytest.mark.parametrize("list_of", LISTS)
def test_a_list_is_in_order_and_names_nothing_twice(list_of: str) -> None:
    words = data_lines(f"terms/{list_of}.txt")
    assert [*words] == sorted(words, key=str.lower)
    assert len({*words}) == len(words) >= 400


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Right tension pneumothorax.", True),
        ("Status epilepticus since ten.", True),
        ("This is C. diff.", True),
        ("This is TEN.", False),
        ("Ten of them came.", False),
        ("It lasts long.", False),
        ("SIADH, I think.", True),
        ("siadh, I think.", False),
        ("Cauda-equina signs.", True),
    ],
)
def test_a_condition_is_known_by_its_name(text: str, known: bool) -> None:
    assert is_listed(text) is is_known(text) is known


def test_a_test_and_a_measure_are_known_by_their_names() -> None:
    assert is_listed("CTPA now.") and is_listed("Haptoglobin and LDH, please.")
    assert is_listed("NIV if the next gas is no better.") and is_listed("Plasma exchange tonight.")
    assert not is_listed("He lives in Bath.") and not is_listed("A fast heart.")


@pytest.mark.parametrize(
    "said",
    ["No central line in situ.", "Pacemaker: no.", "CPAP off, he eats his lunch."],
)
async def test_a_term_of_the_lists_says_what_a_sentence_is_about_and_makes_no_ban(said: str) -> None:
    assert is_listed(said) and not (names_measure(said) or states_condition(said))
    assert "caution" not in [kind for kind, _ in await told(said)]


@pytest.mark.parametrize(
    ("name", "generic"),
    [
        ("mero", "meropenem"),
        ("clinda", "clindamycin"),
        ("MgSO4", "magnesium sulfate"),
        ("cryo", "cryoprecipitate"),
    ],
)
def test_a_name_of_the_ward_is_its_generic_too(name: str, generic: str) -> None:
    assert generic in drugs_named(f"Give {name} now.")


def test_what_is_its_own_generic_name_is_that_alone() -> None:
    assert generics("antivenom") == () and drugs_named("One vial of antivenom.") == {"antivenom"}


def test_a_generic_name_that_holds_its_short_one_ends_somewhere() -> None:
    for name in brands():
        groups_named(name)  # a name that led to itself would raise
    assert "penicillins" in groups_named("fluclox") and not groups_named("antivenom")


@pytest.mark.parametrize(
    "said",
    [
        "The gent in bed four is off to theatre.",
        "Give Rami the drug chart.",
        "She needs a Hartmann's procedure.",
    ],
)
def test_a_person_or_an_operation_is_no_drug(said: str) -> None:
    assert not drugs_named(said)


def test_no_name_of_the_ward_is_in_both_lists() -> None:
    own = [line.partition(": ")[0] for line in data_lines("ward_names.txt")]
    assert len({*own}) == len(own)


@pytest.mark.parametrize("drug", ["mero", "clinda", "cryo", "roc", "Plasma-Lyte", "sevo", "Lokelma"])
async def test_a_ban_of_it_is_told(drug: str) -> None:
    assert [kind for kind, _ in await told(f"Then no {drug}, to be safe.")] == ["caution"]


async def test_it_meets_a_hazard_as_its_generic_does() -> None:
    assert alarms(await played(("a", "She is allergic to penicillin."), ("b", "Give fluclox 2 g now.")))
    assert alarms(await played(("a", "She has malignant hyperthermia."), ("b", "Start sevo for the line.")))


def test_most_names_that_a_stranger_wrote_are_known_and_few_look_alikes_are_taken() -> None:
    rows = read_yaml(Path(__file__).parents[1] / "gold" / "drug_names.yaml")
    named = [row for row in rows if row["drug"]]
    known = [row for row in named if _knows(row["text"], row["drug"].lower(), row["generic"].lower())]
    taken = [row["text"] for row in rows if not row["drug"] and drugs_named(row["text"])]
    assert len(named) == 160 and len(known) >= 138
    assert len(rows) == 240 and len(taken) <= 13


def _knows(text: str, drug: str, generic: str) -> bool:
    return any(each in drug or drug in each or each == generic for each in drugs_named(text))
