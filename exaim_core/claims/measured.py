"""The values that a sentence gives: what is measured, its name there, the value, and whether it is critical.

Which things are measured and their limits: `limits.py`; which number belongs to a name: `values.py`; whose it is:
`belonging.py`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from exaim_core.claims.belonging import ValuePlace, are_set, goes_on, is_elsewhere, is_of_other_stuff
from exaim_core.claims.finding import Critical
from exaim_core.claims.limits import Limit, analytes_named, may_measure, table
from exaim_core.claims.roles import measured_only
from exaim_core.claims.slips import without_slip
from exaim_core.claims.values import Given, newest_value, value_before
from exaim_core.lexicon.withdrawn import Remainder, is_artefact, standing
from exaim_core.text.boundaries import parts
from exaim_core.text.quantities import Quantity, began_at, quantities
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/measured")
ENDS_PART: Final = re.compile(r"\s?(?:[.;:!,)–—]|-\s|\Z)")


def stated(sentence: str) -> str:
    """Return `sentence` with blanks for the values that it takes back, so that places stay."""
    return standing_in(sentence).text


@lru_cache(maxsize=2048)
def standing_in(sentence: str) -> Remainder:
    """Return what is left of `sentence` without what it takes back."""
    if not any(map(str.isdigit, sentence)):
        return Remainder(sentence, sentence, ())
    return standing(sentence, tuple((each.start, each.end) for each in analytes_named(sentence)))


@dataclass(frozen=True, slots=True)
class MeasuredValue:
    """A value that a sentence gives for this patient now: what is measured, its name there, the value."""

    limit: Limit
    name: str
    given: Given
    part: str  # the part of the sentence in which it stands

    @property
    def value(self) -> float:
        """Return the value in the limits' unit; NaN if it is impossible, or only its bound is given."""
        value = self.limit.measured(self.given.quantity)
        return float("nan") if value is None or self.given.beyond else value

    @property
    def written(self) -> str:
        """Return the value as written, with the word that says it lies beyond."""
        quantity = self.given.quantity
        return self.part[self.given.said_from if self.given.beyond else quantity.start : quantity.end]

    def as_finding(self) -> Critical:
        """Return the value as a finding, critical or not."""
        name = _name(self.limit, self.given.quantity, self.part)
        return Critical(
            name, self.written, key_of(self.limit, self.given.quantity), self.limit.name, self.name
        )

    def each(self) -> Iterator[MeasuredValue]:
        """Yield the value, and behind it the second one if "and" joins two with one unit ("4.9 and 7.1 mmol/L").

        Of two that are set ("alarms are set at 50 and 170") only the first is read.
        """
        yield self
        one = self.given.quantity
        first, joined, number = one.number.partition(" and ")
        before = self.part[: one.start]
        other = before.endswith("between ") or are_set(before)
        if joined and not other and ENDS_PART.match(self.part, one.end):
            start = one.start + len(first) + len(joined)
            yield replace(self, given=replace(self.given, quantity=replace(one, number=number, start=start)))

    def other_sides(self) -> tuple[MeasuredValue, ...]:
        """Return the pressure of the other side, if both are of now: "74/40 in his left arm, 128/70 in the right".

        Which of them is the patient's pressure, nobody has said.
        """
        if "/" not in self.given.quantity.number or _FORMS["sides"].search(self.part) is None:
            return ()
        text = stated(self.part)
        if speaks_of_before(text) or may_be_of_before(text) or _FORMS["by_now"].search(text):
            return ()
        named = [each for each in analytes_named(text) if each.limit is self.limit]
        others = [
            each
            for each in quantities(text)
            if "/" in each.number and self.limit.reads(each.unit) and each.start != self.given.quantity.start
        ]
        if len(named) != 1 or len(others) != 1 or others[0].start < named[0].end:
            return ()
        return (replace(self, given=Given(others[0], text, now=False)),)

    def alarm(self, *, child: bool = False) -> Critical | None:
        """Return the value as a critical finding; None if it is within the limits."""
        value = self.limit.measured(self.given.quantity, child=child)
        bounds = self.limit.bounds_for(child=child)
        if value is None or not bounds.beyond(value):
            return None
        if self.given.beyond == ("below" if bounds.is_high(value) else "above"):
            return None  # "is below 7": how far below is not said
        if self.given.beyond and _FORMS["wanted"].search(self.part[: self.given.said_from]):
            return None  # at which somebody wants something: "asks for bicarbonate since pH is under 7.1"
        began = began_at(self.part, self.given.quantity)
        if began is not None and began.value < self.given.quantity.value and not bounds.is_high(value):
            first = self.limit.measured(began, child=child)
            if first is None or not bounds.beyond(first):
                return None  # "Hb rose 10 to 20 g/L": by how much
        found = self.as_finding()
        if not self.limit.problems:
            return found
        # first for a high value, last for a low one
        return replace(found, problem=self.limit.problems[0 if bounds.is_high(value) else -1])


