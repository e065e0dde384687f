"""Assess a case's difficulty, by a model's answer in a schema or outright in prose."""

from __future__ import annotations

import re
from typing import Final

from agents.stream import ProgressKind
from agents.teams.mdagents import prompts
from agents.teams.mdagents.asking import Agent
from agents.teams.mdagents.settings import ALIASES, Tier
from agents.teams.mdagents.shapes import Assessment
from agents.teams.mdagents.work import Work
from chat_models.errors import CallFailed

_TIERS: Final = {**ALIASES, **{tier.value: tier for tier in Tier}}
_NAMED: Final = re.compile(rf"\b(?:{'|'.join(_TIERS)})\b")
_DENIED: Final = re.compile(
    r"(?:\bnot|n't|\bnever|\bneither|\bnor|\bthan|\binstead of|\brather than)\s+(?:\w+\s+){0,2}$"
)


async def assess(work: Work) -> Tier:
    """Return the case's tier: the one that is set, else the model's; intermediate if that is unclear."""
    if work.settings.tier is not None:
        return work.settings.tier
    await work.step(ProgressKind.RECRUITING, (), "Judging how difficult the case is.")
    assessor = Agent("assessor", "assessor", prompts.role("assessor"))
    question = prompts.prompt("assess", case=work.case)
    try:
        found = await work.asker.ask(
            assessor, question, Assessment, run="assessment", temperature=work.settings.deciding
        )
    except CallFailed as error:
        work.outcome.failed[assessor.name] = error.reason
        work.warn(["the difficulty was not assessed; intermediate is taken"])
        return Tier.INTERMEDIATE
    tier = tier_in(found if isinstance(found, str) else found.tier)
    if tier is None:
        work.warn(["the assessment names no tier; intermediate is taken"])
        return Tier.INTERMEDIATE
    work.outcome.assessed = "" if isinstance(found, str) else found.reason
    return tier


def tier_in(text: str) -> Tier | None:
    """Return the one tier that `text` names and does not deny; None if it names none, or several."""
    lowered = text.casefold()
    named = {
        _TIERS[match[0]] for match in _NAMED.finditer(lowered) if not _DENIED.search(lowered[: match.start()])
    }
    return named.pop() if len(named) == 1 else None
