"""Join a number in JSON with its unit, wherever the unit stands.

"dose_mg": 20                          20 mg
"dose": {"value": 20, "unit": "mg"}    20 mg
{"name": "K", "val": 6.9, "unit": "mmol/L"}    K: 6.9 mmol/L
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from exaim_core.text.jsontext import RESULTS, Json
from exaim_core.text.keys import KeySense, key_name, meaning
from exaim_core.text.quantities import is_unit

_ANALYTES: Final = ("analyte", "test", "name", "parameter", "lab", "measurement", "vital", "sign")
_UNITS: Final = ("unit", "units")
_KEY_UNITS: Final = {"percent": "%", "pct": "%", "c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F"}
_NUMBER: Final = re.compile(r"[<>≤≥]?\s*\d+(?:[.,/]\d+)*")


def is_number(value: Json) -> bool:
    """Return whether a value is a number, or a text that is one: 20, "20", "<0.5"; true and false are none."""
    if isinstance(value, str):
        return _NUMBER.fullmatch(value.strip()) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def unit_of_key(key: str) -> tuple[str, str]:
    """Return a key as words and the unit at its end ("" for none): "sodium mmol l" is in mmol/L.

    "min" alone is none: "platelets min" is the least of them.
    """
    words = key.split()
    for count in (3, 2, 1):
        before = " ".join(words[:-count])
        if not before or (count == 1 and words[-1].lower() == "min"):
            continue
        for last in ("/".join(words[-count:]).lower(), "".join(words[-count:])):
            if is_unit(last) and (len(last) > 1 or meaning(before).sense is KeySense.HOW):
                return before, last
    if len(words) > 1 and (unit := _KEY_UNITS.get(words[-1].lower())):
        return " ".join(words[:-1]), unit
    return key, ""


def amount(value: Json) -> str:
    """Return a number with its unit as words: {"value": 20, "unit": "mg"} is "20 mg"; "" for anything else."""
    if not isinstance(value, dict):
        return ""
    fields = _lower(value)
    unit = next((fields.pop(each) for each in _UNITS if each in fields), None)
    numbers = [inner for inner in fields.values() if is_number(inner)]
    if len(fields) != 1 or len(numbers) != 1 or not isinstance(unit, str):
        return ""
    return f"{numbers[0]} {unit}"


def with_their_units(fields: Mapping[str, Json]) -> dict[str, Json]:
    """Return the fields of an object with the number of its dose and the unit beside it as one text."""
    made = {name: amount(inner) or inner for name, inner in fields.items()}
    units = [name for name in made if name.lower() in _UNITS and isinstance(made[name], str)]
    bare = [
        name
        for name, inner in made.items()
        if meaning(name).sense is KeySense.HOW and is_number(inner) and name.lower() not in _UNITS
    ]
    if len(units) == 1 and len(bare) == 1:
        made[bare[0]] = f"{made[bare[0]]} {made.pop(units[0])}"
    return made


def measured(value: Mapping[str, Json], key: str) -> tuple[str, frozenset[str]]:
    """Return an object that gives the value of a named thing as a sentence, and its keys that are in it.

    The name is under a key of its own, else it is `key`. The value is under a key that says so; beside a name and a
    unit the one number is it. "" and no keys for any other object.
    """
    fields = _lower(value)
    named = next((each for each in _ANALYTES if isinstance(fields.get(each), str)), "")
    name = fields[named] if named else key
    unit = next((each for each in _UNITS if isinstance(fields.get(each), str)), "")
    found = next((each for each in RESULTS if isinstance(fields.get(each), str | int | float)), "")
    numbers = [
        each
        for each, inner in fields.items()
        if is_number(inner) and each != named and meaning(each).sense is KeySense.OTHER
    ]
    if not found and named and unit and len(numbers) == 1:
        found = numbers[0]
    said = fields.get(found)
    if not name or not found or isinstance(said, bool) or not any(map(str.isdigit, str(said))):
        return "", frozenset()
    text = f"{name}: {said} {fields[unit] if unit else ''}".strip()
    used = {named, unit, found}
    return text, frozenset(each for each in value if key_name(each).lower() in used)


def _lower(value: Mapping[str, Json]) -> dict[str, Json]:
    return {key_name(name).lower(): inner for name, inner in value.items()}
