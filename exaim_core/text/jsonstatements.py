"""Word what an object of JSON states as somebody would say it, one statement for each object.

    {"drug": "gentamicin", "status": "hold", "until": "the level is back", "instead": "ceftriaxone 2 g daily"}

is "Hold gentamicin until the level is back. Instead: ceftriaxone 2 g daily." Its name, dose, condition and
meaning stay together; the table in `keys.py` says what each key makes of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.text.jsonamounts import is_number, measured, unit_of_key
from exaim_core.text.jsonnotes import noted
from exaim_core.text.jsonorders import with_their_limits
from exaim_core.text.jsonrecords import KINDS, LONELY, WHOSE, Record, is_dosed, is_planned, joined, key_of
from exaim_core.text.jsontext import Json, split_list
from exaim_core.text.keys import (
    AGAINST,
    KeyMeaning,
    KeySense,
    hangs_on,
    is_empty,
    is_known,
    key_name,
    names_by,
    plain_key,
    said_under,
)
from exaim_core.text.refusals import ASKS
from exaim_core.text.sections import DRAFTED, VIEWS, Section, classify_key
from exaim_core.text.wording import upper_first


@dataclass(frozen=True, slots=True)
class Statement:
    """What an object, or a text under its keys, states.

    `path` are the keys above it as words, outermost first; `pieces` the values that it is worded from, as written.
    `behind` is what is said beside it: its reason. `item` is the name that `text` is about, "" for none.
    `step`: it is named as a thing to do. `doubted`: a key beside its name says no.
    """

    path: tuple[str, ...]
    text: str
    pieces: tuple[str, ...]
    heading: str = ""
    section: Section = Section.OTHER
    item: str = ""
    behind: str = ""
    step: bool = False
    doubted: bool = False

    def whole(self) -> Statement:
        """Return it as one text, told in its own words."""
        beside = "; ".join(each.rstrip(".") for each in (self.text, self.behind) if each)
        text = _led(self.item, beside) if self.item else beside
        return replace(self, text=text, item="", behind="", step=False, section=Section.OTHER, heading="")


def statements_of(objects: Iterable[Mapping[str, Json]]) -> Iterator[Statement]:
    """Yield what `objects` state, in order.

    A name with its value and unit beside it is one statement: {"test": "K", "value": 6.9, "unit": "mmol/L"} is "K:
    6.9 mmol/L". A number, or a text that is a measured value, is read under its key: {"K": "6.9 mmol/L"},
    {"K_mmol_l": 6.9}. If a text beside them names a person, that stands above them. True, false and null say nothing by
    themselves; beside a name they say something about it. What stands under a key of a draft (`sections.DRAFTED`) is no
    statement: it is read key by key, unless a key beside it says no.
    """
    for each in objects:
        yield from _within(dict(each), ())


def _within(value: Json, path: tuple[str, ...], *, listed: bool = False) -> Iterator[Statement]:
    if isinstance(value, dict):
        yield from _of_object(value, path, listed=listed)
    elif isinstance(value, list):
        for inner in value:
            yield from _within(inner, path, listed=True)
    elif isinstance(value, str):
        for part in split_list(value):
            yield from _of_text(part, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        said = _numbered(path[-1] if path else "", str(value))
        yield from _plain(path, said, (said,))


def _numbered(key: str, value: str) -> str:
    """Return a number with the name and the unit that are in its key."""
    name, unit = unit_of_key(key)
    return f"{name}: {value} {unit}".strip()


def _of_object(value: dict[str, Json], path: tuple[str, ...], *, listed: bool) -> Iterator[Statement]:
    if path and is_dosed(path, value):
        value, path = {"drug": path[-1], **value}, path[:-1]
    said, used = measured(value, path[-1] if path else "")
    if said:
        yield from _of_value(said, {name: value[name] for name in value if name not in used}, path)
        return
    fields = {key_name(name): inner for name, inner in value.items()}
    whose = tuple(inner for name, inner in fields.items() if name.lower() in WHOSE and isinstance(inner, str))
    above = (*path, *whose)
    record = Record.of(fields, path)
    if record is None:
        fields = with_their_limits(fields)
        thing, notes = noted(fields, path, listed=listed)
        key, _ = key_of(path)
        for text, values in notes:
            pieces = (thing, *values)
            yield Statement((*path, *whose), text, pieces, plain_key(key), classify_key(key), thing)
        if notes:
            return
        rest: Mapping[str, Json] = fields
    else:
        yield from _of_record(record, (*path[:-1], *whose, *path[-1:]))  # its key stays the innermost
        rest, above = record.rest, above if record.view else (*above, record.name)
    for name, inner in rest.items():
        if isinstance(inner, str) and _names_a_thing(name, above) and not is_empty(inner):
            yield from _of_text(f"{plain_key(name)}: {inner}", above)
        else:
            yield from _within(inner, (*above, name))


def _of_value(said: str, beside: Mapping[str, Json], path: tuple[str, ...]) -> Iterator[Statement]:
    """Yield a measured value under who it is of; words beside it without a number are told behind it."""
    fields = {key_name(name): inner for name, inner in beside.items()}
    whose = tuple(inner for name, inner in fields.items() if name.lower() in WHOSE and isinstance(inner, str))
    words = [
        f"{plain_key(name)}: {inner.strip(' .')}"
        for name, inner in fields.items()
        if isinstance(inner, str) and name.lower() not in WHOSE and inner.strip() and not is_empty(inner)
    ]
    behind = "; ".join(each for each in words if not any(map(str.isdigit, each)))
    for each in _plain((*path[:-1], *whose, *path[-1:]), said, (said,)):
        yield replace(each, behind=f"{upper_first(behind)}." if behind else "")


def _names_a_thing(name: str, path: tuple[str, ...]) -> bool:
    """Return whether an outer key forbids a key itself: "contraindicated": {"metformin": "…"}."""
    return not is_known(name) and key_of(path)[1].sense in {KeySense.FORBIDS, KeySense.EXCLUDES}


def _of_text(text: str, path: tuple[str, ...]) -> Iterator[Statement]:
    named = names_by(path[-1]) if path else ""
    if named in _DRAFTED_BY and any(classify_key(key) in DRAFTED for key in path[:-1]):
        return  # the name of an item of a draft
    _, sense = key_of(path)
    text = _MARK.sub("", text)
    if sense.sense is KeySense.HANGS and hangs_on(text) and is_planned(path):
        # "plan": {"condition": "if the pressure falls he goes to theatre"}
        sense = KeyMeaning(KeySense.TO_DO)
    if sense.sense is KeySense.VERDICT and path and path[-1].lower() in ASKS:
        sense = KeyMeaning(KeySense.TO_DO)  # nothing named beside it that it could be about
    if _VALUE.fullmatch(text) and path:
        said = _numbered(path[-1], text) if is_number(text) else f"{path[-1]}: {text}"
        yield from _plain(path, said, (text,))
    elif is_empty(text) or sense.sense in LONELY or sense.sense is KeySense.OTHER:
        yield from _plain(path, text, (text,))
    else:
        yield from _meant(path, said_under(sense, text), (text,), sense)


def _meant(
    path: tuple[str, ...], text: str, pieces: tuple[str, ...], sense: KeyMeaning, behind: str = ""
) -> Iterator[Statement]:
    """Yield a text with the meaning of its key: as a step under its heading, or in the key's words."""
    step = sense.sense is KeySense.TO_DO
    heading, section = "", Section.OTHER
    if step:
        heading, section = plain_key(key_of(path)[0]), Section.ACTIONS
    elif sense.sense is KeySense.FORBIDS:
        heading = sense.say.replace("{}", "").strip(" :")
    yield Statement(path, text, pieces, heading, section, behind=behind, step=step)


