"""Let the clinician interrupt and steer the speech: by voice (barge-in), button or typed text.

A voice holds the speech at once. The verdict comes with the end of the turn, or at a pause in it, and only
then is speech dropped, answered or resumed. All of it runs on the session's event loop, and nothing waits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, assert_never

from realtime.actions import Act, Foresee, Record, Show
from realtime.conversation.chat import TypedMeaning, meaning_of
from realtime.conversation.eager import at_a_pause, changed_mode, is_rest, standing
from realtime.conversation.effects import NOTHING_PASSED_ON, Effects
from realtime.conversation.floor import CONFIRMED, Floor
from realtime.conversation.knowledge import Knowledge
from realtime.conversation.page import Page
from realtime.conversation.ports import SpeechPort
from realtime.conversation.retelling import Retelling
from realtime.conversation.steering import CONFIRMS, NO_ANSWER, TurnUnderWay, takes
from realtime.conversation.unheard import SAY_AGAIN, SAY_AGAIN_S, Unheard
from realtime.conversation.voice_hold import VoiceHold
from realtime.ears import (
    EagerTurn,
    EarEvent,
    EarsFailed,
    EarsRecovered,
    SoundRose,
    TurnEnded,
    TurnMetadata,
    TurnResumed,
    VoiceBegan,
    VoicePaused,
)
from realtime.interruption import (
    UNSURE,
    Context,
    Effect,
    Kind,
    Mode,
    PendingQuestion,
    Verdict,
    Why,
    classify_with_prosody,
    lexicon,
)
from realtime.protocol import NoticeBody, TurnBody
from realtime.room.kept import kept
from realtime.speech.before import StateBefore
from realtime.speech.verbosity import Verbosity
from realtime.team.to_team import NOT_SENT_S
from tts_queue import HoldCause, Move, Utterance

IN_DOUBT: Final = "Nothing is said or answered until you say, or press, that this is the right case."


class Conversation:
    """Acts on the verdicts on turns. Times are on the loop's clock, in seconds."""

    def __init__(
        self,
        session_id: str,
        epoch: int,
        *,
        stage: SpeechPort,
        act: Act,
        knows: Knowledge,
        now_s: Callable[[], float],
        case_words: frozenset[str] = frozenset(),
    ) -> None:
        """`epoch` keeps the ids of this worker's turns apart from those of another."""
        self._epoch = epoch
        self._stage, self._act, self._knows, self.now_s = stage, act, knows, now_s
        self.case_words = case_words
        lexicon()  # loaded before the first turn: it takes as long as saying a word
        self._retelling = Retelling(stage, act, now_s)
        self.alerts, self.recall = self._retelling.alerts, self._retelling.recall
        self._floor = Floor(
            session_id, stage=stage, act=act, knows=knows, retelling=self._retelling, now_s=now_s
        )
        self._effects = Effects(
            stage=stage,
            act=act,
            knows=knows,
            floor=self._floor,
            retelling=self._retelling,
            case_words=case_words,
        )
        self.away = False
        self._turns: dict[int, TurnUnderWay] = {}
        self._hold = VoiceHold(stage, self._floor, self._retelling, self._turns)
        self._page = Page(act, stage, self._floor)
        self._before: Verdict | None = None  # on the last turn with words
        self._unsure_s: float | None = None
        self.own_voice = 0  # turns that were our own words, heard back: each held us
        self._by_hand = self._unsent = 0
        self._unheard = Unheard()

    # --- what comes from the ears ---------------------------------------------------------------

    def heard(self, event: EarEvent) -> None:
        """Handle an event of the ears."""
        match event:
            case SoundRose():
                self._stage.expect_hold()
                return
            case VoiceBegan(number):
                self._voice_began(number)
            case VoicePaused(number):
                self._stage.voice_ended()
                self._pause(number, True)
                self._tell_turn(number, "deciding")
            case TurnResumed(number):
                self._hold.hold()
                self._pause(number, False)
                self._tell_turn(number, "listening")
            case EagerTurn(number, text, metadata):
                decided = self._decide(number, text, metadata, final=False)
                if metadata.ending == "wanting" and not decided:
                    self._hold.hold()  # until the turn's end: the speaker is only thinking
            case TurnEnded(number, text, metadata):
                self._decide(number, text, metadata, final=True)
            case EarsFailed() | EarsRecovered():
                pass  # `Talk` shows the state of the ears
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
            held=ours is not None and not self._hold.noisy,
            mode_before=self._floor.mode,
            asked=self._open_question(),
            alarm=self._alarm_heard(now_s, ours.utterance if ours else None),
        )
        self._hold.began(now_s)
        self._tell_turn(number, "listening")

    def _open_question(self) -> PendingQuestion | None:
        """Return the question of ours that a turn may answer now.

        A question that wants "confirm", or a yes, counts from its end. A turn that began before may deny it and not
        confirm it (`TurnUnderWay.too_early`): "confirm" may be our own voice, heard back.
        """
        early = self._floor.asked in CONFIRMED and self._floor.asked_until_s is None
        return None if early else self._floor.asked

    def _alarm_heard(self, at_s: float, sounding: Utterance | None) -> str | None:
        """Return the key of the critical finding that "got it", said from `at_s` on, would acknowledge."""
        last = self.recall.last
        sounds = last is not None and sounding is not None and last.utterance_id == sounding.utterance_id
        return self.alerts.acknowledgeable(last, at_s, sounds=sounds)

    def _pause(self, number: int, paused: bool) -> None:
        turn = self._turns.get(number)
        if turn is not None:
            turn.paused = paused

    def _decide(self, number: int, text: str, metadata: TurnMetadata, *, final: bool) -> bool:
        """Decide a turn, for good if `final`, and act on it; return False while it has to be waited for."""
        turn = self._turns[number]
        if turn.taken is None and turn.asked is None:
            turn.asked = self._open_question()
            turn.too_early = turn.asked in CONFIRMED
        judged, text = self._judged(turn, text, metadata)
        doubt = bool(CONFIRMED & {turn.asked, self._floor.asked})  # then nothing is decided at a pause
        verdict = judged if final else None if doubt else at_a_pause(judged, metadata.duration_ms)
        if verdict is None:
            if judged.effect is Effect.ANSWER and self.takes(Effect.ANSWER):
                self._act(Foresee(turn.turn_id, text, self.recall.item))
            return False
        taken = turn.taken
        verdict = self._allowed(standing(taken, verdict))
        if taken is None or taken.effect is not verdict.effect:
            if changed_mode(taken):
                self._floor.set_mode(turn.mode_before)
            if not (doubt and verdict.why in NO_ANSWER):
                self._effects.apply(verdict.effect, turn, text)
            turn.taken = verdict
        self._hold.release(number)
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
            reply=turn.reply,
        )
        self._act(Show(body))
        if final:
            self._finish(number, verdict, body, failed=metadata.trigger == "failed")
        return True

    def _judged(self, turn: TurnUnderWay, text: str, metadata: TurnMetadata) -> tuple[Verdict, str]:
        """Return the verdict and its text: the turn's own, or that of this and the turn before, joined."""
        context = self._context(turn)
        alone = classify_with_prosody(text, metadata, context)
        if turn.too_early and alone.effect in CONFIRMS:
            return replace(alone, kind=Kind.IGNORE, effect=Effect.GO_ON, why=Why.ECHO), text
        if metadata.joined and turn.asked is None and is_rest(self._before, alone):
            both = classify_with_prosody(metadata.joined, metadata, context)
            if both.effect in {Effect.ANSWER, Effect.ASK_TEAM}:
                return both, metadata.joined
        return alone, text

    def _allowed(self, verdict: Verdict) -> Verdict:
        """Return the verdict, or "not for us" if the session does not take its effect now."""
        if self.takes(verdict.effect):
            return verdict
        return replace(verdict, kind=Kind.IGNORE, effect=Effect.GO_ON)

    def _finish(self, number: int, verdict: Verdict, body: TurnBody, *, failed: bool) -> None:
        turn = self._turns.pop(number)
        now_s = self.now_s()
        self.own_voice += verdict.why is Why.ECHO
        self._before = verdict if body.text else self._before
        if verdict.why in UNSURE:
            self._unsure_s = now_s
        self._hold.finished(turn, verdict, now_s, failed=failed)
        if kept(body) != body:
            self._page.overheard(turn.turn_id, now_s)
        self._act(Record(kept(body)))
        free = self._floor.mode is Mode.FREE and not (
            self._floor.asking or self._floor.replying or self._turns
        )
        may = free and not (self.away or self._hold.noisy)  # else only the page has it
        if self._unheard.asks(failed=failed, words=bool(body.text), may=may):
            self._floor.reply(f"again-{turn.turn_id}", SAY_AGAIN, SAY_AGAIN_S, at_next_pause=True)

    def _context(self, turn: TurnUnderWay) -> Context:
        now_s = self.now_s()
        mode = Mode.NOISY if self._hold.noisy and self._floor.mode is Mode.FREE else self._floor.mode
        return Context(
            speaking=turn.heard is not None,
            mode=mode if turn.taken is None else turn.mode_before,
            asked=turn.asked,
            asked_anything=self.recall.asked_anything(turn.began_s),
            critical_told=turn.alarm is not None,
            unsure_before_s=None if self._unsure_s is None else now_s - self._unsure_s,
            said=self.recall.said(now_s),
            case_words=self.case_words,
            agents=frozenset(self._knows.team_names()),
        )

    # --- what is asked by hand ------------------------------------------------------------------

    def takes(self, effect: Effect) -> bool:
        """Return whether the session takes `effect` now."""
        return takes(effect, self._floor.mode, self._floor.asked)

    def by_hand(
        self,
        effect: Effect,
        *,
        text: str = "",
        meaning: TypedMeaning | None = None,
        critical_key: str | None = None,
    ) -> None:
        """Carry out a button, a key or, with `text`, a typed request; the caller has asked `takes`."""
        self._by_hand += 1
        via, prefix = ("text", "q") if text else ("button", "b")
        turn_id = f"{prefix}-{self._epoch}-{self._by_hand}"
        now_s = self.now_s()
        turn = TurnUnderWay(
            turn_id, now_s, heard=None, held=False, mode_before=self._floor.mode, typed=bool(text)
        )
        turn.alarm = self._alarm_heard(now_s, self._sounding())
        if effect is Effect.ACKNOWLEDGE and critical_key is not None:
            self._retelling.acknowledge(critical_key)
        else:
            self._effects.apply(effect, turn, meaning.question if meaning else text)
        if meaning and meaning.may_order:
            self._floor.reply_to(turn, NOTHING_PASSED_ON)
        told = {"turn_id": turn_id, "phase": "decided", "via": via, "text": text, "reply": turn.reply}
        body = TurnBody.model_validate(told | {"effect": effect.value})
        self._act(Show(body))
        self._act(Record(body))
        self._settled()

    def typed(self, text: str) -> bool:
        """Carry out or answer typed words; return False if the session does not take them now."""
        context = Context(
            mode=self._floor.mode,
            asked=self._floor.asked,
            asked_anything=True,  # nobody types to somebody else here
            critical_told=self._alarm_heard(self.now_s(), self._sounding()) is not None,
            case_words=self.case_words,
            agents=frozenset(self._knows.team_names()),
        )
        meaning = meaning_of(text, context)
        if not self.takes(meaning.effect):
            return False
        self.by_hand(meaning.effect, text=text, meaning=meaning)
        return True

    def chatted(self, text: str) -> None:
        """Handle a chat message as `typed` does; the page says so if it is not taken."""
        if not self.typed(text):
            self._act(Show(NoticeBody(code="wrong_case", text=IN_DOUBT)))

    def _sounding(self) -> Utterance | None:
        speaking = self._stage.snapshot().speaking
        return speaking.utterance if speaking else None

    # --- the team -------------------------------------------------------------------------------

    def team_told(self, name: str, text: str) -> None:
        """Speak the outcome of a message to the team."""
        self._floor.reply(name, text)
        self._tell_mode()

    def _settled(self) -> None:
        """Say that nothing was sent if a read-back was abandoned; then show the page our mode."""
        owed = self._floor.not_sent()
        if owed:
            self._act(Show(NoticeBody(code="team_not_sent", text=owed)))
            self._unsent += 1
            self._floor.reply(f"unsent-{self._epoch}-{self._unsent}", owed, NOT_SENT_S)
        self._tell_mode()

    # --- who comes back -------------------------------------------------------------------------

    def restore(self, before: StateBefore, again: Sequence[Utterance]) -> None:
        """Continue in the mode, with the alarms and the dial, that an earlier worker left; `again` it left unsaid."""
        self.alerts.acknowledged |= before.acknowledged
        self.alerts.restore(before.told, self.now_s())
        self._floor.restore(before, again)
        self._stage.set_dial(before.dial)

    @property
    def verbosity(self) -> Verbosity:
        """Return how much of the agents' words is spoken."""
        return self._effects.verbosity

    def set_verbosity(self, verbosity: Verbosity) -> None:
        """Set how much of the agents' words is spoken, from the next item on."""
        self._effects.set_verbosity(verbosity)

    @property
    def open_alerts(self) -> tuple[str, ...]:
        """Return the keys of the critical findings that were told and not acknowledged."""
        return self.alerts.open

    @property
    def silence_asked(self) -> bool:
        """Return whether the clinician asked for quiet or a wait, or called the case the wrong one."""
        return self._floor.mode is not Mode.FREE

    def listener_is(self, away: bool) -> None:
        """Record that the listener left or is back; what it has to hear again is offered at once."""
        self.away = away
        if not away:
            self.tick(self.now_s())

    def answered(self, turn_id: str, text: str) -> str | None:
        """Offer an answer; return its utterance's id, or None if it is no longer awaited."""
        return self._floor.answered(turn_id, text)

    def foreseen(self, turn_id: str, text: str) -> None:
        """Prepare the sound of the answer that a turn would get if it ended with its present words."""
        if any(turn.turn_id == turn_id for turn in self._turns.values()):
            self._floor.foreseen(text)

    def criticals(self, findings: Mapping[str, str]) -> None:
        """Set the names of what is critical now, by key; findings that no longer stand are not repeated."""
        self._retelling.criticals(findings)

    def welcoming(self, on: bool) -> None:
        """Let a welcome and critical speech pass a wait that was asked for, or stop doing so."""
        self._floor.welcoming(on, spoken_to=bool(self._turns))

    def ask_ready(self, about: str) -> None:
        """Ask "Ready to continue?", unless the clinician speaks or waits for an answer."""
        if (
            self._floor.mode is Mode.FREE
            and not self._turns
            and not self._floor.answering
            and not self._floor.asking
        ):
            self._floor.ask(PendingQuestion.READY, about)

    # --- what becomes of the speech, and time ---------------------------------------------------

    def moved(self, move: Move, utterance: Utterance) -> None:
        """Handle an utterance's change of phase."""
        self._retelling.moved(move, utterance)
        self._floor.moved(move)

    def watchdog(self, held_s: float) -> None:
        """Handle a hold that ended without a verdict: the voice does not end, or its text is late."""
        self._hold.watchdog(held_s, self.now_s())

    def tick(self, now_s: float) -> None:
        """Do what is due at `now_s`."""
        self._hold.tick(now_s, away=self.away)
        self._floor.tick(now_s, spoken_to=bool(self._turns))
        if not self.away and self._floor.mode is not Mode.WRONG_CASE:
            self._retelling.tell_missed(now_s)
        if not self.away:
            self._hold.tell_stopped(now_s)
        self._page.forget_overheard(now_s)
        self._settled()

    # --- what the page is told ------------------------------------------------------------------

    def _tell_turn(self, number: int, phase: str) -> None:
        turn = self._turns.get(number)
        if turn is not None:
            self._page.turn(turn.turn_id, phase)

    def _tell_mode(self) -> None:
        self._page.mode(away=self.away, noisy=self._hold.noisy, verbosity=self.verbosity)
