"""Sentences of the discussion and of the case paper, ranked by how much of a question each answers.

It is asked where no typed answer holds as much of the question. What is told is the sentence itself, in its
speaker's words; one that its speaker has given up since is told as given up.
"""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final

from agents.dialogue.board_facts import QUOTE_WORDS, may_be_told
from agents.dialogue.facts import PAPER, Fact, Text, Told
from agents.dialogue.forbids import doings, forbids
from agents.dialogue.given import names_given
from agents.dialogue.ground import GIVEN_UP
from agents.dialogue.meaning import (
    Unit,
    asked_in,
    clinical,
    is_of_something,
    meaning_of,
    met_by,
    weights,
)
from agents.dialogue.restraints import restrains
from agents.dialogue.shapes import HAS_NUMBER, form_of
from agents.dialogue.slots import says_of
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core.board.view import BoardView, SaidView
from exaim_core.claims.consensus import about_the_debate
from exaim_core.claims.remarks import VALUES
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.phrases import is_request
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.names import Names, with_spoken_names
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import Section
from exaim_core.text.wording import lower_first, word_count

AROUND: Final = 0.55  # what a unit is worth that stands only in the heading or in the sentence before
SPEAKER: Final = 0.6  # ... or is what the speaker is called by
MOST_TOGETHER: Final = 3  # sentences that are told as one
_ANCHORED: Final = 0.35  # of one clinical thing that is asked about a passage must hold so much
_LARGE: Final = 0.35
_THE_SAME: Final = 0.85  # another drug of its class is no answer about a drug: docs/dialogue.md
_A_TITLE: Final = 40  # characters in which a title before a colon ends
_MOST_VALUES: Final = 4
_FEW_WORDS: Final = 26  # ... of three at most
_LONG: Final = 0.004  # of the score for each word beyond ten: of two that hold as much the shorter is told
_GIVEN_UP: Final = 0.12  # against what its speaker has given up since
_NEWER: Final = 0.05  # for the last sentence of a discussion over the first
_BARE: Final = 0.12  # against a sentence that hangs on one before it
_WHOLE: Final = 0.08  # for what holds every unit of the question
_ADDS: Final = 0.22  # of the question's weight: what a further sentence must hold beyond those before it

_PAST: Final = re.compile(
    r"\b(?:at first|initially|in the beginning|originally|first thought|was meant|were meant|used to|early on|before (?:he|she|the|that)|to start with|very first|start of|ran at|first (?:idea|view|plan|opinion)|what did \w+ (?:think|base)|ran|in the beginning|base[ds]? (?:on|his|her|it|their))\b"
)
_FIRST_TO: Final = re.compile(
    r"\bwho(?:se)?\b|\bwhich (?:one|of (?:them|the \w+)|doctor|agent|reg)\b|\bbefore any(?:one|body)\b"
)
_REASON: Final = re.compile(
    r"\b(?:because|since|so that|due to|explains?|in case|could|would|if|makes?|means?|risk\w*|threat\w+|cost us|worse|danger\w*|kills?|fell|halved|rose|is \d)\b|;|: ",
    re.IGNORECASE,
)
_HANGS: Final = re.compile(
    r"\W*(?:it|its|this|that|these|those|they|them|both|neither|either|no|yes|not yet|only if|which|so|but|and|then|the same|such|otherwise|instead|interval|pointless|nothing else|nobody)\b",
    re.IGNORECASE,
)
_FOLLOWS: Final = re.compile(
    rf"{_HANGS.pattern}|\W*(?:he|she|his|her|the (?:dose|target|rest))\b", re.IGNORECASE
)
_COURSE: Final = re.compile(
    r"\b(?:(?:admission|arrival|first|start|outset)\b.*\band (?:now|today|latest|since)|what was (?:it|that) (?:before|earlier|first)|then and now|up to now|until now|so far|since (?:he|she|they|admission|arrival)|compared|against last|against (?:january|february|march|april|may|june|july|august|september|october|november|december)|first (?:one|sample|value)?|run me through|over time|over the (?:whole|day|night|last)|course|trend\w*|trending|build up|built up|pick(?:ed)? up|go(?:ne|ing)? anywhere|moving|and before|what was it before|before that|risen|fallen|rising|falling|any better|better or worse|improv\w+|up or down|go together|changed? since)\b"
)
# What is to come first, or is not to be yet, was not done: "repeat it before any copper is infused".
_AHEAD: Final = re.compile(r"\b(?:before|until|till|unless|if|once)\b[^.;,]*", re.IGNORECASE)
RERANKED: Final = 12  # of the best: whether each says of the thing itself what is asked for
_BOUND: Final = 0.15  # for what says it of the thing itself
_UNBOUND: Final = -0.045  # against what says it of another, or not at all
_DOING: Final = re.compile(r"^see you\b|^(?:I|we) (?:will|have|read|am|are|look|offer|respect|fully agree|hope)\b|\bplease\b.*\bonce more\b", re.I)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Passage:
    """What may be told: a fact of the paper, or one to three sentences that were said.

    `own` are the places of what it holds itself among the texts of all passages, `around` those of its
    heading and of the sentence before it, `speaker` that of what its speaker is called.
    """

    text: str
    own: tuple[int, ...]
    around: tuple[int, ...]
    speaker: int | None = None
    said: tuple[SaidView, ...] = ()
    paper: Fact | None = None
    past: bool = False
    place: float = 0.5  # 0 to 1 in the discussion

    @property
    def alone(self) -> bool:
        """Tell whether it is one sentence."""
        return len(self.said) == 1 and self.said[0].under != VALUES

    @property
    def agent(self) -> str:
        """Return who said it; "" of the paper."""
        return self.said[0].agent_id if self.said else ""

    @property
    def section(self) -> Section:
        """Return what the heading above it announces."""
        return self.said[0].section if self.said else Section.OTHER


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with its score, the share of the question's weight that it holds, and of which unit how much."""

    passage: Passage
    score: float
    share: float
    held: tuple[float, ...]


