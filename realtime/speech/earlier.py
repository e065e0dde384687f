"""Word what is told long after it was said, so that nobody takes it for the present state. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from exaim_core.text.names import inner, spoken_name
from realtime.speech.budget import WORDS_PER_S

_CAUTION: Final = "Caution, "
EARLIER_S: Final = 20.0  # from when it was said to when it is told: then it is told as said earlier


def as_earlier(text: str, agents: Iterable[str]) -> str:
    """Return an agent's own words as said earlier: "Earlier, the nurse: HR 138." Other sentences stay as they are.

    `agents` are the ids of those who may have said it: before the colon the spoken name of one of them stands, and
    before that "Caution" may.
    """
    head, colon, words = text.partition(": ")
    who = head.removeprefix(_CAUTION)
    own_words = colon and any(who in (name, inner(name)) for name in map(spoken_name, agents))
    by = f"a caution by {who}" if who != head else inner(who)
    return f"Earlier, {by}: {words}" if own_words else text


def worded_for(text: str, agents: Iterable[str], *, said_at_s: float, now_s: float, after_words: int) -> str:
    """Return `text` as it is true when it is told, behind so many words that are told from now on."""
    waited_s = now_s + after_words / WORDS_PER_S - said_at_s
    return as_earlier(text, agents) if waited_s >= EARLIER_S else text
