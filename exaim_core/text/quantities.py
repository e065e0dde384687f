"""Find numbers with their units, as they are written in clinical text."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

# Longest first: "mg/L" before "mg". Written forms that mean the same unit share a name in `_SAME`.
UNITS: Final = (
    r"(?:mcg|micrograms?|µg|μg|mg|g|units?|IU|[Uu]|mmol|ng)/(?:kg/)?(?:min(?:ute)?|h(?:ou)?r?|day)|(?:mcg|micrograms?|µg|μg|g|units?|IU|mmol|ng)/kg|mL/kg(?!/)|"
    r"mL/min/1\.73\s?m(?:²|2)|(?:n|p|u|µ|μ)?mol/h(?:ou)?r?/mg(?: protein)?|mL/kg/h(?:our)?|mg/kg(?:/day|/h(?:our)?|/min)?|"
    r"mcg/kg(?:/min)?|micromol/L|µmol/L|μmol/L|umol/L|nmol/L|pmol/L|mmol/L|mEq/L|m[Oo]sm(?:ol)?/(?:kg|L)|mg/dL|(?:µ|μ|u|mc|n)?g/dL|g/L|mg/L|µg/L|"
    r"mcg/L|micrograms?/(?:d?L|mL)|ng/mL|ng/L|ng/dL|pg/mL|pg/dL|µg/mL|mcg/mL|IU/mL|IU/L|mIU/L|mU/L|kU/L|U/L|U/mL|mmol/mol|mg/mmol|mg/g|mL/min|mL/h(?:ou)?r?|L/min|mm\s?Hg|mm/h(?:ou)?r?|"
    r"cm\s?H2O|cm of water|kPa|(?:[×x*]\s?)?10[Ee*^]*(?:\^?(?:9|3)|⁹|³)\s?/(?:L|[µμu]L)|K/[µμu]L|(?:cells)?/mm3|(?:cells)?/[µμu]L|/min(?:ute)?|(?:beats|breaths)/min(?:ute)?|(?:times|beats|breaths) (?:per|a|each) minute|per minute|bpm|"
    r"kg/m(?:²|2)|m(?:²|2)|°\s?[CF]|degrees(?: Celsius| Fahrenheit)?|%|per ?cent|percent|"
    r"micrograms?|mcg|µg|μg|milligrams?|mg|grams?|kilograms?|kg|g|nanograms?|ng|units?|IU|millilit(?:er|re)s?|mL|ml|mmol|mEq|mosmol|[µμun]mol|micromol|lit(?:er|re)s?|L|"
    r"milliseconds?|msec|ms|seconds?|sec|s|minutes?|mins?|hours?|hrs?|h|days?|weeks?|months?|years?(?: old)?|"
    r"millimet(?:er|re)s?|mm|micromet(?:er|re)s?|[µμ]m|centimet(?:er|re)s?|cm|met(?:er|re)s?|m|kHz|Hz|dB|SD|points?|weeks' gestation"
)
NUMBER: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_QUANTITY: Final = re.compile(
    rf"(?<![\w.])(?<!\d:)(?P<number>(?:{NUMBER})(?:/\d+(?!\.?\d*\s*m²))?(?:\s?(?:[-–]|to|and)\s?(?:{NUMBER})(?=\s?(?:{UNITS})(?!\w)))?)"
    rf"(?:[\s-]?(?P<unit>{UNITS})(?![\w²]))?(?!\w)",
)
_SAME: Final = {
    "µmol/l": "micromol/l", "μmol/l": "micromol/l", "umol/l": "micromol/l", "mmhg": "mmhg", "percent": "%", "per cent": "%",
    "bpm": "/min", "per minute": "/min", "beats per minute": "/min", "breaths per minute": "/min", "/minute": "/min",
    "ml/hour": "ml/h", "ml/hr": "ml/h", "msec": "ms", "millisecond": "ms", "mcg": "microgram", "µg": "microgram", "μg": "microgram",
    "milligram": "mg", "gram": "g", "kilogram": "kg", "hr": "hour", "h": "hour", "min": "minute", "sec": "s", "second": "s",
    "year old": "year", "years old": "year", "millilitre": "ml", "milliliter": "ml", "litre": "l", "liter": "l", "iu": "unit", "m2": "m²",
    "10^3/µl": "10^9/l", "10^3/μl": "10^9/l", "10^3/ul": "10^9/l", "k/µl": "10^9/l", "k/μl": "10^9/l", "k/ul": "10^9/l",
    "cells/µl": "/µl", "cells/μl": "/µl", "cells/ul": "/µl", "/μl": "/µl", "/ul": "/µl", "cells/mm3": "/mm3",
    "beats/min": "/min", "breaths/min": "/min", "beats/minute": "/min", "breaths/minute": "/min",
    "μg/dl": "µg/dl", "ug/dl": "µg/dl", "mcg/dl": "µg/dl",
    "cm of water": "cmh2o", "cm h2o": "cmh2o", "micrometer": "µm", "micrometre": "µm", "μm": "µm", "millimetre": "mm", "millimeter": "mm", "centimetre": "cm", "centimeter": "cm",
}  # fmt: skip


# As it is written in any case: "mmol/l" in a key of JSON.
_ANY_CASE: Final = re.compile(UNITS, re.IGNORECASE)


_JOINED: Final = re.compile(r"-|–| ?and ?")
_CHANGED: Final = re.compile(
    r"\b(?:from|went|gone|(?P<up>rose|risen|climbed|jumped|increased)|(?P<down>fell|fallen|dropped|decreased))"
    r"(?: up| down)? \Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as written, its unit in one form ("" if there is none), and its place."""

    number: str
    unit: str
    start: int
    end: int

    @property
    def value(self) -> float:
        """Return the number; for a range or a fraction such as 92/54 the first one."""
        return next(iter(self._values()), float("nan"))

    def ends(self) -> tuple[Quantity, ...]:
        """Return both numbers of a range, or of two joined by "and", with the unit; else the quantity itself."""
        found = self._values() if _JOINED.search(self.number) else ()
        return tuple(replace(self, number=f"{value:g}") for value in found) or (self,)

    def _values(self) -> tuple[float, ...]:
        return tuple(float(each.replace(",", "")) for each in re.findall(NUMBER, self.number))


