"""Whom a question is asked of: somebody who has spoken, or somebody who is not there."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from agents.dialogue.allergies import of_allergies_asked
from agents.dialogue.look_up import FactGroup
from agents.dialogue.passages import Passages
from agents.dialogue.people import Person, names_absent
from agents.dialogue.thread import FIXED
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent
from agents.dialogue.vocabulary import ALIKE, Vocabulary

MOST_OF_ABSENT: Final = 2  # sentences that are told of who has not spoken
_SAFETY: Final = frozenset({Intent.ALLERGIC, Intent.CRITICAL, Intent.FORBIDDEN})


def of_absent(label: str, passages: Passages) -> tuple[FactGroup, ...]:
    """Return what was said of somebody who has not spoken; nobody's view is told for his."""
    if label.startswith("Doctor "):
        return ()
    found = [one for one in passages.all if one.alone and not one.past and names_absent(label, one.text)]
    return (
        (FactGroup(label, tuple(passages.fact_of(one) for one in found[:MOST_OF_ABSENT])),) if found else ()
    )


def of_person(asked: UnderstoodQuestion, person: Person, vocabulary: Vocabulary) -> UnderstoodQuestion:
    """Return `asked` with whom it is asked of, where the question names a role or a name; that is no topic of it.

    A question of safety goes first: who has not spoken does not hide what others said of it.
    """
    if asked.intent in FIXED or asked.agent or asked.stranger:
        return asked
    if person.absent is not None:
        if asked.intent in _SAFETY or of_allergies_asked(asked):
            return asked
        return replace(asked, stranger=person.absent)
    if person.agent is None:
        return asked
    own = vocabulary.key(" ".join(person.words))
    called = {name for match in vocabulary.spelled_in(own) for name in match.names}
    near = {
        one.names for word in own for one in vocabulary.heard_as(word, ALIKE)
    }  # as which he may be mis-heard
    topics = tuple(
        topic
        for topic in asked.topics
        if not (({*topic.names} <= called and {*topic.words} <= {*own}) or topic.names in near)
    )
    return replace(asked, agent=person.agent, topics=topics)


def said_by(agent: str, passages: Passages) -> tuple[FactGroup, ...]:
    """Return what an agent said in the last turn in which he said what stands."""
    own = [one for one in passages.all if one.alone and not one.past and one.agent == agent]
    last = [one for one in own if one.said[0].in_turn == own[-1].said[0].in_turn]
    return (FactGroup("that", tuple(passages.fact_of(one) for one in last)),) if last else ()
