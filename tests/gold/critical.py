"""Critical values by surface form, and their look-alikes: `critical_matrix.yaml`, `critical_lookalikes.yaml`.

It knows nothing of the code that the rows judge. The split is by rule: every third analyte, form and template
in file order is sealed, and a row is sealed if any of its parts is. A mark in the files that says otherwise
raises.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from lab.yamlfile import read_yaml

HERE: Final = Path(__file__).parent
EVERY_SEALED: Final = 3
EVERY_VALUE: Final = 7  # of the matrix's values one template of a look-alike takes so many'th
_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_FULL_WIDTH: Final = str.maketrans("0123456789.", "".join(map(chr, (*range(0xFF10, 0xFF1A), 0xFF0E))))


class BadSplit(ValueError):
    """A mark in a file is not what the rule makes of its place; the message names the row."""


@dataclass(frozen=True, slots=True)
class Row:
    """One passage. `value` is the number that must alarm, None if nothing may; `of` is its form or template.

    `told` are the names by one of which the alarm must call what is measured, in small letters.
    """

    of: str
    text: str
    sealed: bool
    value: float | None = None
    told: tuple[str, ...] = ()

    def met_by(self, alarms: Iterable[str]) -> bool:
        """Tell whether `alarms`, as they are told, are what the row asks for."""
        if self.value is None:
            return not list(alarms)
        return any(
            any(name in alarm.lower() for name in self.told)
            and any(float(number.replace(",", "")) == self.value for number in _NUMBER.findall(alarm))
            for alarm in alarms
        )


@dataclass(frozen=True, slots=True)
class _Value:
    told: tuple[str, ...]
    number: float
    slots: dict[str, str]
    sealed: bool


def matrix() -> tuple[Row, ...]:
    """Return each value of each analyte in each form that exists for it."""
    forms = _split(_load("critical_matrix.yaml")["forms"])
    return tuple(
        Row(form["id"], _text(form, value), sealed or value.sealed, value.number, value.told)
        for form, sealed in forms
        for value in _values()
        if value.slots.get(form.get("needs", "v"))
    )


def lookalikes() -> tuple[Row, ...]:
    """Return the passages that name a value and must alarm nobody."""
    return tuple(
        row
        for place, (template, sealed) in enumerate(_split(_load("critical_lookalikes.yaml")["templates"]))
        for row in _filled(template, place, sealed=sealed)
    )


def _filled(template: dict[str, Any], place: int, *, sealed: bool) -> Iterator[Row]:
    for text in template.get("values", ()):
        yield Row(template["id"], text, sealed)
    if "values" not in template:
        for value in _values()[place % EVERY_VALUE :: EVERY_VALUE]:
            yield Row(template["id"], _text(template, value), sealed or value.sealed)


def _text(template: dict[str, Any], value: _Value) -> str:
    """Return the template filled; a value without a unit leaves no blank for it."""
    text: str = template["text"]
    return (text if value.slots["u"] else text.replace(" {u}", "")).format(**value.slots)


def _load(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = read_yaml(HERE / name)
    return loaded


def _split(rows: Sequence[dict[str, Any]]) -> Iterable[tuple[dict[str, Any], bool]]:
    for place, row in enumerate(rows, 1):
        sealed = place % EVERY_SEALED == 0
        if row["split"] != ("sealed" if sealed else "tune"):
            raise BadSplit(row["id"])
        yield row, sealed


@cache
def _values() -> tuple[_Value, ...]:
    return tuple(
        _Value(tuple(analyte["told"]), float(value["v"]), _slots(analyte, value), sealed)
        for analyte, sealed in _split(_load("critical_matrix.yaml")["analytes"])
        for value in analyte["values"]
    )


def _slots(analyte: dict[str, Any], value: dict[str, Any]) -> dict[str, str]:
    """Return what fills the slots of a form; a slot that the value has not is absent."""
    name, number, unit = analyte["name"], value["v"], value["unit"]
    made: dict[str, str] = {
        "name": name,
        "Name": name[:1].upper() + name[1:],
        "short": analyte["short"],
        "key": re.sub(r"\W+", "_", name).lower(),
        "v": number,
        "u": unit,
        "z": f"{number[0]}\u200b{number[1:]}",
        "f": number.translate(_FULL_WIDTH),
        **{key: value[key] for key in ("words", "ref", "normal", "flag")},
        **{key: analyte[key] for key in ("symbol", "latex", "shy") if key in analyte},
    }
    if "." in number:
        made |= {"c": number.replace(".", ","), "m": number.replace(".", "·")}
    if value.get("bare"):
        made["bare"] = "yes"
    if unit.isascii() and unit[:1].isalpha():
        made["ukey"] = re.sub(r"\W+", "_", unit).lower()
    return made
