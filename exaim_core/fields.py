"""The six fields: what changed first, then what still holds; whole clauses within each field's limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.board import Board
from exaim_core.brevity import without_lead_in
from exaim_core.changes import Change, News
from exaim_core.claims import Claim, Kind, Stance
from exaim_core.grounding import Grounds, refusal
from exaim_core.names import Names, is_moderator, with_spoken_names
from exaim_core.schema import FIELD_LIMITS, AgentSummary
from exaim_core.terms import is_generic
from exaim_core.view_sentences import tally
from exaim_core.wording import lower_first, mid_sentence, upper_first

PLACEHOLDERS: Final = {
    "status_action": "No action stated yet.",
    "key_findings": "No findings stated yet.",
    "differential_rationale": "No diagnosis stated yet.",
    "uncertainty_confidence": "No uncertainty stated.",
    "recommendation_next_step": "No recommendation stated yet.",
    "agent_contributions": "No contribution yet.",
}


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    claims: tuple[Claim, ...]
    agents: tuple[str, ...] = ()
    counted: bool = False


def summary_of(
    board: Board, changes: tuple[Change, ...], names: Names
) -> tuple[AgentSummary, list[tuple[str, str]]]:
    """Return the six fields, and (field, reason) for every clause that grounding refused."""
    refused: list[tuple[str, str]] = []
    news = [claim for change in changes for claim in change.claims]
    clauses: dict[str, Iterable[_Clause]] = {
        "status_action": _status(board, names),
        "key_findings": _findings(board, news),
        "differential_rationale": _differential(board, news),
        "uncertainty_confidence": _uncertainty(board, names),
        "recommendation_next_step": _recommendation(board, news),
        "agent_contributions": _contributions(board, changes, names),
    }
    texts = {name: _fill(name, made, board, refused) for name, made in clauses.items()}
    return AgentSummary(**texts), refused


def _fill(name: str, clauses: Iterable[_Clause], board: Board, refused: list[tuple[str, str]]) -> str:
    """Join as many clauses as the field holds, none cut; the placeholder if there is none."""
    limit, text, seen = FIELD_LIMITS[name], "", set[str]()
    for clause in clauses:
        said = with_spoken_names(upper_first(clause.text.strip().rstrip(".;,"))) + "."
        if said.lower() in seen or len(said) > limit:
            continue
        seen.add(said.lower())
        joined = f"{text} {said}".strip()
        if len(joined) > limit:
            continue
        reason = refusal(said, _grounds(clause, board))
        if reason is not None:
            refused.append((name, reason))
            continue
        text = joined
    return text or PLACEHOLDERS[name]


def _grounds(clause: _Clause, board: Board) -> Grounds:
    terms = [lead.claim.entity for lead in board.views.leads.values()] + [
        claim.entity for claim in clause.claims
    ]
    terms += [claim.critical.name for claim in clause.claims if claim.critical]
    if board.views.ruling is not None:
        terms.append(board.views.ruling.entity)
    return Grounds(
        tuple(dict.fromkeys(claim.text for claim in clause.claims)),
        clause.agents,
        tuple(term for term in terms if term),
        board.views.vote() if clause.counted or clause.agents else None,
    )


def _status(board: Board, names: Names) -> Iterator[_Clause]:
    for claim in reversed(board.criticals.values()):
        if claim.critical:
            yield _Clause(f"Critical: {claim.critical.name} {claim.critical.value}", (claim,))
    vote, ruling = board.views.vote(), board.views.ruling
    if vote.holders:
        held = tuple(board.views.leads[agent].claim for agent in vote.holders)
        yield _Clause(f"Leading: {vote.entity}. {tally(vote)}", held, vote.voters, counted=True)
    elif ruling is not None:
        yield _Clause(f"Leading: {ruling.entity}", (ruling,), (ruling.agent_id,))
    for claim in board.first_steps()[:1]:
        yield _Clause(f"First: {lower_first(claim.entity)}", (claim,))


def _findings(board: Board, news: list[Claim]) -> Iterator[_Clause]:
    fresh = [claim for claim in news if claim.kind is Kind.FINDING]
    for claim in [*(claim for claim in fresh if claim in board.findings), *reversed(board.findings)]:
        yield _Clause(claim.text, (claim,))
    for lead in reversed(board.views.firm().values()):
        if lead.claim.reasons:
            yield _Clause(", ".join(mid_sentence(reason) for reason in lead.claim.reasons), (lead.claim,))


def _differential(board: Board, news: list[Claim]) -> Iterator[_Clause]:
    vote = board.views.vote()
    for lead in board.views.firm().values():
        if board.glossary.same(lead.claim.entity, vote.entity):
            reasons = ", ".join(mid_sentence(reason) for reason in lead.claim.reasons)
            yield _Clause(f"{vote.entity}: {reasons}" if reasons else vote.entity, (lead.claim,))
            break
    for lead in board.views.firm().values():
        if not board.glossary.same(lead.claim.entity, vote.entity):
            yield _Clause(f"Or {lead.claim.entity}", (lead.claim,))
    fresh = [claim for claim in news if claim.kind is Kind.DIFFERENTIAL]
    rest = [claim for claim in board.lists.others if claim not in fresh]
    held = [lead.claim.entity for lead in board.views.leads.values()]
    others = [
        claim
        for claim in [*fresh, *rest]
        if claim.stance is not Stance.REJECTS
        and not any(board.glossary.same(view, claim.entity) for view in held)
    ]
    for count in range(min(6, len(others)), 0, -1):
        text = "Also considered: " + ", ".join(claim.entity for claim in others[:count])
        if len(text) < 130:
            yield _Clause(text, tuple(others[:count]))
            break


def _uncertainty(board: Board, names: Names) -> Iterator[_Clause]:
    vote = board.views.vote()
    count = tally(vote)
    for claim in reversed(board.numbers.disputed.values()):
        found = claim.conflict
        if found is not None and found.name and board.numbers.is_open(claim):
            said = f"Check: {names(claim.agent_id)} says {found.name} {found.said}; case file {found.instead}"
            record = replace(claim, text=f"{found.name} {found.instead}")
            yield _Clause(said, (claim, record), (claim.agent_id,))
    if count:
        yield _Clause(count, (), vote.voters, counted=True)
    elif len(
        others := [
            lead.claim
            for lead in board.views.firm().values()
            if not board.glossary.same(lead.claim.entity, vote.entity)
        ]
    ):
        held = board.views.leads[vote.holders[0]].claim
        yield _Clause(f"Open between {vote.entity} and {others[0].entity}", (held, others[0]))
    elif vote.holders:
        yield _Clause(f"So far from {' and '.join(names(agent) for agent in vote.holders)}", (), vote.holders)
    for claim in reversed(board.open_now):
        yield _Clause(f"Still open: {claim.entity}", (claim,))


def _recommendation(board: Board, news: list[Claim]) -> Iterator[_Clause]:
    standing = [claim for claim in reversed(board.actions) if board.orders.banned_by(claim) is None]
    fresh_orders = [claim for claim in news if claim.kind is Kind.CAUTION or claim in standing]
    for claim in [*fresh_orders, *board.first_steps(), *reversed(board.cautions), *standing]:
        text = claim.text if claim.condition is not None or not claim.entity else claim.entity
        yield _Clause(without_lead_in(text), (claim,))
    tests = [
        claim
        for claim in (*board.lists.agreed_tests, *board.lists.tests)
        if not is_generic(claim.entity) and claim.condition != ""
    ]
    fresh = [
        claim
        for claim in news
        if claim.kind is Kind.TEST and claim.condition != "" and not is_generic(claim.entity)
    ]
    for claim in [*fresh, *tests]:
        yield _Clause(f"{claim.entity} {claim.condition}" if claim.condition else claim.entity, (claim,))


def _contributions(board: Board, changes: tuple[Change, ...], names: Names) -> Iterator[_Clause]:
    verbs = {
        News.OTHERS: "adds to the differential",
        News.TESTS: "asks for tests",
        News.CAUTION: "caution",
        News.ACTION: "recommends",
        News.FINDING: "findings",
    }
    for change in changes:
        verb = verbs.get(change.news)
        if change.news is News.CHANGED:
            yield _Clause(
                f"{names(change.agent_id)} has changed to {change.claim.entity}",
                change.claims,
                (change.agent_id,),
            )
        elif verb in {"adds to the differential", "asks for tests"}:
            yield _Clause(f"{names(change.agent_id)} {verb}", change.claims, (change.agent_id,))
    for agent, lead in reversed(board.views.firm().items()):
        yield _Clause(f"{names(agent)} leads with {lead.claim.entity}", (lead.claim,), (agent,))
    ruling = board.views.ruling
    for agent in board.floor.speakers:
        if is_moderator(agent) and ruling is not None and ruling.agent_id == agent:
            yield _Clause(f"{names(agent)}: {ruling.entity}", (ruling,), (agent,))
