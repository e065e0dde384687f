"""Find whether a sentence refuses what was asked for, allows what was forbidden, or replaces a dose.

It goes by the sentence's words alone; what was spoken, and what a sentence answers, is the board's to know
(`board/overturning.py`).

| question | function |
|---|---|
| is a thing refused, or allowed again, by its name? | `overturns` |
| is a whole sentence a plain "no"? may the order stand all the same? | `says_no`, `permits` |
| which doses does it give, and does one replace another? | `doses`, `gives_instead` |
| is a dose denied? | `denied_dose` |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from exaim_core.claims.quotes import asks_for
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.named import names
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.text.assertion import Status, clauses, statuses_of
from exaim_core.text.boundaries import stopped
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

MOST_CHARS: Final = 400  # characters of a clause that refuses plainly; searching more would block the loop
LEAST_CHARS: Final = 3  # letters of a word that may name a thing that no lexicon knows
MOST_APART: Final = 24  # characters between a drug's name and its dose
MOST_REPLY: Final = 20  # words of a refusal
_FORMS: Final = lexicon("claims/refusing")
OPEN: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON, Status.PAST})
_DOSES: Final = frozenset(
    {"mg", "g", "microgram", "ng", "unit", "mmol", "ml", "mg/h", "ml/h", "mg/kg", "unit/h"}
)
_DENIED: Final = re.compile(
    r"\b(?:not|instead of|rather than) (?P<number>\d(?:[\d.,]*\d)?)(?P<unit> ?[a-zµ/]{1,12})?(?=[.,;)]|\Z)",
    re.IGNORECASE,
)
_AND: Final = re.compile(r"\band\b|\bthen\b|[;,+&]")
_WORD: Final = re.compile(r"[^\W\d_][\w-]+")
_YET: Final = re.compile(r"yet(?=[.,;]|\Z)")  # it belongs to the clause before it: "no heparin yet"


# -- by name -------------------------------------------------------------------------------------


def other_names(text: str) -> frozenset[str]:
    """Return the words of an order that may name its thing and that no lexicon knows: "wire"."""
    return frozenset(
        word.lower()
        for word in _WORD.findall(text)
        if len(word) >= LEAST_CHARS and names(word) and not word.endswith(("ing", "ed", "ly"))
    )


def plain_clauses(text: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses of `text` that are meant plainly and now, each with the text after it."""
    for clause in clauses(text):
        if not clause.statuses & OPEN and len(clause.text) <= MOST_CHARS:
            rest = text[clause.end :]
            yet = _YET.match(rest)
            yield (clause.text if yet is None else clause.text + yet.group()), rest


def overturns(clause: str, wanted: frozenset[str], told: str) -> str | None:
    """Return the name, one of `wanted`, that `clause` refuses against `told`, or allows against its ban.

    A name that no lexicon knows must be refused plainly; a bare "no" or "not" is not enough: "no blood
    on any sequence" is a finding. None if it overturns nothing.
    """
    for name in _places(clause, wanted):
        marked = _marked(clause, name)
        if _FORMS["of_history"].search(marked):
            continue
        if _forbids(told, name.group()):
            found = _unguarded("allows", marked)
        else:
            found = _unguarded("against", marked)
            plainly = found is not None and _FORMS["plainly"].match(found.group()) is not None
            found = found if plainly or drugs_named(name.group()) or names_measure(name.group()) else None
        if found is not None and _FORMS["of_then"].search(marked[: marked.find("§")]) is None:
            return name.group()
    return None


def is_turned(rest: str, told: frozenset[str]) -> bool:
    """Return whether the rest of a sentence may reverse it: a "but" that names nothing other than `told`."""
    return _FORMS["turned"].match(rest) is not None and not things(rest) - told


def _places(clause: str, wanted: frozenset[str]) -> Iterator[re.Match[str]]:
    """Yield where a clause names one of the things, singular or plural."""
    there = clause.lower()
    for name in sorted((each for each in wanted if each in there), key=len, reverse=True):
        yield from re.finditer(rf"(?<![\w-]){re.escape(name)}s?(?![\w-])", clause, re.IGNORECASE)


def _marked(text: str, name: re.Match[str]) -> str:
    return f"{text[: name.start()]}§{text[name.end() :]}"


