"""Queue what a team says until it is sent: bounded, joined, and numbered as it leaves. Pure.

Any thread may offer; one takes.
"""

from __future__ import annotations

import json
import re
import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from exaim_live.events import (
    AGENT_NAME_MAX,
    NAME_MAX,
    UNPRINTABLE,
    Decision,
    EventType,
    LLMMetadata,
    Progress,
    TeamEvent,
    TokenContext,
    TokenType,
    TurnMark,
)
from exaim_live.stop_reasons import BROKE_OFF
from exaim_live.thinking import Splitter

MOST_CHARS: Final = 200_000  # that wait: a long discussion, or minutes without a server
PIECE_CHARS: Final = 2_000  # of one event; the server takes 8,000
BATCH_BYTES: Final = 40_000  # of one batch, as JSON, before its last event; the server takes 65,536
BATCH_EVENTS: Final = 200  # the server takes 500

UNNAMED: Final = "agent"
MOST_AGENTS: Final = 1_000  # whose newest turn is remembered

OVER: Final = "nothing is taken any more"
NO_TURN: Final = "no agent of that name has said anything yet"

CONTEXT: Final = TokenContext.AGENT_THOUGHT

Stated = TypeVar("Stated", bound=BaseModel)
_UNPRINTABLE: Final = re.compile(f"[{UNPRINTABLE}]")


@dataclass(slots=True)
class _Waiting:
    """One entry that waits: text of a turn; or its bound, cost or decision; a step; or the end.

    Or a `whole` event.
    """

    type: EventType
    agent_id: str | None = None
    turn: int | None = None
    mark: TurnMark | None = None
    token_type: TokenType | None = None
    llm: LLMMetadata | None = None
    decision: Decision | None = None
    progress: Progress | None = None
    round: int | None = None
    in_reply_to: str | None = None
    texts: list[str] = field(default_factory=list)
    whole: TeamEvent | None = None

    def goes_on(self, event: TeamEvent) -> bool:
        """Return whether an event is more of the same: words of one turn, of one type."""
        mine = self.whole
        return (
            mine is not None
            and mine.type is event.type is EventType.TOKEN
            and (mine.agent_id, mine.turn, mine.token_type, mine.in_reply_to)
            == (event.agent_id, event.turn, event.token_type, event.in_reply_to)
        )


@dataclass(slots=True)
class _Turn:
    """A turn under way: its number, the message it answers, its context, and the tags open in it."""

    number: int
    in_reply_to: str | None = None
    context: TokenContext = CONTEXT
    splitter: Splitter = field(default_factory=Splitter)


