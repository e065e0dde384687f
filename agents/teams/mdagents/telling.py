"""The port to whoever follows a case's work: agents' words, steps, decisions, costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from agents.stream import Decision, LLMMetadata, Progress, TokenContext, TokenType
from agents.teams.port import Inbox, Message, NoInbox


@dataclass(frozen=True, slots=True)
class Spoken:
    """One agent's turn: its words, and what it decided in them."""

    agent: str
    run: str
    text: str
    round: int | None = None
    turn: int | None = None
    context: TokenContext = TokenContext.AGENT_THOUGHT
    decision: Decision | None = None
    in_reply_to: str | None = None


class Follower(Protocol):
    """Whoever follows. May make the work wait; never fails it."""

    async def spoken(self, said: Spoken) -> None:
        """Take an agent's turn."""
        ...

    @property
    def hears_writing(self) -> bool:
        """Whether answers are to be told while they are written, by `wrote`."""
        ...

    async def wrote(
        self, agent: str, run: str, text: str, kind: TokenType, *, round_: int | None = None
    ) -> None:
        """Take a piece of a turn that `spoken` will end, or of the thinking before it."""
        ...

    async def broke_off(self, agent: str) -> None:
        """Take that what an agent was writing broke off: it counts no more."""
        ...

    async def progress(self, step: Progress, *, round_: int | None = None, turn: int | None = None) -> None:
        """Take a step of the work."""
        ...

    async def cost(self, agent: str, run: str, cost: LLMMetadata) -> None:
        """Take what a call cost."""
        ...


class Nobody:
    """Follows nothing: for a batch."""

    @property
    def hears_writing(self) -> bool:
        """Nobody does."""
        return False

    async def wrote(
        self, agent: str, run: str, text: str, kind: TokenType, *, round_: int | None = None
    ) -> None:
        """Pass over."""

    async def spoken(self, said: Spoken) -> None:
        """Pass over."""

    async def broke_off(self, agent: str) -> None:
        """Pass over."""

    async def progress(self, step: Progress, *, round_: int | None = None, turn: int | None = None) -> None:
        """Pass over."""

    async def cost(self, agent: str, run: str, cost: LLMMetadata) -> None:
        """Pass over."""


__all__ = ["Follower", "Inbox", "Message", "NoInbox", "Nobody", "Spoken"]
