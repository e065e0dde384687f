"""Two to four doctors who argue in turns, and a supervisor. docs/teams.md."""

from agents.teams.doctors.team import DoctorsTeam

__all__ = ["DoctorsTeam"]
