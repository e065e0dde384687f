"""What is told of the case as a whole, by the kind of the question: what was decided, dropped, is pending, alarms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from agents.dialogue.allergies import allergies
from agents.dialogue.board_facts import BoardFacts
from agents.dialogue.facts import Fact, FactKind
from agents.dialogue.given import names_given
from agents.dialogue.look_up import FactGroup
from agents.dialogue.meaning import asked_in, clinical
from agents.dialogue.passages import Passages
from agents.dialogue.segments import Passage
from agents.dialogue.stops import asked_for, belongs_to, is_order, key_of
from agents.dialogue.values import Intent
from exaim_core.claims.claims import Worth
from exaim_core.claims.quotes import worth_of
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.patient.conflicts import corrected
from exaim_core.text.names import is_moderator
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section

_FORMS: Final = lexicon("by_kind", "agents.dialogue")

Made = list["Fact | None"]


def of_kind(intent: Intent, board: BoardFacts, known: Sequence[Fact], passages: Passages) -> FactGroup | None:
    """Return what answers a question of this kind; None for a kind that is none of the whole case."""
    made = _KINDS.get(intent)
    if made is None:
        return None
    opening, of = made
    facts = [fact for fact in of(board, known, passages) if fact is not None]
    return FactGroup(opening, tuple(facts))


def _single(passages: Passages) -> list[Passage]:
    """Return the sentences that stand, each for itself, the newest first."""
    found = [one for one in passages.all if one.alone and not one.past]
    return found[::-1]


def _newest(passages: Passages, pattern: re.Pattern[str], *kinds: Callable[[str], object]) -> list[Passage]:
    return [
        one
        for one in _single(passages)
        if pattern.search(one.text) and (not kinds or any(kind(one.text) for kind in kinds))
    ]


def _chair_first(found: Iterable[Passage], passages: Passages) -> list[Fact]:
    return [passages.fact_of(one) for one in sorted(found, key=lambda one: not is_moderator(one.agent))]


def _decided(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    ruling = board.quoted(board.view.ruling, FactKind.SAID) if board.view.ruling else None
    said = _single(passages)
    concluded = [one for one in said if worth_of(one.text) is Worth.CONCLUSION and names_condition(one.text)]
    status = [one for one in said if is_moderator(one.agent) and _FORMS["status"].search(one.text)]
    views = [
        board.standing(),
        ruling,
        *_chair_first(concluded[:3], passages),
        *_chair_first(status[:2], passages),
        *(fact for fact in known if fact.told is FactKind.CHANGED),
    ]
    return views if any(views) else _plan(board, known, passages)


def _is_clinical(text: str) -> bool:
    return any(clinical(unit) for unit in asked_in(text))


def _allergies(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    return list(allergies(passages))


def _dropped(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    said = [
        one
        for one in _newest(passages, _FORMS["dropped"])
        if names_given(one.text) or names_measure(one.text) or one.section is Section.WITHDRAWN
    ]
    return [
        *(passages.fact_of(one) for one in said[::-1]),
        *(fact for fact in known if fact.told is FactKind.TAKEN_BACK),
    ]


def _pending(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    points = [fact for fact in known if fact.told is FactKind.OPEN]
    said = _newest(passages, _FORMS["pending"], _is_clinical)
    open_said = [
        passages.fact_of(one)
        for one in said
        if one.section is Section.DISAGREEMENT or _FORMS["left_open"].search(one.text)
    ]
    not_done = [passages.fact_of(one) for one in _newest(passages, _FORMS["not_so_far"])]
    return [
        *open_said,
        *points,
        *not_done,
        *_chair_first(said, passages),
        *(fact for fact in known if fact.told is FactKind.TEST),
    ]


def changes_said(passages: Passages) -> list[Fact]:
    """Return what somebody took back, gave up, stopped or put right, in his own words, the newest first."""
    stops = passages.stops
    return [
        passages.fact_of(one)
        for one in _single(passages)
        if one.section is Section.WITHDRAWN
        or _FORMS["changes"].search(one.text)
        or _FORMS["taken_back"].search(one.text)
        or corrected(one.text)
        or key_of(one.said[0]) in stops
    ]


def concluded(passages: Passages) -> list[Fact]:
    """Return what the chair says that all hold; the newest first."""
    return [
        passages.fact_of(one)
        for one in _single(passages)
        if is_moderator(one.agent)
        and (
            _FORMS["status"].search(one.text)
            or (worth_of(one.text) is Worth.CONCLUSION and names_condition(one.text))
        )
    ][:1]


def _changed(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    views = (fact for fact in known if fact.told is FactKind.CHANGED)
    reasons = (fact for fact in known if fact.told is FactKind.WHY_CHANGED)
    return [*_newest_first((*views, *changes_said(passages))), *reasons]


def changed_of(drug: str, passages: Passages) -> tuple[Fact, ...]:
    """Return what was put right, withdrawn or stopped of a drug or its class, the newest first."""
    wanted = belongs_to(drug)
    return tuple(fact for fact in changes_said(passages) if belongs_to(fact.rests_on[0]) & wanted)


def _plan(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    """Return the orders that stand, the newest first: as the board has them, else as they were said."""
    orders = [fact for fact in known if fact.told is FactKind.ACTION]
    have = {text for fact in orders for text in fact.rests_on}
    said = (
        passages.fact_of(one)
        for one in _single(passages)
        if _FORMS["planned"].search(one.text) or (asked_for(one.text) and is_order(one.text))
    )
    return list(_newest_first((*orders, *(fact for fact in said if not have & set(fact.rests_on)))))


def _newest_first(facts: Iterable[Fact]) -> list[Fact]:
    return sorted(facts, key=lambda fact: -fact.order)


def _stands(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    """Return how the doctors stand where the chair has said so: the count is of before that."""
    ends = concluded(passages)
    if not ends:
        return []
    points = [fact for fact in known if fact.told is FactKind.OPEN]
    still = [passages.fact_of(one) for one in _single(passages) if _FORMS["left_open"].search(one.text)]
    changed = [one for one in changes_said(passages) if not names_given(one.rests_on[0])]
    return [*ends, *points, *still, *(fact for fact in known if fact.told is FactKind.CHANGED), *changed]


def dissents(passages: Passages) -> tuple[Fact, ...]:
    """Return who says that he holds another view, in his own words, the newest first."""
    return tuple(passages.fact_of(one) for one in _newest(passages, _FORMS["dissents"]))


def _placed(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    return list(_chair_first(_newest(passages, _FORMS["place"]), passages))


def _alarms(board: BoardFacts, known: Sequence[Fact], passages: Passages) -> Made:
    critical = [fact for fact in known if fact.told is FactKind.CRITICAL]
    said = [one for one in _single(passages) if one.section is Section.CRITICAL]
    if critical:
        return [
            *critical,
            *(passages.fact_of(one) for one in said[::-1]),
            *(f for f in known if f.told is FactKind.FIRST),
        ]
    in_words = _newest(passages, _FORMS["alarm"], names_condition, names_test)
    return [passages.fact_of(one) for one in (*said[::-1], *in_words)]


_KINDS: Final[Mapping[Intent, tuple[str, Callable[[BoardFacts, Sequence[Fact], Passages], Made]]]] = {
    Intent.DECIDED: ("what was decided", _decided),
    Intent.DROPPED: ("what was dropped", _dropped),
    Intent.ALLERGIC: ("the allergies", _allergies),
    Intent.PENDING: ("what is open", _pending),
    Intent.PLACE: ("the place", _placed),
    Intent.PLAN: ("the plan", _plan),
    Intent.CHANGED: ("what changed", _changed),
    Intent.OPEN: ("agreement and open points", _stands),
    Intent.CRITICAL: ("the critical findings", _alarms),
}
