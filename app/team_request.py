"""The request of `exaim team`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.teams.budgets import Budget
from app.team_models import WantedModels


@dataclass(frozen=True, slots=True)
class TeamRequest:
    """What the command line asks for."""

    team: str
    case: Path | None
    scripted: str | None
    wanted: WantedModels
    budget: Budget
    doctors: int = 3
    speed: float = 1.0
    one_patient: bool = False
