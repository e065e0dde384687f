"""Keep a session's unfinished utterances, and change their phases: the one place that does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf

from tts_queue.model import Displaced, Move, Moved, Prosody, QueueEvent, Standing, Utterance
from tts_queue.outbox import Outbox
from tts_queue.phases import HoldCause, Phase, advance, is_over
from tts_queue.playout import PlayoutBuffer
from tts_queue.scheduling import QueueEntry, changes_at_s, too_old


@dataclass(slots=True, eq=False)
class Item:
    """An unfinished utterance with its sound, phase and positions."""

    utterance: Utterance
    order: int
    buffer: PlayoutBuffer
    first: int = 0  # the clause at which it begins
    prosody: Prosody | None = None  # set when its first clause is made
    phase: Phase = Phase.QUEUED
    cause: HoldCause | None = None
    moves: int = 0
    ticket: int = 0  # of its latest record
    begun_s: float | None = None
    held_s: float | None = None
    resumed_s: float | None = None
    all_sent_s: float | None = None  # when its last sample was written
    from_clause: bool = False  # its last sound was not heard: it resumes at the beginning of its clause
    earcon_sample: int | None = None  # the session sample at which its earcon began
    reworded: bool = False  # its words were changed while it waited
    ageless: bool = False  # waited while nobody heard, and so is never too old
    hangs: bool = False  # sound of it is being made, and has not come for long
    _entry: QueueEntry | None = None  # the last that was asked for; the queue asks in every frame
    _standing: Standing | None = None

    @property
    def entry(self) -> QueueEntry:
        """Return what `scheduling` decides on; the same value while nothing of it changes."""
        last = self._entry
        mute = self.hangs and (not self.buffer.missing or self.buffer.dry)
        if (
            last is None
            or last.phase is not self.phase
            or last.cause is not self.cause
            or last.begun_s != self.begun_s
            or last.held_s != self.held_s
            or last.resumed_s != self.resumed_s
            or last.ageless is not self.ageless
            or last.mute is not mute
        ):
            last = self._entry = QueueEntry(
                self.utterance,
                self.phase,
                self.order,
                self.cause,
                self.begun_s,
                self.held_s,
                self.resumed_s,
                ageless=self.ageless,
                mute=mute,
            )
        return last

    def forget(self) -> None:
        """Forget what was last told of it."""
        self._entry = self._standing = None

    def standing(self, at_ear: int) -> Standing:
        """Return how it stands once the session sample `at_ear` is heard; the same value while nothing changes."""
        last, total = self._standing, self.buffer.total
        if last is not None and self.phase is Phase.QUEUED and last.total == total:
            return last  # nothing of it was heard
        heard, all_sent = self.buffer.content_at(at_ear), self.all_sent_s is not None
        if (
            last is None
            or last.phase is not self.phase
            or last.cause is not self.cause
            or last.heard != heard
            or last.total != total
            or last.all_sent is not all_sent
        ):
            last = self._standing = Standing(
                self.utterance, self.phase, self.cause, heard, total, all_sent=all_sent
            )
        return last


@dataclass(frozen=True, slots=True)
class Order:
    """The unfinished items in the order in which they would be spoken, and which are too old, up to a time."""

    ranked: tuple[Item, ...]
    too_old: tuple[Item, ...]  # in order of arrival
    until_s: float  # from then on time alone may change it


class Registry:
    """Unfinished items by id, the ids and critical keys that were seen, and their moves."""

    def __init__(
        self,
        outbox: Outbox,
        emit: Callable[[QueueEvent], None],
        positions: Callable[[], tuple[int, int, int]],
        told: Iterable[str],
    ) -> None:
        """`positions` gives the session samples written, sent and played."""
        self._outbox, self._emit, self._positions = outbox, emit, positions
        self.items: dict[str, Item] = {}
        self.told = set(told)
        self._order: Order | None = None  # None: an item came, moved, or ages no more
        self._seen = dict[
            str, tuple[int, float]
        ]()  # place and time of each offer, for the length of a session

    def knows(self, utterance_id: str) -> bool:
        """Return whether this id was ever offered."""
        return utterance_id in self._seen

    def add(self, utterance: Utterance, buffer: PlayoutBuffer, first: int = 0) -> Item:
        """Add an utterance as QUEUED and record it; `buffer` begins with its clause `first`.

        One that replays another, and keeps its time, keeps its place too.
        """
        place, queued_at_s = self._seen.get(utterance.replays or "", (0, None))
        order = place if queued_at_s == utterance.queued_at_s else len(self._seen)
        item = Item(utterance, order, buffer, first)
        item.begun_s = float("-inf") if utterance.stopped else None
        item.ticket = self._outbox.put(utterance)
        self._seen[utterance.utterance_id] = order, utterance.queued_at_s
        self.items[utterance.utterance_id] = item
        self._order = None
        return item

    def move(
        self,
        item: Item,
        phase_to: Phase,
        now_s: float,
        *,
        cause: HoldCause | None = None,
        reason: str | None = None,
    ) -> None:
        """Change the phase of `item`, record it and emit `Moved`. Raises: IllegalTransition."""
        phase_from, phase_to = item.phase, advance(item.phase, phase_to)
        broken_into = phase_from is Phase.HELD and item.cause is HoldCause.CRITICAL
        item.phase, item.cause, item.moves = phase_to, cause, item.moves + 1
        self._order = None
        if phase_from is Phase.QUEUED and phase_to is Phase.SPEAKING:
            item.begun_s = now_s
        if broken_into and phase_to is Phase.SPEAKING:
            item.resumed_s = now_s
        item.held_s = now_s if phase_to is Phase.HELD else None
        written, sent, played = self._positions()
        start = item.buffer.start_sample
        move = Move(
            item.utterance.utterance_id,
            item.moves,
            phase_from,
            phase_to,
            now_s,
            cause=cause,
            reason=reason,
            sent=item.buffer.content_at(sent),
            played=item.buffer.content_at(played),
            heard=self.heard(item),
            total=item.buffer.total,
            complete=item.buffer.complete,
            start_sample=written if start is None and phase_to is Phase.SPEAKING else start,
            segments=item.buffer.marks,
            text=item.utterance.text if item.reworded else None,
        )
        item.ticket = self._outbox.put(move)
        if is_over(phase_to):
            self._close(item)
        self._emit(Moved(move))

    def reword(self, item: Item, utterance: Utterance, buffer: PlayoutBuffer) -> None:
        """Give an item that is QUEUED other words, which `buffer` begins with; it keeps its place."""
        item.utterance, item.buffer, item.first, item.reworded = utterance, buffer, 0, True
        item.forget()
        self._order = None

    def drop(self, item: Item, phase_to: Phase, now_s: float, *, reason: str, by: str | None = None) -> None:
        """End an unspoken item and emit `Displaced`; `by` is the id of the one that replaces it."""
        self.move(item, phase_to, now_s, reason=reason)
        self._emit(Displaced(item.utterance.utterance_id, by, phase_to, reason, now_s))

    def heard(self, item: Item) -> int:
        """Return the content sample up to which `item` was sent and played."""
        _, sent, played = self._positions()
        return item.buffer.content_at(min(sent, played))

    def lose_unheard(self) -> None:
        """Forget sound of held items that nobody heard: they resume at the beginning of its clause."""
        for item in [i for i in self.items.values() if i.phase is Phase.HELD]:
            item.buffer.lose_after(self.heard(item))
            item.from_clause = True

    def make_anew(self) -> None:
        """Drop all sound not read yet, so that it is made at another pace and loudness."""
        for item in self.items.values():
            item.prosody = None
            if item.from_clause:
                item.buffer.go_back_to(self.heard(item), clause=True)
                item.from_clause = False
            item.buffer.make_anew()

    def spare_from_age(self) -> None:
        """Exempt the items that wait now from their age limits."""
        for item in self.items.values():
            item.ageless = item.ageless or item.phase is Phase.QUEUED
        self._order = None

    def unconfirmed(self) -> list[Item]:
        """Return the items that are sent to their last sample, and not confirmed as heard."""
        return [i for i in self.items.values() if i.phase is Phase.SPEAKING and i.all_sent_s is not None]

    def at_ear(self, current: Item | None, last: Item | None) -> Item | None:
        """Return the item at the listener's ear, or that was there until it was held; None: none.

        `last` is the item that was last on the track. An item that a critical one interrupted no longer counts once
        that one has sounded. A critical finding that was held no longer counts once anything else has: it is to be
        heard to its end.
        """
        if unconfirmed := self.unconfirmed():
            return unconfirmed[0]
        if current is not None:
            return current
        held = [
            i
            for i in self.items.values()
            if i.phase is Phase.HELD and (i.cause is not HoldCause.CRITICAL or i is last)
        ]
        newest = max(held, key=lambda i: i.begun_s or 0.0, default=None)
        spared = newest is not None and newest is not last and newest.utterance.critical_key is not None
        return None if spared else newest

    def ready(self, item: Item) -> bool:
        """Return whether the log has the latest record of `item`."""
        return self._outbox.is_written(item.ticket)

    def entries(self) -> list[QueueEntry]:
        """Return all unfinished entries in order of arrival."""
        return [item.entry for item in self.items.values()]

    def order(self, now_s: float) -> Order:
        """Return the order at `now_s`; the same value while no item changes it, and time does not."""
        last = self._order
        if last is None or now_s >= last.until_s:
            items = self.items.values()
            last = self._order = Order(
                tuple(sorted(items, key=lambda i: (i.phase is not Phase.SPEAKING, i.entry.rank(now_s)))),
                tuple(item for item in items if too_old(item.entry, now_s)),
                min((changes_at_s(item.entry, now_s) for item in items), default=inf),
            )
        return last

    def standings(self, now_s: float, at_ear: int) -> tuple[Standing, ...]:
        """Return how all stand at `now_s`, in order, once the session sample `at_ear` is heard."""
        return tuple(item.standing(at_ear) for item in self.order(now_s).ranked)

    def _close(self, item: Item) -> None:
        del self.items[item.utterance.utterance_id]
        if item.phase is Phase.SPOKEN and item.utterance.critical_key is not None:
            self.told.add(item.utterance.critical_key)
