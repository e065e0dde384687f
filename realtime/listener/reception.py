"""Receive the one listener of a session: greet it, hold while it is away, welcome it back."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Protocol, assert_never

from infra.sfu_port import GRACE_S
from realtime.actions import Act, AskReady, ListenerIs, NoteListener, Say, Show, Welcoming
from realtime.listener.arrival import ArrivalNotice
from realtime.listener.attendance import Attendance, AttendanceChange, CameBack
from realtime.listener.listening import Listening
from realtime.listener.presence import ClientPresence
from realtime.protocol import NoticeBody
from realtime.speech.before import StateBefore
from realtime.speech.budget import WORDS_PER_S
from realtime.speech.greeting import greeting, is_title
from realtime.speech.progress import Progress
from realtime.speech.returning import (
    VOICE_BACK,
    Return,
    Whereabouts,
    Who,
    back_text,
    welcome,
    welcome_text,
)
from realtime.speech.takeover import replay
from realtime.speech.told_late import PUT_OFF
from realtime.speech.tones import BACK
from realtime.speech.which_case import WhichCase
from tts_queue import HoldCause, Move, Phase, Priority, SpeechQueue, Utterance
from tts_queue.phases import is_over

AT_ONCE_S: Final = 1.0  # the SFU tells of a connection that was put out and of its successor together
PRESSES_FOR_S: Final = 30.0  # at most so much pressing speech goes first after a welcome
FIRST_WORDS: Final = frozenset({"greeting", "welcome"})  # as urgent as critical findings, and none
NOTHING_YET_S: Final = 60.0
"""A live session without a listener and without a word of its team gives up its slot after so long."""
CROWDED: Final = "More critical findings came than can be read aloud; some are on this page only."
TAKEN_OVER: Final = "Another window had this session; it is silent now, and this one goes on."


class GaveUp(Exception):
    """The listener gave no sign for the whole grace."""


class ClinicianSide(Protocol):
    """What a reception needs of the clinician's side."""

    @property
    def silence_asked(self) -> bool:
        """Return whether the clinician asked for quiet, or to wait."""
        ...

    @property
    def open_alerts(self) -> tuple[str, ...]:
        """Return the keys of the critical findings that were told and not acknowledged."""
        ...


