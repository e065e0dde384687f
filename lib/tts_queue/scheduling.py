"""Decide which utterance speaks next, yields, or is dropped: pure functions on values."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Final, TypeAlias

from tts_queue.model import OfferOutcome, Priority, Utterance
from tts_queue.phases import HoldCause, Phase

TOLD_ALREADY: Final = "critical finding already told"  # reason of a finding's further utterance
BROKEN_INTO_S: Final = 30.0  # an interrupted item resumes within this: an alarm, said twice, and two pressing
UNSPOKEN = frozenset({Phase.QUEUED, Phase.HELD})
YIELDING: Final = max(Priority) + 1  # in place of a priority
# After so many pressing utterances in a row a less urgent one has its turn:
LET_PASS: Final = 1  # an answer, a short notice, or a notice that has waited `LONG_S`
LET_PASS_NOTICE: Final = 2  # any other notice, so that the listener knows where the team is
LET_PASS_BEGUN: Final = 2  # an utterance that was interrupted, after some twenty seconds
SHORT_CHARS: Final = 16  # of a short notice ("Round one."), which takes a second
LONG_S: Final = 15.0
WHOLE_S: Final = 20.0  # an answer that goes on is told for so long before what presses breaks it again
_HAIR_S: Final = 1e-6  # so much before a time that is reckoned it is looked at: sums of times are rounded


Rank: TypeAlias = tuple[int, bool, bool, int, bool, float, int]


@dataclass(frozen=True, slots=True)
class QueueEntry:
    """An unfinished utterance; `order` counts arrivals."""

    utterance: Utterance
    phase: Phase
    order: int
    cause: HoldCause | None = None
    begun_s: float | None = None  # when it first became SPEAKING
    held_s: float | None = None  # since when it is HELD
    resumed_s: float | None = None  # when it last went on after another had broken into it
    ageless: bool = False  # never too old
    mute: bool = False  # it could sound, and its sound has not come for long

    def rank(self, now_s: float) -> Rank:
        """Sort key: priority, held before waiting, weight, what is in time before what is late, then arrival.

        An item that a critical one broke into goes on next, unless another of its priority weighs more: that
        may follow from the critical one. Late items go behind timely ones, as they would only make those late
        too; among late ones the newest goes first, and items of one update keep their order. An item that gave
        way to pressing ones goes on after all of them.

        Among pressing items lateness counts before weight. None of them is ever dropped for its age, so of the
        late ones that goes first which has waited longest: docs/decisions/100.
        """
        held = self.phase is Phase.HELD
        broken_into = held and self.cause is HoldCause.CRITICAL
        last = held and self.utterance.gives_way  # else it would be broken into again at once
        weight = -1 if last else 2 * self.utterance.weight + broken_into
        late = not held and is_late(self.utterance, now_s)
        presses = self.utterance.priority is Priority.PRESSING
        missed = last or (late and presses)
        younger = -self.utterance.queued_at_s if late and not presses else 0.0
        first = YIELDING if yields(self.utterance, now_s) else self.utterance.priority
        return (first, not held or broken_into, missed, -weight, late, younger, self.order)


def yields(utterance: Utterance, now_s: float) -> bool:
    """Return whether an utterance still yields to all others, whatever its priority."""
    return now_s - utterance.queued_at_s < utterance.yields_for_s


def is_late(utterance: Utterance, now_s: float) -> bool:
    """Return whether an utterance that begins now is late by its own `timely_s`."""
    if utterance.timely_s is None:
        return False
    return now_s - utterance.lags_from_s > utterance.timely_s


def changes_at_s(entry: QueueEntry, now_s: float) -> float:
    """Return from when on time alone may change the rank of an entry, or make it too old; inf: it won't."""
    utterance, times_s = entry.utterance, [inf]
    if yields(utterance, now_s):
        times_s.append(utterance.queued_at_s + utterance.yields_for_s)
    if utterance.timely_s is not None and not is_late(utterance, now_s):
        times_s.append(utterance.lags_from_s + utterance.timely_s)
    age = _age(entry)
    if age is not None and not too_old(entry, now_s):
        times_s.append(sum(age))
    return min(times_s) - _HAIR_S


@dataclass(frozen=True, slots=True)
class Drop:
    """An utterance that will not be spoken (further), and why."""

    utterance_id: str
    phase: Phase
    reason: str


@dataclass(frozen=True, slots=True)
class Admission:
    """The outcome of an offer, and what is dropped for it (itself, if it is not QUEUED)."""

    outcome: OfferOutcome
    drops: tuple[Drop, ...] = ()


