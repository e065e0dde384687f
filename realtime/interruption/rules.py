"""The rules that decide a turn. They are asked in the order of `RULES`; the first verdict counts.

Each rule looks at one turn and returns a decision or None. docs/decisions/010-verdicts.md gives the reasons for the
order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from realtime.interruption import orders, questions, reactions, stops
from realtime.interruption.commands import (
    WHOLE,
    goes_on_with_talk,
    is_for_later,
    means_us,
    meant,
    puts_off,
    said_before_the_matter,
)
from realtime.interruption.echo import is_echo
from realtime.interruption.hearing import SHORT_MS, VOTED_MS, Heard
from realtime.interruption.model import Effect, Kind, Mode, PendingQuestion, Why
from realtime.interruption.reading import COMMANDS, DETAIL, DIAL, LIGHT, TurnReading, read
from realtime.interruption.team import address, approved, asks_to_confirm, confirms, consents
from realtime.interruption.words import Says, lexicon

if TYPE_CHECKING:
    from realtime.ears.model import TurnMetadata
    from realtime.interruption.model import Context

Decision: TypeAlias = tuple[Kind, Effect, Why]

AGAIN_WITHIN_S: Final = 5.0  # after a second unsure turn within this time we ask
SURE_YES: Final = 0.5  # least confidence of a yes that sends something to the team
UNSURE_WORDS: Final = 3  # more words than these in a short turn were made out
SURE: Final[Mapping[Why, float]] = {
    Why.UNSURE: 0.3, Why.UNSURE_TWICE: 0.5, Why.TOPIC: 0.7, Why.OBJECTION: 0.7,
    Why.REMARK: 0.7, Why.SIDE_TALK: 0.7, Why.COMMAND_WITH_REASON: 0.7, Why.COMMAND_FIRST: 0.6, Why.ECHO: 0.8,
    Why.QUESTION: 0.85, Why.ORDER_TO_PEOPLE: 0.85,
}  # fmt: skip
"""How sure a rule is of itself; 0.95 where nothing is said. Judged, not measured; the page shows it."""

_LIGHT_SIGNS: Final = LIGHT - {Says.NAME, Says.FRAME} | {Says.GO_ON}
_TOLD: Final = frozenset({Says.GO_ON, Says.SKIP, Says.REPEAT, Says.QUIET})
_NOT_YOU: Final = ("not", "you")
_DEFINITE: Final = {(word,) for word in ("the", "his", "her", "left", "right")}
_CANCEL: Final[Mapping[Says, Decision]] = {
    Says.QUIET: (Kind.CANCEL, Effect.QUIET, Why.STOP_WORDS),
    Says.NO: (Kind.CANCEL, Effect.QUIET, Why.STOP_WORDS),
    Says.WAIT: (Kind.CANCEL, Effect.WAIT, Why.WAIT_WORDS),
    Says.SKIP: (Kind.CANCEL, Effect.SKIP, Why.SKIP_WORDS),
    Says.WRONG_CASE: (Kind.CANCEL, Effect.WRONG_CASE, Why.WRONG_CASE),
}
_SILENCING: Final = frozenset({Says.QUIET, Says.NO, Says.WAIT, Says.WRONG_CASE, Says.GO_ON})
_STEER: Final[Mapping[Says, Decision]] = {
    **_CANCEL,
    Says.REPEAT: (Kind.NEW_INPUT, Effect.REPEAT, Why.REPEAT_WORDS),
    Says.PREVIOUS: (Kind.NEW_INPUT, Effect.PREVIOUS, Why.PREVIOUS_WORDS),
    Says.RIGHT_CASE: (Kind.ACKNOWLEDGMENT, Effect.GO_ON, Why.ACK_WORDS),  # nobody doubted it
    Says.ACK: (Kind.ACKNOWLEDGMENT, Effect.GO_ON, Why.NOT_WANTED),
    **{each: (Kind.NEW_INPUT, Effect[each.name], Why.DIAL_WORDS) for each in DIAL},
    **{each: (Kind.NEW_INPUT, Effect[each.name], Why.DETAIL_WORDS) for each in DETAIL},
}
_ASKS_US: Final[Mapping[Says, Decision]] = {
    Says.MORE: (Kind.NEW_INPUT, Effect.MORE, Why.MORE_WORDS),
    Says.HERE: (Kind.NEW_INPUT, Effect.HERE, Why.HERE_WORDS),
    Says.HOW_LONG: (Kind.NEW_INPUT, Effect.HOW_LONG, Why.HOW_LONG_WORDS),
    Says.SPELL: (Kind.NEW_INPUT, Effect.SPELL, Why.SPELL_WORDS),
}
"""Whole commands that are answered in words: they don't count in a noisy room."""


