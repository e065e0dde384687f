"""The actions that a session's parts ask for, as frozen values.

A part that decides passes them to an `Act`; `VoiceSession` carries them out, at once and in order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from realtime.interruption.team import Request
from realtime.protocol import Body, TurnBody
from realtime.speech.verbosity import Verbosity
from tts_queue import Utterance


@dataclass(frozen=True, slots=True)
class Say:
    """Speak an utterance, once."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class Show:
    """Send a message to the page."""

    body: Body


@dataclass(frozen=True, slots=True)
class Ask:
    """Answer a question; `about` was spoken last. `Conversation.answered` takes the answer."""

    turn_id: str
    text: str
    about: Utterance | None


@dataclass(frozen=True, slots=True)
class Foresee:
    """Prepare the answer to a question that may be complete, and store nothing of it.

    `Conversation.foreseen` takes the answer.
    """

    turn_id: str
    text: str
    about: Utterance | None


@dataclass(frozen=True, slots=True)
class Send:
    """Send the team a confirmed message; `Conversation.team_told` takes the outcome."""

    turn_id: str
    request: Request


@dataclass(frozen=True, slots=True)
class Record:
    """Record a decided turn in the session's log."""

    turn: TurnBody


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Record in the session's log that a critical finding was acknowledged."""

    critical_key: str


@dataclass(frozen=True, slots=True)
class Steered:
    """Report that the clinician gave a command or asked: a welcome is no longer needed."""


@dataclass(frozen=True, slots=True)
class SetVerbosity:
    """Set how much of the agents' words is spoken from now on."""

    verbosity: Verbosity


@dataclass(frozen=True, slots=True)
class ListenerIs:
    """Report that the listener left (`away`) or is back; what it has to hear again is offered at once."""

    away: bool


@dataclass(frozen=True, slots=True)
class Welcoming:
    """Let a welcome and critical speech pass a silence that the clinician asked for, or stop doing so."""

    on: bool


@dataclass(frozen=True, slots=True)
class AskReady:
    """Ask "Ready to continue?", and hold all else for the answer; `about` makes the question's id."""

    about: str


@dataclass(frozen=True, slots=True)
class NoteListener:
    """Record for a successor that the listener came or left, and how long it had given no sign."""

    here: bool
    silent_s: float
    device: str | None


Action: TypeAlias = (
    Say
    | Show
    | Ask
    | Foresee
    | Send
    | Record
    | Acknowledged
    | Steered
    | SetVerbosity
    | ListenerIs
    | Welcoming
    | AskReady
    | NoteListener
)
Act: TypeAlias = Callable[[Action], None]