def supersedes(new: Utterance, old: QueueEntry) -> bool:
    """Return whether `new` replaces the unspoken `old`, which has the same topic.

    A critical utterance is never replaced, none replaces a more urgent one, and one that protects is replaced only by
    one that protects too, or that revises it.
    """
    held = old.utterance
    if old.phase not in UNSPOKEN or new.topic is None or new.topic != held.topic:
        return False
    if held.priority is Priority.CRITICAL or new.priority > held.priority:
        return False
    return not held.protects or new.protects or new.revises


def admit(entries: Sequence[QueueEntry], new: Utterance, *, bound: int, told: Iterable[str]) -> Admission:
    """Decide on an offer: `bound` is the most that may wait, `told` the critical keys spoken so far.

    If all that wait are critical, twice as many may. An answer always has room: a conversation has one answer, or one
    question of its own, at a time.
    """
    if new.critical_key is not None and new.replays is None:
        waiting = {entry.utterance.critical_key for entry in entries}
        if new.critical_key in waiting or new.critical_key in told:
            drop = Drop(new.utterance_id, Phase.SUPERSEDED, TOLD_ALREADY)
            return Admission(OfferOutcome.REPEAT, (drop,))
    drops = [
        Drop(entry.utterance.utterance_id, Phase.SUPERSEDED, "newer on its topic")
        for entry in entries
        if supersedes(new, entry)
    ]
    gone = {drop.utterance_id for drop in drops}
    queued = [e for e in entries if e.phase is Phase.QUEUED and e.utterance.utterance_id not in gone]
    critical = all(each.priority is Priority.CRITICAL for each in (new, *(e.utterance for e in queued)))
    if new.priority is Priority.ANSWER or len(queued) < (2 * bound if critical else bound):
        return Admission(OfferOutcome.QUEUED, tuple(drops))
    last = _gives_way(queued, new)
    if last is None:
        return Admission(OfferOutcome.FULL, (Drop(new.utterance_id, Phase.EXPIRED, "full"),))
    drops.append(Drop(last.utterance.utterance_id, Phase.EXPIRED, "full"))
    return Admission(OfferOutcome.QUEUED, tuple(drops))


def _gives_way(queued: Sequence[QueueEntry], new: Utterance) -> QueueEntry | None:
    """Return the entry that makes room for `new`, or None: none may.

    It is the oldest of the least urgent, unless all are more urgent than `new`. If all are critical it is the newest of
    the lightest, and only if `new` is critical and weighs more.
    """
    last = max(queued, key=lambda e: (e.utterance.priority, -e.order))
    if last.utterance.priority is not Priority.CRITICAL:
        return last if last.utterance.priority >= new.priority else None
    last = min(queued, key=lambda e: (e.utterance.weight, -e.order))
    heavier = new.priority is Priority.CRITICAL and new.weight > last.utterance.weight
    return last if heavier else None


def too_old(entry: QueueEntry, now_s: float) -> bool:
    """Return whether an utterance has waited, or was interrupted, for longer than it is worth saying.

    A critical one is never too old, nor one that has begun and is held for any cause but CRITICAL.
    """
    age = _age(entry)
    return age is not None and now_s - age[0] > age[1]


def _age(entry: QueueEntry) -> tuple[float, float] | None:
    """Return since when an entry ages, and for how many seconds it may; None: it does not age."""
    limit_s = entry.utterance.expires_after_s
    if limit_s is None or entry.ageless or entry.utterance.priority is Priority.CRITICAL:
        return None
    if entry.phase is Phase.QUEUED:
        return entry.utterance.queued_at_s, limit_s
    if entry.cause is not HoldCause.CRITICAL or entry.held_s is None:
        return None
    return entry.held_s, max(limit_s, BROKEN_INTO_S)


def has_waited_enough(entry: QueueEntry, pressed: int, now_s: float) -> bool:
    """Return whether an utterance goes before pressing ones, after `pressed` of them in a row.

    So however many press, answers, notices and interrupted utterances get their turn between them. A repetition that
    was asked for waits for none.
    """
    if entry.utterance.priority <= Priority.PRESSING or yields(entry.utterance, now_s):
        return False
    if entry.utterance.priority is Priority.ANSWER:
        return pressed >= LET_PASS or entry.utterance.replays is not None
    if entry.utterance.priority is Priority.NOTICE:
        short = len(entry.utterance.text) <= SHORT_CHARS
        soon = short or now_s - entry.utterance.queued_at_s >= LONG_S
        return pressed >= (LET_PASS if soon else LET_PASS_NOTICE)
    return entry.phase is Phase.HELD and pressed >= LET_PASS_BEGUN