def readings(sentence: str, above: tuple[str, ...] = ()) -> Iterator[MeasuredValue]:
    """Yield the values that `sentence` gives for this patient now."""
    for part in parts(sentence, PART_CHARS):
        for limit, name, value in _read(part, above):
            yield MeasuredValue(limit, name, value, part)


MOST_OF_ONE: Final = 8  # times that one part may name one thing
PART_CHARS: Final = (
    400  # characters that are read for values at a time; no sentence of the recorded discussions has more
)


@lru_cache(maxsize=512)
def _read(sentence: str, above: tuple[str, ...]) -> tuple[tuple[Limit, str, Given], ...]:
    """Return the values that `sentence` gives for this patient now: limit, name there, value."""
    if not may_measure(sentence):
        return ()
    stands = standing_in(sentence)
    found: list[tuple[Limit, str, Given]] = []
    for place in value_places(stands.text, above):
        artefact = is_artefact(stands.words, (place.value[0], place.value[1]), place.limit.name)
        if not (is_elsewhere(place) or artefact):
            found.append((place.limit, sentence[place.name[0] : place.name[1]], place.given))
    newest = {limit.name for limit, _, each in found if each.now}
    found = [each for each in found if each[2].now or each[0].name not in newest]
    return tuple(
        each for at, each in enumerate(found) if not _is_followed(stands.text, each, found[at + 1 :])
    )


_Found = tuple[Limit, str, Given]


def _is_followed(text: str, one: _Found, later: Iterable[_Found]) -> bool:
    """Return whether a later value of the same thing follows a "now": "BP 80/42 then; now BP 122/70"."""
    ends = one[2].quantity.end
    return any(
        other[0] is one[0] and _FORMS["by_now"].search(text, ends, other[2].quantity.start) for other in later
    )


def value_places(text: str, above: tuple[str, ...]) -> Iterator[ValuePlace]:
    """Yield where `text` names a thing that has a limit, with its value in blood, whosever it is."""
    text = without_slip(measured_only(text))
    taken: set[int] = set()
    named_often: Counter[str] = Counter()
    named = analytes_named(text)
    foreign_to = -1  # the end of the last value of another fluid
    for at, mention in enumerate(named):
        stop = named[at + 1].start if at + 1 < len(named) else len(text)
        limit = mention.limit
        if limit is None or named_often[limit.name] >= MOST_OF_ONE:
            continue
        named_often[limit.name] += 1
        value = newest_value(text, mention.start, mention.end, stop, limit.reads)
        if value is None and (before := value_before(text, mention.start, limit.reads)):
            value = None if before.start in taken else Given(before, text, now=False)
        if value is None:
            continue
        taken.add(value.quantity.start)
        joined = goes_on(text, foreign_to, mention.start)
        limit = _in_gas(
            limit, value.quantity, text[mention.start : mention.end], (*above, text[: mention.start])
        )
        place = ValuePlace(limit, (mention.start, mention.end), value, above, joined)
        if is_of_other_stuff(place):
            foreign_to = value.quantity.end
        else:
            yield place


