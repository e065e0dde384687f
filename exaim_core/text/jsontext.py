"""JSON objects as agents write them: parsed if they parse, else read pair by pair."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from exaim_core.text.quantities import is_unit
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, classify, classify_key

_FORMS: Final = lexicon("text/jsontext")

MOST_DEEP: Final = 40  # objects in each other; a draft has three
Pairs = tuple[tuple[str, tuple[str, ...]], ...]
_PAIR: Final = re.compile(
    r'"(?P<key>[^"\n]{1,80})"\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)*)"|\[(?P<list>[^\]]*)\])', re.DOTALL
)
_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NUMBERED: Final = re.compile(r"(?:^|[,;]\s*)\d{1,2}[.)]\s+")


def pairs_of(text: str) -> Pairs:
    """Return the pairs of the JSON object in `text`, nested ones too; nothing if there is none.

    What stands under a key that says what it is (`sections.classify`) is one pair, however deep it lies.
    """
    found = _parsed(text)
    if found is None:
        return _by_hand(text)
    return tuple(pair for each in found for pair in _walk(each))


def _parsed(text: str) -> list[dict[str, object]] | None:
    """Return the objects in `text`, one or a list of them; None if it does not parse."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]"))
    if start < 0:
        return []
    try:
        found = json.loads(text[start : end + 1])
    except (ValueError, RecursionError):  # no JSON, or nested by the hundred
        return None
    if _is_deep(found):
        return None
    return [each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)]


def _is_deep(value: object) -> bool:
    """Tell whether objects and lists lie deeper in each other than anybody would read."""
    level = [value]
    for _ in range(MOST_DEEP):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [
            one
            for many in inner
            if isinstance(many, Iterable)
            for one in many
            if isinstance(one, dict | list)
        ]
        if not level:
            return False
    return True


def key_name(key: str) -> str:
    """Return a key as words: "final_diagnosis" and "finalDiagnosis" are "final diagnosis"."""
    return " ".join(_JOINTS.sub(" ", key).split())


class Leaf(NamedTuple):
    """A text or a number of a JSON object: the keys above it as words, outermost first; what stands there."""

    path: tuple[str, ...]
    text: str


def leaves_of(text: str) -> tuple[Leaf, ...]:
    """Return each text and number of the JSON object in `text`, in order; () if it does not parse.

    A name with its value and unit beside it is one: {"test": "K", "value": 6.9, "unit": "mmol/L"} is "K:
    6.9 mmol/L". A number, or a text that is a measured value, is read under its key: {"K": "6.9 mmol/L"},
    {"K_mmol_l": 6.9}. Who a text beside them names stands above them. What is true, false or null says
    nothing.
    """
    return tuple(leaf for each in _parsed(text) or () for leaf in _leaves(each, ()))


def _leaves(value: object, path: tuple[str, ...]) -> list[Leaf]:
    if isinstance(value, dict):
        measured = _measured(value, path[-1] if path else "")
        if measured:
            return [Leaf(path, measured)]
        whose = tuple(
            inner for name, inner in value.items() if name.lower() in _WHOSE and isinstance(inner, str)
        )
        fields = ((key_name(str(name)), inner) for name, inner in value.items())
        return [leaf for name, inner in fields for leaf in _leaves(inner, (*path, *whose, name))]
    if isinstance(value, list):
        return [leaf for inner in value for leaf in _leaves(inner, path)]
    if isinstance(value, bool):
        return []
    key = path[-1] if path else ""
    if isinstance(value, str):
        parts = split_list(value)
        return [Leaf(path, f"{key}: {part}" if key and _VALUE.fullmatch(part) else part) for part in parts]
    if isinstance(value, int | float):
        name, unit = _unit_of_key(key)
        return [Leaf(path, f"{name}: {value} {unit}".strip())]
    return []


