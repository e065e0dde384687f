"""Bound how much of a minute may be speech.

A voice says 2.6 words a second, and recorded agents write 39. Without a budget the clinician would be talked at
without a pause, and the lag would grow without end. What may not wait is exempt.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from tts_queue import Priority, Utterance

WORDS_PER_S: Final = 2.6  # the default voice, measured over the shipped case's sentences
WINDOW_S: Final = 60.0
GRAVE: Final = 2  # the greatest weight that keeps to the usual share

Spans = Sequence[tuple[float, float]]  # begun, ended


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetConfig:
    """How full a minute may be."""

    share: float = 0.5  # of any minute, for all that weighs up to `GRAVE`
    light: float = 0.5  # of `share`, for weight 0; the rest is kept for what weighs more
    gravest: float = 1.6  # of `share`, for everything, if an item weighs more than `GRAVE`: decision 020
    pause_s: float = 0.8  # between two items, so that they are heard as two


EXEMPT_KINDS: Final = frozenset({"critical", "correction", "closing"})


class _Spoken(NamedTuple):
    begun_s: float
    ended_s: float
    weight: int


class Budget:
    """Decides when an utterance may start (`tts_queue.Pacing`). Times: loop clock, in seconds."""

    def __init__(self, config: BudgetConfig | None = None) -> None:
        self._config = config or BudgetConfig()
        self._spoken: deque[_Spoken] = deque()
        self._quiet_since_s = float("-inf")
        self._lifted = False

    def share(self, share: float) -> None:
        """Let speech fill this share of a minute from now on."""
        self._config = replace(self._config, share=share)

    def lift(self) -> None:
        """Lift the budget, as the agents have finished: only the pauses between items stay."""
        self._lifted = True

    def not_before(self, utterance: Utterance, now_s: float) -> float:
        """Return the earliest time at which `utterance` may start, `now_s` if at once.

        What may not wait has only the pause of its own prosody before it, which the queue keeps; what yields
        has the usual one, that it begins in no gap before what it yields to. What weighs more than `GRAVE`
        takes nothing from the share of the rest, only from that of everything.
        """
        if _exempt(utterance) and not utterance.yields_for_s:
            return now_s
        earliest = max(now_s, self._quiet_since_s + self._config.pause_s)
        if self._lifted or _exempt(utterance):
            return earliest
        wanted_s = len(utterance.text.split()) / WORDS_PER_S
        every = [(each.begun_s, each.ended_s) for each in self._spoken]
        at_s = _room_at(every, earliest, wanted_s, self._allowance_s(GRAVE + 1, wanted_s))
        if utterance.weight > GRAVE:
            return at_s
        usual = [(each.begun_s, each.ended_s) for each in self._spoken if each.weight <= GRAVE]
        return _room_at(usual, at_s, wanted_s, self._allowance_s(utterance.weight, wanted_s))

    def spoke(self, utterance: Utterance, started_s: float, ended_s: float) -> None:
        """Count what was spoken; exempt utterances use up nothing."""
        self._quiet_since_s = ended_s
        if not _exempt(utterance):
            self._spoken.append(_Spoken(started_s, ended_s, utterance.weight))
        while self._spoken and self._spoken[0].ended_s < ended_s - WINDOW_S:
            self._spoken.popleft()

    def _allowance_s(self, weight: int, wanted_s: float) -> float:
        return max(self._share(weight) * WINDOW_S, wanted_s)

    def _share(self, weight: int) -> float:
        config = self._config
        if weight > GRAVE:
            return config.share * config.gravest
        return config.share * (1.0 if weight else config.light)


def _room_at(spoken: Spans, earliest_s: float, wanted_s: float, allowance_s: float) -> float:
    """Return the first time at or after `earliest_s` from which `wanted_s` fit into every minute."""
    over_s = _used_s(spoken, earliest_s + wanted_s - WINDOW_S) + wanted_s - allowance_s
    at_s = earliest_s
    for started_s, ended_s in spoken:
        if over_s <= 0:
            break
        begun_s = max(started_s, at_s + wanted_s - WINDOW_S)
        leaves_s = min(over_s, max(0.0, ended_s - begun_s))
        at_s = max(at_s, begun_s + leaves_s + WINDOW_S - wanted_s)
        over_s -= leaves_s
    return at_s


def _used_s(spoken: Spans, since_s: float) -> float:
    return sum(max(0.0, ended_s - max(started_s, since_s)) for started_s, ended_s in spoken)


def _exempt(utterance: Utterance) -> bool:
    return utterance.priority < Priority.SUMMARY or utterance.kind in EXEMPT_KINDS