@dataclass(frozen=True, slots=True)
class RuleInput:
    """A turn as a rule sees it: what was heard, its metadata and its context."""

    heard: Heard
    metadata: TurnMetadata
    context: Context

    @property
    def words(self) -> TurnReading:
        """The turn's words, read."""
        return self.heard.reading

    @property
    def to_us(self) -> bool:
        """Return whether we are named, or spoke a question or answer within the six seconds before."""
        return self.words.named or self.context.asked is not None or self.context.asked_anything


Rule: TypeAlias = Callable[[RuleInput], Decision | None]


def nothing_heard(turn: RuleInput) -> Decision | None:
    """Pass over a turn without words, or with none but "um", unless words may have been lost."""
    words = turn.words
    if turn.heard.doubted or (words.words and not words.only(frozenset({Says.FILLER}))):
        return None
    return Kind.IGNORE, Effect.GO_ON, Why.NO_WORDS


def case_in_doubt(turn: RuleInput) -> Decision | None:
    """In a case confirmed to be the wrong one, take only that it is the right one."""
    if turn.context.mode is not Mode.WRONG_CASE:
        return None
    if meant(turn.words) is Says.RIGHT_CASE:
        return Kind.NEW_INPUT, Effect.RIGHT_CASE, Why.RIGHT_CASE
    return Kind.IGNORE, Effect.GO_ON, Why.CASE_IN_DOUBT


def wrong_case_confirmed(turn: RuleInput) -> Decision | None:
    """Take "confirm" after our "Wrong case?"; no other word, no vote and no request to confirm silences an alarm."""
    words = turn.words
    if turn.context.asked is not PendingQuestion.WRONG_CASE or turn.heard.voted:
        return None
    if Says.CONFIRM not in words.says() or Says.NO in words.says():
        return None
    if not words.only((LIGHT | {Says.ATTACH, Says.CONFIRM, Says.WRONG_CASE}) - {Says.FRAME}):
        return None
    if asks_to_confirm(words.words):
        return None
    return Kind.CANCEL, Effect.CONFIRM_WRONG_CASE, Why.CONFIRMED


def answer_to_our_question(turn: RuleInput) -> Decision | None:
    """Take yes, no, stop, go on, "not yet" and the like right after our question."""
    asked, command = turn.context.asked, meant(turn.words) or (Says.WAIT if puts_off(turn.words) else None)
    if asked in {PendingQuestion.TO_TEAM, PendingQuestion.APPROVAL}:
        return _answer_about_the_team(turn, command)
    if asked is None:
        return None
    if asked is PendingQuestion.WRONG_CASE:
        return _answer_about_the_case(turn, command)
    if command in {Says.QUIET, Says.WAIT, Says.SKIP}:
        return _CANCEL[command]
    if command is Says.NO:
        effect = Effect.QUIET if asked is PendingQuestion.STOP_OR_GO_ON else Effect.WAIT
        return Kind.CANCEL, effect, Why.ANSWER_NO
    yes = turn.words.only(_LIGHT_SIGNS | {Says.ATTACH, Says.NAME}) and bool(
        turn.words.says() & {Says.ACK, Says.READY, Says.GO_ON}
    )
    if not yes:
        return None
    held = turn.context.mode in {Mode.QUIET, Mode.WAITING}
    effect = Effect.RESUME if asked is PendingQuestion.READY or held else Effect.GO_ON
    return Kind.NEW_INPUT, effect, Why.ANSWER_YES


