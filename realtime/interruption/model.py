"""The values of a verdict: kinds, effects, rules, and the context of a turn."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """What kind of turn it is."""

    ACKNOWLEDGMENT = "acknowledgment"
    CANCEL = "cancel"
    NEW_INPUT = "new_input"
    IGNORE = "ignore"


class Effect(StrEnum):
    """What the voice does about a turn."""

    GO_ON = "go_on"  # what was held for this voice goes on from the held word; no mode changes
    QUIET = "quiet"  # the item stays held; nothing but critical items, and answers, until go on or next
    WAIT = "wait"  # the item stays held until the clinician releases it
    SKIP = "skip"  # this item is dropped, the next is spoken
    RESUME = "resume"  # go on, said while quiet or waiting or to our "Ready?": that mode ends
    REPEAT = "repeat"  # the held item, or else the last one, is said again
    SLOWER = "slower"  # it is said again more slowly, and all after it too
    FASTER = "faster"  # from the next clause on; nothing is said again
    LOUDER = "louder"  # it is said again more loudly, and all after it too
    SOFTER = "softer"  # from the next clause on, as the two below
    USUAL_PACE = "usual_pace"
    USUAL_VOLUME = "usual_volume"
    PREVIOUS = "previous"  # the item before the held one is said, then the held one goes on
    BRIEF = "brief"  # from the next item on only what weighs, in its short form
    FULL = "full"  # from the next item on everything, in full and in order
    USUAL_DETAIL = "usual_detail"
    MORE = "more"  # the rest of the held item, if it was told in its short form; else what is known of it
    HERE = "here"  # "can you hear me": answered in a word; nothing changes
    HOW_LONG = "how_long"  # what waits, and about how long that takes
    SPELL = "spell"  # the word that was just said, or is named, letter by letter
    WRONG_CASE = "wrong_case"  # silence at once, alarms too, and we ask to confirm
    CONFIRM_WRONG_CASE = "confirm_wrong_case"  # nothing is said until the case is known to be right
    RIGHT_CASE = "right_case"  # ends the silence of a wrong case
    ANSWER = "answer"  # held, answered by the dialogue, then resumed with what is not too old
    ACKNOWLEDGE = "acknowledge"  # the critical finding just told is acknowledged; speech goes on
    ASK = "ask"  # stays held, and we ask "Stop, or go on?"
    ASK_TEAM = "ask_team"  # read back; it goes to the team after a yes
    APPROVE = "approve"  # a recommendation that is named: read back; the team is told after "confirm"
    SEND_TO_TEAM = "send_to_team"  # the yes to it: the message is sent
    KEEP_FROM_TEAM = "keep_from_team"  # the no to it: nothing is sent, and we say so
    NOT_ACTED_ON = "not_acted_on"  # an order spoken to people: speech goes on, the page says not acted on
    REFUSE_ORDER = "refuse_order"  # an order spoken to us: we say that we give none and passed none on


class Mode(StrEnum):
    """The mode of the session when the turn comes."""

    FREE = "free"
    QUIET = "quiet"
    WAITING = "waiting"
    NOISY = "noisy"
    WRONG_CASE = "wrong_case"  # confirmed to be the wrong one: nothing is said, alarms are shown


class PendingQuestion(StrEnum):
    """A question of ours that yes, no, stop or go on would answer.

    WRONG_CASE and APPROVAL want "confirm". TO_TEAM wants a yes in words, and whatever else is said sends nothing.
    """

    STOP_OR_GO_ON = "stop_or_go_on"
    READY = "ready"
    WRONG_CASE = "wrong_case"
    TO_TEAM = "to_team"
    APPROVAL = "approval"


class Why(StrEnum):
    """The rule that decided, one of a closed list."""

    NO_WORDS = "no_words"
    ECHO = "echo"
    NOISY = "noisy"
    SIDE_TALK = "side_talk"
    UNSURE = "unsure"
    UNSURE_TWICE = "unsure_twice"
    ACK_WORDS = "ack_words"
    CRITICAL_ACKNOWLEDGED = "critical_acknowledged"
    ANSWER_YES = "answer_yes"
    ANSWER_NO = "answer_no"
    GO_ON_WORDS = "go_on_words"
    STOP_WORDS = "stop_words"
    WAIT_WORDS = "wait_words"
    SKIP_WORDS = "skip_words"
    COMMAND_WITH_REASON = "command_with_reason"
    COMMAND_FIRST = "command_first"
    REPEAT_WORDS = "repeat_words"
    DIAL_WORDS = "dial_words"
    PREVIOUS_WORDS = "previous_words"
    DETAIL_WORDS = "detail_words"
    MORE_WORDS = "more_words"
    HERE_WORDS = "here_words"
    HOW_LONG_WORDS = "how_long_words"
    SPELL_WORDS = "spell_words"
    NOT_WANTED = "not_wanted"
    TO_PEOPLE = "to_people"
    WRONG_CASE = "wrong_case"
    CONFIRMED = "confirmed"
    RIGHT_CASE = "right_case"
    CASE_IN_DOUBT = "case_in_doubt"
    BARE_QUESTION = "bare_question"
    QUESTION = "question"
    TOPIC = "topic"
    OBJECTION = "objection"
    ADDRESSED = "addressed"
    NAME_ALONE = "name_alone"
    ORDER_TO_PEOPLE = "order_to_people"
    ORDER_TO_US = "order_to_us"
    ONE_WORD_ORDER = "one_word_order"
    REMARK = "remark"
    FOR_TEAM = "for_team"
    APPROVAL_NAMED = "approval_named"


UNSURE: Final = frozenset({Why.UNSURE})
"""Verdicts that waved a turn through unsurely: they start `Context.unsure_before_s`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The state of the session when the turn began. All ages in seconds, on one clock."""

    speaking: bool = False  # something of ours sounded, or was held for this voice, when the turn began
    mode: Mode = Mode.FREE
    asked: PendingQuestion | None = (
        None  # our open question; it stays open 6 s, 10 if confirmed, 30 if typed to
    )
    asked_anything: bool = False  # any question or answer of ours ended less than 6 s before
    critical_told: bool = False  # an unacknowledged critical finding's last word was heard before the turn
    unsure_before_s: float | None = None  # how long ago an unsure turn (`UNSURE`) was waved through
    said: str = ""  # our own words of the last 8 s, oldest first
    case_words: frozenset[str] = frozenset()  # lower-case content words of the case
    agents: frozenset[str] = frozenset()  # spoken names of the team's, lower-case, without "the"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the turn was, what to do, by which rule, and how sure (0 to 1)."""

    kind: Kind
    effect: Effect
    why: Why
    confidence: float
