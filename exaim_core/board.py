"""The board of claims (thin: who leads with what)."""

from __future__ import annotations

from dataclasses import dataclass

from exaim_core.reader import JsonBlock, Sentence, Source, Unit
from exaim_core.sections import Section


@dataclass(frozen=True, slots=True)
class Change:
    """Something new on the board."""

    agent_id: str
    entity: str
    source: Source


class Board:
    """Holds who leads with what."""

    def __init__(self) -> None:
        self.leads: dict[str, str] = {}
        self.ripe: list[Change] = []
        self.critical_waiting = False
        self.topic_shifted = False
        self.claims_waiting = 0

    def read(self, units: list[Unit]) -> None:
        """Take what an agent's reader found."""
        for unit in units:
            if isinstance(unit, Sentence) and unit.section is Section.LEADING and unit.item:
                self._lead(unit.source.agent_id, unit.item, unit.source)
            elif isinstance(unit, JsonBlock):
                for key, values in unit.pairs:
                    if "likely" in key.lower() and values:
                        self._lead(unit.source.agent_id, values[0], unit.source)

    def _lead(self, agent_id: str, entity: str, source: Source) -> None:
        if self.leads.get(agent_id) != entity:
            self.leads[agent_id] = entity
            self.ripe.append(Change(agent_id, entity, source))
            self.claims_waiting += 1

    def close_turn(self, agent_id: str) -> None:
        """Note that an agent's turn is over."""

    def take(self) -> tuple[Change, ...]:
        """Return the changes worth saying, and forget them."""
        taken, self.ripe = tuple(self.ripe), []
        self.claims_waiting = 0
        self.critical_waiting = self.topic_shifted = False
        return taken