def _order(entry: QueueEntry, pressed: int, now_s: float) -> tuple[bool, bool, bool, bool, Rank]:
    critical = entry.utterance.priority <= Priority.CRITICAL
    return (
        not critical,
        critical and entry.mute,
        not entry.utterance.at_next_pause,
        not has_waited_enough(entry, pressed, now_s),
        entry.rank(now_s),
    )


def choose(
    entries: Iterable[QueueEntry],
    now_s: float,
    *,
    may_speak: Callable[[Priority, float | None], bool],
    not_before: Callable[[Utterance, float], float],
    pressed: int = 0,
) -> QueueEntry | None:
    """Return the entry that speaks next, or None.

    Order: critical entries, those of them last that are mute; replies `at_next_pause`; those that
    `has_waited_enough`; then `QueueEntry.rank`. An entry whose time has not come lets lower priorities pass, but none
    of its own. A critical one lets nothing pass, or the utterance that it interrupted would resume in its pause. Held
    entries have begun, so pacing is not asked about them unless they yield.

    * `may_speak` gets a priority and when the utterance began.
    * `not_before` returns the earliest time by the pacing.
    * `pressed` counts the pressing utterances begun since one of a lower priority sounded.
    """
    waits: Priority | None = None
    for entry in sorted((e for e in entries if e.phase in UNSPOKEN), key=lambda e: _order(e, pressed, now_s)):
        priority = entry.utterance.priority
        if priority is waits or not may_speak(priority, entry.begun_s):
            continue
        goes_on = entry.phase is Phase.HELD and not yields(entry.utterance, now_s)
        if goes_on or not_before(entry.utterance, now_s) <= now_s:
            return entry
        if priority is Priority.CRITICAL:
            return None
        waits = priority
    return None


def is_told_whole(entry: QueueEntry, now_s: float) -> bool:
    """Return whether an answer that speaks yields no more to what presses, as it was broken off already.

    This lasts `WHOLE_S` from where it went on. So what presses waits for so long and one clause at most.
    """
    return entry.resumed_s is not None and now_s - entry.resumed_s < WHOLE_S


class BreakIn(enum.Enum):
    """Where an utterance that sounds is interrupted."""

    NEXT_WORD = enum.auto()
    NEXT_CLAUSE = enum.auto()


def breaks_in(
    speaking: QueueEntry, waiting: QueueEntry, now_s: float, *, pressed: int = 0, let_pass: bool = False
) -> BreakIn | None:
    """Return where `waiting` interrupts `speaking`; None: it waits for its end.

    A critical utterance interrupts all that are not, and a critical one that is mute. A pressing one interrupts an
    answer, but none that `is_told_whole`, and any utterance that gives way. Every utterance interrupts one that
    yields. A reply `at_next_pause` interrupts all that are neither critical nor such a reply.

    Who breaks in goes next: where `choose` would go on with `speaking`, nothing interrupts it. Else it would be held
    and begun again in every frame, and neither of them heard.

    * `pressed` is that of `choose`.
    * `let_pass`: `speaking` went before pressing utterances, as it `has_waited_enough`. Then they leave it a clause.
    """
    where = _wish(speaking, waiting.utterance, now_s, let_pass=let_pass)
    if where is None:
        return None
    held = replace(speaking, phase=Phase.HELD, cause=HoldCause.CRITICAL, held_s=now_s)
    return where if _order(waiting, pressed, now_s) < _order(held, pressed, now_s) else None


def may_break_in(speaking: Utterance, waiting: Utterance) -> bool:
    """Return whether `waiting` could ever interrupt `speaking`, whatever else waits, and at whatever time."""
    presses = waiting.priority in (Priority.CRITICAL, Priority.PRESSING)
    return presses or waiting.at_next_pause or speaking.yields_for_s > 0


def _wish(entry: QueueEntry, waiting: Utterance, now_s: float, *, let_pass: bool) -> BreakIn | None:
    """Return where `waiting` would interrupt the `entry` that speaks, whoever goes next."""
    speaking = entry.utterance
    if waiting.priority is Priority.CRITICAL and (speaking.priority is not Priority.CRITICAL or entry.mute):
        return BreakIn.NEXT_WORD
    if waiting.at_next_pause and not speaking.at_next_pause and speaking.priority > Priority.CRITICAL:
        return BreakIn.NEXT_CLAUSE
    if waiting.priority is Priority.PRESSING and speaking.gives_way:
        return BreakIn.NEXT_CLAUSE if let_pass else BreakIn.NEXT_WORD
    if waiting.priority is Priority.PRESSING and speaking.priority is Priority.ANSWER:
        return None if is_told_whole(entry, now_s) else BreakIn.NEXT_CLAUSE
    if yields(speaking, now_s) and not yields(waiting, now_s):
        return BreakIn.NEXT_CLAUSE
    return None
