"""The one voice of a session: what waits, what sounds, and the one task that writes the track.

Theory of operation. `offer`, `hold`, `release`, `skip`, `cancel` and `played` are plain calls on the
event loop of `run`; they decide by `lane` and `holds`, and change a phase only through `book`. `run` has
three tasks: the writer, which hands 10 ms frames to the sink for as long as it lives, silence when there
is nothing to say; the kitchen, which synthesises what will be needed next; and the outbox, which writes
records to the log in order. No sample of an utterance leaves before its move to SPEAKING is in the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from tts_queue import lane
from tts_queue.book import Book, Item
from tts_queue.depth import Depth, DepthLimits
from tts_queue.ear import segments
from tts_queue.holds import Holds
from tts_queue.kitchen import Kitchen, KitchenLimits, next_need
from tts_queue.mixing import Mixer
from tts_queue.model import (
    SAMPLE_RATE_HZ,
    HoldsChanged,
    Offer,
    OfferOutcome,
    Pcm,
    Priority,
    QueueEvent,
    SegmentStarted,
    Snapshot,
    Utterance,
    VoiceFailed,
    WatchdogFired,
)
from tts_queue.outbox import LogLimits, Outbox
from tts_queue.phases import HoldCause, Phase
from tts_queue.ports import AudioSink, Pacing, SpeechLog, Voice
from tts_queue.reel import Pauses, Piece, Reel

FRAME_SAMPLES: Final = 480  # 10 ms
_SILENCE: Final = np.zeros(FRAME_SAMPLES, np.int16)
_SILENCE.flags.writeable = False
_NOBODY_HEARS: Final = frozenset({HoldCause.LISTENER, HoldCause.TAKEOVER})
_FADE_SAMPLES: Final = 240  # 5 ms: shorter clicks, longer is heard as a swell


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueConfig:
    """The queue's numbers."""

    depth: DepthLimits = field(default_factory=DepthLimits)
    tick_s: float = 0.005  # half a frame, so that the depth is never missed by a whole one
    bound: int = 64  # that may be QUEUED; at 6 s each more than 6 minutes of speech
    confirm_within_s: float = 0.100  # an utterance is SPOKEN when this much, or less, of it is unheard
    unconfirmed_s: float = 10.0  # after its last sample: then it is CUT, reason "unconfirmed"
    voice_verdict_s: float = 1.0  # from the end of a voice to the end of its hold, without a verdict
    voice_hold_s: float = 10.0  # longest hold for a voice in all: docs/decisions/013
    pauses: Pauses = field(default_factory=Pauses)
    log: LogLimits = field(default_factory=LogLimits)
    kitchen: KitchenLimits = field(default_factory=KitchenLimits)


def _ignore(event: QueueEvent) -> None:
    """Take no note."""


def _open() -> bool:
    """Let everything out."""
    return True


