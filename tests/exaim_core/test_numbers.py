"""The numbers of a discussion are bounded."""

from __future__ import annotations

from exaim_core.board.numbers import MOST_NUMBERS, Numbers


def test_the_oldest_numbers_are_forgotten_and_the_newest_stay() -> None:
    numbers = Numbers()
    for value in range(MOST_NUMBERS + 1):
        numbers.state("doctor0", f"Sodium is {value} mmol/L.", value)
        numbers.tell(f"Sodium is {value} mmol/L.")
    oldest, second, newest = ((str(value), "mmol/l") for value in (0, 1, MOST_NUMBERS))
    assert not numbers.given_by(oldest) and not numbers.was_told({oldest})
    assert numbers.given_by(second) == numbers.given_by(newest) == {"doctor0"}
    assert numbers.was_told({second}) and numbers.was_told({newest})
