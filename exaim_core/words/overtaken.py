"""Whether what waits to be told still holds: its own speaker may have spoken of the same thing again since.

Nothing is concluded from what was said then. The newer words are read, and told or not, for themselves; only that the
older ones are what the speaker holds is not certain any more, and so they are not told late. A ban holds until its
speaker takes something back, puts something right or asks for what it forbade.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from exaim_core.claims.claims import Claim
from exaim_core.claims.quotes import Worth, asks_for, worth_of
from exaim_core.grounding.orders_seen import warns
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.schema import SpokenItem, SpokenKind
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


_HELD: Final = frozenset({SpokenKind.LEADING, SpokenKind.FINDING})


def given_up(items: Iterable[SpokenItem], changes: Iterable[Claim], begun: Callable[[str], int]) -> list[str]:
    """Return the ids of those `items` by which a speaker told what it has changed since, as a model read it.

    That is its view of before, and what names something that the change names; of an earlier turn than the newest.
    """
    gone = list[str]()
    for change in (each for each in changes if each.read_as == "change"):
        named = set(key_words(change.cited))
        gone += [
            item.item_id
            for item in items
            if item.kind in _HELD
            and len(item.cites) == 1
            and person(item.cites[0].agent_id) == change.agent_id
            and item.cites[0].last_seq < begun(change.agent_id)
            and (
                item.topic == f"view of {change.agent_id}"
                or named & set(key_words(_OPENING.sub("", item.text)))
            )
        ]
    return gone


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
    if not things(words) & things(unit.full) or _says_again(words, unit.full):
        return False
    if item.kind is SpokenKind.ACTION or not (prohibits(words) or warns(words)):
        return True
    forbids = prohibits(unit.full) or warns(unit.full)
    return worth_of(unit.full) is Worth.CORRECTION or (asks_for(unit.full) and not forbids)


def _says_again(words: str, newer: str) -> bool:
    own = set(key_words(words))
    return len(own & set(key_words(newer))) >= AGAIN * len(own)