class SpeechQueue:
    """Speaks utterances by priority on one track. All methods are for one event loop, that of `run`."""

    def __init__(
        self,
        voice: Voice,
        sink: AudioSink,
        log: SpeechLog,
        pacing: Pacing,
        config: QueueConfig | None = None,
        on_event: Callable[[QueueEvent], None] = _ignore,
        *,
        told: Iterable[str] = (),
        gate: Callable[[], bool] = _open,
    ) -> None:
        """`told`: critical keys that were spoken before, by another worker of this session.

        `gate` is asked before each frame: while it says no, speech is held as if the log were away.
        """
        self._gate = gate
        self._sink, self._pacing, self._emit = sink, pacing, on_event
        self._config = config or QueueConfig()
        self._outbox = Outbox(log, self._config.log, self._log_lost)
        self._book = Book(self._outbox, on_event, self._positions, told)
        self._kitchen = Kitchen(
            *(voice, self._config.kitchen, self._next_need),
            items=lambda: self._book.items.values(),
            on_part=self._came,
            on_failure=self._burnt,
        )
        self._holds = Holds()
        self._depth = Depth(self._config.depth)
        self._silenced = False  # the log can't be written, or the gate is shut
        self._lost = False  # the log can't be written
        self._current: Item | None = None
        self._stop: int | None = None  # content sample at which the current one yields to a critical
        self._wanted: Item | None = None  # could begin now, but for its first clip
        self._last: Item | None = None  # whose sound was the last on the track
        self._fading: Item | None = None  # was stopped inside a word: one frame fades it out
        self._fade_in = False
        self._mixer = Mixer()
        self._stretch_s: float | None = None
        self._written = self._sent = self._played = 0
        self._gap = self._longest_gap = 0
        self._slip_s = 0.0
        self._idle = asyncio.Event()
        self._idle.set()

    # What callers say -------------------------------------------------------------------------------

    def offer(self, utterance: Utterance) -> Offer:
        """Take an utterance to be spoken when its turn comes; never waits.

        Raises: QueueFull: no room, and everything that waits is critical, as is this.
        """
        plan = segments(utterance.text)
        if not plan:
            return Offer(utterance.utterance_id, OfferOutcome.BLANK)
        if self._book.knows(utterance.utterance_id):
            return Offer(utterance.utterance_id, OfferOutcome.DUPLICATE)
        admission = lane.admit(
            self._book.entries(), utterance, bound=self._config.bound, told=self._book.told
        )
        now_s = self._now_s()
        self._idle.clear()
        first = min(max(0, utterance.from_clause), len(plan) - 1)
        self._book.add(utterance, Reel(plan[first:], self._config.pauses), first)
        for drop in admission.drops:
            by = None if drop.utterance_id == utterance.utterance_id else utterance.utterance_id
            self._book.drop(self._book.items[drop.utterance_id], drop.phase, now_s, reason=drop.reason, by=by)
        self._kitchen.wake()
        gone = tuple(d.utterance_id for d in admission.drops if d.utterance_id != utterance.utterance_id)
        return Offer(utterance.utterance_id, admission.outcome, gone)

    def hold(self, cause: HoldCause, *, admit: Priority | None = None, begun: bool = False) -> None:
        """Be silent at once, for `cause`, until it is released.

        `admit`: utterances of this priority, or more urgent, that had not begun may be spoken all the
        same, with `begun` those also that had. A hold that is there already takes the new terms: what may
        be spoken under them goes on sounding. A hold for a lost listener or a takeover also holds what is
        sent and not yet confirmed; what it holds goes on from the beginning of its clause, and while it
        lasts nothing grows too old.
        Raises: ValueError: CRITICAL and STORE are the queue's own.
        """
        if cause in {HoldCause.CRITICAL, HoldCause.STORE}:
            raise ValueError(f"{cause} is held by the queue itself")
        now_s = self._now_s()
        lasts = cause in self._holds.active and admit is not None
        self._holds = self._holds.add(cause, now_s, admit, begun=begun)
        current = self._current
        if not lasts or current is None or not self._may_speak(current.utterance.priority, current.begun_s):
            self._hush(cause, now_s)
        if cause in _NOBODY_HEARS and not lasts:
            for item in self._unconfirmed():
                self._book.move(item, Phase.HELD, now_s, cause=cause)
                item.all_sent_s = None
            for item in [i for i in self._book.items.values() if i.phase is Phase.HELD]:
                item.reel.lose_after(self._book.heard(item))
                item.from_clause = True
        self._emit(HoldsChanged(tuple(self._holds.active), now_s))

    def release(self, cause: HoldCause) -> None:
        """Lift `cause`; once none is left, speech goes on from the word at which it stopped.

        What waited while nobody heard grows old no more: who comes back is told of it.
        """
        if cause in self._holds.active:
            if cause in _NOBODY_HEARS:
                for item in self._book.items.values():
                    item.ageless = item.ageless or item.phase is Phase.QUEUED
            self._holds = self._holds.lift(cause)
            self._emit(HoldsChanged(tuple(self._holds.active), self._now_s()))

    def voice_ended(self) -> None:
        """Tell that the voice for which speech is held fell silent: its verdict is due."""
        self._holds = self._holds.voice_ended(self._now_s())

    def tone(self, pcm: Pcm) -> None:
        """Sound a short tone at once, beside whatever is said. Raises: ValueError: over a second."""
        self._mixer.tone(pcm)

    def duck(self, on: bool) -> None:
        """Speak softly from now on, or as loud as ever."""
        self._mixer.duck(on)

    def skip(self) -> str | None:
        """Cut what is being spoken, else what was held last; return its id, or None."""
        item = self._current or max(
            (i for i in self._book.items.values() if i.phase is Phase.HELD),
            key=lambda i: i.begun_s or 0.0,
            default=None,
        )
        if item is None:
            return None
        self._end(item, Phase.CUT, reason="skipped")
        return item.utterance.utterance_id

    def cancel(self, utterance_id: str, *, reason: str = "cancelled") -> bool:
        """Drop an utterance, CANCELLED or, if it sounds, CUT; return whether it was unfinished."""
        item = self._book.items.get(utterance_id)
        if item is None:
            return False
        speaking = item.phase is Phase.SPEAKING
        self._end(item, Phase.CUT if speaking else Phase.CANCELLED, reason=reason)
        return True

    def played(self, sample: int) -> None:
        """Take a report that the listener's ear is at this session sample; it never goes back."""
        self._played = max(self._played, min(sample, self.sent_samples))
        self._confirm(self._now_s())

    @property
    def written_samples(self) -> int:
        """Samples handed to the sink since the track began: the session's clock."""
        return self._written

    @property
    def sent_samples(self) -> int:
        """Samples that left the sink."""
        queued = round(self._sink.queued_s * SAMPLE_RATE_HZ)
        self._sent = max(self._sent, self._written - queued)
        return self._sent

    def snapshot(self) -> Snapshot:
        """Return what is unfinished, what holds, and the positions."""
        written, sent, played = self._positions()
        holds = (*self._holds.active, *((HoldCause.STORE,) if self._silenced else ()))
        gap_s = self._longest_gap / SAMPLE_RATE_HZ
        return Snapshot(self._book.standings(), holds, written, sent, played, gap_s, self._depth.times_late)

    async def abandon(self, reason: str) -> None:
        """Drop all that is unfinished, and return once the log has it. Needs `run`; has no deadline."""
        for standing in self._book.standings():
            self.cancel(standing.utterance.utterance_id, reason=reason)
        await self.settled()

    async def settled(self) -> None:
        """Wait until the log has all that was recorded. Needs `run`; has no deadline."""
        while not self._outbox.settled:
            await asyncio.sleep(self._config.tick_s)

    async def idle(self) -> None:
        """Wait until nothing is unfinished and the log knows it."""
        await self._idle.wait()

    async def run(self) -> None:
        """Write the track until cancelled; no task of it outlives this call.

        Raises: an ExceptionGroup of what the sink raised, or of what the log or the voice raised beside
        LogUnavailable and VoiceUnavailable. While the log is unavailable speech is held, cause STORE.
        """
        async with asyncio.TaskGroup() as group:
            group.create_task(self._outbox.run(), name="speech-outbox")
            group.create_task(self._kitchen.run(), name="speech-kitchen")
            group.create_task(self._write(), name="speech-writer")

    # The writer -------------------------------------------------------------------------------------

    async def _write(self) -> None:
        while True:
            queued_s, now_s = self._sink.queued_s, self._now_s()
            self._watch_slip(now_s - self._written / SAMPLE_RATE_HZ + queued_s, now_s)
            depth_s = self._depth.at_s(now_s, speaking=self._stretch_s is not None)
            if queued_s + FRAME_SAMPLES / SAMPLE_RATE_HZ > depth_s + 1e-6:
                await asyncio.sleep(self._config.tick_s)
                continue
            self._step(now_s)
            await self._sink.write(self._mixer.mix(self._frame()))
            self._written += FRAME_SAMPLES

    def _watch_slip(self, slip_s: float, now_s: float) -> None:
        """Keep the time less the sound sent: it grows only while the sink is empty."""
        if slip_s > self._slip_s + FRAME_SAMPLES / SAMPLE_RATE_HZ / 5:
            if self._written:
                self._depth = self._depth.late(now_s)
            self._slip_s = slip_s

    def _step(self, now_s: float) -> None:
        """Do what is due at `now_s`, before a frame."""
        self._watchdog(now_s)
        self._silence()
        if not self._book.items:
            if self._outbox.settled:
                self._idle.set()
            return
        heard = not _NOBODY_HEARS & self._holds.active.keys()
        for item in [i for i in self._book.items.values() if heard and lane.too_old(i.entry, now_s)]:
            self._book.drop(item, Phase.EXPIRED, now_s, reason="too old")
        self._confirm(now_s)
        if self._current is not None:
            self._yield_if_critical(now_s)
        if self._current is None:
            self._begin_next(now_s)

    def _watchdog(self, now_s: float) -> None:
        due_s = self._holds.watchdog_due_s(
            after_end_s=self._config.voice_verdict_s, in_all_s=self._config.voice_hold_s
        )
        if due_s is not None and now_s >= due_s:
            held_s = now_s - self._holds.active[HoldCause.VOICE].since_s
            self._emit(WatchdogFired(held_s, now_s))
            self.release(HoldCause.VOICE)

    def _confirm(self, now_s: float) -> None:
        near = round(self._config.confirm_within_s * SAMPLE_RATE_HZ)
        for item in self._unconfirmed():
            if item.reel.total - self._book.heard(item) <= near:
                self._book.move(item, Phase.SPOKEN, now_s)
            elif now_s - (item.all_sent_s or now_s) > self._config.unconfirmed_s:
                self._book.move(item, Phase.CUT, now_s, reason="unconfirmed")

    def _yield_if_critical(self, now_s: float) -> None:
        """Stop the current one for a critical one that is ready, at its word's end or where that is late."""
        current = self._current
        if current is None:
            return
        if self._stop is None and any(
            self._breaks_in(item, current, now_s) for item in self._book.items.values()
        ):
            self._stop = current.reel.word_end()
        if self._stop is not None and (current.reel.at >= self._stop or current.reel.dry):
            self._leave(now_s)
            self._book.move(current, Phase.HELD, now_s, cause=HoldCause.CRITICAL)

    def _breaks_in(self, item: Item, current: Item, now_s: float) -> bool:
        return (
            item.phase is Phase.QUEUED
            and item.reel.missing > 0
            and lane.breaks_in(current.utterance, item.utterance)
            and self._may_speak(item.utterance.priority, item.begun_s)
            and self._pacing.not_before(item.utterance, now_s) <= now_s
        )

    def _begin_next(self, now_s: float) -> None:
        entry = lane.choose(
            self._book.entries(), now_s, may_speak=self._may_speak, not_before=self._pacing.not_before
        )
        if entry is None:
            return
        item = self._book.items[entry.utterance.utterance_id]
        if item.phase is Phase.QUEUED and not item.reel.missing:
            if self._wanted is not item:
                self._wanted = item
                self._kitchen.wake()
            return
        if not self._track_is_free(item):
            return
        if item.phase is Phase.HELD:
            item.reel.go_back_to(self._book.heard(item), clause=item.from_clause)
            item.from_clause, self._fade_in = False, True
        self._book.move(item, Phase.SPEAKING, now_s)
        self._current, self._stop, self._fading, self._gap = item, None, None, 0
        self._kitchen.wake()

    def _track_is_free(self, item: Item) -> bool:
        """Return whether `item` may sound now: the last is sent, its pause over, at most one unconfirmed."""
        last = self._last
        if last is None or last is item:
            return True
        pause_s = max(last.utterance.prosody.pause_after_s, item.utterance.prosody.pause_before_s)
        end = last.reel.end_sample
        if self._written < end + round(pause_s * SAMPLE_RATE_HZ) or self.sent_samples < end:
            return False
        return len(self._unconfirmed()) <= 1

    def _frame(self) -> Pcm:
        """Return the next 10 ms of the track."""
        if self._fading is not None:
            return self._faded_out(self._fading)
        item = self._current
        if item is None or not self._book.ready(item):
            return _SILENCE
        frame, filled = np.zeros(FRAME_SAMPLES, np.int16), 0
        while filled < FRAME_SAMPLES:
            piece = item.reel.read(FRAME_SAMPLES - filled, self._stop)
            if piece is None:
                break
            self._lay(item, piece, frame, filled)
            filled += len(piece.pcm)
        self._count_gap(item, FRAME_SAMPLES - filled)
        if item.reel.all_read:
            item.all_sent_s = self._now_s()
            self._leave(item.all_sent_s)
        return frame

    def _lay(self, item: Item, piece: Piece, frame: Pcm, at: int) -> None:
        """Copy a piece into the frame and tell of a segment that begins with it."""
        frame[at : at + len(piece.pcm)] = piece.pcm
        if self._fade_in:
            ramp = min(_FADE_SAMPLES, len(piece.pcm))
            frame[at : at + ramp] = frame[at : at + ramp] * np.linspace(0.0, 1.0, ramp)
            self._fade_in = False
        sample = self._written + at
        item.reel.wrote(piece, sample)
        self._last = item
        if self._stretch_s is None:
            self._stretch_s = self._now_s()
        if piece.first:
            self._tell_segment(item, piece, sample)

    def _tell_segment(self, item: Item, piece: Piece, sample: int) -> None:
        self._kitchen.wake()
        words = item.reel.words_from(piece.content_start, sample)
        if not words:
            return  # gone back to, in the pause after its last word
        segment = item.reel.plan[piece.segment]
        self._emit(
            SegmentStarted(
                item.utterance.utterance_id,
                item.first + piece.segment,
                item.first + len(item.reel.plan),
                segment.display,
                sample,
                item.reel.samples_left_in(piece.segment, piece.content_start),
                words,
            )
        )

    def _faded_out(self, item: Item) -> Pcm:
        """Return the last frame of what was stopped inside a word, fading to silence."""
        self._fading = None
        frame = np.zeros(FRAME_SAMPLES, np.int16)
        piece = item.reel.read(_FADE_SAMPLES)
        if piece is not None:
            faded = (piece.pcm * np.linspace(1.0, 0.0, len(piece.pcm))).astype(np.int16)
            frame[: len(faded)] = faded
            item.reel.wrote(piece, self._written)
        return frame

    def _count_gap(self, item: Item, missing: int) -> None:
        """Keep the longest silence inside an utterance that nobody asked for."""
        self._gap = self._gap + missing if item.reel.dry and missing else 0
        self._longest_gap = max(self._longest_gap, self._gap)

    # Small parts ------------------------------------------------------------------------------------

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time()

    def _positions(self) -> tuple[int, int, int]:
        return self._written, self.sent_samples, self._played

    def _may_speak(self, priority: Priority, begun_s: float | None) -> bool:
        return not self._silenced and self._holds.may_speak(priority, begun_s)

    def _unconfirmed(self) -> list[Item]:
        return [
            i for i in self._book.items.values() if i.phase is Phase.SPEAKING and i.all_sent_s is not None
        ]

    def _leave(self, now_s: float) -> None:
        """Note that the current one sounds no more, whatever becomes of it."""
        item, self._current, self._stop = self._current, None, None
        if item is not None and self._stretch_s is not None:
            self._pacing.spoke(item.utterance, self._stretch_s, now_s)
        self._stretch_s = None

    def _hush(self, cause: HoldCause, now_s: float) -> None:
        """Hold the current one at once, fading inside its word."""
        item = self._current
        if item is None:
            return
        if self._stretch_s is not None:
            self._fading = item
        self._leave(now_s)
        self._book.move(item, Phase.HELD, now_s, cause=cause)

    def _end(self, item: Item, phase: Phase, *, reason: str) -> None:
        now_s = self._now_s()
        if item is self._current:
            self._fading = item if self._stretch_s is not None else None
            self._leave(now_s)
        self._book.move(item, phase, now_s, reason=reason)

    def _log_lost(self, lost: bool) -> None:
        """Be silent while the log can't be written; go on when it can."""
        self._lost = lost
        self._silence()

    def _silence(self) -> None:
        """Hold for the store, or no more, if that has changed."""
        silenced = self._lost or not self._gate()
        if silenced == self._silenced:
            return
        self._silenced = silenced
        now_s = self._now_s()
        if silenced:
            self._hush(HoldCause.STORE, now_s)
        causes = (*self._holds.active, *((HoldCause.STORE,) if silenced else ()))
        self._emit(HoldsChanged(causes, now_s))

    def _next_need(self, items: Iterable[Item]) -> Item | None:
        return next_need(items, self._current, self._wanted, self._config.kitchen.ahead)

    def _came(self) -> None:
        """Begin what waited for the part that came: the log may have it before the next frame is due."""
        if self._current is None:
            self._begin_next(self._now_s())

    def _burnt(self, item: Item, failed: VoiceFailed) -> None:
        """Tell of a failed synthesis; a final one ends the utterance, and the queue goes on."""
        self._emit(failed)
        if failed.final and item.utterance.utterance_id in self._book.items:
            self._end(item, Phase.FAILED, reason=failed.reason)
