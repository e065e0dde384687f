"""Word what an object of JSON states as somebody would say it, one statement for each object.

    {"drug": "gentamicin", "status": "hold", "until": "the level is back", "instead": "ceftriaxone 2 g daily"}

is "Hold gentamicin until the level is back. Instead: ceftriaxone 2 g daily." Its name, dose, condition and
meaning stay together; the table in `keys.py` says what each key makes of its words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.text.jsontext import Json, denies, split_list
from exaim_core.text.keys import (
    AGAINST,
    SUREST_FIRST,
    KeyMeaning,
    KeySense,
    forbidden_by,
    hangs_on,
    is_empty,
    is_known,
    key_name,
    meaning,
    names_by,
    plain_key,
    said_under,
    says_when,
)
from exaim_core.text.quantities import is_unit
from exaim_core.text.refusals import ASKS, doubts, flag, is_doubted_view, view_named
from exaim_core.text.sections import DRAFTED, VIEWS, Section, classify_key
from exaim_core.text.wording import upper_first

MOST_NAME_WORDS: Final = 12  # words of the name of an object's thing
MOST_OWN_WORDS: Final = 24  # words of a value that is said after its key; a longer text is read by itself


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


def _within(value: Json, path: tuple[str, ...]) -> Iterator[Statement]:
    if isinstance(value, dict):
        yield from _of_object(value, path)
    elif isinstance(value, list):
        for inner in value:
            yield from _within(inner, path)
    elif isinstance(value, str):
        for part in split_list(value):
            yield from _of_text(part, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        name, unit = _unit_of_key(path[-1] if path else "")
        said = f"{name}: {value} {unit}".strip()
        yield from _plain(path, said, (said,))


def _of_object(value: dict[str, Json], path: tuple[str, ...]) -> Iterator[Statement]:
    if measured := _measured(value, path[-1] if path else ""):
        yield from _plain(path, measured, (measured,))
        return
    fields = {key_name(name): inner for name, inner in value.items()}
    whose = tuple(
        inner for name, inner in fields.items() if name.lower() in _WHOSE and isinstance(inner, str)
    )
    above = (*path, *whose)
    record = _Record.of(fields, path)
    if record is None:
        rest: Mapping[str, Json] = fields
    else:
        yield from record.statements((*path[:-1], *whose, *path[-1:]))  # its key stays the innermost
        rest, above = record.rest, above if record.view else (*above, record.name)
    for name, inner in rest.items():
        if isinstance(inner, str) and _names_a_thing(name, above) and not is_empty(inner):
            yield from _of_text(f"{plain_key(name)}: {inner}", above)
        else:
            yield from _within(inner, (*above, name))


def _names_a_thing(name: str, path: tuple[str, ...]) -> bool:
    """Return whether an outer key forbids a key itself: "contraindicated": {"metformin": "…"}."""
    return not is_known(name) and _key_of(path)[1].sense in {KeySense.FORBIDS, KeySense.EXCLUDES}


def _of_text(text: str, path: tuple[str, ...]) -> Iterator[Statement]:
    named = names_by(path[-1]) if path else ""
    if named in _DRAFTED_BY and any(classify_key(key) in DRAFTED for key in path[:-1]):
        return  # the name of an item of a draft
    _, sense = _key_of(path)
    text = _MARK.sub("", text)
    if sense.sense is KeySense.HANGS and hangs_on(text) and _is_planned(path):
        # "plan": {"condition": "if the pressure falls he goes to theatre"}
        sense = KeyMeaning(KeySense.TO_DO)
    if sense.sense is KeySense.VERDICT and path and path[-1].lower() in ASKS:
        sense = KeyMeaning(KeySense.TO_DO)  # nothing named beside it that it could be about
    if _VALUE.fullmatch(text) and path:
        yield from _plain(path, f"{path[-1]}: {text}", (text,))
    elif is_empty(text) or sense.sense in _LONELY or sense.sense is KeySense.OTHER:
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
        heading, section = plain_key(_key_of(path)[0]), Section.ACTIONS
    elif sense.sense is KeySense.FORBIDS:
        heading = sense.say.replace("{}", "").strip(" :")
    yield Statement(path, text, pieces, heading, section, behind=behind, step=step)


def _plain(path: tuple[str, ...], text: str, pieces: tuple[str, ...]) -> Iterator[Statement]:
    """Yield a text under a key that is only its heading."""
    key, _ = _key_of(path)
    if (section := classify_key(key)) not in DRAFTED:
        yield Statement(path, text, pieces, plain_key(key), section)


def _key_of(path: tuple[str, ...]) -> tuple[str, KeyMeaning]:
    """Return the key that says how the text under `path` is meant, and its meaning.

    A key that takes back or forbids counts for everything within it; otherwise the innermost key counts.
    """
    timeless = tuple(key for key in path if not says_when(key))
    if timeless and meaning(timeless[-1]).sense is KeySense.TO_DO:
        path = timeless
    outer = next((key for key in path if denies(key) or meaning(key).sense in AGAINST), None)
    instead = next((key for key in reversed(path) if meaning(key).sense is KeySense.INSTEAD), None)
    if outer is not None and instead is not None:
        return instead, meaning(instead)  # the replacement of a forbidden thing is not forbidden
    beside = bool(path) and meaning(path[-1]).sense in _LONELY and outer != path[-1]
    if outer is not None and beside and meaning(outer).sense is KeySense.FORBIDS:
        outer = None  # "avoid": {"drugs": …, "reason": …}: the reason is not forbidden
    key = outer if outer is not None else path[-1] if path else ""
    found = meaning(key)
    drafted = classify_key(key) in DRAFTED and found.sense is not KeySense.ASKED
    return key, KeyMeaning(KeySense.OTHER) if drafted else found


@dataclass(slots=True)
class _Record:
    """An object that names a thing: what its keys say about the thing, in the order written."""

    name: str
    sense: KeyMeaning
    said: dict[KeySense, list[str]]
    rest: dict[str, Json]
    doubted: bool = False  # a key says that something is wrong with it
    own: list[str] = field(default_factory=list)  # its keys with what they say, in the order written
    refused: bool = False  # one of them says no
    view: bool = False  # of a diagnosis, or an item of a draft

    @classmethod
    def of(cls, fields: dict[str, Json], path: tuple[str, ...]) -> _Record | None:
        """Return the record of an object under `path`; None if it names no thing, or is a draft."""
        outer, sense = _key_of(path)
        key = path[-1] if path else ""
        view = is_doubted_view(fields, key)
        if classify_key(outer) in DRAFTED and not view:
            return None
        named = {names_by(name): name for name, inner in reversed(fields.items()) if _names(name, inner)}
        sure = next((each for each in SUREST_FIRST if each in named), "")
        if view and not sure:
            named[""] = view_named(fields, key) or ""
            if not _words(fields.get(named[""])):
                return None
        elif not sure or (not view and sure == "diagnosis" and sense.sense not in AGAINST):
            return None
        if named[sure].lower().startswith("allergen") and sense.sense not in AGAINST:
            sense = KeyMeaning(KeySense.ELSEWHERE, "Allergy: {}")
        rest = {name: inner for name, inner in fields.items() if name != named[sure]}
        refused = any(doubts(name, inner) for name, inner in rest.items())
        made = cls(_words(fields[named[sure]], " and "), sense, {}, {}, refused=refused, view=view)
        for name, inner in rest.items():
            made._take(name, inner, sure=sure == "sure" or refused)
        if made.sense.sense is KeySense.OTHER and set(made.said) & _OF_AN_ORDER and _is_planned(path):
            # "plan": {"antibiotic": {"name": "meropenem", "dose": "1 g"}}
            made.sense = KeyMeaning(KeySense.TO_DO)
        known = made.sense.sense in _KINDS
        says = set(made.said) - ({KeySense.OTHER} if sure == "sure" else {KeySense.OTHER, KeySense.DOUBT})
        if refused and (view or known or says or sure != "any" or any(map(is_known, (*rest, *path)))):
            return made
        if isinstance(fields[named[sure]], list) and not (known or says - {KeySense.WHY, KeySense.OTHER}):
            return None  # several drugs beside other things, which are not said about the drugs
        if (
            not known
            and sure == "any"
            and not says & {KeySense.HOW, KeySense.HANGS, KeySense.INSTEAD, KeySense.VERDICT, KeySense.WHY}
        ):
            return None
        return made if known or says or (sure == "sure" and made.said) else None

    def _take(self, name: str, inner: Json, *, sure: bool) -> None:
        key = meaning(name)
        self.doubted = self.doubted or _FAULT.fullmatch(name) is not None
        said = flag(name, inner)
        words = _own_words(inner if said is None else said)
        if words and (said is not None or key.sense is not KeySense.HOW):
            ruled = key.sense is KeySense.VERDICT and name.lower() not in ASKS
            self.own.append(words if ruled else f"{plain_key(name)}: {words}")
        if name.lower() in _AGREES and said is False:
            self.sense = KeyMeaning(KeySense.FORBIDS, f"Not {name.lower()}: {{}}")
        elif key.sense in AGAINST and said is True:
            self.sense = key
        elif said is not None:
            if doubts(name, inner):
                self._add(KeySense.OTHER, self.own[-1])
        elif key.sense is KeySense.INSTEAD and (words := _words(inner)):
            self._add(KeySense.INSTEAD, key.say.replace("{}", words))
        elif name.lower() in _WHOSE or isinstance(inner, dict | list) or inner is None:
            self.rest[name] = inner
        elif key.sense in {KeySense.WHY, KeySense.VERDICT}:
            self._judge(key.sense, str(inner))
        elif key.sense is KeySense.HANGS or (key.sense in _HOWEVER and hangs_on(str(inner))):
            self._add(KeySense.HANGS, said_under(KeyMeaning(KeySense.HANGS, key.say), str(inner).strip(" .")))
        elif key.sense in _HOWEVER:
            self._add(key.sense, str(inner).strip())
        elif sure and isinstance(inner, str) and not (self.refused and not _own_words(inner)):
            self._add(KeySense.OTHER, f"{plain_key(name)}: {inner.strip(' .')}")
        elif not isinstance(inner, int | float):
            self.rest[name] = inner

    def _judge(self, sense: KeySense, words: str) -> None:
        """Note a verdict on the thing, and its reason; a forbidding sentence says how it is meant."""
        for part in filter(None, (each.strip(" .") for each in _STOP.split(words))):
            verdict, _, until = _HANGING.sub("\n", part, count=1).partition("\n")
            ruled, _, why = part.partition(": ")
            if why and (say := forbidden_by(ruled)):
                self.sense = KeyMeaning(KeySense.FORBIDS, say)
                self._add(KeySense.WHY, why)
            elif say := forbidden_by(verdict):
                self.sense = KeyMeaning(KeySense.FORBIDS, say)
                if until:
                    self._add(KeySense.HANGS, until)
            elif sense is KeySense.VERDICT and meaning(part).sense in AGAINST:
                self.sense = meaning(part)
            elif meaning(part).sense is KeySense.TO_DO:
                self.sense = KeyMeaning(KeySense.TO_DO, f"{upper_first(part)} {{}}")
            elif sense is KeySense.WHY or not part.isdigit():
                self._add(sense, part)

    def _add(self, sense: KeySense, words: str) -> None:
        self.said.setdefault(sense, []).append(words)

    def statements(self, path: tuple[str, ...]) -> Iterator[Statement]:
        """Yield what the object states: name and dose, condition, reason, and what replaces it."""
        named = _joined(self.name, *self._of(KeySense.HOW))
        hangs, instead = self._of(KeySense.HANGS), self._of(KeySense.INSTEAD)
        ruled, why = self._of(KeySense.VERDICT), [*self._of(KeySense.WHY), *self._of(KeySense.OTHER)]
        pieces = (self.name, *(word for words in self.said.values() for word in words))
        ground = "; ".join([*ruled, *why])
        replaced = any(each.startswith("Instead:") for each in instead)
        if self.sense.sense in AGAINST:
            text = _led(_joined(said_under(self.sense, named), *hangs), ground)
            given = [f"Instead: {_LABEL.sub('', each)}" for each in instead]
            yield from _meant(path, _sentences(text, *given), pieces, self.sense)
        elif self.refused:
            yield Statement(path, _led(named, "; ".join(self.own)), pieces, doubted=True)
        elif replaced:
            given = [_LABEL.sub("", instead[0]), "instead of", named, *hangs]
            yield from _meant(path, _led(upper_first(_joined(*given)), ground), pieces, self.sense)
        elif self.sense.sense in _KINDS or hangs:
            opening = said_under(self.sense, named) if self.sense.sense in _KINDS else named
            text = _joined(upper_first(opening), *hangs)
            sense = KeyMeaning(KeySense.TO_DO) if hangs else self.sense
            behind = f"{upper_first('; '.join(why))}." if why else ""
            yield from _meant(path, _sentences(text, *ruled, *instead), pieces, sense, behind)
        else:
            yield from self._told(path, named, pieces)

    def _told(self, path: tuple[str, ...], named: str, pieces: tuple[str, ...]) -> Iterator[Statement]:
        """Yield what no key orders or forbids; a dose with a status or a fault is one sentence and no order."""
        key, _ = _key_of(path)
        heading, section = plain_key(key), classify_key(key)
        ruled, other, why = self._of(KeySense.VERDICT), self._of(KeySense.OTHER), self._of(KeySense.WHY)
        instead = self._of(KeySense.INSTEAD)
        if self._of(KeySense.HOW) and (ruled or other or self.doubted):
            text = _led(named, "; ".join([*ruled, *why, *other]))
            yield Statement(path, ". ".join([text, *instead]), pieces, heading, section, doubted=True)
        elif why and not (ruled or other or section in VIEWS):
            behind = f"{upper_first('; '.join(why))}."
            yield Statement(path, ". ".join(instead), pieces, heading, section, named, behind)
        else:
            text = ". ".join(filter(None, ("; ".join([*ruled, *why, *other]), *instead)))
            yield Statement(path, text, pieces, heading, section, named)

    def _of(self, sense: KeySense) -> list[str]:
        return self.said.get(sense, [])


def _led(text: str, ground: str) -> str:
    return f"{text}: {ground}" if ground else text


def _sentences(*texts: str) -> str:
    return "".join(f"{upper_first(text)}. " for text in texts).rstrip() if len(texts) > 1 else texts[0]


def _own_words(value: Json) -> str:
    """Return a short value as it is said after its key; "" for anything else."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float) and len(str(value).split()) <= MOST_OWN_WORDS:
        return str(value).strip(" .")
    return ""


