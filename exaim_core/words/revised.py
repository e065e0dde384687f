"""Find waiting items whose thing a later sentence refuses, takes back, gives away, ends or changes.

A sentence revises an item in one of these ways, whoever says it: a clause that is meant plainly refuses a thing that a
clause of the item asks for or states; it denies by contrast what the item states ("Tromvik, not Bergmo"); it says that
the thing is somebody else's; or it is the answer to the item and names nothing ("No.", "Withdrawn."). What forbids or
warns of an allergy is revised only by who forbade it, or if it is said to be somebody else's. Repetition, agreement,
conditions and questions revise nothing.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.claims.contrast import denied
from exaim_core.claims.correcting import amounts
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.quotes import asks_for
from exaim_core.claims.refusing import (
    doses,
    gives_instead,
    is_turned,
    may_replace,
    other_names,
    overturns,
    plain_clauses,
    says_no,
)
from exaim_core.claims.whose import is_said_to_be_anothers
from exaim_core.grounding.orders_seen import warns
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.prohibitions import prohibits, tells_allergy
from exaim_core.lexicon.things import things
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.text.assertion import Status, clauses, marks, statuses_of
from exaim_core.text.boundaries import between_stops
from exaim_core.text.figures import NUMBER_WORDS
from exaim_core.text.names import person
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import key_words
from exaim_core.words.overtaken import LIMITS, named
from exaim_core.words.since_then import last_seq, rests_on, says_again
from exaim_core.words.templates import said_words

_FORMS: Final = lexicon("words/revised")
_STAY: Final = frozenset(
    {
        SpokenKind.CRITICAL,
        SpokenKind.CLOSING,
        SpokenKind.AGREEMENT,
        SpokenKind.CORRECTION,
        SpokenKind.DISAGREEMENT,
    }
)
"""Kinds that other rules take off: alarms, what follows one up, and what the whole team holds."""
_HELD: Final = frozenset({SpokenKind.ACTION, SpokenKind.LEADING})
"""Kinds that their speaker may take back without naming the thing."""
MOST_BACK: Final = 60  # sentences before a newer one in which the item that it answers may stand
MOST_OF_ANSWER: Final = 18  # words of an answer that names nothing
_CLOCK: Final = re.compile(r"(?<![\d:.])(?:[01]?\d|2[0-3])[:.][0-5]\d(?![\d:]|\.\d| ?(?:%|m))")


def revised(
    items: Iterable[SpokenItem], said: Sequence[Unit], before: Sequence[Unit], fresh: Container[str]
) -> list[str]:
    """Return the ids of `items` that a sentence of `said` revises.

    `before`: the sentences before them, of which those that came after its words may revise one of `fresh` too.
    """
    earlier = [unit for unit in before if isinstance(unit, Sentence)]
    units = [*earlier, *(unit for unit in said if isinstance(unit, Sentence))]
    newer = [at for at, unit in enumerate(units) if may_revise(unit.full)]
    now = [at for at in newer if at >= len(earlier)]
    runs = _runs(units) if newer else []
    return [
        item.item_id
        for item in items
        if item.kind not in _STAY
        and item.cites
        and any(_revises(units, runs, at, item) for at in (newer if item.item_id in fresh else now))
    ]


@lru_cache(maxsize=2048)
def may_revise(text: str) -> bool:
    """Return whether `text` has a word that refuses, takes back, gives away, ends or changes something."""
    return not text.endswith("?") and _FORMS["may_revise"].search(text) is not None


def _runs(units: Sequence[Sentence]) -> list[int]:
    """Return for each sentence the number of its run: sentences of one agent, with nobody else's between."""
    runs, run = list[int](), 0
    for at, unit in enumerate(units):
        run += at > 0 and person(unit.source.agent_id) != person(units[at - 1].source.agent_id)
        runs.append(run)
    return runs


def _revises(units: Sequence[Sentence], runs: Sequence[int], at: int, item: SpokenItem) -> bool:
    unit, last = units[at], last_seq(item)
    if unit.source.first_seq <= last:
        return False
    own = person(unit.source.agent_id) == person(item.cites[-1].agent_id)
    words = said_words(item.text)
    asks = item.kind is SpokenKind.ACTION
    if by_name(words, unit.full, asks=asks, own=own, protects=item.protects):
        return True
    if asks and not item.protects and is_carried_out(words, unit.full):
        return True
    first = max(at - MOST_BACK + 1, 0)
    if units[first].source.first_seq > last:
        return False  # it was said too long before
    place = next((k for k in range(at - 1, first - 1, -1) if rests_on(item, units[k].source)), None)
    return place is not None and _answers(units, runs, place, at, own=own, item=item)


# -- by the name of the thing ----------------------------------------------------------------------


@lru_cache(maxsize=4096)
def by_name(words: str, newer: str, *, asks: bool, own: bool, protects: bool) -> bool:
    """Return whether `newer` revises what `words` say of a thing that both name.

    `asks`: the item is an order; `own`: its own speaker says it; `protects`: it holds a ban or an allergy.
    """
    if is_said_to_be_anothers(newer) and not _all_names(words).isdisjoint(_names(newer)):
        return True
    if own and _lifts(words, newer):
        return True
    if (protects and (not own or _bans(words))) or _says_again(words, newer):
        return False
    if _is_overturned(words, newer, asks=asks, own=own):
        return True
    if protects:
        return False
    if _denies_by_contrast(words, newer):
        return True
    return _gives_other(words, newer, own=own)


