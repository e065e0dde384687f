"""The second look at an order that would alarm, and that what it forbids is told."""

from __future__ import annotations

import pytest

from exaim_core import EXAIM, Delta
from exaim_core.grounding.orders_seen import (
    is_kept_from,
    is_listed_elsewhere,
    is_of_a_book,
    is_replaced,
    warns,
)


@pytest.mark.parametrize(
    ("text", "order", "kept"),
    [
        ("Neither methotrexate nor trimethoprim is to be given again.", "methotrexate", True),
        ("Please stop the lithium, the thiazide and the naproxen today.", "naproxen", True),
        ("Please stop the naproxen and start the lithium.", "lithium", False),
        ("Stop the clarithromycin and give amoxicillin 1 g now.", "amoxicillin", False),
        ("Start heparin, no bolus.", "heparin", False),
        ("I wouldn't touch it. Amoxicillin 1 g three times a day.", "Amoxicillin", False),
        (
            "We don't want ibuprofen.",
            "ibuprofen",
            False,
        ),  # the verb of wanting stands nearer: the first reader's
        ("Stop: co-trimoxazole has been charted.", "co-trimoxazole", False),
        ("Amoxicillin 1 g now.", "penicillin", False),
    ],
)
def test_the_nearest_word_that_governs_decides(text: str, order: str, kept: bool) -> None:
    assert is_kept_from(text, order) is kept


@pytest.mark.parametrize(
    ("text", "order", "replaced"),
    [
        ("Change linezolid to daptomycin 6 mg/kg.", "linezolid", True),
        ("Please switch the warfarin over to apixaban.", "warfarin", True),
        ("Change linezolid to daptomycin 6 mg/kg.", "daptomycin", False),
        ("Switch to linezolid with meropenem.", "linezolid", False),
        ("Change the bisoprolol from 5 mg to 10 mg.", "bisoprolol", False),
        ("Give linezolid 600 mg to her now.", "linezolid", False),
    ],
)
def test_what_something_takes_the_place_of_is_not_asked_for(text: str, order: str, replaced: bool) -> None:
    assert is_replaced(text, order) is replaced


@pytest.mark.parametrize(
    ("text", "order", "listed"),
    [
        (
            "Home medicines: empagliflozin 10 mg, metformin 1 g. Acidosis from empagliflozin.",
            "empagliflozin",
            True,
        ),
        ("Home medicines: start empagliflozin 10 mg.", "empagliflozin", False),
        ("Plan: amoxicillin 1 g.", "amoxicillin", False),
        ("Amoxicillin 1 g now.", "amoxicillin", False),
    ],
)
def test_what_the_patient_takes_or_what_caused_it_is_not_asked_for(
    text: str, order: str, listed: bool
) -> None:
    assert is_listed_elsewhere(text, order) is listed


async def told(text: str) -> list[str]:
    exaim = EXAIM()
    updates = await exaim.feed(Delta("pharmacist", text, 1, 1.0))
    updates += await exaim.turn_end("pharmacist", 2, 2.0)
    updates += await exaim.finish(9.0)
    return [item.text for update in updates for item in update.items]


async def test_neither_of_two_is_a_ban_and_never_an_order_for_one_of_them() -> None:
    said = await told(
        "The doctor gave trimethoprim 200 mg twice daily. Neither methotrexate nor trimethoprim is to be given again."
    )
    assert not [text for text in said if "asks for" in text]
    assert any("either methotrexate nor trimethoprim is to be given again" in text for text in said)


async def test_what_stands_under_not_agreed_is_no_consensus_wherever_that_stands() -> None:
    said = await told(
        "## Consensus\n\nDigoxin toxicity.\n\n**Not agreed:** whether she needs a repeat CT tomorrow.\n"
    )
    assert not [text for text in said if text.startswith("Consensus") and "CT" in text]


async def test_a_value_that_is_a_bound_of_advice_is_no_alarm() -> None:
    said = await told("Please do not give bicarbonate; above pH 6.9 the evidence suggests no benefit.")
    assert not [text for text in said if text.startswith("Critical")]
    assert any("do not give bicarbonate" in text for text in said)


@pytest.mark.parametrize(
    "text", ["stop apixaban", "gentamicin should be avoided", "no heparin", "allergic to latex", "don't load"]
)
def test_words_that_keep_from_something_warn(text: str) -> None:
    assert warns(text)


@pytest.mark.parametrize(
    "text", ["MRI at 15:40; skip lesions are seen in about 15%", "one caveat about his hip"]
)
def test_words_that_do_not_are_no_caution(text: str) -> None:
    assert not warns(text)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ('(c) Ward protocol 2011, 0.87: "Change to enoxaparin 1 mg/kg."', True),
        ('Leaflet: "Enoxaparin 1 mg/kg twice daily."', True),
        ('The consultant: "enoxaparin 1 mg/kg now."', False),
        ("Protocol 2011: enoxaparin 1 mg/kg now.", False),
    ],
)
def test_an_order_in_quotation_marks_behind_its_source_is_nobodys(text: str, *, cited: bool) -> None:
    assert is_of_a_book(text, "enoxaparin") is cited