def _names(name: str, value: Json) -> bool:
    return _is_name(value) and flag(name, value) is None


def _is_name(value: Json) -> bool:
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value) and _is_name(" ".join(map(str, value)))
    return isinstance(value, str) and 0 < len(value.split()) <= MOST_NAME_WORDS


def _is_planned(path: tuple[str, ...]) -> bool:
    """Return whether one of the keys in `path` says that its content is to be done."""
    return any(meaning(key).sense is KeySense.TO_DO for key in path)


def _words(value: Json, joint: str = " or ") -> str:
    """Return a thing's name, or what is given instead, as words; "" if that can't be said."""
    if isinstance(value, str):
        return value.strip(" .")
    if isinstance(value, list):
        return joint.join(filter(None, map(_words, value)))
    if isinstance(value, dict) and (record := _Record.of(value, ("give",))) is not None:
        return _joined(record.name, *record.said.get(KeySense.HOW, ()), *record.said.get(KeySense.HANGS, ()))
    return ""


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)


def _measured(value: dict[str, Json], key: str) -> str:
    """Return an object that gives the value of a named thing as a sentence; "" for any other."""
    fields = {key_name(name).lower(): inner for name, inner in value.items()}
    name = next((fields[each] for each in _ANALYTES if isinstance(fields.get(each), str)), key)
    found = next((fields[each] for each in _VALUES if isinstance(fields.get(each), str | int | float)), None)
    if not name or found is None or isinstance(found, bool) or not any(map(str.isdigit, str(found))):
        return ""
    unit = next((fields[each] for each in ("unit", "units") if isinstance(fields.get(each), str)), "")
    return f"{name}: {found} {unit}".strip()


