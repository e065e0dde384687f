"""Filter the inbox of a resumed run: messages that it answered before are left out."""

from __future__ import annotations

from collections.abc import Sequence

from agents.teams.port import Inbox, Message


class UnansweredInbox:
    """An inbox without the messages whose ids are `known`."""

    def __init__(self, inbox: Inbox, known: set[str]) -> None:
        self._inbox, self._known = inbox, known

    def take(self) -> Sequence[Message]:
        """Return what came since the last call, at once."""
        return [each for each in self._inbox.take() if each.message_id not in self._known]
