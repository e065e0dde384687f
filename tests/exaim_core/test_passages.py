"""What does not press is told behind the sentences before it in its turn: these mostly say what it is about."""

from __future__ import annotations

import pytest

from exaim_core.schema import SpokenKind
from exaim_core.words.sparing import is_within
from exaim_core.words.templates import Wording
from tests.exaim_core.test_quotes import updates_of


@pytest.fixture(autouse=True)
def likely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have every sentence likely to hold a key point: what the table says of it is measured, not tested."""
    monkeypatch.setattr("exaim_core.claims.quotes.likelihood", lambda *_, **__: 0.7)


async def told(*turns: tuple[str, str]) -> list[str]:
    """Return all that may be told, a silence's too, without the closing."""
    items = [item for update in await updates_of(*turns) for item in (*update.items, *update.spare)]
    return [item.text for item in items if item.kind != "closing"]


@pytest.mark.parametrize(
    "passage",
    [
        "Enoxaparin began nine days ago. Fall of platelets 58 %.",
        "The biopsy needs a slot. The slot is Thursday. Warfarin goes on, INR must be under 3.",
    ],
)
async def test_what_is_told_keeps_what_was_said_before_it(passage: str) -> None:
    assert await told(("A", f"{passage}\n")) == [f"Agent A: {passage}"]


async def test_what_a_caution_goes_on_with_is_told_once() -> None:
    passage = "the glucose must not fall fast. Aimed fall 3 to 5 mmol/L an hour."
    assert await told(("A", f"T{passage[1:]}\n")) == [f"Caution, Agent A: {passage}"]


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("Still 900 mg a day running.", False),
        ("Replace, carefully, 1000 units a day.", False),
        ("58 of them inside the band, and the others were not looked at.", False),
        ("Amiodarone, still 900 mg a day running.", True),
        ("His haemoglobin has dropped to 7.1 g/dL.", True),
    ],
)
async def test_an_answer_that_names_nothing_is_not_told_where_nothing_stands_before_it(
    text: str, is_told: bool
) -> None:
    assert (
        bool(await told(("B", "How is that one now, and what about the rest?\n"), ("A", f"{text}\n")))
        is is_told
    )


async def test_what_was_told_is_not_told_again_before_what_follows() -> None:
    said = await told(("A", "Platelets are 88 with a spleen tip. Creatinine is 318 µmol/L today.\n"))
    assert sum("spleen tip" in each for each in said) == 1


async def test_a_passage_that_is_part_of_a_longer_one_is_told_with_it_only() -> None:
    said = await told(
        (
            "A",
            "Portal flow is reversed. Amiodarone runs at 900 mg a day. Noradrenaline runs at 0.2 micrograms.\n",
        )
    )
    assert sum("900 mg" in each for each in said) == 1


async def test_a_name_with_a_comma_stands_before_the_whole_passage() -> None:
    said = await told(
        ("Ann Reed, hub doctor", "The pressure is held. Noradrenaline runs at 0.2 micrograms/kg/min.\n")
    )
    assert not any("hub doctor:" in each.partition(": ")[2] for each in said)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        (
            "Ruled out:\nMyocarditis.\nPulmonary embolism.\nThe right ventricle measures 5 cm.\n",
            "the right ventricle",
        ),
        ("- The patient in bed 3 is septic.\n- He has 40 % burns.\n", "he has 40 % burns"),
        (
            "Thank you for asking me. I have read the notes. The ejection fraction is 22 %.\n",
            "the ejection fraction",
        ),
    ],
)
async def test_no_passage_runs_over_a_line_or_holds_talk(text: str, last: str) -> None:
    assert [each.lower() for each in await told(("A", text)) if last in each.lower()] == [
        f"agent a: {text.splitlines()[-1].lstrip('- ').rpartition('notes. ')[2].lower()}"
    ]


async def test_no_passage_runs_over_two_turns_of_one_speaker() -> None:
    said = await told(("A", "Bed 9 went home yesterday.\n"), ("A", "The spleen is 18 cm in our man.\n"))
    assert said == ["Agent A: the spleen is 18 cm in our man."]


async def test_no_sentence_is_told_twice_in_a_passage() -> None:
    said = await told(
        (
            "A",
            "His father had gout. He himself has tremor. MRI shows small caudates. Caeruloplasmin is 0.08.\n",
        )
    )
    assert all(each.count("tremor") <= 1 and each.count("0.08") <= 1 for each in said)
    assert any("0.08" in each for each in said)


async def test_the_reason_of_a_refusal_is_told_before_it() -> None:
    assert await told(("B", "Sulfa rash in 2015. Acetazolamide? No.\n")) == [
        "Caution, Agent B: Sulfa rash in 2015. Acetazolamide? No."
    ]


def test_a_number_that_begins_another_one_is_no_part_of_it() -> None:
    def told_as(words: str) -> Wording:
        return Wording(SpokenKind.FINDING, f"Agent A: {words}", ())

    whole = told_as("creatinine is 98 after the fluids. Urine 60 mL/h.")
    assert not is_within(told_as("creatinine is 9."), whole)
    assert is_within(told_as("Creatinine is 98 after the fluids."), whole)


async def test_nobody_elses_sentence_stands_before_ours() -> None:
    said = await told(("A", "His brother had a stroke. Sodium is 121 mmol/L.\n"))
    assert not any("brother" in each and "121" in each for each in said)
