"""Read what a newer sentence does to older words: it refuses, takes back, gives away, ends or changes what they say.

It goes by the two texts alone, and by whether one speaker says both. Repetition, agreement, conditions and questions do
nothing.

| does the newer sentence … | function |
|---|---|
| … have a word that could do any of this? | `may_revise` |
| … revise the older words by the name of their thing? | `by_name` |
| … say that what they ask for is done? | `is_carried_out` |
| … speak of their thing again, so that it is open whether they hold? | `speaks_again` |
| … take back what its speaker said, whatever that was? | `takes_back`, `may_take_back` |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.claims.claims import Worth
from exaim_core.claims.contrast import denied
from exaim_core.claims.correcting import amounts
from exaim_core.claims.limits import analytes_named
from exaim_core.claims.quotes import asks_for, worth_of
from exaim_core.claims.refusing import (
    doses,
    gives_instead,
    is_turned,
    may_replace,
    other_names,
    overturns,
    plain_clauses,
)
from exaim_core.claims.revoking import is_stop
from exaim_core.claims.whose import is_said_to_be_anothers
from exaim_core.grounding.orders_seen import warns
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.prohibitions import prohibits, tells_allergy
from exaim_core.lexicon.things import things
from exaim_core.text.assertion import Status, clauses, statuses_of
from exaim_core.text.boundaries import between_stops
from exaim_core.text.figures import NUMBER_WORDS
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import key_words
from exaim_core.words.since_then import says_again

FORMS: Final = lexicon("words/revised", words=NUMBER_WORDS)
LEAST: Final = 4  # letters of a name that no lexicon knows
MANY: Final = 2  # amounts: one is given, the other may not be
_UNMEANT: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.BOOKS})


@lru_cache(maxsize=2048)
def may_revise(text: str) -> bool:
    """Return whether `text` has a word that refuses, takes back, gives away, ends or changes something."""
    return not text.endswith("?") and FORMS["may_revise"].search(text) is not None


# -- whatever it was -------------------------------------------------------------------------------


def takes_back(newer: str) -> bool:
    """Return whether the speaker takes back what it said; "make it" does with an amount or a name, not with "quick"."""
    found = FORMS["takes_back"].match(newer)
    if found is None or not found["made"]:
        return found is not None
    return FORMS["amount"].search(newer, found.end("made")) is not None or bool(drugs_named(newer))


def may_take_back(text: str) -> bool:
    """Return whether the speaker may take something back, or put it right, anywhere in `text`."""
    return FORMS["opens_back"].match(text) is not None or FORMS["unsays"].search(text) is not None


# -- by the name of the thing ----------------------------------------------------------------------


@lru_cache(maxsize=2048)
def named(text: str) -> frozenset[str]:
    """Return the things that `text` names, without the actions on them ("stop", "hold")."""
    return frozenset(each for each in things(text) if not is_stop(each) and not asks_for(each))


def names_again(words: str, newer: str) -> bool:
    """Return whether `newer` names a thing of `words`, and says something else."""
    return not named(words).isdisjoint(named(newer)) and not says_again(words, newer)


@lru_cache(maxsize=4096)
def speaks_again(words: str, newer: str, *, asks: bool, own: bool) -> bool:
    """Return whether `newer` is about the same thing, and leaves it open whether what `words` say still holds.

    Their own speaker's does if it says anything else; of a ban, if it puts something right or asks for something.
    Another's does if it forbids or puts right all that they name. `asks`: they are an order.
    """
    if not names_again(words, newer):
        return False
    forbids, rights = prohibits(newer), worth_of(newer) is Worth.CORRECTION
    if own:
        bans = not asks and _bans(words)
        return not bans or rights or (asks_for(newer) and not forbids and not warns(newer))
    limited = FORMS["limits"].search(newer) is not None
    return (rights or (forbids and not limited)) and named(words) <= named(newer) and not _bans(words)


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
        warned = _bans(part)
        for clause in clauses(part):
            if Status.PAST in clause.statuses or not (names := _names(clause.text)):
                continue
            off = FORMS["put_off"].search(clause.text) is not None
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


@lru_cache(maxsize=2048)
def _plain(newer: str) -> tuple[tuple[str, str], ...]:
    """Return the clauses of `newer` meant plainly, now, and of no act of the patient, each with what comes after it."""
    return tuple(
        each
        for part in between_stops(newer)
        for each in plain_clauses(part)
        if FORMS["by_patient"].search(each[0]) is None
    )


def _is_overturned(words: str, newer: str, *, asks: bool, own: bool) -> bool:
    """Return whether `newer` refuses a thing that `words` ask for, or says that one is off which they state.

    An order of several things stands if another agent refuses only some of them. That a drug is taken, or was, stands
    when it is stopped.
    """
    stated, there = _stated(words), _names(newer)
    banned, gone = frozenset[str]().union(*(each.names for each in stated if each.bans)), set[str]()
    for clause in stated:
        stays = clause.bans or FORMS["taken"].search(clause.text) is not None
        names = frozenset() if stays else (clause.names - banned) & there
        for part, rest in _plain(newer) if names else ():
            found = _ended(part, names)
            if found is None and (asks or asks_in(clause.text)):
                found = overturns(part, names, clause.text)
            if (
                found is not None
                and not is_turned(rest, names)
                and (own or FORMS["limits"].search(part) is None)
            ):
                gone.add(found)
    return bool(gone) and (own or not asks or named(words) <= named(newer))


@lru_cache(maxsize=2048)
def asks_in(clause: str) -> bool:
    """Return whether `clause` asks for something: by its verb, as a proposal, or with a dose."""
    return asks_for(clause) or bool(doses(clause)) or FORMS["would"].search(clause) is not None


def _ended(part: str, names: frozenset[str]) -> str | None:
    """Return the name of a thing that `part` says is off, out or over."""
    found = (match for match in FORMS["ended"].finditer(part) if not _is_result(match))
    said = ((match["off"] or match["is_off"]).lower() for match in found)
    return next((name for what in said for name in names if name in what), None)


def _is_result(ended: re.Match[str]) -> bool:
    """Return whether what is "out" is a value: its result has come."""
    return bool(ended["out"] and analytes_named(ended["is_off"]))


def _lifts(words: str, newer: str) -> bool:
    """Return whether the speaker lifts its own objection to a thing that `words` name."""
    found = FORMS["lifts"].search(newer)
    return found is not None and not _all_names(words).isdisjoint(_names(newer[found.end() :]))


def is_carried_out(words: str, newer: str) -> bool:
    """Return whether `newer` says that what `words` ask for once has been done: "The 10 units went in at 11:20"."""
    if FORMS["again"].search(words):
        return False
    if is_done(newer):
        return bool(named(words)) and named(words) <= named(newer) and len(amounts(words)) < MANY
    done = FORMS["done"].search(newer)
    if (
        done is None
        or FORMS["but"].search(newer, done.end())
        or _at_other_times(words, newer)
        or _is_another_dose(words, newer)
        or statuses_of(newer, "") & (_UNMEANT | {Status.NEGATED})
    ):
        return False
    asked = things(words)
    return bool(asked) and asked <= things(newer[: done.start()])


@lru_cache(maxsize=2048)
def is_done(text: str) -> bool:
    """Return whether a short sentence only says that something has been given now: "Glucose's in."."""
    return FORMS["is_in"].fullmatch(text.strip()) is not None


def _is_another_dose(words: str, newer: str) -> bool:
    """Return whether `newer` tells of another amount than `words` ask for, or of a time and no amount of theirs."""
    asked, given = ({(each.number, each.unit) for each in amounts(text)} for text in (words, newer))
    return bool(given - asked) or (FORMS["at_a_time"].search(newer) is not None and not given & asked)


def _says_again(words: str, newer: str) -> bool:
    return says_again(words, newer) and not _denies_by_contrast(words, newer)


def _denies_by_contrast(words: str, newer: str) -> bool:
    known = {each.words for each in denied(words)}
    return any(each.words not in known and each.stands_in(words) for each in denied(newer)) or any(
        match["name"] in FORMS["name"].findall(words) for match in FORMS["not_name"].finditer(newer)
    )


def _gives_other(words: str, newer: str, *, own: bool) -> bool:
    """Return whether `newer` gives another dose of a drug of `words`, or another time of the same thing."""
    if own and may_replace(newer) and any(gives_instead(newer, words)):
        return True
    if FORMS["moved"].search(newer) is None or statuses_of(newer, "") & _UNMEANT:
        return False
    shared = {*key_words(words)} & {*key_words(newer)}
    return _at_other_times(words, newer) and any(len(each) > LEAST for each in shared)


def _at_other_times(words: str, newer: str) -> bool:
    before, now = ({*FORMS["clock"].findall(each)} for each in (words, newer))
    return bool(before and now) and before.isdisjoint(now)
