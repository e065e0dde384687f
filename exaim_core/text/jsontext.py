"""JSON objects as agents write them: parsed if they parse, else read pair by pair."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from exaim_core.text.quantities import is_unit
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import DRAFTED, Section, classify, classify_key

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
    """A text or a number of a JSON object: the keys above it as words, outermost first; what stands there.

    `of`: what the record is of that the text is from, "" for none: the text says something of it.
    """

    path: tuple[str, ...]
    text: str
    of: str = ""


def leaves_of(text: str) -> tuple[Leaf, ...]:
    """Return each text and number of the JSON object in `text`, in order; () if it does not parse.

    A name with its value and unit beside it is one: {"test": "K", "value": 6.9, "unit": "mmol/L"} is "K:
    6.9 mmol/L". A number, or a text that is a measured value, is read under its key: {"K": "6.9 mmol/L"},
    {"K_mmol_l": 6.9}. Who a text beside them names stands above them. What is true, false or null says
    nothing. An object that names a drug or another thing is a record: what its other fields say is one text of it.
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
        fields = {key_name(str(name)): inner for name, inner in value.items()}
        above = (*path, *whose)
        record, rest, subject = _record(fields, above)
        above = (*above, subject) if subject else above
        return [*record, *(leaf for name, inner in rest.items() for leaf in _leaves(inner, (*above, name)))]
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


def _record(fields: dict[str, object], path: tuple[str, ...]) -> tuple[list[Leaf], dict[str, object], str]:
    """Return a record as one leaf, the fields that are none of it, and what it is of; "" for what is no record.

    Its dose and how it is given follow the name, then what is said of it, the reason last.
    """
    names = {name.lower(): name for name in fields}
    key = next((names[each] for each in _SUBJECTS if each in names), "")
    subject = fields.get(key)
    if path and classify_key(path[-1]) in DRAFTED:
        return [], fields, ""  # an item of a draft, which is read by its keys
    if not isinstance(subject, str) or not 0 < len(subject.split()) <= MOST_SUBJECT_WORDS:
        return [], fields, ""
    said = {
        name: str(inner).strip()
        for name, inner in fields.items()
        if name != key
        and name.lower() not in _WHOSE
        and isinstance(inner, str | int | float)
        and not isinstance(inner, bool)
        and str(inner).strip()
    }
    how = [text for name, text in said.items() if name.lower() in _GIVEN]
    words = [name for name in said if name.lower() not in _GIVEN and isinstance(fields[name], str)]
    if not (how or words) or (
        key.lower() in _ANYTHING and not {name.lower() for name in words} <= _SAID_OF_IT
    ):
        return [], fields, ""
    words.sort(key=lambda name: name.lower() in _WHY)
    text = "; ".join([*([" ".join(how)] if how else []), *(said[name].rstrip(" .") for name in words)])
    rest = {name: inner for name, inner in fields.items() if name not in {key, *said}}
    return [Leaf(path, text, subject.strip())], rest, subject.strip()


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


MOST_SUBJECT_WORDS: Final = 8  # of the name of what a record is of
_SUBJECTS: Final = (
    *("drug", "drug name", "medication", "medication name", "medicine", "substance", "allergen"),
    *("treatment", "therapy", "intervention", "product", "name", "item"),
)
"""Keys that name what a record is of, the surest first."""
_ANYTHING: Final = frozenset(_SUBJECTS[7:])
"""Those that do so only beside fields that are known to say something of it."""
_GIVEN: Final = frozenset(
    "dose dosage amount strength unit units route frequency freq interval rate duration timing form".split()
)
_WHY: Final = frozenset(
    "reason rationale because why evidence note notes comment explanation justification".split()
)
_SAID_OF_IT: Final = _WHY | frozenset(
    "verdict status decision recommendation advice action reaction severity priority".split()
)
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
        if isinstance(inner, dict) and (parted := _parted(key_name(str(key)), inner)):
            pairs += parted
        elif isinstance(inner, dict) and _is_nameless(key_name(str(key)), inner):
            pairs += _walk(inner)
        elif isinstance(inner, dict):
            pairs.append((key_name(str(key)), tuple(text for _, texts in _walk(inner) for text in texts)))
        else:
            pairs.append((key_name(str(key)), _strings(inner)))
    return pairs


def _parted(key: str, inner: dict[str, object]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the pairs of an object that decides on a diagnosis, or tells that a view has changed; [] for any other.

    Under "final decision" the diagnosis is what is decided, and the rest stands under keys of its own. Of a change of
    mind the new view is the diagnosis.
    """
    fields = {key_name(str(name)).lower(): value for name, value in inner.items()}
    if _FORMS["changes_view"].search(key):
        new = next((fields[name] for name in _NEW if name in fields), None)
        return [("revised diagnosis", _strings(new))] if new is not None else []
    if classify(key) not in {Section.LEADING, Section.AGREEMENT}:
        return []
    decided = next((name for name in inner if classify(key_name(str(name))) is Section.LEADING), None)
    if decided is None or not isinstance(inner[decided], str):
        return []
    rest = {name: value for name, value in inner.items() if name != decided}
    return [(key, _strings(inner[decided])), *_walk(rest)]


_NEW: Final = ("to", "new", "now", "after", "current", "revised", "updated")


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
