"""Sentences of the discussion and of the case paper, ranked by how much of a question each answers.

It is asked where no typed answer holds as much of the question. What is told is the sentence itself, in its
speaker's words; one that its speaker has given up since is told as given up.
"""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from agents.dialogue.embeddings import Vector
from agents.dialogue.facts import PAPER, Fact, FactKind
from agents.dialogue.fit import (
    BOUND,
    UNBOUND,
    ScoredPassage,
    asks_value,
    bound,
    fit,
    held_by,
    is_drug,
    is_given_or_done,
    is_one_thing,
    names_one_thing,
)
from agents.dialogue.forbids import forbids
from agents.dialogue.given import names_given
from agents.dialogue.likeness import LEAST_LIKE, Likeness
from agents.dialogue.meaning import IN_CLASS, asked_in, clinical, is_of_something, meaning_of, met_by, weights
from agents.dialogue.quotes import Quotes, as_told
from agents.dialogue.restraints import refused, restrains
from agents.dialogue.segments import HANGS, POINTS, Passage, Segments
from agents.dialogue.shapes import HAS_NUMBER, form_of, sets_condition
from agents.dialogue.slots import says_of
from agents.dialogue.stops import Key, key_of
from exaim_core.board.shown import BoardView, SaidView
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.wording import word_count

_ANCHORED: Final = (
    0.25  # of one clinical thing that is asked about a passage must hold so much, or what is before it
)
_LARGE: Final = 0.35
_THE_SAME: Final = 0.85  # another drug of its class is no answer about a drug: docs/dialogue.md
_MOST_VALUES: Final = 4
_NEAR: Final = 0.5  # of the best score: what a further sentence must have
_AS_GOOD: Final = 0.6  # ... and what has so much is told whether it adds or not
_ADDS: Final = 0.22  # of the question's weight: what a further sentence must hold beyond those before it

_COURSE: Final = re.compile(
    r"\b(?:(?:admission|arrival|first|start|outset)\b.*\band (?:now|today|latest|since)|what was (?:it|that) (?:before|earlier|first)|then and now|up to now|until now|so far|since (?:he|she|they|admission|arrival)|compared|against last|against (?:january|february|march|april|may|june|july|august|september|october|november|december)|first (?:one|sample|value)?|run me through|over time|over the (?:whole|day|night|last)|course|trend\w*|trending|build up|built up|pick(?:ed)? up|go(?:ne|ing)? anywhere|moving|and before|what was it before|before that|risen|fallen|rising|falling|any better|better or worse|improv\w+|up or down|go together|changed? since)\b"
)
_LIKE: Final = 0.6  # what a passage gains by being like the question in meaning
_MEANT: Final = 0.3  # so like it may answer though it has no word of the question,
_ANCHORED_LIKE: Final = 0.4  # ... and so like though it does not name the clinical thing
_RESTRAINS_LIKE: Final = (
    0.45  # so like a question for leave: what restrains is told though it names no thing of it
)
_CONDITION_LIKE: Final = 0.2  # ... and so like a question for a condition
_RANKED: Final = 10  # of reciprocal ranks: how little the first is before the second
_LEAST_WIDELY: Final = 0.2  # ... a sentence of it alone, for the page
_MOST_LIKE: Final = 5
_LONG_LIKE: Final = 0.0005  # of the fused score for each word beyond ten
_PAST_LIKE: Final = 0.7  # of what was given up since
_BACK: Final = 4  # sentences from one that begins with "it" back to what it points at
RERANKED: Final = 12  # of the best: whether each says of the thing itself what is asked for


# Who asks for what is on record of a person; it is like many questions, and answers no other.
_ASKS_PERSON: Final = {
    "age": re.compile(r"\b(?:age|aged|old|young|born|birth\w*|years)\b", re.IGNORECASE),
    "sex": re.compile(r"\b(?:sex|gender|fe?male|m[ae]n|wom[ae]n|boy|girl|lady|gentleman)\b", re.IGNORECASE),
    "weight": re.compile(r"\b(?:weight|weighs?|heavy|kilos?|kg|bmi|dos\w+)\b", re.IGNORECASE),
    "height": re.compile(r"\b(?:height|tall|short|bmi)\b", re.IGNORECASE),
}


