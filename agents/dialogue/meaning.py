"""How near a text is to a question in meaning: stems, names, everyday words for them, shortened words.

A question is read as units: words, or names of several words. A unit is met by the same stem, by a thing that has
the same name, by another word of a group in `data/everyday.json`, by a word that it shortens ("gent" and
"gentamicin") or, the least, by letters that are nearly the same. Rare units count for more.
"""

# ruff: noqa: E501 - word lists are read more easily on long lines

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from agents.dialogue.facts import STOP
from agents.dialogue.vocabulary import known_vocabulary
from agents.dialogue.words import spelled, tokens
from exaim_core.lexicon.drugs import DRUG, generics
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test

MOST_CHARS: Final = 700  # of one passage
SAME: Final = 1.0
NAMED: Final = 0.95  # the same thing under another name
SHORTENED: Final = 0.85
MEANT: Final = 0.7  # another word of its group
IN_CLASS: Final = 0.6  # a member of the class that was asked about, or its class
LIKE: Final = 0.55  # nearly the same letters
_OF_A_NAME: Final = 0.6  # of the words of a name of several: a share of them
_LEAST_LIKE: Final = 0.62  # share of letter triples that two words have in common
_SHORTEST: Final = 3  # letters of a shortened word
_ENDING: Final = 5  # letters of a class that its drugs end in: "flozin", "statin"
_CLINICAL: Final = 1.6  # a name, a drug, a test, a condition weighs that much more than another word
_UNKNOWN: Final = 0.45  # of the weight of a word that neither the case nor the vocabulary has
_LEAST_STEM: Final = 5  # of a word in "ly": "family" is no "fami"
_PLACE: Final = "whereabouts"  # of the vocabulary: a bed and a theatre are not the same
_DIMENSIONS: Final = frozenset(
    "size width wide rate bolu dose dosing mg unit mil milligram microgram mike target goal aim high low thick thicknes diamet "
    "level broad big confidenc wait stop off side line table running runn ran hold bett wors figur point compar previou today thing idea plain favour favor speak scrapp drop cancel withdraw withdrawn pull regular home size kilo real often frequent frequently check".split()
)  # how much, how high: the form of an answer meets them, seldom a word
_SUBSTANCE: Final = 5  # letters of the word that tells in a substance's name of several words
_NAMES_OF_ONE: Final = 5  # a group of that many is names of one thing, and no field
_MOST_WORDS: Final = 4  # of one name
_ENDINGS: Final = re.compile(
    r"(?:ations?|ating|ated?|ings?|ities|ity|ments?|ness|ions?|ives?|edly|ed|ely|ally|ly|ers?|ors?|es|s|e|y)\Z"
)
# What a question is made of beside the words that `STOP` has.
_TALK: Final = frozenset(
    "quick quickly whole please lady woman guy bloke chap fellow whats hows whos wheres ive id ill im theyre hes shes "
    "isnt wasnt didnt doesnt dont cant couldnt shouldnt wont wouldnt havent hasnt arent werent theres thats its lets "
    "allow allowed test tested tests name names choose chose decide sort sorted keep keeping use used rung heard doctor doctors reg regs agent agents before since after caught brought came went gone goes wants tell told said anything anyone somebody someone around bit proper "
    "really whilst while though rather quite yes no ok alright right fine remind run through breath line absolutely "
    "supposing suppose mean means meant stuff whatever regarding whether either neither per at off up in out on over "
    "far them these those everything altogether ever never exactly roughly about maybe perhaps already write writing "
    "count counts together end ended ends talk talked talking happened become becomes being been got getting gets gave "
    "gives pushing push picked pick turned turn call called calls hey so and but man men people person".split()
)


def stem(word: str) -> str:
    """Return a word without what changes with its grammar."""
    one = spelled(word)
    if len(one) < 5 or not one.isalpha():
        return one
    bare = _ENDINGS.sub("", one)
    return bare if len(bare) >= (_LEAST_STEM if one.endswith("ly") else 4) else one


_STOP: Final = frozenset({*STOP, *_TALK, *(stem(word) for word in _TALK)}) - {"low", "high", "normal"}


