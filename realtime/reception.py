"""The one listener of a session: does it hear, how far, and what follows from its going and coming."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from realtime.attendance import Attendance, Step
from realtime.listening import Listening
from realtime.presence import Listener
from realtime.protocol import Body, NoticeBody
from realtime.returning import Whereabouts, welcome
from realtime.tones import BACK
from tts_queue import HoldCause, Move, Priority, SpeechQueue, Utterance
from tts_queue.phases import is_over

GRACE_S: Final = 300.0  # a listener may be gone so long, counted from its last beat (DESIGN §7)
AT_ONCE_S: Final = 1.0  # the SFU tells of a connection that was put out and of its successor together
TAKEN_OVER: Final = "Another window had this session; it is silent now, and this one goes on."


class GaveUp(Exception):
    """Nobody was heard of for the whole grace."""


class Reception:
    """Holds the speech while nobody hears, and welcomes who comes back. Times are on the loop's clock."""

    def __init__(
        self,
        welcome_id: str,
        listening: Listening,
        queue: SpeechQueue,
        *,
        offer: Callable[[Utterance], None],
        tell: Callable[[Body], None],
        away: Callable[[bool], None],
        now_s: Callable[[], float],
    ) -> None:
        """`welcome_id`: how ids of welcomes begin; `away` is told when the listener goes, or is back."""
        self._welcome_id = welcome_id
        self._listening, self._queue = listening, queue
        self._offer, self._tell, self._away, self._now_s = offer, tell, away, now_s
        self._attendance = Attendance()
        self._welcoming: str | None = None
        self._welcomes = 0
        self._put_out_s: float | None = None  # when a connection that was alive left without a reason
        self._taken_over = False  # and the newcomer, who does not hear yet, was not told so
        self._last_heard_of_s = now_s()
        self.greeted = False  # before that there is nothing to hold, or to come back to
        self.played = 0  # the listener's ear, in session samples
        self.heard_of_update = 0  # number of the update of which something sounded last
        self.updates = 0  # so far

    @property
    def is_stock(self) -> bool:
        """Return whether the client knows nothing of our protocol."""
        return self._listening.listener is Listener.STOCK

    def resume(self) -> None:
        """Begin as a successor: it was greeted by another, and nobody is known to hear this track."""
        self.greeted = self._attendance.held = True
        self._queue.hold(HoldCause.LISTENER)

    def joined(self, identity: str) -> bool:
        """Take note of a participant; return whether it is the clinician. Raises: GaveUp."""
        self._listening.joined(identity, self._now_s())
        if identity != self._listening.clinician:
            return False
        put_out_s, self._put_out_s = self._put_out_s, None
        if put_out_s is not None and self._now_s() - put_out_s < AT_ONCE_S:
            self._taken_over = True
        self._attendance.came()
        self.follow()
        self._last_heard_of_s = self._now_s()
        return True

    def left(self, identity: str, *, unexplained: bool) -> None:
        """Take note that somebody left, perhaps put out by a connection that comes next. Raises: GaveUp."""
        now_s = self._now_s()
        if unexplained and identity == self._listening.clinician:
            self._put_out_s = now_s if self._listening.presence.takes_over(now_s) else None
            self._listening.vacated(now_s)
        else:
            self._listening.left(identity)
        self.follow()

    def ready(self) -> None:
        """Take note that the client hears, perhaps again; `follow` does what follows from it."""
        self._listening.ready(self._now_s())
        self._attendance.came()

    def beat(self, identity: str, payload: bytes) -> None:
        """Take a position, and tell the page of a new constant between the clocks."""
        sent = self._queue.sent_samples
        self._heard(self._listening.beat(identity, payload, sent=sent, now_s=self._now_s()))
        clock = self._listening.new_clock()
        if clock is not None:
            self._tell(clock)

    def tick(self, *, sent: int, speaking: bool) -> None:
        """Let time pass. Raises: GaveUp."""
        self._heard(self._listening.tick(sent=sent, speaking=speaking, now_s=self._now_s()))
        self.follow()

    def _heard(self, played: int | None) -> None:
        """Take a position. What was held for want of a listener does not count as heard by it."""
        if played is not None:
            self.played = played
            self._queue.played(played)

    def follow(self) -> None:
        """Hold while nobody is known to hear; go on, or welcome, when somebody is. Raises: GaveUp."""
        now_s = self._now_s()
        presence = self._listening.presence
        self._last_heard_of_s = max(self._last_heard_of_s, presence.heard_of_s(now_s))
        if now_s - self._last_heard_of_s > GRACE_S:
            raise GaveUp
        if self._taken_over and presence.hears:
            self._taken_over = False
            self._tell(NoticeBody(code="taken_over", text=TAKEN_OVER))
        if not self.greeted:
            return
        match self._attendance.follow(hears=presence.hears, heard_of_s=self._last_heard_of_s, now_s=now_s):
            case Step.HOLD:
                self._hold()
            case Step.GO_ON:
                self._away(False)
                self._queue.tone(BACK)
                self._queue.release(HoldCause.LISTENER)
            case Step.WELCOME:
                self._away(False)
                self._welcome(now_s)
            case Step.NOTHING:
                pass

    def _hold(self) -> None:
        welcoming, self._welcoming = self._welcoming, None
        if welcoming is not None:
            self._queue.cancel(welcoming, reason="gone again")
        self._queue.hold(HoldCause.LISTENER)
        self._away(True)

    def _welcome(self, now_s: float) -> None:
        """Say welcome first; what was held, and what waited, follows when it is over."""
        standings = self._queue.snapshot().standings
        at = Whereabouts(
            heard=self.heard_of_update,
            made=self.updates,
            criticals=sum(s.utterance.priority is Priority.CRITICAL for s in standings),
        )
        self._welcomes += 1
        self._welcoming = f"{self._welcome_id}.{self._welcomes}"
        self._queue.hold(HoldCause.LISTENER, admit=Priority.CRITICAL)
        self._offer(welcome(self._welcoming, at, now_s=now_s))

    def moved(self, move: Move) -> None:
        """Let the rest go on when the welcome is over."""
        if move.utterance_id == self._welcoming and is_over(move.phase_to):
            self._welcoming = None
            self._queue.release(HoldCause.LISTENER)
