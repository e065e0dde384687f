"""Find waiting items that may no longer hold, as somebody has spoken of the same thing again.

Nothing is concluded from the newer words. They are read, and told or not, in their own right. It is only no longer
certain that the speaker holds the older ones, so these are not told late. A ban holds until its speaker takes something
back, puts something right or asks for what it forbade; another agent's words take none off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from exaim_core.claims.claims import Claim, Worth
from exaim_core.claims.correcting import amounts
from exaim_core.claims.quotes import asks_for, worth_of
from exaim_core.claims.revoking import is_stop
from exaim_core.grounding.orders_seen import warns
from exaim_core.lexicon.prohibitions import prohibits, tells_allergy
from exaim_core.lexicon.things import things
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.text.assertion import gives_to_another
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import key_words
from exaim_core.words.since_then import AGAIN, says_again

ORDERS: Final = frozenset({SpokenKind.ACTION, SpokenKind.CAUTION})
LIMITS: Final = re.compile(
    r"\b(?:waits?|until|till?|before|later|yet|if|unless|when|once|only|alone|with|without|together|above|below|over|under"
    r"|than|through|line|IV|IM|SC|PO|orally|infusion|bolus)\b",
    re.IGNORECASE,
)
"""Words that forbid a thing only for a time, a case, an amount or a way, or put it off."""
_OPENING: Final = re.compile(r"\A[^:]{2,60}: ")


def overtaken(items: Iterable[SpokenItem], said: Iterable[Unit], begun: Callable[[str], int]) -> list[str]:
    """Return the ids of `items` that may no longer hold.

    Their own speaker has spoken of the same thing again in a later turn; or another has since forbidden all that an
    order asks for, said that it is given, or put something right that names it.

    `begun`: the first delta of an agent's newest turn.
    """
    newer = [unit for unit in said if isinstance(unit, Sentence) and not unit.text.endswith("?")]
    return [item.item_id for item in items if any(_overtakes(unit, item, begun) for unit in newer)]


def passed_by(
    words: str, last_seq: int, said: Iterable[Unit], *, near: bool = True, agent_id: str = ""
) -> bool:
    """Return whether words kept for a silence may no longer hold, given what anybody `said` since.

    They may not if a sentence names the same thing and says something else; if `near`, and one of the first `NEAR`
    sentences puts something right or gives it to somebody else; or if the speaker, `agent_id`, takes something back.
    """
    newer = [unit for unit in said if isinstance(unit, Sentence) and unit.source.first_seq > last_seq]
    return any(
        (named(words) & named(unit.full) and not says_again(words, unit.full))
        or (near and at < NEAR and (worth_of(unit.full) is Worth.CORRECTION or gives_to_another(unit.full)))
        or (unit.source.agent_id == agent_id and _TAKES_BACK.search(unit.full) is not None)
        for at, unit in enumerate(newer)
    )


def taken_back_next(source: Source, said: Iterable[Unit]) -> bool:
    """Return whether the sentence after the one at `source`, by the same speaker, opens with a taking back."""
    units = [unit for unit in said if isinstance(unit, Sentence)]
    at = max((at for at, unit in enumerate(units) if unit.source.meets(source)), default=len(units))
    return any(
        person(unit.source.agent_id) == person(source.agent_id) and _OPENS_BACK.match(unit.full) is not None
        for unit in units[at + 1 : at + 2]
    )


def takes_back(text: str) -> bool:
    """Return whether a sentence takes back what was said before it, or puts it right."""
    return _OPENS_BACK.match(text) is not None or _TAKES_BACK.search(text) is not None


_OPENS_BACK: Final = re.compile(
    r"\W*(?:(?:actually|wait|sorry|correction|scrap|hang on|hold on)\b|(?:no|oh)[,.—–-])", re.IGNORECASE
)
_TAKES_BACK: Final = re.compile(
    r"\b(?:scrap|forget|strike|ignore) (?:that|it|this|what I said)\b|\bI (?:was|am) (?:wrong|mistaken)\b"
    r"|\bI(?:['’]ll| will)? take (?:that|it|this) back\b|\bmy mistake\b",
    re.IGNORECASE,
)
NEAR: Final = 6  # sentences after it in which a correction need not name the thing
HELD: Final = frozenset({SpokenKind.LEADING, SpokenKind.FINDING})
"""Kinds of items that a read change may take off; they are never told joined with another."""


_NO_LONGER: Final = re.compile(r"\b(?:no longer|any ?more)\b", re.IGNORECASE)


def given_up(items: Iterable[SpokenItem], changes: Iterable[Claim], begun: Callable[[str], int]) -> list[str]:
    """Return the ids of `items` in which a speaker told what a model read it to have changed since.

    These are views that name what was changed, and values or findings about that and little else; all of earlier turns
    than the newest. Nothing is returned if the change does not name what it is from, or if the rules see no word of
    change in its sentence: the reading may be wrong.
    """
    gone = list[str]()
    for change in (each for each in changes if each.read_as == "change" and _changes(each)):
        gone += [
            item.item_id
            for item in items
            if item.kind in HELD
            and not item.protects
            and len(item.cites) == 1
            and person(item.cites[0].agent_id) == change.agent_id
            and item.cites[0].last_seq < begun(change.agent_id)
            and _is_of(item, change)
        ]
    return gone


def _changes(change: Claim) -> bool:
    """Return whether a change names what it changes from, and has a word of change in its sentence."""
    told = worth_of(change.text) is Worth.CORRECTION or _NO_LONGER.search(change.text) is not None
    return told and bool(key_words(change.was))


def _is_of(item: SpokenItem, change: Claim) -> bool:
    """Return whether an item is what a change is from: a view that names it, or a finding of little else."""
    own = set(key_words(_OPENING.sub("", item.text)))
    former, thing = set(key_words(change.was)), set(key_words(change.about))
    if not former <= own:
        return False
    if item.kind is SpokenKind.LEADING:
        return True
    return thing <= own and len((former | thing) & own) >= AGAIN * len(own)


def _overtakes(unit: Sentence, item: SpokenItem, begun: Callable[[str], int]) -> bool:
    if item.kind not in ORDERS or len(item.cites) != 1:
        return False
    cite, agent = item.cites[0], unit.source.agent_id
    if unit.source.first_seq <= cite.last_seq:
        return False
    words = _OPENING.sub("", item.text)
    if not named(words) & named(unit.full) or says_again(words, unit.full):
        return False
    bans = prohibits(words) or warns(words) or tells_allergy(words)
    if cite.agent_id != agent:
        if item.kind is SpokenKind.ACTION and not bans and _is_given(words, unit.full):
            return True
        forbids = prohibits(unit.full) and LIMITS.search(unit.full) is None
        of_it_alone = named(words) <= named(unit.full)
        return not bans and of_it_alone and (forbids or worth_of(unit.full) is Worth.CORRECTION)
    if begun(person(agent)) <= cite.last_seq:
        return False
    if item.kind is SpokenKind.ACTION or not bans:
        return True
    forbids = prohibits(unit.full) or warns(unit.full)
    return worth_of(unit.full) is Worth.CORRECTION or (asks_for(unit.full) and not forbids)


def is_done(text: str) -> bool:
    """Return whether a short sentence only says that something has been given now: "Glucose's in."."""
    return _IS_DONE.fullmatch(text.strip()) is not None


def _is_given(words: str, newer: str) -> bool:
    """Return whether `newer` says that all that `words` ask for is given; what is to be repeated stays."""
    asked = named(words)
    once = _REPEATED.search(words) is None and len(amounts(words)) < MANY
    return bool(asked) and asked <= named(newer) and is_done(newer) and once


MANY: Final = 2  # amounts: one is given, the other may not be


_REPEATED: Final = re.compile(
    r"\b(?:every|again|repeat\w*|another|more|then|hourly|daily|twice|times|per|infusion|until)\b",
    re.IGNORECASE,
)
_IS_DONE: Final = re.compile(
    r"(?:ok(?:ay)?[,.] |right[,.] |yes[,.] |done[,.] )?(?:the |his |her |that )?"
    r"(?!.*(?:\b(?:no|not|never|nothing|nearly|almost|half|some|most|which|what|if|when|once|was|were|be|to|will|would"
    r"|can|could|may|might|must|should)\b|n['’]t))[\w-]+(?: [\w-]+)?"
    r"(?:['’]s| is| are|['’]re| has| have)?(?: now| all| just| already)*"
    r" (?:in|given|done|gone in|been given|going in|went in|running|up and running|on board)(?: now| already)?[.!]?",
    re.IGNORECASE,
)


@lru_cache(maxsize=2048)
def named(text: str) -> frozenset[str]:
    """Return the things that `text` names, without the actions on them ("stop", "hold")."""
    return frozenset(each for each in things(text) if not is_stop(each) and not asks_for(each))
