"""Drug names and their classes.

Names come from `data/drug_names.txt`, brands from `data/brand_names.txt`, and what wards call them, and fluids, blood
products and antidotes, from `data/ward_names.txt`. The stems are those that the WHO gives to
classes of substances (The use of stems in the selection of INN, 2018), for names that no list has yet; a few words end
like one by chance.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from exaim_core.lexicon.wordlists import alternation
from exaim_core.text.datafiles import data_lines, data_table, drug_names
from exaim_core.text.patterns import compiled_by_all
from exaim_core.text.rows import lexicon

_OTHER_NAMES: Final = ("brand_names.txt", "ward_names.txt")


@cache
def brands() -> Mapping[str, tuple[str, ...]]:
    """Return the generic names of each brand, and of each name that wards use."""
    lines = (line for file in _OTHER_NAMES for line in data_lines(file))
    return {name: tuple(generic.split(", ")) for name, _, generic in (line.partition(": ") for line in lines)}


def generics(name: str) -> tuple[str, ...]:
    """Return the generic names of `name`, in any case; () if it is generic, or no name of a drug."""
    return tuple(each for each in brands().get(name.lower(), ()) if each != name.lower())


@cache
def _names() -> str:
    return alternation((*drug_names(), *brands()))


_FORMS: Final = lexicon("lexicon/drugs", names=_names)
DRUG: Final = _FORMS.late("drug")  # to compile it takes a process 0.3 s
ORDER: Final = _FORMS.late("order")


def drug_pattern() -> str:
    """Return `DRUG` as it is written for `re`."""
    return _FORMS.part("drug")


@dataclass(frozen=True, slots=True)
class _Class:
    """A class of drugs, whose ban forbids its members: patterns of its own words, and of theirs."""

    name: str
    words: str
    members: str


@dataclass(frozen=True, slots=True)
class _Table:
    rows: tuple[_Class, ...]


@compiled_by_all
@cache
def _classes() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    """Return each class by name, with the patterns of its words and its members."""
    found = data_table("drug_classes.json", _Table).rows
    no_drug = _FORMS.part("not_a_drug")
    return tuple(
        (
            row.name,
            re.compile(rf"\b(?:{row.words})\b", re.IGNORECASE),
            re.compile(rf"\b(?!(?:{no_drug})\b)(?:{row.members})\b", re.IGNORECASE),
        )
        for row in found
    )


@lru_cache(maxsize=2048)
def drugs_named(text: str) -> frozenset[str]:
    """Return the drugs and classes that `text` names, in lower case; a class by its plural."""
    found = {match.group().lower() for match in DRUG.finditer(text)}
    found |= {generic for name in found for generic in generics(name)}
    found |= {name for name, own, _ in _classes() if own.search(text)}
    return frozenset(found)


def is_class(name: str) -> bool:
    """Return whether `name` is a class's and no single drug's: "NSAIDs"."""
    return any(own.fullmatch(name) for _, own, _ in _classes())


@lru_cache(maxsize=2048)
def drugs_meant(text: str) -> frozenset[str]:
    """Return the drugs that `text` names, with the classes that they belong to."""
    return drugs_named(text) | {name for name, _, members in _classes() if members.search(text)}


_BESIDE_NAME: Final = re.compile(
    r"\b(?:and|or|both|iv|im|po|oral|plus|with|then|mg|g|infusion|drip|pump|pca|syringe|bolus|patch|tablets?"
    r"|prophylaxis|\d+)\b|\W",
    re.IGNORECASE,
)


def is_bare_name(what: str) -> bool:
    """Return whether `what` is only names of drugs: "any reason to avoid labetalol" is not."""
    rest = DRUG.sub("", what)
    return bool(drugs_named(what)) and (not _BESIDE_NAME.sub("", rest) or " " not in what.strip())
