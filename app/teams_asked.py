"""What `exaim team` is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agents.teams.budgets import Budget
from app.team_models import Wanted

GOES_ON: Final = frozenset({"cdss", "doctors"})
"""Teams that a checkpoint holds. Another one that was cut would say all of it again."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What the command line asks for."""

    team: str
    case: Path | None
    scripted: str | None
    wanted: Wanted
    budget: Budget
    doctors: int = 3
    speed: float = 1.0
