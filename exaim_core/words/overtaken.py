"""Whether what waits to be told still holds: its own speaker may have spoken of the same thing again since.

Nothing is concluded from what was said then. The newer words are read, and told or not, for themselves; only that the
older ones are what the speaker holds is not certain any more, and so they are not told late. A ban holds until its
speaker takes something back, puts something right or asks for what it forbade.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from exaim_core.claims.claims import Claim, Worth
from exaim_core.claims.quotes import asks_for, worth_of
from exaim_core.claims.revoking import is_stop
from exaim_core.grounding.orders_seen import warns
from exaim_core.lexicon.prohibitions import prohibits, tells_allergy
from exaim_core.lexicon.things import things
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.text.assertion import gives_to_another
from exaim_core.text.names import person
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import key_words

ORDERS: Final = frozenset({SpokenKind.ACTION, SpokenKind.CAUTION})
AGAIN: Final = 0.6  # of its words: then the sentence says the same, and it holds
_OPENING: Final = re.compile(r"\A[^:]{2,60}: ")


def overtaken(items: Iterable[SpokenItem], said: Iterable[Unit], begun: Callable[[str], int]) -> list[str]:
    """Return the ids of those `items` that their own speaker has spoken of again in a later turn, of `said`.

    `begun`: the first delta of an agent's newest turn.
    """
    newer = [unit for unit in said if isinstance(unit, Sentence) and not unit.text.endswith("?")]
    return [item.item_id for item in items if any(_overtakes(unit, item, begun) for unit in newer)]


def passed_by(
    words: str, last_seq: int, said: Iterable[Unit], *, near: bool = True, agent_id: str = ""
) -> bool:
    """Return whether what is kept for a silence may not hold any more, by what was `said` since, by anybody.

    That is a sentence that names the same thing and says something else; and if `near`, one of the first `NEAR` that
    puts something right, or gives it to somebody else; or its speaker, `agent_id`, takes something back.
    """
    newer = [unit for unit in said if isinstance(unit, Sentence) and unit.source.first_seq > last_seq]
    return any(
        (_named(words) & _named(unit.full) and not _says_again(words, unit.full))
        or (near and at < NEAR and (worth_of(unit.full) is Worth.CORRECTION or gives_to_another(unit.full)))
        or (unit.source.agent_id == agent_id and _TAKES_BACK.search(unit.full) is not None)
        for at, unit in enumerate(newer)
    )


_TAKES_BACK: Final = re.compile(
    r"\b(?:scrap|forget|strike|ignore) (?:that|it|this|what I said)\b|\bI (?:was|am) (?:wrong|mistaken)\b"
    r"|\bI(?:['’]ll| will)? take (?:that|it|this) back\b|\bmy mistake\b",
    re.IGNORECASE,
)
NEAR: Final = 6  # sentences behind one that is kept, in which nothing need be named that puts it right
HELD: Final = frozenset({SpokenKind.LEADING, SpokenKind.FINDING})
"""What a read change may take off; none of these is told joined with another (`summarizer`)."""


_NO_LONGER: Final = re.compile(r"\b(?:no longer|any ?more)\b", re.IGNORECASE)


def given_up(items: Iterable[SpokenItem], changes: Iterable[Claim], begun: Callable[[str], int]) -> list[str]:
    """Return the ids of those `items` by which a speaker told what it has changed since, as a model read it.

    That is a view that names what it changes from, and a value or a finding that is of that and of its thing and of
    little else; of an earlier turn than the newest. Nothing, where the change names no such thing or the rules see no
    word of change in its sentence: who reads it may be wrong.
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
    """Return whether a change names what it is from, and the rules too see a word of change in its sentence."""
    told = worth_of(change.text) is Worth.CORRECTION or _NO_LONGER.search(change.text) is not None
    return told and bool(key_words(change.was))


def _is_of(item: SpokenItem, change: Claim) -> bool:
    """Return whether an item is what a change is from: a view that names it, or a finding of it and little else."""
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
    if (
        cite.agent_id != agent
        or unit.source.first_seq <= cite.last_seq
        or begun(person(agent)) <= cite.last_seq
    ):
        return False
    words = _OPENING.sub("", item.text)
    if not _named(words) & _named(unit.full) or _says_again(words, unit.full):
        return False
    if item.kind is SpokenKind.ACTION or not (prohibits(words) or warns(words) or tells_allergy(words)):
        return True
    forbids = prohibits(unit.full) or warns(unit.full)
    return worth_of(unit.full) is Worth.CORRECTION or (asks_for(unit.full) and not forbids)


@lru_cache(maxsize=2048)
def _named(text: str) -> frozenset[str]:
    """Return the things that `text` names: "stop" and "hold", what is done with them, are none."""
    return frozenset(each for each in things(text) if not is_stop(each) and not asks_for(each))


def _says_again(words: str, newer: str) -> bool:
    own = set(key_words(words))
    return len(own & set(key_words(newer))) >= AGAIN * len(own)