class Outbox:
    """Holds what is to be sent, in one order for all agents; adjacent text of a turn is joined.

    Full (`most_chars` wait): further text is refused and counted in `lost_chars`, until there is room again.
    Bounds of turns and the end of the reasoning never are.
    """

    def __init__(self, most_chars: int = MOST_CHARS) -> None:
        self.lost_chars = 0
        self.lost_events = 0  # that the server could not read; their words are in `lost_chars`
        self.closed = False
        self._deaf = False  # `drop_text` was called: text and bounds of turns are let go, the end goes out
        self.next_seq = 0
        self._most_chars = most_chars
        self._guard = threading.Lock()
        self._waiting: deque[_Waiting] = deque()
        self._chars = 0
        self._turns = 0
        self._open: dict[str, _Turn] = {}  # by agent
        self._last: dict[str, int] = {}  # the number of each agent's newest turn

    def begin_at(self, seq: int) -> None:
        """Number on from `seq`; turns too are numbered above all that came before."""
        with self._guard:
            self.next_seq, self._turns = seq, max(self._turns, seq)

    @property
    def is_empty(self) -> bool:
        """Return whether nothing waits to be sent."""
        with self._guard:
            return not self._waiting

    def offer(
        self,
        agent_id: str,
        text: str,
        *,
        thinking: bool = False,
        context: TokenContext = CONTEXT,
        in_reply_to: str | None = None,
    ) -> bool:
        """Queue text, beginning its agent's turn if none is under way. False: there was no room.

        What a model thinks is sent as that, whether it is given so or stands in tags within the text.
        A turn that begins answers the message `in_reply_to`.
        Half of a surrogate pair, which a model that writes byte by byte may leave, is taken as "?".
        """
        if not text:
            return True
        agent_id, text = _named(agent_id), _sendable(text)
        with self._guard:
            if self.closed or self._deaf or self._chars + len(text) > self._most_chars:
                self.lost_chars += len(text)
                return False
            turn = self._turn_of(agent_id, in_reply_to)
            turn.context = context
            if thinking:
                self._add(agent_id, turn, text, thinking=True)
            else:
                for part in turn.splitter.take(text):
                    self._add(agent_id, turn, part.text, thinking=part.hidden)
        return True

    def has_room(self, chars: int) -> bool:
        """Return whether `chars` characters are taken now, or never will be: then nobody should wait."""
        with self._guard:
            return not self._chars or self._chars + chars <= self._most_chars

    def tell(self, event: TeamEvent) -> bool:
        """Take an event as its team made it; its turn is the team's, its number is given as it leaves.

        ERROR and END are the outbox's own (`end`). False: there was no room, which only text needs.
        """
        if event.type in (EventType.ERROR, EventType.END):
            return True
        event = _fit(event)
        text = event.data if event.type is EventType.TOKEN else ""
        with self._guard:
            if self.closed or self._deaf or (text and self._chars + len(text) > self._most_chars):
                self.lost_chars += len(text)
                return False
            self._chars += len(text)
            last = self._waiting[-1] if self._waiting else None
            if last is None or not last.goes_on(event):
                last = _Waiting(event.type, event.agent_id, event.turn, event.mark, whole=event)
                self._waiting.append(last)
            if text:
                last.texts.append(text)
        return True

    def cost(self, agent_id: str, llm: LLMMetadata, *, in_reply_to: str | None = None) -> None:
        """Take what a call of a model cost, in the turn of its agent; one that begins answers `in_reply_to`."""
        agent_id = _named(agent_id)
        with self._guard:
            if not self.closed and not self._deaf:
                turn = self._turn_of(agent_id, in_reply_to).number
                self._waiting.append(_Waiting(EventType.METADATA, agent_id, turn, llm=_with_whole_pairs(llm)))

    def cut_off(self, agent_id: str) -> None:
        """Record that the agent's turn ends before its end; without one under way it is nothing."""
        agent_id = _named(agent_id)
        with self._guard:
            turn = self._open.get(agent_id)
            if turn is not None and not self.closed and not self._deaf:
                cut = LLMMetadata(stop_reason=BROKE_OFF)
                self._waiting.append(_Waiting(EventType.METADATA, agent_id, turn.number, llm=cut))

    def decide(self, agent_id: str, decision: Decision) -> str:
        """Take what an agent states of its turn, or of its last one; return why it can't be taken, or ""."""
        agent_id = _named(agent_id)
        with self._guard:
            turn = self._last.get(agent_id)
            if self.closed or self._deaf:
                return OVER
            if turn is None:
                return NO_TURN
            told = _with_whole_pairs(decision)
            self._waiting.append(_Waiting(EventType.METADATA, agent_id, turn, decision=told))
        return ""

    def step(self, progress: Progress, round: int | None = None) -> str:
        """Take a step of the team's work; return why it can't be taken, or ""."""
        with self._guard:
            if self.closed or self._deaf:
                return OVER
            told = _with_whole_pairs(progress)
            self._waiting.append(_Waiting(EventType.METADATA, progress=told, round=round))
        return ""

    def end_turn(self, agent_id: str) -> None:
        """Take the end of an agent's turn; without one under way it is nothing."""
        agent_id = _named(agent_id)
        with self._guard:
            turn = self._open.pop(agent_id, None)
            if turn is not None and not self.closed and not self._deaf:
                for part in turn.splitter.end_turn():
                    self._add(agent_id, turn, part.text, thinking=part.hidden)
                self._waiting.append(_marked(agent_id, turn, TurnMark.TURN_END))

    def _add(self, agent_id: str, turn: _Turn, text: str, *, thinking: bool) -> None:
        self._chars += len(text)
        token_type = TokenType.of(turn.context, thinking=thinking)
        last = self._waiting[-1] if self._waiting else None
        if last is None or (last.type, last.turn, last.token_type) != (
            EventType.TOKEN,
            turn.number,
            token_type,
        ):
            last = _Waiting(
                EventType.TOKEN, agent_id, turn.number, token_type=token_type, in_reply_to=turn.in_reply_to
            )
            self._waiting.append(last)
        last.texts.append(text)

    def end(self, broke_off: str | None = None) -> None:
        """Take the end of the reasoning, with the reason if it broke off; nothing follows it."""
        for agent_id in tuple(self._open):
            self.end_turn(agent_id)
        with self._guard:
            if not self.closed:
                if broke_off is not None:
                    self._waiting.append(
                        _Waiting(EventType.ERROR, texts=[_sendable(broke_off)[:PIECE_CHARS]])
                    )
                self._waiting.append(_Waiting(EventType.END))
            self.closed = True

    def take(self) -> list[TeamEvent]:
        """Return the next batch, numbered from `next_seq`, which goes on behind it; none if nothing waits."""
        batch: list[TeamEvent] = []
        size = 0
        with self._guard:
            while self._waiting and len(batch) < BATCH_EVENTS and size < BATCH_BYTES:
                event = self._next()
                batch.append(event)
                size += len(event.to_wire().encode())
        return batch

    def numbered_again(self, batch: list[TeamEvent]) -> list[TeamEvent]:
        """Return a batch that was taken before, numbered from `next_seq` as if it were taken now."""
        with self._guard:
            seqs = range(self.next_seq, self.next_seq + len(batch))
            self.next_seq += len(batch)
        return [event.model_copy(update={"seq": seq}) for event, seq in zip(batch, seqs, strict=True)]

    def drop(self, event: TeamEvent) -> None:
        """Let go of an event that was refused; the next one gets its number, and its words count as lost."""
        with self._guard:
            self.next_seq = event.seq
            self.lost_events += 1
            self.lost_chars += len(event.data) if event.type is EventType.TOKEN else 0

    def drop_text(self, batch: Sequence[TeamEvent] = ()) -> None:
        """Let go of a refused batch, and of all text that waits or is still to come; the end goes out."""
        with self._guard:
            if batch:
                self.next_seq = batch[0].seq
            texts = [text for each in self._waiting if each.type is EventType.TOKEN for text in each.texts]
            texts += [event.data for event in batch if event.type is EventType.TOKEN]
            self.lost_chars += sum(map(len, texts))
            self._chars, self._deaf = 0, True
            left = [_Waiting(event.type, texts=[event.data]) for event in batch]
            ends = {EventType.ERROR, EventType.END}
            self._waiting = deque(each for each in [*left, *self._waiting] if each.type in ends)

    def _turn_of(self, agent_id: str, in_reply_to: str | None = None) -> _Turn:
        if agent_id not in self._open:
            self._turns += 1
            turn = self._open[agent_id] = _Turn(self._turns, _id(in_reply_to))
            self._last[agent_id] = turn.number
            while len(self._last) > MOST_AGENTS:
                self._last.pop(next(iter(self._last)))
            self._waiting.append(_marked(agent_id, turn, TurnMark.TURN_START))
        return self._open[agent_id]

    def _next(self) -> TeamEvent:
        first = self._waiting.popleft()
        text = "".join(first.texts)
        if first.type is EventType.TOKEN and len(text) > PIECE_CHARS:
            first.texts = [text[PIECE_CHARS:]]
            self._waiting.appendleft(first)
            text = text[:PIECE_CHARS]
        is_token = first.type is EventType.TOKEN
        self._chars -= len(text) if is_token else 0
        seq, self.next_seq = self.next_seq, self.next_seq + 1
        if first.whole is not None:
            return first.whole.model_copy(update={"seq": seq, "data": text})
        return TeamEvent(
            type=first.type,
            seq=seq,
            data=text,
            token_type=first.token_type,
            agent_id=first.agent_id,
            turn=first.turn,
            mark=first.mark,
            llm=first.llm,
            decision=first.decision,
            progress=first.progress,
            round=first.round,
            in_reply_to=first.in_reply_to,
        )