def _plain(path: tuple[str, ...], text: str, pieces: tuple[str, ...]) -> Iterator[Statement]:
    """Yield a text under a key that is only its heading."""
    key, _ = key_of(path)
    if (section := classify_key(key)) not in DRAFTED:
        yield Statement(path, text, pieces, plain_key(key), section)


def _of_record(record: Record, path: tuple[str, ...]) -> Iterator[Statement]:
    """Yield what the object states: name and dose, condition, reason, and what replaces it."""
    named = joined(record.name, *record.words_of(KeySense.HOW))
    hangs, instead = record.words_of(KeySense.HANGS), record.words_of(KeySense.INSTEAD)
    ruled, why = (
        record.words_of(KeySense.VERDICT),
        [*record.words_of(KeySense.WHY), *record.words_of(KeySense.OTHER)],
    )
    pieces = (record.name, *(word for words in record.said.values() for word in words), *record.bound)
    ground = "; ".join([*ruled, *why, *record.bound])
    replaced = any(each.startswith("Instead:") for each in instead)
    if record.sense.sense in AGAINST:
        text = _led(joined(said_under(record.sense, named), *hangs), ground)
        given = [f"Instead: {_LABEL.sub('', each)}" for each in instead]
        yield from _meant(path, _sentences(text, *given), pieces, record.sense)
    elif record.refused:
        yield Statement(path, _led(named, "; ".join(record.own)), pieces, doubted=True)
    elif replaced:
        given = [_LABEL.sub("", instead[0]), "instead of", named, *hangs]
        yield from _meant(path, _led(upper_first(joined(*given)), ground), pieces, record.sense)
    elif record.sense.sense in KINDS or hangs:
        opening = said_under(record.sense, named) if record.sense.sense in KINDS else named
        text = "; ".join([joined(upper_first(opening), *hangs), *record.bound])
        sense = KeyMeaning(KeySense.TO_DO) if hangs else record.sense
        behind = f"{upper_first('; '.join(why))}." if why else ""
        yield from _meant(path, _sentences(text, *ruled, *instead), pieces, sense, behind)
    else:
        yield from _told(record, path, named, pieces)


