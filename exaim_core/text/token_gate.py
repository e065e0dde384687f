"""The gate holds each agent's pieces back until they make a thought, within limits of words and time.

    piece ──▶ [silence over? release the old] ─▶ append ─▶ max wait ─▶ max words ─▶ boundary

`GateCore` decides, and gets the time as an argument; `TokenGate` is the same with a clock and
the names of the core document. A piece costs its own length: words are counted as it comes and
only the last characters are looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from heapq import heappop, heappush
from typing import Final

from exaim_core.text.boundaries import TAIL_CHARS, BoundaryRule, at_boundary
from exaim_core.text.clock import Clock, SystemClock

BOUNDARY_CUE: Final = "boundary_cue"
CRITICAL_CUE: Final = "critical_cue"
MAX_WAIT: Final = "max_wait_timeout"
MAX_WORDS: Final = "max_words"
SILENCE: Final = "silence_timer"
TURN_END: Final = "turn_end"
END_OF_TRACE: Final = "end_of_trace"
BROKE_OFF: Final = "broke_off"
FELL_SILENT: Final = "fell_silent"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLimits:
    """The limits on held text. The defaults are the core document's."""

    min_words: int = 60  # no boundary releases less
    max_words: int = 100  # released at once, boundary or not
    silence_s: float = 1.0  # since the agent's last piece
    max_wait_s: float = 4.0  # since the first piece held, in every chunk

    def __post_init__(self) -> None:
        if not 0 < self.min_words <= self.max_words:
            raise ValueError("min_words must be positive and at most max_words")
        if self.silence_s <= 0 or self.max_wait_s <= 0:
            raise ValueError("timers must be positive")


@dataclass(frozen=True, slots=True)
class Piece:
    """A delta's share of a chunk: its number in the event log, its time and its length in characters."""

    seq: int
    at_s: float
    chars: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """Text of one agent, released together; `pieces` name the deltas in order and add up to it."""

    agent_id: str
    text: str
    reason: str
    pieces: tuple[Piece, ...]
    released_at_s: float

    @property
    def words(self) -> int:
        """Return how many words the text has, split at whitespace."""
        return len(self.text.split())


@dataclass(slots=True)
class _Held:
    """What is held for one agent, with all that the rules need kept up to date."""

    opened_at_s: float
    last_at_s: float
    texts: list[str] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    sentence: list[str] = field(default_factory=list)
    words: int = 0
    in_word: bool = False
    tail: str = ""

    def append(self, text: str, seq: int, at_s: float) -> None:
        """Add a piece, in time proportional to its length."""
        self.texts.append(text)
        self.sentence.append(text)
        self.pieces.append(Piece(seq, at_s, len(text)))
        self.last_at_s = at_s
        if text:
            fresh = len(text.split())
            joined = self.in_word and fresh > 0 and not text[0].isspace()
            self.words += fresh - joined
            self.in_word = not text[-1].isspace()
            self.tail = (self.tail + text)[-TAIL_CHARS:]