MOST_IN_GAS: Final = 1.35  # mmol/L of calcium; no ionised one is above it, but for hypercalcaemia


def _in_gas(limit: Limit, quantity: Quantity, name: str, before: Iterable[str]) -> Limit:
    """Return the limit under which a value is read: calcium in a blood gas is the ionised one.

    It is so only up to `MOST_IN_GAS`, and if nothing says that it is the total one or the laboratory's.
    """
    words = " ".join((*before, name))
    if not limit.in_gas or _FORMS["gas"].search(words) is None:
        return limit
    other = next(each for each in table().values if each.name == limit.in_gas)
    value = other.measured(quantity)
    return other if value is not None and value <= MOST_IN_GAS else limit


def values_named(sentence: str) -> Iterator[tuple[str, str]]:
    """Yield name and number of each thing measured in blood, whosever and of whatever time."""
    for place in value_places(sentence, ()) if may_measure(sentence) else ():
        quantity = place.given.quantity
        if not place.given.beyond and sentence[quantity.end : quantity.end + 1] not in {"-", "–"}:
            yield place.limit.name, quantity.number


def may_be_of(name: str) -> Callable[[Quantity], bool]:
    """Return a check whether a number may be a value of the thing measured that is called `name`."""
    limit = next(each for each in table().values if each.name == name)
    return lambda quantity: limit.reads(quantity.unit) and limit.measured(quantity) is not None


def key_of(limit: Limit, quantity: Quantity) -> str:
    """Return the key of a value: in its base unit, so that it is one finding however it is written."""
    if "/" in quantity.number:
        return f"{limit.name}={quantity.number}"
    value = limit.measured(quantity)
    if value is None:
        return f"{limit.name}={quantity.number}"
    return f"{limit.name}={value if limit.places is None else round(value, limit.places):g}"


_ADJUSTED: Final = re.compile(r"\b(?:adjusted|corrected)\b", re.IGNORECASE)


def _name(limit: Limit, quantity: Quantity, text: str) -> str:
    """Return what the value is called: a pressure given as a fraction is not only the systolic one.

    "Adjusted" calcium is named so only if the text says so.
    """
    if not _ADJUSTED.search(text):
        return (limit.name.removeprefix("systolic ") if "/" in quantity.number else limit.name).removeprefix(
            "adjusted "
        )
    return limit.name


def is_of_then(reading: MeasuredValue) -> bool:
    """Return whether a value is told as past or usual, and no "now" says otherwise."""
    view = reading.given.view
    return not reading.given.now and _FORMS["of_then"].search(view) is not None


def would_act_at(reading: MeasuredValue) -> bool:
    """Return whether a speaker says that it would act at a value: "I'd dialyse her at a potassium of 6.5".

    It may be a limit, or the patient's value. The words alone do not say which.
    """
    return _FORMS["would_act"].search(reading.part[: reading.given.quantity.start]) is not None


def speaks_of_before(sentence: str) -> bool:
    """Return whether `sentence` speaks of how things were."""
    return _FORMS["then"].search(sentence) is not None


def may_be_of_before(sentence: str) -> bool:
    """Return whether `sentence` speaks of the past or the usual, so that it replaces no other value."""
    return speaks_of_before(sentence) or _FORMS["of_then"].search(sentence) is not None


def is_one_state(sentence: str) -> bool:
    """Return whether the vital signs in `sentence` are of one moment: no two pressures, score or doubt."""
    compared = _FORMS["compared"].search(sentence) is not None and len(_PRESSURE.findall(sentence)) > 1
    return not compared and _FORMS["many_states"].search(sentence) is None


_PRESSURE: Final = re.compile(r"\b\d{2,3}/\d{2,3}\b")
