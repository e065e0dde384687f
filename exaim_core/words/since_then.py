"""Word what was said since beside what is told: "…; since then Doctor Hine: breathing again."."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from exaim_core.schema import SpokenItem
from exaim_core.text.names import Names, inner, person
from exaim_core.text.wording import lower_first

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
