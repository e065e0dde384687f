"""Decide which effects are for us, and which a session takes in its present mode. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from realtime.interruption import Effect, Mode, PendingQuestion, Verdict, Why
from realtime.speech.dial import TURNING
from realtime.speech.verbosity import SETTING
from tts_queue import Utterance

STEERS: Final = (
    TURNING
    | SETTING
    | {Effect.RESUME, Effect.QUIET, Effect.WAIT, Effect.SKIP, Effect.REPEAT, Effect.PREVIOUS}
    | {Effect.ANSWER, Effect.MORE, Effect.HERE, Effect.HOW_LONG, Effect.SPELL, Effect.REFUSE_ORDER}
    | {Effect.WRONG_CASE, Effect.CONFIRM_WRONG_CASE, Effect.RIGHT_CASE}
    | {Effect.ASK_TEAM, Effect.APPROVE, Effect.SEND_TO_TEAM, Effect.KEEP_FROM_TEAM}
)
"""Effects of words that are for us: who says them is no noise, and needs no welcome."""
NO_ANSWER: Final = frozenset({Why.NO_WORDS, Why.ECHO, Why.UNSURE, Why.NOISY})
"""No answer to "Wrong case?": the question stays open after a cough or words not understood."""
CONFIRMS: Final = frozenset({Effect.CONFIRM_WRONG_CASE, Effect.SEND_TO_TEAM})
SILENT: Final = frozenset({Mode.QUIET, Mode.WAITING})  # asked for, and what we answer may be said in it
_ANY_TIME: Final = frozenset({Effect.GO_ON, Effect.ACKNOWLEDGE})
FOR_TEAM: Final = frozenset({PendingQuestion.TO_TEAM, PendingQuestion.APPROVAL})


@dataclass(slots=True)
class TurnUnderWay:
    """A turn without a final verdict, and the state of the session when it began."""

    turn_id: str
    began_s: float
    heard: Utterance | None  # of ours
    held: bool
    mode_before: Mode
    asked: PendingQuestion | None = None  # a question of ours that it may answer
    too_early: bool = False  # it began before the end of that question, and confirms nothing
    alarm: str | None = None  # key of the critical finding of which "got it" takes note
    paused: bool = False  # it fell silent, and its verdict is awaited
    taken: Verdict | None = None  # at a pause
    typed: bool = False  # nobody spoke: what we ask is read, not heard
    reply: str = ""  # a few words of ours, said at once instead of, or beside, what was asked for


def takes(effect: Effect, mode: Mode, asked: PendingQuestion | None) -> bool:
    """Return whether the session takes `effect` now; `asked` is our open question.

    "Confirm" is taken only after our question. Once a case was confirmed to be the wrong one, only "right case"
    is taken, and the acknowledgment of a critical finding.
    """
    if effect in _ANY_TIME:
        return True
    if effect is Effect.CONFIRM_WRONG_CASE:
        return asked is PendingQuestion.WRONG_CASE
    if effect in (Effect.SEND_TO_TEAM, Effect.KEEP_FROM_TEAM) and asked not in (
        PendingQuestion.TO_TEAM,
        PendingQuestion.APPROVAL,
    ):
        return False
    return (mode is Mode.WRONG_CASE) == (effect is Effect.RIGHT_CASE)
