"""Agents under the names that are spoken, and small numbers as words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

NUMBER_WORDS: Final = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
_ID: Final = re.compile(r"(?P<stem>[a-z]+(?:[_ -][a-z]+)*)[_ -]?(?P<number>\d+)?", re.IGNORECASE)
_NAME: Final = re.compile(r"[A-Z][A-Za-z]*(?: [A-Z][A-Za-z]*)+")
MODERATORS: Final = frozenset({"supervisor", "moderator", "orchestrator", "chair", "coordinator"})


def number_word(number: int) -> str:
    """Return `number` as a word up to twelve, else in digits."""
    return NUMBER_WORDS[number] if 0 <= number < len(NUMBER_WORDS) else str(number)


@lru_cache(maxsize=256)
def spoken_name(agent_id: str) -> str:
    """Return how an agent is called aloud: "doctor0" is "Doctor Zero", "supervisor" "The supervisor".

    Several words in capitals are a name already: "Doctor Zero", "Emergency Physician".
    """
    if _NAME.fullmatch(agent_id.strip()):
        return agent_id.strip()
    match = _ID.fullmatch(agent_id.strip())
    if match is None:
        return agent_id.strip() or "An agent"
    stem = re.sub(r"[_-]+", " ", match["stem"]).strip()
    if match["number"] is not None:
        words = " ".join(word.capitalize() for word in stem.split())
        return f"{words} {number_word(int(match['number'])).capitalize()}"
    return f"The {stem.lower()}"


def inner(name: str) -> str:
    """Return a spoken name as it stands inside a sentence: "the supervisor"."""
    return name[:1].lower() + name[1:] if name.startswith("The ") else name


_WRITTEN: Final = re.compile(r"\b(?:doctor|agent|specialist|expert)[_-]?\d+\b", re.IGNORECASE)


def with_spoken_names(text: str) -> str:
    """Return `text` with agents' ids such as "Doctor2" as they are called aloud."""
    return _WRITTEN.sub(lambda match: spoken_name(match.group()), text)


def is_moderator(agent_id: str) -> bool:
    """Tell whether `agent_id` chairs the discussion, so that its view is a ruling and no vote."""
    return re.sub(r"[\d_ -]+$", "", agent_id.strip().lower()) in MODERATORS


class Names:
    """The spoken names of one session: those given, else made by `spoken_name`."""

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self._given = dict(given or {})

    def __call__(self, agent_id: str) -> str:
        """Return the spoken name of `agent_id`."""
        return self._given.get(agent_id) or spoken_name(agent_id)
