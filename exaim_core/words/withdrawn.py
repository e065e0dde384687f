"""Find waiting items that are not told any more, as something was said since that takes them off.

Nothing is concluded from what was said since: it is told, or not, in its own right. It is only no longer certain that
the older words hold, so they are not told late. What a sentence does to older words is read by `revised.py` and
`remeasured.py`; here it is decided which items may go, by whose words, and how near they have to stand. Alarms stay,
and a ban goes only by its own speaker's words, or if it is somebody else's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Final

from exaim_core.claims.claims import Claim, Worth
from exaim_core.claims.quotes import worth_of
from exaim_core.claims.refusing import says_no
from exaim_core.lexicon.prohibitions import tells_allergy
from exaim_core.lexicon.things import things
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.text.assertion import Status, gives_to_another, marks, statuses_of
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import key_words
from exaim_core.words.remeasured import gives_anew
from exaim_core.words.revised import (
    FORMS,
    asks_in,
    by_name,
    is_carried_out,
    is_done,
    may_revise,
    names_again,
    speaks_again,
    takes_back,
)
from exaim_core.words.since_then import AGAIN, last_seq, rests_on
from exaim_core.words.templates import said_words

Begun = Callable[[str], int]
"""The first delta of an agent's newest turn."""
_ORDERS: Final = frozenset({SpokenKind.ACTION, SpokenKind.CAUTION})
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
MAY_CHANGE: Final = frozenset({SpokenKind.LEADING, SpokenKind.FINDING})
"""Kinds that a read change may take off; they are never told joined with another."""
MOST_BACK: Final = 60  # sentences before a newer one in which the item that it answers may stand
NEAR: Final = 6  # sentences after it in which a correction need not name the thing
NEXT: Final = 2  # sentences from an item to the bare "no" that answers it
MOST_RUNS: Final = 2  # turns from it to who says whose it is, without its name
MOST_OF_ANSWER: Final = 18  # words of an answer that names nothing
_ASIDE: Final = frozenset({Status.QUESTION, Status.BOOKS})


@dataclass(frozen=True, slots=True)
class _Talk:
    """Sentences in order, and who says each; `runs`: the number of its run, with nobody else between."""

    units: Sequence[Sentence]
    agents: Sequence[str]
    runs: Sequence[int]


def withdrawn(
    items: Iterable[SpokenItem],
    said: Iterable[Unit],
    before: Sequence[Unit],
    fresh: Container[str],
    begun: Begun,
) -> list[str]:
    """Return the ids of `items` that a sentence of `said` takes off.

    `before`: the sentences before them, of which those that came after its words may take off one of `fresh` too.
    """
    units = [unit for unit in (*before, *said) if isinstance(unit, Sentence)]
    agents = [person(unit.source.agent_id) for unit in units]
    changes = (here != last for last, here in pairwise(agents))
    talk = _Talk(units, agents, [*accumulate(changes, initial=0)])
    first = sum(isinstance(unit, Sentence) for unit in before)
    return [
        item.item_id
        for item in items
        if item.cites
        and item.kind not in _STAY
        and _goes(item, talk, 0 if item.item_id in fresh else first, begun)
    ]


def _goes(item: SpokenItem, talk: _Talk, first: int, begun: Begun) -> bool:
    """Return whether a sentence from `first` on, and after the words of an item, takes it off."""
    words, last = said_words(item.text), last_seq(item)
    later = [at for at in range(first, len(talk.units)) if talk.units[at].source.first_seq > last]
    return any(
        _is_overtaken(item, words, talk, at, begun)
        or (_may_end(talk.units[at].full) and _is_revised(item, words, talk, at))
        for at in later
    )


def _may_end(newer: str) -> bool:
    return may_revise(newer) or is_done(newer)


def _is_overtaken(item: SpokenItem, words: str, talk: _Talk, at: int, begun: Begun) -> bool:
    """Return whether a sentence gives a value of a finding anew, or leaves open whether an order or caution holds."""
    newer, agent = talk.units[at].full, talk.agents[at]
    if item.kind is SpokenKind.FINDING:
        return not item.protects and not item.presses and gives_anew(words, newer)
    if item.kind not in _ORDERS or len(item.cites) > 1 or newer.endswith("?"):
        return False
    own = agent == person(item.cites[0].agent_id)
    if own and begun(agent) <= last_seq(item):
        return False  # it goes on
    return speaks_again(words, newer, asks=item.kind is SpokenKind.ACTION, own=own)


def _is_revised(item: SpokenItem, words: str, talk: _Talk, at: int) -> bool:
    """Return whether a sentence revises an item by the name of its thing, or as an answer to it."""
    newer, asks = talk.units[at].full, item.kind is SpokenKind.ACTION
    own = talk.agents[at] == person(item.cites[-1].agent_id)
    if by_name(words, newer, asks=asks, own=own, protects=item.protects):
        return True
    if asks and not item.protects and is_carried_out(words, newer):
        return True
    first = max(at - MOST_BACK + 1, 0)
    if talk.units[first].source.first_seq > last_seq(item):
        return False  # it was said too long before
    places = range(at - 1, first - 1, -1)
    place = next((each for each in places if rests_on(item, talk.units[each].source)), None)
    return place is not None and _answers(item, words, talk, place, at, own=own)


# -- as an answer that names nothing ---------------------------------------------------------------


