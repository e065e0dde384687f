"""Account for calls and tokens by agent and run, for one case, and sum up cases."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from chat_models.calls import Counts


@dataclass(slots=True)
class Spent:
    """Calls and tokens. `calls` include the `failed` ones; `unmetered` had no count of tokens."""

    calls: int = 0
    retries: int = 0
    failed: int = 0
    unmetered: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        """Tokens in and out."""
        return self.input_tokens + self.output_tokens

    def add(self, other: Spent) -> None:
        """Add what somebody else has spent."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    def to_json(self) -> dict[str, int]:
        """Return the counts by name, the total among them."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {
            "total_tokens": self.total_tokens
        }

    @classmethod
    def from_json(cls, found: Mapping[str, Any]) -> Spent:
        """Read what `to_json` wrote."""
        return cls(**{field.name: int(found.get(field.name, 0)) for field in fields(cls)})

    @classmethod
    def of(cls, counts: Counts) -> Spent:
        """Return one question's counts."""
        return cls(
            calls=counts.calls,
            retries=counts.retries,
            unmetered=counts.unmetered,
            input_tokens=counts.input_tokens,
            output_tokens=counts.output_tokens,
        )


class Ledger:
    """One case's account. Every call is written here by the one place that makes calls."""

    def __init__(self) -> None:
        self._by: dict[tuple[str, str], Spent] = {}

    def add(self, agent: str, run: str, spent: Spent) -> None:
        """Write a call to an agent's account. `run`: what it was asked for, such as `opinion`."""
        self._by.setdefault((agent, run), Spent()).add(spent)

    @property
    def total(self) -> Spent:
        """The case's sum."""
        return total(self._by.values())

    def by_agent(self) -> dict[str, Spent]:
        """Return the sums by agent, in the order in which they were first asked."""
        found: dict[str, Spent] = {}
        for (agent, _), spent in self._by.items():
            found.setdefault(agent, Spent()).add(spent)
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the account: the sum, by agent, and by agent and run."""
        return {
            **self.total.to_json(),
            "by_agent": {agent: spent.to_json() for agent, spent in self.by_agent().items()},
            "by_run": {f"{agent}: {run}": spent.to_json() for (agent, run), spent in self._by.items()},
        }


def total(spent: Iterable[Spent]) -> Spent:
    """Return a sum."""
    found = Spent()
    for each in spent:
        found.add(each)
    return found
