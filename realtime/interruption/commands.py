"""Find the command in a turn that consists of commands only, denials among them.

A whole command is politeness or our name, a command with an object of a closed list, and politeness again;
several may follow one another. With one word that is none of these the turn is no command: a verb found
somewhere in talk steers nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from realtime.interruption.reading import COMMANDS, DIAL, LIGHT, TurnReading
from realtime.interruption.words import Phrase, Says, Words

_AROUND: Final = LIGHT | {Says.ATTACH, Says.LATER}
_BESIDE: Final = frozenset({Says.BARE, Says.CONFIRM, Says.HEDGE, Says.DOUBT})
_DENIALS: Final = frozenset({Says.NOT, Says.OR, Says.TALK, Says.BOTHER, Says.LEAVE_OUT})
_IN_A_COMMAND: Final = COMMANDS | _AROUND | _DENIALS | _BESIDE
WHOLE: Final = COMMANDS | _AROUND
"""What the phrases of a turn say that is a whole command, denials aside."""
_DENIED: Final[Mapping[Says, Says]] = {
    Says.QUIET: Says.GO_ON,
    Says.WAIT: Says.GO_ON,
    Says.SKIP: Says.GO_ON,
    Says.BOTHER: Says.GO_ON,
    Says.GO_ON: Says.QUIET,
    Says.TALK: Says.QUIET,
    Says.LEAVE_OUT: Says.FULL,
    Says.WRONG_CASE: Says.RIGHT_CASE,
    Says.RIGHT_CASE: Says.WRONG_CASE,
}
"""What a denied command means; any other denied command means no more than "okay"."""
_NOT_PUT_OFF: Final = frozenset({Says.QUIET, Says.NO, Says.WAIT, Says.WRONG_CASE})
"""Commands that silence us at once, even beside a "later"."""
_FORBIDS: Final = frozenset({("dont",), ("do", "not"), ("never",), ("please", "dont"), ("no", "dont")})
"""How a denial begins that is a command by itself: "don't!", and not "I didn't say that", "you don't have to"."""
_JOINS: Final = {("and",), ("or",), ("then",)}
_PASSES: Final = (_AROUND | {Says.HEDGE}) - {Says.NO, Says.ACK, Says.READY}
"""What may stand between a denial and what it denies."""
_DOUBTED: Final = {Says.RIGHT_CASE: Says.WRONG_CASE, Says.WRONG_CASE: None}
"""What a doubt makes of the words on the case after it: that it is the right one has to be said without any."""


def meant(words: TurnReading) -> Says | None:
    """Return the command of a turn that is nothing else; ACK if it only denies one; else None."""
    if not words.only(_IN_A_COMMAND):
        return None
    said = [each.says for each in _affirmed(words)]
    if Says.WRONG_CASE in said:  # it wins over all other commands beside it
        return Says.WRONG_CASE
    command = _last(said)
    if command in COMMANDS - _NOT_PUT_OFF and is_for_later(words):
        return Says.WAIT
    return command or (Says.ACK if Says.NOT in words.says() and Says.ACK in said else None)


def said_before_the_matter(words: TurnReading) -> Says | None:
    """Return the command at the beginning of a turn that goes on with something else."""
    begin = words.starts[-1] if words.starts else 0
    return _last([each.says for each in _affirmed(words) if each.end <= begin])


def puts_off(words: TurnReading) -> bool:
    """Return whether the turn only puts something off: "not yet", "in a minute"."""
    return Says.LATER in words.says() and words.only(_AROUND)


def is_for_later(words: TurnReading) -> bool:
    """Return whether a command is for later: "skip it later", but not "don't stop, not yet"."""
    return Says.LATER in words.says() and Says.NOT not in words.says()


def goes_on_with_talk(words: TurnReading) -> bool:
    """Return whether a command continues somebody's talk ("and next") and does not address us."""
    return words.words[:1] in _JOINS and not means_us(words)


def means_us(words: TurnReading) -> bool:
    """Return whether we are named or asked politely: "not yet please"."""
    return words.named or "please" in words.words


def _affirmed(words: TurnReading) -> tuple[Phrase, ...]:
    """Return the phrases with each denial applied to the command after it, and again after "or"."""
    phrases = words.phrases
    found: list[Phrase] = []
    denial: Phrase | None = None
    denied = False  # the command before this phrase was
    doubted = False
    for each in phrases:
        says = each.says
        if says is Says.DOUBT:
            doubted = True
        elif doubted and says in _DOUBTED:
            found.append(Phrase(_DOUBTED[says], each.start, each.end))
        elif says is Says.NOT:
            denial, denied = each, False
        elif says is Says.OR:
            denial = each if denied else None
        elif says in _PASSES:
            found.append(each)
        elif denial is not None:
            found.append(Phrase(_DENIED.get(says, Says.ACK) if says else None, denial.start, each.end))
            denial, denied = None, True
        else:
            found.append(each)
            denied = False
    if denial is not None and denial.says is Says.NOT and _forbids(words.words[denial.start : denial.end]):
        found.append(Phrase(Says.NO, denial.start, denial.end))
    return tuple(found)


def _forbids(denial: Words) -> bool:
    return denial[:1] in _FORBIDS or denial[:2] in _FORBIDS


def _last(said: list[Says | None]) -> Says | None:
    """Return the command that counts: the last one, so that "stop. No, go on" goes on.

    "No" yields to any command, and "wait" to a stop before it. A repeat or "go on" yields to a command that says more:
    "slower, say that again", "the previous one again", "spell that again".
    """
    found: Says | None = None
    for each in said:
        match each:
            case Says.WAIT if found is Says.QUIET:
                pass
            case Says.REPEAT | Says.GO_ON if found in DIAL or found in {Says.PREVIOUS, Says.SPELL}:
                pass
            case Says.BARE | Says.TALK | Says.BOTHER | Says.LEAVE_OUT | Says.CONFIRM:
                found = each
            case command if command in COMMANDS:
                found = command
            case Says.NO if found is None:
                found = Says.NO
            case Says.ACK | Says.READY if found is Says.NO:
                found = None  # "no, that's fine"
            case _:
                pass
    return found if found in COMMANDS or found is Says.NO else None
