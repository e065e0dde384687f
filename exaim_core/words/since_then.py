"""The contract of what was said since of the thing of an item that waits: what that does to the item.

| what was said since | of which items | by |
|---|---|---|
| withdraws the item | all but alarms | `withdrawn.py`, which reads two texts by `revised.py` and `remeasured.py` |
| takes its place, or is told with it | alarms on a value | `newer.py` |
| is told with it | alarms on an event | `newer_events.py` |
| is told with it, if it is told late | others that name a drug, or give a value | `last_said.py`, with `newer.py` |

What is told with an item follows `Beside`: "…; since then Doctor Hine: breathing again.". What the board no longer
holds withdraws items too (`exaim_core/since.py`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Final, Generic, Protocol, TypeVar

from exaim_core.schema import Newer, SaidSince, SpokenItem
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


_StatedT = TypeVar("_StatedT", bound=Stated)
_ToldT = TypeVar("_ToldT", Newer, SaidSince)


class Beside(ABC, Generic[_StatedT, _ToldT]):
    """Keeps what was stated of things, and what of it is told with the items that wait."""

    def __init__(self) -> None:
        self._stated: list[_StatedT] = []  # in order, without what was unsaid
        self._told: dict[str, _ToldT] = {}  # what was told last with an item, by its id
        self._turn_from, self._speaker = 0, ""

    def _turn_of(self, source: Source) -> int:
        """Return the first delta of the turn that the next words are of: of all since somebody else spoke."""
        if person(source.agent_id) != self._speaker:
            self._speaker, self._turn_from = person(source.agent_id), source.first_seq
        return self._turn_from

    def unsay(self, agent_id: str, first_seq: int) -> None:
        """Forget what an agent stated from delta `first_seq` on."""
        self._stated = [
            each for each in self._stated if person(each.agent_id) != agent_id or each.seq < first_seq
        ]

    def changed(self, items: Sequence[SpokenItem], names: Names) -> list[_ToldT]:
        """Return what is told with each of `items`, where it has changed since this was last asked."""
        before, self._told = self._told, {each.item_id: each for each in self._beside(items, names)}
        return [
            each
            for each in self._told.values()
            if (each != before[each.item_id] if each.item_id in before else _says_something(each))
        ]

    @abstractmethod
    def _beside(self, items: Sequence[SpokenItem], names: Names) -> Iterable[_ToldT]:
        """Yield for each of `items` that is of such a thing what is told with it, be it nothing."""


def _says_something(told: Newer | SaidSince) -> bool:
    return bool(told.text if isinstance(told, Newer) else told.words)


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
