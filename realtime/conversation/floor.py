"""Keep the mode that the clinician asked for, our open question, and the answer under way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, assert_never

from realtime.actions import Act, Say, Show
from realtime.conversation import short_answers
from realtime.conversation.knowledge import Knowledge
from realtime.conversation.ports import SpeechPort
from realtime.conversation.recall import ASKED_S
from realtime.conversation.retelling import Retelling
from realtime.conversation.steering import FOR_TEAM, SILENT, TurnUnderWay
from realtime.conversation.unheard import ASK_AGAIN, ASK_AGAIN_S, MISSED
from realtime.interruption import Mode, PendingQuestion, words_of
from realtime.interruption.team import Request, approved, request_in
from realtime.protocol import NoticeBody
from realtime.speech.before import StateBefore, is_answer_to
from realtime.speech.returning import READY
from realtime.speech.tones import CRITICAL_WAITS, STILL_WAITING
from realtime.speech.waiting import Due, Waiting
from realtime.team.to_team import HELD, NO_SUCH, SEVERAL, TYPED_S, ToTeam, not_sent, problem_of, read_back
from tts_queue import HoldCause, Move, Phase, Priority, Utterance
from tts_queue.phases import is_over

STOP_OR_GO_ON: Final = "Stop, or go on?"
WRONG_CASE: Final = "Wrong case? Say: confirm."
QUESTIONS: Final = {
    PendingQuestion.STOP_OR_GO_ON: STOP_OR_GO_ON,
    PendingQuestion.READY: READY,
    PendingQuestion.WRONG_CASE: WRONG_CASE,
}
CONFIRMED: Final = FOR_TEAM | {PendingQuestion.WRONG_CASE}  # said to their end, and a cough is no answer
CONFIRM_S: Final = 10.0  # for "confirm", or the yes, from the last word of our question; then speech goes on

ANSWER_LEFT: Final = (
    "An alarm came before an answer, and something else was asked since: that answer is on this page only."
)
UNFINISHED: Final = frozenset({Phase.QUEUED, Phase.HELD})


class Floor:
    """Holds and releases the speech for the mode that was asked for, our question and our answer.

    Times are on the loop's clock, in seconds.
    """

    def __init__(
        self,
        session_id: str,
        *,
        stage: SpeechPort,
        act: Act,
        knows: Knowledge,
        retelling: Retelling,
        now_s: Callable[[], float],
    ) -> None:
        self._session_id, self._stage, self._act, self._knows = session_id, stage, act, knows
        self._retelling, self._now_s = retelling, now_s
        self.mode = Mode.FREE
        self.asking: str | None = None  # id of our question, until it is answered or its time is over
        self.asked: PendingQuestion | None = None  # which it is
        self.question = ""  # and its words
        self.asked_until_s: float | None = None
        self._on_the_page = False  # it was asked without a sound, and holds nothing
        self.overdue = False  # talk has delayed an alarm for long enough: our questions hold none
        self.answering: str | None = None  # turn id
        self.answer_id: str | None = None
        self._reply_id: str | None = None
        self._waiting: Waiting | None = None
        self._answers_quiet = False  # asked into a quiet: the answer passes it, and the quiet goes on
        self._to_team = ToTeam()

    def leave_question(self) -> None:
        """Leave our question and return to the mode; one that wants "confirm" is first said to its end."""
        if self.asking and (self.asked not in CONFIRMED or self.asked_until_s is not None):
            self.stand()

    def set_mode(self, mode: Mode) -> None:
        """Set the mode; a silence that is asked for again begins anew."""
        self.mode, now_s = mode, self._now_s()
        self._answers_quiet = False
        self._stage.release(HoldCause.USER)  # a hold anew: what sounds is held too
        self._waiting = None
        self.stand(stops=True)
        self._waiting = Waiting(now_s, self._stage.snapshot()) if mode is Mode.WAITING else None
        self._retelling.stopped.since_s = now_s

    def restore(self, before: StateBefore, again: Iterable[Utterance]) -> None:
        """Continue in the mode that an earlier worker left; `again`: what it left unsaid.

        The answer to what was asked into a quiet passes it. A question that got no answer is asked for again, and so is
        what was being said, or waited for a yes, when that worker ended.
        """
        self.set_mode(before.mode)
        answer = next((each for each in again if is_answer_to(before.asked_in_quiet, each)), None)
        if answer is not None:
            self.answering, self.answer_id = before.asked_in_quiet, answer.utterance_id
            self._answers_quiet = True
            self._stage.hold(HoldCause.USER, admit=Priority.ANSWER, begun=self._begun)
        elif before.unanswered and before.mode is not Mode.WRONG_CASE:
            self.reply(f"lost-{before.unanswered}", ASK_AGAIN, ASK_AGAIN_S, at_next_pause=True)
        elif before.missed and before.mode is Mode.FREE:
            self.reply(f"missed-{before.missed}", MISSED, ASK_AGAIN_S, at_next_pause=True)

    def stand(self, *, stops: bool = False) -> None:
        """Return to the mode: as it is asked for, when it `stops` alarms too, or after a question or a reply of ours.

        An alarm that sounds then, or that our question held, is not stopped by it.
        """
        self.drop_question()
        if self.mode not in SILENT and self.mode is not Mode.WRONG_CASE:
            self._let_go()
            return
        begun = None if stops else self._begun
        self._stage.hold(HoldCause.USER, admit=self._admits(), begun=begun)
        if begun is None:
            self._retelling.stopped.silence(self._stage.snapshot().standings)

    def _admits(self) -> Priority | None:
        """Return the least urgent priority that may be spoken in the silence that was asked for."""
        if self.mode is Mode.QUIET:
            return Priority.ANSWER if self._answers_quiet and self.answering else Priority.CRITICAL
        if self._waiting is None:
            return None
        speaking = self._stage.snapshot().speaking
        if speaking is not None and speaking.utterance.critical_key is not None:
            self._waiting.admits = True  # until it is over
        return Priority.CRITICAL if self._waiting.admits else None

    @property
    def _begun(self) -> Priority | None:
        """Return the least urgent priority that goes on if it had begun: alarms, unless one of them was stopped."""
        return None if self._retelling.stopped.any else Priority.CRITICAL

    def _let_go(self) -> None:
        """Resume the speech; stopped alarms are told from their beginning."""
        self._retelling.tell_stopped(asked=True)
        self._stage.release(HoldCause.USER)

    def drop_question(self) -> None:
        """Close our question, answered or not, and cancel what is left of it."""
        asking, self.asking = self.asking, None
        self.asked = self.asked_until_s = None
        self._on_the_page = False
        self._to_team.dropped()
        if asking is not None:
            self._stage.cancel(asking, reason="answered")

    def _hold_anew(self, admit: Priority | None, *, begun: Priority | None = None) -> None:
        """Hold anew for the clinician: what sounds is held too, unless it is as urgent as `begun`."""
        self._stage.release(HoldCause.USER)
        self._stage.hold(HoldCause.USER, admit=admit, begun=begun)

    def await_answer(self, turn_id: str) -> None:
        """Hold the speech until the answer was given; what is as urgent as an answer may pass.

        A question is no "stop": an alarm that sounds goes on, and one that the clinician's voice interrupted
        resumes before the answer. Only stopped alarms wait until after it. A question ends a wait, since who asks
        is back. A quiet goes on after the answer, until "go on".
        """
        if self.answer_id is not None:
            self._leave_answer(self.answer_id)
        self._answers_quiet = self.mode is Mode.QUIET
        self.mode, self._waiting = Mode.QUIET if self._answers_quiet else Mode.FREE, None
        self.drop_question()
        self._hold_anew(Priority.ANSWER, begun=self._begun)
        self.answering, self.answer_id = turn_id, None

    def _leave_answer(self, answer_id: str) -> None:
        """Cancel an answer for a newer question; the page says so if an alarm had delayed it."""
        standings = self._stage.snapshot().standings
        alarm = any(s.utterance.critical_key is not None for s in standings)
        waits = any(s.utterance.utterance_id == answer_id and s.phase in UNFINISHED for s in standings)
        self._stage.cancel(answer_id, reason="asked again")
        if alarm and waits:
            self._act(Show(NoticeBody(code="answer_left", text=ANSWER_LEFT)))

    def admit_alarms(self) -> None:
        """Let overdue alarms pass our questions and answers.

        Alarms that were stopped before are told from their beginning. A silence that was asked for, and "Wrong
        case?", keep their own rules.
        """
        if self.mode is not Mode.FREE or self.asked is PendingQuestion.WRONG_CASE:
            return
        self._retelling.tell_stopped(asked=True)
        if HoldCause.USER in self._stage.snapshot().holds:
            self._stage.hold(HoldCause.USER, admit=Priority.ANSWER, begun=Priority.CRITICAL)

    def drop_answer(self) -> None:
        """Cancel the answer under way, and await none."""
        answer_id, self.answering, self.answer_id = self.answer_id, None, None
        self._answers_quiet = False
        if answer_id is not None:
            self._stage.cancel(answer_id, reason="wrong case")

    @property
    def replying(self) -> bool:
        """Whether a reply of our own is being said or waits."""
        return self._reply_id is not None

    def reply(
        self,
        name: str,
        text: str,
        expires_after_s: float | None = None,
        *,
        at_next_pause: bool = False,
    ) -> None:
        """Say a reply of our own at once; a quiet or a wait that was asked for goes on after it.

        It is no "stop": an alarm that sounds goes on, and the reply comes after it. `at_next_pause`: it goes before
        all else that waits.
        """
        if self._reply_id is not None:
            self._stage.cancel(self._reply_id, reason="asked again")
        self.leave_question()
        if self.mode in SILENT:
            self._stage.hold(HoldCause.USER, admit=Priority.ANSWER, begun=self._begun)
        kind = short_answers.REPLY
        self._reply_id = f"{self._session_id}.{kind}.{name}"
        said = self._utterance(self._reply_id, text, Priority.ANSWER, kind)
        self._act(Say(replace(said, expires_after_s=expires_after_s, at_next_pause=at_next_pause)))

    def reply_to(self, turn: TurnUnderWay, text: str) -> None:
        """Say a reply of our own to a turn, and keep it there: the page shows it with the turn."""
        turn.reply = text
        self.reply(turn.turn_id, text, at_next_pause=True)

    def answered(self, turn_id: str, text: str, *, kind: str = "answer") -> str | None:
        """Say an answer; return its utterance's id, or None if nobody waits for it any more."""
        if turn_id != self.answering:
            return None
        self.answer_id = f"{self._session_id}.{kind}.{turn_id}"
        self._act(Say(self._utterance(self.answer_id, text, Priority.ANSWER, kind)))
        return self.answer_id

    def foreseen(self, text: str) -> None:
        """Synthesise the first words of an answer that may be given in a moment."""
        self._stage.rehearse(self._utterance("", text, Priority.ANSWER, "answer"))

    def ask(self, asked: PendingQuestion, about: str, question: str = "") -> None:
        """Ask aloud, and hold all else but overdue alarms; a quiet or a wait goes on unless the answer ends it."""
        self.drop_question()
        priority = Priority.INTERLOCK if asked is PendingQuestion.WRONG_CASE else Priority.ANSWER
        overdue = self.overdue and self.mode is Mode.FREE and asked is not PendingQuestion.WRONG_CASE
        self._hold_anew(priority, begun=Priority.CRITICAL if overdue else None)
        self.asking, self.asked = f"{self._session_id}.question.{about}", asked
        self.question = question or QUESTIONS[asked]
        asking = self._utterance(self.asking, self.question, priority, "question")
        self._act(Say(replace(asking, at_next_pause=True)))

    def ask_team(self, turn: TurnUnderWay, text: str) -> None:
        """Read a message to the team back, and wait for a yes; or say why the team can't be asked."""
        names = self._knows.team_names()
        request = request_in(text, frozenset(names)) or Request("", "", is_fact=False)
        problem = self._knows.team_problem(cancels=request.cancels) or problem_of(request)
        self._read_back(turn, request, problem, PendingQuestion.TO_TEAM)

    def ask_approval(self, turn: TurnUnderWay, text: str) -> None:
        """Read back the one recommendation that was named, and wait for "confirm"."""
        found = self._knows.recommendations(approved(words_of(text)) or ())
        request = found[0] if len(found) == 1 else Request("", "", is_fact=False, approves=True)
        problem = HELD if self.mode is not Mode.FREE else self._knows.team_problem(cancels=False)
        problem = problem or (SEVERAL if len(found) > 1 else "" if found else NO_SUCH) or problem_of(request)
        self._read_back(turn, request, problem, PendingQuestion.APPROVAL)

    def _read_back(self, turn: TurnUnderWay, request: Request, problem: str, asked: PendingQuestion) -> None:
        """Read a message to the team back and ask about it, or say its `problem`."""
        if problem:
            self.reply_to(turn, problem)
            self._to_team.pay()  # every problem says that nothing was sent
            return
        names, pending = self._knows.team_names(), self._to_team.pending
        question = read_back(
            request, request.to and names[request.to], instead=not_sent(pending) if pending else ""
        )
        if turn.typed:
            self._ask_on_the_page(asked, turn.turn_id, question)
        else:
            self.ask(asked, turn.turn_id, question)
        self._to_team = ToTeam(pending=request)

    def _ask_on_the_page(self, asked: PendingQuestion, about: str, question: str) -> None:
        """Ask on the page only, for a typed request: nothing sounds, and nothing is held."""
        self.drop_question()
        self.asking, self.asked = f"{self._session_id}.question.{about}", asked
        self.question, self.asked_until_s = question, self._now_s() + TYPED_S
        self._on_the_page = True

    def welcoming(self, on: bool, *, spoken_to: bool) -> None:
        """Let a welcome and critical speech pass a wait that was asked for, or stop doing so.

        An open question of ours that was asked aloud is dropped, since it would hold back what presses. What was
        to go to the team is not sent, and that is said. "Wrong case?" stays, and so does any question while a turn
        is under way (`spoken_to`).
        """
        aloud = self.asking and not self._on_the_page and self.asked is not PendingQuestion.WRONG_CASE
        if on and aloud and not spoken_to:
            self.stand()
        if self._waiting is not None and not self._waiting.admits:
            self._let_pass(Priority.CRITICAL if on else None)

    def _let_pass(self, admit: Priority | None) -> None:
        """Let `admit` pass a wait that was asked for, and a reply of ours if one is to be said."""
        self._stage.hold(HoldCause.USER, admit=admit if self._reply_id is None else Priority.ANSWER)

    def _wait(self, due: Due) -> None:
        match due:
            case Due.CHIME:
                self._stage.tone(STILL_WAITING)
            case Due.TONE:
                self._stage.tone(CRITICAL_WAITS)
            case Due.ADMIT:
                self._let_pass(Priority.CRITICAL)
            case Due.SHUT:
                self._let_pass(None)
            case never:
                assert_never(never)

    def _utterance(self, utterance_id: str, text: str, priority: Priority, kind: str) -> Utterance:
        return Utterance(utterance_id, text, priority, kind, queued_at_s=self._now_s())

    def tell_stopped(self, now_s: float, *, spoken_to: bool) -> bool:
        """Tell the stopped alarms that are due in spite of the silence; return whether there was one.

        While somebody speaks (`spoken_to`), only the longest time counts.
        """
        if self.mode not in SILENT or self.asking:
            return False
        self._retelling.stopped.look(self._stage.snapshot().standings)
        waiting = self.mode is Mode.WAITING and not spoken_to
        due = self._retelling.stopped.due(now_s, waiting=waiting)
        told = due and self._retelling.tell_stopped(asked=False)
        if told and self._waiting:
            self._waiting.admits = True
            self._wait(Due.ADMIT)
        return told

    def quiet(self) -> None:
        """Be quiet: only critical findings are spoken, and a question without an answer gets none."""
        if self.answer_id is None:
            self.answering = None
        self.set_mode(Mode.QUIET)

    def _quiet_again(self) -> None:
        """Return to the quiet that the question interrupted, once nothing of ours is left to say.

        Alarms break a quiet: one that the question interrupted resumes, and one that was stopped before it is
        told from its beginning, as who asks listens again.
        """
        if self._reply_id is not None or self.asking:
            return
        self._answers_quiet = False
        self._retelling.tell_stopped(asked=True)
        self._stage.hold(HoldCause.USER, admit=Priority.CRITICAL, begun=Priority.CRITICAL)

    def confirmed(self) -> Request | None:
        """Return the message that was confirmed, and return to the mode."""
        request = self._to_team.take()
        self.stand()
        return request

    def not_sent(self) -> str:
        """Return, once, the sentence about a message that was abandoned unsent; "" if there is none."""
        return self._to_team.pay()

    def moved(self, move: Move) -> None:
        """Handle a change of phase: an answer, a reply or a question of ours may be over."""
        if not is_over(move.phase_to):
            return
        if move.utterance_id == self.answer_id:
            self.answering = self.answer_id = None
            if self.mode is Mode.FREE and not self.asking:
                self._let_go()
            elif self._answers_quiet:
                self._quiet_again()
        if move.utterance_id == self._reply_id:
            self._reply_id = None
            if self.mode in SILENT and not self.asking and not self._answers_quiet:
                self.stand()  # silent again
            elif self._answers_quiet and self.answering is None:
                self._quiet_again()
        if move.utterance_id == self.asking:
            within_s = CONFIRM_S if self.asked in CONFIRMED else ASKED_S
            self.asked_until_s = move.at_s + within_s

    def tick(self, now_s: float, *, spoken_to: bool) -> None:
        """Do what is due at `now_s`; `spoken_to`: a turn is under way."""
        if self.asked_until_s is not None and now_s >= self.asked_until_s and not spoken_to:
            self.stand()  # the question had no answer in time
        for due in self._waiting.tick(now_s, self._stage.snapshot()) if self._waiting else ():
            self._wait(due)

    @property
    def mode_name(self) -> str:
        """Return the mode by its name in the protocol."""
        return "asking" if self.asking else self.mode.value

    def told(self) -> dict[str, str | int]:
        """Return the fields of `ModeBody` about our question and the number of utterances that wait."""
        waiting = self._stage.waiting
        if self.asked is None:
            return {"waiting": waiting, "question": "", "asks": ""}
        return {"waiting": waiting, "question": self.question, "asks": self.asked.value}