def unit_name(unit: str) -> str:
    """Return one form for a unit: lower case, singular, common spellings merged."""
    name = re.sub(r"\s+", " ", unit.strip().lower()).replace("mm hg", "mmhg").replace("° ", "°")
    name = re.sub(r"\A(?:times|beats|breaths) (?:per|a|each) minute", "/min", name)
    name = re.sub(r"\A(?:micrograms?|µg|μg)/(?=kg|min|h|day)", "mcg/", name)
    name = re.sub(r"\Amicrograms?/(?=d?l|ml)", "µg/", name)
    name = re.sub(
        r"\A(?:units?|iu|u)/(?=kg|min|h|day)", "unit/", re.sub(r"/h(?:ou)?r?\Z", "/h", name)
    ).replace("/minute", "/min")
    name = re.sub(r"\A(?:[x×*]\s?)?10[e*^]*(?:\^?(9|3)|(?:⁹|³))\s?(?=/)", _power, name)
    if name in _SAME:
        return _SAME[name]
    if len(name) > 3 and name.endswith("s") and "/" not in name:
        name = name[:-1]
    return _SAME.get(name, name)


def _power(match: re.Match[str]) -> str:
    return "10^3" if match[1] == "3" or "³" in match.group() else "10^9"


def is_unit(text: str) -> bool:
    """Return whether `text` is a unit and nothing else, in any case."""
    return _ANY_CASE.fullmatch(text) is not None


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers in `text` in order, with their units."""
    if not any(char.isdigit() for char in text):
        return ()
    found = []
    for match in _QUANTITY.finditer(text):
        course = re.match(rf"({NUMBER}) to ({NUMBER})\Z", match["number"])
        if course and _is_course(text, match.start(), course[1], course[2]):
            unit, gap = unit_name(match["unit"] or ""), match.start("number") + course.start(2)
            found.append(Quantity(course[1], unit, match.start(), match.start() + course.end(1)))
            found.append(Quantity(course[2], unit, gap, match.end()))
            continue
        number = re.sub(r"\s?(?:–|-|to)\s?", "-", match["number"])
        found.append(Quantity(number, unit_name(match["unit"] or ""), match.start(), match.end()))
    return tuple(found)


def began_at(text: str, end: Quantity) -> Quantity | None:
    """Return the number from which a course goes to `end`, if no "from" says so: 5.1 in "rose 5.1 to 6.9 mmol/L"."""
    for each in quantities(text):
        if each.start < end.start and text[each.end : end.start] == " to ":
            return None if text[: each.start].endswith("from ") else each
    return None


def _is_course(text: str, start: int, first: str, last: str) -> bool:
    """Return whether "`first` to `last`" at `start` is a course and no range: "rose 5.1 to 6.9".

    The numbers go the way that the verb says; "fell 10 to 20 g/L" is by how much.
    """
    change = _CHANGED.search(text, max(0, start - 16), start)
    rises = float(first.replace(",", "")) < float(last.replace(",", ""))
    return change is not None and not (change["up"] and not rises) and not (change["down"] and rises)
