"""What a turn asks of us if all of it is commands: which one counts, and what a denied one comes to.

A whole command is politeness or our name, a command with an object of a closed list, and politeness again;
several may follow one another. One word that is none of these, and the turn is no command: a verb that is
found somewhere steers nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from realtime.interruption.reading import COMMANDS, DIAL, LIGHT, TurnReading
from realtime.interruption.words import Phrase, Says

_AROUND: Final = LIGHT | {Says.ATTACH, Says.LATER}
_BESIDE: Final = frozenset({Says.BARE, Says.CONFIRM, Says.HEDGE})
_DENIALS: Final = frozenset({Says.NOT, Says.OR, Says.TALK, Says.BOTHER, Says.LEAVE_OUT})
_IN_A_COMMAND: Final = COMMANDS | _AROUND | _DENIALS | _BESIDE
WHOLE: Final = COMMANDS | _AROUND
"""What a turn is made of that is a command of ours, denials aside."""
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
"""What a command says that is not wanted; any other then says no more than "okay"."""
_NOT_PUT_OFF: Final = frozenset({Says.QUIET, Says.NO, Says.WAIT, Says.WRONG_CASE})
"""Commands that silence us now, whatever is said to be for later beside them."""
_NOT: Final = ("not",)
_JOINS: Final = {("and",), ("or",), ("then",)}
_PASSES: Final = (_AROUND | {Says.HEDGE}) - {Says.NO, Says.ACK, Says.READY}
"""What may stand between a denial and what it denies."""


def meant(words: TurnReading) -> Says | None:
    """Return the command that the whole turn is, ACK if it only says what is not wanted, None: it is none."""
    if not words.only(_IN_A_COMMAND):
        return None
    said = [each.says for each in _affirmed(words)]
    if Says.WRONG_CASE in said:  # whatever is said beside it: silence, and we ask
        return Says.WRONG_CASE
    command = _last(said)
    if command in COMMANDS - _NOT_PUT_OFF and is_for_later(words):
        return Says.WAIT
    return command or (Says.ACK if Says.NOT in words.says() and Says.ACK in said else None)


def said_before_the_matter(words: TurnReading) -> Says | None:
    """Return the command that leads a turn which says something else after it."""
    begin = words.starts[-1] if words.starts else 0
    return _last([each.says for each in _affirmed(words) if each.end <= begin])


def puts_off(words: TurnReading) -> bool:
    """Tell whether the whole turn only says that something is for later: "not yet", "in a minute"."""
    return Says.LATER in words.says() and words.only(_AROUND)


def is_for_later(words: TurnReading) -> bool:
    """Tell whether what is wanted is put off: "skip it later"; "don't stop, not yet" says what is not wanted."""
    return Says.LATER in words.says() and Says.NOT not in words.says()


def goes_on_with_talk(words: TurnReading) -> bool:
    """Tell whether a command only goes on with what somebody said before: "and next"; not if it means us."""
    return words.words[:1] in _JOINS and not means_us(words)


def means_us(words: TurnReading) -> bool:
    """Tell whether we are named or asked: "not yet please"."""
    return words.named or "please" in words.words


def _affirmed(words: TurnReading) -> tuple[Phrase, ...]:
    """Return the phrases with each denial carried out on the command after it, and after "or" the next."""
    phrases = words.phrases
    found: list[Phrase] = []
    denial: Phrase | None = None
    denied = False  # the command before this phrase was
    for each in phrases:
        says = each.says
        if says is Says.NOT:
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
    if denial is not None and denial.says is Says.NOT and words.words[denial.start : denial.end] != _NOT:
        found.append(Phrase(Says.NO, denial.start, denial.end))  # "don't!", and not "not today"
    return tuple(found)


def _last(said: list[Says | None]) -> Says | None:
    """The last one counts: "stop. No, go on" goes on. "No" yields to all, "wait" to a stop before it.

    "Slower, say that again" is slower: a pace or a loudness says how, and the other only that. So it is with
    "the previous one again" and "spell that again".
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
