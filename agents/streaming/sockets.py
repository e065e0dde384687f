"""Publish and subscribe inside one process: typed, bounded, and nobody waits for anybody.

A socket has no callbacks. Each subscriber gets a queue of its own and reads it at its own pace. A queue that
is full loses its oldest item and counts it, so a subscriber that never reads costs its bound and no more.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

from agents.stream import LLMMetadata, StreamEvent

MOST_WAITING: Final = 2_048  # items: some seconds of several agents' tokens
MOST_SUBSCRIBERS: Final = 64


class Addressed(Protocol):
    """What goes through a socket: it says of which thread and session it is, and what it is."""

    @property
    def thread_id(self) -> str:
        """The thread that it belongs to."""
        ...

    @property
    def session_id(self) -> str:
        """The session that it belongs to."""
        ...

    @property
    def type(self) -> StrEnum:
        """What it is."""
        ...


Item = TypeVar("Item", bound=Addressed)


class ObservationType(StrEnum):
    """What is kept of a call beside its words."""

    LLM_STREAM_START = "LLM_STREAM_START"
    LLM_STREAM_METADATA = "LLM_STREAM_METADATA"
    LLM_STREAM_ERROR = "LLM_STREAM_ERROR"
    LLM_STREAM_END = "LLM_STREAM_END"


@dataclass(frozen=True, slots=True)
class Observation:
    """A stored fact about a call, never its words. `at_ms`: time of the observation since the epoch."""

    observation_id: str
    at_ms: int
    type: ObservationType
    thread_id: str
    session_id: str
    trace_id: str
    agent_id: str | None = None
    turn: int | None = None
    llm: LLMMetadata | None = None
    text: str = ""


class MessageType(StrEnum):
    """What a message in a conversation is."""

    ANSWER = "ANSWER"


@dataclass(frozen=True, slots=True)
class FinalMessage:
    """The whole answer of the call `trace_id`, which replaces what was streamed of it."""

    thread_id: str
    session_id: str
    trace_id: str
    text: str
    agent_id: str | None = None
    llm: LLMMetadata | None = None
    type: MessageType = MessageType.ANSWER


@dataclass(frozen=True, slots=True)
class EventFilter:
    """What a subscriber wants to hear of; None: all."""

    thread_id: str | None = None
    session_id: str | None = None
    types: Collection[StrEnum] | None = None

    def has(self, item: Addressed) -> bool:
        """Return whether `item` is wanted."""
        return (
            self.thread_id in (None, item.thread_id)
            and self.session_id in (None, item.session_id)
            and (self.types is None or item.type in self.types)
        )


class Subscription(Generic[Item]):
    """One subscriber's bounded queue, in order. Read by one task: `async for item in subscription`.

    `dropped` counts what was lost because nobody read. Closed and empty, it ends.
    """

    def __init__(self, wanted: EventFilter, most: int = MOST_WAITING) -> None:
        if most < 1:
            raise ValueError("a subscription holds at least one item")
        self.dropped = 0
        self._wanted = wanted
        self._items: deque[Item] = deque()
        self._most = most
        self._some = asyncio.Event()
        self._closed = False

    def offer(self, item: Item) -> None:
        """Take an item if it is wanted, at once."""
        if self._closed or not self._wanted.has(item):
            return
        if len(self._items) >= self._most:
            self._items.popleft()
            self.dropped += 1
        self._items.append(item)
        self._some.set()

    def take(self) -> list[Item]:
        """Return what waits, at once."""
        items = list(self._items)
        self._items.clear()
        self._some.clear()
        return items

    def close(self) -> None:
        """Take nothing more; a reader gets what waits, and then the end."""
        self._closed = True
        self._some.set()

    async def __aiter__(self) -> AsyncIterator[Item]:
        while True:
            if self._items:
                yield self._items.popleft()
            elif self._closed:
                return
            else:
                self._some.clear()
                await self._some.wait()


@dataclass(slots=True)
class Socket(Generic[Item]):
    """Tells each item to all who want it. Never waits, and never fails because of a subscriber."""

    _subscriptions: list[Subscription[Item]] = field(default_factory=list)

    def subscribe(self, wanted: EventFilter | None = None, *, most: int = MOST_WAITING) -> Subscription[Item]:
        """Return a new subscription of what comes from now on. Raises ValueError: too many subscribe."""
        if len(self._subscriptions) >= MOST_SUBSCRIBERS:
            raise ValueError(f"a socket has at most {MOST_SUBSCRIBERS} subscribers; unsubscribe one")
        subscription: Subscription[Item] = Subscription(wanted or EventFilter(), most)
        self._subscriptions.append(subscription)
        return subscription

    def unsubscribe(self, subscription: Subscription[Item]) -> None:
        """Close a subscription; one that is not here any more is nothing."""
        subscription.close()
        self._subscriptions = [each for each in self._subscriptions if each is not subscription]

    @contextmanager
    def listening(
        self, wanted: EventFilter | None = None, *, most: int = MOST_WAITING
    ) -> Iterator[Subscription[Item]]:
        """Subscribe for the time of a block."""
        subscription = self.subscribe(wanted, most=most)
        try:
            yield subscription
        finally:
            self.unsubscribe(subscription)

    def notify(self, item: Item) -> None:
        """Tell an item, at once."""
        for subscription in self._subscriptions:
            subscription.offer(item)

    @property
    def dropped(self) -> int:
        """How many items those who still subscribe have lost."""
        return sum(subscription.dropped for subscription in self._subscriptions)


@dataclass(frozen=True, slots=True)
class Sockets:
    """The three of a program: what is written, what is observed, and whole messages."""

    stream: Socket[StreamEvent] = field(default_factory=Socket)
    observations: Socket[Observation] = field(default_factory=Socket)
    messages: Socket[FinalMessage] = field(default_factory=Socket)
