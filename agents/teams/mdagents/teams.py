"""Form the teams for a difficult case: the first assesses, the last reviews and decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from agents.teams.mdagents import prompts
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.recruiting import TOLD_MOST, numbered, role_of
from agents.teams.mdagents.roster import ROSTER
from agents.teams.mdagents.shapes import Member, RecruitedTeam, RecruitedTeams
from agents.teams.mdagents.work import Work

FIRST: Final = "initial assessment team"
LAST: Final = "final review and decision team"
NAME_MOST: Final = 80
_FIRST: Final = re.compile(r"initial\s+assessment|\bIAT\b", re.IGNORECASE)
_LAST: Final = re.compile(r"final\s+review|review\s+and\s+decision|\bFRDT\b", re.IGNORECASE)
_LEAD: Final = re.compile(r"\(\s*lead\s*\)|\blead\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TeamMember:
    """A member of a team; names are unique among all teams."""

    name: str
    description: str


@dataclass(frozen=True, slots=True)
class Formed:
    """A team, its lead first."""

    name: str
    members: tuple[TeamMember, ...]

    @property
    def lead(self) -> TeamMember:
        """Who leads it."""
        return self.members[0]


async def recruited_teams(work: Work) -> list[Formed]:
    """Return the teams in order; the recruiter is asked again if the first or the last is missing."""
    recruiter = Agent("recruiter", "recruiter", prompts.role("recruiter"))
    size, members = work.settings.teams, work.settings.members
    question = prompts.prompt("teams", case=work.case, teams=size, members=members)
    found: list[RecruitedTeam] = []
    for _ in range(2):
        answer = await work.asked(
            recruiter, question, RecruitedTeams, run="recruitment", temperature=work.settings.deciding
        )
        if answer is None:
            break
        found = found if isinstance(answer, str) else answer.teams
        if _has(found, _FIRST) and _has(found, _LAST):
            break
        question = f"The first or the last team is missing, or the answer could not be read.\n{question}"
    teams, warnings = formed(found, size, members)
    work.warn(warnings)
    return teams


def formed(found: Sequence[RecruitedTeam], size: int, members: int) -> tuple[list[Formed], list[str]]:
    """Return teams in working order, missing ones from the roster, and what was corrected."""
    warnings: list[str] = []
    first = next((each for each in found if _FIRST.search(each.name)), None)
    last = next((each for each in found if each is not first and _LAST.search(each.name)), None)
    others = [each for each in found if not _FIRST.search(each.name) and not _LAST.search(each.name)]
    if first is None:
        warnings.append(f"the {FIRST} was missing and was made from the roster")
    if last is None:
        warnings.append(f"the {LAST} was missing and was made from the roster")
    if len(others) != size - 2:
        warnings.append(f"{len(others)} other teams were recruited, where {size - 2} were asked for")
    ordered = [
        (FIRST, first.members if first else []),
        *((each.name[:NAME_MOST], each.members) for each in others[: size - 2]),
        (LAST, last.members if last else []),
    ]
    chosen = [(name, _members(given, members)) for name, given in ordered]
    there = {role for _, team in chosen for role, _ in team}
    spare = iter([each for each in ROSTER if each[0] not in there] + list(ROSTER))
    for _, team in chosen:
        team += islice(spare, members - len(team))
    names = iter(numbered([role for _, team in chosen for role, _ in team]))
    return [
        Formed(name, tuple(TeamMember(next(names), told) for _, told in team)) for name, team in chosen
    ], warnings


def _members(given: Sequence[Member], most: int) -> list[tuple[str, str]]:
    """Return roles with what they look at, the lead first: who is marked so, or else the first."""
    kept = [each for each in given if role_of(each.role)]
    leads = [each for each in kept if each.lead or _LEAD.search(each.role)]
    if leads:
        kept = [leads[0], *(each for each in kept if each is not leads[0])]
    return [(role_of(_LEAD.sub("", each.role)), each.description[:TOLD_MOST]) for each in kept[:most]]


def _has(teams: Sequence[RecruitedTeam], name: re.Pattern[str]) -> bool:
    return any(name.search(each.name) for each in teams)
