"""Which facts answer a question: those of its topics, in the order that its intent asks for."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from agents.dialogue.board_facts import BoardFacts
from agents.dialogue.facts import PAPER, Fact, Told, text_of
from agents.dialogue.understand import Asked, Topic
from agents.dialogue.values import Focus, Intent
from agents.dialogue.vocabulary import Vocabulary
from exaim_core.names import number_word
from exaim_core.view import ClaimView
from exaim_core.wording import key_words, series

# Where several kinds of fact hold a topic, these come first for an intent; kinds that it does not name come last.
_FIRST: Final[Mapping[Intent, tuple[Told, ...]]] = {
    Intent.FACT: (
        *(
            Told.LAB,
            Told.OBSERVATION,
            Told.MEDICINE,
            Told.ALLERGY,
            Told.PERSON,
            Told.IMAGING,
            Told.HISTORY,
            Told.COMPLAINT,
            Told.NOTE,
        ),
        *(
            Told.CAUTION,
            Told.ACTION,
            Told.FINDING,
            Told.CHANGED,
            Told.LEAD,
            Told.DIFFERENTIAL,
            Told.REMARK,
            Told.CRITICAL,
        ),
    ),
    Intent.WHY: (
        Told.LEAD,
        Told.CHANGED,
        Told.WHY_CHANGED,
        Told.CAUTION,
        Told.ACTION,
        Told.REMARK,
        Told.DIFFERENTIAL,
        Told.TEST,
        Told.FINDING,
    ),
    Intent.WHO: (
        Told.LEAD,
        Told.CHANGED,
        Told.CAUTION,
        Told.ACTION,
        Told.DIFFERENTIAL,
        Told.TEST,
        Told.FINDING,
        Told.REMARK,
    ),
    Intent.HOW_MUCH: (
        Told.ACTION,
        Told.MEDICINE,
        Told.CAUTION,
        Told.REMARK,
        Told.LAB,
        Told.OBSERVATION,
        Told.FINDING,
    ),
    Intent.VIEW: (
        Told.LEAD,
        Told.CHANGED,
        Told.DIFFERENTIAL,
        Told.CAUTION,
        Told.ACTION,
        Told.FINDING,
        Told.REMARK,
        Told.RULING,
    ),
    Intent.CHANGED: (Told.CHANGED, Told.WHY_CHANGED, Told.FINDING, Told.REMARK),
    Intent.FIRST: (Told.FIRST, Told.CRITICAL, Told.ACTION, Told.CAUTION, Told.TEST),
    Intent.TESTS: (Told.TEST, Told.ACTION, Told.REMARK),
    Intent.ACTIONS: (Told.ACTION, Told.CAUTION, Told.REMARK, Told.TEST),
    Intent.CAUTIONS: (Told.CAUTION, Told.ALLERGY, Told.ACTION, Told.REMARK, Told.MEDICINE),
    Intent.OTHERS: (Told.DIFFERENTIAL, Told.CHANGED, Told.FINDING, Told.REMARK, Told.LEAD),
    Intent.OPEN: (Told.CHANGED, Told.LEAD, Told.DIFFERENTIAL, Told.OPEN, Told.REMARK),
    Intent.CONDITION: (Told.ACTION, Told.CAUTION, Told.REMARK, Told.DIFFERENTIAL, Told.TEST),
    Intent.CRITICAL: (Told.CRITICAL, Told.FINDING, Told.CAUTION, Told.ACTION, Told.LAB),
    Intent.DONE: (Told.ACTION, Told.CAUTION, Told.TEST, Told.REMARK),
}
_QUOTED: Final = frozenset({Intent.WHY, Intent.CONDITION})
_ABOUT_FOCUS: Final = 0.5  # of the held item's telling words stand in the claim that it was made from
_NEAR_BEST: Final = 0.15
_WORDS_HELD: Final = 0.6  # of a topic's case words stand in a fact about it
_TOO_WIDE: Final = frozenset(
    {"antibiotics", "painkillers", "blood thinners", "anticoagulants"}
)  # no allergy spreads over these


@dataclass(frozen=True, slots=True)
class Group:
    """The facts to be told under one opening, in order; none: nothing was found on `opening`."""

    opening: str
    facts: tuple[Fact, ...]
    topic: Topic | None = None


class LookUp:
    """Looks one question up in the facts of the paper and of the board."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary

    # -- with a topic ----------------------------------------------------------------------------

    def on_topic(self, asked: Asked, topic: Topic, facts: Iterable[Fact]) -> tuple[Fact, ...]:
        """Return the facts on `topic`, the best answer first."""
        first = _FIRST.get(asked.intent, _FIRST[Intent.FACT])
        scored: list[tuple[float, float, int, Fact]] = []
        for k, fact in enumerate(facts):
            if asked.agent and asked.agent not in fact.agents:
                continue
            near = self.nearness(fact, topic)
            if near <= 0:
                continue
            rank = first.index(fact.told) if fact.told in first else len(first) + 2
            more = len(asked.words & fact.body.words) + 0.5 * len(asked.words & fact.head.words)
            score = near + 1.0 * more - 0.45 * rank
            if asked.intent is Intent.HOW_MUCH and not fact.numbers:
                score -= 3
            named = (
                0.2 if fact.name not in fact.rests_on else 0.0
            )  # it names one thing, and is not a whole sentence
            scored.append((score + named, fact.order, -k, fact))
        ordered = [fact for *_, fact in sorted(scored, key=lambda one: one[:3], reverse=True)]
        ordered = [_quoted(fact) if asked.intent in _QUOTED else fact for fact in ordered]
        return tuple(self._naming(fact, topic) for fact in ordered)

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

    def nearness(self, fact: Fact, topic: Topic) -> float:
        """Return how much `fact` is about `topic`: 0 not at all, 4 it is its head."""
        best = 0.0
        for name in topic.names:
            entry = self._vocabulary.entries[name]
            best = max(best, 4.0 if name in fact.head.names else 2.0 if name in fact.body.names else 0.0)
            members = set(entry.members)
            best = max(best, 3.0 if members & fact.head.names else 1.5 if members & fact.body.names else 0.0)
            groups = [group for group in self._vocabulary.groups_of(name) if group not in _TOO_WIDE]
            if fact.told is Told.ALLERGY:
                kin = {kind for group in groups for kind in self._vocabulary.entries[group].members}
                best = max(best, 2.5 if kin & fact.head.names else 0.0)
            best = max(best, 1.5 if set(groups) & (fact.head.names | fact.body.names) else 0.0)
        if topic.words:
            inside = [word for word in topic.words if word in fact.body.words]
            if len(inside) >= _WORDS_HELD * len(topic.words):
                held = len(inside) / len(topic.words)
                best = max(best, 2.0 * held + (1.5 if set(topic.words) <= fact.head.words else 0.0))
        return best

    def group(self, asked: Asked, topic: Topic, paper: Sequence[Fact], board: Sequence[Fact]) -> Group:
        """Return what is told on `topic`: the paper first for a fact of the patient, else the board."""
        on_paper = self.on_topic(asked, topic, paper)
        on_board = self.on_topic(asked, topic, board)
        if asked.intent in {Intent.FACT, Intent.COUNT, Intent.SUMMARY}:
            chosen = self._of_paper(topic, on_paper) or on_board[:2]
            if on_paper:
                chosen = (*chosen, *self._beside(on_paper, on_board))
        else:
            fitting = [fact for fact in on_board if fact.told in _FIRST.get(asked.intent, ())]
            from_paper = [fact for fact in on_paper if fact.told in _FIRST.get(asked.intent, ())]
            chosen = tuple(self.merged(asked, topic, [*fitting, *from_paper])[:3])
            chosen = chosen or on_board[:2] or self._of_paper(topic, on_paper)
        return Group(topic.spoken, chosen, topic)

    def merged(self, asked: Asked, topic: Topic, facts: Sequence[Fact]) -> list[Fact]:
        """Return facts of both sources in one order."""
        return list(self.on_topic(asked, topic, facts))

    def _of_paper(self, topic: Topic, facts: Sequence[Fact]) -> tuple[Fact, ...]:
        if not facts:
            return ()
        first = facts[0]
        best = self.nearness(first, topic)
        near = [fact for fact in facts if self.nearness(fact, topic) >= best]
        near = [fact for fact in near if fact.told is first.told or fact.head.names & set(topic.names)]
        members = [name for each in topic.names for name in self._vocabulary.entries[each].members]
        if members and first.told in {Told.LAB, Told.OBSERVATION}:
            return _joined(_newest_of_each(near, members))
        if first.told is Told.LAB:
            newest = tuple(sorted(near, key=lambda fact: -fact.order))
            return newest if len({fact.name for fact in newest}) == 1 else _joined(_newest(newest))
        if first.told in {Told.OBSERVATION, Told.MEDICINE, Told.HISTORY}:
            return _joined([fact for fact in near if fact.told is first.told])
        return tuple(near[:6])

    def _beside(self, paper: Sequence[Fact], board: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return what the board adds to the paper's word on a medicine, an allergy or a condition."""
        if paper[0].told in {Told.MEDICINE, Told.ALLERGY}:
            return tuple(fact for fact in board if fact.told in {Told.CAUTION, Told.ACTION})[:2]
        if paper[0].told in {Told.HISTORY, Told.COMPLAINT, Told.NOTE}:
            return tuple(fact for fact in board if fact.told in _FIRST[Intent.FACT])[:1]
        return ()

    # -- of the item that was held ---------------------------------------------------------------

    def of_focus(self, asked: Asked, focus: Focus, board: Sequence[Fact]) -> tuple[Fact, ...]:
        """Return the facts that the held item was made from, the nearest first."""
        heard = set(key_words(focus.text)) - {"doctor", "superv", "recomm", "cautio"}
        scored = []
        for fact in board:
            held = set(key_words(" ".join((*fact.rests_on, *fact.terms, *fact.said))))
            share = len(heard & held) / max(1, len(heard))
            mine = bool(set(fact.agents) & set(focus.agents)) or not focus.agents
            if share >= _ABOUT_FOCUS:
                scored.append((share + (0.3 if mine else 0.0), fact))
        best = max((share for share, _ in scored), default=0.0)
        ordered = [
            fact for share, fact in sorted(scored, key=lambda one: -one[0]) if share >= best - _NEAR_BEST
        ]
        return tuple(_quoted(fact) for fact in ordered)


def _quoted(fact: Fact) -> Fact:
    """Return `fact` in its own words first: they hold the reasons and the conditions."""
    quotes = [said for said in fact.said if " says" in said.split(":")[0]]
    return replace(fact, said=(*quotes, *(said for said in fact.said if said not in quotes)))


def _newest_of_each(facts: Sequence[Fact], members: Sequence[str]) -> tuple[Fact, ...]:
    chosen: dict[str, Fact] = {}
    for member in members:
        of_it = [fact for fact in facts if member in fact.head.names]
        if of_it:
            newest = max(of_it, key=lambda fact: fact.order)
            chosen.setdefault(newest.name, newest)
    return tuple(chosen.values())


def _newest(facts: Sequence[Fact]) -> list[Fact]:
    """Return the newest fact of each name, in the order given."""
    return list({fact.name: fact for fact in reversed(facts)}.values())[::-1]


def _joined(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return facts of one kind as one sentence, with fewer of them where they don't fit; time and verb once."""
    if len(facts) < 2:
        return tuple(facts)
    first = facts[0]
    verb = " ".join(first.said[0].split()[:4])
    parts = [fact.said[-1].removeprefix(verb).strip() for fact in facts]
    same_time = first.at and all(fact.at == first.at for fact in facts)
    if same_time:
        parts = [part.replace(f" at {first.at}", "") for part in parts]
    said = []
    for count in range(len(parts), 0, -1):
        more = f", and {number_word(len(parts) - count)} more" if count < len(parts) else ""
        when = f", at {first.at}" if same_time else ""
        said.append(f"{verb} {series(parts[:count])}{more}{when}")
    if first.told is Told.MEDICINE and len(facts) > 3:
        said = [f"{verb} {series([fact.name for fact in facts])}", *said]
    return (
        replace(
            first,
            name="",
            said=tuple(said),
            bare=(),
            rests_on=tuple(text for fact in facts for text in fact.rests_on),
            numbers=frozenset(number for fact in facts for number in fact.numbers),
        ),
    )


def whole_board(asked: Asked, board: BoardFacts, known: Sequence[Fact]) -> Group | None:
    """Return what an intent without a topic asks of the board; None if it asks nothing of it."""
    make = _WHOLE.get(asked.intent)
    if make is None:
        return None
    opening, of = make
    facts = tuple(fact for fact in of(board, known, asked) if fact is not None)
    if asked.agent:
        own = tuple(fact for fact in facts if asked.agent in fact.agents[:1])
        facts = own
    return Group(opening, facts)


def _views(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
    leads = [
        fact for lead in board.view.leads for fact in board.lead(lead) if fact.told is not Told.WHY_CHANGED
    ]
    if asked.agent:
        return list(leads)
    standing = board.standing()
    apart = [fact for fact in leads if fact.agents[0] not in board.vote.holders or fact.told is Told.CHANGED]
    ruling = [board.ruling(board.view.ruling)] if board.view.ruling and not leads else []
    return [standing, *apart, *ruling]


def _changes(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
    return [
        fact
        for lead in board.view.leads
        for fact in board.lead(lead)
        if fact.told in {Told.CHANGED, Told.WHY_CHANGED}
    ]


def _open(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
    points = [fact for fact in known if fact.told is Told.OPEN]
    if asked.agent:
        return [*_views(board, known, asked), *points]
    leads = [
        fact for lead in board.view.leads for fact in board.lead(lead) if fact.told is not Told.WHY_CHANGED
    ]
    apart = [fact for fact in leads if fact.agents[0] in board.view.differs]
    changed = [fact for fact in leads if fact.told is Told.CHANGED and fact not in apart]
    return [board.standing(), *apart, *points, *changed]


def _by_agent(claims: Sequence[ClaimView]) -> list[list[ClaimView]]:
    agents: dict[str, list[ClaimView]] = {}
    for claim in claims:
        agents.setdefault(claim.agent_id, []).append(claim)
    return list(agents.values())


def _tests(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
    agreed = [claim for claim in board.view.tests if claim.agreed]
    others = [claim for claim in board.view.tests if not claim.agreed]
    return [board.tests_of(claims) for claims in [*_by_agent(agreed), *_by_agent(others)]]


def _others(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
    plain = [claim for claim in board.view.differentials if claim.stance.value == "proposes"]
    weighed = [claim for claim in board.view.differentials if claim not in plain]
    return [
        *(board.others_of(claims) for claims in _by_agent(plain)),
        *(board.differential(claim) for claim in weighed),
    ]


def _of_kind(*kinds: Told) -> Callable[[BoardFacts, Sequence[Fact], Asked], list[Fact | None]]:
    def pick(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
        return [fact for kind in kinds for fact in known if fact.told is kind]

    return pick


def _priorities(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
    facts = known
    first = [fact for fact in facts if fact.told is Told.FIRST]
    after = [
        fact
        for fact in facts
        if first
        and fact.told is Told.REMARK
        and 0 < fact.order - first[0].order < 40
        and fact.agents == first[0].agents
    ]
    critical = [] if first else [fact for fact in facts if fact.told is Told.CRITICAL]
    actions = [fact for fact in facts if fact.told is Told.ACTION]
    return [*first, *after[:1], *critical, *actions[:3]]


def _summary(board: BoardFacts, known: Sequence[Fact], asked: Asked) -> list[Fact | None]:
    facts = known
    critical = [fact for fact in facts if fact.told is Told.CRITICAL]
    return [*_views(board, known, asked), *critical, *(fact for fact in facts if fact.told is Told.FIRST)]


Of = Callable[[BoardFacts, Sequence[Fact], Asked], list["Fact | None"]]
_WHOLE: Final[Mapping[Intent, tuple[str, Of]]] = {
    Intent.VIEW: ("the leading view", _views),
    Intent.CHANGED: ("what changed", _changes),
    Intent.OPEN: ("agreement", _open),
    Intent.COUNT: ("the count", _views),
    Intent.TESTS: ("the tests", _tests),
    Intent.OTHERS: ("the other diagnoses", _others),
    Intent.ACTIONS: ("the treatment", _of_kind(Told.ACTION)),
    Intent.CAUTIONS: ("the cautions", _of_kind(Told.CAUTION)),
    Intent.CRITICAL: ("the critical findings", _of_kind(Told.CRITICAL, Told.FIRST)),
    Intent.FIRST: ("what comes first", _priorities),
    Intent.SUMMARY: ("the case", _summary),
    Intent.WHY: ("the leading view", _views),
}
