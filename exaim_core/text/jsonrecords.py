"""Read an object of JSON that names a thing as a record: what its keys say about the thing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from exaim_core.text.datafiles import drug_names
from exaim_core.text.jsonamounts import amount, is_number, unit_of_key, with_their_units
from exaim_core.text.jsontext import Json, denies
from exaim_core.text.keys import (
    AGAINST,
    SUREST_FIRST,
    KeyMeaning,
    KeySense,
    agrees,
    conditions,
    counts,
    forbidden_by,
    hangs_on,
    is_empty,
    is_known,
    key_name,
    limits,
    meaning,
    names_by,
    plain_key,
    refuses,
    rules,
    said_under,
    says_when,
)
from exaim_core.text.names import is_role
from exaim_core.text.quantities import quantities
from exaim_core.text.refusals import ASKS, doubts, flag, is_doubted_view, view_named
from exaim_core.text.sections import DRAFTED, Section, classify_key
from exaim_core.text.wording import upper_first

MOST_NAME_WORDS: Final = 12  # words of the name of an object's thing
MOST_OWN_WORDS: Final = 24  # words of a value that is said after its key; a longer text is read by itself


def key_of(path: tuple[str, ...]) -> tuple[str, KeyMeaning]:
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
    lone = bool(path) and meaning(path[-1]).sense in LONELY and outer != path[-1]
    if outer is not None and lone and meaning(outer).sense is KeySense.FORBIDS:
        outer = None  # "avoid": {"drugs": …, "reason": …}: the reason is not forbidden
    key = outer if outer is not None else path[-1] if path else ""
    found = meaning(key)
    drafted = classify_key(key) in DRAFTED and found.sense is not KeySense.ASKED
    return key, KeyMeaning(KeySense.OTHER) if drafted else found


@dataclass(slots=True)
class Record:
    """An object that names a thing: what its keys say about the thing, in the order written."""

    name: str
    sense: KeyMeaning
    said: dict[KeySense, list[str]]
    rest: dict[str, Json]
    doubted: bool = False  # a key says that something is wrong with it
    bound: list[str] = field(default_factory=list)  # what no key words and it must not be told without
    own: list[str] = field(default_factory=list)  # its keys with what they say, in the order written
    refused: bool = False  # one of them says no
    view: bool = False  # of a diagnosis, or an item of a draft

    @classmethod
    def of(cls, fields: dict[str, Json], path: tuple[str, ...]) -> Record | None:
        """Return the record of an object under `path`; None if it names no thing, or is a draft."""
        fields = with_their_units(with_its_drug(fields))
        outer, sense = key_of(path)
        key = path[-1] if path else ""
        view = is_doubted_view(fields, key)
        if classify_key(outer) in DRAFTED and not view:
            return None
        named = {
            names_by(name): name
            for name, inner in reversed(fields.items())
            if _names(name, inner) and not _conditions_the_rest(name, fields)
        }
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
        ordered = not view and (
            sense.sense is KeySense.TO_DO
            or is_planned(path)
            or sure == "treatment"
            or rules(made.name)
            or any(_asks_for_it(name, inner) for name, inner in rest.items())
        )
        for name, inner in rest.items():
            made._take(name, inner, sure=sure == "sure" or refused, ordered=ordered)
        if ordered and sense.sense is KeySense.OTHER and made.bound and not made.said:
            made.sense = KeyMeaning(KeySense.TO_DO)
        if made.sense.sense is KeySense.OTHER and set(made.said) & _OF_AN_ORDER and is_planned(path):
            # "plan": {"antibiotic": {"name": "meropenem", "dose": "1 g"}}
            made.sense = KeyMeaning(KeySense.TO_DO)
        known = made.sense.sense in KINDS
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
        return made if known or says or (sure == "sure" and (made.said or made.bound)) else None

    def _take(self, name: str, inner: Json, *, sure: bool, ordered: bool) -> None:
        bare, unit = unit_of_key(name)
        if unit and is_number(inner):
            name, inner = bare, f"{inner} {unit}"
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
            elif (sure or ordered) and is_unknown(name) and not agrees(name):
                self.bound.append(self.own[-1])
        elif key.sense is KeySense.INSTEAD and (words := _words(inner)):
            self._add(KeySense.INSTEAD, key.say.replace("{}", words))
        elif (sure or ordered) and (told := _bound(name, inner, ordered=ordered)):
            self.bound.append(told)
            if isinstance(inner, list | dict):
                self.own.append(told)
        elif name.lower() in WHOSE or isinstance(inner, dict | list) or inner is None:
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

    def words_of(self, sense: KeySense) -> list[str]:
        """Return what keys of one sense say, in the order written."""
        return self.said.get(sense, [])


def with_its_drug(fields: dict[str, Json]) -> dict[str, Json]:
    """Return fields in which the "agent" is the drug: an amount and a lone act stand beside it, and no other name.

    Of a known drug the act is enough: {"action": "stop", "agent": "warfarin"}.
    A dose that names a drug itself is ordered by the agent, and so is one beside what somebody is: "pharmacist".
    """
    key = next((name for name in fields if name.lower() == "agent"), "")
    acts = any(_asks_for_it(name, inner) for name, inner in fields.items())
    named = any(names_by(name) == "sure" for name in fields)
    doses = [inner for name, inner in fields.items() if _doses(name) and _is_only_amount(inner)]
    known = str(fields.get(key, "")).strip(" .").lower() in drug_names() and not named
    if known and any(_acts_on(name, inner) for name, inner in fields.items()):
        return {"drug" if name == key else name: inner for name, inner in fields.items()}
    if not key or named or not acts or not doses or is_role(str(fields[key])):
        return fields
    return {"drug" if name == key else name: inner for name, inner in fields.items()}


def _acts_on(name: str, inner: Json) -> bool:
    """Return whether a key asks for the thing beside it, stops it or forbids it: "action": "stop"."""
    if meaning(name).sense is not KeySense.VERDICT or not isinstance(inner, str):
        return False
    return meaning(inner.strip(" .")).sense in {KeySense.TO_DO, KeySense.FORBIDS}


def _asks_for_it(name: str, inner: Json) -> bool:
    """Return whether a key asks for the thing beside it: "action": "give"."""
    asks = meaning(name).sense is KeySense.VERDICT and isinstance(inner, str)
    return asks and meaning(str(inner).strip(" .")).sense is KeySense.TO_DO


def _is_limit(key: str) -> bool:
    """Return whether a key gives the most or least of something: "max doses", not a condition, "if he deteriorates"."""
    return limits(key) and not (conditions(key) or hangs_on(key))


def _is_only_amount(value: Json) -> bool:
    """Return whether a dose opens with its number and names no drug: "20 mg IV", not "20 mg labetalol IV"."""
    words = str(amount(value) or value).lower()
    return words[:1].isdigit() and drug_names().isdisjoint(_WORD.findall(words))


def _doses(name: str) -> bool:
    """Return whether a key gives an amount or how it is given: "dose", "dose mg", "route", "rate units h"."""
    return meaning(unit_of_key(name)[0]).sense is KeySense.HOW


def _conditions_the_rest(name: str, fields: dict[str, Json]) -> bool:
    """Return whether a key that may name a disease gives the condition of an act beside it: "SBP < 90"."""
    words = fields[name]
    if meaning(name).sense is not KeySense.HANGS or not isinstance(words, str):
        return False
    acts = any(isinstance(inner, str) and rules(inner) for other, inner in fields.items() if other != name)
    return acts and (hangs_on(words) or _COMPARES.search(words) is not None)


def is_dosed(path: tuple[str, ...], fields: Mapping[str, Json]) -> bool:
    """Return whether the last key of `path` names what its object only gives a dose of: "insulin": {"rate_units_h": 6}.

    One of the keys gives an amount as drugs are given in, and nothing in the object has a name of its own. Unless a key
    says that it is to be done, an amount or a volume may be of what is lost; the most that is given ("max_doses") and
    what a key that nobody knows says yes to ("current": true) are no doses for now.
    """
    key = path[-1]
    named = {key_name(name): inner for name, inner in fields.items()}
    plain = is_unknown(key) and meaning(key).sense is KeySense.OTHER
    if not plain or any(map(names_by, named)) or any(map(_is_limit, path)):
        return False
    if not is_planned(path):
        if any(not (is_known(name) or agrees(name)) and inner is True for name, inner in named.items()):
            return False
        named = {
            name: inner for name, inner in named.items() if unit_of_key(name)[0].lower() not in _ANY_AMOUNT
        }
    given = [(*unit_of_key(name), inner) for name, inner in named.items() if _doses(name)]
    written = (f"{amount(inner) or inner} {unit}" for _, unit, inner in given)
    return any(_is_amount(each.unit) for words in written for each in quantities(words))


def _is_amount(unit: str) -> bool:
    amount_of, *per = unit.split("/")
    return amount_of in _AMOUNTS and set(per) <= _PER


_ANY_AMOUNT: Final = frozenset({"amount", "volume"})
_AMOUNTS: Final = frozenset({"mg", "g", "microgram", "mcg", "ng", "unit"})
_PER: Final = frozenset({"kg", "h", "hour", "min", "day", "m2"})
_WORD: Final = re.compile(r"[a-z]+")
_COMPARES: Final = re.compile(r"[<>≤≥]\s*\d")


def _own_words(value: Json) -> str:
    """Return a short value as it is said after its key; "" for anything else."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float) and len(str(value).split()) <= MOST_OWN_WORDS:
        return str(value).strip(" .")
    return ""