@dataclass(frozen=True, slots=True)
class _Clause:
    """A clause of an item with the things that it names; `bans`: it forbids them, or warns of them."""

    names: frozenset[str]
    text: str
    bans: bool


@lru_cache(maxsize=2048)
def _stated(words: str) -> tuple[_Clause, ...]:
    """Return the clauses of `words` that name a thing of now."""
    found = list[_Clause]()
    for part in between_stops(words):
        warned = prohibits(part) or warns(part) or tells_allergy(part)
        for clause in clauses(part):
            if Status.PAST in clause.statuses or not (names := _names(clause.text)):
                continue
            off = _FORMS["put_off"].search(clause.text) is not None
            bans = warned or off or overturns(clause.text, names, "") is not None
            found.append(_Clause(names, clause.text, bans))
    return tuple(found)


@lru_cache(maxsize=2048)
def _bans(words: str) -> bool:
    """Return whether a part of `words` forbids or warns of something: it stands when what is beside it goes."""
    return any(prohibits(part) or warns(part) or tells_allergy(part) for part in between_stops(words))


def _all_names(words: str) -> frozenset[str]:
    return frozenset[str]().union(*map(_names, between_stops(words)))


@lru_cache(maxsize=4096)
def _names(text: str) -> frozenset[str]:
    return things(text) | frozenset(each for each in other_names(text) if len(each) >= LEAST)


LEAST: Final = 4  # letters of a name that no lexicon knows


@lru_cache(maxsize=2048)
def _plain(newer: str) -> tuple[tuple[str, str], ...]:
    """Return the clauses of `newer` meant plainly, now, and of no act of the patient, each with what comes after it."""
    return tuple(
        each
        for part in between_stops(newer)
        for each in plain_clauses(part)
        if _FORMS["by_patient"].search(each[0]) is None
    )


def _is_overturned(words: str, newer: str, *, asks: bool, own: bool) -> bool:
    """Return whether `newer` refuses a thing that `words` ask for, or says that one is off which they state.

    An order of several things stands if another agent refuses only some of them. That a drug is taken, or was, stands
    when it is stopped.
    """
    stated, there = _stated(words), _names(newer)
    banned, gone = frozenset[str]().union(*(each.names for each in stated if each.bans)), set[str]()
    for clause in stated:
        stays = clause.bans or _FORMS["taken"].search(clause.text) is not None
        names = frozenset() if stays else (clause.names - banned) & there
        for part, rest in _plain(newer) if names else ():
            found = _ended(part, names)
            if found is None and (asks or _asks(clause.text)):
                found = overturns(part, names, clause.text)
            if found is not None and not is_turned(rest, names) and (own or LIMITS.search(part) is None):
                gone.add(found)
    return bool(gone) and (own or not asks or named(words) <= named(newer))


@lru_cache(maxsize=2048)
def _asks(clause: str) -> bool:
    return asks_for(clause) or bool(doses(clause)) or _FORMS["would"].search(clause) is not None


def _ended(part: str, names: frozenset[str]) -> str | None:
    """Return the name of a thing that `part` says is off, out or over."""
    found = (match for match in _FORMS["ended"].finditer(part) if not _is_result(match))
    said = ((match["off"] or match["is_off"]).lower() for match in found)
    return next((name for what in said for name in names if name in what), None)


def _is_result(ended: re.Match[str]) -> bool:
    """Return whether what is "out" is a value: its result has come."""
    return bool(ended["out"] and analytes_named(ended["is_off"]))


def _lifts(words: str, newer: str) -> bool:
    """Return whether the speaker lifts its own objection to a thing that `words` name."""
    found = _FORMS["lifts"].search(newer)
    return found is not None and not _all_names(words).isdisjoint(_names(newer[found.end() :]))


def is_carried_out(words: str, newer: str) -> bool:
    """Return whether `newer` says that what `words` ask for once has been done: "The 10 units went in at 11:20"."""
    done = _FORMS["done"].search(newer)
    if (
        done is None
        or _FORMS["again"].search(words)
        or _FORMS["but"].search(newer, done.end())
        or _at_other_times(words, newer)
        or _is_another_dose(words, newer)
        or statuses_of(newer, "") & (_UNMEANT | {Status.NEGATED})
    ):
        return False
    asked = things(words)
    return bool(asked) and asked <= things(newer[: done.start()])


def _is_another_dose(words: str, newer: str) -> bool:
    """Return whether `newer` tells of another amount than `words` ask for, or of a time and no amount of theirs."""
    asked, given = ({(each.number, each.unit) for each in amounts(text)} for text in (words, newer))
    return bool(given - asked) or (_AT_A_TIME.search(newer) is not None and not given & asked)


