"""Keep the numbers of a discussion with their units: who gave which, which were spoken or contested."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any, Final

from exaim_core.claims.claims import Claim, Conflict
from exaim_core.text.names import person
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
        self._stated: dict[Number, dict[str, int]] = {}  # who gave each number, and in which delta first
        self._told: dict[Number, None] = {}  # numbers that were spoken, in order
        self._put_right: dict[Number, Claim] = {}  # wrong numbers, and by which correction

    def state(self, agent_id: str, text: str, seq: int) -> None:
        """Note the numbers of a sentence that an agent said from delta `seq` on."""
        for number in numbers_in(text):
            self._stated.setdefault(number, {}).setdefault(agent_id, seq)
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
        return not self.was_put_right(said)

    def dispute(self, conflict: Claim, said: str) -> bool:
        """Note that the case paper contradicts `said`; return False if a number of it is contested already."""
        for number in numbers_in(said):
            if number in self.disputed:
                return False
            self.disputed[number] = conflict
        return True

    def put_right(self, wrong: set[Number], correction: Claim) -> None:
        """Note that numbers are wrong, by which correction."""
        for number in wrong:
            self._put_right.setdefault(number, correction)
            self.disputed.setdefault(number, correction)

    def was_put_right(self, numbers: set[Number]) -> bool:
        """Return whether one of `numbers` is known to be wrong."""
        return not self._put_right.keys().isdisjoint(numbers)

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
        return set(self._stated.get(number, ()))

    def withdraw(self, gone: Callable[[Claim], bool]) -> None:
        """Forget disputes and corrections for which `gone` holds."""
        self.disputed = {number: claim for number, claim in self.disputed.items() if not gone(claim)}
        self._put_right = {number: claim for number, claim in self._put_right.items() if not gone(claim)}

    def unsay(self, agent_id: str, since: int) -> None:
        """Forget that the agent gave numbers from delta `since` on."""
        for by in self._stated.values():
            for agent in [each for each, seq in by.items() if person(each) == agent_id and seq >= since]:
                del by[agent]
        self._stated = {number: by for number, by in self._stated.items() if by}

    def was_told(self, numbers: set[Number]) -> bool:
        """Return whether one of `numbers` was spoken."""
        return not numbers.isdisjoint(self._told)


def _forget_oldest(noted: dict[Number, Any]) -> None:
    for number in list(islice(noted, max(0, len(noted) - MOST_NUMBERS))):
        del noted[number]
