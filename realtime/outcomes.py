"""Tell the parts of a session what becomes of its speech."""

from __future__ import annotations

from typing import assert_never

from exaim_core import SpokenKind
from realtime.parts import Parts
from realtime.protocol import NoticeBody
from realtime.room import messages
from realtime.room.captions import TimedWord
from realtime.speech.narrator import number_of
from tts_queue import (
    Displaced,
    HoldCause,
    HoldsChanged,
    Move,
    Moved,
    Phase,
    QueueEvent,
    Reworded,
    SegmentStarted,
    VoiceFailed,
    WatchdogFired,
    is_over,
)


class Outcomes:
    """Takes the events of the queue, and gives each to the parts that it concerns."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.closed = False  # the closing has begun to sound: the team's steps are over

    def take(self, event: QueueEvent) -> None:
        """Tell the parts an event of the queue. Never waits."""
        parts = self._parts
        match event:
            case Moved(move):
                self._moved(move)
            case Reworded(utterance):
                parts.offers.note_reworded(utterance)
                parts.states.moved(utterance, Phase.QUEUED)
            case SegmentStarted():
                self._clause_began(event)
            case VoiceFailed(final=True):
                text = "The voice failed on one item; it is on this page."
                parts.feed.post(NoticeBody(code="voice_unavailable", text=text))
            case WatchdogFired(held_s):
                parts.conversation.watchdog(held_s)
            case HoldsChanged(causes):
                parts.states.store(gone=HoldCause.STORE in causes)
            case VoiceFailed() | Displaced():
                pass  # it is tried again; the move that belongs to it says the same to the page
            case never:
                assert_never(never)

    def _moved(self, move: Move) -> None:
        parts, utterance = self._parts, self._parts.offers.offered(move.utterance_id)
        parts.bookmark.moved(move)
        if parts.unread.ended(utterance, move.phase_to, move.reason):
            parts.updates.left_unsaid(move.at_s)
        parts.conversation.moved(move, utterance)
        parts.reception.moved(move, utterance)
        if move.phase_to is Phase.HELD:
            parts.captions.hold(move.utterance_id)
        elif is_over(move.phase_to) and move.phase_to is not Phase.SPOKEN:
            parts.captions.cut(move.utterance_id)
        parts.states.moved(utterance, move.phase_to, cause=move.cause, reason=move.reason or "")

    def _clause_began(self, clause: SegmentStarted) -> None:
        parts, utterance = self._parts, self._parts.offers.offered(clause.utterance_id)
        words = tuple(TimedWord(word, start) for word, start, _ in clause.words)
        parts.captions.add(clause.utterance_id, clause.index, words)
        parts.bookmark.began(clause)
        parts.updates.sounded(clause.utterance_id)
        self.closed = self.closed or utterance.kind == SpokenKind.CLOSING
        parts.spare.sounded(utterance.text)
        parts.talk.sounded(clause, utterance)
        parts.progress.heard = number_of(utterance) or parts.progress.heard
        parts.feed.post(messages.segment_body(clause))
