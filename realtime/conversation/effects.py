"""Carry out the effect of a turn: on the speech, on our questions, and on what is repeated."""

from __future__ import annotations

from typing import Final, assert_never

from realtime.actions import Act, Ask, Send, SetVerbosity, Steered
from realtime.conversation import short_answers
from realtime.conversation.floor import UNFINISHED, Floor
from realtime.conversation.knowledge import Knowledge
from realtime.conversation.ports import SpeechPort
from realtime.conversation.retelling import Retelling
from realtime.conversation.steering import STEERS, TurnUnderWay
from realtime.interruption import Effect, Mode, PendingQuestion
from realtime.speech.dial import turned
from realtime.speech.verbosity import Verbosity, verbosity_after

REFUSAL: Final = "I can't give orders, and have passed nothing on."
NOTHING_PASSED_ON: Final = "No order was passed on."
"""Said beside the answer to words that may have been meant as one."""


class Effects:
    """Carries out what a turn, a button or a typed message asks for, at once. Nothing here waits."""

    def __init__(
        self,
        *,
        stage: SpeechPort,
        act: Act,
        knows: Knowledge,
        floor: Floor,
        retelling: Retelling,
        case_words: frozenset[str],
    ) -> None:
        self._stage, self._act, self._knows = stage, act, knows
        self._floor, self._retelling, self._case_words = floor, retelling, case_words
        self.verbosity = Verbosity.NORMAL

    def set_verbosity(self, verbosity: Verbosity) -> None:
        """Set how much of the agents' words is spoken, from the next item on."""
        self.verbosity = verbosity
        self._act(SetVerbosity(verbosity))

    def apply(self, effect: Effect, turn: TurnUnderWay, text: str) -> None:
        """Carry out `effect`, which `turn` asks for by the words `text`."""
        turn.reply = ""
        self._do(effect, turn, text)
        if effect in STEERS:
            self._act(Steered())

    def _do(self, effect: Effect, turn: TurnUnderWay, text: str) -> None:
        """Carry out `effect`: one arm for each, so that the type checker finds one that is missing."""
        self._stage.set_dial(turned(self._stage.dial, effect))
        match effect:
            case (
                Effect.GO_ON | Effect.NOT_ACTED_ON
                | Effect.FASTER | Effect.SOFTER | Effect.USUAL_PACE | Effect.USUAL_VOLUME
            ):  # fmt: skip
                self._floor.leave_question()
            case Effect.RESUME | Effect.RIGHT_CASE:
                self._floor.set_mode(Mode.FREE)
            case Effect.QUIET:
                self._floor.quiet()
            case Effect.WAIT:
                self._floor.set_mode(Mode.WAITING)
            case Effect.SKIP:
                self._skip(turn)
            case Effect.REPEAT | Effect.SLOWER | Effect.LOUDER:
                self._retelling.repeat()
                self._floor.set_mode(Mode.FREE)
            case Effect.PREVIOUS:
                self._previous(turn)
            case Effect.BRIEF | Effect.FULL | Effect.USUAL_DETAIL:
                self.set_verbosity(verbosity_after(self.verbosity, effect))
                self._reply(turn, short_answers.DETAIL[effect])
            case Effect.ACKNOWLEDGE:
                if turn.alarm is not None:
                    self._retelling.acknowledge(turn.alarm)
                    self._reply(turn, short_answers.noted(self._retelling.alerts.name_of(turn.alarm)))
            case Effect.MORE:
                self._more(turn, text)
            case Effect.HERE:
                self._reply(turn, short_answers.here(self._floor.mode))
            case Effect.HOW_LONG:
                self._reply(turn, self._how_long())
            case Effect.SPELL:
                self._reply(turn, self._spelled(text))
            case Effect.WRONG_CASE:
                self._floor.drop_answer()
                self._floor.ask(PendingQuestion.WRONG_CASE, turn.turn_id)
            case Effect.CONFIRM_WRONG_CASE:
                self._floor.drop_answer()
                self._floor.set_mode(Mode.WRONG_CASE)
            case Effect.ANSWER:
                self._floor.await_answer(turn.turn_id)
                self._act(Ask(turn.turn_id, text, self._retelling.recall.item))
            case Effect.REFUSE_ORDER:
                self._floor.await_answer(turn.turn_id)
                self._floor.answered(turn.turn_id, REFUSAL, kind="refusal")
            case Effect.ASK:
                self._floor.ask(PendingQuestion.STOP_OR_GO_ON, turn.turn_id)
            case Effect.ASK_TEAM:
                self._floor.ask_team(turn, text)
            case Effect.APPROVE:
                self._floor.ask_approval(turn, text)
            case Effect.SEND_TO_TEAM:
                request = self._floor.confirmed()
                if request is not None:
                    self._act(Send(turn.turn_id, request))
            case Effect.KEEP_FROM_TEAM:
                self._floor.stand()
            case never:
                assert_never(never)

    def _skip(self, turn: TurnUnderWay) -> None:
        self._floor.drop_question()  # "skip" said to our question means the item that it interrupted
        heard = turn.heard
        self._stage.skip(heard.utterance_id if heard and heard.kind != "question" else None)
        self._floor.set_mode(Mode.FREE)

    def _more(self, turn: TurnUnderWay, text: str) -> None:
        """Say the long form of the last item; if there is none, have `text` answered as a question."""
        self._floor.await_answer(turn.turn_id)
        item = self._retelling.recall.item
        longer = self._knows.more(item) if item else None
        if longer is None:
            self._act(Ask(turn.turn_id, text, item))
        else:
            self._floor.answered(turn.turn_id, longer)

    def _how_long(self) -> str:
        waiting = [s.utterance for s in self._stage.snapshot().standings if s.phase in UNFINISHED]
        return short_answers.how_long(waiting, self._knows.agents_stand())

    def _spelled(self, text: str) -> str:
        word = short_answers.word_meant(text, self._retelling.recall.words, self._case_words)
        return short_answers.NOTHING_TO_SPELL if word is None else short_answers.spelled(word)

    def _previous(self, turn: TurnUnderWay) -> None:
        if self._retelling.previous():
            self._floor.set_mode(Mode.FREE)
        else:
            self._reply(turn, short_answers.NOTHING_BEFORE)

    def _reply(self, turn: TurnUnderWay, text: str) -> None:
        self._floor.reply_to(turn, text)
