"""Word what was said since beside what is told: "…; since then Doctor Hine: breathing again."."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from exaim_core.schema import SpokenItem
from exaim_core.text.names import Names, inner, person
from exaim_core.text.wording import lower_first
from exaim_core.words.templates import said_words

SINCE: Final = "; since then "


def said_since(item: SpokenItem, said: Iterable[tuple[str, str]], names: Names) -> str:
    """Return what was `said` since, as (agent, words), each with its speaker's name, but for the speaker of `item`."""
    own = {person(agent) for agent in item.agents}
    return "; ".join(
        lower_first(words) if person(agent) in own else f"{inner(names(agent))}: {lower_first(words)}"
        for agent, words in said
    )


def beside(text: str, since: str) -> str:
    """Return a told sentence with what was said since, in the place of what it had of that; "" for nothing."""
    own = text.partition(SINCE)[0]
    if since:
        return f"{own.rstrip('.!')}{SINCE}{since}."
    return text if own == text else f"{own}."


def tells_since(told: str, text: str) -> bool:
    """Return whether what stands behind "since then" in a told sentence is all that `text` says, by its speaker."""
    own, _, since = told.partition(SINCE)
    since = since.rstrip(".!?").lower()
    words = said_words(text).rstrip("!?").lower()
    if not since.endswith(words) or not words:
        return False
    speaker = since.removesuffix(words).removesuffix(": ") or _speaker(own)
    return speaker == _speaker(text)


def _speaker(text: str) -> str:
    """Return who speaks in a told sentence, without what stands before the name: "Caution, the nurse: …"."""
    return text.partition(": ")[0].rpartition(", ")[2].removeprefix("a caution by ").lower()