class Passages:
    """The passages of one board and one paper. They are read when they are first asked for."""

    def __init__(
        self, view: BoardView, paper: Sequence[Fact], stopped: Mapping[Key, SaidView] | None = None
    ) -> None:
        """`stopped` is what stopped an order, by the order's sentence; none may be told without it."""
        self._view = view
        self._stopped = stopped or {}
        self._quotes = Quotes(view, self._stopped)
        self._paper = paper
        self._last: tuple[str, list[list[float]], tuple[float, ...]] | None = None
        self._ranked: dict[tuple[str, str | None], list[ScoredPassage]] = {}  # of the last question
        self._vectors: dict[str, Vector] = {}
        self._asked_vector: Vector | None = None
        self.like: dict[int, float] = {}  # of how like the question each passage is, by its place in `all`
        self._as_asked: dict[int, float] = {}  # ... by the question's vector as it is

    @cached_property
    def _segments(self) -> Segments:
        return Segments(self._view, self._paper)

    @property
    def all(self) -> tuple[Passage, ...]:
        """Return every passage, the paper's first."""
        return self._segments.passages

    @property
    def said(self) -> tuple[SaidView, ...]:
        """Return the discussion, sentence by sentence."""
        return self._view.said

    @cached_property
    def stops(self) -> frozenset[Key]:
        """Return the sentences that stopped an order."""
        return frozenset(map(key_of, self._stopped.values()))

    @cached_property
    def likeness(self) -> Likeness:
        """What is to be read of them, to find them by their meaning."""
        return Likeness(self.all, self._view.said)

    def liken(self, vectors: Sequence[Vector]) -> None:
        """Take the vectors of the next question and of `likeness.texts`; (): it is answered by words alone."""
        made = self.likeness.of(vectors[0], vectors[1:]) if vectors else ()
        self.like = dict(enumerate(made))
        self._as_asked = dict(enumerate(self.likeness.as_asked(vectors[0], vectors[1:]) if vectors else ()))
        self._vectors = dict(zip(self.likeness.texts, vectors[1:], strict=True)) if vectors else {}
        self._asked_vector = vectors[0] if vectors else None
        self._ranked.clear()

    def like_alone(self, text: str) -> float:
        """Return how like the question one sentence is, alone, also one that is no passage; 0 without vectors."""
        vector = self._vectors.get(text)
        return 0.0 if vector is None or self._asked_vector is None else float(vector @ self._asked_vector)

    def like_each_other(self, text: str, other: str) -> float:
        """Return how like each other two sentences of the discussion are; 0 without vectors."""
        first, second = self._vectors.get(text), self._vectors.get(other)
        return 0.0 if first is None or second is None else float(first @ second)

    def likest_of(self, places: Sequence[int], other: int) -> float:
        """Return how like one of `places` of the discussion the sentence `other` is; 0 without vectors."""
        return max(self.like_each_other(self.said[k].text, self.said[other].text) for k in places)

    def like_of(self, text: str) -> float:
        """Return how like the question a passage of this text is, 0 to 1; 0 without vectors."""
        return max(
            (self.like.get(at, 0.0) for at, one in enumerate(self.all) if one.text == text), default=0.0
        )

    def ranked(self, question: str, agent: str | None = None) -> list[ScoredPassage]:
        """Return the passages that hold anything of the question, the best first; they are kept until `liken`."""
        if (question, agent) not in self._ranked:
            self._ranked[question, agent] = self._rank(question, agent)
        return self._ranked[question, agent]

    def _rank(self, question: str, agent: str | None) -> list[ScoredPassage]:
        units = asked_in(question)
        passages = self.all
        if not passages or not any(is_of_something(unit) for unit in units):
            return []
        met, weight = self._read(question)
        total = sum(weight) or 1.0
        asks = question.lower()
        value = asks_value(units)
        named = [k for k, unit in enumerate(units) if is_one_thing(unit)]
        anchors = [k for k, unit in enumerate(units) if clinical(unit)]
        found: list[ScoredPassage] = []
        for place, passage in enumerate(passages):
            if (agent and agent != passage.agent) or _is_unasked(passage, question):
                continue
            like = self.like.get(place, 0.0)
            held = tuple(held_by(met[k], passage) for k in range(len(units)))
            share = sum(w * h for w, h in zip(weight, held, strict=True)) / total
            meant = like >= _MEANT and not named
            if share <= 0 and not meant:
                continue
            own = any(met[k][at] > 0 for k in range(len(units)) for at in passage.own)
            if not own and not meant and form_of(asks, passage.text, value) <= 0:
                continue
            if anchors and like < _ANCHORED_LIKE and not any(held[k] >= _ANCHORED for k in anchors):
                continue
            if named and not any(held[k] >= _THE_SAME for k in named) and not _is_lent(met, named, passage):
                continue
            found.append(
                ScoredPassage(
                    passage,
                    share + fit(asks, passage, share, agent is not None, value) + _LIKE * like,
                    share,
                    held,
                    like,
                )
            )
        found.sort(key=lambda one: (-one.score, -one.passage.place))
        best = bound(asks, [units[k] for k in anchors], found[:RERANKED], value=value)
        return [*best, *found[RERANKED:]]

    def likest(self, question: str, agent: str | None = None) -> tuple[Fact, ...]:
        """Return what is likest a question by its words and its meaning together, the best first.

        Its rank by words and its rank by meaning are fused (reciprocal ranks). Of a drug, a value, a test or an
        allergen only what names it is told, however like another is. () without vectors.
        """
        return tuple(self.fact_of(one) for one in self.nearest(question, agent, most=_MOST_LIKE))

    def nearest(
        self, question: str, agent: str | None = None, *, most: int, widely: bool = False
    ) -> tuple[Passage, ...]:
        """Return the `most` passages of `likest`, none of which holds a part of another.

        `widely`: also what names no drug, value, test or allergen of the question, and what is less like it.
        """
        if not self.like:
            return ()
        named = any(is_one_thing(unit) for unit in asked_in(question))
        by_words = {id(one.passage): rank for rank, one in enumerate(self.ranked(question, agent))}
        places = [
            at
            for at, one in enumerate(self.all)
            if (not agent or one.agent == agent) and not _is_unasked(one, question)
        ]
        places.sort(key=lambda at: -self.like[at])
        fused: list[tuple[float, Passage]] = []
        for rank, at in enumerate(places):
            passage = self.all[at]
            held = by_words.get(id(passage))
            if held is None and widely and self._likest_alone(passage) < _LEAST_WIDELY:
                continue
            if held is None and not widely and (named or self.like[at] < LEAST_LIKE):
                continue
            score = 1 / (_RANKED + rank) + (1 / (_RANKED + held) if held is not None else 0.0)
            score -= _LONG_LIKE * max(0, word_count(passage.text) - 10)
            fused.append((score * (_PAST_LIKE if passage.past else 1.0), passage))
        chosen: list[Passage] = []
        for _, passage in sorted(fused, key=lambda each: -each[0]):
            if not any(_overlap(passage, other) for other in chosen):
                chosen.append(passage)
            if len(chosen) == most:
                break
        return tuple(chosen)

    def _likest_alone(self, passage: Passage) -> float:
        """Return how like the question the likest sentence of a passage is, without what was said before it."""
        return max((self.like_alone(one.text) for one in passage.said), default=0.0)

    def told(self, found: Sequence[ScoredPassage], most: int = 4) -> tuple[Fact, ...]:
        """Return the best passage, and those after it that hold of the question what it does not."""
        if not found:
            return ()
        chosen = [found[0]]
        held = list(found[0].held)
        for one in found[1:40]:
            if len(chosen) >= most or one.score < _NEAR * found[0].score:
                break
            if any(_overlap(one.passage, other.passage) for other in chosen):
                continue
            gain = sum(max(0.0, h - before) for h, before in zip(one.held, held, strict=True))
            if gain >= _ADDS * len(held) or one.score >= _AS_GOOD * found[0].score:
                chosen.append(one)
                held = [max(pair) for pair in zip(one.held, held, strict=True)]
        return tuple(self.fact_of(one.passage) for one in chosen)

    def restraining(self, question: str, *, drugs_only: bool = False) -> tuple[Passage, ...]:
        """Return what may forbid or warn of a thing to be given or done that `question` names, the best first.

        Another drug of its class is no answer. What forbids outright comes before the others. A sentence that only
        hangs on the one before it ("PCC? Only if she bleeds.") is of what that one names, and so is a refusal
        ("Back on diltiazem?" "Stop it.").
        """
        units = asked_in(question)
        is_thing = is_drug if drugs_only else is_given_or_done
        things = [k for k, unit in enumerate(units) if is_thing(unit)]
        if not things:
            return ()
        met, _ = self._read(question)
        found: list[tuple[bool, float, Passage]] = []
        for passage in self._restraints:
            hangs = HANGS.match(passage.text) is not None and not names_given(passage.text)
            near = [*passage.own, *(at for at, _ in passage.around if hangs), *self._refused_by(passage)]
            best = max(met[k][at] for k in things for at in near)
            if best >= _THE_SAME:
                outright = prohibits(passage.text) or forbids(passage.text, passage.said[0].under)
                found.append((outright, passage.place, passage))
        found.sort(key=lambda one: one[:2], reverse=True)
        return tuple(one[2] for one in found)

    def restraining_like(self, question: str) -> tuple[Passage, ...]:
        """Return what may forbid or warn and is like `question` in meaning, the likest first.

        As it was asked, or turned towards its answers: no restraint is lost by the turn. Of a drug, a value, a test or
        an allergen only what names it is told, however like another is.
        """
        if any(is_one_thing(unit) for unit in asked_in(question)):
            return ()
        like = {one.text: self._likest_by_both(one.text) for one in self._restraints}
        found = [one for one in self._restraints if like[one.text] >= _RESTRAINS_LIKE]
        return tuple(sorted(found, key=lambda one: -like[one.text]))

    def _likest_by_both(self, text: str) -> float:
        """Return how like the question a passage of this text is, as it was asked or turned, whichever is more."""
        places = [at for at, one in enumerate(self.all) if one.text == text]
        return max((by.get(at, 0.0) for at in places for by in (self.like, self._as_asked)), default=0.0)

    @cached_property
    def _restraints(self) -> tuple[Passage, ...]:
        """What may forbid or warn and stands, sentence by sentence."""
        return tuple(one for one in self.all if one.alone and not one.past and restrains(one.said[0]))

    @cached_property
    def _places(self) -> dict[tuple[str, tuple[int, ...], str], int]:
        """Where each sentence stands in the discussion."""
        return {(one.agent_id, one.at, one.text): at for at, one in enumerate(self._view.said)}

    def _refused_by(self, passage: Passage) -> tuple[int, ...]:
        """Return the place of the text that names what a sentence refuses; () where it refuses nothing so."""
        one = passage.said[0]
        at = self._places.get((one.agent_id, one.at, one.text))
        thing = refused(self._view.said, at) if at is not None else None
        place = self._segments.place_of(thing.text) if thing is not None else None
        return () if place is None else (place,)

    def conditional(self, question: str, agent: str | None = None) -> tuple[Passage, ...]:
        """Return the sentences that set a condition and are like `question`, the likest first; () without vectors.

        How like is the meaning, and half of the share of the question's words.
        """
        share = {id(one.passage): one.share for one in self.ranked(question, agent)}
        found: list[tuple[float, Passage]] = []
        for at, one in enumerate(self.all):
            if not one.alone or one.past or (agent and one.agent != agent) or not sets_condition(one.text):
                continue
            like = self.like.get(at, 0.0)
            if like >= _CONDITION_LIKE:
                found.append((like + 0.5 * share.get(id(one), 0.0), one))
        return tuple(one for _, one in sorted(found, key=lambda each: -each[0]))

    def score_of(self, question: str, facts: Sequence[Fact]) -> tuple[float, float]:
        """Return the score of typed facts as if they were one passage, and the share that they hold."""
        units = asked_in(question)
        texts = [as_told(fact) for fact in facts if fact.said]
        if not units or not texts:
            return (1.0, 1.0) if texts else (0.0, 0.0)
        _, weight = self._read(question)
        held = [max(each) for each in met_by(units, [meaning_of(text) for text in texts])]
        share = sum(w * h for w, h in zip(weight, held, strict=True)) / (sum(weight) or 1.0)
        nearest = max(
            texts,
            key=lambda text: sum(
                w * h[0] for w, h in zip(weight, met_by(units, [meaning_of(text)]), strict=True)
            ),
        )
        form = form_of(question.lower(), nearest, asks_value(units))
        about = [unit for unit in units if clinical(unit)]
        says = says_of(question.lower(), nearest, about, value=asks_value(units))
        if says is not None:
            form += BOUND if says else UNBOUND
        return share + form * min(1.0, 1.6 * share), share

    def misses(self, question: str, found: ScoredPassage) -> bool:
        """Tell whether a passage holds nothing of a clinical thing that is a large part of the question."""
        units = asked_in(question)
        _, weight = self._read(question)
        total = sum(weight) or 1.0
        return any(
            clinical(unit) and w / total >= _LARGE and held < _ANCHORED
            for unit, w, held in zip(units, weight, found.held, strict=True)
        )

    def course(self, question: str, found: Sequence[ScoredPassage]) -> tuple[Fact, ...]:
        """Return the values of what is asked about, the first told first; () where no course is asked for."""
        if not found or not _COURSE.search(question.lower()):
            return ()
        least = 0.5 * found[0].score
        near = [
            one
            for one in found
            if one.passage.alone and HAS_NUMBER.search(one.passage.text) and one.score >= least
        ]
        chosen: list[Passage] = []
        for one in near:
            if len(chosen) < _MOST_VALUES and not any(_overlap(one.passage, other) for other in chosen):
                chosen.append(one.passage)
        if len(chosen) < 2:
            return ()
        return tuple(self.fact_of(one) for one in sorted(chosen, key=lambda one: one.place))

    def passage_of(self, fact: Fact) -> Passage | None:
        """Return the passage that a fact quotes, by speaker, place and text; of a typed fact the last of its text."""
        if fact.told in PAPER:
            return None
        near = [one for one in self.all if one.said and one.text in fact.rests_on]
        its = (one for one in near if (one.agent, one.said[0].at[1]) == (*fact.agents[:1], fact.order))
        return next(its, near[-1] if near else None)

    def told_at(self, fact: Fact) -> tuple[int, ...]:
        """Return the places in the discussion of what a fact tells; () of the paper, or of no passage."""
        passage = self.passage_of(fact)
        keys = [(one.agent_id, one.at, one.text) for one in passage.said] if passage is not None else []
        return tuple(self._places[key] for key in keys if key in self._places)

    def pointed_at(self, fact: Fact) -> tuple[str, ...]:
        """Return what was said before a fact that begins a sentence with "it", "both" and the like; else ().

        That is what stands before it under its heading, in its turn and in the one before, `_BACK` sentences at most.
        """
        places = self.told_at(fact)
        if not any(POINTS.match(self.said[k].text) for k in places):
            return ()
        first = self.said[places[0]]
        back = self.said[max(0, places[0] - _BACK) : places[0]]
        turn_before = next((one.in_turn for one in reversed(back) if one.in_turn != first.in_turn), None)
        heading = first.under.partition("; ")[0]
        return tuple(
            one.text
            for one in back
            if one.in_turn in (first.in_turn, turn_before) and one.under.partition("; ")[0] == heading
        )

    def alone_at(self, place: int) -> Passage | None:
        """Return the passage that is sentence `place` of the discussion alone; None where it may not be told so."""
        one = self.said[place]
        key = (one.agent_id, one.at, one.text)
        return next(
            (p for p in self.all if p.alone and (p.agent, p.said[0].at, p.text) == key),
            None,
        )

    def facts_at(self, places: Sequence[int]) -> tuple[Fact, ...]:
        """Return the sentences at `places` as facts, each once; what may not be told alone is left out."""
        alone = (self.alone_at(place) for place in dict.fromkeys(places))
        return tuple(self.fact_of(one) for one in alone if one is not None)

    def asked_alike(self, least: float) -> Fact | None:
        """Return the question of the discussion that is likest the clinician's, so like at `least`; None without one."""
        asked = [
            (self.like_alone(one.text), at) for at, one in enumerate(self.said) if one.text.endswith("?")
        ]
        like, at = max(asked, default=(0.0, 0))
        if like < least or self.said[at].past:
            return None
        one = self.said[at]
        return self.fact_of(Passage(one.text, (), (), said=(one,)))

    def fact_of(self, passage: Passage) -> Fact:
        """Return a passage as a fact in its speaker's words."""
        return self._quotes.fact_of(passage)

    # -- how far units are met -------------------------------------------------------------------

    def _read(self, question: str) -> tuple[list[list[float]], tuple[float, ...]]:
        """Return how far each text meets each unit of a question, and what each unit weighs; the last is kept."""
        if self._last is None or self._last[0] != question:
            single = [passage.own[0] for passage in self.all if len(passage.own) == 1]
            units = asked_in(question)
            met = met_by(units, [meaning_of(text) for text in self._segments.texts])
            weight = weights(units, [[each[at] for at in dict.fromkeys(single)] for each in met])
            self._last = (question, met, weight)
        return self._last[1:]


def _is_unasked(passage: Passage, question: str) -> bool:
    """Tell whether a passage is of the person on record, and the question does not ask for that."""
    if passage.paper is None or passage.paper.told is not FactKind.PERSON:
        return False
    return _ASKS_PERSON[passage.paper.name].search(question) is None


def _is_lent(met: Sequence[Sequence[float]], named: Sequence[int], passage: Passage) -> bool:
    """Tell whether a passage may be about what was named before it: it names no such thing, and no class of it."""
    of_class = any(met[k][at] >= IN_CLASS for k in named for at in passage.own)
    return not of_class and not names_one_thing(passage)


def _overlap(one: Passage, other: Passage) -> bool:
    return bool(set(one.own) & set(other.own)) or one.text in other.text or other.text in one.text
