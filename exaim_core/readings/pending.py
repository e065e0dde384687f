"""Hold segments while a model reads them and the engine goes on, and hand them back in order.

Only here does a segment wait for its answer: what the rules tell at once has been told by then. At most
`MOST_WAITING` wait; one more is read by the rules alone. Every wait ends with the reader's deadline.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.readings.port import Numbered, ReaderReply, ReadingRequest, SegmentReader
from exaim_core.schema import Dropped, ReadBy
from exaim_core.text.names import Names, person
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import word_count

MOST_WAITING: Final = 8  # calls
AT_ONCE: Final = 3  # calls under way
PLACE_S: Final = 8.0  # waited for one of these places; after that the rules' reading is told
FULL_WORDS: Final = 60  # new words of a call: a segment of a long turn has as many
MOST_WORDS: Final = 120  # of several segments in one call
GATHER_S: Final = 1.0  # for which a short turn waits to be read with the next ones
EARLIER: Final = (
    6  # sentences of the same turn that are shown with a segment, and may be cited with a new one
)
BEFORE: Final = 8  # sentences of earlier turns, right before a segment's own, that are shown with it
LEAST_CHARS: Final = 12  # characters that are worth a call
BEHIND: Final = "behind"
EMPTY: Final = "empty"


@dataclass(slots=True)
class ReadUnit:
    """One unit of a segment: the rules' claims of it, told at once or held back, and its quotation."""

    unit: Unit
    told: tuple[Claim | ListEnd, ...] = ()
    held: tuple[Claim | ListEnd, ...] = ()
    quote: Claim | None = None

    @property
    def by_rule(self) -> tuple[Claim | ListEnd, ...]:
        """Return all claims that the rules made of it."""
        return (*self.told, *self.held)


@dataclass(slots=True, eq=False)
class ReaderCall:
    """One question to the model: a segment, or several short ones in order, with their context."""

    sentences: dict[int, Numbered] = field(default_factory=dict)  # by number
    words: int = 0  # new ones
    full: asyncio.Event = field(default_factory=asyncio.Event)  # set when nothing more is waited for
    request: ReadingRequest | None = None  # set once it is asked
    answer: asyncio.Task[ReaderReply] | None = None

    def takes(self, words: int) -> bool:
        """Return whether a segment of so many words may still be added to it."""
        return self.request is None and not self.full.is_set() and self.words + words <= MOST_WORDS

    def forget(self, numbers: set[int]) -> None:
        """Take sentences out: they are not shown any more, and no claim may rest on them."""
        self.sentences = {each: said for each, said in self.sentences.items() if each not in numbers}
        if self.request is not None:
            self.request = replace(self.request, sentences=tuple(self.sentences.values()))


@dataclass(slots=True)
class ReleasedSegment:
    """Text that was released together. If `call` is None, no model is asked about it."""

    agent_id: str
    reads: list[ReadUnit] = field(default_factory=list)
    call: ReaderCall | None = None
    numbers: frozenset[int] = frozenset()  # its sentences
    failure: str = ""
    after: tuple[Claim | ListEnd, ...] = ()  # claims of a turn's end that brought no more words
    turn: int = 0  # the number of its agent's turn
    withdrawn: bool = False

    @property
    def ready(self) -> bool:
        """Return whether it need not wait any longer."""
        return self.call is None or self.call.answer is None or self.call.answer.done()


