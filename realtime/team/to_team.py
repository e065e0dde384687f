"""Keep the message to the team that waits for a yes, and word what is said about it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from realtime.interruption.team import Request

MOST_WORDS: Final = 60  # that are read back: half a minute
TYPED_S: Final = 30.0  # for a yes to what was typed: it is read, and not heard
SENT: Final = "Sent."
NOT_SENT: Final = "Nothing was sent to the team."
WHAT: Final = "Nothing was sent. Say what for in the same breath: ask the team, and your question."
TOO_LONG: Final = "That is too long to read back, and was not sent. Say it in a few sentences."
NOT_APPROVED: Final = "Nothing was approved."
APPROVED: Final = "The team was told. Nothing was ordered."
NO_SUCH: Final = "I have no standing recommendation of that name. Nothing was approved."
SEVERAL: Final = "Several recommendations fit. Name one more exactly. Nothing was approved."
HELD: Final = "Nothing is approved while you have me silent. Say: go on, first."
NOT_SENT_S: Final = 20.0  # after so long it need not be said any more; the page has it


@dataclass(slots=True)
class ToTeam:
    """The one message that was read back; if it was abandoned, whether that is still to be said."""

    pending: Request | None = None
    owed: str = ""

    def take(self) -> Request | None:
        """Return what is to be sent now; nothing is pending any more."""
        found, self.pending = self.pending, None
        return found

    def dropped(self) -> None:
        """Drop the message, as our question ended without a yes."""
        found = self.take()
        if found is not None:
            self.owed = not_sent(found)

    def pay(self) -> str:
        """Return, once, what is said about a message that was not sent."""
        owed, self.owed = self.owed, ""
        return owed


def not_sent(request: Request) -> str:
    """Return what is said where our question had no yes, or no confirm."""
    return NOT_APPROVED if request.approves else NOT_SENT


def whom(to: str) -> str:
    """Return whom a message is for inside a sentence; `to` is a spoken name without "the", or empty."""
    if not to:
        return "the team"
    return to if to[:1].isupper() else f"the {to}"


def problem_of(request: Request) -> str:
    """Return why this can't be read back, or ""."""
    if not request.text:
        return WHAT
    return TOO_LONG if len(request.text.split()) > MOST_WORDS else ""


def read_back(request: Request, to: str, *, instead: str) -> str:
    """Return our question; `instead`: what is said of another, whose place it takes."""
    return f"{instead} {_asked(request, to)}".strip()


def _asked(request: Request, to: str) -> str:
    if request.cancels:
        return "Tell the team to stop? It ends its work, and can't go on. Say yes."
    text = request.text if request.text[-1:] in (".", "?", "!") else f"{request.text}."
    if request.approves:
        return f"Approve this of {whom(to)}: {text} The team is told; nothing is ordered. Say: confirm."
    return f"{'Tell' if request.is_fact else 'Ask'} {whom(to)}: {text} Say yes."
