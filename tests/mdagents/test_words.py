"""Options are heard as words: nothing that is said or shown of a debate on the shipped questions names a letter."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from agents.stream import EventType, TeamEvent
from agents.teams.mdagents.dataset import OWN, Question, found_at, questions
from agents.teams.mdagents.settings import Settings, Tier
from agents.teams.mdagents.team import MDAgentsTeam
from agents.teams.models import OneModel
from agents.teams.port import Case, NoInbox
from tests.mdagents.rehearsed import Call, Rehearsed

LETTER = re.compile(
    r"\([A-E]\)|\*\*[A-E]\*\*|\b(?:options?|answers?(?: is)?|choose|hold) [A-E]\b", re.IGNORECASE
)
SAYS = "Option {0} fits best. I hold ({0}), and ({1}) is out. The answer is {0}."


def lettered(call: Call) -> Any:
    """Answer as a model that names the options by their letters wherever it can."""
    letters = re.findall(r"^\(([A-E])\) ", "\n".join(call.texts), re.MULTILINE) or ["A", "B"]
    held, other = letters[len(call.system) % len(letters)], letters[0]
    text = SAYS.format(held, other)
    match call.kind:
        case "reasoning" | "report":
            return {call.kind: text, "answer": held}
        case "feedback" | "investigations" | "reply":
            return {call.kind: text}
        case "talk" if "turn 1." in call.question:
            return {"talk": True, "messages": [{"to": "1", "text": text}, {"to": "2", "text": text}]}
    return None


def heard_of(event: TeamEvent) -> str:
    """Return what of an event somebody may hear or see."""
    told = [event.data if event.type is EventType.TOKEN else ""]
    told += [event.progress.text] if event.progress is not None else []
    told += [event.decision.text, event.decision.rests_on] if event.decision is not None else []
    return "\n".join(told)


@pytest.mark.parametrize("tier", list(Tier))
def test_no_sentence_of_a_debate_names_an_option_by_its_letter(virtual: asyncio.Runner, tier: Tier) -> None:
    team = MDAgentsTeam(Settings(tier=tier, experts=3, rounds=2))

    async def scene() -> int:
        said = 0
        for row in questions(found_at(OWN)):
            assert isinstance(row, Question)
            case = Case(row.question_id, row.text, options=row.options)
            async for event in team.run(case, OneModel(Rehearsed(reply=lettered)), NoInbox()):
                text = heard_of(event)
                for words in row.options.values():  # "hold A single dose" names it by its words
                    text = text.replace(words, "…")
                said += bool(text)
                assert not LETTER.search(text), (row.question_id, event.agent_id, text)
        return said

    assert virtual.run(scene()) >= 60 * 2
