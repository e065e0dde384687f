"""Whether a text that was written at a pause ends there, or more may come: by its words alone. Pure.

It ends where it is something whole: a question for us, or a yes. Where all of it is known to us otherwise (a command,
a sign of listening) it has been acted on at the pause, and nothing is told of its end. Of everything else more may
come: most places at which a sentence can be cut leave words that could be all, so being whole is what is looked for,
and not being cut (docs/decisions/090-a-turn-is-over-when-it-is-whole.md).

Wrong either way costs little: a whole turn that is taken for part of one ends less than half a second later, and
part of one that is taken for whole is answered, and the rest comes as a turn of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from realtime.interruption.questions import asks, for_us, tells
from realtime.interruption.reading import Reading, read
from realtime.interruption.team import consents
from realtime.interruption.words import Words, lexicon, words_of

if TYPE_CHECKING:
    from realtime.ears.model import Ending

_LINKS: Final = frozenset(
    "a an the and or nor because if when while than as of to for with without by from at into onto between "
    "via during versus plus my your his its our their every each very".split()
)
"""Articles, conjunctions, prepositions, owners: no sentence ends in one, or next to none."""
_AUXILIARIES: Final = frozenset(
    "is are was were be am has have had does did do can could should would will may might must".split()
)
_VERBS: Final = _AUXILIARIES | frozenset("whats whos hows gets got give start order check need want".split())
"""Verbs after which something is missing, unless it was asked for: "does she have", but "what does she have"."""
_SUBJECTS: Final = frozenset("i we you he she they it there".split())
_TO_WHOM: Final = frozenset("her him them me us".split())
_GIVING: Final = frozenset("give tell show get".split())
_ASKING: Final = frozenset("what whats who where how why which whose when".split())
_HESITATES: Final = frozenset("um uh er erm hmm".split())
_OPENING: Final = 2  # words that are no sentence yet: "what is", "can you", "give her"
_LONG: Final = 4  # words; a question of so many is rarely the half of one ("what was her", "how sure are")


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
    if _asks_us(turn):
        return "finished"
    return "open" if turn.whole else "unfinished"


def _asks_us(turn: Reading) -> bool:
    """Tell whether it is a question for us, to its last word: that is of the case, a topic, or of what we tell."""
    if not (asks(turn) or tells(turn)):
        return False
    last, known = turn.words[-1], lexicon()
    if turn.of_case(last) or last in known.words["topics"] or last in known.words["talk"]:
        return True
    return len(turn.words) >= _LONG and for_us(turn)


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
    return (first in _AUXILIARIES and second in _SUBJECTS) or (first in _GIVING and second in _TO_WHOM)