def _told(record: Record, path: tuple[str, ...], named: str, pieces: tuple[str, ...]) -> Iterator[Statement]:
    """Yield what no key orders or forbids; a dose with a status or a fault is one sentence and no order."""
    key, _ = key_of(path)
    heading, section = plain_key(key), classify_key(key)
    ruled, other, why = (
        record.words_of(KeySense.VERDICT),
        record.words_of(KeySense.OTHER),
        record.words_of(KeySense.WHY),
    )
    instead = record.words_of(KeySense.INSTEAD)
    if record.words_of(KeySense.HOW) and (ruled or other or record.doubted):
        text = _led(named, "; ".join([*ruled, *why, *other, *record.bound]))
        yield Statement(path, ". ".join([text, *instead]), pieces, heading, section, doubted=True)
    elif why and not (ruled or other or record.bound or section in VIEWS):
        behind = f"{upper_first('; '.join(why))}."
        yield Statement(path, ". ".join(instead), pieces, heading, section, named, behind)
    else:
        text = ". ".join(filter(None, ("; ".join([*ruled, *why, *other, *record.bound]), *instead)))
        yield Statement(path, text, pieces, heading, section, named)


def _led(text: str, ground: str) -> str:
    return f"{text}: {ground}" if ground else text


def _sentences(*texts: str) -> str:
    return "".join(f"{upper_first(text)}. " for text in texts).rstrip() if len(texts) > 1 else texts[0]


_DRAFTED_BY: Final = frozenset({"diagnosis", "test", "any"})
_MARK: Final = re.compile(r"\A\d{1,2}[.)]\s+(?=\D)")
_LABEL: Final = re.compile(r"\A\w+: ")
_VALUE: Final = re.compile(r"[<>≤≥]?\s*\d+(?:[.,/]\d+)*(?:\s*[^\s\d]\S{0,15}){0,2}")
