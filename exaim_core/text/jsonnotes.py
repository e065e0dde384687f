"""Read a small object of JSON as a note on the thing that it names first, by whatever key.

{"structure": "aortic root", "appearance": "dilated to 52 mm"}    aortic root: dilated to 52 mm
{"site": "left calf", "swelling": "yes", "girth_cm": 41}          left calf: swelling: yes; girth: 41 cm
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from exaim_core.text.jsonamounts import is_number, unit_of_key
from exaim_core.text.jsonrecords import WHOSE, in_short, is_planned, key_of
from exaim_core.text.jsontext import Json
from exaim_core.text.keys import (
    AGAINST,
    KeySense,
    meaning,
    names_a_finding,
    names_by,
    plain_key,
    refuses,
    rules,
)
from exaim_core.text.refusals import flag
from exaim_core.text.sections import DRAFTED, Section, classify_key

MOST_WORDS: Final = 8
_KEYLESS: Final = frozenset({KeySense.VERDICT, KeySense.WHY})
_OF_THINGS: Final = frozenset({"", "any", "test"})


class Note(NamedTuple):
    """Something that an object says of its thing, and the values that it is worded from."""

    text: str
    values: tuple[str, ...]


def noted(fields: Mapping[str, Json], path: tuple[str, ...], *, listed: bool) -> tuple[str, tuple[Note, ...]]:
    """Return the thing that an object under `path` names first, and what it says of it.

    Several numbers are each said of it apart. "" and nothing unless all of it is short, and none of it orders, forbids
    or belongs to a draft. If the object is not `listed` with others, its first key must name a finding: else its keys
    may be things beside one another.
    """
    key, sense = key_of(path)
    if is_planned(path) or sense.sense in AGAINST or classify_key(key) in DRAFTED:
        return "", ()
    said = [(name, each) for name, each in fields.items() if each is not None and name.lower() not in WHOSE]
    if len(said) < 2 or not _is_thing(*said[0]) or not (listed or names_a_finding(said[0][0])):
        return "", ()
    if not all(_is_said_of_it(name, inner) for name, inner in said[1:]):
        return "", ()
    told = [Note(_told(name, each, alone=len(said) == 2), (in_short(each),)) for name, each in said[1:]]
    numbers = [note for note in told if note.values[0][:1].isdigit()]
    apart = numbers if len(numbers) > 1 else []
    together = [note for note in told if note not in apart]
    whole = Note("; ".join(note.text for note in together), tuple(note.values[0] for note in together))
    return str(said[0][1]).strip(" ."), (*([whole] if together else []), *apart)


def _is_thing(name: str, inner: Json) -> bool:
    short = isinstance(inner, str) and 0 < len(inner.split()) <= MOST_WORDS and not inner[:1].isdigit()
    known = meaning(name).sense is not KeySense.OTHER or names_by(name) not in _OF_THINGS
    return short and not known and _is_free(name) and flag(name, inner) is None and not rules(str(inner))


def _is_free(name: str) -> bool:
    return classify_key(name) is Section.OTHER or names_by(name) == "test"


def _is_said_of_it(name: str, inner: Json) -> bool:
    words = in_short(inner)
    known = meaning(name).sense not in {*_KEYLESS, KeySense.OTHER} or names_by(name) not in _OF_THINGS
    ruled = rules(words) and not refuses(words) and flag(name, inner) is None
    return bool(words) and len(words.split()) <= MOST_WORDS and not known and not ruled and _is_free(name)


def _told(name: str, inner: Json, *, alone: bool) -> str:
    bare, unit = unit_of_key(name) if is_number(inner) else (name, "")
    words = f"{in_short(inner)} {unit}".strip()
    keyless = meaning(name).sense in _KEYLESS or alone
    kept = flag(name, inner) is not None or words[:1].isdigit()  # "potassium": 6.9 beside a ward
    return words if keyless and not kept else f"{plain_key(bare)}: {words}"
