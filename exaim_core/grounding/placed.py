"""Check where numbers, sides and orders stand in a finished sentence against its cited text.

A number has its unit, its thing and its bound; a side has what it is said of; a word that orders two things has one
before it and one behind. Like `sight.py`, this knows nothing of how the sentence was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from exaim_core.grounding.seen import ANY_MARK, BOUND, FRAME, FREE, SIDES, UNIT, SeenText, SeenWord

_RELATIONS: Final = frozenset(
    "rather instead over before after because versus vs than until cause due → -> then from despite".split()
)


def tells(word: SeenWord, there: frozenset[str] = frozenset()) -> bool:
    """Return whether a word states something; a template's word only if it is `there`, in the cited text."""
    if word.form in FRAME and word.form not in there:
        return False
    return word.form not in FREE and word.form not in ANY_MARK and word.form != ","


def telling(said: SeenText, there: frozenset[str] = frozenset()) -> list[SeenWord]:
    """Return the words that state something, in order."""
    return [word for word in said.words if tells(word, there)]


def is_alarm(said: SeenText) -> bool:
    """Return whether a sentence is an alarm, which is computed and told whatever its source denies."""
    return bool(said.words) and said.words[0].form == "critical"


def numbers_kept(said: SeenText, read: SeenText, alias: set[str]) -> str | None:
    """Return how a number, its unit, its thing or its bound differs from the cited text; else None."""
    alarm = is_alarm(said)
    for at, word in enumerate(said.words):
        if not word.number:
            continue
        homes = read.places(word.form)
        if not homes:
            if word.form in alias or (word.form in {"1", "2", "3", "4", "5"} and not word.unit):
                continue  # a count of agents, which is checked against the vote
            return "a number is not in the cited text"
        if word.unit and not any(read.words[home].unit in {word.unit, ""} for home in homes):
            return "a number has another unit"
        if alarm:
            continue  # two readers have agreed on its thing, and that it is no bound
        label = _label(said, at)
        near = [home for home in homes if label and _belongs(read, home, label)]
        if label and label in {each.form for each in read.words} and not near:
            return "a number belongs to something else"
        bound = {said.words[back].form for back in range(max(0, at - 3), at)} & BOUND
        for home in near or homes:
            there = {read.words[back].form for back in range(max(0, home - 3), home)} & BOUND
            if bool(bound) == bool(there) and _direction(bound) == _direction(there):
                break
        else:
            return "the bound of a number is lost or turned round"
    return None


_UP: Final = frozenset("> ≥ least above over more minimum min exceeding".split())


def _direction(bound: set[str]) -> bool:
    return bool(bound & _UP)


def _label(said: SeenText, at: int) -> str:
    """Return the word that a number is read with: the last content word before it in its clause."""
    for back in range(at - 1, -1, -1):
        word = said.words[back]
        if word.clause != said.words[at].clause or word.number or word.form == ",":
            return ""
        if tells(word) and not UNIT.fullmatch(word.form):
            return word.form
    return ""


def _belongs(read: SeenText, home: int, label: str) -> bool:
    """Return whether no other measured value stands between a number and its label in the cited text."""
    for place in read.places(label):
        low, high = sorted((place, home))
        between = read.words[low + 1 : high]
        if place > home and (
            read.words[place].clause != read.words[home].clause
            or any(word.form in {",", "and"} for word in between)
        ):
            continue
        if not any(word.number and (word.unit or place > home) for word in between):
            return True
    return False


def sides_kept(said: SeenText, read: SeenText, alias: set[str]) -> str | None:
    """Return how a side is added, lost or said of something else; None if all is well."""
    here = {word.form for word in said.words if word.form in SIDES} - alias
    if here and not here <= {word.form for word in read.words}:
        return "a side is not in the cited text"
    for at, word in enumerate(said.words):
        if word.form in here and (thing := _thing(said, at)) and thing in {each.form for each in read.words}:
            if not any(_with_side(read, place, _sided(said, at)) for place in read.places(word.form)):
                return "a side belongs to something else"
    for word in telling(said):
        sided = [side for place in read.places(word.form) if (side := _side_before(read, place))]
        told = here or any(other.form in SIDES for other in said.words)
        if sided and len(sided) == len(read.places(word.form)) and not told and word.form not in alias:
            return "a side is lost"
    return None


def _thing(text: SeenText, at: int) -> str:
    for word in text.words[at + 1 : at + 4]:
        if word.form not in FREE and word.form not in {"sided", "side", ","}:
            return word.form
    return ""


def _sided(said: SeenText, at: int) -> list[str]:
    """Return the content words said of a side: those after it, up to another side or a comma."""
    found = list[str]()
    for word in said.words[at + 1 :]:
        if word.form in SIDES or word.form == "," or word.clause != said.words[at].clause:
            break
        if tells(word):
            found.append(word.form)
    return found[:4]


def _with_side(read: SeenText, place: int, things: Sequence[str]) -> bool:
    """Return whether `things` stand after this side, before another one, or right before it."""
    high = next(
        (at for at in range(place + 1, len(read.words)) if read.words[at].form in SIDES), len(read.words)
    )
    before = [word.form for word in read.words[max(0, place - 2) : place] if not word.number]
    around = {*before, *(word.form for word in read.words[place:high])}
    return all(thing in around or not read.places(thing) for thing in things)


def _side_before(read: SeenText, place: int) -> str:
    before = read.words[place - 1].form if place else ""
    return before if before in SIDES else ""


def order_kept(said: SeenText, read: SeenText, alias: set[str]) -> str | None:
    """Return a reason if two things have changed places around a word that orders them; else None."""
    for at, word in enumerate(said.words):
        if word.form not in _RELATIONS or word.form not in {each.form for each in read.words}:
            continue
        left, right = _beside(said, at, -1), _beside(said, at, 1)
        if not left or not right or not read.places(left) or not read.places(right) or left == right:
            continue
        if not any(_apart(read, place, left, right) for place in read.places(word.form)):
            return "two things have changed places"
    return _from_to(said, read)


def _from_to(said: SeenText, read: SeenText) -> str | None:
    """Return a reason if "from one to another" is reversed against one clause of the source; else None."""
    forms = [word.form for word in said.words]
    if "from" not in forms or "to" not in forms[forms.index("from") :]:
        return None
    middle = forms.index("to", forms.index("from"))
    first, second = _beside(said, middle, -1), _beside(said, middle, 1)
    for clause in range(len(read.marks)):
        there = [word.form for word in read.words if word.clause == clause]
        if {"from", "to", first, second} <= set(there) and there.index(first) > there.index(second):
            return "two things have changed places"
    return None


def _beside(text: SeenText, at: int, step: int) -> str:
    place = at + step
    while 0 <= place < len(text.words):
        word = text.words[place]
        if (
            word.form not in FREE
            and word.form not in FRAME
            and word.form != ","
            and not UNIT.fullmatch(word.form)
        ):
            return word.form
        place += step
    return ""


def _apart(read: SeenText, place: int, left: str, right: str) -> bool:
    return any(at < place for at in read.places(left)) and any(at > place for at in read.places(right))
