"""Send messages to a live session's team, and watch its inbox."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from agents.inbox import Numbered, TeamMessage
from agents.stream import StreamEvent
from infra.errors import InboxFull, InboxOver, StoreError
from infra.inbox import InboxStands
from realtime.team.inquiries import Inquiries, TeamAnswer

log = logging.getLogger(__name__)

LOOK_S: Final = 0.5  # how late it is known that a team listens, and that somebody else has asked it
SEND_WITHIN_S: Final = 3.0
MOST_TO_SEND: Final = 4  # each was confirmed by a yes of its own

RECORDED: Final = "This case is a recording: there is no team to ask. Nothing was sent."
DEAF: Final = "This team takes no questions. Nothing was sent."
OVER: Final = "The team has finished, and can't be asked any more. Nothing was sent."
FULL: Final = "The team has not taken what it was asked before. Nothing was sent."
AWAY: Final = "The team can't be reached now. Nothing was sent."
NOT_KNOWN: Final = "I can't tell whether that was sent. The page shows it once it was."


class TeamLine(Protocol):
    """What is needed of `infra.inbox.TeamInbox`."""

    async def put(self, message: TeamMessage) -> int:
        """Put a message, once. Raises: InboxFull, InboxOver, StoreError."""
        ...

    async def read(self, after: int) -> list[Numbered]:
        """Return messages after a number, at once. Raises: StoreError."""
        ...

    async def stands(self) -> InboxStands:
        """Return the state of the team's inbox. Raises: StoreError."""
        ...


class Asking:
    """Sends confirmed messages, and reports their outcome. Without a `line` nobody can be asked."""

    def __init__(
        self,
        line: TeamLine | None,
        *,
        on_sent: Callable[[TeamMessage, str], None],
        on_noted: Callable[[TeamMessage], None],
        on_answered: Callable[[TeamAnswer], None],
        on_overdue: Callable[[TeamMessage], None],
        wall_ms: Callable[[], int],
    ) -> None:
        """`on_sent` gets a message and why it was not sent ("": it was); `on_noted` each one in the inbox."""
        self._line, self._wall_ms = line, wall_ms
        self._on_sent, self._on_noted = on_sent, on_noted
        self._on_answered, self._on_overdue = on_answered, on_overdue
        self._inquiries = Inquiries()
        self._stands = InboxStands()
        self._away = False
        self._after = 0
        self._to_send: deque[TeamMessage] = deque()
        self._some = asyncio.Event()

    def problem(self, *, cancels: bool = False) -> str:
        """Return why the team can't be asked, or told to stop, in sentences; empty: it can."""
        if self._line is None:
            return RECORDED
        if self._away:
            return AWAY
        if self._stands.over:
            return OVER
        return "" if self._stands.listens or cancels else DEAF

    def send(self, message: TeamMessage) -> None:
        """Send a message without waiting; `on_sent` gets the outcome, at once if the queue is full."""
        if len(self._to_send) >= MOST_TO_SEND:
            self._on_sent(message, AWAY)
            return
        self._to_send.append(message)
        self._some.set()

    def saw(self, events: Sequence[StreamEvent]) -> None:
        """Take events of the agents, in order."""
        for answer in self._inquiries.saw(events):
            self._on_answered(answer)

    async def run(self) -> None:
        """Look and send until cancelled; at once over if there is nobody to ask."""
        line = self._line
        if line is None:
            return
        since_ms = self._wall_ms()
        while True:
            await self._look(line)
            for message in self._inquiries.overdue(self._wall_ms(), since_ms):
                self._on_overdue(message)
            self._some.clear()
            while self._to_send:
                message = self._to_send.popleft()
                self._on_sent(message, await _sent(line, message))
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._some.wait()
            except TimeoutError:
                pass

    async def _look(self, line: TeamLine) -> None:
        try:
            self._stands = await line.stands()
            if self._stands.newest > self._after:
                for each in await line.read(self._after):
                    self._after = each.number
                    self._on_noted(each.message)
                    for answer in self._inquiries.sent(each.message):
                        self._on_answered(answer)
        except StoreError as error:
            self._away = True
            log.warning("the team's inbox can't be looked at: %s", type(error).__name__)
        else:
            self._away = False


async def _sent(line: TeamLine, message: TeamMessage) -> str:
    """Put a message; return why that failed, or "". Without an answer of the store it may be there."""
    try:
        async with asyncio.timeout(SEND_WITHIN_S):
            await line.put(message)
    except InboxFull:
        return FULL
    except InboxOver:
        return OVER
    except (StoreError, TimeoutError) as error:
        log.warning("a message to the team was not sent: %s", type(error).__name__)
        return NOT_KNOWN
    return ""