def _unguarded(form: str, marked: str) -> re.Match[str] | None:
    """Return where a form matches in `marked`, unless it is itself denied: "should not delay or omit §"."""
    found = _FORMS[form].search(marked)
    if found is None or _FORMS["doubted"].search(marked):
        return None
    return None if _FORMS["guarded"].search(marked[: found.start()]) else found


def _forbids(told: str, name: str) -> bool:
    """Return whether what was told forbids the thing of that name."""
    there = re.search(re.escape(name), told, re.IGNORECASE)
    return prohibits(told) or (there is not None and _unguarded("against", _marked(told, there)) is not None)


# -- by a plain "no" -----------------------------------------------------------------------------


def says_no(sentence: str, *, to_itself: bool) -> bool:
    """Return whether a whole sentence is a plain refusal; `to_itself`: of the speaker's own words."""
    return _FORMS["better" if to_itself else "refuses"].fullmatch(sentence) is not None


def permits(text: str) -> bool:
    """Return whether words after a refusal may let the order stand, or ask for something themselves."""
    asks = asks_for(text) or doses(text) or names_measure(text)
    return bool(asks or text.endswith("?") or _FORMS["permits"].search(text))


def asks_for_one(text: str, *, asked: bool) -> bool:
    """Return whether `text` asks for exactly one thing; `asked`: it is known to ask."""
    if "allerg" in text.lower() or text.endswith("?") or statuses_of(text, "") & OPEN:
        return False
    parts = [part for part in _AND.split(text) if drugs_named(part) or names_measure(part) or asks_for(part)]
    return (asked or asks_for(text) or bool(doses(text))) and len(parts) == 1


# -- by a dose -----------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def doses(text: str) -> Mapping[str, Sequence[Quantity]]:
    """Return the doses that stand right after a drug's name in `text`, by drug."""
    found: dict[str, list[Quantity]] = {}
    named = [*DRUG.finditer(text)]
    for quantity in quantities(text) if named else ():
        before = [match for match in named if match.end() <= quantity.start]
        if before and quantity.unit in _DOSES and quantity.start - before[-1].end() <= MOST_APART:
            found.setdefault(before[-1].group().lower(), []).append(quantity)
    return found


def offers(text: str) -> bool:
    """Return whether a sentence gives a drug with its dose, whoever is to give it."""
    return not statuses_of(text, "") & OPEN and bool(doses(text))


def may_replace(text: str) -> bool:
    """Return whether a dose in `text` may replace another: for now, and neither beside nor after that."""
    return not statuses_of(text, "") & OPEN and _FORMS["besides"].search(text) is None


def gives_instead(text: str, told: str) -> Iterator[str]:
    """Yield, for each drug of `told` to which `text` gives another dose instead, that dose."""
    asked, given = doses(told), doses(text)
    for drug in asked.keys() & given.keys() if _FORMS["gives"].match(text) else ():
        units, numbers = ({getattr(dose, what) for dose in asked[drug]} for what in ("unit", "number"))
        other = [dose for dose in given[drug] if dose.unit in units]
        if other and not any(dose.number in numbers for dose in given[drug]):
            yield text[other[0].start : other[0].end]


def denied_dose(text: str, told: str) -> str:
    """Return the words of `text` that deny a dose of `told`; "" for none.

    The denied number has that dose's unit, or stands beside another dose in it. The words are the sentence if it is
    short enough, else its part between stops.
    """
    asked, given = [dose for each in doses(told).values() for dose in each], quantities(text)
    for no in _DENIED.finditer(text):
        for dose in asked:
            same = [each for each in given if each.unit == dose.unit]
            here = any(no.start() < each.start < no.end() for each in same)
            other = not no["unit"] and any(each.end <= no.start() for each in same)
            if no["number"] == dose.number and (here or other):
                return short_enough(text, no.group())
    return ""


def short_enough(text: str, words: str) -> str:
    """Return `text` if it is short enough to be spoken, else its part with `words`; "" for neither."""
    parts = (text, *(part for part in stopped(text) if words in part))
    return next((part.strip(" ;.,") for part in parts if word_count(part) <= MOST_REPLY), "")
