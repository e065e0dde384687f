"""Count the tokens that a live team reports, and tell it at 80 % and 100 % of its budget."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from redis.asyncio import Redis

from agents.inbox import MessageKind, TeamMessage
from agents.stream import TeamEvent
from infra.clock import wall_ms
from infra.errors import InboxFull, InboxOver
from infra.inbox import TeamInbox
from infra.keys import SessionKeys
from infra.scripts import Scripts

TOLD_AT: Final = (80, 100)  # per cent


class TeamBudget:
    """The tokens of one session's team, in and out. Each call has its deadline (StoreUnavailable)."""

    def __init__(self, client: Redis, keys: SessionKeys, most: int) -> None:
        self._inbox, self._scripts, self._most = TeamInbox(client, keys), Scripts(client, keys), most

    async def count(self, events: Sequence[TeamEvent]) -> int:
        """Count what these events cost, each once though it comes again, and tell the team how far it is.

        Of several events of one call, known by its agent and its trace id, the last counts, as in `agents.costs`.
        Returns what all calls took. An inbox that is full, or over, is told nothing.
        """
        costs = [part for event in events for part in _cost(event)]
        if not costs:
            return 0
        _, detail = await self._scripts.run("count_tokens", *costs)
        spent = int(detail)
        for percent in TOLD_AT:
            if spent * 100 >= percent * self._most:
                await self._tell(percent, spent)
        return spent

    async def _tell(self, percent: int, spent: int) -> None:
        text = f"{percent} % of {self._most} tokens are spent: {spent}" + (
            ". Conclude now" if percent == TOLD_AT[-1] else ""
        )
        kind = MessageKind.BUDGET
        message = TeamMessage(id=f"budget-{percent}", kind=kind, text=text, by="session", at_ms=wall_ms())
        with suppress(InboxFull, InboxOver):
            await self._inbox.put(message)


def _cost(event: TeamEvent) -> tuple[str | int, ...]:
    """Return what the script takes of an event: nothing if it tells no cost."""
    if event.llm is None:
        return ()
    call = f"{event.agent_id or ''}:{event.llm.trace_id}" if event.llm.trace_id else ""
    spent = (event.llm.input_tokens, event.llm.output_tokens)
    return (event.seq, call, *("" if tokens is None else tokens for tokens in spent))