def may_name(word: str) -> bool:
    """Tell whether a word may name a thing: it is no turn of speech, and not the form of an answer only ("per kilo")."""
    one = stem(word)
    return not _STOP & {word, one} and one not in _DIMENSIONS and not one.endswith("ly")


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that is asked about: its words' stems, and the things and groups that it may mean.

    `substances` are the stems of what a brand stands for.
    """

    stems: tuple[str, ...]
    names: frozenset[str]
    groups: frozenset[str]
    classes: frozenset[str]
    substances: frozenset[str]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a text holds, as it is compared; `substances` as those of a `Unit`."""

    stems: frozenset[str]
    names: frozenset[str]
    groups: frozenset[str]
    classes: frozenset[str]
    substances: frozenset[str]


Key = tuple[str, ...]


@cache
def _everyday() -> Mapping[Key, tuple[str, ...]]:
    """Return by their stems the numbers of the groups that words and names stand in."""
    found: dict[Key, list[str]] = {}
    for number, group in enumerate(_groups()):
        for term in group:
            found.setdefault(_stems(term), []).append(f"everyday {number}")
    return {key: tuple(numbers) for key, numbers in found.items()}


@cache
def _groups() -> tuple[tuple[str, ...], ...]:
    path = resources.files("agents.dialogue").joinpath("data/everyday.json")
    return tuple(tuple(group) for group in json.loads(path.read_text(encoding="utf-8"))["groups"])


def everyday_words(word: str) -> frozenset[str]:
    """Return the words that stand in one group with `word`, which has but this name: "prop" and "propofol"."""
    return frozenset(
        other for group in _groups() if len(group) <= _NAMES_OF_ONE and word in group for other in group
    )


@lru_cache(maxsize=8192)
def _stems(text: str) -> Key:
    return tuple(stem(word) for word in tokens(text.replace("-", " ").replace("/", " "), MOST_CHARS))


_HYPHENED: Final = re.compile(r"\b[A-Za-z]+-[A-Za-z]+\b")  # "G-CSF" is asked for as "gcsf"
_AGED: Final = re.compile(r"\d{1,3}[mf]")  # "71F"


@lru_cache(maxsize=8192)
def meaning_of(text: str) -> Meaning:
    """Return what `text` holds."""
    units = _units(text)
    joined = {stem(match.group().replace("-", "").lower()) for match in _HYPHENED.finditer(text[:MOST_CHARS])}
    return Meaning(
        frozenset(one for unit in units for one in unit.stems) | joined,
        frozenset(name for unit in units for name in unit.names),
        frozenset(group for unit in units for group in unit.groups),
        frozenset(each for unit in units for each in unit.classes),
        frozenset(each for unit in units for each in unit.substances),
    )


@lru_cache(maxsize=512)
def asked_in(question: str) -> tuple[Unit, ...]:
    """Return the units of a question, each once, without the words that only ask."""
    units = {unit.stems: unit for unit in _units(question) if not _only_asks(unit)}
    return tuple(units.values())


def _units(text: str) -> list[Unit]:
    words = tokens(text.replace("-", " ").replace("/", " "), MOST_CHARS)
    stems = tuple(stem(word) for word in words)
    vocabulary = known_vocabulary()
    named: dict[int, tuple[int, tuple[str, ...]]] = {
        match.begins: (match.ends, match.names)
        for match in vocabulary.spelled_in(tuple(vocabulary.word(word) for word in words))
    }
    everyday = _everyday()
    units: list[Unit] = []
    at = 0
    while at < len(words):
        end, names = named.get(at, (at, ()))
        brand = generics(words[at])
        names = tuple(name for name in names or brand if name != _PLACE and name in vocabulary.entries)
        groups = set(everyday.get(("age",), ())) if _AGED.fullmatch(words[at]) else set()
        longest = max(end, at + 1)
        for length in range(min(_MOST_WORDS, len(words) - at), 0, -1):
            found = everyday.get(stems[at : at + length])
            if found:
                groups.update(found)
                longest = max(longest, at + length)
                break
        if longest > max(end, at + 1):
            names = ()  # what a part of a longer name is called is another thing
        else:
            for inner in range(at, longest):
                groups.update(everyday.get(stems[inner : inner + 1], ()))
        classes = {of for name in names for of in vocabulary.groups_of(name)}
        classes |= {member for name in names for member in vocabulary.entries[name].members}
        substances = frozenset(_substances(brand))
        units.append(
            Unit(stems[at:longest], frozenset(names), frozenset(groups), frozenset(classes), substances)
        )
        at = longest
    return units


