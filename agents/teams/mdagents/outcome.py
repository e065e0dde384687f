"""The outcome of a case: the answer and everything that led to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agents.teams.mdagents.answers import same, words_of
from agents.teams.mdagents.hierarchy import Hierarchy
from agents.teams.mdagents.interactions import Interaction, as_log, matrix
from agents.teams.mdagents.recruiting import Expert
from agents.teams.mdagents.settings import Tier


class By(StrEnum):
    """Who gave the answer."""

    AGENT = "agent"  # the one of the basic tier
    MODERATOR = "moderator"
    COORDINATOR = "coordinator"
    VOTE = "vote"  # more than half of the experts, where the moderator could not be read
    NOBODY = "unparsed"


@dataclass(frozen=True, slots=True)
class Opinion:
    """What an expert held at a time; `answer` None: it could not be read."""

    reasoning: str
    answer: str | None

    def to_json(self) -> dict[str, Any]:
        """Return it by field."""
        return {"reasoning": self.reasoning, "answer": self.answer}


@dataclass(frozen=True, slots=True)
class TeamReport:
    """What one team of the advanced tier brought."""

    name: str
    members: tuple[str, ...]  # the lead first
    findings: Mapping[str, str]  # by assistant
    report: str
    answer: str | None


@dataclass(slots=True)
class Outcome:
    """One case's result. What is empty did not belong to its tier."""

    tier: Tier
    options: Mapping[str, str]
    answer: str | None = None
    by: By = By.NOBODY
    reasoning: str = ""
    assessed: str = ""  # why it is of that tier; empty if it was set
    experts: list[Expert] = field(default_factory=list)
    hierarchy: Hierarchy | None = None
    opinions: list[dict[str, Opinion]] = field(default_factory=list)  # the first is each expert's own
    interactions: list[Interaction] = field(default_factory=list)
    summaries: list[dict[str, str]] = field(default_factory=list)
    reviews: list[str] = field(default_factory=list)
    votes: dict[str, int] = field(default_factory=dict)
    overruled: bool = False  # the moderator decided against more than half of the votes
    stopped: str = ""  # why the debate ended
    teams: list[TeamReport] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)  # agents that gave no answer, and why

    @property
    def words(self) -> str:
        """The answer as words."""
        return words_of(self.answer, self.options)

    @property
    def minority(self) -> dict[str, str]:
        """Who held another answer at the end, and which, in words."""
        last = self.opinions[-1] if self.opinions else {}
        return {
            name: words_of(held.answer, self.options)
            for name, held in last.items()
            if held.answer is not None and not same(held.answer, self.answer)
        }

    def debate_json(self) -> dict[str, Any]:
        """Return what a report shows of it; only what belongs to the tier."""
        names = [each.name for each in self.experts]
        found: dict[str, Any] = {
            "assessed": self.assessed,
            "experts": [
                {"name": each.name, "description": each.description, "hierarchy": each.hierarchy}
                for each in self.experts
            ],
            "hierarchy": self.hierarchy.as_json() if self.hierarchy else None,
            "opinions": [
                {name: held.to_json() for name, held in by_name.items()} for by_name in self.opinions
            ],
            "interactions": as_log(self.interactions),
            "matrix": matrix(self.interactions, len(names)) if names else None,
            "summaries": self.summaries,
            "reviews": self.reviews,
            "votes": self.votes,
            "minority": self.minority,
            "overruled": self.overruled,
            "stopped": self.stopped,
            "teams": [
                {
                    "name": each.name,
                    "members": list(each.members),
                    "findings": dict(each.findings),
                    "report": each.report,
                    "answer": each.answer,
                }
                for each in self.teams
            ],
            "warnings": self.warnings,
            "failed": self.failed,
        }
        return {name: value for name, value in found.items() if value}