def _bound(name: str, inner: Json, *, ordered: bool) -> str:
    """Return what an object's thing must not be told without, as words behind the key; "" for anything else.

    That is whatever a key says that limits it, and a number or a condition under a key that nobody knows. A number
    under a key of the dose has its unit with it, or its key.
    """
    if meaning(name).sense is KeySense.HOW:
        return f"{plain_key(name)}: {inner}" if is_number(inner) else ""
    words = in_short(inner)
    if not words or is_empty(words):
        return ""
    if meaning(name).sense is KeySense.HANGS:
        return said_under(meaning(name), words) if isinstance(inner, list | dict) else ""
    plain = is_unknown(name) and not isinstance(inner, list | dict)
    if not (limits(name) or plain) or (is_number(inner) and counts(name)):
        return ""
    if isinstance(inner, str) and not (
        ordered and (limits(name) or hangs_on(words) or any(map(str.isdigit, words)))
    ):
        return ""
    return f"{plain_key(name)}: {words}"


def is_unknown(name: str) -> bool:
    """Return whether no table says what stands under a key."""
    return not (is_known(name) or name.lower() in WHOSE) and classify_key(name) is Section.OTHER


def in_short(value: Json) -> str:
    """Return a value as words, a list or an object of short ones in the order written; "" if it is too long."""
    if isinstance(value, bool) or not isinstance(value, list | dict):
        return _own_words(value)
    inner = value.items() if isinstance(value, dict) else (("", each) for each in value)
    told = [(plain_key(name), in_short(amount(each) or each)) for name, each in inner if each is not None]
    if not all(words for _, words in told) or any(rules(words) and not refuses(words) for _, words in told):
        return ""
    whole = ", ".join(f"{name} {words}".strip() for name, words in told)
    return whole if len(whole.split()) <= MOST_OWN_WORDS else ""