def _answer_about_the_case(turn: RuleInput, command: Says | None) -> Decision | None:
    """Take "not yet" as a wait, and any other no to "Wrong case?" as a word to go on: it is the right one."""
    if command in {Says.WAIT, Says.NO} and puts_off(turn.words):
        return _CANCEL[Says.WAIT]
    words = turn.words
    denies = Says.NO in words.led_by and not words.case and reactions.objects(words)
    return (Kind.NEW_INPUT, Effect.GO_ON, Why.ANSWER_NO) if command is Says.NO or denies else None


def _answer_about_the_team(turn: RuleInput, command: Says | None) -> Decision | None:
    """Take a yes in words for a message to the team, and "confirm" for an approval.

    A vote, a hum and words heard badly leave our question open.
    """
    says_so = confirms if turn.context.asked is PendingQuestion.APPROVAL else consents
    if command in {Says.QUIET, Says.WAIT, Says.SKIP}:
        return _CANCEL[command]
    if command is Says.NO:
        return Kind.CANCEL, Effect.KEEP_FROM_TEAM, Why.ANSWER_NO
    if turn.heard.voted or turn.heard.doubted or turn.words.truncated:
        return Kind.IGNORE, Effect.GO_ON, Why.UNSURE
    if not says_so(turn.words.words):
        return None
    if turn.heard.confidence < SURE_YES:
        return Kind.IGNORE, Effect.GO_ON, Why.UNSURE
    return Kind.NEW_INPUT, Effect.SEND_TO_TEAM, Why.ANSWER_YES


def our_own_words(turn: RuleInput) -> Decision | None:
    """Pass over an echo of our own words; a command is never taken for one."""
    context, words = turn.context, turn.words
    overlaps = context.speaking or (context.asked is not None and len(words.words) >= 3)
    if turn.heard.voted or not overlaps or meant(words) is not None:
        return None
    return (Kind.IGNORE, Effect.GO_ON, Why.ECHO) if is_echo(words.words, context.said) else None


def critical_acknowledged(turn: RuleInput) -> Decision | None:
    """Take "got it" or "acknowledged", alone, after a critical finding; never by the vote alone."""
    if not turn.context.critical_told or (turn.heard.voted and not turn.heard.near):
        return None
    words, known = turn.words, lexicon().phrases["acknowledges"]
    said = any(known.at(words.words, each.start) == each.end - each.start for each in words.phrases)
    if not said or not words.only(_LIGHT_SIGNS | {Says.NAME}) or Says.NO in words.says():
        return None
    return Kind.ACKNOWLEDGMENT, Effect.ACKNOWLEDGE, Why.CRITICAL_ACKNOWLEDGED


def command(turn: RuleInput) -> Decision | None:
    """Take a turn of which every word is a command to us, or goes with one.

    "Not yet" makes us wait only with our name or a "please". A command that continues talk ("and next") drops and
    sets nothing.
    """
    said = meant(turn.words)
    if said is None and puts_off(turn.words):
        return _CANCEL[Says.WAIT] if means_us(turn.words) else None
    steers = said not in _SILENCING or (said is Says.WAIT and is_for_later(turn.words))
    if steers and goes_on_with_talk(turn.words):
        return None
    if said is Says.GO_ON:
        held = turn.context.mode in {Mode.QUIET, Mode.WAITING}
        held = held and (turn.to_us or _NOT_YOU != turn.words.words)  # or somebody else is told so
        return Kind.ACKNOWLEDGMENT, Effect.RESUME if held else Effect.GO_ON, Why.GO_ON_WORDS
    if said is not None and said in _STEER:
        return _STEER[said]
    if Says.NOT in turn.words.says():
        return None
    if reactions.repeats(turn.words):
        return _STEER[Says.REPEAT]
    return _CANCEL[Says.QUIET] if reactions.quiets_about(turn.words) else None


