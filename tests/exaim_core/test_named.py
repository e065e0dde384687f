"""A sentence is told alone only if it names what it is about; else from the nearest sentence that does."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.lexicon.alone import led_in
from exaim_core.lexicon.named import is_bare_condition, unnamed

MOST = 30


@pytest.mark.parametrize(
    "text",
    [
        "Hold tomorrow's, and ask the heart team about the stent",
        "So 24 mils, not 36",
        "All three, twelve weeks apart",
        "No grapefruit with it",
        "Start: after Friday's sample",
        "Give her the second one at six",
        "Then double the dose, please",
        "Stop both until the level is back",
        "If he is suddenly worse over days, with a new haze.",
        "Otherwise theatre tonight",
        "Never without a filter on the line",
        "Don't give that injection yet",
        "The live one no, not now",
        "All four go on the list, in red",
        "I wouldn't put either on paper",
        "Or just the steroids going off",
        "Not to be stopped even in sinus rhythm",
        "We hold the INR at 2.5 then, lower end",
        "He was off piperacillin two days when they halved",
        "I accept that repair and go with the others",
        "No paediatric theatre there at this hour",
        "Please not before the steroid has run two days",
        "Raise the sugar if that falls",
        "That stops today, she must not take those",
        "No grapefruit or clarithromycin with it",
        "No heparin before it",
        "His is 4.4",
        "Then riociguat could be possible",
        "He fainted the day after. Stop it and never again, verapamil likewise",
        "Never again, and no sulfasalazine either",
        "Anaphylaxis in 2015, in her records",
        "She is allergic, severe",
        "72 degrees",
        "37% faster",
        "This morning 268 milliseconds",
    ],
)
def test_what_does_not_name_what_it_is_about_is_not_told_alone(text: str) -> None:
    assert unnamed(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "Hold tomorrow's clopidogrel, and ask the heart team",
        "So 24 mils of saline, not 36",
        "Three smears, twelve weeks apart",
        "Ciclosporin, and no grapefruit with it",
        "Adalimumab: after Friday's sample",
        "Apixaban, hold until the drain is out",
        "Stop zorbaxil: it lowers the platelets",
        "OK, so no quinine ever again",
        "If the lactate rises, theatre",
        "No needles in that arm",
        "It is not safe to wait for the culture",
        "Restart metformin when his creatinine allows it",
        "Fondaparinux is charted, don't give that injection yet",
        "No digoxin either",
        "All four limbs are cold",
        "The platelets were fine until they halved",
        "42 beats a minute",
        "34 weeks' gestation",
        "The callosal angle is 72 degrees",
        "500 ms is the line: nobody restarts methadone above it",
    ],
)
def test_what_names_it_anywhere_before_it_is_needed_stands_alone(text: str) -> None:
    assert unnamed(text) is None


def test_an_order_is_told_from_the_nearest_sentence_that_names_a_drug() -> None:
    before = ["He takes clopidogrel.", "The angiogram was clean."]

    assert led_in("Hold tomorrow's.", before, MOST) == (
        2,
        "He takes clopidogrel. The angiogram was clean. Hold tomorrow's.",
    )


def test_where_that_is_too_long_the_one_drug_is_put_before_it() -> None:
    before = ["He takes clopidogrel.", "The ward has talked about the family at length. " * 4]

    assert led_in("Hold tomorrow's.", before, MOST) == (2, "On clopidogrel: hold tomorrow's.")


@pytest.mark.parametrize(
    "before",
    [
        ["The ward has talked about the family at length. " * 4],
        ["He takes clopidogrel and apixaban.", "The ward has talked about the family at length. " * 4],
    ],
)
def test_of_no_drug_or_of_two_nothing_is_put_before_it(before: list[str]) -> None:
    assert led_in("Hold tomorrow's.", before, MOST) is None


async def _spoken(text: str) -> list[str]:
    exaim = EXAIM()
    updates = (*await exaim.feed(Delta("doctor1", text, 1, 0.0)), *await exaim.turn_end("doctor1", 2, 0.5))
    return [item.text for update in updates for item in update.items]


async def test_a_condition_is_told_with_what_follows_from_it() -> None:
    assert is_bare_condition("If he is worse over days, with a new haze.")

    [told] = await _spoken("If he is worse over days, with a new haze. Then start prednisolone at once.\n")

    assert "new haze. Then start prednisolone at once" in told


async def test_what_is_told_names_its_drug_though_it_stands_two_sentences_before() -> None:
    told = await _spoken(
        "He takes clopidogrel. The angiogram was clean. Hold tomorrow's, and ask the team.\n"
    )

    assert told
    assert all("clopidogrel" in each.lower() for each in told if "tomorrow" in each)
