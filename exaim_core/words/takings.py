"""Find what later sentences take back, and keep it: a turn that is withdrawn has taken nothing back.

What an update takes back is not told any more. If a turn that was read for it is withdrawn, that is found again without
this turn: what nobody else has taken back is told anew.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from exaim_core.claims.claims import Claim
from exaim_core.schema import SpokenItem
from exaim_core.text.names import person
from exaim_core.text.units import Unit
from exaim_core.words.since_then import last_seq
from exaim_core.words.withdrawn import Begun, given_up, passed_by, withdrawn

_Said = TypeVar("_Said", Unit, Claim)


@dataclass(frozen=True, slots=True)
class Heard:
    """What may take items back: the sentences since the last update, and those before it.

    `newest`: the ids of what that update told. `changed`: the claims that the update tells which is made.
    """

    said: Sequence[Unit]
    before: Sequence[Unit]
    newest: Collection[str]
    changed: Sequence[Claim] = ()

    def without(self, agent_id: str, first_seq: int) -> Heard:
        """Return what is left without what an agent said from delta `first_seq` on."""

        def left(kept: Iterable[_Said]) -> tuple[_Said, ...]:
            return tuple(
                each
                for each in kept
                if person(each.source.agent_id) != agent_id or each.source.first_seq < first_seq
            )

        return replace(self, said=left(self.said), before=left(self.before), changed=left(self.changed))

    def takes_back(self, items: Sequence[SpokenItem], begun: Begun) -> list[str]:
        """Return the ids of `items` that these sentences take back.

        `begun`: the first delta of an agent's newest turn.
        """
        over = withdrawn(items, self.said, self.before, self.newest, begun)
        over += given_up(items, self.changed, begun)
        return over + [item.item_id for item in items if item.likely and self._passes_by(item)]

    def _passes_by(self, item: SpokenItem) -> bool:
        return passed_by(
            item.text.partition(": ")[2],
            last_seq(item),
            self.said,
            near=item.item_id in self.newest,
            agent_id=item.cites[-1].agent_id,
        )


@dataclass(frozen=True, slots=True)
class Taking:
    """What one update took back, and what was heard for it."""

    items: tuple[SpokenItem, ...]
    heard: Heard

    def lost_by(self, agent_id: str, first_seq: int, begun: Begun) -> list[SpokenItem]:
        """Return the items that no one would have taken back without what the agent said from delta `first_seq` on."""
        rest = self.heard.without(agent_id, first_seq)
        if len(rest.said) == len(self.heard.said):
            return []
        still = set(rest.takes_back(self.items, begun))
        return [item for item in self.items if item.item_id not in still]


def lost_by(takings: Iterable[Taking], agent_id: str, first_seq: int, begun: Begun) -> list[SpokenItem]:
    """Return what only an agent's words from delta `first_seq` on took back, over all `takings`."""
    return [item for each in takings for item in each.lost_by(agent_id, first_seq, begun)]
