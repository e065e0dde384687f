"""Put utterances on the track: which one is there, when it begins, and when it makes way for another."""

from __future__ import annotations

from collections.abc import Callable

from tts_queue import scheduling
from tts_queue.config import QueueConfig
from tts_queue.lead_in import LeadIn
from tts_queue.model import Pcm, Priority
from tts_queue.permits import Permits
from tts_queue.phases import HoldCause, Phase
from tts_queue.ports import Pacing
from tts_queue.registry import Item, Order, Registry
from tts_queue.track import Track


def _earlier(one: int | None, other: int | None) -> int | None:
    """Return the smaller number; None counts as none."""
    return other if one is None else one if other is None else min(one, other)


class Speaker:
    """Knows the current utterance. It moves items only between waiting, being spoken and being held."""

    def __init__(
        self,
        registry: Registry,
        track: Track,
        permits: Permits,
        pacing: Pacing,
        config: QueueConfig,
        *,
        wake: Callable[[], None],
    ) -> None:
        """`wake` is called when other sound is needed next than before."""
        self._registry, self._track, self._permits = registry, track, permits
        self._pacing, self._config, self._wake = pacing, config, wake
        self._lead_in = LeadIn(config, track, registry.unconfirmed)
        self.current: Item | None = None
        self.wanted: Item | None = None  # could begin now if its first clip were made
        self._stop: int | None = None  # content sample at which the current item is interrupted
        self._from = 0  # content sample from which the current item was begun or resumed
        self._pressed = 0  # pressing utterances begun in a row
        self._let_pass = False  # they let the current item pass
        self._rivals: tuple[Order, Item, tuple[Item, ...]] | None = None  # the last that were asked for

    def make_way(self, now_s: float) -> None:
        """Hold the current item for one that interrupts it: at a word or clause, or where sound is late."""
        current = self.current
        if current is None:
            return
        for item in self._rivals_of(current, now_s):
            if not item.buffer.missing:
                continue
            match self._breaks_in(item, current, now_s):
                case scheduling.BreakIn.NEXT_WORD:
                    self._stop = _earlier(self._stop, current.buffer.word_end())
                case scheduling.BreakIn.NEXT_CLAUSE if (end := current.buffer.clause_end()) != self._from:
                    self._stop = _earlier(self._stop, end)
                case scheduling.BreakIn.NEXT_CLAUSE | None:
                    pass  # the clause that was just begun is said first
        if self._stop is not None and (current.buffer.at >= self._stop or current.buffer.dry):
            self.leave(now_s)
            self._registry.move(current, Phase.HELD, now_s, cause=HoldCause.CRITICAL)

    def _rivals_of(self, current: Item, now_s: float) -> tuple[Item, ...]:
        """Return what waits and may interrupt `current`, in order of arrival; it is sought when the order changes."""
        order, last = self._registry.order(now_s), self._rivals
        if last is None or last[0] is not order or last[1] is not current:
            rivals = tuple(
                item
                for item in self._registry.items.values()
                if item.phase is Phase.QUEUED and scheduling.may_break_in(current.utterance, item.utterance)
            )
            last = self._rivals = order, current, rivals
        return last[2]

    def _breaks_in(self, item: Item, current: Item, now_s: float) -> scheduling.BreakIn | None:
        where = scheduling.breaks_in(
            current.entry, item.entry, now_s, pressed=self._pressed, let_pass=self._let_pass
        )
        may = (
            where is not None
            and self._permits.may_speak(item.utterance.priority, item.begun_s)
            and self._pacing.not_before(item.utterance, now_s) <= now_s
        )
        return where if may else None

    def begin_next(self, now_s: float) -> None:
        """Begin, or resume, the item whose turn it is, if its sound is there and the track is free for it."""
        if self._permits.shut:
            return  # not worth sorting all that wait, 50 times a second
        entry = scheduling.choose(
            self._registry.entries(),
            now_s,
            may_speak=self._permits.may_speak,
            not_before=self._pacing.not_before,
            pressed=self._pressed,
        )
        if entry is None:
            return
        item = self._registry.items[entry.utterance.utterance_id]
        if item.phase is Phase.QUEUED and not item.buffer.missing:
            if self.wanted is not item:
                self.wanted = item
                self._wake()
        elif self._lead_in.is_over(item):
            self._let_pass = scheduling.has_waited_enough(entry, self._pressed, now_s)
            self._begin(item, now_s)

    def _begin(self, item: Item, now_s: float) -> None:
        """Begin an item, or resume it where it was held."""
        held = item.phase is Phase.HELD
        if held:
            long = now_s - (item.held_s or now_s) > self._config.clause_after_s
            item.buffer.go_back_to(self._registry.heard(item), clause=item.from_clause or long)
            item.from_clause = False
        self._registry.move(item, Phase.SPEAKING, now_s)
        self.current, self._stop, self._from = item, None, item.buffer.at
        if (priority := item.utterance.priority) >= Priority.PRESSING:
            self._pressed = self._pressed + 1 if priority is Priority.PRESSING else 0
        self._track.begin(inside=held)
        self._wake()

    def frame(self, now_s: Callable[[], float]) -> Pcm:
        """Return the next 20 ms of the track; the current item leaves with its last samples."""
        item = self.current if self.current is not None and self._registry.ready(self.current) else None
        frame = self._track.frame(item, self._stop)
        if item is not None and item.buffer.all_read:
            item.all_sent_s = now_s()
            self.leave(item.all_sent_s)
        return frame

    def leave(self, now_s: float, *, fading: bool = False) -> None:
        """Take the current item off the track, whatever becomes of it."""
        item, self.current, self._stop = self.current, None, None
        if item is None:
            return
        if self._track.sounding_since_s is not None:
            self._pacing.spoke(item.utterance, self._track.sounding_since_s, now_s)
        self._track.leave(item, fading=fading)

    def hush(self, cause: HoldCause, now_s: float, *, fading: bool) -> None:
        """Hold the current item at once, if there is one."""
        item = self.current
        if item is not None:
            self.leave(now_s, fading=fading)
            self._registry.move(item, Phase.HELD, now_s, cause=cause)
