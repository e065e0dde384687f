"""The port of a team: a case, models by role and the clinician's messages in, events out."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from agents.stream import TeamEvent
from exaim_live.inbox import Message as Message

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True, slots=True)
class Case:
    """A clinical case as its agents read it. All of it is data, never instructions.

    `text` is what goes into prompts. `paper` is the case paper in the project's own JSON, if there is one.
    `options` are the answers to choose from, by letter, where the case is a question of that kind.
    `left_out` says what of a record was not taken over.
    """

    case_id: str
    text: str
    title: str = ""
    paper: Mapping[str, Any] | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()


class Models(Protocol):
    """The chat models of a team by role, such as `orchestrator` or `cardiology`; `mas` for all others."""

    def of(self, role: str) -> BaseChatModel:
        """Return the role's model, always the same one. Raises: LLMError, with what to set."""
        ...


class Inbox(Protocol):
    """The clinician's messages, in the order in which they were sent."""

    def take(self) -> Sequence[Message]:
        """Return what came since the last call, at once."""
        ...


class NoInbox:
    """The inbox of a team that nobody can ask."""

    def take(self) -> Sequence[Message]:
        """Return nothing."""
        return ()


class Team(Protocol):
    """A team: a graph of agents that reasons about one case at a time."""

    @property
    def name(self) -> str:
        """What it is called in settings and on the command line: `cdss`, `doctors`, `mdagents`."""
        ...

    def run(self, case: Case, models: Models, inbox: Inbox) -> AsyncGenerator[TeamEvent, None]:
        """Reason, and yield events numbered from 0; the last one is END, once, whatever happened before.

        An agent that fails is named by an event, and the rest go on; what ends the whole is an ERROR before
        END. Closing the generator ends every call of a model that is under way.
        """
        ...
