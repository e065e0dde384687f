"""Which facts answer a question on a topic, the best first."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.dialogue.facts import PAPER, Fact, FactKind, text_of
from agents.dialogue.lists import joined, newest, newest_of_each
from agents.dialogue.passages import Passages
from agents.dialogue.ranking import FIRST, ON_A_VIEW
from agents.dialogue.stated import Stated, stated
from agents.dialogue.understand import Topic, UnderstoodQuestion
from agents.dialogue.values import Focus, Intent
from agents.dialogue.vocabulary import Vocabulary
from exaim_core.lexicon.kinds import names_condition
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import key_words

_QUOTED: Final = frozenset({Intent.WHY, Intent.CONDITION, Intent.TIME, Intent.CERTAINTY})
# What is asked for here is told or it is not: another fact on the topic is no answer.
_NO_ANSWER_BESIDE: Final = frozenset({Intent.WHY, Intent.CONDITION, Intent.CERTAINTY, Intent.TIME})
_ABOUT_FOCUS: Final = 0.5  # of the held item's telling words stand in the claim that it was made from
_NEAR_BEST: Final = 0.15  # other claims that hold nearly as many of them are told too
_WORDS_HELD: Final = 0.6  # of a topic's case words stand in a fact about it
_NEARER: Final = 0.5  # the board comes before the paper where it is that much nearer to the topic
_TOO_WIDE: Final = frozenset(  # no allergy spreads over these groups
    {"antibiotics", "painkillers", "blood thinners", "anticoagulants"}
)
MEASURED: Final = frozenset({FactKind.LAB, FactKind.OBSERVATION})
_VALUED: Final = frozenset({"labs", "lab groups", "signs"})  # kinds of the vocabulary whose fact is a value
_VIEWS: Final = frozenset({FactKind.LEAD, FactKind.CHANGED, FactKind.DIFFERENTIAL})
HAS_TIME: Final = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}:\d{2}\b|\bday \d|\b(?:yesterday|this morning|tonight|last (?:week|month|year))\b|"
    r"\b\d+ (?:minutes?|hours?|days?|weeks?|months?|years?)\b|\b(?:two|three|four|five|six|seven) (?:hours|days|weeks|months|years)\b",
    re.IGNORECASE,
)
HOW_SURE: Final = re.compile(
    r"\b(?:sure|certain\w*|confident|confidence|loosely|slightly|strongly|firmly|doubt\w*|convinced|tentative\w*|probabl[ey]|likel\w+|still)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FactGroup:
    """The facts to be told under one opening, in order; none: nothing was found on `topic`."""

    opening: str
    facts: tuple[Fact, ...]
    topic: Topic | None = None
    beside: bool = False  # it stands next to what is told, and fills the room that is left
    nearest: bool = False  # it holds little of what was asked, and is told as no more than that


class LookUp:
    """Looks a question up in the facts of the paper and of the board."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    # -- with a topic ----------------------------------------------------------------------------

    def on_topic(self, asked: UnderstoodQuestion, topic: Topic, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Return the facts on `topic`, the best answer first."""
        first = FIRST.get(asked.intent, FIRST[Intent.FACT])
        scored: list[tuple[float, float, int, Fact]] = []
        for k, fact in enumerate(facts):
            near = self.nearness(fact, topic)
            if near <= 0 or (asked.agent and asked.agent not in fact.agents):
                continue
            scored.append((near + _fitness(asked, fact, first), fact.order, -k, fact))
        ordered = [fact for *_, fact in sorted(scored, key=lambda one: one[:3], reverse=True)]
        if asked.intent in _QUOTED:
            ordered = [_quoted(fact) for fact in ordered]
        return tuple(self._naming(fact, topic) for fact in ordered)

    def nearness(self, fact: Fact, topic: Topic) -> float:
        """Return how much `fact` is about `topic`: 0 not at all, 4 it is its head."""
        best = 0.0
        for name in topic.names:
            entry = self._vocabulary.entries[name]
            best = max(best, 4.0 if name in fact.head.names else 2.0 if name in fact.body.names else 0.0)
            members = set(entry.members)
            best = max(best, 3.0 if members & fact.head.names else 1.5 if members & fact.body.names else 0.0)
            groups = set(self._drug_groups_of(name))
            if fact.told is FactKind.ALLERGY:
                kin = {kind for group in groups for kind in self._vocabulary.entries[group].members}
                best = max(best, 2.5 if kin & fact.head.names else 0.0)
            best = max(best, 1.5 if groups & (fact.head.names | fact.body.names) else 0.0)
        if topic.words:
            inside = [
                w for word, w in zip(topic.words, topic.weights, strict=True) if word in fact.body.words
            ]
            share = sum(inside) / sum(topic.weights)
            if len(inside) >= _WORDS_HELD * len(topic.words):
                whole = 1.5 if set(topic.words) <= fact.head.words else 0.0
                best = max(best, 2.0 * share + whole)
        return best

    def _drug_groups_of(self, name: str) -> list[str]:
        entries = self._vocabulary.entries
        groups = self._vocabulary.groups_of(name)
        return [group for group in groups if entries[group].kind == "drug groups" and group not in _TOO_WIDE]

    def together(self, asked: UnderstoodQuestion, found: Sequence[Sequence[Fact]]) -> FactGroup | None:
        """Return what holds all topics of a question that is no list of them; None without such a fact."""
        if len(asked.topics) < 2 or asked.listed or asked.intent in {Intent.TREND, Intent.TIME}:
            return None
        kinds = FIRST.get(asked.intent, FIRST[Intent.FACT])
        common = [
            fact for fact in found[0] if all(fact.rests_on in {f.rests_on for f in of} for of in found[1:])
        ]
        common = [fact for fact in common if fact.told in kinds]
        return FactGroup(asked.topics[0].spoken, tuple(common[:3]), asked.topics[0]) if common else None

    def group(
        self,
        asked: UnderstoodQuestion,
        topic: Topic,
        paper: Sequence[Fact],
        board: Sequence[Fact],
        passages: Passages,
    ) -> FactGroup:
        """Return what is told on `topic`: the paper first for a fact of the patient, else the board.

        A value of `passages` that was stated since comes before the paper's.
        """
        kinds = FIRST.get(asked.intent, ())
        fitting = [fact for fact in (*board, *paper) if fact.told in kinds]
        match asked.intent:
            case Intent.FACT | Intent.COUNT | Intent.SUMMARY:
                chosen = self._of_patient(asked, topic, paper, board, passages)
            case Intent.CHANGED if any(fact.told in MEASURED for fact in paper):
                chosen = self._course(topic, paper, passages)
            case Intent.TREND:
                chosen = self._course(topic, paper, passages)
            case Intent.TIME:
                chosen = tuple(fact for fact in fitting if HAS_TIME.search(" ".join(fact.rests_on)))[:2]
            case _:
                chosen = self.on_topic(asked, topic, fitting)[:3]
        if not chosen and asked.intent not in _NO_ANSWER_BESIDE:
            chosen = tuple(board[:2]) or self._of_paper(topic, paper)
        if asked.ranged:
            chosen = tuple(_ranged(fact) for fact in chosen)
        return FactGroup(topic.spoken, chosen, topic)

    def _of_patient(
        self,
        asked: UnderstoodQuestion,
        topic: Topic,
        paper: Sequence[Fact],
        board: Sequence[Fact],
        passages: Passages,
    ) -> tuple[Fact, ...]:
        views = [fact for fact in board if fact.told in _VIEWS and self.nearness(fact, topic) >= 4.0]
        if views and self._is_condition(topic):
            known = [fact for fact in (*paper, *board) if fact.told in ON_A_VIEW]
            return tuple(
                sorted(known, key=lambda fact: (-self.nearness(fact, topic), ON_A_VIEW.index(fact.told)))
            )[:3]
        chosen = self._of_paper(topic, paper)
        newest = self._newest_said(topic, paper, board, passages)
        if newest:
            return (*newest, *chosen)
        if not chosen or self._nearest(topic, board) > self._nearest(topic, paper) + _NEARER:
            return tuple(board[:2])
        if paper[0].told in MEASURED:
            return (*self._said_since(topic, paper, passages), *chosen)
        if paper[0].told in {FactKind.MEDICINE, FactKind.ALLERGY}:
            return (
                *chosen,
                *[fact for fact in board if fact.told in {FactKind.CAUTION, FactKind.ACTION}][:2],
            )
        if paper[0].told in {FactKind.HISTORY, FactKind.COMPLAINT, FactKind.NOTE}:
            return (*chosen, *board[:1])
        return chosen

    def _is_condition(self, topic: Topic) -> bool:
        return any(self._vocabulary.entries[name].kind == "conditions" for name in topic.names)

    def _nearest(self, topic: Topic, facts: Sequence[Fact]) -> float:
        return max((self.nearness(fact, topic) for fact in facts), default=0.0)

    def _of_paper(self, topic: Topic, facts: Sequence[Fact]) -> tuple[Fact, ...]:
        if not facts:
            return ()
        first, best = facts[0], self.nearness(facts[0], topic)
        near = [fact for fact in facts if self.nearness(fact, topic) >= best]
        near = [fact for fact in near if fact.told is first.told or fact.head.names & set(topic.names)]
        members = [name for each in topic.names for name in self._vocabulary.entries[each].members]
        if members and first.told in MEASURED:
            return joined(newest_of_each(near, members))
        if first.told is FactKind.LAB:
            ordered = sorted(near, key=lambda fact: -fact.order)
            return tuple(ordered) if len({fact.name for fact in ordered}) == 1 else joined(newest(ordered))
        if first.told in {FactKind.OBSERVATION, FactKind.MEDICINE, FactKind.HISTORY}:
            return joined([fact for fact in near if fact.told is first.told])
        return tuple(near[:6])

    def _said_since(self, topic: Topic, paper: Sequence[Fact], passages: Passages) -> tuple[Fact, ...]:
        """Return what states the newest value of the topic, where the paper does not have it."""
        found = self._stated(topic, paper, passages)
        recorded = {each.value for fact in paper for each in quantities(fact.bare[0])[:1]}
        newer = [one for one in found if one.quantity.value not in recorded]
        if not newer:
            return ()
        first, other = found[0], newer[0]
        # A value that is on record was said last: what was said otherwise stands behind it, unless it names that too.
        again = other.quantity.value in {each.value for each in quantities(passages.said[first.place].text)}
        return passages.facts_at([first.place] if again else [first.place, other.place])

    def _newest_said(
        self, topic: Topic, paper: Sequence[Fact], board: Sequence[Fact], passages: Passages
    ) -> tuple[Fact, ...]:
        """Return what states the newest value of a thing of which none is on record, then what was said before it."""
        measured = (name for name in topic.names if not names_condition(name))  # "acidosis" is a finding
        kinds = {self._vocabulary.entries[name].kind for name in measured}
        if not kinds & _VALUED or any(fact.told in MEASURED for fact in paper):
            return ()
        found = self._stated(topic, (), passages)
        if not found:
            return ()
        first, *others = found
        before = [one.place for one in others if one.quantity.value != first.quantity.value][:1]
        alarm = [
            f for f in board[:2] if f.told is FactKind.CRITICAL and first.quantity.value in _values_of(f)
        ]
        newest = alarm[:1] or passages.facts_at([first.place])
        known = {text for fact in newest for text in fact.rests_on}
        beside = (fact for fact in (*board[:2], *passages.facts_at(before)) if not known & set(fact.rests_on))
        return (*newest, *beside)

    def _stated(self, topic: Topic, paper: Sequence[Fact], passages: Passages) -> tuple[Stated, ...]:
        names = {name for each in topic.names for name in (each, *self._vocabulary.entries[each].members)}
        units = {unit for fact in paper if fact.told in MEASURED for _, unit in fact.numbers}
        return stated(passages.said, names, units, self._vocabulary)

    def _course(self, topic: Topic, paper: Sequence[Fact], passages: Passages) -> tuple[Fact, ...]:
        """Return all values of a topic, the newest first: what was said comes after what is on record."""
        found = self._stated(topic, paper, passages)
        return (*passages.facts_at([one.place for one in found]), *self._of_paper(topic, paper))

    def _naming(self, fact: Fact, topic: Topic) -> Fact:
        """Return `fact` with those wordings first that name the topic, where a short one leaves it out."""
        if fact.told in PAPER or len(fact.said) < 2:
            return fact
        about = set(topic.names) | set(topic.words)
        texts = [text_of(self._vocabulary, said) for said in fact.said]
        naming = [
            said for said, text in zip(fact.said, texts, strict=True) if about & (text.names | text.words)
        ]
        return replace(fact, said=(*naming, *(said for said in fact.said if said not in naming)))

    # -- of the item that was held ---------------------------------------------------------------

    def of_focus(
        self,
        asked: UnderstoodQuestion,
        focus: Focus,
        paper: Sequence[Fact],
        board: Sequence[Fact],
        passages: Passages,
    ) -> tuple[Fact, ...]:
        """Return the facts that the held item was made from, and those that answer what is asked of it."""
        made_from = _made_from(focus, board)
        names = text_of(self._vocabulary, focus.text).names
        match asked.intent:
            case Intent.TIME:
                beside = [fact for fact in paper if fact.head.names & names]
                return tuple(f for f in (*made_from, *beside) if HAS_TIME.search(" ".join(f.rests_on)))
            case Intent.TREND:
                topic = Topic("", tuple(name for name in names if name in self._vocabulary.entries))
                on_paper = [fact for fact in paper if fact.told in MEASURED and self.nearness(fact, topic)]
                return self._course(topic, on_paper, passages)
            case Intent.HOW_MUCH:
                return tuple(fact for fact in made_from if fact.numbers) or made_from
            case _:
                return _with_grounds(asked, made_from, board)


def _values_of(fact: Fact) -> set[float]:
    return {each.value for text in fact.rests_on for each in quantities(text)}


def _ranged(fact: Fact) -> Fact:
    """Return a value with its reference range."""
    if not fact.limits:
        return fact
    said, bare = (tuple(f"{one}; {fact.limits}" for one in of) for of in (fact.said, fact.bare))
    return replace(fact, said=(*said, *fact.said), bare=(*bare, *fact.bare))


def _fitness(asked: UnderstoodQuestion, fact: Fact, first: Sequence[FactKind]) -> float:
    """Return how well a fact on the topic answers: by its kind, and by the other words of the question."""
    rank = first.index(fact.told) if fact.told in first else len(first) + 2
    more = len(asked.words & fact.body.words) + 0.5 * len(asked.words & fact.head.words)
    named = 0.2 if fact.name not in fact.rests_on else 0.0  # it names one thing, and is no whole sentence
    score = more + named - 0.45 * rank
    if asked.intent is Intent.HOW_MUCH and not fact.numbers:
        score -= 3
    if asked.intent is Intent.ACTIONS and fact.numbers:
        score += 0.6  # a dose tells more of what to do than a principle
    if asked.intent in {Intent.CERTAINTY, Intent.VIEW} and fact.told is FactKind.GROUND:
        score += 0.5 if HOW_SURE.search(" ".join(fact.rests_on)) else -2
    return score


def _made_from(focus: Focus, board: Sequence[Fact]) -> tuple[Fact, ...]:
    heard = set(key_words(focus.text)) - {"doctor", "superv", "recomm", "cautio"}
    scored: list[tuple[float, float, Fact]] = []
    for fact in board:
        held = set(key_words(" ".join((*fact.rests_on, *fact.terms, *fact.said))))
        share = len(heard & held) / max(1, len(heard))
        mine = 0.3 if not focus.agents or set(fact.agents) & set(focus.agents) else 0.0
        if share >= _ABOUT_FOCUS:
            scored.append((share + mine, -fact.order, fact))
    best = max((share for share, _, _ in scored), default=0.0)
    ordered = sorted(scored, key=lambda one: one[:2], reverse=True)
    return tuple(_quoted(fact) for share, _, fact in ordered if share >= best - _NEAR_BEST)


def _with_grounds(
    asked: UnderstoodQuestion, facts: tuple[Fact, ...], board: Sequence[Fact]
) -> tuple[Fact, ...]:
    """Return the facts with what their agent gave as grounds for the view, if a view was held."""
    if not facts or asked.intent not in {Intent.WHY, Intent.CERTAINTY}:
        return facts
    best = next((fact for fact in facts if fact.told in _VIEWS), facts[0])
    if best.told not in _VIEWS:
        return facts
    kinds = {FactKind.WHY_CHANGED, FactKind.GROUND} if best.told is FactKind.CHANGED else {FactKind.GROUND}
    grounds = [fact for fact in board if fact.told in kinds and fact.agents == best.agents[:1]]
    if asked.intent is Intent.CERTAINTY:
        grounds = [fact for fact in grounds if HOW_SURE.search(" ".join(fact.rests_on))]
        return (*grounds, best)
    return (best, *grounds)


def _quoted(fact: Fact) -> Fact:
    """Return `fact` in its own words first: they hold the reasons and the conditions."""
    quotes = [said for said in fact.said if " says" in said.split(":")[0]]
    return replace(fact, said=(*quotes, *(said for said in fact.said if said not in quotes)))