def startled_by_an_alarm(turn: RuleInput) -> Decision | None:
    """Pass over "no" and "oh no" after a critical finding: a reaction to it stops no alarm."""
    words = turn.words
    plain = all(
        set(words.words[each.start : each.end]) == {"no"} for each in words.phrases if each.says is Says.NO
    )
    if turn.context.critical_told and plain and words.only(frozenset({Says.NO, Says.FILLER})):
        return Kind.ACKNOWLEDGMENT, Effect.GO_ON, Why.ACK_WORDS
    return None


def to_people(turn: RuleInput) -> Decision | None:
    """Pass over what is told to people in the room: "hold still", "wait here", "nurse, stop"."""
    if not turn.words.named and reactions.tells_people(turn.words) and not orders.is_order(turn.words):
        return Kind.IGNORE, Effect.GO_ON, Why.TO_PEOPLE
    return None


def for_the_team(turn: RuleInput) -> Decision | None:
    """Take words that are to be passed on to the team, unless the room is noisy.

    "Them" may be people in the room, and is the team only if what follows is about the case. An order ("tell the team
    to start heparin") is left to the rule for orders: no agent can carry it out.
    """
    found = None if turn.context.mode is Mode.NOISY else address(turn.words.words, turn.context.agents)
    if found is None:
        return None
    rest = turn.words.words[found.begin :]
    if found.vague and not read(" ".join(rest), turn.context.case_words).case:
        return None
    if rest[:1] == ("to",) and orders.is_order(read(" ".join(rest[1:]), turn.context.case_words)):
        return None
    return Kind.NEW_INPUT, Effect.ASK_TEAM, Why.FOR_TEAM


def approval_named(turn: RuleInput) -> Decision | None:
    """Take the approval of something named of the case; it is read back, and orders nothing."""
    named = None if turn.context.mode is Mode.NOISY else approved(turn.words.words)
    if named is None or not read(" ".join(named), turn.context.case_words).case:
        return None
    return Kind.NEW_INPUT, Effect.APPROVE, Why.APPROVAL_NAMED


def stop_with_reason(turn: RuleInput) -> Decision | None:
    """Take a "stop" or "wait" with its reason, of the case or not: "stop, rhythm check", "I'm on the phone, stop".

    A question, an objection and a doubt about the case say more than the stop before them. What a stop is told of
    ("stop compressions") is an order to people.
    """
    words = turn.words
    said = stops.with_reason(words)
    if said is None or reactions.doubts_the_case(words) or reactions.objects_behind_a_command(words):
        return None
    kind, effect, _ = _CANCEL[said]
    return kind, effect, Why.COMMAND_WITH_REASON


def noisy_room(turn: RuleInput) -> Decision | None:
    """In a noisy room, pass over all that the rules above did not take."""
    return (Kind.IGNORE, Effect.GO_ON, Why.NOISY) if turn.context.mode is Mode.NOISY else None


def case_doubted(turn: RuleInput) -> Decision | None:
    """Fall silent and ask if the turn says, in its own words, that this is the wrong patient or record."""
    return _CANCEL[Says.WRONG_CASE] if reactions.doubts_the_case(turn.words) else None


def asks_us(turn: RuleInput) -> Decision | None:
    """Take a whole command that is answered in words: "can you hear me", "how much longer"."""
    said = meant(turn.words)
    if said is None and reactions.spells(turn.words):
        said = Says.SPELL
    return None if said is None else _ASKS_US.get(said)


