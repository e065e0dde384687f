"""Fetch the clinician's questions and facts while a team works, and the end of the session."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

import httpx

from exaim_live.errors import Refused, Unreachable, asked
from exaim_live.inbox import STOPS, Message, MessageKind, TeamMessage
from exaim_live.sending import RETRY_FIRST_S, RETRY_MOST_S

log = logging.getLogger(__name__)

WAIT_S: Final = 20.0  # the server answers sooner if something comes, and takes 25 s at most
ANSWER_WITHIN_S: Final = WAIT_S + 10.0
MOST: Final = 1_000  # that nobody has looked at; the server puts no more into one session
GONE: Final = frozenset({"wrong_token", "session_ended"})
"""Refusals that say that there is no such session any more: four hours after its end, or its store is lost."""

Fetched = tuple[int, TeamMessage]


class Mailbox:
    """Fetches from when it is started until the session, or the clinician, ends it.

    `ended` is set then, and `why` says which of both it was. Nothing here raises into the team: while the
    server is away it tries again, and a server that knows of no inbox is asked no more.
    """

    def __init__(self, http: httpx.AsyncClient, inbox_url: str, team_token: str) -> None:
        self._http, self._url = http, inbox_url
        self._headers = {"Authorization": f"Bearer {team_token}"}
        self.ended = asyncio.Event()
        self.why: MessageKind | None = None
        self._guard = threading.Lock()  # `why`, who is told of it, and what has arrived are for all threads
        self._on_ended: list[Callable[[MessageKind], None]] = []
        self._answering = False
        self._again = asyncio.Event()  # it answers from now on: the call under way says otherwise
        self._arrived: deque[TeamMessage] = deque(maxlen=MOST)
        self._some = asyncio.Event()
        self._deaf = False  # nothing comes any more, and it is not known to be over

    def answer(self) -> None:
        """Let the session know from now on that questions are answered."""
        if not self._answering:
            self._answering = True
            self._again.set()

    def on_ended(self, callback: Callable[[MessageKind], None]) -> None:
        """Call `callback` once at the end, in the loop's thread; at once if it is over already. From any thread."""
        with self._guard:
            if self.why is None:
                self._on_ended.append(callback)
                return
        callback(self.why)

    def taken(self) -> Sequence[TeamMessage]:
        """Return what came since the last call, at once. From any thread."""
        with self._guard:
            found = tuple(self._arrived)
            self._arrived.clear()
        return found

    async def messages(self) -> AsyncIterator[TeamMessage]:
        """Yield messages as they come, until it is over."""
        while True:
            self._some.clear()
            while (message := self._next()) is not None:
                yield message
            if self.why is not None or self._deaf:
                return
            await self._some.wait()

    def _next(self) -> TeamMessage | None:
        with self._guard:
            return self._arrived.popleft() if self._arrived else None

    async def run(self) -> None:
        """Fetch until it is over, or cancelled."""
        after, wait_s = 0, RETRY_FIRST_S
        while self.why is None:
            try:
                for number, message in await self._fetched(after):
                    after = number
                    self._take(message)
                wait_s = RETRY_FIRST_S
            except Unreachable as error:
                log.warning("%s; messages to the team wait", error)
                await asyncio.sleep(max(wait_s * random.uniform(0.5, 1.0), error.retry_after_s))
                wait_s = min(2 * wait_s, RETRY_MOST_S)
            except Refused as error:
                if error.code in GONE:
                    self._end(MessageKind.ENDED)
                else:
                    log.warning("%s: the team can't be asked, nor told of its end", error)
                    self._deaf = True
                    self._some.set()
                return

    async def _fetched(self, after: int) -> Sequence[Fetched]:
        """Return what comes after a number; nothing if it is to be asked for in another way."""
        self._again.clear()
        call = asyncio.create_task(self._call(after), name="live-team-inbox-call")
        again = asyncio.create_task(self._again.wait(), name="live-team-inbox-again")
        try:
            await asyncio.wait({call, again}, return_when=asyncio.FIRST_COMPLETED)
            return call.result() if call.done() else ()
        finally:
            for task in (call, again):
                task.cancel()
            await asyncio.wait({call, again})

    async def _call(self, after: int) -> Sequence[Fetched]:
        query: dict[str, str | int | float | bool | None] = {"after": after, "wait_s": WAIT_S}
        query["answering"] = self._answering
        request = self._http.build_request(
            "GET", self._url, params=query, headers=self._headers, timeout=ANSWER_WITHIN_S
        )
        return await asked(self._http, request, _messages)

    def _take(self, message: TeamMessage) -> None:
        if message.kind in STOPS:
            self._end(message.kind)
        else:
            with self._guard:
                self._arrived.append(message)
            self._some.set()

    def _end(self, why: MessageKind) -> None:
        with self._guard:
            if self.why is not None:
                return
            self.why = why
        self.ended.set()
        self._some.set()
        for callback in self._on_ended:
            try:
                callback(why)
            except Exception as error:  # a stranger's function: its errors must not end the fetching's task
                log.warning("a callback raised %s as the team was ended", type(error).__name__)


class TeamsInbox:
    """A live team's mailbox for a team that looks into it between its calls."""

    def __init__(self, mailbox: Mailbox) -> None:
        self._mailbox = mailbox

    def take(self) -> Sequence[Message]:
        """Return the questions and facts that came since the last call, at once."""
        wanted = {MessageKind.QUESTION, MessageKind.FACT}
        return tuple(
            Message(each.id, each.text, each.to, is_fact=each.kind is MessageKind.FACT)
            for each in self._mailbox.taken()
            if each.kind in wanted
        )


def _messages(answer: Any) -> Sequence[Fetched]:
    return [(int(each["number"]), TeamMessage.model_validate(each)) for each in answer["messages"]]
