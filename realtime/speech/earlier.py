"""Word what is told long after it was said, so that nobody takes it for the present state. Pure."""

from __future__ import annotations

from typing import Final

from exaim_core.text.names import inner
from realtime.speech.budget import WORDS_PER_S

EARLIER_S: Final = 20.0  # from when it was said to when it is told: then it is told as said earlier
_LONGEST_NAME: Final = 40  # characters of a speaker's name before the colon


def as_earlier(text: str) -> str:
    """Return an agent's own words as said earlier: "Earlier, the nurse: HR 138." Other sentences stay as they are."""
    name, colon, words = text.partition(": ")
    own_words = colon and len(name) <= _LONGEST_NAME and not any(mark in name for mark in ",.;")
    return f"Earlier, {inner(name)}: {words}" if own_words else text


def worded_for(text: str, *, said_at_s: float, now_s: float, after_words: int) -> str:
    """Return `text` as it is true when it is told, behind so many words that are told from now on."""
    waited_s = now_s + after_words / WORDS_PER_S - said_at_s
    return as_earlier(text) if waited_s >= EARLIER_S else text