def called_by_name(turn: RuleInput) -> Decision | None:
    """Ask back if the turn is our name and says nothing more."""
    words = turn.words
    if words.named and words.only(frozenset({Says.NAME, Says.FILLER, Says.APOLOGY, Says.FRAME})):
        return Kind.NEW_INPUT, Effect.ASK, Why.NAME_ALONE
    return None


def bare_question(turn: RuleInput) -> Decision | None:
    """Take a few words that ask about what was just said: "why", "how much", "sorry?"."""
    words = turn.words
    if not words.only(WHOLE | {Says.BARE}):
        return None
    says = words.says()
    if Says.BARE in says or (Says.APOLOGY in says and says <= {Says.APOLOGY, Says.FILLER, Says.NAME}):
        return Kind.NEW_INPUT, Effect.ANSWER, Why.BARE_QUESTION
    return None


def sign_of_listening(turn: RuleInput) -> Decision | None:
    """Take a turn of acknowledgments and fillers only."""
    words = turn.words
    if words.only(_LIGHT_SIGNS | {Says.NAME}):
        return Kind.ACKNOWLEDGMENT, Effect.GO_ON, Why.ACK_WORDS
    return None


def approval(turn: RuleInput) -> Decision | None:
    """Take a bare "approve" or "confirm", which approves nothing."""
    words = turn.words
    approves = frozenset({Says.APPROVAL, Says.CONFIRM})
    if approves & words.says() and words.only(WHOLE | approves):
        return Kind.NEW_INPUT, Effect.NOT_ACTED_ON, Why.ONE_WORD_ORDER
    return None


def order(turn: RuleInput) -> Decision | None:
    """Take an order to people, which we don't act on, or to us, which we refuse."""
    if orders.told_by_name(turn.words):
        return Kind.NEW_INPUT, Effect.REFUSE_ORDER, Why.ORDER_TO_US
    if not orders.is_order(turn.words):
        return None
    if turn.to_us:
        return Kind.NEW_INPUT, Effect.REFUSE_ORDER, Why.ORDER_TO_US
    alone = len(turn.words.words) == 1
    return Kind.NEW_INPUT, Effect.NOT_ACTED_ON, Why.ONE_WORD_ORDER if alone else Why.ORDER_TO_PEOPLE


def command_first(turn: RuleInput) -> Decision | None:
    """While we speak, take a "stop" or "wait" followed by a few misheard words: "stop, howled on".

    The words may look like a question ("stop, how old on?"); they are one only if they point at us or the case.
    """
    said = reactions.garbled_command(turn.words) if turn.context.speaking else None
    if said is None or (questions.requests(turn.words) and questions.points_at_us(turn.words)):
        return None
    kind, effect, _ = _CANCEL[said]
    return kind, effect, Why.COMMAND_FIRST


def at_work(turn: RuleInput) -> Decision | None:
    """Pass over what people at work call to each other: "one more shock", "no pulse, continue".

    "One more lactate" names what was told of, and is left to the rule for questions. "No heparin, carry on" tells
    people not to give it: we go on, and the page says that it was not acted on. "No ECG changes" is a finding.
    """
    words = turn.words
    denies = reactions.denies_and_goes_on(words)
    calls = denies or (reactions.counts_more(words) and not questions.is_measured(words))
    if words.named or not calls or questions.requests(words):
        return None
    if denies and stops.ends_in_a_treatment(words.words[1 : words.phrases[-1].start]):
        return Kind.NEW_INPUT, Effect.NOT_ACTED_ON, Why.ORDER_TO_PEOPLE
    return (Kind.NEW_INPUT, Effect.GO_ON, Why.REMARK) if words.case else side_talk(turn)