class Readings:
    """The segments of one case, oldest first."""

    def __init__(self, reader: SegmentReader, names: Names) -> None:
        self._reader, self._names = reader, names
        self._segments: deque[ReleasedSegment] = deque()
        self._turn: dict[str, list[Numbered]] = {}
        self._said: deque[tuple[int, Numbered]] = deque(maxlen=EARLIER + BEFORE)  # with the agent's turn
        self._ended: Counter[str] = Counter()  # ended turns, by agent
        self._agents: set[str] = set()
        self._asked = self._number = 0
        self._gathers: ReaderCall | None = None  # the call to which short turns are added
        self._gate = asyncio.Semaphore(AT_ONCE)
        self.refused: Counter[str] = Counter()  # claims and wordings, by reason

    @property
    def spent(self) -> ReadBy:
        """Return which model reads, and what that has cost."""
        return self._reader.spent

    def take_refused(self) -> tuple[Dropped, ...]:
        """Return what was refused since the last call, one for each claim or wording."""
        found = tuple(Dropped(text_kind="reading", reason=reason) for reason in self.refused.elements())
        self.refused.clear()
        return found

    def __len__(self) -> int:
        return len(self._segments)

    def offer(self, segment: ReleasedSegment, *, ask: bool = True) -> None:
        """Take a segment; have it read if `ask`, there is something to read, and there is time for it."""
        self._agents.add(segment.agent_id)
        segment.turn = self.turn(segment.agent_id)
        context = self._context(segment)
        new = self._numbered(segment)
        if ask and new:
            self._put(segment, context, new)
        self._segments.append(segment)

    def end_turn(self, agent_id: str) -> None:
        """Note that an agent's turn is over: later sentences belong to its next turn."""
        self._turn.pop(agent_id, None)
        self._ended[agent_id] += 1

    def turn(self, agent_id: str) -> int:
        """Return the number of the turn that an agent is in."""
        return self._ended[agent_id]

    def withdraw(self, agent_id: str, turn: int) -> None:
        """Drop what waits of an agent's turn, and what other agents said that depends on it."""
        gone = {
            each.number for said_in, each in self._said if (each.agent, said_in) == (person(agent_id), turn)
        }
        for segment in self._segments:
            if (segment.agent_id, segment.turn) == (agent_id, turn):
                segment.reads, segment.after, segment.withdrawn = [], (), True
                gone |= segment.numbers
        kept = [(said_in, each) for said_in, each in self._said if each.number not in gone]
        self._said = deque(kept, maxlen=self._said.maxlen)
        for call in self._calls():
            call.forget(gone)

    def take(self) -> ReleasedSegment | None:
        """Return and forget the oldest segment, if it need not wait; else None."""
        if not self._segments or not self._segments[0].ready:
            return None
        return self._segments.popleft()

    async def wait(self) -> None:
        """Wait until the oldest segment has its answer, within the reader's deadline; no text follows."""
        call = self._segments[0].call if self._segments else None
        if call is not None and call.answer is not None:
            call.full.set()
            await asyncio.wait({call.answer})

    async def aclose(self) -> None:
        """Give up all readings that are under way."""
        tasks = [call.answer for call in self._calls() if call.answer is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._segments.clear()

    def _calls(self) -> list[ReaderCall]:
        """Return the calls of the waiting segments, each once."""
        return [*{id(each.call): each.call for each in self._segments if each.call is not None}.values()]

    def _context(self, segment: ReleasedSegment) -> list[Numbered]:
        """Return what was said right before a segment, in its turn and in the turns before that."""
        own = self._turn.get(segment.agent_id, [])[-EARLIER:]
        since = own[0].number if own else self._number + 1
        now = (person(segment.agent_id), segment.turn)
        earlier = [each for turn, each in self._said if (each.agent, turn) != now]
        before = [each for each in earlier if each.number < since][-BEFORE:]
        return sorted((*before, *own), key=lambda each: each.number)

    def _put(self, segment: ReleasedSegment, context: Iterable[Numbered], new: Sequence[Numbered]) -> None:
        """Add a segment to the gathering call, or to one of its own."""
        words, call = sum(word_count(each.text) for each in new), self._gathers
        if call is None or not call.takes(words):
            if sum(not _is_over(each) for each in self._calls()) >= MOST_WAITING:
                segment.failure = BEHIND
                return
            if call is not None:
                call.full.set()
            call = self._gathers = ReaderCall()
            call.answer = asyncio.create_task(self._answered(call), name="exaim-reading")
        for each in context:
            call.sentences.setdefault(each.number, replace(each, new=False))
        call.sentences |= {each.number: each for each in new}
        call.words += words
        segment.call = call
        if call.words >= FULL_WORDS:
            call.full.set()

    async def _answered(self, call: ReaderCall) -> ReaderReply:
        try:
            async with asyncio.timeout(PLACE_S):
                await _gathered(call)
                await self._gate.acquire()
        except TimeoutError:
            call.full.set()
            return ReaderReply(failure=BEHIND)
        try:
            if sum(len(each.text) for each in call.sentences.values() if each.new) < LEAST_CHARS:
                call.full.set()
                return ReaderReply()
            self._asked += 1
            names = {person(agent): self._names(agent) for agent in sorted(self._agents)}
            said = tuple(sorted(call.sentences.values(), key=lambda each: each.number))
            call.request = ReadingRequest(number=self._asked, names=names, sentences=said)
            return await self._reader.read(call.request)
        finally:
            self._gate.release()

    def _numbered(self, segment: ReleasedSegment) -> tuple[Numbered, ...]:
        made = list[Numbered]()
        for read in segment.reads:
            unit = read.unit
            if not isinstance(unit, Sentence) or not unit.full.strip():
                continue
            self._number += 1
            made.append(Numbered(self._number, unit, in_place(unit)))
        self._turn.setdefault(segment.agent_id, []).extend(made)
        self._said.extend((segment.turn, each) for each in made)
        segment.numbers = frozenset(each.number for each in made)
        return tuple(made)


async def _gathered(call: ReaderCall) -> None:
    """Wait until a call is full, or gathers no longer."""
    try:
        async with asyncio.timeout(GATHER_S):
            await call.full.wait()
    except TimeoutError:
        return


def _is_over(call: ReaderCall) -> bool:
    return call.answer is not None and call.answer.done()


def in_place(unit: Sentence) -> str:
    """Return a sentence with its heading before it, if that helps to tell what it means."""
    title = unit.heading.replace("_", " ").strip(" :")
    if not title or unit.full.lower().startswith(title.lower()):
        return unit.full
    return f"{title} – {unit.full}"
