"""What is said for one written word: numbers with their units, signs, acronyms, abbreviations.

Decided word by word, with a look at the words beside it; the lists are in `ear_lexicon.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

_NUMBER: Final = r"\d+(?:,\d{3})*(?:\.\d+)?"
_DASH: Final = "[-–—−]"
_SIGNS: Final = {
    ">=": "at least", "<=": "at most", "≥": "at least", "≤": "at most", ">": "above", "<": "below",
    "±": "plus or minus", "+/-": "plus or minus", "~": "about", "≈": "about", "=": "equals", "+": "plus",
    "-": "minus", "−": "minus", "×": "times", "x": "times",
}  # fmt: skip
_SIGN: Final = re.compile(r"^(\+/-|>=|<=|[≥≤><±~≈=+−×-]|x(?=\d))(?=[\d.(])(.+)$")
_PRESSURE: Final = re.compile(r"^(\d{2,3})/(\d{2,3})$")
_OUT_OF: Final = re.compile(r"^(\d)/(\d{1,2})$")
_RANGE: Final = re.compile(rf"^({_NUMBER}){_DASH}({_NUMBER})(.*)$")
_ATTACHED: Final = re.compile(rf"^({_NUMBER})([^\d\s.,].*)$")
_EVERY: Final = re.compile(rf"^[qQ](\d+)(?:{_DASH}(\d+))?\s?(h|hr|hrs|hours?|d|days?|min)$")
_TIMES: Final = re.compile(rf"^({_NUMBER})[x×]$")
_POWER: Final = re.compile(r"^(?:[x×*]\s?)?10(?:\^(\d{1,2})|([⁰¹²³⁴-⁹]+))(?:/(.+))?$")
_CAPITALS: Final = re.compile(r"^([A-Z]{2,6})(s?)(\d*)$")
_LOOKS_LIKE_NUMBER: Final = re.compile(rf"{_NUMBER}$")
_DAYS: Final = re.compile(rf"^({_NUMBER})-(day|week|month|year|hour|minute|fold|year-old|mm|cm|mg)s?(-old)?$")
_SUPERSCRIPT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NOT_SAID: Final = re.compile(r"[*_#`|\[\]{}^\\\"“”„«»•▪●◦…(){}]")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The lists of `ear_lexicon.json`; what each means is said there."""

    said: Mapping[str, str]
    spell: frozenset[str]
    read: frozenset[str]
    units: Mapping[str, tuple[str, str]]
    sure_units: frozenset[str]
    greek: Mapping[str, str]
    no_end_after: frozenset[str]


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the lists, read once."""
    raw = json.loads(files("tts_queue").joinpath("ear_lexicon.json").read_text(encoding="utf-8"))
    return Lexicon(
        said=raw["said"],
        spell=frozenset(raw["spell"]),
        read=frozenset(raw["read"]),
        units={symbol: (one, many) for symbol, (one, many) in raw["units"].items()},
        sure_units=frozenset(raw["sure_units"]),
        greek=raw["greek"],
        no_end_after=frozenset(raw["no_end_after"]),
    )


def spoken_core(core: str, before: str) -> str:
    """Return what is said for `core`, a word without the punctuation around it, after the word `before`."""
    lists = lexicon()
    after_number = bool(_LOOKS_LIKE_NUMBER.search(before))
    if core in {"x", "×"} and after_number:
        return "by"
    if core in lists.said:
        return lists.said[core]
    if (unit := unit_name(core, one=before == "1", sure=after_number)) is not None:
        return unit
    for rule in (_count, _sign, _number_with_unit, _capitals, _joined):
        if (said := rule(core)) is not None:
            return said
    return _letters(core)


def unit_name(symbol: str, *, one: bool, sure: bool) -> str | None:
    """Return the name of a unit, "per" between its parts, or None if it is none.

    `sure`: a number stands before it; else only what can't be another word counts.
    """
    first, *others = symbol.split("/")
    lists = lexicon()
    if first not in lists.units and not (first in {"cells", "units", "breaths", "beats"} and others):
        return None
    if not sure and first not in lists.sure_units and not others:
        return None
    if others and any(_unit_below(other) is None for other in others):
        return None
    name = lists.units[first][0 if one else 1] if first in lists.units else first
    return " per ".join([name, *(_unit_below(other) or "" for other in others)])


def _unit_below(symbol: str) -> str | None:
    """Return the name of a unit after "per": one of it, or a number of them ("1.73m2")."""
    lists = lexicon()
    if symbol in lists.units:
        return lists.units[symbol][0]
    if symbol in {"day", "week", "month", "year", "hour", "minute", "dose", "kilogram", "1.73"}:
        return symbol
    attached = _ATTACHED.match(symbol)
    if attached and attached[2] in lists.units:
        return f"{attached[1]} {lists.units[attached[2]][1]}"
    power = re.match(r"^10\^?(\d{1,2})$", symbol)
    return f"ten to the {power[1]}" if power else None


def _sign(core: str) -> str | None:
    match = _SIGN.match(core)
    if match is None:
        return None
    return f"{_SIGNS[match[1]]} {spoken_core(match[2], '')}"


def _count(core: str) -> str | None:
    """Pressures, scores, intervals, powers: numbers that are not read as they stand."""
    if match := _PRESSURE.match(core):
        return f"{match[1]} over {match[2]}"
    if match := _OUT_OF.match(core):
        return f"{match[1]} out of {match[2]}"
    if match := _EVERY.match(core):
        span = match[1] if match[2] is None else f"{match[1]} to {match[2]}"
        unit = {"h": "hours", "d": "days", "m": "minutes"}[match[3][0]]
        return f"every {span} {unit}" if span != "1" else f"every {unit[:-1]}"
    if match := _TIMES.match(core):
        return f"{match[1]} times"
    if match := _POWER.match(core):
        power = match[1] or match[2].translate(_SUPERSCRIPT)
        below = _unit_below(match[3]) if match[3] else None
        return f"times ten to the {power}" + (f" per {below}" if below else "")
    return None


def _number_with_unit(core: str) -> str | None:
    """Ranges ("5-10mg"), and numbers with something attached ("5mg", "37.2°C", "12-hour")."""
    if match := _RANGE.match(core):
        rest = f" {spoken_core(match[3].lstrip('-'), match[2])}" if match[3] else ""
        return f"{match[1]} to {match[2]}{rest}"
    if match := _DAYS.match(core):
        name = unit_name(match[2], one=True, sure=True) or match[2].replace("-", " ")
        return f"{match[1]} {name}{' old' if match[3] else ''}"
    match = _ATTACHED.match(core)
    if match is None:
        return None
    number, rest = match[1], match[2].lstrip("-")
    unit = unit_name(rest, one=number == "1", sure=True)
    return f"{number} {unit}" if unit is not None else None


def _capitals(core: str) -> str | None:
    match = _CAPITALS.match(core)
    if match is None:
        return None
    letters, plural, digits = match.groups()
    lists = lexicon()
    if letters in lists.read:
        said = letters.lower() if letters not in {"MRSA", "CABG", "SIADH"} else _READ_AS[letters]
    else:
        said = spelled(letters)
    if plural:
        said += "s" if letters in lists.read else "'s"
    return f"{said} {digits}" if digits else said


_READ_AS: Final = {"MRSA": "mersa", "CABG": "cabbage", "SIADH": "S.I.A.D.H"}


def spelled(letters: str) -> str:
    """Return letters so that an engine names them one by one; a last dot would end its sentence."""
    return ".".join(letters.upper())


def _joined(core: str) -> str | None:
    """Words joined by a slash, a hyphen or a plus: each part is said by its own rule."""
    if "/" in core and not core.startswith("/"):
        parts = [spoken_core(part, "") for part in core.split("/") if part]
        return ", ".join(parts)
    if "-" in core.strip("-") and any(c.isupper() or c in lexicon().greek for c in core[1:] + core[:1]):
        parts = [spoken_core(part, "") for part in re.split("[-–]", core) if part]
        return " ".join(parts) if any(_is_changed(core, part) for part in parts) else None
    return None


def _is_changed(core: str, said: str) -> bool:
    return said not in core


def _letters(core: str) -> str:
    """Return a plain word without signs that have no sound, Greek letters by name."""
    lists = lexicon()
    if len(core) > 1 and any(c in lists.greek for c in core) and core not in lists.units:
        core = re.sub("|".join(lists.greek), lambda m: f" {lists.greek[m[0]]} ", core)
        core = re.sub(r"\s+", " ", core.replace(" -", "-").replace("- ", "-")).strip()
    elif core in lists.greek:
        return lists.greek[core]
    for sign in ("≥", "≤", ">", "<", "≈", "~", "±", "→", "↑", "↓", "%", "&", "°"):
        core = core.replace(sign, f" {lists.said[sign]} ")
    return re.sub(r"\s+", " ", _NOT_SAID.sub("", core.replace("_", " "))).strip()
