"""The segment reader's port, answered by a chat model within a deadline that follows its own pace."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from chat_models.calls import Counts, ModelCaller
from chat_models.errors import CallFailed, Overdue
from exaim_core.llm.prompts import reader_messages
from exaim_core.llm.shapes import ClaimShape, SegmentClaims
from exaim_core.readings.port import ReadClaim, ReaderReply, ReadingRequest, ReadKind, ReadStance
from exaim_core.schema import ReadBy

PER_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLimits:
    """How long a reading may take: the first ones `start_s`, later ones by the model's own pace."""

    start_s: float = 8.0  # before anything is known of the model: news is to be told within this time
    least_s: float = 3.0
    most_s: float = 30.0  # for a small model on the user's own machine; urgent news does not wait for it
    share: float = 0.9  # of the newest answers, the share that should come in time
    room: float = 1.5  # factor on top, for an answer that has more to say
    late: float = 2.0  # factor on the wait for an answer that never came, as its time is unknown
    kept: int = 20

    def __post_init__(self) -> None:
        if not 0 < self.least_s <= self.start_s <= self.most_s:
            raise ValueError("a reading's deadlines want 0 < least_s <= start_s <= most_s")


class Pulse:
    """How long a model takes, and how long it is waited for."""

    def __init__(self, limits: ReadLimits | None = None) -> None:
        self.limits = limits or ReadLimits()
        self._took_s: deque[float] = deque(maxlen=self.limits.kept)

    @property
    def deadline_s(self) -> float:
        """Return how long the next answer is waited for, in seconds."""
        limits = self.limits
        if len(self._took_s) < 3:
            return limits.start_s
        ordered = sorted(self._took_s)
        usual_s = ordered[min(len(ordered) - 1, int(limits.share * len(ordered)))]
        return min(limits.most_s, max(limits.least_s, usual_s * limits.room))

    def took(self, seconds: float) -> None:
        """Note how long an answer took."""
        self._took_s.append(seconds)

    def missed(self, waited_s: float) -> None:
        """Note an answer that missed its deadline: the next ones are given more time."""
        self._took_s.append(waited_s * self.limits.late)


class LLMReader:
    """Reads the segments of one case. Several cases may share a caller and a pulse.

    `host` is where the words go; `prices` are for a million tokens in and out, None if unknown.
    """

    def __init__(
        self,
        caller: ModelCaller,
        *,
        host: str = "",
        pulse: Pulse | None = None,
        prices: tuple[float, float] | None = None,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._caller, self._host, self._prices = caller, host, prices
        self._pulse = pulse or Pulse()
        self._now_s = now_s
        self._counts = Counts()

    @property
    def spent(self) -> ReadBy:
        """Return which model reads, and what that has cost this case so far."""
        found = self._counts
        cost = None
        if self._prices is not None:
            cost = (
                found.input_tokens * self._prices[0] + found.output_tokens * self._prices[1]
            ) / PER_MILLION
        return ReadBy(
            model=self._caller.name,
            host=self._host,
            calls=found.calls,
            failed=found.failures.total(),
            input_tokens=found.input_tokens,
            output_tokens=found.output_tokens,
            cost=cost,
        )

    async def read(self, request: ReadingRequest) -> ReaderReply:
        """Return the claims; if the model fails or is late, none, and why."""
        deadline_s, began_s = self._pulse.deadline_s, self._now_s()
        self._counts.calls += 1
        try:
            found = await self._caller.structured(
                reader_messages(request), SegmentClaims, deadline_s=deadline_s, into=self._counts
            )
        except CallFailed as failed:
            self._counts.failures[failed.reason] += 1
            if isinstance(failed, Overdue):
                self._pulse.missed(deadline_s)
            return ReaderReply(failure=failed.reason)
        self._pulse.took(self._now_s() - began_s)
        claims = tuple(made for each in found.claims if (made := _claim(each)) is not None)
        return ReaderReply(claims, malformed=found.malformed + len(found.claims) - len(claims))


def _claim(shape: ClaimShape) -> ReadClaim | None:
    try:
        kind, stance = ReadKind(shape.kind.lower()), ReadStance(shape.stance.lower())
    except ValueError:
        return None
    slots = {
        name: value.strip() for name, value in shape.slots.model_dump().items() if value and value.strip()
    }
    return ReadClaim(
        kind=kind,
        holder=shape.holder,
        stance=stance,
        hedge=(shape.hedge or "").strip(),
        condition=(shape.condition or "").strip(),
        slots=slots,
        say=" ".join((shape.say or "").split()),
        cites=tuple(shape.cites),
        before=tuple(shape.before),
    )
