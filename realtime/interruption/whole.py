"""Write out the commands of whole turns, against which a recogniser can hold a sound."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from realtime.interruption.plain import is_plain_question
from realtime.interruption.reading import COMMANDS, is_known
from realtime.interruption.words import Says, lexicon

WORDS: Final = 5
"""Longer commands are rare, and a recogniser gets some of their words right."""
_POLITE: Final = 3  # up to so many words, a command is said with "please" as often as not
_RARE: Final = {Says.RIGHT_CASE, Says.USUAL_DETAIL, Says.USUAL_PACE, Says.USUAL_VOLUME}


@lru_cache(maxsize=1)
def whole_commands() -> tuple[str, ...]:
    """Return some thousands of commands in lower case, with and without "please"."""
    found: list[str] = []
    for words, says in lexicon().says.items():
        if says in COMMANDS and says not in _RARE and len(words) <= WORDS:
            phrase = " ".join(words)
            found += [phrase, f"{phrase} please"] if len(words) <= _POLITE else [phrase]
    return tuple(dict.fromkeys(found))


def understood(text: str) -> bool:
    """Return whether `text` is understood, so that its sound need not be compared with commands.

    The comparison makes a recognition a quarter more expensive.
    """
    return is_known(text, frozenset()) or is_plain_question(text, frozenset())
