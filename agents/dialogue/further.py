"""What fills the room that an answer leaves, and what of it the page lists.

First what somebody answered in the discussion when the like was asked there, then what is likest the question by words
and meaning together (docs/decisions/105), last what was said on from what is told first (docs/decisions/111).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.allergies import (
    before_denial,
    denied_at,
    fills_beside,
    is_unrelated,
    may_stand_by,
    of_allergies_asked,
)
from agents.dialogue.facts import Fact, FactKind
from agents.dialogue.fit import asks_value, is_one_thing
from agents.dialogue.forbidden_list import gives, quoted
from agents.dialogue.forbids import doings
from agents.dialogue.given import names_given
from agents.dialogue.later import (
    REPLIES,
    around,
    figure_again,
    just_before,
    last_word,
    next_speaker,
    said_beside,
    stands_next,
)
from agents.dialogue.leave import second
from agents.dialogue.look_up import FactGroup
from agents.dialogue.meaning import NAMED, asked_in, meaning_of, met_by
from agents.dialogue.passages import Passages
from agents.dialogue.quotes import as_told
from agents.dialogue.restraints import restrains
from agents.dialogue.segments import Passage
from agents.dialogue.shapes import asks_whether
from agents.dialogue.stops import is_order
from agents.dialogue.ties import ASKED_LIKE, share_asked
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent, Sentence
from agents.dialogue.weigh import is_of_a_value
from exaim_core.board.shown import SaidView
from exaim_core.claims.consensus import about_the_debate
from exaim_core.text.names import Names

FURTHER_LIKE: Final = 0.3  # of 1: so like the question is a sentence that fills the room
MOST_ON_PAGE: Final = 8  # sentences that the page lists of the likest
_LOOKED_AT: Final = 40  # passages that are near a question for a list, of which few name a thing
_MOST_OF_LIST: Final = 6  # ... and sentences of them that the page has below the list
_TO_ANSWER: Final = 3  # sentences, at most, from a question to what answers it
_SMOOTH: Final = 3  # of reciprocal ranks: how little the first is before the second
_RECORDED: Final = frozenset({FactKind.LAB, FactKind.OBSERVATION, FactKind.MEDICINE, FactKind.PERSON})
_OF_THE_WHOLE: Final = frozenset({Intent.COUNT, Intent.SUMMARY})


def with_further(
    asked: UnderstoodQuestion, question: str, groups: tuple[FactGroup, ...], passages: Passages
) -> tuple[FactGroup, ...]:
    """Return `groups` with what else answers: second what answered the like in the discussion, last what fills."""
    if asked.intent in _OF_THE_WHOLE or not any(group.facts for group in groups):
        return groups
    groups = _without_what_is_beside(question, groups, passages)
    told = [fact for group in groups for fact in group.facts]
    known = {text for fact in told for text in fact.rests_on}
    answered = answered_before(question, passages, asked.agent)
    again = () if groups[0].nearest or asked.agent else figure_again(passages, told)
    replies = _later(asked, question, passages, told)
    if any(_restrains(fact, passages) for fact in told[1:]):  # nothing comes between that and the first
        replies = (*again, *replies)
    else:
        recorded = told[0].told in _RECORDED  # then that is the answer, and its course stands behind it
        both = () if recorded else first_by_both(question, passages, asked.agent)
        answered = (*again, *both, *answered)
    answered = tuple(fact for fact in answered if not known & set(fact.rests_on))
    last = tuple(fact for fact in replies if not known & set(fact.rests_on))
    made = second(groups, answered) if answered else groups
    made = (*made, FactGroup("that", last, beside=True)) if last else made
    return with_room_filled(asked, question, made, passages)


def _without_what_is_beside(
    question: str, groups: tuple[FactGroup, ...], passages: Passages
) -> tuple[FactGroup, ...]:
    """Return `groups` without what is not of the question; what is told first stays, and so does what restrains."""
    first_group = next(group for group in groups if group.facts)
    first = first_group.facts[0]

    def stays(fact: Fact) -> bool:
        near = fact is first or _restrains(fact, passages) or said_beside(passages, first, fact)
        return near or is_of_question(fact, question, passages)

    made: list[FactGroup] = []
    for group in groups:
        of_another = group.topic is not None and group is not first_group  # it was asked about, too
        whole = group.beside or group.nearest or of_another
        kept = tuple(fact for fact in group.facts if whole or stays(fact))
        if kept or not group.facts:  # one of which nothing stays is not told as missing
            made.append(replace(group, facts=kept))
    return tuple(made)


# What the whole discussion comes to, and what is a list of like things.
_OF_ALL: Final = frozenset({FactKind.LEAD, FactKind.VOTE, FactKind.CHANGED})
_LISTED: Final = frozenset({Intent.CHANGED, Intent.OPEN, Intent.PENDING, Intent.PLAN, Intent.DROPPED})


def with_room_filled(
    asked: UnderstoodQuestion, question: str, groups: tuple[FactGroup, ...], passages: Passages
) -> tuple[FactGroup, ...]:
    """Return `groups` with what fills their room: what is likest the question, then what was said around the first.

    What stands before it comes last: what was said on from it may take it back.

    A value on record is a whole answer, and what is but like the question gives no reason.
    """
    told = [fact for group in groups for fact in group.facts]
    if not told or is_of_a_value(told):
        return groups
    known = {text for fact in told for text in fact.rests_on}
    near = () if asked.intent is Intent.WHY else passages.nearest(question, asked.agent, most=MOST_ON_PAGE)
    likest = [passages.fact_of(one) for one in near if _may_fill(one) and _is_like(one, passages)]
    likest = [fact for fact in likest if is_of_question(fact, question, passages)]
    if (
        told[0].told in _OF_ALL or asked.intent in _LISTED
    ):  # what was said next to one of a list is of no list
        return groups
    on = around(passages, told, value=asks_value(asked_in(question)))
    on = tuple(fact for fact in on if not asked.agent or fact.agents[:1] == (asked.agent,))
    if of_allergies_asked(asked):
        likest = [fact for fact in likest if may_stand_by(fact, told[0], passages)]
        on = before_denial(on, told[0], passages)
    next_to = tuple(fact for fact in on[:1] if stands_next(passages, told, fact))
    before = () if next_to else just_before(passages, told)
    if of_allergies_asked(asked):
        next_to, before = (
            tuple(fact for fact in some if not is_unrelated(fact, told[0], passages))
            for some in (next_to, before)
        )
    if asked.intent is Intent.ALLERGIC:  # of one drug asked about, what takes it back may stand in any words
        next_to, on, before = (
            tuple(fact for fact in some if fills_beside(fact, told, passages))
            for some in (next_to, on, before)
        )
    last = tuple(fact for fact in (*next_to, *likest, *on, *before) if not known & set(fact.rests_on))
    return (*groups, FactGroup("that", last, beside=True)) if last else groups


def _later(
    asked: UnderstoodQuestion, question: str, passages: Passages, told: Sequence[Fact]
) -> tuple[Fact, ...]:
    """Return what was said later of what is told first; nobody else's words where one is asked for his."""
    if asked.agent is not None:
        return ()
    replies = next_speaker(passages, told) if asks_whether(question.lower()) else ()
    return (*replies, *last_word(passages, told))


