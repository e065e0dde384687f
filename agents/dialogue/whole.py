"""What an intent without a topic asks of the whole board."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from agents.dialogue.board_facts import BoardFacts
from agents.dialogue.facts import Fact, FactKind
from agents.dialogue.look_up import HOW_SURE, FactGroup
from agents.dialogue.understand import UnderstoodQuestion
from agents.dialogue.values import Intent
from exaim_core.board.shown import ClaimView
from exaim_core.claims.claims import Stance

_AFTER_FIRST: Final = 40  # deltas: what the moderator adds to the first priority follows it at once
_ORDER_OF_A_REPORT: Final = (
    FactKind.CRITICAL,
    FactKind.CAUTION,
    FactKind.ACTION,
    FactKind.FINDING,
    FactKind.TEST,
    FactKind.REMARK,
)

Facts = list["Fact | None"]
Of = Callable[[BoardFacts, Sequence[Fact], UnderstoodQuestion], Facts]


def whole_board(asked: UnderstoodQuestion, board: BoardFacts, known: Sequence[Fact]) -> FactGroup | None:
    """Return what is told; None if the intent asks nothing of the board as a whole."""
    if asked.agent and asked.intent in {Intent.FACT, Intent.SUMMARY}:
        return FactGroup(board.names(asked.agent), tuple(_report(known, asked.agent)))
    made = _WHOLE.get(asked.intent)
    if made is None:
        return None
    opening, of = made
    facts = tuple(fact for fact in of(board, known, asked) if fact is not None)
    if asked.agent:
        facts = tuple(fact for fact in facts if asked.agent in fact.agents[:1])
    return FactGroup(opening, facts)


def _report(known: Sequence[Fact], agent: str) -> list[Fact]:
    """Return an agent's view, then the newest that it said of each kind."""
    own = [fact for fact in known if fact.agents[:1] == (agent,)]
    views = [
        fact
        for fact in own
        if fact.told in {FactKind.LEAD, FactKind.CHANGED, FactKind.RULING, FactKind.FIRST}
    ]
    others = [
        max((f for f in own if f.told is kind), key=lambda f: f.order, default=None)
        for kind in _ORDER_OF_A_REPORT
    ]
    return [*views, *(fact for fact in others if fact is not None)]


def _views(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
    leads = [fact for fact in known if fact.told in {FactKind.LEAD, FactKind.CHANGED}]
    grounds = [fact for fact in known if fact.told is FactKind.GROUND]
    if asked.intent is Intent.CERTAINTY:
        return [*(fact for fact in grounds if HOW_SURE.search(" ".join(fact.rests_on))), *leads]
    if asked.intent is Intent.WHY:
        return [*leads, *(fact for fact in known if fact.told is FactKind.WHY_CHANGED), *grounds]
    if asked.agent:
        return [*leads, *grounds]
    apart = [
        fact for fact in leads if fact.agents[0] not in board.vote.holders or fact.told is FactKind.CHANGED
    ]
    ruling = [board.ruling(board.view.ruling)] if board.view.ruling and not leads else []
    return [board.standing(), *apart, *ruling]


def _changes(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
    changed = [fact for fact in known if fact.told in {FactKind.CHANGED, FactKind.WHY_CHANGED}]
    if asked.agent:
        changed = [fact for fact in changed if asked.agent in fact.agents[:1]]
    return [*changed] or _views(board, known, asked)


def _open(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
    points = [fact for fact in known if fact.told is FactKind.OPEN]
    if asked.agent:
        return [*_views(board, known, asked), *points]
    leads = [fact for fact in known if fact.told in {FactKind.LEAD, FactKind.CHANGED}]
    apart = [fact for fact in leads if fact.agents[0] in board.view.differs]
    changed = [fact for fact in leads if fact.told is FactKind.CHANGED and fact not in apart]
    return [board.standing(), *apart, *points, *changed]


def _by_agent(claims: Sequence[ClaimView]) -> list[list[ClaimView]]:
    agents: dict[str, list[ClaimView]] = {}
    for claim in claims:
        agents.setdefault(claim.agent_id, []).append(claim)
    return list(agents.values())


def _tests(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
    agreed = [claim for claim in board.view.tests if claim.agreed]
    others = [claim for claim in board.view.tests if not claim.agreed]
    return [board.tests_of(claims) for claims in [*_by_agent(agreed), *_by_agent(others)]]


def _others(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
    plain = [claim for claim in board.view.differentials if claim.stance is Stance.PROPOSES]
    weighed = [claim for claim in board.view.differentials if claim not in plain]
    return [*map(board.others_of, _by_agent(plain)), *map(board.differential, weighed)]


def _of_kind(*kinds: FactKind) -> Of:
    def pick(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
        return [fact for kind in kinds for fact in known if fact.told is kind]

    return pick


def _priorities(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
    first = [fact for fact in known if fact.told is FactKind.FIRST]
    after = [
        fact
        for fact in known
        if first
        and fact.told is FactKind.REMARK
        and 0 < fact.order - first[0].order < _AFTER_FIRST
        and fact.agents == first[0].agents
    ]
    critical = [] if first else [fact for fact in known if fact.told is FactKind.CRITICAL]
    actions = [fact for fact in known if fact.told is FactKind.ACTION]
    return [*first, *after[:1], *critical, *actions[:3]]


def _summary(board: BoardFacts, known: Sequence[Fact], asked: UnderstoodQuestion) -> Facts:
    critical = [fact for fact in known if fact.told is FactKind.CRITICAL]
    return [*_views(board, known, asked), *critical, *(fact for fact in known if fact.told is FactKind.FIRST)]


_WHOLE: Final[Mapping[Intent, tuple[str, Of]]] = {
    Intent.VIEW: ("the leading view", _views),
    Intent.WHY: ("the leading view", _views),
    Intent.CERTAINTY: ("the leading view", _views),
    Intent.WHO: ("the leading view", _views),
    Intent.CHANGED: ("what changed", _changes),
    Intent.OPEN: ("agreement and open points", _open),
    Intent.COUNT: ("the count", _views),
    Intent.TESTS: ("the tests", _tests),
    Intent.OTHERS: ("the other diagnoses", _others),
    Intent.ACTIONS: ("the treatment", _of_kind(FactKind.ACTION)),
    Intent.CAUTIONS: ("the cautions", _of_kind(FactKind.CAUTION)),
    Intent.CRITICAL: ("the critical findings", _of_kind(FactKind.CRITICAL, FactKind.FIRST)),
    Intent.FIRST: ("what comes first", _priorities),
    Intent.SUMMARY: ("the case", _summary),
}