class Passages:
    """The passages of one board and one paper. They are read when they are first asked for."""

    def __init__(self, view: BoardView, paper: Sequence[Fact]) -> None:
        self._view = view
        self._paper = paper
        self._names = Names(view.names)
        self._texts: list[str] = []
        self._at: dict[str, int] = {}
        self._last: tuple[str, list[list[float]], tuple[float, ...]] | None = None

    @cached_property
    def all(self) -> tuple[Passage, ...]:
        """Return every passage, the paper's first."""
        return (*self._of_paper(), *self._said())

    def ranked(self, question: str, agent: str | None = None) -> list[Found]:
        """Return the passages that hold anything of the question, the best first."""
        units = asked_in(question)
        passages = self.all
        if not passages or not any(is_of_something(unit) for unit in units):
            return []
        met, weight = self._read(question)
        total = sum(weight) or 1.0
        asks = question.lower()
        value = _asks_value(units)
        named = [k for k, unit in enumerate(units) if _is_one_thing(unit)]
        anchors = [k for k, unit in enumerate(units) if clinical(unit)]
        found: list[Found] = []
        for passage in passages:
            if agent and agent != passage.agent:
                continue
            held = tuple(_held(met[k], passage) for k in range(len(units)))
            share = sum(w * h for w, h in zip(weight, held, strict=True)) / total
            if share <= 0 or not any(met[k][at] > 0 for k in range(len(units)) for at in passage.own):
                continue
            if anchors and not any(held[k] >= _ANCHORED for k in anchors):
                continue
            if named and not any(held[k] >= _THE_SAME for k in named):
                continue
            if len(passage.own) > 1 and not _all_tell(met, passage):
                continue
            found.append(
                Found(passage, share + _fit(asks, passage, share, agent is not None, value), share, held)
            )
        found.sort(key=lambda one: (-one.score, -one.passage.place))
        best = bound(asks, [units[k] for k in anchors], found[:RERANKED], value=value)
        return [*best, *found[RERANKED:]]

    def told(self, found: Sequence[Found], most: int = 4) -> tuple[Fact, ...]:
        """Return the best passage, and those after it that hold of the question what it does not."""
        if not found:
            return ()
        chosen = [found[0]]
        held = list(found[0].held)
        for one in found[1:40]:
            if len(chosen) >= most or one.score < 0.5 * found[0].score:
                break
            if any(_overlap(one.passage, other.passage) for other in chosen):
                continue
            gain = sum(max(0.0, h - before) for h, before in zip(one.held, held, strict=True))
            if gain >= _ADDS * len(held) or one.score >= 0.85 * found[0].score:
                chosen.append(one)
                held = [max(pair) for pair in zip(one.held, held, strict=True)]
        return tuple(self.fact_of(one.passage) for one in chosen)

    def reason_beside(self, told: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return what was said next to what is told first and gives a reason, where that gives none itself.

        Who says "No muscle relaxant." says why in the next sentence, or in the one before it.
        """
        texts = set(told[0].rests_on) if told else set()
        best = next((one for one in self.all if one.said and one.text in texts), None)
        if best is None or _REASON.search(best.text):
            return ()
        turn = [one for one in self.all if one.alone and one.agent == best.agent]
        turn = [one for one in turn if one.said[0].at[0] == best.said[0].at[0] and one.past == best.past]
        at = [k for k, one in enumerate(turn) if set(one.own) & set(best.own)]
        if not at:
            return ()
        known = {text for fact in told for text in fact.rests_on}
        beside = [turn[k] for k in (at[-1] + 1, at[0] - 1, at[0] - 2) if 0 <= k < len(turn)]
        reasons = [one for one in beside if one.text not in known and _REASON.search(one.text)]
        return tuple(self.fact_of(one) for one in reasons[:2])

    def beside(self, told: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return what was said next to what is told first, after it and before it.

        A sentence of a discussion leans on its neighbours: the dose, the exception or the reason stands there.
        """
        texts = set(told[0].rests_on) if told else set()
        best = next((one for one in self.all if one.said and one.text in texts), None)
        if best is None or best.past:
            return ()
        known = {text for fact in told for text in fact.rests_on}
        in_order = [one for one in self.all if one.alone and not one.past and not about_the_debate(one.text)]
        at = [k for k, one in enumerate(in_order) if set(one.own) & set(best.own)]
        if not at:
            return ()
        near = [(k, "then") for k in (at[-1] + 1,) if k < len(in_order)]
        near += [(k, "just before") for k in (at[0] - 1,) if k >= 0]
        return tuple(
            self._led(in_order[k], lead)
            for k, lead in near
            if in_order[k].text not in known and _neighbours(best.said[0], in_order[k].said[0])
        )

    def _led(self, passage: Passage, lead: str) -> Fact:
        fact = self.fact_of(passage)
        spoken = with_spoken_names(passage.text.rstrip(". :"))
        return replace(fact, said=(f"{lead}: {lower_first(spoken)}",))

    def restraining(self, question: str, *, drugs_only: bool = False) -> tuple[Passage, ...]:
        """Return what may forbid or warn of a thing to be given or done that `question` names, the best first.

        Another drug of its class is no answer. What forbids outright comes before the others. A sentence that only
        hangs on the one before it ("PCC? Only if she bleeds.") is of what that one names.
        """
        units = asked_in(question)
        is_thing = _is_drug if drugs_only else is_given_or_done
        things = [k for k, unit in enumerate(units) if is_thing(unit)]
        if not things:
            return ()
        met, _ = self._read(question)
        found: list[tuple[bool, float, Passage]] = []
        for passage in self.all:
            if not passage.alone or passage.past or not restrains(passage.said[0]):
                continue
            hangs = _HANGS.match(passage.text) is not None and not names_given(passage.text)
            near = [*passage.own, *(passage.around if hangs else ())]
            best = max(met[k][at] for k in things for at in near)
            if best >= _THE_SAME:
                outright = prohibits(passage.text) or forbids(passage.text, passage.said[0].under)
                found.append((outright, passage.place, passage))
        found.sort(key=lambda one: one[:2], reverse=True)
        return tuple(one[2] for one in found)

    def score_of(self, question: str, facts: Sequence[Fact]) -> tuple[float, float]:
        """Return the score of typed facts as if they were one passage, and the share that they hold."""
        units = asked_in(question)
        texts = [_as_told(fact) for fact in facts if fact.said]
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
        form = form_of(question.lower(), nearest, _asks_value(units))
        about = [unit for unit in units if clinical(unit)]
        says = says_of(question.lower(), nearest, about, value=_asks_value(units))
        if says is not None:
            form += _BOUND if says else _UNBOUND
        return share + form * min(1.0, 1.6 * share), share

    def misses(self, question: str, found: Found) -> bool:
        """Tell whether a passage holds nothing of a clinical thing that is a large part of the question."""
        units = asked_in(question)
        _, weight = self._read(question)
        total = sum(weight) or 1.0
        return any(
            clinical(unit) and w / total >= _LARGE and held < _ANCHORED
            for unit, w, held in zip(units, weight, found.held, strict=True)
        )

    def course(self, question: str, found: Sequence[Found]) -> tuple[Fact, ...]:
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

    def fact_of(self, passage: Passage) -> Fact:
        """Return a passage as a fact in its speaker's words."""
        if passage.paper is not None:
            return passage.paper
        first, text = passage.said[0], passage.text
        who = self._names(first.agent_id)
        spoken = with_spoken_names(text.rstrip(". :"))
        head, colon, rest = spoken.partition(": ")
        if colon and "." not in head and len(head) <= 90:
            spoken = f"{head}; {lower_first(rest)}"
        item = first.under.split("; ")[-1] if _HANGS.match(text) and ";" in first.under else ""
        of = f" of {lower_first(item)}" if item and word_count(item) <= 8 else ""
        says = f"{who} {GIVEN_UP}" if passage.past else f"{who} says{of}:"
        read = meaning_of(text)
        others = (
            one
            for one in self._view.speakers
            if one != first.agent_id and self._names(one).lower() in spoken.lower()
        )
        return Fact(
            Told.SAID_BEFORE if passage.past else Told.SAID,
            text,
            (f"{says} {lower_first(spoken)}",),
            f"{who}, turn {first.at[0]}",
            (text, spoken, *(part for part in (first.under,) if part)),
            Text(),
            Text(read.names, read.stems),
            agents=(first.agent_id, *others),
            order=float(first.at[1]),
            numbers=frozenset((q.number, q.unit) for q in quantities(text) if q.unit),
        )

    # -- how far units are met -------------------------------------------------------------------

    def _read(self, question: str) -> tuple[list[list[float]], tuple[float, ...]]:
        """Return how far each text meets each unit of a question, and what each unit weighs; the last is kept."""
        if self._last is None or self._last[0] != question:
            single = [passage.own[0] for passage in self.all if len(passage.own) == 1]
            units = asked_in(question)
            met = met_by(units, [meaning_of(text) for text in self._texts])
            weight = weights(units, [[each[at] for at in dict.fromkeys(single)] for each in met])
            self._last = (question, met, weight)
        return self._last[1:]

    # -- made from -------------------------------------------------------------------------------

    def _place(self, text: str) -> int:
        if text not in self._at:
            self._at[text] = len(self._texts)
            self._texts.append(text)
        return self._at[text]

    def _of_paper(self) -> Iterator[Passage]:
        for fact in self._paper:
            text = f"{fact.name} {' '.join(fact.rests_on)}"
            yield Passage(text, (self._place(text),), (self._place(fact.source),), paper=fact)

    def _said(self) -> Iterator[Passage]:
        heard = [one for one in self._view.said if not (_DOING.search(one.text) or is_request(one.text))]
        said = [part for one in heard if (part := _that_may_be_told(one)) is not None]
        speakers = {
            one: self._place(f"{self._names(one)} {re.sub('[-_]', ' ', one)}") for one in self._view.speakers
        }
        for k in range(len(said)):
            for length in range(1, MOST_TOGETHER + 1):
                window = said[k : k + length]
                if len(window) < length or not _together(window):
                    break
                text = " ".join(_stopped(one.text) for one in window)
                if word_count(text) > (QUOTE_WORDS - 3 if length < 3 else _FEW_WORDS):
                    break
                if window[-1].text.rstrip().endswith("?"):
                    continue
                first, before = window[0], said[k - 1] if k else None
                near = [first.under] if first.under else []
                if before is not None and before.agent_id == first.agent_id and before.at[0] == first.at[0]:
                    near.append(before.text)
                yield Passage(
                    text,
                    tuple(self._place(one.text) for one in window),
                    tuple(self._place(one) for one in near),
                    speakers.get(first.agent_id),
                    tuple(window),
                    past=any(one.past for one in window),
                    place=k / max(1, len(said) - 1),
                )


def bound(asks: str, about: Sequence[Unit], found: Sequence[Found], *, value: bool) -> list[Found]:
    """Return passages in a new order: first what says of the thing itself what is asked for."""
    made = []
    for one in found:
        passage = one.passage
        texts = [each.text for each in passage.said] if len(passage.said) > 1 else [passage.text]
        says = [says_of(asks, text, about, value=value) for text in texts]
        if None in says:
            return list(found)
        made.append(replace(one, score=one.score + (_BOUND if any(says) else _UNBOUND)))
    return sorted(made, key=lambda one: (-one.score, -one.passage.place))


def _that_may_be_told(one: SaidView) -> SaidView | None:
    """Return a sentence without the parts between semicolons that say what was given or ordered; None: all do."""
    if may_be_told(_AHEAD.sub("", one.text)):
        return one
    parts = [part for part in one.text.split("; ") if may_be_told(part)]
    return one.model_copy(update={"text": "; ".join(parts)}) if parts else None


def _stopped(text: str) -> str:
    return text if text[-1:] in ".?!:;" else f"{text}."


def _together(window: Sequence[SaidView]) -> bool:
    """Tell whether sentences stand together: of one turn and one item, all given up or none.

    Under a heading each is an item of its own, but what hangs on the one before it.
    """
    first = window[0]
    for one in window[1:]:
        if one.agent_id != first.agent_id or one.at[0] != first.at[0] or one.past != first.past:
            return False
        heading, _, item = one.under.partition("; ")
        of_item = bool(item) and (first.text.startswith(item) or first.under == one.under)
        hangs = heading == first.under.partition("; ")[0] and _FOLLOWS.match(one.text) is not None
        prose = not one.under and not first.under and ": " not in one.text[:_A_TITLE]
        if not (of_item or hangs or prose):
            return False
        if VALUES in (one.under, first.under):
            return False
    return True


def _neighbours(first: SaidView, other: SaidView) -> bool:
    """Tell whether two sentences in a row are of one speaker's one turn."""
    return (first.agent_id, first.at[0]) == (other.agent_id, other.at[0])


def _as_told(fact: Fact) -> str:
    """Return what is told of a fact, without its frame; of the paper with what it stands under there."""
    if fact.told in PAPER:
        return f"{fact.source.removeprefix('case paper: ')} {fact.name} {fact.said[0]}"
    return re.sub(r"\A[^:]{2,60}\bsays(?: of [^:]{3,90})?: ", "", fact.said[0])


def _overlap(one: Passage, other: Passage) -> bool:
    return bool(set(one.own) & set(other.own)) or one.text in other.text or other.text in one.text


def _held(met: Sequence[float], passage: Passage) -> float:
    best = max(met[at] for at in passage.own)
    if best >= 1.0:
        return best
    around = max((met[at] for at in passage.around), default=0.0)
    speaker = met[passage.speaker] if passage.speaker is not None else 0.0
    return max(best, AROUND * around, SPEAKER * speaker)


def _asks_value(units: Sequence[Unit]) -> bool:
    """Tell whether a laboratory value or a sign is asked about: its number is the answer."""
    entries = known_vocabulary().entries
    return any(entries[name].kind in {"labs", "signs"} for unit in units for name in unit.names)


def _is_one_thing(unit: Unit) -> bool:
    """Tell whether a unit names a drug, a laboratory value or an allergen: what is told must be about it."""
    entries = known_vocabulary().entries
    return any(entries[name].kind in {"drugs", "labs", "allergens", "tests"} for name in unit.names)


def _is_drug(unit: Unit) -> bool:
    """Tell whether a unit names a drug or a group of drugs."""
    entries = known_vocabulary().entries
    if any(entries[name].kind in {"drugs", "drug groups"} for name in unit.names):
        return True
    return DRUG.search(" ".join(unit.stems)) is not None


def is_given_or_done(unit: Unit) -> bool:
    """Tell whether a unit names something that is given to a patient or done with one."""
    entries = known_vocabulary().entries
    if any(entries[name].kind in {"drugs", "drug groups", "procedures", "allergens"} for name in unit.names):
        return True
    text = " ".join(unit.stems)
    return bool(names_given(text) or doings(text))


def _all_tell(met: Sequence[Sequence[float]], passage: Passage) -> bool:
    """Tell whether each of several sentences holds something of the question, or hangs on the one before it."""
    for k, (at, one) in enumerate(zip(passage.own, passage.said, strict=True)):
        holds = any(each[at] > 0 for each in met)
        hangs = k > 0 and (_FOLLOWS.match(one.text) or passage.said[k - 1].text.endswith("?"))
        if not (holds or hangs or one.text.endswith("?")):
            return False
    return True


def _fit(asks: str, passage: Passage, share: float, of_one: bool, value: bool) -> float:
    """Return what a passage gains and loses by its form and its place, as a part of the share that it holds."""
    text = passage.text
    made = form_of(asks, text, value)
    early = _PAST.search(asks) is not None
    if passage.past and not (early or of_one):
        made -= _GIVEN_UP
    if early or _FIRST_TO.search(asks):
        made += 2 * _NEWER * (1 - 2 * passage.place)
    if passage.said and _hangs(passage.said[0]):
        made -= _BARE
    made -= _LONG * max(0, word_count(text) - 10)
    return (made + _NEWER * passage.place) * min(1.0, 1.6 * share)


@lru_cache(maxsize=4096)
def _hangs(first: SaidView) -> bool:
    """Tell whether a passage that opens so is hard to follow alone, or tells of the debate."""
    bare = _HANGS.match(first.text) is not None and ";" not in first.under
    return bare or first.under == VALUES or about_the_debate(first.text)
