"""The settings of a team: tiers and their other names, sizes, temperatures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agents.teams.mdagents.errors import SettingsWrong

ADAPTIVE: Final = "adaptive"
MOST_ROUNDS: Final = 5
MOST_TURNS: Final = 5
EXPERTS: Final = (2, 7)  # the paper tried 2, 3, 5 and 7


class Tier(StrEnum):
    """How much of a team a case gets."""

    BASIC = "basic"  # one agent
    INTERMEDIATE = "intermediate"  # experts who debate
    ADVANCED = "advanced"  # several teams, one after the other's report


ALIASES: Final[Mapping[str, Tier]] = {
    "low": Tier.BASIC,
    "moderate": Tier.INTERMEDIATE,
    "high": Tier.ADVANCED,
}
"""The paper's words for the tiers."""


def tier_of(word: str) -> Tier | None:
    """Return the tier of that name, by the seed's words or the paper's; None for `adaptive`.

    Raises: SettingsWrong, naming the choices.
    """
    known = word.strip().casefold()
    if known == ADAPTIVE:
        return None
    try:
        return ALIASES[known] if known in ALIASES else Tier(known)
    except ValueError:
        choices = ", ".join((ADAPTIVE, *Tier, *ALIASES))
        raise SettingsWrong(f"there is no difficulty {word!r}; there are {choices}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How one case is worked on. The defaults are the batch's; `VOICE` is for a case that is heard."""

    tier: Tier | None = None  # None: a model says how difficult the case is
    experts: int = 5  # the seed's; the paper's best is 3
    rounds: int = 5
    turns: int = 5
    teams: int = 3  # of the advanced tier, first and last included
    members: int = 3  # of each of them
    fewshot: int = 0  # examples that the basic tier is shown; upstream's own is 5
    deciding: float = 0.0  # temperature of what assesses, recruits and rules
    debating: float = 0.7  # temperature of the experts
    basic_tries: tuple[float, ...] = (0.0, 0.3, 0.7)  # one more where the last could not be read

    def __post_init__(self) -> None:
        _within("experts", self.experts, *EXPERTS)
        _within("rounds", self.rounds, 1, MOST_ROUNDS)
        _within("turns", self.turns, 1, MOST_TURNS)
        _within("teams", self.teams, 2, 5)
        _within("members", self.members, 1, 5)
        _within("fewshot", self.fewshot, 0, 20)
        for name, value in (("deciding", self.deciding), ("debating", self.debating)):
            _within(name, value, 0.0, 2.0)
        if not self.basic_tries:
            raise SettingsWrong("basic_tries wants at least one temperature")


def _within(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:
        raise SettingsWrong(f"{name} is {value}; it may be {least} to {most}")


VOICE: Final = Settings(experts=3, rounds=3, turns=2)
"""A case that is heard: three voices can be told apart, and a debate has to end while somebody listens."""
