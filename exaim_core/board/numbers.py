"""Keep the numbers of a discussion with their units: who gave which, which were spoken or contested."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

from exaim_core.claims.claims import Claim, Conflict
from exaim_core.text.quantities import quantities

Number = tuple[str, str]
"""A number as written, and its unit."""

MOST_NUMBERS: Final = 1_000  # of each kind; beyond, the oldest are forgotten (a case has some fifty)


def numbers_in(text: str) -> set[Number]:
    """Return the numbers of a text that have a unit."""
    return {(quantity.number, quantity.unit) for quantity in quantities(text) if quantity.unit}


class Numbers:
    """The numbers of one board."""

    def __init__(self) -> None:
        self.disputed: dict[Number, Claim] = {}  # contradicted by the case paper, or put right
        self._stated: dict[Number, set[str]] = {}  # each number, and who gave it
        self._told: dict[Number, None] = {}  # numbers that were spoken, in order
        self._put_right: set[Number] = set()

    def state(self, agent_id: str, text: str) -> None:
        """Note the numbers of a sentence that an agent said."""
        for number in numbers_in(text):
            self._stated.setdefault(number, set()).add(agent_id)
        _forget_oldest(self._stated)

    def tell(self, text: str) -> None:
        """Note the numbers of an item that is spoken."""
        self._told.update(dict.fromkeys(numbers_in(text)))
        _forget_oldest(self._told)

    def is_disputed(self, text: str) -> bool:
        """Return whether a number of `text` is contested."""
        return bool(self.disputed) and not self.disputed.keys().isdisjoint(numbers_in(text))

    def is_open(self, conflict: Claim) -> bool:
        """Return whether nobody has put the number of `conflict` right since."""
        said = numbers_in(conflict.conflict.said) if conflict.conflict else set()
        return not said & self._put_right

    def dispute(self, conflict: Claim, said: str) -> bool:
        """Note that the case paper contradicts `said`; return False if a number of it is contested already."""
        for number in numbers_in(said):
            if number in self.disputed:
                return False
            self.disputed[number] = conflict
        return True

    def put_right(self, wrong: set[Number], correction: Claim) -> None:
        """Note that numbers are wrong, by which correction."""
        self._put_right |= wrong
        for number in wrong:
            self.disputed.setdefault(number, correction)

    def was_put_right(self, numbers: set[Number]) -> bool:
        """Return whether one of `numbers` is known to be wrong."""
        return not numbers.isdisjoint(self._put_right)

    def wrong_of(self, conflict: Conflict) -> set[Number]:
        """Return the number that was put right, with its own unit or the one in which it was given."""
        found = numbers_in(conflict.said)
        if found:
            return found
        bare = {quantity.number for quantity in quantities(conflict.said) if len(quantity.number) > 1}
        given = {number for number in self._stated if number[0] in bare}
        return given if len(given) == 1 else set()

    def given_by(self, number: Number) -> set[str]:
        """Return which agents gave a number."""
        return self._stated.get(number, set())

    def was_told(self, numbers: set[Number]) -> bool:
        """Return whether one of `numbers` was spoken."""
        return not numbers.isdisjoint(self._told)


def _forget_oldest(noted: dict[Number, Any]) -> None:
    for number in list(islice(noted, max(0, len(noted) - MOST_NUMBERS))):
        del noted[number]
