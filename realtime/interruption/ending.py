"""Judge by its words whether the text at a pause is a whole turn (endpointing). Pure.

A text is whole if it is a question for us, or a yes. Anything else may go on: most places at which a sentence can be
cut leave words that could be all of it, so the text is tested for being whole, not for being cut
(docs/decisions/090-a-turn-is-over-when-it-is-whole.md). Where a word is plainly missing the wait is longest.

A text that is all known to us in another way is "open": the usual silence ends it, and it is acted on then. A "stop"
or a "wait" was acted on at the pause already, and its reason does not undo it (095-ears-and-turns.md).

A mistake costs little. A whole turn taken for a part ends a second later. A part taken for the whole is answered, and
the rest comes as a turn of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from realtime.interruption.questions import asks, for_us, tells
from realtime.interruption.reading import COMMANDS, TurnReading, read
from realtime.interruption.team import consents
from realtime.interruption.words import Says, Words, lexicon, words_of

if TYPE_CHECKING:
    from realtime.ears.model import Ending

_LINKS: Final = frozenset(
    "a an the and or nor because if when while than as of to for with without by from at into onto between "
    "via during versus plus my your his its our their any some every each very".split()
)
"""Articles, conjunctions, prepositions, owners: no sentence ends in one, or next to none."""
_DO: Final = frozenset("do does did dont doesnt didnt".split())
_MODALS: Final = frozenset("can could should would will may might must shall".split())
_HAVE: Final = frozenset("have has had".split())
_BE: Final = frozenset("is are was were be am".split())
_ALONE: Final = _MODALS | frozenset("does did dont doesnt didnt".split())  # with no verb after them
_IS: Final = _BE | frozenset("whats hows wheres".split())
_AUXILIARIES: Final = _DO | _MODALS | _HAVE | _BE
_TAGS: Final = _AUXILIARIES | frozenset(
    "isnt arent wasnt werent hasnt havent hadnt cant couldnt wont wouldnt shouldnt".split()
)
"""Before "she" or "it" at the end of a sentence: "she is allergic, isn't she"."""
_VERBS: Final = _AUXILIARIES | frozenset(
    "whats whos hows got gets get give start order check need want".split()
)
"""Verbs after which something is missing, unless it was asked for: "does she have", but "what does she have"."""
_SUBJECTS: Final = frozenset("i we you he she they it there".split())
_NOMINATIVE: Final = frozenset("i we he she they".split())
"""Nobody ends a sentence in these but after an auxiliary: "any drugs we"."""
_POINTING: Final = frozenset("this that these those".split())
_OBJECTS: Final = frozenset("her him them me us".split())
_GIVING: Final = frozenset("give tell show get".split())
_ASKING: Final = frozenset("what whats who where how why which whose when".split())
_OF_WHAT: Final = frozenset("what which whose".split())  # these stand before a noun, as "how much" does
_MANY: Final = frozenset("much many".split())
_HESITATES: Final = frozenset("um uh er erm hmm".split())
_BEFORE_A_NOUN: Final = frozenset(
    "next last first second third other new main short long full whole previous usual normal".split()
)
"""Words that want a noun where one of `_THE` stands before them: "what is the next"."""
_THE: Final = _LINKS & frozenset("a an the my your his its our their every each".split()) | {"her", "any"}
_DO_WHAT: Final = ("do",)  # a yes, and the beginning of "do they agree"
_OPENING: Final = 2  # words that are no sentence yet: "what is", "can you", "give her"
_LONG: Final = 4  # words; a question of so many is rarely the half of one ("what was her", "how sure are")
_SILENCES: Final = frozenset({Says.QUIET, Says.WAIT})
_WHOLE: Final = frozenset(COMMANDS - _SILENCES) | {
    Says.ACK, Says.READY, Says.NO, Says.OBJECTION, Says.APPROVAL, Says.CONFIRM, Says.TO_PEOPLE, Says.APOLOGY
}  # fmt: skip
"""What can be a whole turn; our name, "a bit", "please" and a bare "what" begin something."""


def ending_of(text: str, case_words: frozenset[str]) -> Ending:
    """Return whether more is to be expected after `text`. A yes in words is whole, as an answer to us."""
    words = words_of(text)
    if not words:
        return "open"
    if consents(words) and words != _DO_WHAT:
        return "finished"
    turn = read(text, case_words)
    commands = turn.says() & COMMANDS if turn.whole else frozenset[Says]()
    if not commands and _wants_more(words):
        return "wanting"
    if asks_us(turn):
        return "finished"
    says = turn.says()
    whole = turn.whole and bool(says & _WHOLE) and not says & (_SILENCES | {Says.NOT})
    return "open" if whole else "unfinished"


def asks_us(turn: TurnReading) -> bool:
    """Return whether a turn is a question for us whose last word is of the case, a topic, or of our talk."""
    told = tells(turn)
    if not told and (not asks(turn) or _has_no_verb(turn)):
        return False
    last, known = turn.words[-1], lexicon()
    if turn.of_case(last) or last in known.words["topics"] or last in known.words["talk"]:
        return True
    return len(turn.words) >= _LONG and for_us(turn)


def _has_no_verb(turn: TurnReading) -> bool:
    """Return whether a question lacks a verb ("what allergies"), and so more of it is likely to come."""
    words = turn.matter
    if not 1 < len(words) < _LONG or _AUXILIARIES.intersection(words) or words[-1].endswith("ed"):
        return False
    return words[0] in _OF_WHAT or (words[0] == "how" and (words[1] in _MANY or len(words) == _OPENING))


def _wants_more(words: Words) -> bool:
    last, before = words[-1], words[:-1]
    if last in _HESITATES or (last in _LINKS and not _asks_about(words)):
        return True
    if before and ((last in _BEFORE_A_NOUN and before[-1] in _THE) or (last == "her" and before[-1] in _IS)):
        return True
    if before and before[-1] in _TAGS:
        if last == "not":
            return True
    elif before and last in _NOMINATIVE:
        return True
    if _wants_a_verb(words):
        return True
    if len(words) == _OPENING and _opens(words[0], last):
        return True
    if last in _VERBS:
        return bool(before) and (len(words) <= _OPENING or not _ASKING.intersection(before))
    return last in _ASKING and before[-1:] != () and before[-1] in (_LINKS | _VERBS) - {"and"}


def _asks_about(words: Words) -> bool:
    """Return whether a last preposition belongs to the question word: "what is she allergic to"."""
    if words[0] not in _OF_WHAT | {"whats"} or words[-1] in _THE or len(words) < _LONG:
        return False
    whose = (words[at + 1 : at + 3] for at, word in enumerate(words) if word in _BE or word == "whats")
    return any(who[:1] and (who[0] in _SUBJECTS or who == ("the", "patient")) for who in whose)


def _wants_a_verb(words: Words) -> bool:
    """Return whether an auxiliary lacks its verb: "what allergies does she", "what does the surgeon".

    It may lack its subject as well: "how much longer will", "how sure are".
    """
    asked = [at for at, word in enumerate(words) if word in _ASKING]
    if not asked or len(words) <= _OPENING:
        return False
    last = words[-1]
    if last in _ALONE or (words[0] == "how" and last in _BE and len(words) < _LONG):
        return True
    if last in _HAVE and words[-2] not in _SUBJECTS and not (_DO | _MODALS).intersection(words):
        return True
    at = next((at for at in range(asked[0] + 1, len(words)) if words[at] in _DO | _MODALS | _HAVE), None)
    if at is None:
        return False
    who = words[at + 1 :]
    if len(who) == 1:
        return who[0] in _SUBJECTS | _POINTING
    return len(who) == 2 and who[0] in _THE


def _opens(first: str, second: str) -> bool:
    """Return whether two words only open a sentence: "can you", "give her"."""
    return (first in _AUXILIARIES and second in _SUBJECTS) or (first in _GIVING and second in _OBJECTS)
