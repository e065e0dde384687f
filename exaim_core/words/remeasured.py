"""Find waiting items that give a value which somebody has given anew since.

Told late, the older value would be heard as the present one. Alarms stay: a critical value is taken off only by who
puts it right (`board/putting_right.py`). Orders stay too, with the values that they were given for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from exaim_core.claims.limits import analytes_named
from exaim_core.claims.measured import may_be_of_before, readings
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.text.quantities import quantities
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import key_words
from exaim_core.words.templates import said_words

Value = tuple[str, str]
"""What is measured, and the number as written."""

_NEAR: Final = 12  # characters between the name of a thing without limits and its number


def remeasured(items: Iterable[SpokenItem], said: Iterable[Unit]) -> list[str]:
    """Return the ids of findings among `items` with a value of which a later sentence of `said` gives another."""
    newer = [
        (unit.source.first_seq, values)
        for unit in said
        if isinstance(unit, Sentence) and (values := _given_now(unit.full))
    ]
    if not newer:
        return []
    return [
        item.item_id
        for item in items
        if item.kind is SpokenKind.FINDING
        and not (item.protects or item.presses)
        and item.cites
        and _is_outdated(item, newer)
    ]


def _is_outdated(item: SpokenItem, newer: Iterable[tuple[int, frozenset[Value]]]) -> bool:
    told, words = max(cite.last_seq for cite in item.cites), said_words(item.text)
    given = dict[str, set[str]]()
    for name, number in _given_now(words):
        given.setdefault(name, set()).add(number)
    return any(
        seq > told and name in given and number not in given[name]
        for seq, values in newer
        for name, number in values
    )


@lru_cache(maxsize=512)
def _given_now(sentence: str) -> frozenset[Value]:
    """Return the values that `sentence` gives for this patient now; none if it asks."""
    if sentence.endswith("?"):
        return frozenset()
    of_before = may_be_of_before(sentence)
    limited = {
        (each.limit.name, each.given.quantity.number)
        for each in readings(sentence)
        if each.given.now or not of_before
    }
    return frozenset(limited if of_before else limited | set(_without_limits(sentence)))


def _without_limits(text: str) -> Iterator[Value]:
    """Yield numbers with the name of what has no critical limit here, or with the word and the unit beside them."""
    numbers = quantities(text)
    if not numbers:
        return
    limited = {each.start: each for each in analytes_named(text)}
    named = sorted(limited)
    for number, before in zip(numbers, (0, *(each.end for each in numbers)), strict=False):
        start = next((at for at in reversed(named) if before <= at < number.start), None)
        if start is not None:
            mention = limited[start]
            if mention.limit is None and number.start < mention.end + _NEAR:
                yield text[mention.start : mention.end].lower(), number.number
        elif number.unit and (words := key_words(text[before : number.start])):
            yield f"{words[-1]} {number.unit}", number.number
