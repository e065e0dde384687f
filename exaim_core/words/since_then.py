"""Word what was said since beside what is told: "…; since then Doctor Hine: breathing again."."""

from __future__ import annotations

from collections.abc import Iterable

from exaim_core.schema import SpokenItem
from exaim_core.text.names import Names, inner, person
from exaim_core.text.wording import lower_first


def with_since(item: SpokenItem, said: Iterable[tuple[str, str]], names: Names) -> str:
    """Return the sentence of `item` with what was `said` since, as (agent, words); a speaker's own without its name."""
    own = {person(agent) for agent in item.agents}
    told = "; ".join(
        lower_first(words) if person(agent) in own else f"{inner(names(agent))}: {lower_first(words)}"
        for agent, words in said
    )
    return f"{item.text.rstrip('.!')}; since then {told}."
