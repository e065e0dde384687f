"""A question that is to be put to somebody: nobody here passes it on, and the answer says so."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from typing import Final

_ALL: Final = frozenset({"team", "them", "agents", "doctors", "others", "panel", "group"})
_QUESTION: Final = r"(?:it|this|that|(?:the|this|that|my|a) question)"
_ADDRESSED: Final = re.compile(
    r"\A\W*(?:(?:please|and|then|so|ok|okay|can you|could you|would you)[ ,]+)*"
    rf"(?:(?:put|pass|send|forward|relay|refer) {_QUESTION} (?:(?:back|on|over|up) )?(?:to|with|past) )"
    r"(?P<who>(?:the |our |my |an? )?[\w’'-]+(?: (?!about\b|whether\b|if\b|what\b|why\b|how\b|when\b|that\b|please\b)[\w’'-]+){0,2})",
    re.IGNORECASE,
)


def addressee(text: str) -> str | None:
    """Return to whom a question is to be put, as it was said: "the neurologist"; None: it is asked of us."""
    found = _ADDRESSED.match(text)
    return found["who"] if found is not None else None


def not_passed_on(who: str, *, here: bool) -> str:
    """Return the sentence that says that it was not passed on, and why; `here`: he is one of the agents."""
    if here or who.lower().removeprefix("the ") in _ALL:
        return f"I passed nothing on to {who}: nobody can be asked now."
    return f"I passed nothing on: {who} is not one of the agents here."