def _restrains(fact: Fact, passages: Passages) -> bool:
    return fact.told is FactKind.ALLERGY or any(restrains(passages.said[k]) for k in passages.told_at(fact))


def _is_like(one: Passage, passages: Passages) -> bool:
    """Tell whether a passage is so like the question as to fill its room; a reply to another must be more so."""
    return passages.like_of(one.text) >= (ASKED_LIKE if REPLIES.match(one.text) else FURTHER_LIKE)


def is_of_question(fact: Fact, question: str, passages: Passages) -> bool:
    """Tell whether a fact names what is asked about, points at it, or is very like the question."""
    texts = (as_told(fact), *passages.pointed_at(fact))
    return share_asked(question, " ".join(texts), passages.like_of(fact.rests_on[0]))


def _may_fill(one: Passage) -> bool:
    """Tell whether a passage can be told away from its place: it stands, and no question is in it."""
    stands = bool(one.said) and not one.past and not about_the_debate(one.text)
    return stands and not any(each.text.endswith("?") for each in one.said)


def answered_before(question: str, passages: Passages, agent: str | None = None) -> tuple[Fact, ...]:
    """Return what was answered in the discussion to the question that is likest this one; () where none is like it.

    "Potassium before you start?" "3.4. Ionised calcium 1.02." Of a drug, a value, a test or an allergen only where
    question or answer names it.
    """
    said = passages.said
    asked = [(passages.like_alone(one.text), at) for at, one in enumerate(said) if one.text.endswith("?")]
    like, at = max(asked, default=(0.0, 0))
    answers = [
        k for k in range(at + 1, min(len(said), at + 1 + _TO_ANSWER)) if not said[k].text.endswith("?")
    ]
    if like < ASKED_LIKE or not answers or (agent and said[answers[0]].agent_id != agent):
        return ()
    first = said[answers[0]]
    both = f"{said[at].text} {first.text}"
    named = [unit for unit in asked_in(question) if is_one_thing(unit)]
    if named and max(each[0] for each in met_by(named, [meaning_of(both)])) < NAMED:
        return ()
    return tuple(
        passages.fact_of(one) for one in _together(first, passages, denied=denied_at(said, answers[0]))
    )


