"""Marks that are dictated, and places on a tape, are no words; an organ and a way of speaking stay."""

from __future__ import annotations

import pytest

from exaim_core.text.marks import plain


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            "Bloods at four colon potassium 7.1 comma phosphate 3.4 full stop.",
            "Bloods at four: potassium 7.1, phosphate 3.4.",
        ),
        ("Pressure 82 over 40 comma pulse 128 full stop new line", "Pressure 82 over 40, pulse 128."),
        ("Open bracket known to us close bracket he drinks full stop.", "(known to us) he drinks."),
        ("Doxazosin stop full stop. Any allergies question mark", "Doxazosin stop. Any allergies?"),
        ("Comma no tranexamic acid comma full stop.", "no tranexamic acid."),
        ("[0:09] Jonas, the lab rang back.", "Jonas, the lab rang back."),
        ("[09:08:03] And nitrofurantoin.", "And nitrofurantoin."),
    ],
)
def test_what_is_dictated_as_a_mark_is_read_as_one(written: str, read: str) -> None:
    assert plain(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "The colon is dilated.",
        "Resection of the colon.",
        "The trial came to a full stop last week.",
        "It thinks I said comma.",
        "A decimal comma was read as a point.",
        "[05:30] rate 6, sats 84 on air.",
    ],
)
def test_what_may_be_meant_as_a_word_stays(text: str) -> None:
    assert plain(text) == text
