"""What was said since of what waits: what is kept of it, whether it only says the same, and how it is told beside.

A later statement withdraws what waits (`overtaken.py`, `remeasured.py`, `revised.py`), takes its place
(`newer.py`, of values) or is told with it (`newer_events.py`, `last_said.py`): "…; since then Doctor Hine: breathing
again.".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Protocol, TypeVar

from exaim_core.schema import Newer, SpokenItem
from exaim_core.text.names import Names, inner, person
from exaim_core.text.places import Source
from exaim_core.text.wording import key_words, lower_first

SINCE: Final = "; since then "
AGAIN: Final = 0.6  # share of its words in a newer sentence that says the same


class Stated(Protocol):
    """What somebody stated, and in which delta."""

    @property
    def agent_id(self) -> str:
        """Who stated it."""

    @property
    def seq(self) -> int:
        """The delta in which it begins."""


_T = TypeVar("_T", bound=Stated)


def without(stated: Iterable[_T], agent_id: str, first_seq: int) -> list[_T]:
    """Return what is left of what was stated once an agent's deltas from `first_seq` on are unsaid."""
    return [each for each in stated if person(each.agent_id) != agent_id or each.seq < first_seq]


def last_seq(item: SpokenItem) -> int:
    """Return the last delta that an item rests on: what comes behind it was said since."""
    return max(cite.last_seq for cite in item.cites)


def rests_on(item: SpokenItem, source: Source) -> bool:
    """Return whether an item rests on words at `source`."""
    return any(
        cite.agent_id == source.agent_id
        and cite.first_seq <= source.last_seq
        and source.first_seq <= cite.last_seq
        for cite in item.cites
    )


def says_again(words: str, newer: str) -> bool:
    """Return whether a later sentence only says again what `words` say."""
    known = {*key_words(words)}
    return len(known & {*key_words(newer)}) >= AGAIN * len(known)


def stands(item: SpokenItem) -> Newer:
    """Return that an alarm stands as it is."""
    return Newer(item_id=item.item_id, critical_key=item.critical_key or "", text="")


def said_since(item: SpokenItem, said: Iterable[tuple[str, str]], names: Names) -> str:
    """Return what was `said` since, as (agent, words), each with its speaker's name, but for the speaker of `item`."""
    own = {person(agent) for agent in item.agents}
    return "; ".join(
        lower_first(words) if person(agent) in own else f"{inner(names(agent))}: {lower_first(words)}"
        for agent, words in said
    )


def beside(text: str, since: str) -> str:
    """Return a told sentence with what was said since, in the place of what it had of that; "" for nothing."""
    own = text.partition(SINCE)[0]
    if since:
        return f"{own.rstrip('.!')}{SINCE}{since}."
    return text if own == text else f"{own}."
