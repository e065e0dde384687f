"""A clause of one of the six fields, and what is new in an update for the fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exaim_core.board.changes import Change, ChangeKind
from exaim_core.claims.claims import Claim

VIEWS: Final = frozenset(
    {
        ChangeKind.LEADS,
        ChangeKind.DIFFERS,
        ChangeKind.SIDES,
        ChangeKind.AGREES,
        ChangeKind.CHANGED,
        ChangeKind.ALL_AGREE,
        ChangeKind.RULES,
    }
)


@dataclass(frozen=True, slots=True)
class FieldClause:
    """A clause with what it rests on: its claims, the agents that it names, whether it counts them.

    `words` are the field's own words, which the claims' stance stands for.
    """

    text: str
    claims: tuple[Claim, ...]
    agents: tuple[str, ...] = ()
    counted: bool = False
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fresh:
    """What an update tells: its changes, and their claims in order."""

    changes: tuple[Change, ...]
    claims: tuple[Claim, ...]
    closing: bool

    def of(self, *news: ChangeKind) -> list[Claim]:
        """Return the claims of changes of these kinds, in order."""
        return [claim for change in self.changes if change.news in news for claim in change.claims]

    @property
    def views(self) -> bool:
        """Return whether it has changed who holds what."""
        return self.closing or any(change.news in VIEWS for change in self.changes)
