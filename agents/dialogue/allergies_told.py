"""What is said of allergies, told with those on record."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from agents.dialogue.facts import Fact
from agents.dialogue.look_up import FactGroup
from agents.dialogue.on_record import allergies_on_record, of_another, states_none
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent

# Of these a record of allergies is told whole, also where nobody speaks of one.
_OF_ALLERGIES: Final = frozenset({Intent.ALLERGIC, Intent.FACT, Intent.HISTORY, Intent.CAUTIONS})


def with_recorded(paper: Iterable[Fact], said: FactGroup, asked: UnderstoodQuestion) -> FactGroup:
    """Return what was said of allergies behind those on record; then that none is on record, then the kin's."""
    recorded = allergies_on_record(paper)
    if not recorded or not (said.facts or asked.intent in _OF_ALLERGIES):
        return said
    none = tuple(replace(fact, said=fact.bare or fact.said) for fact in recorded if states_none(fact))
    spoken = " ".join(text for fact in said.facts for text in fact.rests_on).lower()
    kin = tuple(
        fact for fact in recorded if of_another(fact) and fact.rests_on[0].rstrip(". ").lower() not in spoken
    )
    known = tuple(fact for fact in recorded if not (states_none(fact) or of_another(fact)))
    topic = next((each for each in asked.topics if each.names == ("allergies",)), None)
    return replace(said, facts=(*known, *said.facts, *none, *kin), topic=topic)
