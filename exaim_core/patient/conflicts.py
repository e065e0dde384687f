"""Find numbers that the case paper contradicts, and sentences that put a wrong number right.

A value differs from the paper for good reasons too: it is newer, another specimen, an aim. So a conflict is
only what looks like a slip of the pen (a power of ten, transposed digits), or is half as large again and
comes without any word of time or course.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from exaim_core.claims.claims import Claim, Conflict, Kind, said_by
from exaim_core.claims.values import value_after
from exaim_core.lexicon.statements import measured
from exaim_core.patient.paper import CasePaper
from exaim_core.text.assertion import statuses_around
from exaim_core.text.quantities import Quantity, quantities, unit_name
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence, Unit

_FORMS: Final = lexicon("patient/conflicts")
HALF_AGAIN: Final = 1.5  # smaller differences are other samples and rounding, more often than errors


@dataclass(frozen=True, slots=True)
class _Known:
    """A quantity of the paper: the pattern of its name, and its values by unit."""

    name: str
    pattern: re.Pattern[str]
    unit: str
    values: tuple[float, ...]
    written: str
    newest: str


class PaperValues:
    """The measured values of one case paper, ready to be compared with sentences."""

    def __init__(self, paper: CasePaper) -> None:
        found: dict[tuple[str, str], list[tuple[float, str]]] = {}
        rows = [(lab.analyte, lab.value, lab.unit) for lab in paper.labs]
        rows += [(seen.name, seen.value, seen.unit) for seen in paper.observations]
        for name, value, unit in rows:
            if not isinstance(value, str) and unit:
                key = re.split(r",| \(", name)[0].strip()
                found.setdefault((key, unit_name(unit)), []).append((float(value), unit))
        self._known = tuple(
            _Known(
                name,
                re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE),
                unit,
                tuple(value for value, _ in values),
                f"{values[0][0]:g} {values[0][1]}",
                f"{values[-1][0]:g} {values[-1][1]}",
            )
            for (name, unit), values in found.items()
        )

    def conflicts_in(self, units: Iterable[Unit]) -> list[Claim]:
        """Return the values in `units` that contradict the paper, in order."""
        return [
            said_by(unit.source, Kind.CONFLICT, unit.full, entity=conflict.name, conflict=conflict)
            for unit in units
            if isinstance(unit, Sentence)
            and unit.section not in {Section.TESTS, Section.DISAGREEMENT}
            and any(character.isdigit() for character in unit.text)
            for conflict in self._contradicted(unit.full)
        ]

    def contradicts(self, name: str, value: str, text: str) -> str | None:
        """Return what is on record for the quantity `name` if `value`, given in `text`, contradicts it."""
        said = quantities(value)
        names = {name.lower(), f"systolic {name.lower()}"}
        for known in self._known:
            if said and known.name.lower() in names and known.unit == said[0].unit:
                return known.newest if _contradicts(said[0], known, text) else None
        return None

    def _contradicted(self, text: str) -> list[Conflict]:
        stated = {(q.start, q.end) for q in measured(text)}
        if not stated or corrected(text):
            return []
        return [
            Conflict(known.name, text[said.start : said.end], known.written)
            for known in self._known
            if (said := self._said(text, known)) is not None
            and (said.start, said.end) in stated
            and _contradicts(said, known, text)
        ]

    def _said(self, text: str, known: _Known) -> Quantity | None:
        for mention in known.pattern.finditer(text):
            if _FORMS["other_specimen"].search(text[: mention.start()]):
                continue
            said = value_after(text, mention.end(), known.unit.__eq__)
            if said is not None and not statuses_around(text, mention.start(), said.end):
                return said
        return None


def _contradicts(said: Quantity, known: _Known, text: str) -> bool:
    if (
        not re.fullmatch(r"[\d,.]+(?:/\d+)?", said.number)
        or not said.value
        or any(not value for value in known.values)
    ):
        return False
    value = said.value
    if any(abs(value - there) <= 0.05 * abs(there) for there in known.values):
        return False
    if any(_slip(value, there) for there in known.values):
        return True
    ratios = [max(value / there, there / value) for there in known.values]
    return min(ratios) >= HALF_AGAIN and _FORMS["course"].search(text) is None


def _slip(said: float, there: float) -> bool:
    """Return whether the two differ by a power of ten, or have the same digits in another order."""
    if any(abs(said - there * 10.0**power) <= 1e-6 * said for power in (-3, -2, -1, 1, 2, 3)):
        return True
    digits = [f"{number:g}".replace(".", "") for number in (said, there)]
    return len(digits[0]) >= 2 and sorted(digits[0]) == sorted(digits[1]) and digits[0] != digits[1]


def corrected(text: str) -> tuple[Quantity, Quantity] | None:
    """Return the right and the wrong value of "is 48 ng/L, not 480 ng/L" or "not 480 but 48 ng/L"."""
    found = quantities(text)
    for one, other in pairwise(found):
        between = text[one.end : other.start]
        if one.unit and other.unit and one.unit != other.unit:
            continue
        if _FORMS["not"].fullmatch(between):
            return one, other
        if _FORMS["but"].fullmatch(between) and re.search(
            r"\bnot (?:of |the )?\Z", text[: one.start], re.IGNORECASE
        ):
            return other, one
    return None


def corrections_in(units: Iterable[Unit]) -> list[Claim]:
    """Return the sentences of `units` that replace a number by another, in order."""
    made: list[Claim] = []
    for unit in units:
        if not isinstance(unit, Sentence) or unit.text.endswith("?"):
            continue
        pair = corrected(unit.full)
        if pair is None:
            continue
        right, wrong = pair
        said, instead = (unit.full[one.start : one.end] for one in (wrong, right))
        if not wrong.unit and right.unit:
            said += unit.full[right.start + len(right.number) : right.end]
        conflict = Conflict("", said, instead)
        made.append(said_by(unit.source, Kind.CORRECTION, unit.full, conflict=conflict))
    return made
