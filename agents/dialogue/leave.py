"""Whether something may be given or done: what restrains it is told first, and all of it is on the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.beside import beside, replied
from agents.dialogue.facts import Fact
from agents.dialogue.look_up import FactGroup
from agents.dialogue.passages import Passages
from agents.dialogue.segments import Passage
from agents.dialogue.shapes import asks_leave
from agents.dialogue.slots import asks_for
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent
from agents.dialogue.weigh import is_of_a_value

_FIRST: Final = 2  # sentences that are put before the rest of the answer
_NEAREST: Final = 3  # ... and that come in the place of what is no more than the nearest
_LOOKED_AT: Final = 2  # facts of an answer that are as good as heard: it seldom has room for more
_NEXT: Final = 0.25  # of 1, so like the question: what was said next comes second
_OF_LEAVE: Final = frozenset({Intent.CAUTIONS})


_GIVING: Final = re.compile(
    r"\b(?:can|could|may|might|should|must|shall)(?:n[’']t|not)?\b.*\b(?:give|given|have|get|take|use|start|restart|receive)\b"
)


def asks_giving(question: str) -> bool:
    """Tell whether `question` (small letters) asks why, or when, something may or may not be given."""
    return _GIVING.search(question) is not None


def asks_refused(question: str) -> bool:
    """Tell whether `question` (small letters) asks what may not be given: "which antibiotics can't I use?"."""
    return asks_giving(question) and re.search(r"n[’']t\b|\bnot\b|\bcannot\b", question) is not None


def asks_leave_of(asked: UnderstoodQuestion, question: str) -> bool:
    """Tell whether a question asks in so many words if something may be given or done."""
    text = question.lower()
    return asked.intent in _OF_LEAVE or (asks_leave(text) and asks_for(text) is None)


def is_of_leave(asked: UnderstoodQuestion, question: str) -> bool:
    """Tell whether a question asks if something may be given or done, or names it and asks nothing else."""
    return asks_leave_of(asked, question) or (asked.plain and asks_for(question.lower()) is None)


def with_restraints(
    asked: UnderstoodQuestion,
    question: str,
    groups: tuple[FactGroup, ...],
    found: Sequence[Passage],
    passages: Passages,
) -> tuple[FactGroup, ...]:
    """Return `groups` with what restrains, unless what they tell first is of it already.

    It comes first where leave is asked in so many words or nothing else was found, behind them elsewhere.
    """
    looked_at = 1 if asks_leave_of(asked, question) else _LOOKED_AT
    facts = [fact for group in groups for fact in group.facts][:looked_at]
    if not found or any(one.text in text for one in found for fact in facts for text in fact.rests_on):
        return groups
    opening = asked.topics[0].spoken if asked.topics and asked.topics[0].label else "that"
    restraining = FactGroup(opening, tuple(passages.fact_of(one) for one in found[:_FIRST]))
    answering = tuple(group for group in groups if group.facts and not group.nearest)
    if asks_leave_of(asked, question):
        return (restraining, *answering)
    return (*answering, restraining)


def with_neighbours(
    groups: tuple[FactGroup, ...], passages: Passages, *, closely: bool = False, value: bool = False
) -> tuple[FactGroup, ...]:
    """Return `groups` with what was said next to what they tell first second.

    That is what somebody replied to it, and what was said after it at once where that is like the question;
    `closely`: whatever was said around it. `value`: a number is asked for.
    """
    told = [fact for group in groups for fact in group.facts]
    after, before = beside(passages, told)
    known = {text for fact in told for text in fact.rests_on}
    replies = replied(passages, told, _NEXT, number=value) if told and not groups[0].nearest else ()
    replies = tuple(one for one in replies if not known & set(one.rests_on))
    near: tuple[Fact, ...] = replies
    if told and not groups[0].nearest and not is_of_a_value(told):
        if after and (closely or passages.like_of(after[0].rests_on[0]) >= _NEXT):
            near = (*near, *after)
        if before and closely:
            near = (*near, *before)
    return second(groups, near) if near else groups


def second(groups: tuple[FactGroup, ...], facts: tuple[Fact, ...]) -> tuple[FactGroup, ...]:
    """Return `groups` with these facts behind their first."""
    at = next(k for k, group in enumerate(groups) if group.facts)
    first = groups[at]
    rest = (replace(first, facts=first.facts[1:]),) if first.facts[1:] else ()
    beside_it = FactGroup("that", facts, beside=True)
    return (*groups[:at], replace(first, facts=first.facts[:1]), beside_it, *rest, *groups[at + 1 :])


def with_conditions(
    asked: UnderstoodQuestion, groups: tuple[FactGroup, ...], found: Sequence[Passage], passages: Passages
) -> tuple[FactGroup, ...]:
    """Return `groups` with the likest sentences that set a condition first: where one is asked for they answer."""
    sure = any(group.facts and not group.nearest for group in groups)
    first = found[: _FIRST if sure else _NEAREST]
    if not first:
        return groups
    texts = {one.text for one in first}
    kept = (
        replace(group, facts=tuple(f for f in group.facts if not texts & set(f.rests_on))) for group in groups
    )
    opening = asked.topics[0].spoken if asked.topics and asked.topics[0].label else "that"
    rest = tuple(group for group in kept if group.facts and not group.nearest)
    return (FactGroup(opening, tuple(passages.fact_of(one) for one in first)), *rest)