class GateCore:
    """The gate without a clock. Times are seconds and may not go back; agents never mix.

    `cue` looks at a sentence that just ended (with what is held before it in the chunk) and says
    whether it is too important to wait for `min_words`.
    """

    def __init__(
        self,
        limits: GateLimits | None = None,
        rule: BoundaryRule = BoundaryRule.CLINICAL,
        cue: Callable[[str, str], bool] | None = None,
    ) -> None:
        self.limits = limits or GateLimits()
        self.rule = rule
        self._cue = cue
        self._held: dict[str, _Held] = {}
        self._due: list[tuple[float, str]] = []  # a heap: no deadline of an agent's is before its entry
        self._entered: set[str] = set()  # agents with an entry, one each

    def add(self, agent_id: str, text: str, seq: int, at_s: float) -> Chunk | None:
        """Take a piece and return what it releases, by the core document's rules in their order.

        After a silence the old text is returned and the piece opens a new chunk, on which no other
        rule is tried yet.
        """
        held = self._held.get(agent_id)
        if held is not None and at_s - held.last_at_s >= self.limits.silence_s:
            released = self._release(agent_id, SILENCE, at_s)
            self._open(agent_id, text, seq, at_s)
            return released
        if held is None:
            held = self._open(agent_id, text, seq, at_s)
        else:
            held.append(text, seq, at_s)
        reason = self._reason(held, at_s, agent_id)
        return None if reason is None else self._release(agent_id, reason, at_s)

    def due(self, at_s: float) -> tuple[Chunk, ...]:
        """Release what is due by `at_s`, earliest deadline first, each with its own deadline as the time."""
        released: list[Chunk] = []
        while self._due and self._due[0][0] <= at_s:
            entered_s, agent_id = heappop(self._due)
            self._entered.discard(agent_id)
            held = self._held.get(agent_id)
            if held is None:
                continue
            deadline_s = self._deadline_s(held)
            if deadline_s > entered_s:
                self._enter(agent_id, deadline_s)
            else:
                reason = self._timer_reason(held, deadline_s)
                released.append(self._release(agent_id, reason, deadline_s))
        return tuple(released)

    def _enter(self, agent_id: str, deadline_s: float) -> None:
        if agent_id not in self._entered:
            self._entered.add(agent_id)
            heappush(self._due, (deadline_s, agent_id))

    def check(self, agent_id: str, at_s: float) -> Chunk | None:
        """Release one agent's text if one of its timers is over at `at_s`; silence wins over max wait."""
        held = self._held.get(agent_id)
        if held is None or self._deadline_s(held) > at_s:
            return None
        return self._release(agent_id, self._timer_reason(held, at_s), at_s)

    def flush(self, agent_id: str, reason: str, at_s: float) -> Chunk | None:
        """Release whatever is held for the agent; None if nothing is."""
        return self._release(agent_id, reason, at_s) if agent_id in self._held else None

    @property
    def agents(self) -> tuple[str, ...]:
        """Return the agents with held text, in the order in which it began."""
        return tuple(self._held)

    @property
    def next_due_s(self) -> float:
        """Return when the next timer may fire, in seconds; infinity if none may. It is never too late."""
        return self._due[0][0] if self._due else float("inf")

    def _open(self, agent_id: str, text: str, seq: int, at_s: float) -> _Held:
        held = self._held[agent_id] = _Held(opened_at_s=at_s, last_at_s=at_s)
        held.append(text, seq, at_s)
        self._enter(agent_id, self._deadline_s(held))
        return held

    def _deadline_s(self, held: _Held) -> float:
        return min(held.last_at_s + self.limits.silence_s, held.opened_at_s + self.limits.max_wait_s)

    def _timer_reason(self, held: _Held, at_s: float) -> str:
        return SILENCE if at_s - held.last_at_s >= self.limits.silence_s else MAX_WAIT

    def _reason(self, held: _Held, at_s: float, agent_id: str) -> str | None:
        if at_s - held.opened_at_s >= self.limits.max_wait_s:
            return MAX_WAIT
        if held.words >= self.limits.max_words:
            return MAX_WORDS
        if held.words < self.limits.min_words and self._cue is None:
            return None
        if not at_boundary(held.tail, self.rule):
            return None
        if held.words >= self.limits.min_words:
            return BOUNDARY_CUE
        sentence, held.sentence = "".join(held.sentence), []
        return CRITICAL_CUE if self._cue is not None and self._cue(agent_id, sentence) else None

    def _release(self, agent_id: str, reason: str, at_s: float) -> Chunk:
        held = self._held.pop(agent_id)
        return Chunk(agent_id, "".join(held.texts), reason, tuple(held.pieces), at_s)


class TokenGate:
    """The gate under the core document's names: one agent's text in, released text or None out.

    Not for use with an event log: pieces are numbered as they come.
    """

    def __init__(
        self,
        min_words: int = 60,
        max_words: int = 100,
        silence_timer: float = 1.0,
        max_wait_timeout: float = 4.0,
        clock: Clock | None = None,
        rule: BoundaryRule = BoundaryRule.SEED,
    ) -> None:
        limits = GateLimits(
            min_words=min_words, max_words=max_words, silence_s=silence_timer, max_wait_s=max_wait_timeout
        )
        self._core = GateCore(limits, rule)
        self._clock = clock or SystemClock()
        self._last: dict[str, tuple[str, datetime]] = {}
        self._seq = 0

    async def add_token(self, agent_id: str, token: str) -> str | None:
        """Take a piece of text and return what it releases."""
        self._seq += 1
        return self._done(self._core.add(agent_id, token, self._seq, self._clock.now().timestamp()))

    async def check_timers(self, agent_id: str) -> str | None:
        """Return the agent's text if one of its timers is over."""
        return self._done(self._core.check(agent_id, self._clock.now().timestamp()))

    async def flush(self, agent_id: str) -> str | None:
        """Return whatever is held for the agent."""
        return self._done(self._core.flush(agent_id, "flush", self._clock.now().timestamp()))

    def get_last_flush_reason(self, agent_id: str) -> str | None:
        """Return why the agent's text was last released; None if it never was."""
        return self._last[agent_id][0] if agent_id in self._last else None

    def get_last_flush_time(self, agent_id: str) -> datetime | None:
        """Return when the agent's text was last released, aware, in UTC; None if it never was."""
        return self._last[agent_id][1] if agent_id in self._last else None

    def _done(self, chunk: Chunk | None) -> str | None:
        if chunk is None:
            return None
        self._last[chunk.agent_id] = (chunk.reason, self._clock.now())
        return chunk.text