def _measured(value: dict[str, object], key: str) -> str:
    """Return an object that gives the value of what it or its key names as a sentence; "" for any other."""
    fields = {key_name(str(name)).lower(): inner for name, inner in value.items()}
    name = next((fields[each] for each in _NAMES if isinstance(fields.get(each), str)), key)
    found = next((fields[each] for each in _VALUES if isinstance(fields.get(each), str | int | float)), None)
    if not name or found is None or isinstance(found, bool) or not any(map(str.isdigit, str(found))):
        return ""
    unit = next((fields[each] for each in ("unit", "units") if isinstance(fields.get(each), str)), "")
    return f"{name}: {found} {unit}".strip()


def denies(key: str) -> bool:
    """Tell whether a key takes back, forbids or dates what stands under it."""
    return _FORMS["denies"].search(key) is not None


def _unit_of_key(key: str) -> tuple[str, str]:
    """Return a key as words and the unit that it ends in, "" without one: "sodium mmol l" is in mmol/L."""
    words = key.split()
    for count in (2, 1):
        last = "/".join(words[-count:]).lower()
        if len(words) > count and len(last) > 1 and is_unit(last):
            return " ".join(words[:-count]), last
    if len(words) > 1 and (unit := _KEY_UNITS.get(words[-1].lower())):
        return " ".join(words[:-1]), unit
    return key, ""


_NAMES: Final = ("analyte", "test", "name", "parameter", "lab", "measurement", "vital", "sign")
_VALUES: Final = ("value", "result", "level", "measured", "reading")
_WHOSE: Final = frozenset(
    {"patient", "relation", "relationship", "relative", "person", "subject", "who", "whose"}
)
_JOINTS: Final = re.compile(r"_+|(?<=[a-z\d])(?=[A-Z])")
_VALUE: Final = re.compile(r"[<>≤≥]?\s*\d+(?:[.,/]\d+)*(?:\s*[^\s\d]\S{0,15}){0,2}")
_KEY_UNITS: Final = {"percent": "%", "pct": "%", "c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F"}


def _walk(value: dict[str, object]) -> list[tuple[str, tuple[str, ...]]]:
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for key, inner in value.items():
        if isinstance(inner, dict) and _is_nameless(key_name(str(key)), inner):
            pairs += _walk(inner)
        elif isinstance(inner, dict):
            pairs.append((key_name(str(key)), tuple(text for _, texts in _walk(inner) for text in texts)))
        else:
            pairs.append((key_name(str(key)), _strings(inner)))
    return pairs


def _is_nameless(key: str, inner: dict[str, object]) -> bool:
    """Tell whether the keys inside say more than `key`, which says nothing of what stands under it."""
    if classify(key) is not Section.OTHER or _FORMS["denies"].search(key):
        return False
    return any(classify_key(key_name(str(name))) is not Section.OTHER for name in inner)


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return split_list(value)
    if isinstance(value, list):
        return tuple(text for inner in value for text in _strings_of_item(inner))
    return () if value is None or isinstance(value, bool) else (str(value),)


def _strings_of_item(value: object) -> tuple[str, ...]:
    if isinstance(value, dict):
        return tuple(str(inner) for inner in value.values() if isinstance(inner, str))[:1]
    return (value,) if isinstance(value, str) else _strings(value)


def split_list(text: str) -> tuple[str, ...]:
    """Return the items of a list written into one string ("1. a, 2. b"), or the string alone."""
    parts = [part.strip(" ,;") for part in _NUMBERED.split(text) if part.strip(" ,;")]
    return tuple(parts) if len(parts) > 1 else ((text.strip(),) if text.strip() else ())


def _by_hand(text: str) -> Pairs:
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for match in _PAIR.finditer(text):
        if match["text"] is not None:
            pairs.append((key_name(match["key"]), split_list(match["text"])))
        else:
            pairs.append((key_name(match["key"]), tuple(_TEXT.findall(match["list"]))))
    return tuple(pairs)
