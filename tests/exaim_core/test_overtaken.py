"""What is kept for a silence goes where somebody has named the same thing since, and said something else of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from exaim_core.text.units import Sentence
from exaim_core.words.withdrawn import passed_by
from tests.exaim_core.test_critical_values import units_of

ZOPICLONE = "zopiclone: 3.75 mg for two weeks, then every other night, then stop"


def since(text: str) -> tuple[Sentence, ...]:
    return tuple(
        replace(unit, source=replace(unit.source, first_seq=9, last_seq=9)) for unit in units_of(text)
    )


@pytest.mark.parametrize(
    ("kept", "later"),
    [
        (ZOPICLONE, "Stop indapamide today."),
        (ZOPICLONE, "Don't stop that one again."),
        ("hold the metformin until the creatinine is back", "Hold the oxygen mask for her."),
        ("start doxycycline tonight", "We start ward rounds at eight."),
        ("give platelets before the line", "Give the family a chair."),
        ("repeat the gas in an hour", "Repeat the film in the morning."),
    ],
)
def test_what_is_done_with_something_else_is_not_the_same_thing(kept: str, later: str) -> None:
    assert not passed_by(kept, 1, since(later))


@pytest.mark.parametrize(
    ("kept", "later"),
    [
        (ZOPICLONE, "Zopiclone goes on as it is."),
        ("hold the metformin until the creatinine is back", "Metformin may be given."),
        ("start doxycycline tonight", "No doxycycline, she is pregnant."),
        ("give platelets before the line", "The platelets are 212 now."),
    ],
)
def test_what_is_said_else_of_the_same_thing_passes_it(kept: str, later: str) -> None:
    assert passed_by(kept, 1, since(later))
