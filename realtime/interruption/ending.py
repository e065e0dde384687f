"""Whether a text that was written at a pause ends there, or wants more: by its words alone. Pure.

Wrong either way costs little: a whole turn that is taken for half of one ends less than half a second later,
and half a one that is taken for whole is answered, and the rest comes as a turn of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from realtime.interruption.questions import asks, tells
from realtime.interruption.reading import read
from realtime.interruption.team import consents
from realtime.interruption.words import Words, lexicon, words_of

if TYPE_CHECKING:
    from realtime.ears.model import Ending

_LINKS: Final = frozenset(
    "a an the and or nor because if when while than as of to for with without by from at into onto between "
    "via during versus plus my your his its our their every each very".split()
)
"""Articles, conjunctions, prepositions, owners: no sentence ends in one, or next to none."""
_VERBS: Final = frozenset(
    "is are was were be am has have had does did do can could should would will may might must whats whos "
    "hows gets got give start order check need want".split()
)
"""Verbs after which something is missing, unless it was asked for: "does she have", but "what does she have"."""
_SUBJECTS: Final = frozenset("i we you he she they it there".split())
_TO_WHOM: Final = frozenset("her him them me us".split())
_GIVING: Final = frozenset("give tell show get".split())
_ASKING: Final = frozenset("what whats who where how why which whose when".split())
_HESITATES: Final = frozenset("um uh er erm hmm".split())
_OPENING: Final = 2  # words that are no sentence yet: "what is", "can you", "give her"


def ending_of(text: str, case_words: frozenset[str]) -> Ending:
    """Return whether more is to be expected after `text`. A yes in words is whole: it answers what we asked."""
    words = words_of(text)
    if not words:
        return "open"
    if consents(words):
        return "finished"
    if _wants_more(words):
        return "unfinished"
    turn = read(text, case_words)
    named = turn.of_case(words[-1]) or words[-1] in lexicon().words["topics"]
    return "finished" if named and (asks(turn) or tells(turn)) else "open"


def _wants_more(words: Words) -> bool:
    last, before = words[-1], words[:-1]
    if last in _HESITATES or last in _LINKS:
        return True
    if len(words) == _OPENING and _opens(words[0], last):
        return True
    if last in _VERBS:
        return bool(before) and (len(words) <= _OPENING or not _ASKING.intersection(before))
    return last in _ASKING and before[-1:] != () and before[-1] in _LINKS | _VERBS


def _opens(first: str, second: str) -> bool:
    """Tell whether these two words are the opening of a sentence, and no more."""
    return (first in _VERBS and second in _SUBJECTS) or (first in _GIVING and second in _TO_WHOM)