def question(turn: RuleInput) -> Decision | None:
    """Answer a question for us, a request to tell, or the bare name of something in the case."""
    words = turn.words
    if questions.requests(words) and questions.for_us(words):
        return Kind.NEW_INPUT, Effect.ANSWER, Why.QUESTION
    corrects = Says.NO in words.led_by and words.matter[:1] in _DEFINITE  # "no, the left kidney"
    told = words.led_by & DIAL or (words.led_by & _TOLD and stops.is_given(words.matter))
    if questions.is_topic(words) and not corrects and not told:  # "speed up the infusion", "carry on bagging"
        return Kind.NEW_INPUT, Effect.ANSWER, Why.TOPIC
    return None


def objection(turn: RuleInput) -> Decision | None:
    """Answer a turn that contradicts what we say or have just said."""
    ours = turn.context.speaking or turn.to_us or turn.context.mode in {Mode.QUIET, Mode.WAITING}
    if ours and reactions.objects(turn.words):
        return Kind.NEW_INPUT, Effect.ANSWER, Why.OBJECTION
    return None


def said_to_us(turn: RuleInput) -> Decision | None:
    """Answer what is said to us: by name, after a command, or right after our words."""
    words = turn.words
    led = bool(words.led_by & COMMANDS) and reactions.gives_reason(words)
    if words.named or (words.case and (turn.to_us or led)):
        return Kind.NEW_INPUT, Effect.ANSWER, Why.ADDRESSED
    return None


def command_with_reason(turn: RuleInput) -> Decision | None:
    """Take a command to us, other than a stop, with its reason, which is not of the case: "skip it, we know that".

    Two that ask for the same are a reason themselves: "speak up, I can't hear you over the suction".
    """
    words = turn.words
    twice = Says.REPEAT in words.led_by and bool(words.led_by & DIAL)
    if words.case or not (twice or reactions.gives_reason(words)):
        return None
    said = said_before_the_matter(words)
    if said is None or said not in _STEER or said in _CANCEL.keys() - {Says.SKIP}:
        return None
    kind, effect, _ = _STEER[said]
    return kind, effect, Why.COMMAND_WITH_REASON


def remark(turn: RuleInput) -> Decision | None:
    """Pass over people's talk about the case, which the page notes."""
    return (Kind.NEW_INPUT, Effect.GO_ON, Why.REMARK) if turn.words.case else None


def unsure(turn: RuleInput) -> Decision | None:
    """Pass over what may be a command that was not understood; ask after a second one soon."""
    words, metadata = turn.words, turn.metadata
    short = metadata.duration_ms < SHORT_MS and len(words.words) <= UNSURE_WORDS
    alike = metadata.duration_ms < VOTED_MS and reactions.may_be_a_command(words)
    if not (short or alike or turn.heard.doubted):
        return None
    waits = turn.context.mode is not Mode.FREE or turn.context.asked is PendingQuestion.WRONG_CASE
    if _again(turn.context) and not waits:
        return Kind.NEW_INPUT, Effect.ASK, Why.UNSURE_TWICE
    return Kind.IGNORE, Effect.GO_ON, Why.UNSURE


def side_talk(_: RuleInput) -> Decision:
    """Pass over everything else as talk that is not for us."""
    return Kind.IGNORE, Effect.GO_ON, Why.SIDE_TALK


RULES: Final[tuple[Rule, ...]] = (
    case_in_doubt,
    nothing_heard,
    wrong_case_confirmed,
    answer_to_our_question,
    our_own_words,
    critical_acknowledged,
    startled_by_an_alarm,
    command,
    for_the_team,
    approval_named,
    to_people,
    stop_with_reason,
    noisy_room,
    case_doubted,
    asks_us,
    called_by_name,
    bare_question,
    sign_of_listening,
    approval,
    order,
    command_first,
    at_work,
    question,
    objection,
    said_to_us,
    command_with_reason,
    remark,
    unsure,
    side_talk,
)


def _again(context: Context) -> bool:
    return context.unsure_before_s is not None and context.unsure_before_s <= AGAIN_WITHIN_S
