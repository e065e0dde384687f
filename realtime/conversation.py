"""What a voice, a button or a typed question does to the speech.

A voice holds the speech at once; the verdict on what was said comes with its turn, and only then is
anything dropped, answered or gone on with. Everything here is decided at the moment it is told, on the
event loop of the session, and nothing waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Set
from dataclasses import asdict, replace
from typing import Final, assert_never

from realtime import short_answers
from realtime.alerts import Alerts, is_idle_repetition, is_missed, is_told
from realtime.before import Before
from realtime.chat import effect_of
from realtime.dial import turned
from realtime.eager import at_a_pause, restores_mode, standing
from realtime.ears import (
    EagerTurn,
    EarEvent,
    EarsFailed,
    EarsRecovered,
    TurnEnded,
    TurnMetadata,
    TurnResumed,
    VoiceBegan,
    VoicePaused,
)
from realtime.house import House, Stage
from realtime.interruption import (
    UNSURE,
    Asked,
    Context,
    Effect,
    Kind,
    Mode,
    Verdict,
    Why,
    classify_with_prosody,
    lexicon,
    words_of,
)
from realtime.interruption.team import Request, approved, request_in
from realtime.kept import kept
from realtime.noise import Noise
from realtime.protocol import ModeBody, NoticeBody, TurnBody
from realtime.recall import ASKED_S, Recall
from realtime.returning import READY
from realtime.steering import NO_ANSWER, SILENT, STEERS, TurnUnderWay, takes
from realtime.stopped import TOLD_AGAIN, Stopped
from realtime.takeover import replay
from realtime.to_team import (
    HELD,
    NO_SUCH,
    NOT_SENT_S,
    SEVERAL,
    TYPED_S,
    ToTeam,
    not_sent,
    problem_of,
    read_back,
)
from realtime.tones import CRITICAL_WAITS, STILL_WAITING
from realtime.verbosity import Verbosity, verbosity_after
from realtime.waiting import Due, Waiting
from tts_queue import HoldCause, Move, Phase, Priority, Utterance
from tts_queue.phases import is_over

STOP_OR_GO_ON: Final = "Stop, or go on?"
WRONG_CASE: Final = "Wrong case? Say: confirm."
QUESTIONS: Final = {
    Asked.STOP_OR_GO_ON: STOP_OR_GO_ON,
    Asked.READY: READY,
    Asked.WRONG_CASE: WRONG_CASE,
}
SHOWN_S: Final = 12.0  # for so long the page shows words that were not said to us; nobody keeps them
FOR_TEAM: Final = frozenset({Asked.TO_TEAM, Asked.APPROVAL})
CONFIRMED: Final = FOR_TEAM | {Asked.WRONG_CASE}  # said to their end, and a cough is no answer
CONFIRM_S: Final = 10.0  # for "confirm", or the yes, from the last word of our question; then speech goes on
IN_DOUBT: Final = "Nothing is said or answered until you say, or press, that this is the right case."
REFUSAL: Final = "I can't give orders, and have passed nothing on."
_UNFINISHED: Final = frozenset({Phase.QUEUED, Phase.HELD})


class Conversation:
    """The verdicts on turns, put into effect. Times are on the loop's clock, in seconds."""

    def __init__(
        self,
        session_id: str,
        epoch: int,
        *,
        stage: Stage,
        house: House,
        now_s: Callable[[], float],
        case_words: frozenset[str] = frozenset(),
    ) -> None:
        """`epoch` keeps the ids of this worker's turns apart from those of another."""
        self._session_id, self._epoch = session_id, epoch
        self._stage, self._house, self.now_s = stage, house, now_s
        self.case_words = case_words
        lexicon()  # read before the first turn: it takes as long as a word
        self.alerts = Alerts()
        self.recall = Recall()
        self.away = False
        self._mode = Mode.FREE
        self.verbosity = Verbosity.NORMAL
        self._noise = Noise()
        self._turns: dict[int, TurnUnderWay] = {}
        self._overheard: deque[tuple[float, str]] = deque()  # turn ids, and until when they are shown
        self._unsure_s: float | None = None
        self.own_voice = 0  # turns that were our own words, heard back: each held us
        self._asking: str | None = None  # id of our question, until it is answered or its time is over
        self._asked: Asked | None = None  # which it is
        self._question = ""  # and its words
        self._to_team = ToTeam()
        self._asked_until_s: float | None = None
        self._answering: str | None = None  # turn id
        self._answer_id: str | None = None
        self._reply_id: str | None = None
        self._waiting: Waiting | None = None
        self._stopped = Stopped()
        self._by_hand = self._unsent = 0
        self._told = ModeBody()

    # --- what comes from the ears ---------------------------------------------------------------

    def heard(self, event: EarEvent) -> None:
        """Take an event of the ears."""
        match event:
            case VoiceBegan(number):
                self._voice_began(number)
            case VoicePaused(number):
                self._stage.voice_ended()
                self._pause(number, True)
                self._tell_turn(number, "deciding")
            case TurnResumed(number):
                self._hold_for_voice()
                self._pause(number, False)
                self._tell_turn(number, "listening")
            case EagerTurn(number, text, metadata):
                self._decide(number, text, metadata, final=False)
            case TurnEnded(number, text, metadata):
                self._decide(number, text, metadata, final=True)
            case EarsFailed() | EarsRecovered():
                pass  # the house tells of the ears' state
            case never:
                assert_never(never)
        self._settled()

    def _voice_began(self, number: int) -> None:
        now_s = self.now_s()
        snapshot = self._stage.snapshot()
        held = HoldCause.VOICE in snapshot.holds
        voiced = [s for s in snapshot.standings if held and s.cause is HoldCause.VOICE]
        ours = snapshot.speaking or next(iter(voiced), None)
        self._turns[number] = TurnUnderWay(
            turn_id=f"t-{self._epoch}-{number}",
            began_s=now_s,
            heard=ours.utterance if ours else None,
            held=ours is not None and not self._noise.noisy,
            mode_before=self._mode,
            asked=self._open_question(),
            alarm=self._alarm_heard(now_s, ours.utterance if ours else None),
        )
        self._hold_for_voice()
        self._noise = self._noise.voice(now_s)
        self._stopped.voice(now_s)
        self._tell_turn(number, "listening")

    def _open_question(self) -> Asked | None:
        """Return the question of ours that a turn which begins now answers.

        "Confirm" said before the end of "Say: confirm" may be our own voice, heard back.
        """
        early = self._asked in CONFIRMED and self._asked_until_s is None
        return None if early else self._asked

    def _alarm_heard(self, at_s: float, sounding: Utterance | None) -> str | None:
        """Return the key of the critical finding of which "got it", said from `at_s` on, takes note."""
        last = self.recall.last
        sounds = last is not None and sounding is not None and last.utterance_id == sounding.utterance_id
        return self.alerts.acknowledgeable(last, at_s, sounds=sounds)

    def _pause(self, number: int, paused: bool) -> None:
        turn = self._turns.get(number)
        if turn is not None:
            turn.paused = paused

    def _hold_for_voice(self) -> None:
        if self._noise.noisy:
            self._stage.duck(True)
        else:
            self._stage.hold(HoldCause.VOICE)

    def _decide(self, number: int, text: str, metadata: TurnMetadata, *, final: bool) -> None:
        turn = self._turns[number]
        if turn.taken is None:
            turn.asked = turn.asked or self._open_question()
        judged = classify_with_prosody(text, metadata, self._context(turn))
        doubt = bool(CONFIRMED & {turn.asked, self._asked})  # then nothing is done at a pause
        verdict = judged if final else None if doubt else at_a_pause(judged, metadata.duration_ms)
        if verdict is None:
            return
        taken = turn.taken
        verdict = self._allowed(standing(taken, verdict))
        if taken is None or taken.effect is not verdict.effect:
            if restores_mode(taken):
                self._set_mode(turn.mode_before)
            if not (doubt and verdict.why in NO_ANSWER):
                self._apply(verdict.effect, turn, text)
            turn.taken = verdict
        self._release_voice(number)
        body = TurnBody(
            turn_id=turn.turn_id,
            phase="decided",
            text=text,
            kind=verdict.kind.value,
            effect=verdict.effect.value,
            why=verdict.why.value,
            confidence=verdict.confidence,
            duration_ms=metadata.duration_ms,
            resumed=metadata.had_turn_resumed,
        )
        self._house.tell(body)
        if final:
            self._finish(number, verdict, body, failed=metadata.trigger == "failed")

    def _allowed(self, verdict: Verdict) -> Verdict:
        """Return the verdict, or none for us if what it asks for is not to be had now."""
        if self.takes(verdict.effect):
            return verdict
        return replace(verdict, kind=Kind.IGNORE, effect=Effect.GO_ON)

    def _finish(self, number: int, verdict: Verdict, body: TurnBody, *, failed: bool) -> None:
        turn = self._turns.pop(number)
        now_s = self.now_s()
        self.own_voice += verdict.why is Why.ECHO
        if verdict.why in UNSURE:
            self._unsure_s = now_s
        if turn.held and verdict.kind is Kind.IGNORE and not failed:  # deaf is not noisy
            self._noise = self._noise.held_in_vain(now_s - turn.began_s, now_s)
        else:
            for_us = verdict.effect in STEERS or verdict.kind is Kind.ACKNOWLEDGMENT
            self._noise = self._noise.decided(for_us=for_us)
        if not self._turns:
            self._stage.duck(False)
        self._stopped.voice(now_s)
        if kept(body) != body:
            self._overheard.append((now_s + SHOWN_S, turn.turn_id))
        self._house.record(kept(body))

    def _context(self, turn: TurnUnderWay) -> Context:
        now_s = self.now_s()
        mode = Mode.NOISY if self._noise.noisy and self._mode is Mode.FREE else self._mode
        return Context(
            speaking=turn.heard is not None,
            mode=mode if turn.taken is None else turn.mode_before,
            asked=turn.asked,
            asked_anything=self.recall.asked_anything(turn.began_s),
            critical_told=turn.alarm is not None,
            unsure_before_s=None if self._unsure_s is None else now_s - self._unsure_s,
            said=self.recall.said(now_s),
            case_words=self.case_words,
            agents=frozenset(self._house.team_names()),
        )

    # --- what is asked by hand ------------------------------------------------------------------

    def takes(self, effect: Effect) -> bool:
        """Return whether this may be asked for now."""
        return takes(effect, self._mode, self._asked)

    def by_hand(self, effect: Effect, *, text: str = "", critical_key: str | None = None) -> None:
        """Do what a button, a key or, with `text`, something typed asks for, if `takes` allows it."""
        self._by_hand += 1
        via, prefix = ("text", "q") if text else ("button", "b")
        turn_id = f"{prefix}-{self._epoch}-{self._by_hand}"
        now_s = self.now_s()
        turn = TurnUnderWay(turn_id, now_s, heard=None, held=False, mode_before=self._mode, typed=bool(text))
        turn.alarm = self._alarm_heard(now_s, self._sounding())
        if effect is Effect.ACKNOWLEDGE and critical_key is not None:
            self._take_note(critical_key)
        else:
            self._apply(effect, turn, text)
        body = TurnBody.model_validate(
            {"turn_id": turn_id, "phase": "decided", "via": via, "text": text, "effect": effect.value}
        )
        self._house.tell(body)
        self._house.record(body)
        self._settled()

    def is_for_team(self, text: str) -> bool:
        """Return whether what was typed is for the team, or answers our question whether to send it."""
        names = frozenset(self._house.team_names())
        addressed = approved(words_of(text)) is not None or request_in(text, names) is not None
        return addressed or self._asked in FOR_TEAM

    def typed(self, text: str) -> None:
        """Do what a message in the chat asks for, or have it answered."""
        context = Context(
            mode=self._mode,
            asked=self._asked,
            asked_anything=True,  # nobody types to somebody else here
            critical_told=self._alarm_heard(self.now_s(), self._sounding()) is not None,
            case_words=self.case_words,
            agents=frozenset(self._house.team_names()),
        )
        effect = effect_of(text, context)
        if self.takes(effect):
            self.by_hand(effect, text=text)
        else:
            self._house.tell(NoticeBody(code="wrong_case", text=IN_DOUBT))

    def _sounding(self) -> Utterance | None:
        speaking = self._stage.snapshot().speaking
        return speaking.utterance if speaking else None

    # --- effects --------------------------------------------------------------------------------

    def _apply(self, effect: Effect, turn: TurnUnderWay, text: str) -> None:
        self._do(effect, turn, text)
        if effect in STEERS:
            self._house.steered()

    def _do(self, effect: Effect, turn: TurnUnderWay, text: str) -> None:
        self._stage.set_dial(turned(self._stage.dial, effect))
        match effect:
            case (
                Effect.GO_ON | Effect.NOT_ACTED_ON
                | Effect.FASTER | Effect.SOFTER | Effect.USUAL_PACE | Effect.USUAL_VOLUME
            ):  # fmt: skip
                self._leave_question()
            case Effect.RESUME | Effect.RIGHT_CASE:
                self._set_mode(Mode.FREE)
            case Effect.QUIET:
                if self._answer_id is None:
                    self._answering = None  # what is not yet answered stays so
                self._set_mode(Mode.QUIET)
            case Effect.WAIT:
                self._set_mode(Mode.WAITING)
            case Effect.SKIP:
                self._drop_question()  # a question of ours is over: what it broke into is meant
                heard = turn.heard
                self._stage.skip(heard.utterance_id if heard and heard.kind != "question" else None)
                self._set_mode(Mode.FREE)
            case Effect.REPEAT | Effect.SLOWER | Effect.LOUDER:
                self._repeat()
                self._set_mode(Mode.FREE)
            case Effect.PREVIOUS:
                self._previous(turn)
            case Effect.BRIEF | Effect.FULL | Effect.USUAL_DETAIL:
                self._tell_as_much(verbosity_after(self.verbosity, effect))
                self._reply(turn, short_answers.DETAIL[effect])
            case Effect.ACKNOWLEDGE:
                if turn.alarm is not None:
                    self._take_note(turn.alarm)
                    self._reply(turn, short_answers.noted(self.alerts.name_of(turn.alarm)))
            case Effect.MORE:
                self._await_answer(turn.turn_id)
                longer = self._house.more(self.recall.item) if self.recall.item else None
                if longer is None:
                    self._house.ask(turn.turn_id, text, self.recall.item)
                else:
                    self.answered(turn.turn_id, longer)
            case Effect.HERE:
                self._reply(turn, short_answers.here(self._mode))
            case Effect.HOW_LONG:
                waiting = [s.utterance for s in self._stage.snapshot().standings if s.phase in _UNFINISHED]
                self._reply(turn, short_answers.how_long(waiting, self._house.agents_stand()))
            case Effect.SPELL:
                word = short_answers.word_meant(text, self.recall.words, self.case_words)
                said = short_answers.NOTHING_TO_SPELL if word is None else short_answers.spelled(word)
                self._reply(turn, said)
            case Effect.WRONG_CASE:
                self._drop_answer()
                self.ask(Asked.WRONG_CASE, turn.turn_id)
            case Effect.CONFIRM_WRONG_CASE:
                self._drop_answer()
                self._set_mode(Mode.WRONG_CASE)
            case Effect.ANSWER:
                self._await_answer(turn.turn_id)
                self._house.ask(turn.turn_id, text, self.recall.item)
            case Effect.REFUSE_ORDER:
                self._await_answer(turn.turn_id)
                self.answered(turn.turn_id, REFUSAL, kind="refusal")
            case Effect.ASK:
                self.ask(Asked.STOP_OR_GO_ON, turn.turn_id)
            case Effect.ASK_TEAM:
                self._ask_team(turn, text)
            case Effect.APPROVE:
                self._ask_approval(turn, text)
            case Effect.SEND_TO_TEAM:
                request = self._to_team.take()
                self._stand()
                if request is not None:
                    self._house.send_to_team(turn.turn_id, request)
            case Effect.KEEP_FROM_TEAM:
                self._stand()
            case never:
                assert_never(never)

    def _release_voice(self, number: int) -> None:
        """Lift the hold for this voice, unless another turn is under way."""
        if not self._turns.keys() - {number}:
            self._stage.release(HoldCause.VOICE)

    def _leave_question(self) -> None:
        """Stand as before we asked, if we did; what wants a word of its own is first said to its end."""
        if self._asking and (self._asked not in CONFIRMED or self._asked_until_s is not None):
            self._stand()

    def _set_mode(self, mode: Mode) -> None:
        """Stand so from now on: a silence that is asked for again begins anew."""
        self._mode, now_s = mode, self.now_s()
        self._stand()
        self._waiting = Waiting(now_s, self._stage.snapshot()) if mode is Mode.WAITING else None
        self._stopped.since_s = now_s

    def _stand(self) -> None:
        """Stand as we did before a question, or a few words, of ours."""
        self._drop_question()
        match self._mode:
            case Mode.QUIET:
                self._hold_anew(Priority.CRITICAL)
            case Mode.WAITING | Mode.WRONG_CASE:
                self._hold_anew(None)
                if self._waiting is not None:
                    self._waiting.admits = False
            case _:
                self._let_go()
                return
        self._stopped.silence(self._stage.snapshot().standings)

    def _let_go(self) -> None:
        """Go on; alarms that were stopped are told from their beginning."""
        self._tell_again(asked=True)
        self._stage.release(HoldCause.USER)

    def _tell_again(self, *, asked: bool) -> bool:
        """Offer the stopped alarms anew, if they may be; return whether there was one."""
        alarms = self._stopped.take(lambda each: self.alerts.tell_stopped(each, asked=asked))
        for each in alarms:
            self._stage.cancel(each.utterance_id, reason=TOLD_AGAIN)
            self._again(each, priority=each.priority)
        return bool(alarms)

    def _drop_question(self) -> None:
        """Our question is answered, or nobody answers it; what is left of it is not said."""
        asking, self._asking = self._asking, None
        self._asked = self._asked_until_s = None
        self._to_team.dropped()
        if asking is not None:
            self._stage.cancel(asking, reason="answered")

    def _hold_anew(self, admit: Priority | None) -> None:
        """Hold for the clinician from now on: what sounds is held too, whatever it admits."""
        self._stage.release(HoldCause.USER)
        self._stage.hold(HoldCause.USER, admit=admit)

    def _await_answer(self, turn_id: str) -> None:
        """Hold what sounds until the answer was given; what is as urgent as it may pass."""
        if self._answer_id is not None:
            self._stage.cancel(self._answer_id, reason="asked again")
        self._mode, self._waiting = Mode.FREE, None
        self._drop_question()
        self._hold_anew(Priority.ANSWER)
        self._answering, self._answer_id = turn_id, None

    def _drop_answer(self) -> None:
        """Nobody waits for an answer any more; one that is there is not said."""
        answer_id, self._answering, self._answer_id = self._answer_id, None, None
        if answer_id is not None:
            self._stage.cancel(answer_id, reason="wrong case")

    def _reply(self, turn: TurnUnderWay, text: str) -> None:
        """Say a few words of our own at once; a quiet or a wait that was asked for goes on after them."""
        self._reply_as(turn.turn_id, text)

    def _reply_as(self, name: str, text: str, expires_after_s: float | None = None) -> None:
        if self._reply_id is not None:
            self._stage.cancel(self._reply_id, reason="asked again")
        self._leave_question()
        if self._mode in SILENT:
            self._hold_anew(Priority.ANSWER)
        kind = short_answers.REPLY
        self._reply_id = f"{self._session_id}.{kind}.{name}"
        said = self._utterance(self._reply_id, text, Priority.ANSWER, kind)
        self._house.offer(replace(said, expires_after_s=expires_after_s))

    def answered(self, turn_id: str, text: str, *, kind: str = "answer") -> str | None:
        """Say an answer; return its utterance's id, or None if nobody waits for it any more."""
        if turn_id != self._answering:
            return None
        self._answer_id = f"{self._session_id}.{kind}.{turn_id}"
        self._house.offer(self._utterance(self._answer_id, text, Priority.ANSWER, kind))
        return self._answer_id

    def ask(self, asked: Asked, about: str, question: str = "") -> None:
        """Ask, and hold all else; a quiet or a wait that was asked for goes on if no answer ends it."""
        self._drop_question()
        priority = Priority.INTERLOCK if asked is Asked.WRONG_CASE else Priority.ANSWER
        self._hold_anew(priority)
        self._asking, self._asked = f"{self._session_id}.question.{about}", asked
        self._question = question or QUESTIONS[asked]
        self._house.offer(self._utterance(self._asking, self._question, priority, "question"))

    # --- the team -------------------------------------------------------------------------------

    def _ask_team(self, turn: TurnUnderWay, text: str) -> None:
        """Read back what is for the team, and wait for a yes; say at once why nobody can be asked."""
        names = self._house.team_names()
        request = request_in(text, frozenset(names)) or Request("", "", is_fact=False)
        problem = self._house.team_problem(cancels=request.cancels) or problem_of(request)
        self._read_back(turn, request, problem, Asked.TO_TEAM)

    def _ask_approval(self, turn: TurnUnderWay, text: str) -> None:
        """Read back the one recommendation that is named, and wait for "confirm"."""
        found = self._house.recommendations(approved(words_of(text)) or ())
        request = found[0] if len(found) == 1 else Request("", "", is_fact=False, approves=True)
        problem = HELD if self._mode is not Mode.FREE else self._house.team_problem(cancels=False)
        problem = problem or (SEVERAL if len(found) > 1 else "" if found else NO_SUCH) or problem_of(request)
        self._read_back(turn, request, problem, Asked.APPROVAL)

    def _read_back(self, turn: TurnUnderWay, request: Request, problem: str, asked: Asked) -> None:
        if problem:
            self._reply(turn, problem)
            self._to_team.pay()  # every problem says that nothing was sent
            return
        names, pending = self._house.team_names(), self._to_team.pending
        question = read_back(
            request, request.to and names[request.to], instead=not_sent(pending) if pending else ""
        )
        if turn.typed:
            self._ask_on_the_page(asked, turn.turn_id, question)
        else:
            self.ask(asked, turn.turn_id, question)
        self._to_team = ToTeam(pending=request)

    def _ask_on_the_page(self, asked: Asked, about: str, question: str) -> None:
        """Ask who typed, without a sound: nothing is held for it."""
        self._drop_question()
        self._asking, self._asked = f"{self._session_id}.question.{about}", asked
        self._question, self._asked_until_s = question, self.now_s() + TYPED_S

    def team_told(self, name: str, text: str) -> None:
        """Say what became of a message to the team."""
        self._reply_as(name, text)
        self._tell_mode()

    def _settled(self) -> None:
        """Say that nothing was sent, if a read-back was let go of; then tell the page how we stand."""
        owed = self._to_team.pay()
        if owed:
            self._house.tell(NoticeBody(code="team_not_sent", text=owed))
            self._unsent += 1
            self._reply_as(f"unsent-{self._epoch}-{self._unsent}", owed, NOT_SENT_S)
        self._tell_mode()

    # --- who comes back -------------------------------------------------------------------------

    def restore(self, before: Before) -> None:
        """Go on as an earlier worker stood: what was asked of it stays asked."""
        self.alerts.acknowledged |= before.acknowledged
        self.alerts.restore(before.told, self.now_s())
        self._set_mode(before.mode)
        self._stage.set_dial(before.dial)
        self._tell_as_much(before.verbosity)

    def _tell_as_much(self, verbosity: Verbosity) -> None:
        self.verbosity = verbosity
        self._house.detail(verbosity)

    @property
    def silence_asked(self) -> bool:
        """Return whether the clinician asked for quiet, or to wait, or the case is the wrong one."""
        return self._mode is not Mode.FREE

    def welcoming(self, on: bool) -> None:
        """Let what is critical, and a welcome, pass a wait that was asked for; or no more."""
        if self._waiting is not None and not self._waiting.admits:
            self._stage.hold(HoldCause.USER, admit=Priority.CRITICAL if on else None)

    def ask_ready(self, about: str) -> None:
        """Ask whether to go on, unless the clinician speaks, or waits for an answer."""
        if self._mode is Mode.FREE and not self._turns and not self._answering and not self._asking:
            self.ask(Asked.READY, about)

    def _utterance(self, utterance_id: str, text: str, priority: Priority, kind: str) -> Utterance:
        return Utterance(utterance_id, text, priority, kind, queued_at_s=self.now_s())

    def _repeat(self) -> None:
        item = self.recall.item
        if item is not None:
            self._stage.cancel(item.utterance_id, reason="repeated")
            self._again(item, priority=min(item.priority, Priority.ANSWER))

    def _previous(self, turn: TurnUnderWay) -> None:
        item = self.recall.previous()
        if item is None:
            self._reply(turn, short_answers.NOTHING_BEFORE)
            return
        self._again(item, priority=min(item.priority, Priority.ANSWER))
        self._set_mode(Mode.FREE)

    def _again(self, item: Utterance, *, priority: Priority) -> None:
        again = replace(
            replay(item, self.now_s()),
            priority=priority,
            from_clause=0,
            topic=None,  # it takes no newer one's place
            expires_after_s=None,
        )
        self.recall.again(again)
        self._house.offer(again)

    def _take_note(self, key: str) -> None:
        if self.alerts.acknowledge(key):
            self._repeat_no_more({key}, reason="acknowledged")
        self._house.took_note(key)

    def criticals(self, findings: Mapping[str, str]) -> None:
        """Take note of what is critical now, by key, each with its name: what is no more is not repeated."""
        self._repeat_no_more(self.alerts.standing(findings), reason="taken back")

    def _repeat_no_more(self, keys: Set[str], *, reason: str) -> None:
        for each in self._stage.snapshot().standings if keys else ():
            if is_idle_repetition(each, keys):
                self._stage.cancel(each.utterance.utterance_id, reason=reason)

    # --- what becomes of the speech, and time ---------------------------------------------------

    def moved(self, move: Move, utterance: Utterance) -> None:
        """Take note of a change of phase."""
        over = is_over(move.phase_to)
        if over or move.phase_to is Phase.SPEAKING:
            self._stopped.gone(move.utterance_id)
        if utterance.critical_key is not None and over and move.reason != TOLD_AGAIN:
            if is_told(move.phase_to, move.reason):
                self.alerts.told(utterance, move.at_s)
            elif is_missed(move.phase_to, move.reason):
                self.alerts.missed(utterance, move.at_s)
            elif utterance.replays is not None:
                self.alerts.dropped(utterance)
        if over and self.recall.item is not None and utterance.replays == self.recall.item.utterance_id:
            self.recall.item = utterance  # if it is wanted once more, under the next id
        if over and move.utterance_id == self._answer_id:
            self._answering = self._answer_id = None
            if self._mode is Mode.FREE and not self._asking:
                self._let_go()
        if over and move.utterance_id == self._reply_id:
            self._reply_id = None
            if self._mode in SILENT and not self._asking:
                self._stand()  # silent again
        if over and move.utterance_id == self._asking:
            within_s = CONFIRM_S if self._asked in CONFIRMED else ASKED_S
            self._asked_until_s = move.at_s + within_s

    def watchdog(self, held_s: float) -> None:
        """Take note that speech went on without a verdict: the voice does not end, or its text is late."""
        if any(not turn.paused for turn in self._turns.values()):
            self._noise = self._noise.held_in_vain(held_s, self.now_s())
            self._stage.duck(True)

    def tick(self, now_s: float) -> None:
        """Do what is due at `now_s`."""
        if self._turns:
            self._noise = self._noise.voice(now_s)
        self._noise = self._noise.tick(now_s)
        if self._asked_until_s is not None and now_s >= self._asked_until_s and not self._turns:
            self._stand()  # no answer: as before we asked
        for due in self._waiting.tick(now_s, self._stage.snapshot()) if self._waiting else ():
            self._wait(due)
        if not self.away and self._mode is not Mode.WRONG_CASE:
            for utterance in self.alerts.to_tell_again(now_s):
                self._again(utterance, priority=utterance.priority)
        self._tell_stopped(now_s)
        while self._overheard and self._overheard[0][0] <= now_s:
            self._house.tell(TurnBody(turn_id=self._overheard.popleft()[1], phase="forgotten"))
        self._settled()

    def _tell_stopped(self, now_s: float) -> None:
        """Tell the alarms that were stopped, once they were silent for long enough."""
        if self._mode not in SILENT or self.away or self._turns or self._asking:
            return
        self._stopped.look(self._stage.snapshot().standings)
        waiting = self._mode is Mode.WAITING
        if self._stopped.due(now_s, waiting=waiting) and self._tell_again(asked=False) and self._waiting:
            self._waiting.admits = True
            self._wait(Due.ADMIT)

    def _wait(self, due: Due) -> None:
        match due:
            case Due.CHIME:
                self._stage.tone(STILL_WAITING)
            case Due.TONE:
                self._stage.tone(CRITICAL_WAITS)
            case Due.ADMIT:
                self._stage.hold(HoldCause.USER, admit=Priority.CRITICAL)
            case Due.SHUT:
                self._stage.hold(HoldCause.USER, admit=None)
            case never:
                assert_never(never)

    # --- what the page is told ------------------------------------------------------------------

    def _tell_turn(self, number: int, phase: str) -> None:
        turn = self._turns.get(number)
        if turn is not None:
            self._house.tell(TurnBody.model_validate({"turn_id": turn.turn_id, "phase": phase}))

    def _tell_mode(self) -> None:
        waiting = sum(s.phase in _UNFINISHED for s in self._stage.snapshot().standings)
        question = "" if self._asked is None else self._question
        told = {"mode": self._mode_name(), "waiting": waiting, "question": question}
        told |= {"verbosity": self.verbosity.value, "asks": "" if self._asked is None else self._asked.value}
        body = ModeBody.model_validate(told | asdict(self._stage.dial))
        if body != self._told:
            self._told = body
            self._house.tell(body)

    def _mode_name(self) -> str:
        if self.away:
            return "away"
        if self._asking:
            return "asking"
        if self._mode is Mode.FREE:
            return "noisy" if self._noise.noisy else "free"
        return self._mode.value
