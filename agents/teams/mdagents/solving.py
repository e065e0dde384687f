"""One case from its start to its outcome."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from agents.teams.mdagents.advanced import advanced
from agents.teams.mdagents.assessing import assess
from agents.teams.mdagents.basic import basic
from agents.teams.mdagents.intermediate import intermediate
from agents.teams.mdagents.outcome import Outcome
from agents.teams.mdagents.settings import Tier
from agents.teams.mdagents.work import Work

_BY_TIER: Final[Mapping[Tier, Callable[[Work], Awaitable[None]]]] = {
    Tier.BASIC: basic,
    Tier.INTERMEDIATE: intermediate,
    Tier.ADVANCED: advanced,
}


async def solve(work: Work) -> Outcome:
    """Work on a case by its tier. Cancelling ends every call under way. Raises: NobodyLeft; LLMError."""
    tier = await assess(work)
    work.outcome.tier = tier
    await _BY_TIER[tier](work)
    return work.outcome