class Reception:
    """Holds the speech while nobody hears, and welcomes a returning listener. Times: loop clock."""

    def __init__(
        self,
        welcome_id: str,
        which_case: WhichCase,
        listening: Listening,
        queue: SpeechQueue,
        clinician: ClinicianSide,
        progress: Progress,
        *,
        act: Act,
        now_s: float,
        grace_s: float = float(GRACE_S),
    ) -> None:
        """`welcome_id`: prefix of the welcomes' ids; `grace_s`: how long a lost listener is awaited."""
        self._welcome_id, self._which_case = welcome_id, which_case
        self._listening, self._queue, self._act = listening, queue, act
        self._clinician, self._progress = clinician, progress
        self._attendance = Attendance()
        self._arrival = ArrivalNotice(queue, act)
        self._welcoming: str | None = None
        self._full = False  # the welcome is a full one: critical findings and a question follow
        self._pressing_until_s: float | None = None  # the welcome is over, and pressing items are told first
        self._welcomes = 0
        self._put_out_s: float | None = None  # when a live connection ended without a reason
        self._taken_over = False  # a newcomer replaced it, and is to be told so once it hears
        self._crowded = False  # a critical finding was dropped, as too many wait
        self._last_heard_of_s = now_s
        self._team_seen_s = now_s
        self._grace_s = grace_s
        self.greeted = False  # before that there is nothing to hold, or to come back to
        self.played = 0  # the listener's ear, in session samples

    @property
    def begins(self) -> bool:
        """Return whether a client that says no `ready` is taken to listen."""
        return self._listening.listener is ClientPresence.STOCK or self._listening.presence.taken_for_ready

    def resume(self, before: StateBefore, *, there: bool, now_s: float) -> None:
        """Start as a successor worker: the listener was greeted, and nobody is known to hear this track.

        `there`: the clinician was in the room when this worker joined.
        """
        self.greeted = True
        known = before.vacant_s is not None or before.away_s is not None
        lost_s = now_s - before.silent_s if known else None
        self._attendance = Attendance(held=True, lost_s=lost_s, device=before.device)
        self._attendance.stayed = there and before.away_s is None
        self._last_heard_of_s = now_s - before.grace_used(self._grace_s)
        self._queue.hold(HoldCause.LISTENER)
        self._act(ListenerIs(away=True))

    def await_first(self) -> None:
        """Hold a live team's speech until somebody hears it."""
        self._queue.hold(HoldCause.LISTENER)

    def greet(self, session_id: str, *, now_s: float) -> None:
        """Say the greeting, and release the speech."""
        criticals = len(self._criticals_left()) if self._which_case.live else 0
        words = greeting(session_id, self._which_case, now_s=now_s, criticals=criticals)
        for said in words:
            if self._progress.finished and is_title(said):
                continue  # the team is done: only its findings are left to say
            self._act(Say(said))
        if self._which_case.live:
            self._arrival.follow(session_id, words[0].utterance_id, late=self._progress.made > 0)
        self.greeted = True
        self._tell_of_crowd()
        self._queue.release(HoldCause.LISTENER)

    def joined(self, identity: str, now_s: float) -> bool:
        """Handle a participant who joined; return whether it is the clinician. Raises: GaveUp."""
        self._listening.joined(identity, now_s)
        if identity != self._listening.clinician:
            return False
        put_out_s, self._put_out_s = self._put_out_s, None
        if put_out_s is not None and now_s - put_out_s < AT_ONCE_S:
            self._taken_over = True
        self._attendance.came()
        self.follow(now_s)
        self._last_heard_of_s = now_s
        return True

    def left(self, identity: str, *, unexplained: bool, now_s: float) -> None:
        """Handle a participant who left, perhaps replaced by a new connection. Raises: GaveUp."""
        if identity == self._listening.clinician:
            self._attendance.stayed = False
        if unexplained and identity == self._listening.clinician:
            self._put_out_s = now_s if self._listening.presence.takes_over(now_s) else None
            self._listening.vacated(now_s)
        else:
            self._listening.left(identity)
        self.follow(now_s)

    def ready(self, device: str | None, now_s: float) -> None:
        """Record that the client hears; `follow` acts on it."""
        self._listening.ready(now_s)
        self._attendance.came(device)

    def beat(self, identity: str, payload: bytes, now_s: float) -> None:
        """Take a beat's position; show the page the constant between the clocks if it is new."""
        sent = self._queue.sent_samples
        self._heard(self._listening.beat(identity, payload, sent=sent, now_s=now_s))
        clock = self._listening.new_clock()
        if clock is not None:
            self._act(Show(clock))

    def tick(self, *, sent: int, speaking: bool, now_s: float, subscribed: bool) -> None:
        """Act on what is due at `now_s`; `subscribed`: somebody has taken our track. Raises: GaveUp."""
        self._heard(self._listening.tick(sent=sent, speaking=speaking, now_s=now_s, subscribed=subscribed))
        self.follow(now_s)
        if self._arrival.pending:
            self._arrival.tick(self._whereabouts(), now_s)
        until_s = self._pressing_until_s
        if until_s is None or self._criticals_left():
            return
        if now_s >= until_s or not self._waiting(Priority.PRESSING):
            self._go_on(ask=True)

    def team_seen(self, at_s: float) -> None:
        """Record a sign of life of the team's program."""
        self._team_seen_s = max(self._team_seen_s, at_s)

    def _is_left(self, now_s: float) -> bool:
        """Return whether the grace is over; it is short while there is nothing to come back for."""
        if self._which_case.live and self._progress.nothing_yet:
            seen_s = max(self._last_heard_of_s, self._team_seen_s)
            return now_s - seen_s > min(self._grace_s, NOTHING_YET_S)
        return now_s - self._last_heard_of_s > self._grace_s

    def _heard(self, played: int | None) -> None:
        """Pass the listener's position, if there is one, to the queue."""
        if played is not None:
            self.played = played
            self._queue.played(played)

    def follow(self, now_s: float) -> None:
        """Hold while nobody is known to hear; resume, or welcome, once somebody is. Raises: GaveUp."""
        presence = self._listening.presence
        self._last_heard_of_s = max(self._last_heard_of_s, presence.heard_of_s(now_s))
        if self._is_left(now_s):
            raise GaveUp
        if self._taken_over and presence.hears:
            self._taken_over = False
            # the same device: its page after the line broke, or another tab of it
            if not self._attendance.same_device:
                self._act(Show(NoticeBody(code="taken_over", text=TAKEN_OVER)))
        if not self.greeted:
            return
        device = self._attendance.device
        change = self._attendance.follow(hears=presence.hears, heard_of_s=self._last_heard_of_s, now_s=now_s)
        match change:
            case AttendanceChange.NOTHING:
                if self._attendance.device != device:
                    self._note(here=True)
            case AttendanceChange.GONE:
                self._gone(now_s)
            case AttendanceChange.THERE:
                self._came(now_s, Return.TONE, Who.SAME, 0.0)
            case CameBack(who, gap_s):
                self._came(now_s, change.told, who, gap_s)
            case never:
                assert_never(never)

    def _gone(self, now_s: float) -> None:
        self._progress.listener_left()
        self._note(here=False, silent_s=now_s - self._last_heard_of_s)
        self._end_welcome("gone again")
        self._queue.hold(HoldCause.LISTENER)
        self._act(ListenerIs(away=True))

    def _came(self, now_s: float, told: Return, who: Who, gap_s: float) -> None:
        self._note(here=True)
        self._tell_of_crowd()
        self._act(ListenerIs(away=False))
        if told is Return.WELCOME:
            self._welcome(welcome_text(self._whereabouts()), now_s, full=True)
        elif told is Return.SENTENCE and not self._clinician.silence_asked:
            self._welcome(VOICE_BACK if who is Who.STAYED else back_text(gap_s), now_s, full=False)
        else:
            self._queue.tone(BACK)
            self._queue.release(HoldCause.LISTENER)

    def _note(self, *, here: bool, silent_s: float = 0.0) -> None:
        self._act(NoteListener(here=here, silent_s=silent_s, device=self._attendance.device))

    # --- what is said to who comes back -----------------------------------------------------------

    def _whereabouts(self) -> Whereabouts:
        progress = self._progress
        criticals = self._criticals_left()
        waiting = {key for each in criticals if (key := each.critical_key) is not None}
        return Whereabouts(
            which_case=self._which_case.sentences,
            begun=progress.first_ms is not None,
            heard=progress.heard,
            made=progress.made,
            new=progress.new,
            minutes=progress.minutes,
            stage=progress.stage,
            criticals=len(criticals),
            presses=bool(self._waiting(Priority.PRESSING)),
            unacknowledged=sum(key not in waiting for key in self._clinician.open_alerts),
            silent=self._clinician.silence_asked,
        )

    def _criticals_left(self) -> list[Utterance]:
        """Return the critical findings that wait or sound."""
        return [each for each in self._waiting(Priority.CRITICAL) if each.kind not in FIRST_WORDS]

    def _waiting(self, priority: Priority) -> list[Utterance]:
        return [
            s.utterance
            for s in self._queue.snapshot().standings
            if s.utterance.priority is priority and not (s.phase is Phase.SPEAKING and s.all_sent)
        ]

    def _welcome(self, text: str, now_s: float, *, full: bool) -> None:
        """Say a welcome before anything else; held and waiting speech follows it."""
        self._arrival.forget()
        self._welcomes += 1
        self._welcoming, self._full = f"{self._welcome_id}.{self._welcomes}", full
        self._queue.hold(HoldCause.LISTENER, admit=Priority.CRITICAL)
        self._act(Welcoming(on=True))
        self._act(Say(welcome(self._welcoming, text, now_s=now_s)))

    def moved(self, move: Move, utterance: Utterance) -> None:
        """Handle a change of phase; after a welcome, let pressing speech go first, or resume all of it."""
        if move.reason == "full" and utterance.priority is Priority.CRITICAL and not self._crowded:
            self._crowded = True
            self._tell_of_crowd()
        self._arrival.moved(move)
        if move.utterance_id != self._welcoming or not is_over(move.phase_to):
            return
        self._welcoming = None
        if not self._full or self._clinician.silence_asked:
            self._go_on(ask=False)
            return
        self._pressing_until_s = move.at_s + PRESSES_FOR_S  # also if more comes all the time
        self._demote(move.at_s)
        self._queue.hold(HoldCause.LISTENER, admit=Priority.PRESSING, begun=Priority.PRESSING)

    def _demote(self, now_s: float) -> None:
        """Demote the pressing items that exceed `PRESSES_FOR_S`, the lightest of them."""
        words = 0
        for waiting in sorted(self._waiting(Priority.PRESSING), key=lambda each: -each.weight):
            words += len(waiting.text.split())
            if words > PRESSES_FOR_S * WORDS_PER_S:
                self._queue.cancel(waiting.utterance_id, reason=PUT_OFF)
                self._act(Say(replace(replay(waiting, now_s), priority=Priority.SUMMARY)))

    def _tell_of_crowd(self) -> None:
        """Show that critical findings were dropped: at the first one, and to everybody who joins later."""
        if self._crowded:
            self._act(Show(NoticeBody(code="crowded", text=CROWDED)))

    def spoken_to(self) -> None:
        """End a welcome and its question, as the clinician gives commands or asks."""
        if self._end_welcome("the clinician went on"):
            self._queue.release(HoldCause.LISTENER)

    def _end_welcome(self, reason: str) -> bool:
        """Cancel a welcome and what follows it; return whether one was under way."""
        welcoming, self._welcoming = self._welcoming, None
        under_way = welcoming is not None or self._pressing_until_s is not None
        self._pressing_until_s = None
        if welcoming is not None:
            self._queue.cancel(welcoming, reason=reason)
        if under_way:
            self._act(Welcoming(on=False))
        return under_way

    def _go_on(self, *, ask: bool) -> None:
        self._pressing_until_s = None
        self._act(Welcoming(on=False))
        if ask:
            self._act(AskReady(f"{self._welcome_id}.{self._welcomes}"))
        self._queue.release(HoldCause.LISTENER)
