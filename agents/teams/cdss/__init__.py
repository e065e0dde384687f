"""Clinical decision support: an orchestrator, four specialists, a synthesis (docs/teams.md)."""

from agents.teams.cdss.process import CDSS
from agents.teams.cdss.team import CdssTeam
from agents.teams.clinical_case import ClinicalCase

__all__ = ["CDSS", "CdssTeam", "ClinicalCase"]