def _substances(brand: Sequence[str]) -> Iterator[str]:
    """Give the stems by which the generic names of a brand are known; a short word of several is none ("acid")."""
    for name in brand:
        of_name = _stems(name)
        yield from of_name if len(of_name) == 1 else (one for one in of_name if len(one) >= _SUBSTANCE)


def _only_asks(unit: Unit) -> bool:
    """Tell whether a unit is of words that every question is made of."""
    if unit.names or (len(unit.stems) > 1 and unit.groups):
        return False
    return all(one in _STOP or (one.isdigit() and len(one) < 2) for one in unit.stems)


def met_by(units: Sequence[Unit], texts: Sequence[Meaning]) -> list[list[float]]:
    """Return of each unit how far each text meets it, 0 to 1."""
    known = frozenset(one for text in texts for one in text.stems)
    return [_met(unit, texts, known) for unit in units]


def _met(unit: Unit, texts: Sequence[Meaning], known: frozenset[str]) -> list[float]:
    named = {stem(name) for name in unit.names if " " not in name}
    short = {other for other in known if any(_shortens(one, other) for one in {*unit.stems, *named})}
    alike = {other for other in known if any(like(one, other) >= _LEAST_LIKE for one in unit.stems)}
    stems = frozenset(unit.stems)
    return [_met_one(unit, stems, text, short, alike) for text in texts]


def _met_one(unit: Unit, stems: frozenset[str], by: Meaning, short: set[str], alike: set[str]) -> float:
    held = len(stems & by.stems)
    if held == len(stems):
        return SAME
    if unit.names & by.names or unit.substances & (by.stems | by.substances):
        return NAMED
    if len(stems) == 1 and stems & by.substances:
        return NAMED
    if not short.isdisjoint(by.stems):
        return SHORTENED
    if unit.groups & by.groups:
        return MEANT
    best = _OF_A_NAME * held / len(stems)
    if unit.classes & by.names or unit.names & by.classes:
        return max(best, IN_CLASS)
    return max(best, LIKE) if not alike.isdisjoint(by.stems) else best


@lru_cache(maxsize=1 << 16)
def _shortens(one: str, other: str) -> bool:
    """Tell whether one word is the other cut short, as clinicians do."""
    shorter, longer = sorted((one, other), key=len)
    if len(shorter) >= _ENDING and longer.endswith(shorter) and DRUG.fullmatch(longer):
        return True
    if len(shorter) < _SHORTEST or not longer.isalpha() or len(longer) < len(shorter) + 2:
        return False
    return longer.startswith(shorter) and (len(shorter) >= 4 or len(longer) >= 8) and shorter not in _STOP


@lru_cache(maxsize=1 << 16)
def like(one: str, other: str) -> float:
    """Return the share of letter triples that two words have in common; 0 of short ones."""
    if min(len(one), len(other)) < 5 or not (one.isalpha() and other.isalpha()):
        return 0.0
    first, second = _triples(one), _triples(other)
    return 2 * len(first & second) / (len(first) + len(second))


@lru_cache(maxsize=1 << 14)
def _triples(word: str) -> frozenset[str]:
    padded = f" {word} "
    return frozenset(padded[k : k + 3] for k in range(len(padded) - 2))


def is_of_something(unit: Unit) -> bool:
    """Tell whether a unit names more than the form of an answer, as "dose" and "size" do."""
    return not all(one in _DIMENSIONS for one in unit.stems)


def clinical(unit: Unit) -> bool:
    """Tell whether a unit names something clinical: what a question is about, not how it is put."""
    if all(one in _DIMENSIONS for one in unit.stems):
        return False
    if unit.names or unit.groups:
        return True
    text = " ".join(unit.stems)
    return DRUG.search(text) is not None or names_condition(text) or names_test(text) or names_measure(text)


def weights(units: Sequence[Unit], met: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Return how telling each unit is: the rarer among the texts, the more, and more if it is clinical.

    `met` is of each unit how far each text meets it. A word that neither the case nor the vocabulary has
    weighs half: it may be but a turn of speech.
    """
    made = []
    for unit, by in zip(units, met, strict=True):
        holding = sum(each >= IN_CLASS for each in by)
        rare = math.log(1 + (len(by) - holding + 0.5) / (holding + 0.5))
        known = clinical(unit)
        least = (not holding and not known) or all(one in _DIMENSIONS for one in unit.stems)
        made.append(rare * (_CLINICAL if known else 1.0) * (_UNKNOWN if least else 1.0))
    return tuple(made)
