"""Segments that are being read by a model while the engine goes on, and what became of them, in their order.

A segment waits for its answer here and nowhere else: what the rules tell at once has been told by then. At most
`MOST_WAITING` wait; one more is the rules' own. Every wait ends with the reader's deadline.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.readings.port import Answered, Numbered, ReadingRequest, SegmentReader
from exaim_core.schema import Dropped, ReadBy
from exaim_core.text.names import Names, person
from exaim_core.text.units import Sentence, Unit

MOST_WAITING: Final = 8
AT_ONCE: Final = 3  # calls under way
PLACE_S: Final = 8.0  # for one of these places; later, what the rules have is told rather than waited with
EARLIER: Final = (
    6  # sentences of the same turn that are shown with a segment, and may be cited with a new one
)
LEAST_CHARS: Final = 12  # of a segment that is worth a call
BEHIND: Final = "behind"
EMPTY: Final = "empty"


@dataclass(slots=True)
class Read:
    """One unit of a segment: what the rules made of it, told at once or held back, and its quotation."""

    unit: Unit
    told: tuple[Claim | ListEnd, ...] = ()
    held: tuple[Claim | ListEnd, ...] = ()
    quote: Claim | None = None

    @property
    def by_rule(self) -> tuple[Claim | ListEnd, ...]:
        """Return all that the rules made of it."""
        return (*self.told, *self.held)


@dataclass(slots=True)
class Segment:
    """What was released together. `request` None: nobody is asked about it."""

    agent_id: str
    reads: list[Read] = field(default_factory=list)
    request: ReadingRequest | None = None
    failure: str = ""
    after: tuple[Claim | ListEnd, ...] = ()  # of a turn that ended without another word
    answer: asyncio.Task[Answered] | None = None
    turn: int = 0  # of its agent

    @property
    def ready(self) -> bool:
        """Tell whether it needs to wait no more."""
        return self.answer is None or self.answer.done()


class Readings:
    """The segments of one case, oldest first."""

    def __init__(self, reader: SegmentReader, names: Names) -> None:
        self._reader, self._names = reader, names
        self._segments: deque[Segment] = deque()
        self._turn: dict[str, list[Numbered]] = {}
        self._ended: Counter[str] = Counter()  # turns, by agent
        self._agents: set[str] = set()
        self._asked = self._number = 0
        self._gate = asyncio.Semaphore(AT_ONCE)
        self.refused: Counter[str] = Counter()  # claims and wordings, by reason

    @property
    def spent(self) -> ReadBy:
        """Return who reads, and what that has cost."""
        return self._reader.spent

    def take_refused(self) -> tuple[Dropped, ...]:
        """Return what was refused since this was asked last, once a claim or a wording."""
        found = tuple(Dropped(text_kind="reading", reason=reason) for reason in self.refused.elements())
        self.refused.clear()
        return found

    def __len__(self) -> int:
        return len(self._segments)

    def offer(self, segment: Segment, *, ask: bool = True) -> None:
        """Take a segment, and have it read if there is something to read and time for it, and `ask`."""
        self._agents.add(segment.agent_id)
        segment.turn = self.turn(segment.agent_id)
        new = self._numbered(segment)
        chars = sum(len(each.text) for each in new)
        if ask and chars >= LEAST_CHARS:
            self._asked += 1
            self._ask(segment, new)
        self._segments.append(segment)

    def end_turn(self, agent_id: str) -> None:
        """Note that an agent's turn is over: its sentences are not shown with its next one."""
        self._turn.pop(agent_id, None)
        self._ended[agent_id] += 1

    def turn(self, agent_id: str) -> int:
        """Return the number of the turn that an agent is in."""
        return self._ended[agent_id]

    def withdraw(self, agent_id: str, turn: int) -> None:
        """Have nothing made of what waits of an agent's turn."""
        for segment in self._segments:
            if (segment.agent_id, segment.turn) == (agent_id, turn):
                segment.reads, segment.after = [], ()

    def take(self) -> Segment | None:
        """Return the oldest segment if it need not wait, and forget it."""
        if not self._segments or not self._segments[0].ready:
            return None
        return self._segments.popleft()

    async def wait(self) -> None:
        """Wait until the oldest segment has its answer; the reader's deadline bounds it."""
        if self._segments and (answer := self._segments[0].answer) is not None:
            await asyncio.wait({answer})

    async def aclose(self) -> None:
        """Give up all that is under way."""
        tasks = [each.answer for each in self._segments if each.answer is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._segments.clear()

    def _ask(self, segment: Segment, new: Iterable[Numbered]) -> None:
        if len(self._segments) >= MOST_WAITING:
            segment.failure = BEHIND
            return
        earlier = self._turn.get(segment.agent_id, [])[:]
        new = tuple(new)
        for each in new:
            earlier = [old for old in earlier if old.number != each.number]
        shown = [Numbered(old.number, old.unit, old.text, new=False) for old in earlier[-EARLIER:]]
        names = {person(agent): self._names(agent) for agent in sorted(self._agents)}
        segment.request = ReadingRequest(
            number=self._asked, agent_id=segment.agent_id, names=names, sentences=(*shown, *new)
        )
        segment.answer = asyncio.create_task(self._answered(segment.request), name="exaim-reading")

    async def _answered(self, request: ReadingRequest) -> Answered:
        try:
            async with asyncio.timeout(PLACE_S):
                await self._gate.acquire()
        except TimeoutError:
            return Answered(failure=BEHIND)
        try:
            return await self._reader.read(request)
        finally:
            self._gate.release()

    def _numbered(self, segment: Segment) -> tuple[Numbered, ...]:
        made = list[Numbered]()
        for read in segment.reads:
            unit = read.unit
            if not isinstance(unit, Sentence) or not unit.full.strip():
                continue
            self._number += 1
            made.append(Numbered(self._number, unit, in_place(unit)))
        self._turn.setdefault(segment.agent_id, []).extend(made)
        return tuple(made)


def in_place(unit: Sentence) -> str:
    """Return a sentence behind what it stands under, as far as that tells what it means."""
    title = unit.heading.replace("_", " ").strip(" :")
    if not title or unit.full.lower().startswith(title.lower()):
        return unit.full
    return f"{title} – {unit.full}"