def first_by_both(question: str, passages: Passages, agent: str | None = None) -> tuple[Fact, ...]:
    """Return the passage that stands best by words and by likeness together (reciprocal ranks); () without vectors.

    Of a drug, a value, a test or an allergen only where the passage names it.
    """
    by_words = {id(one.passage): rank for rank, one in enumerate(passages.ranked(question, agent))}
    may = [
        (passages.like[at], one)
        for at, one in enumerate(passages.all)
        if at in passages.like and _may_fill(one) and agent in (None, one.agent)
    ]
    may.sort(key=lambda each: -each[0])
    scores = [
        (1 / (_SMOOTH + rank) + (1 / (_SMOOTH + by_words[id(one)]) if id(one) in by_words else 0.0), -rank)
        for rank, (_, one) in enumerate(may)
    ]
    if not scores:
        return ()
    first = passages.fact_of(may[-max(scores)[1]][1])
    named = any(is_one_thing(unit) for unit in asked_in(question))
    return () if named and not share_asked(question, as_told(first)) else (first,)


def _together(first: SaidView, passages: Passages, *, denied: bool) -> tuple[Passage, ...]:
    """Return the passage of an answer, with the sentence after it where both may be told as one; () where none may.

    `denied`: it denies all allergies, and what is said on is not of them.
    """
    found = [one for one in passages.all if one.said and _is(one.said[0], first) and not one.past]
    if denied:
        found = [one for one in found if one.alone]
    return (max(found, key=lambda one: len(one.said) == 2),) if found else ()


def _is(one: SaidView, other: SaidView) -> bool:
    return (one.agent_id, one.at, one.text) == (other.agent_id, other.at, other.text)


def for_page(question: str, agent: str | None, passages: Passages, names: Names) -> tuple[Sentence, ...]:
    """Return what is likest a question, as it was said, for the page: also what does not name its thing."""
    near = passages.nearest(question, agent, most=MOST_ON_PAGE, widely=True)
    return tuple(
        quoted(sentence, names)
        for one in near
        if not one.past
        for sentence in one.said
        if not sentence.text.endswith("?")
    )


def for_list(question: str, passages: Passages, names: Names) -> tuple[Sentence, ...]:
    """Return what is likest a question for all that must not be given, as it was said, for the page below the list.

    Each names a thing that is given or done, and neither asks nor orders: "Phenytoin in red."
    """
    near = passages.nearest(question, most=_LOOKED_AT, widely=True)
    found = (one for passage in near if not passage.past for one in passage.said)
    kept = (
        one
        for one in found
        if (names_given(one.text) or doings(one.text))
        and not (one.text.endswith("?") or gives(one) or is_order(one.text))
    )
    return tuple(dict.fromkeys(quoted(one, names) for one in kept))[:_MOST_OF_LIST]
