"""What was told is followed up: whoever names the thing again and does not say the same is told in their own words.

It needs no words for corrections. A value that alarmed is followed up where it is named with another number, where
its number stands in a sentence that does not give it as this patient's value now, and where the number stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from exaim_core.board.numbers import Number
from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.claims.critical import values_named
from exaim_core.text.quantities import quantities
from exaim_core.text.reader import Sentence, Source

MOST_OF_ONE: Final = 2  # follow-ups of a thing since it was told last
MOST_THINGS: Final = 32
LEAST_DIGITS: Final = 2  # of a number that stands for its value without a name
_CLOCK: Final = re.compile(r":\d|.?\d+:\d")  # from the place before a number on


@dataclass(slots=True)
class _Told:
    """A value that was told: its keys, its numbers with their units, where it stood last; `left`: follow-ups."""

    source: Source
    keys: set[str] = field(default_factory=set)
    numbers: set[Number] = field(default_factory=set)
    left: int = MOST_OF_ONE


class Following:
    """What was told of one case, by the name of what is measured."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}

    def tell(self, claim: Claim) -> None:
        """Note an alarm that is told; of an order that meets a hazard nothing is noted."""
        found = claim.critical
        if found is None or not found.value:
            return
        name = found.key.partition("=")[0]
        told = self._told.pop(name, None) or _Told(claim.source)
        self._told[name] = told
        told.source, told.left = claim.source, MOST_OF_ONE
        told.keys.add(found.key)
        told.numbers.update((each.number, each.unit) for each in quantities(found.value))
        while len(self._told) > MOST_THINGS:
            del self._told[next(iter(self._told))]

    def follow_up(self, unit: Sentence, made: Iterable[Claim | ListEnd]) -> tuple[str, str] | None:
        """Return what `unit` says something else about, and the number that it says; None if it does of nothing told.

        `made` are the claims of the sentence: what alarms by itself is no follow-up.
        """
        if not self._told or unit.text.endswith("?"):
            return None
        alarms = {each.critical.key for each in made if isinstance(each, Claim) and each.critical is not None}
        alarmed = {key.partition("=")[0] for key in alarms}
        named = {name: (key, number) for name, key, number in values_named(unit.full)}
        for name, told in self._told.items():
            if name in alarmed or not told.left or unit.source.first_seq <= told.source.last_seq:
                continue
            key, number = named.get(name) or ("", _alone(unit.full, told.numbers, named))
            if number:
                told.left -= 1
                told.keys.add(key)
                return name, number
        return None

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on."""
        for name, told in [*self._told.items()]:
            if told.source.agent_id == agent_id and told.source.first_seq >= since:
                del self._told[name]


def _alone(text: str, numbers: set[Number], named: dict[str, tuple[str, str]]) -> str:
    """Return which of the told `numbers` stands in `text` without the name of anything measured; "" if none."""
    taken = {number for _, number in named.values()}
    alike = numbers | {(number, "") for number, _ in numbers}
    return next(
        (
            each.number
            for each in quantities(text)
            if (each.number, each.unit) in alike
            and each.number not in taken
            and not _CLOCK.match(text, max(each.start - 1, 0))
            and sum(map(str.isdigit, each.number)) >= LEAST_DIGITS
        ),
        "",
    )