_AT_A_TIME: Final = re.compile(
    r"\b(?:at \d{1,2}(?![\d:.])|earlier|yesterday|this (?:morning|afternoon|evening)|last night)",
    re.IGNORECASE,
)


def _says_again(words: str, newer: str) -> bool:
    return says_again(words, newer) and not _denies_by_contrast(words, newer)


def _denies_by_contrast(words: str, newer: str) -> bool:
    known = {each.words for each in denied(words)}
    return any(each.words not in known and each.stands_in(words) for each in denied(newer)) or any(
        match["name"] in _FORMS["name"].findall(words) for match in _FORMS["not_name"].finditer(newer)
    )


def _gives_other(words: str, newer: str, *, own: bool) -> bool:
    """Return whether `newer` gives another dose of a drug of `words`, or another time of the same thing."""
    if own and may_replace(newer) and any(gives_instead(newer, words)):
        return True
    if _FORMS["moved"].search(newer) is None or statuses_of(newer, "") & _UNMEANT:
        return False
    shared = {*key_words(words)} & {*key_words(newer)}
    return _at_other_times(words, newer) and any(len(each) > LEAST for each in shared)


def _at_other_times(words: str, newer: str) -> bool:
    before, now = ({*_CLOCK.findall(each)} for each in (words, newer))
    return bool(before and now) and before.isdisjoint(now)


# -- as an answer that names nothing ---------------------------------------------------------------


def _answers(
    units: Sequence[Sentence], runs: Sequence[int], place: int, at: int, *, own: bool, item: SpokenItem
) -> bool:
    """Return whether the sentence at `at` takes back or refuses the item at `place`, which it does not name."""
    newer, between = units[at], units[place + 1 : at]
    if (
        len(newer.full.split()) > MOST_OF_ANSWER
        or statuses_of(newer.full, "") & _ASIDE
        or _IF.search(newer.full)
    ):
        return False
    near = runs[at] <= runs[place] + 2 and not any(things(each.full) for each in between)
    if _is_anothers(units, at, item.text, near=near) or _is_no_allergy(newer.full, between, item.text):
        return True
    if item.protects or runs[at] == runs[place]:
        return False
    if own:
        held = item.kind in _HELD or _asks(said_words(item.text))
        return (
            held
            and takes_back(newer.full)
            and not any(
                person(each.source.agent_id) == person(newer.source.agent_id)
                for each, run in zip(between, runs[place + 1 : at], strict=True)
                if run not in {runs[place], runs[at]}
                and len(each.full.split()) > 1
                and not each.text.endswith("?")
            )
        )
    if any(each.text.endswith("?") for each in (units[place], *between)):
        return False
    if item.kind is SpokenKind.ACTION and not any(things(each.full) for each in between):
        if _says_plainly("refused", newer.full):
            return True
        if _says_plainly("carried_out", newer.full) and not _FORMS["again"].search(item.text):
            return True
    opens = runs[at] == runs[place] + 1 and runs[at - 1] == runs[place]
    return (
        opens
        and at - place <= NEXT
        and (says_no(newer.full, to_itself=False) or _FORMS["refuses"].match(newer.full) is not None)
    )


def _says_plainly(form: str, newer: str) -> bool:
    """Return whether `newer` begins with a form, and nothing behind turns it: "Given, but it tissued"."""
    found = _FORMS[form].match(newer)
    return found is not None and _FORMS["but"].search(newer, found.end()) is None


def takes_back(newer: str) -> bool:
    """Return whether the speaker takes back what it said; "make it" does with an amount or a name, not with "quick"."""
    found = _FORMS["takes_back"].match(newer)
    if found is None or not found["made"]:
        return found is not None
    return _AMOUNT.search(newer, found.end("made")) is not None or bool(drugs_named(newer))


NEXT: Final = 2  # sentences from an item to the bare "no" that answers it


def _is_anothers(units: Sequence[Sentence], at: int, told: str, *, near: bool) -> bool:
    """Return whether the sentence says that it is somebody else's: by a relative, or by "hers" behind one."""
    text = units[at].full
    if _FORMS["of_another"].search(text):
        return near
    kin = at > 0 and any(mark.status is Status.OTHER_PERSON for mark in marks(units[at - 1].full))
    theirs = _FORMS["theirs"].search(text) if kin else None
    return theirs is not None and (
        near or (theirs["what"] or "").lower() in {*re.findall(r"\w+", told.lower())}
    )


def _is_no_allergy(newer: str, between: Iterable[Sentence], told: str) -> bool:
    """Return whether `newer` says that the record of the allergy which was told last is wrong or removed."""
    if not tells_allergy(told) or _FORMS["no_allergy"].search(newer) is None:
        return False
    return things(newer) <= things(told) and not any(tells_allergy(each.full) for each in between)


_ASIDE: Final = frozenset({Status.QUESTION, Status.BOOKS})
_AMOUNT: Final = re.compile(rf"\d|\b(?:(?i:{NUMBER_WORDS}|half|double)|[A-Z]\w+)\b")
_IF: Final = re.compile(r"\b(?:if|unless)\b", re.IGNORECASE)
_UNMEANT: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.BOOKS})
