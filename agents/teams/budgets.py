"""Count what a team spends against its budget: tokens, money, time and rounds.

A share of each bound is kept for the conclusion (`RESERVE`): the debate ends when the rest is spent.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Final

from agents.teams.errors import PriceUnknown

RESERVE: Final = 0.15  # of tokens, money and time; a synthesis reads all and writes a page
TOLD_AT: Final = 0.8  # of the budget: early enough that a clinician may still choose what to ask
CHARS_A_TOKEN: Final = 4  # English, about; only where a provider counts nothing, and before a call

Prices = Mapping[str, tuple[float, float]]
"""What a million tokens cost in and out, by model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The bounds of one case; None: not bounded. Money is in the price table's currency."""

    tokens: int | None = None
    money: float | None = None
    seconds: float | None = None
    rounds: int | None = None

    def __post_init__(self) -> None:
        for name in ("tokens", "money", "seconds", "rounds"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"a budget's {name} must be above 0")


@dataclass(frozen=True, slots=True)
class Cost:
    """What one call took. `estimated`: the provider counted nothing, so characters were counted."""

    model: str
    input_tokens: int
    output_tokens: int
    estimated: bool = False


@dataclass(slots=True)
class CallsTally:
    """What one agent's calls took in all."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0


def priced() -> Prices:
    """Return the packaged table, which names its date."""
    text = resources.files("agents.teams").joinpath("prices.json").read_text(encoding="utf-8")
    return {name: (float(each[0]), float(each[1])) for name, each in json.loads(text)["models"].items()}


@dataclass(slots=True)
class Ledger:
    """Counts against a budget. `now_s` is the clock of the seconds, which count from when this was made."""

    budget: Budget
    now_s: Callable[[], float]
    prices: Prices = field(default_factory=priced)
    free: bool = False  # the models are at an address of one's own
    by_agent: dict[str, CallsTally] = field(default_factory=dict)
    _began_s: float = 0.0
    _told: bool = False

    def __post_init__(self) -> None:
        self._began_s = self.now_s()

    def add(self, agent: str, cost: Cost) -> None:
        """Count a call. Raises: PriceUnknown: money is bounded, and this model has no price."""
        tally = self.by_agent.setdefault(agent, CallsTally())
        tally.calls += 1
        tally.input_tokens += cost.input_tokens
        tally.output_tokens += cost.output_tokens
        tally.money += self._money(cost)

    @property
    def tokens(self) -> int:
        """Return all tokens, in and out."""
        return sum(each.input_tokens + each.output_tokens for each in self.by_agent.values())

    @property
    def money(self) -> float:
        """Return what all calls cost; 0 for models without a price."""
        return sum(each.money for each in self.by_agent.values())

    def share(self, ahead_chars: int = 0) -> float:
        """Return the largest share that the debate has spent of what it may; `ahead_chars` are about to be."""
        spent = (
            (self.tokens + ahead_chars / CHARS_A_TOKEN, self.budget.tokens),
            (self.money, self.budget.money),
            (self.elapsed_s, self.budget.seconds),
        )
        return max((used / (bound * (1 - RESERVE)) for used, bound in spent if bound), default=0.0)

    def is_spent(self, ahead_chars: int = 0) -> bool:
        """Return whether only the reserve is left."""
        return self.share(ahead_chars) >= 1.0 - 1e-6

    @property
    def elapsed_s(self) -> float:
        """Return how much of the time is spent."""
        return self.now_s() - self._began_s

    def go_on_at(self, elapsed_s: float) -> None:
        """Count what an earlier life of the run had spent of the time, if it was more."""
        self._began_s = min(self._began_s, self.now_s() - elapsed_s)

    def left_s(self, *, closing: bool) -> float | None:
        """Return how long a call may still take; the conclusion has the reserve as well."""
        if self.budget.seconds is None:
            return None
        bound_s = self.budget.seconds * (1.0 if closing else 1 - RESERVE)
        least_s = self.budget.seconds * RESERVE if closing else 0.0
        return max(bound_s - self.elapsed_s, least_s)

    def to_tell(self) -> float | None:
        """Return the share, once, when it has come to `TOLD_AT`."""
        share = self.share()
        if self._told or share < TOLD_AT:
            return None
        self._told = True
        return min(share, 1.0)

    def check(self, *models: str) -> None:
        """Raises: PriceUnknown: money is bounded, and one of the models has no price."""
        for model in models:
            self._money(Cost(model, 0, 0))

    def _money(self, cost: Cost) -> float:
        if self.free:
            return 0.0
        price = self.prices.get(cost.model)
        if price is None:
            if self.budget.money is not None:
                raise PriceUnknown(cost.model)
            return 0.0
        return (cost.input_tokens * price[0] + cost.output_tokens * price[1]) / 1_000_000
