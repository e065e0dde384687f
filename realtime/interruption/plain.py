"""Judge whether a text was recognised well enough to need no second recogniser. Pure.

A recogniser that mishears writes words that are in no list of ours ("howl is the patient", "what was the your
insodium"). A question of four words or more, each of them of the case, of medicine, or a usual word of questions, was
not misheard as far as words can tell (docs/decisions/118-a-session-that-costs-less.md).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from realtime.interruption.ending import asks_us, ending_of
from realtime.interruption.reading import LIGHT, is_known, read
from realtime.interruption.words import lexicon, words_of

LEAST_WORDS: Final = 4
"""In fewer words one misheard word is half of all, and the closed vocabulary may know them better."""
_LISTS: Final = (
    "question_words", "auxiliaries", "subjects", "reference", "determiners", "finite", "topics", "talk", "order_verbs",
)  # fmt: skip
_AS_A_HUM: Final = frozenset({"no", "oh", "so"})
"""What the first recogniser writes for hums, more than once; never a single "no"."""
_ASKED_WITH: Final = frozenset(
    "do must have been be having much many long not as so than no given now then tell me us".split()
)


def is_plain_question(text: str, case_words: frozenset[str]) -> bool:
    """Return whether `text` is a whole question for us of which each word is known."""
    turn = read(text, case_words)
    if turn.truncated or len(turn.words) < LEAST_WORDS or not asks_us(turn):
        return False
    if ending_of(text, case_words) != "finished":
        return False
    asked = (
        turn.words[at]
        for each in turn.phrases
        if each.says not in LIGHT
        for at in range(each.start, each.end)
    )
    return all(word in _of_questions() or turn.of_case(word) for word in asked)


def is_made_out(text: str, case_words: frozenset[str]) -> bool:
    """Return whether no second recogniser is needed: all words have a meaning to us, or ask plainly.

    A bare "no, no" does need it: a hum is sometimes written so, and would silence us for good
    (docs/decisions/139-what-a-hum-is-written-as.md). The voice holds meanwhile.
    """
    return not _denies_only(text) and (is_known(text, case_words) or is_plain_question(text, case_words))


def _denies_only(text: str) -> bool:
    words = words_of(text)
    return len(words) > 1 and {"no"} <= set(words) <= _AS_A_HUM


@lru_cache(maxsize=1)
def _of_questions() -> frozenset[str]:
    known = lexicon().words
    return _ASKED_WITH.union(*(known[name] for name in _LISTS))
