"""What the parts of a session want done, as frozen values.

Who decides gives them to an `Act`; `VoiceSession` carries them out, at once and in order, in one place.
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
    """Have this said, once."""

    utterance: Utterance


@dataclass(frozen=True, slots=True)
class Show:
    """Tell the page."""

    body: Body


@dataclass(frozen=True, slots=True)
class Ask:
    """Have a question answered; `about` is what was told last. `Conversation.answered` takes the answer."""

    turn_id: str
    text: str
    about: Utterance | None


@dataclass(frozen=True, slots=True)
class Foresee:
    """Have a question answered that may be over, and keep nothing of it. `Conversation.foreseen` takes the answer."""

    turn_id: str
    text: str
    about: Utterance | None


@dataclass(frozen=True, slots=True)
class Send:
    """Send the team what was read back and confirmed; `Conversation.team_told` takes what became of it."""

    turn_id: str
    request: Request


@dataclass(frozen=True, slots=True)
class Record:
    """Keep a decided turn for good."""

    turn: TurnBody


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """Note for good that somebody took note of a critical finding."""

    critical_key: str


@dataclass(frozen=True, slots=True)
class Steered:
    """The clinician steers us, or asks: no welcome is needed any more."""


@dataclass(frozen=True, slots=True)
class TellAsMuch:
    """Tell as much as this of all that comes from now on."""

    verbosity: Verbosity


@dataclass(frozen=True, slots=True)
class ListenerIs:
    """The listener went (`away`), or is back: what it should hear again is offered at once."""

    away: bool


@dataclass(frozen=True, slots=True)
class Welcoming:
    """Let critical speech, a welcome too, pass what the clinician asked for; or no more."""

    on: bool


@dataclass(frozen=True, slots=True)
class AskReady:
    """Ask whether to go on, and hold all else for the answer; `about` makes the question's id."""

    about: str


@dataclass(frozen=True, slots=True)
class NoteListener:
    """Keep for a successor that the listener came or went, and for how long it was silent."""

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
    | TellAsMuch
    | ListenerIs
    | Welcoming
    | AskReady
    | NoteListener
)
Act: TypeAlias = Callable[[Action], None]