def _unit_of_key(key: str) -> tuple[str, str]:
    """Return a key as words and the unit at its end ("" for none): "sodium mmol l" is in mmol/L."""
    words = key.split()
    for count in (2, 1):
        last = "/".join(words[-count:]).lower()
        if len(words) > count and len(last) > 1 and is_unit(last):
            return " ".join(words[:-count]), last
    if len(words) > 1 and (unit := _KEY_UNITS.get(words[-1].lower())):
        return " ".join(words[:-1]), unit
    return key, ""


_KINDS: Final = AGAINST | {KeySense.TO_DO, KeySense.ARGUES, KeySense.ASKED}
"""Senses that a key gives to whole objects under it."""
_DRAFTED_BY: Final = frozenset({"diagnosis", "test", "any"})
_HOWEVER: Final = frozenset({KeySense.HOW, KeySense.DOUBT})
_OF_AN_ORDER: Final = frozenset({KeySense.HOW, KeySense.HANGS})
_LONELY: Final = frozenset({KeySense.HANGS, KeySense.HOW, KeySense.WHY, KeySense.VERDICT, KeySense.DOUBT})
"""Senses of keys that say little without a thing named beside them."""
_AGREES: Final = frozenset(
    {"approved", "safe", "eligible", "recommended", "indicated", "allowed", "permitted"}
)
_FAULT: Final = re.compile(r"(?:issue|concern|problem|risk|error)s?", re.IGNORECASE)
_STOP: Final = re.compile(r"(?<=[\w)%])\.\s+(?=[A-Z])")
_MARK: Final = re.compile(r"\A\d{1,2}[.)]\s+(?=\D)")
_LABEL: Final = re.compile(r"\A\w+: ")
_HANGING: Final = re.compile(r" (?=(?:until|unless|if|while|as|because)\b)")
_ANALYTES: Final = ("analyte", "test", "name", "parameter", "lab", "measurement", "vital", "sign")
_VALUES: Final = ("value", "result", "level", "measured", "reading")
_WHOSE: Final = frozenset(
    {"patient", "relation", "relationship", "relative", "person", "subject", "who", "whose"}
)
_VALUE: Final = re.compile(r"[<>≤≥]?\s*\d+(?:[.,/]\d+)*(?:\s*[^\s\d]\S{0,15}){0,2}")
_KEY_UNITS: Final = {"percent": "%", "pct": "%", "c": "°C", "celsius": "°C", "f": "°F", "fahrenheit": "°F"}
