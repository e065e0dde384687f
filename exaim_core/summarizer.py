"""The summariser's port and the lexical engine's (thin)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from exaim_core.board import Board, Change
from exaim_core.names import Names
from exaim_core.schema import AgentSummary, Cite, Dropped, SpokenItem, SpokenKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryRequest:
    """What a summariser writes from."""

    number: int
    board: Board
    changes: tuple[Change, ...]
    names: Names
    closing: bool
    history: tuple[str, ...]
    latest: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary, its items in the order of speaking, and what was refused."""

    summary: AgentSummary
    items: tuple[SpokenItem, ...]
    dropped: tuple[Dropped, ...] = ()


class Summarizer(Protocol):
    """Writes the six fields and the spoken items."""

    async def summarise(self, request: SummaryRequest) -> Draft:
        """Return the draft for the changes in `request`."""
        ...


class LexicalSummarizer:
    """Writes from the board by templates (thin)."""

    async def summarise(self, request: SummaryRequest) -> Draft:
        """Return the draft; never fails."""
        items = []
        for k, change in enumerate(request.changes, start=1):
            source = change.source
            items.append(
                SpokenItem(
                    item_id=f"{request.number:04d}.{k}",
                    kind=SpokenKind.LEADING,
                    text=f"{request.names(change.agent_id)} leads with {change.entity}."[:200],
                    topic=change.entity.lower(),
                    agents=(change.agent_id,),
                    cites=(
                        Cite(agent_id=source.agent_id, first_seq=source.first_seq, last_seq=source.last_seq),
                    ),
                )
            )
        if request.closing:
            lead = next(reversed(request.board.leads.values()), "no leading view")
            items.append(
                SpokenItem(
                    item_id=f"{request.number:04d}.{len(items) + 1}",
                    kind=SpokenKind.CLOSING,
                    text=f"Finished. {lead}.",
                )
            )
        lead = next(reversed(request.board.leads.values()), "Not stated yet.")[:110]
        summary = AgentSummary(
            status_action=lead,
            key_findings="None stated.",
            differential_rationale="None stated.",
            uncertainty_confidence="None stated.",
            recommendation_next_step="None stated.",
            agent_contributions=", ".join(request.names(agent) for agent in request.board.leads)[:150]
            or "None.",
        )
        return Draft(summary, tuple(items))