def _names(name: str, value: Json) -> bool:
    return _is_name(value) and flag(name, value) is None


def _is_name(value: Json) -> bool:
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value) and _is_name(" ".join(map(str, value)))
    return isinstance(value, str) and 0 < len(value.split()) <= MOST_NAME_WORDS


def is_planned(path: tuple[str, ...]) -> bool:
    """Return whether one of the keys in `path` says that its content is to be done."""
    return any(meaning(key).sense is KeySense.TO_DO for key in path)


def is_of_patient(key: str) -> bool:
    """Return whether what stands under a key describes the patient: its drugs are taken, and not asked for."""
    return (
        re.fullmatch(r"patient(?:[ _](?:state|record|data|info\w*|profile|context|history))?", key.lower())
        is not None
    )


def _words(value: Json, joint: str = " or ") -> str:
    """Return a thing's name, or what is given instead, as words; "" if that can't be said."""
    if isinstance(value, str):
        return value.strip(" .")
    if isinstance(value, list):
        return joint.join(filter(None, map(_words, value)))
    if isinstance(value, dict) and (record := Record.of(value, ("give",))) is not None:
        told = joined(record.name, *record.words_of(KeySense.HOW), *record.words_of(KeySense.HANGS))
        return "; ".join([told, *record.bound])
    return ""


def joined(*parts: str) -> str:
    """Return the parts that are not empty with blanks between them."""
    return " ".join(part for part in parts if part)


KINDS: Final = AGAINST | {KeySense.TO_DO, KeySense.ARGUES, KeySense.ASKED}
"""Senses that a key gives to whole objects under it."""
_HOWEVER: Final = frozenset({KeySense.HOW, KeySense.DOUBT})
_OF_AN_ORDER: Final = frozenset({KeySense.HOW, KeySense.HANGS})
LONELY: Final = frozenset({KeySense.HANGS, KeySense.HOW, KeySense.WHY, KeySense.VERDICT, KeySense.DOUBT})
"""Senses of keys that say little without a thing named beside them."""
_AGREES: Final = frozenset(
    {"approved", "safe", "eligible", "recommended", "indicated", "allowed", "permitted"}
)
_FAULT: Final = re.compile(r"(?:issue|concern|problem|risk|error)s?", re.IGNORECASE)
_STOP: Final = re.compile(r"(?<=[\w)%])\.\s+(?=[A-Z])")
_HANGING: Final = re.compile(r" (?=(?:until|unless|if|while|as|because)\b)")
WHOSE: Final = frozenset(
    {"patient", "relation", "relationship", "relative", "person", "subject", "who", "whose"}
)