def _marked(agent_id: str, turn: _Turn, mark: TurnMark) -> _Waiting:
    return _Waiting(EventType.METADATA, agent_id, turn.number, mark, in_reply_to=turn.in_reply_to)


def as_text(said: object) -> str:
    """Return what an agent said as text; "": it is None. A structured answer is read as well as prose."""
    if said is None or isinstance(said, str):
        return said or ""
    if isinstance(said, bytes | bytearray):
        return said.decode("utf-8", "replace")
    return json.dumps(said, ensure_ascii=False, default=str)


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _named(agent_id: str) -> str:
    """Return an agent's name as the server takes it."""
    return _UNPRINTABLE.sub(" ", _sendable(agent_id)).strip()[:AGENT_NAME_MAX].rstrip() or UNNAMED


def _id(of: str | None) -> str | None:
    return None if of is None else _sendable(of)[:NAME_MAX]


def _with_whole_pairs(told: Stated) -> Stated:
    """Return what is told as it can be written: half of a surrogate pair is "?", as in an agent's words."""
    try:
        told.model_dump_json()
    except PydanticSerializationError:
        plain = json.dumps(told.model_dump(), ensure_ascii=False, default=str)
        return type(told).model_validate_json(_sendable(plain))
    return told


def _fit(event: TeamEvent) -> TeamEvent:
    """Return a team's own event with its words and its agent's name as the server takes them."""
    event = _with_whole_pairs(event)
    named = event.agent_id if event.agent_id is None else _named(event.agent_id)
    return event if named == event.agent_id else event.model_copy(update={"agent_id": named})
