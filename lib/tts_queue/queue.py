"""Speak the utterances of a session with one voice, by priority, on one audio track.

Theory of operation. `offer`, `hold`, `release`, `skip`, `cancel` and `played` are plain calls on the event loop of
`run`; they decide by `scheduling` and `permits`, and change a phase only through `registry`. `run` has four tasks. The
writer hands 20 ms frames to the sink all the time: of what `speaker` has put on the track, or silence. The prefetching
synthesises what is needed next, and the rehearsal what may be. The outbox writes records to the log in order. No
sample of an utterance leaves before its move to SPEAKING is in the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from tts_queue import scheduling
from tts_queue.config import QueueConfig
from tts_queue.ear import segments, spelled_out
from tts_queue.model import (
    SAMPLE_RATE_HZ,
    HoldsChanged,
    Offer,
    OfferOutcome,
    Pcm,
    Priority,
    QueueEvent,
    Reworded,
    SegmentStarted,
    Snapshot,
    Utterance,
    VoiceFailed,
    WatchdogFired,
)
from tts_queue.outbox import Outbox
from tts_queue.permits import Permits
from tts_queue.phases import HoldCause, Phase
from tts_queue.playout import PlayoutBuffer
from tts_queue.ports import AudioSink, Pacing, SpeechLog, Voice
from tts_queue.prefetch import Prefetch, next_need
from tts_queue.prosody import USUAL, Dial, sounding
from tts_queue.registry import Item, Registry
from tts_queue.rehearsal import Rehearsal
from tts_queue.speaker import Speaker
from tts_queue.track import Track

_LOG: Final = logging.getLogger("tts_queue")

_NOBODY_HEARS: Final = frozenset({HoldCause.LISTENER, HoldCause.TAKEOVER})


def _ignore(event: QueueEvent) -> None:
    """Do nothing: the default `on_event`."""


def _open() -> bool:
    """Return True: the default `gate`."""
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
        """Make the queue; nothing sounds before `run`.

        * `told`: the critical keys that an earlier worker of this session has spoken.
        * `gate`: asked before each frame; while it returns False, speech is held as if the log were away.
        """
        self._emit = on_event
        self._config = config or QueueConfig()
        self._track = Track(sink, self._config.depth, self._now_s, self._segment_began)
        self._outbox = Outbox(log, self._config.log, self._log_lost)
        self._registry = Registry(self._outbox, on_event, self._positions, told)
        self._permits = Permits(gate)
        self._speaker = Speaker(
            self._registry,
            self._track,
            self._permits,
            pacing,
            self._config,
            wake=lambda: self._prefetch.wake(),
        )
        self._rehearsal = Rehearsal(voice, self._config.prefetch.deadline_s)
        self._prefetch = Prefetch(
            self._rehearsal,
            self._config.prefetch,
            self._next_need,
            items=lambda: self._registry.items.values(),
            on_part=self._came,
            on_failure=self._synthesis_failed,
            dial=lambda: self._dial,
        )
        self._dial = USUAL
        self._played = 0
        self._idle = asyncio.Event()
        self._idle.set()

    # What callers do --------------------------------------------------------------------------------

    def offer(self, utterance: Utterance) -> Offer:
        """Queue an utterance to be spoken when its turn comes; never waits."""
        plan = segments(utterance.text)
        if not plan:
            return Offer(utterance.utterance_id, OfferOutcome.BLANK)
        if self._registry.knows(utterance.utterance_id):
            return Offer(utterance.utterance_id, OfferOutcome.DUPLICATE)
        if count := spelled_out(plan):
            _LOG.warning("%s: %d words are said sign by sign", utterance.utterance_id, count)
        utterance = replace(utterance, spelled_out=count)
        admission = scheduling.admit(
            self._registry.entries(), utterance, bound=self._config.bound, told=self._registry.told
        )
        now_s = self._now_s()
        self._idle.clear()
        first = min(max(0, utterance.from_clause), len(plan) - 1)
        self._registry.add(utterance, PlayoutBuffer(plan[first:], self._config.pauses), first)
        for drop in admission.drops:
            by = None if drop.utterance_id == utterance.utterance_id else utterance.utterance_id
            self._registry.drop(
                self._registry.items[drop.utterance_id], drop.phase, now_s, reason=drop.reason, by=by
            )
        self._prefetch.wake()
        gone = tuple(d.utterance_id for d in admission.drops if d.utterance_id != utterance.utterance_id)
        return Offer(utterance.utterance_id, admission.outcome, gone)

    def rehearse(self, utterance: Utterance) -> None:
        """Have the first clip of an utterance made that may be offered in a moment. Quick."""
        if plan := segments(utterance.text):
            self._rehearsal.expect(plan[0].spoken, sounding(utterance, self._now_s(), self._dial))

    def reword(self, utterance_id: str, text: str) -> bool:
        """Change the words of an utterance that has not begun; it keeps its place. Return whether they are changed.

        What is spoken is `text` from its beginning. A first clip that was rehearsed of it is used.
        """
        item, plan = self._registry.items.get(utterance_id), segments(text)
        if item is None or item.phase is not Phase.QUEUED or not plan or text == item.utterance.text:
            return False
        worded = replace(item.utterance, text=text, from_clause=0, spelled_out=spelled_out(plan))
        self._registry.reword(item, worded, PlayoutBuffer(plan, self._config.pauses))
        self._emit(Reworded(worded))
        self._prefetch.wake()
        return True

    def hold(self, cause: HoldCause, *, admit: Priority | None = None, begun: Priority | None = None) -> None:
        """Hold speech at once, for `cause`, until it is released.

        * `admit`: utterances of this priority, or more urgent, may be spoken if they had not begun; None: none.
        * `begun`: utterances of this priority, or more urgent, may go on if they had begun; None: none.

        A cause that holds already takes the new terms, and what they admit goes on sounding. A hold for a lost
        listener or a takeover also holds what is sent and not confirmed. What it holds resumes at the beginning
        of its clause, and nothing grows too old while it lasts.

        Raises: ValueError: CRITICAL and STORE are the queue's own causes.
        """
        if cause in {HoldCause.CRITICAL, HoldCause.STORE}:
            raise ValueError(f"{cause} is held by the queue itself")
        now_s = self._now_s()
        lasts = cause in self._permits.active and admit is not None
        goes_on = lasts or (begun is not None and cause not in _NOBODY_HEARS)
        self._permits.hold(cause, now_s, admit=admit, begun=begun)
        current = self._speaker.current
        if (
            not goes_on
            or current is None
            or not self._permits.may_speak(current.utterance.priority, current.begun_s)
        ):
            self._hush(cause, now_s)
        if cause in _NOBODY_HEARS and not lasts:
            for item in self._registry.unconfirmed():
                self._registry.move(item, Phase.HELD, now_s, cause=cause)
                item.all_sent_s = None
            self._registry.lose_unheard()
        self._emit(HoldsChanged(self._permits.causes, now_s))

    def release(self, cause: HoldCause) -> None:
        """Lift `cause`; once no cause is left, speech resumes at the word where it stopped.

        After a hold of more than `QueueConfig.clause_after_s` it resumes at the beginning of its clause. What
        waited while nobody heard does not expire, and is told to whoever comes back.
        """
        if cause in self._permits.active:
            if cause in _NOBODY_HEARS:
                self._registry.spare_from_age()
            self._permits.lift(cause)
            self._emit(HoldsChanged(self._permits.causes, self._now_s()))

    def expect_hold(self) -> None:
        """Prepare for a hold that may come: for a moment the sink holds no more than in silence."""
        self._track.expect_hold()

    def voice_ended(self) -> None:
        """Record that the voice for which speech is held fell silent: its verdict is due."""
        self._permits.voice_ended(self._now_s())

    def tone(self, pcm: Pcm) -> None:
        """Play a short tone at once, over any speech. Raises: ValueError: longer than a second."""
        self._track.mixer.tone(pcm)

    def duck(self, on: bool) -> None:
        """Lower the voice from now on, or restore its level."""
        self._track.mixer.duck(on)

    @property
    def dial(self) -> Dial:
        """Return the pace and the loudness that the listener asked for."""
        return self._dial

    def set_dial(self, dial: Dial) -> None:
        """Set pace and loudness from the next clause on; sound made in advance is made again."""
        if dial == self._dial:
            return
        self._dial = dial
        self._registry.make_anew()
        self._prefetch.wake()

    def skip(self, heard_id: str | None = None) -> str | None:
        """Cut what is heard, or else what was held last; return its id, or None if there is none.

        `heard_id` is the utterance that was heard when the skip was asked for, if that was earlier. If that one is
        over, or all sent, nothing is cut in its place.
        """
        item = (
            self._registry.at_ear(self._speaker.current, self._track.last)
            if heard_id is None
            else self._registry.items.get(heard_id)
        )
        if item is None:
            return None
        if item.all_sent_s is None:
            self._end(item, Phase.CUT, reason="skipped")
        return item.utterance.utterance_id

    def cancel(self, utterance_id: str, *, reason: str = "cancelled") -> bool:
        """Drop an utterance, CANCELLED or, if it sounds, CUT; return whether it was unfinished."""
        item = self._registry.items.get(utterance_id)
        if item is None:
            return False
        speaking = item.phase is Phase.SPEAKING
        self._end(item, Phase.CUT if speaking else Phase.CANCELLED, reason=reason)
        return True

    def played(self, sample: int) -> None:
        """Record that the listener has heard up to this session sample; it never goes back."""
        self._played = max(self._played, min(sample, self.sent_samples))
        self._confirm(self._now_s())

    @property
    def written_samples(self) -> int:
        """Samples handed to the sink since the track began: the session's clock."""
        return self._track.written

    @property
    def sent_samples(self) -> int:
        """Samples that left the sink."""
        return self._track.sent

    def snapshot(self) -> Snapshot:
        """Return the unfinished utterances, the causes of holds, and the positions."""
        written, sent, played = self._positions()
        gap_s, late = self._track.longest_gap / SAMPLE_RATE_HZ, self._track.times_late
        standings = self._registry.standings(self._now_s(), min(sent, played))
        return Snapshot(standings, self._permits.causes, written, sent, played, gap_s, late)

    @property
    def waiting(self) -> int:
        """How many utterances wait or are held."""
        return sum(item.phase in scheduling.UNSPOKEN for item in self._registry.items.values())

    async def abandon(self, reason: str) -> None:
        """Drop all that is unfinished, and return once the log has it. Needs `run`; has no deadline."""
        for item in self._registry.order(self._now_s()).ranked:
            self.cancel(item.utterance.utterance_id, reason=reason)
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
            group.create_task(self._prefetch.run(), name="speech-prefetch")
            group.create_task(self._rehearsal.run(), name="speech-rehearsal")
            group.create_task(self._write(), name="speech-writer")

    # The writer -------------------------------------------------------------------------------------

    async def _write(self) -> None:
        while True:
            if due_in_s := self._track.due_in_s():
                await asyncio.sleep(max(due_in_s, self._config.nap_s))
                continue
            self._step(self._now_s())
            await self._track.write(self._speaker.frame(self._now_s))

    def _step(self, now_s: float) -> None:
        """Do what is due at `now_s`, before the next frame is made."""
        self._watchdog(now_s)
        self._silence()
        if not self._registry.items:
            if self._outbox.settled:
                self._idle.set()
            return
        if not _NOBODY_HEARS & self._permits.active.keys():
            for item in self._registry.order(now_s).too_old:
                self._registry.drop(item, Phase.EXPIRED, now_s, reason="too old")
        self._confirm(now_s)
        self._speaker.make_way(now_s)
        if self._speaker.current is None:
            self._speaker.begin_next(now_s)

    def _watchdog(self, now_s: float) -> None:
        due_s = self._permits.watchdog_due_s(
            after_end_s=self._config.voice_verdict_s, in_all_s=self._config.voice_hold_s
        )
        if due_s is not None and now_s >= due_s:
            held_s = now_s - self._permits.active[HoldCause.VOICE].since_s
            self._emit(WatchdogFired(held_s, now_s))
            self.release(HoldCause.VOICE)

    def _confirm(self, now_s: float) -> None:
        near = round(self._config.confirm_within_s * SAMPLE_RATE_HZ)
        for item in self._registry.unconfirmed():
            if item.buffer.total - self._registry.heard(item) <= near:
                self._registry.move(item, Phase.SPOKEN, now_s)
            elif now_s - (item.all_sent_s or now_s) > self._config.unconfirmed_s:
                self._registry.move(item, Phase.CUT, now_s, reason="unconfirmed")

    def _segment_began(self, segment: SegmentStarted) -> None:
        self._prefetch.wake()
        self._emit(segment)

    # Small parts ------------------------------------------------------------------------------------

    def _now_s(self) -> float:
        return asyncio.get_running_loop().time()

    def _positions(self) -> tuple[int, int, int]:
        return self._track.written, self._track.sent, self._played

    def _hush(self, cause: HoldCause, now_s: float) -> None:
        """Hold the current item at once, with a fade unless nobody hears."""
        self._speaker.hush(cause, now_s, fading=cause not in _NOBODY_HEARS)

    def _end(self, item: Item, phase: Phase, *, reason: str) -> None:
        now_s = self._now_s()
        if item is self._speaker.current:
            self._speaker.leave(now_s, fading=True)
        self._registry.move(item, phase, now_s, reason=reason)

    def _log_lost(self, lost: bool) -> None:
        """Hold speech while the log can't be written; resume when it can."""
        self._permits.log_lost(lost)
        self._silence()

    def _silence(self) -> None:
        """Begin or end the hold for the store, if the log or the gate has changed."""
        if not self._permits.refresh():
            return
        now_s = self._now_s()
        if self._permits.silenced:
            self._hush(HoldCause.STORE, now_s)
        self._emit(HoldsChanged(self._permits.causes, now_s))

    def _next_need(self, items: Iterable[Item]) -> Item | None:
        return next_need(items, self._speaker.current, self._speaker.wanted, self._config.prefetch)

    def _came(self) -> None:
        """Begin an item whose first part came, without waiting for the next frame: its record takes time."""
        if self._speaker.current is None:
            self._speaker.begin_next(self._now_s())

    def _synthesis_failed(self, item: Item, failed: VoiceFailed) -> None:
        """Report a failed synthesis; a final failure ends the utterance, and the queue goes on."""
        self._emit(failed)
        if failed.final and item.utterance.utterance_id in self._registry.items:
            self._end(item, Phase.FAILED, reason=failed.reason)
