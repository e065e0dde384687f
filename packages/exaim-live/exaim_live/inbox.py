"""The clinician's messages to a team that runs elsewhere: numbered, in the order of their coming.

The session's store keeps them, the team fetches them over HTTP (`exaim_live.mailbox`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

ASKED_MAX: Final = 1_000  # characters of one message: a page's question box takes fewer
NAME_MAX: Final = 64  # of whom it is for, as of an agent's name
ID_MAX: Final = 128


class MessageKind(StrEnum):
    """What a message is."""

    QUESTION = "question"  # to be answered, with `inReplyTo`
    FACT = "fact"  # the clinician's own word on the case; no agent has said it
    APPROVAL = "approval"  # a recommendation that the clinician has confirmed
    BUDGET = "budget"  # so much is spent; `text` says of what
    CANCELLED = "cancelled"  # the clinician wants no more of it: stop calling models
    ENDED = "ended"  # the session is over: nothing is taken any more


class TeamMessage(BaseModel):
    """One message. `to`: an agent's spoken name, or "" for the chair. `by`: who wrote it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    v: Literal[1] = 1
    id: Annotated[str, Field(min_length=1, max_length=ID_MAX)]
    kind: MessageKind
    text: Annotated[str, Field(max_length=ASKED_MAX)] = ""
    to: Annotated[str, Field(max_length=NAME_MAX)] = ""
    by: Literal["clinician", "session"] = "clinician"
    at_ms: int = 0


class Numbered(BaseModel):
    """A message and its number in its session, from 1, without a gap."""

    model_config = ConfigDict(frozen=True)

    number: int
    message: TeamMessage


STOPS: Final = frozenset({MessageKind.CANCELLED, MessageKind.ENDED})
"""After these nobody waits for a word of the team."""


@dataclass(frozen=True, slots=True)
class Message:
    """What the clinician asks or tells the team. `to` is an agent's name, or empty for whoever chairs."""

    message_id: str
    text: str
    to: str = ""
    is_fact: bool = False  # told as a fact of the case, and to be marked as the clinician's
