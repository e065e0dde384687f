"""Read the material of a report from the store, counting the agents' words on the way."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pydantic import ValidationError
from redis.asyncio import Redis

from agents.costs import Costs
from agents.stream import THOUGHT, EventType, StreamEvent, TurnMark
from exaim_core import Update
from exaim_live.thinking import Part, Splitter
from infra.errors import CorruptSession
from infra.ledger import LedgerEntry, SpeechLedger
from infra.sessions import SessionRecord
from infra.streams import Logged, LoggedCommand, LoggedUpdate, SessionStreams

READ_COUNT: Final = 1_000


class NothingHappened(Exception):
    """The session was over before anything was asked, thought or said: there is nothing to report."""


@dataclass(frozen=True, slots=True)
class MadeUpdate:
    """An update, and when the store took it."""

    update_id: str
    at_ms: int
    update: Update


@dataclass(slots=True)
class AgentTally:
    """What one agent said so far. `turns` counts their beginnings, at least one for whoever said a word.

    `before`: turns and words without the turn that is open, which may still be withdrawn.
    """

    first_at_ms: int
    last_at_ms: int
    turns: int = 0
    text_ends_in_word: bool = False
    words: int = 0
    before: tuple[int, int] = (0, 0)
    splitter: Splitter = field(default_factory=Splitter)


@dataclass(slots=True)
class EventTally:
    """The agents' events, counted one by one."""

    agents: dict[str, AgentTally] = field(default_factory=dict)
    first_at_ms: int | None = None
    end_at_ms: int | None = None
    error_at_ms: int | None = None
    costs: Costs = field(default_factory=Costs)

    def add(self, at_ms: int, event: StreamEvent) -> None:
        """Count one event."""
        self.costs.take(event)
        self.first_at_ms = at_ms if self.first_at_ms is None else self.first_at_ms
        if event.type is EventType.END:
            self.end_at_ms = at_ms
        elif event.type is EventType.ERROR:
            self.error_at_ms = at_ms
        if event.agent_id is None:
            return
        agent = self.agents.setdefault(event.agent_id, AgentTally(at_ms, at_ms))
        agent.last_at_ms = at_ms
        if event.mark is TurnMark.TURN_START:
            agent.before = agent.turns, agent.words
            agent.turns += 1
            agent.text_ends_in_word = False
        if event.type is EventType.TOKEN and event.data and event.token_type not in THOUGHT:
            _count_said(agent, agent.splitter.take(event.data))
        elif event.mark is TurnMark.TURN_END:
            _count_said(agent, agent.splitter.end_turn())
            agent.before = agent.turns, agent.words
        elif event.mark is TurnMark.TURN_ABORTED:
            agent.splitter.end_turn()
            agent.turns, agent.words = agent.before
            agent.text_ends_in_word = False


def _count_said(agent: AgentTally, parts: Iterable[Part]) -> None:
    for part in parts:
        if not part.hidden:
            _count_words(agent, part.text)


def _count_words(agent: AgentTally, text: str) -> None:
    """Count the words that begin in `text`; one that the token before began goes on in it."""
    pieces = text.split()
    goes_on = agent.text_ends_in_word and not text[0].isspace()
    agent.words += len(pieces) - (1 if goes_on and pieces else 0)
    if text:
        agent.text_ends_in_word = not text[-1].isspace()


@dataclass(frozen=True, slots=True)
class Material:
    """One session as the store had it, in the order of the store."""

    record: SessionRecord
    tally: EventTally
    updates: tuple[MadeUpdate, ...]
    entries: tuple[LedgerEntry, ...]
    commands: tuple[LoggedCommand, ...]


async def read_material(client: Redis, record: SessionRecord) -> Material:
    """Read a session. Raises: NothingHappened, StoreError (TornSession and CorruptSession among them)."""
    streams = SessionStreams(client, record.keys)
    tally = EventTally()
    async for logged in _pages(lambda after: streams.read_events(after, count=READ_COUNT)):
        tally.add(logged.at_ms, logged.event)
    updates = [each async for each in _pages(lambda after: streams.read_updates(after, count=READ_COUNT))]
    commands = [each async for each in _pages(lambda after: streams.read_commands(after, count=READ_COUNT))]
    entries = await SpeechLedger(client, record.keys).entries()
    if not (commands or updates or entries or tally.first_at_ms):
        raise NothingHappened
    return Material(record, tally, _validated(updates), tuple(entries), tuple(commands))


_Entry = TypeVar("_Entry", Logged, LoggedUpdate, LoggedCommand)


async def _pages(read: Callable[[str], Awaitable[Sequence[_Entry]]]) -> AsyncIterator[_Entry]:
    after = "0-0"
    while page := await read(after):
        for entry in page:
            yield entry
        after = page[-1].id


def _validated(logged: Iterable[LoggedUpdate]) -> tuple[MadeUpdate, ...]:
    try:
        return tuple(
            MadeUpdate(each.update_id, each.at_ms, Update.model_validate(each.update)) for each in logged
        )
    except ValidationError as error:  # its text may quote the case
        raise CorruptSession("an update", type(error).__name__) from None