def _answers(item: SpokenItem, words: str, talk: _Talk, place: int, at: int, *, own: bool) -> bool:
    """Return whether the sentence at `at` takes back or refuses the item at `place`, which it does not name."""
    newer, between = talk.units[at].full, talk.units[place + 1 : at]
    if len(newer.split()) > MOST_OF_ANSWER or statuses_of(newer, "") & _ASIDE or FORMS["if"].search(newer):
        return False
    nothing_else = not any(things(each.full) for each in between)
    runs_on = talk.runs[at] - talk.runs[place]
    if _is_anothers(talk, at, item.text, near=nothing_else and runs_on <= MOST_RUNS):
        return True
    if _is_no_allergy(newer, between, item.text):
        return True
    if item.protects or not runs_on:
        return False
    if own:
        held = item.kind in {SpokenKind.ACTION, SpokenKind.LEADING} or asks_in(words)
        return held and takes_back(newer) and not _spoke_between(talk, place, at)
    if any(each.text.endswith("?") for each in (talk.units[place], *between)):
        return False
    if item.kind is SpokenKind.ACTION and nothing_else:
        if _says_plainly("refused", newer):
            return True
        if _says_plainly("carried_out", newer) and not FORMS["again"].search(item.text):
            return True
    opens = runs_on == 1 and talk.runs[at - 1] == talk.runs[place] and at - place <= NEXT
    return opens and (says_no(newer, to_itself=False) or FORMS["refuses"].match(newer) is not None)


def _spoke_between(talk: _Talk, place: int, at: int) -> bool:
    """Return whether the speaker of the sentence at `at` said more than a word in another turn since `place`."""
    ends = {talk.runs[place], talk.runs[at]}
    return any(
        talk.agents[each] == talk.agents[at]
        and talk.runs[each] not in ends
        and len(talk.units[each].full.split()) > 1
        and not talk.units[each].text.endswith("?")
        for each in range(place + 1, at)
    )


def _says_plainly(form: str, newer: str) -> bool:
    """Return whether `newer` begins with a form, and nothing behind turns it: "Given, but it tissued"."""
    found = FORMS[form].match(newer)
    return found is not None and FORMS["but"].search(newer, found.end()) is None


def _is_anothers(talk: _Talk, at: int, told: str, *, near: bool) -> bool:
    """Return whether the sentence says that it is somebody else's: by a relative, or by "hers" behind one."""
    text = talk.units[at].full
    if FORMS["of_another"].search(text):
        return near
    kin = at > 0 and any(mark.status is Status.OTHER_PERSON for mark in marks(talk.units[at - 1].full))
    theirs = FORMS["theirs"].search(text) if kin else None
    return theirs is not None and (
        near or (theirs["what"] or "").lower() in {*re.findall(r"\w+", told.lower())}
    )


def _is_no_allergy(newer: str, between: Iterable[Sentence], told: str) -> bool:
    """Return whether `newer` says that the record of the allergy which was told last is wrong or removed."""
    if not tells_allergy(told) or FORMS["no_allergy"].search(newer) is None:
        return False
    return things(newer) <= things(told) and not any(tells_allergy(each.full) for each in between)


# -- what a model read as changed ------------------------------------------------------------------


def given_up(items: Iterable[SpokenItem], changes: Iterable[Claim], begun: Begun) -> list[str]:
    """Return the ids of `items` in which a speaker told what a model read it to have changed since.

    These are views that name what was changed, and values or findings about that and little else; all of earlier turns
    than the newest. Nothing is returned if the change does not name what it is from, or if the rules see no word of
    change in its sentence: the reading may be wrong.
    """
    read = [each for each in changes if each.read_as == "change" and _changes(each)]
    return [
        item.item_id
        for change in read
        for item in items
        if item.kind in MAY_CHANGE
        and not item.protects
        and len(item.cites) == 1
        and person(item.cites[0].agent_id) == change.agent_id
        and item.cites[0].last_seq < begun(change.agent_id)
        and _is_of(item, change)
    ]


def _changes(change: Claim) -> bool:
    """Return whether a change names what it changes from, and has a word of change in its sentence."""
    told = worth_of(change.text) is Worth.CORRECTION or FORMS["no_longer"].search(change.text) is not None
    return told and bool(key_words(change.was))


def _is_of(item: SpokenItem, change: Claim) -> bool:
    """Return whether an item is what a change is from: a view that names it, or a finding of little else."""
    own, former, thing = map(set, map(key_words, (said_words(item.text), change.was, change.about)))
    if not former <= own or item.kind is SpokenKind.LEADING:
        return former <= own
    return thing <= own and len((former | thing) & own) >= AGAIN * len(own)


# -- what is kept for a silence --------------------------------------------------------------------


def passed_by(
    words: str, last_seq: int, said: Iterable[Unit], *, near: bool = True, agent_id: str = ""
) -> bool:
    """Return whether words kept for a silence may no longer hold, given what anybody `said` since.

    They may not if a sentence names the same thing and says something else; if `near`, and one of the first `NEAR`
    sentences puts something right or gives it to somebody else; or if the speaker, `agent_id`, takes something back.
    """
    newer = [unit for unit in said if isinstance(unit, Sentence) and unit.source.first_seq > last_seq]
    return any(
        names_again(words, unit.full)
        or (near and at < NEAR and (worth_of(unit.full) is Worth.CORRECTION or gives_to_another(unit.full)))
        or (unit.source.agent_id == agent_id and FORMS["unsays"].search(unit.full) is not None)
        for at, unit in enumerate(newer)
    )


def taken_back_next(source: Source, said: Iterable[Unit]) -> bool:
    """Return whether the sentence after the one at `source`, by the same speaker, opens with a taking back."""
    units = [unit for unit in said if isinstance(unit, Sentence)]
    at = max((at for at, unit in enumerate(units) if unit.source.meets(source)), default=len(units))
    return any(
        person(unit.source.agent_id) == person(source.agent_id)
        and FORMS["opens_back"].match(unit.full) is not None
        for unit in units[at + 1 : at + 2]
    )
