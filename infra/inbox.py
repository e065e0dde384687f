"""The clinician's messages to a live team: put by the API and the voice, taken by the team over HTTP.

The rule for full: what the team has not taken stays, and new messages are refused and told so. A message that
comes twice, by its id, is put once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from redis.asyncio import Redis

from agents.inbox import Numbered, TeamMessage
from infra.errors import CorruptSession, InboxFull, InboxOver, UnknownSession
from infra.keys import SessionKeys
from infra.scripts import Scripts, answering
from infra.store import clock_ms, readable

WAITING_BOUND: Final = 20  # messages that a team has not taken: more than anybody sends in one round
SESSION_BOUND: Final = 1_000
LISTENS_MS: Final = 60_000  # a team that polled (each 25 s) longer ago counts as not listening


@dataclass(frozen=True, slots=True)
class InboxStands:
    """A team's inbox. `asked_ms`: how long ago the team last asked for messages; None: never."""

    newest: int = 0
    taken: int = 0
    asked_ms: int | None = None
    over: bool = False

    @property
    def listens(self) -> bool:
        """Return whether somebody takes a message that is put now."""
        return not self.over and self.asked_ms is not None and self.asked_ms < LISTENS_MS


class TeamInbox:
    """The inbox of one session. Each call has its deadline (StoreUnavailable)."""

    def __init__(
        self,
        client: Redis,
        keys: SessionKeys,
        *,
        waiting_bound: int = WAITING_BOUND,
        session_bound: int = SESSION_BOUND,
    ) -> None:
        self._client, self._keys = client, keys
        self._waiting_bound, self._session_bound = waiting_bound, session_bound
        self._scripts = Scripts(client, keys)

    async def put(self, message: TeamMessage) -> int:
        """Put a message, and return its number; one with its id that is there keeps its own.

        Raises: InboxFull, InboxOver.
        """
        bounds = (self._waiting_bound, self._session_bound)
        json = message.model_dump_json()
        word, detail = await self._scripts.run("put_message", message.id, self._end_id, *bounds, json)
        match word:
            case "FULL":
                raise InboxFull(self._waiting_bound)
            case "OVER":
                raise InboxOver
        return int(detail)

    async def read(self, after: int = 0, *, count: int = WAITING_BOUND) -> list[Numbered]:
        """Return up to `count` messages after number `after`, at once. Raises: NewerSchema, CorruptSession."""
        async with answering("an inbox"):
            reply: Any = await self._client.xread({self._keys.inbox: f"{after}-0"}, count=count)
        try:
            return [_numbered(*entry) for _, entries in reply or () for entry in entries]
        except (KeyError, ValueError) as error:  # a validation error is one; its text may quote the case
            raise CorruptSession("a message to the team", type(error).__name__) from None

    async def note_taken(self, number: int, *, answers: bool) -> None:
        """Record that the team has all messages up to `number`, and, if it `answers`, that it listens.

        Raises: UnknownSession: it has expired.
        """
        word, _ = await self._scripts.run("note_taken", number, int(answers))
        if word == "GONE":
            raise UnknownSession(self._keys.session_id)

    async def stands(self) -> InboxStands:
        """Return the inbox's state. Raises: CorruptSession."""
        heads, names = self._keys.name("heads"), ("inbox", "inbox_taken", "inbox_asked_ms", "sealed")
        async with answering("an inbox"):
            newest, taken, asked, sealed = await self._client.hmget(heads, list(names))
            ended = await self._client.sismember(self._keys.name("seen"), f"command:{self._end_id}")
            asked_at_ms = None if asked is None else int(asked)
            found = (int(newest or 0), int(taken or 0))
        now_ms = 0 if asked_at_ms is None else int(await clock_ms(self._client))
        ago_ms = None if asked_at_ms is None else max(0, now_ms - asked_at_ms)
        return InboxStands(*found, ago_ms, over=sealed is not None or bool(ended))

    @property
    def _end_id(self) -> str:
        """Return the id of the command that ends the session: it is there before the record says so."""
        return f"{self._keys.session_id}.end"


def _numbered(entry_id: str, fields: dict[str, str]) -> Numbered:
    readable("a message to the team", fields["v"], 1)
    return Numbered(
        number=int(entry_id.split("-")[0]), message=TeamMessage.model_validate_json(fields["message"])
    )
