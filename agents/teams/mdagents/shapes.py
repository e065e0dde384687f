"""The shapes of models' answers."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from agents.teams.mdagents.cleaning import cleaned

_WORD: Final = re.compile(r"[a-z']+")


def _text(value: Any) -> Any:
    return cleaned(value) if isinstance(value, str) else value


def _line(value: Any) -> Any:
    """Return what was given as text: a number of an option, or a word, is text too."""
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else _text(value)


Text = Annotated[str, BeforeValidator(_text)]
Line = Annotated[str, BeforeValidator(_line)]


class _Shape(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Assessment(_Shape):
    """How difficult a case is: basic, intermediate or advanced."""

    tier: Line
    reason: Text = ""


class Answer(_Shape):
    """A reasoned answer. `answer` is a letter where there are options, else the diagnosis in a few words."""

    reasoning: Text
    answer: Line


class Recruit(_Shape):
    """One expert of the team."""

    role: Text
    description: Text = ""
    hierarchy: Text = "Independent"


class Recruits(_Shape):
    """The experts of a team."""

    experts: list[Recruit]


class Note(_Shape):
    """A message to one expert: his number or his role."""

    to: Line
    text: Text


class Turn(_Shape):
    """Whether an expert wants to talk to others now, and what he writes to whom."""

    talk: bool | str
    messages: list[Note] = []

    @property
    def wants_to(self) -> bool:
        """Whether the answer is yes: by its words, not by letters within them."""
        return self.talk if isinstance(self.talk, bool) else says_yes(self.talk)


class Summary(_Shape):
    """What a round brought."""

    key_knowledge: Text
    total_analysis: Text


class Review(_Shape):
    """A moderator's word to the experts between two rounds."""

    feedback: Text


class Reply(_Shape):
    """A moderator's answer to the clinician who listens."""

    reply: Text


class Member(_Shape):
    """One clinician of a team."""

    role: Text
    description: Text = ""
    lead: bool = False


class RecruitedTeam(_Shape):
    """One team of several."""

    name: Text
    members: Annotated[list[Member], Field(min_length=1)]


class RecruitedTeams(_Shape):
    """The teams of a difficult case, in the order in which they work."""

    teams: list[RecruitedTeam]


class Report(_Shape):
    """What a member or a team has found. `answer`: as in `Answer`, empty where none is asked."""

    report: Text
    answer: Line = ""


class Investigations(_Shape):
    """What a lead wants its assistants to look at."""

    investigations: Text


def says_yes(words: str) -> bool:
    """Return whether an answer means yes. "Yesterday I'd say no" does not, and neither does "yes and no"."""
    found = _WORD.findall(cleaned(words).casefold())
    if found and found[0] in {"yes", "no", "true", "false"}:
        return found[0] in {"yes", "true"} and found[1:3] != ["and", "no"]
    return "yes" in found and "no" not in found
