"""What was told is followed up: whoever names the thing again and does not say the same is told in their own words.

It needs no words for corrections. A value that alarmed is followed up where it is named with another number, where
its number stands in a sentence that does not give it as this patient's value now, where the number stands alone, and
where the same turn says what it is now. An allergy is followed up once, where its substance is named and not kept from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

from exaim_core.board.numbers import Number
from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.claims.critical import may_be_of, values_named
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.reader import Sentence, Source

MOST_OF_ONE: Final = 2  # follow-ups of a thing since it was told last
MOST_THINGS: Final = 32
LEAST_DIGITS: Final = 2  # of a number that stands for its value without a name
_CLOCK: Final = re.compile(r":\d|.?\d+:\d")  # from the place before a number on
_NOW: Final = re.compile(r"\b(?:now|(?:up|down|back) to)\W{1,3}(?:(?:about|around|at|is) )?\Z", re.IGNORECASE)
_NOW_BEHIND: Final = re.compile(r"(?: over \d+)?\W{1,2}now\b", re.IGNORECASE)
_ALLERGY: Final = re.compile(r"\ballerg\w+", re.IGNORECASE)
_TAKES: Final = re.compile(r"\b(?:takes?|took|taken|tolerat\w+|had|has|fine)\b", re.IGNORECASE)
_WHOSE: Final = frozenset({Status.NEGATED, Status.OTHER_PERSON})


@dataclass(slots=True)
class _Told:
    """A value that was told: its keys, its numbers with their units, where it stood last; `left`: follow-ups."""

    source: Source
    keys: set[str] = field(default_factory=set)
    numbers: set[Number] = field(default_factory=set)
    left: int = MOST_OF_ONE


class Following:
    """What was told of one case, by the name of what is measured, and the allergies that were stated."""

    def __init__(self) -> None:
        self._told: dict[str, _Told] = {}
        self._allergies: dict[str, Source] = {}

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

    def state_allergies(self, substances: Iterable[str], source: Source) -> None:
        """Note allergies that were stated at `source`."""
        self._allergies.update(dict.fromkeys(substances, source))
        while len(self._allergies) > MOST_THINGS:
            del self._allergies[next(iter(self._allergies))]

    def follow_up(
        self, unit: Sentence, made: Iterable[Claim | ListEnd], begun: int
    ) -> tuple[str, str] | None:
        """Return what `unit` says something else about, and where it says so; None if it does of nothing told.

        `made` are the claims of the sentence: what alarms by itself is no follow-up. `begun`: the first delta of its
        agent's turn.
        """
        if unit.text.endswith("?"):
            return None
        alarms = {each.critical.key for each in made if isinstance(each, Claim) and each.critical is not None}
        alarmed = {key.partition("=")[0] for key in alarms}
        named = {name: (key, number) for name, key, number in values_named(unit.full)} if self._told else {}
        agent = unit.source.agent_id
        here = [
            told
            for told in self._told.values()
            if told.source.agent_id == agent and told.source.first_seq >= begun
        ]
        for name, told in self._told.items():
            if name in alarmed or not told.left or not _is_later(unit.source, told.source):
                continue
            turn = here == [told]  # of several the number may be of any
            may_be = may_be_of(name) if turn else None
            key, number = named.get(name) or ("", _alone(unit.full, told.numbers, named, may_be))
            if number:
                told.left -= 1
                told.keys.add(key)
                return name, number
        return self._of_an_allergy(unit)

    def _of_an_allergy(self, unit: Sentence) -> tuple[str, str] | None:
        """Return the allergy that `unit` says something else about, and the word by which it names it."""
        for substance, source in self._allergies.items():
            if not _is_later(unit.source, source) or prohibits(unit.full):
                continue
            found = _ALLERGY.search(unit.full)
            if found is None and _TAKES.search(unit.full):
                found = re.search(rf"\b{re.escape(substance)}", unit.full, re.IGNORECASE)
            elif found is not None and not statuses_of(unit.full, "") & _WHOSE:
                found = None  # it is said again
            if found is not None:
                del self._allergies[substance]
                return substance, found.group()
        return None

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on."""

        def stays(source: Source) -> bool:
            return source.agent_id != agent_id or source.first_seq < since

        self._told = {name: told for name, told in self._told.items() if stays(told.source)}
        self._allergies = {name: source for name, source in self._allergies.items() if stays(source)}


def _is_later(source: Source, told: Source) -> bool:
    """Tell whether `source` was begun when `told` was said: of one agent it is, as sentences are read in order."""
    return source.agent_id == told.agent_id or source.first_seq > told.last_seq


def _alone(
    text: str,
    numbers: set[Number],
    named: dict[str, tuple[str, str]],
    may_be: Callable[[Quantity], bool] | None,
) -> str:
    """Return which number of `text` is of a thing that it does not name; "" if none.

    One of the told `numbers` is, and what it is said to be now if it `may_be` a value of it; None: in another turn.
    """
    taken = {number for _, number in named.values()}
    alike = numbers | {(number, "") for number, _ in numbers}
    return next(
        (
            each.number
            for each in quantities(text)
            if each.number not in taken
            and not _CLOCK.match(text, max(each.start - 1, 0))
            and sum(map(str.isdigit, each.number)) >= LEAST_DIGITS
            and (
                (each.number, each.unit) in alike
                or (may_be is not None and may_be(each) and _is_now(text, each.start, each.end))
            )
        ),
        "",
    )


def _is_now(text: str, start: int, end: int) -> bool:
    """Tell whether the number at [start, end) is said to be how it stands now."""
    return _NOW.search(text[:start]) is not None or _NOW_BEHIND.match(text, end) is not None
