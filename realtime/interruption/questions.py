"""Judge whether a turn asks, asks to be told, or names a topic, and whether that may be for us."""

from __future__ import annotations

from typing import Final

from exaim_core.claims.limits import analytes_named
from realtime.interruption.reading import TurnReading
from realtime.interruption.words import Says, Words, lexicon

_TOLD_ALONE: Final = frozenset(
    "summarise summarize explain recap elaborate clarify status overview details".split()
)
_BEFORE_A_SIDE: Final = frozenset("the left or upper lower on to his her its is was be".split())
_THE: Final = frozenset({"the", "his", "her", "their", "doctor"})
_NOT_ASKING: Final = frozenset({Says.ACK, Says.QUIET, Says.WAIT})
_WHENCE: Final = frozenset({"from", "by", "at", "with", "in"})
_NO_INVERSION: Final = frozenset({"when", "where", "which", "whose"})  # these also open a clause
_LET_ME_KNOW: Final = ("let", "me", "know")
_ONCE: Final = {("when",), ("once",), ("as",), ("before",), ("after",)}
_WOULD: Final = frozenset("can could will would".split())
_SOMEBODY: Final = frozenset("somebody someone anybody anyone".split())
_KNOWING: Final = frozenset(
    {"know", "knows", "see", "sees", "thats", "is", "was", "exactly", "understand", "and", "that"}
)


def asks(turn: TurnReading) -> bool:
    """Return whether a turn has the form of a question."""
    if any(_asks(turn.words[start:], told=_after_a_noun(turn, start)) for start in turn.starts):
        return True
    words = turn.matter
    if len(words) >= 3 and words[-1] in lexicon().words["question_words"]:
        return True
    return turn.case and (_tagged(words) or _asks_inside(words))


def _after_a_noun(turn: TurnReading, start: int) -> bool:
    """Return whether the word before `start` may be the subject of what follows: "the next one"."""
    return any(each.end == start and turn.words[each.start] in {"the", "next"} for each in turn.phrases)


def _asks(words: Words, *, told: bool = False) -> bool:
    """`told`: a verb that comes first may belong to a subject before it."""
    known = lexicon()
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in _WOULD and second in _SOMEBODY and not known.phrases["tell"].at(words, 2):
        return False  # whoever is in the room is asked to do something
    if first in known.words["question_words"]:
        if first == "what" and second in {"a", "an"}:
            return False
        if first == "which" and second in {"is", "was", "means", "would"}:
            return False
        if first in _NO_INVERSION and second in known.words["subjects"] | {"hes", "shes", "the", "its"}:
            return False
        return True
    if first == "were":  # or "we're"
        return second in _THE | {"they", "there", "any", "these", "those", "both", "all"}
    if first in known.words["auxiliaries"] and told:
        return second in known.words["subjects"] | _THE
    if first in known.words["auxiliaries"]:
        return bool(second) and (not first.endswith("nt") or second in known.words["subjects"] | _THE)
    if first == "do":
        return second in known.words["subjects"] or (second in {"the", "his", "her"} and len(words) >= 4)
    if first == "have":
        return second in known.words["subjects"] | {"the", "his", "her"} and len(words) >= 3
    return False


def _tagged(words: Words) -> bool:
    """Return whether a statement becomes a question by its last words: "it was high, right?"."""
    length = lexicon().phrases["tags"].at_end(words)
    if not length or len(words) - length < 2:
        return False
    return words[-1] != "right" or words[-2] not in _BEFORE_A_SIDE


def _asks_inside(words: Words) -> bool:
    """Return whether a question follows an opening: "let me see, what is the potassium"."""
    known = lexicon()
    return any(
        words[at] in {"what", "how", "why", "who", "whats", "whos"}
        and (words[at] in {"whats", "whos"} or words[at + 1] in known.words["auxiliaries"] | {"about", "do"})
        and words[at - 1] not in _KNOWING
        for at in range(1, min(len(words) - 1, 40))
    )


def tells(turn: TurnReading) -> bool:
    """Return whether we are asked to tell something: "tell me about the kidney", "any allergies"."""
    return _told(turn) is not None


def _told(turn: TurnReading) -> Words | None:
    """Return what is to be told; None if nothing is asked for."""
    known = lexicon()
    for start in turn.starts:
        length = known.phrases["tell"].at(turn.words, start)
        rest = turn.words[start + length :]
        if turn.words[start : start + length] == _LET_ME_KNOW and rest[:1] in _ONCE:
            continue  # something that will happen is to be told by somebody who sees it
        if length and (rest or length > 1 or turn.words[start] in _TOLD_ALONE):
            return rest
    return None


def requests(turn: TurnReading) -> bool:
    """Return whether a turn has the form of a question, or asks us to tell something."""
    return asks(turn) or tells(turn)


def is_topic(turn: TurnReading) -> bool:
    """Return whether a turn only names something of the case, in a few words: "blood pressure?"."""
    words, known = turn.matter, lexicon()
    named = [turn.of_case(word) or word in known.words["topics"] for word in words]
    around = known.words["determiners"]
    return (
        0 < len(words) <= 5
        and not (turn.led_by & _NOT_ASKING and words[0] in _WHENCE)  # "got it from the pharmacy"
        and any(yes and word not in around for yes, word in zip(named, words, strict=True))
        and all(yes or word in around for yes, word in zip(named, words, strict=True))
    )


def is_measured(turn: TurnReading) -> bool:
    """Return whether a turn only names a value of the blood that the case has: "one more lactate", not "a CT"."""
    known = lexicon().words
    named = [word for word in turn.matter if word not in known["determiners"]]
    tests = known["tests"] & turn.case_words
    return bool(named) and all(word in tests and analytes_named(word) for word in named)


def points_at_us(turn: TurnReading) -> bool:
    """Return whether a turn names us, the team or the case, or points at what was said."""
    return turn.case or turn.named or any(word in lexicon().words["talk"] for word in turn.words)


def for_us(turn: TurnReading) -> bool:
    """Return whether a question may be for us: it names the case or team, or points at what was said.

    One that is about the people in the room ("did you get lunch") is not.
    """
    known = lexicon()
    if points_at_us(turn):
        return True
    told = _told(turn)
    asked = turn.words if told is None else told
    return not any(word in known.words["persons"] or word in known.words["everyday"] for word in asked)
