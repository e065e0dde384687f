"""The fields' clauses about views: who leads, other diagnoses and doubts, what is open, who said it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.changes import ChangeKind, Vote
from exaim_core.board.numbers import numbers_in
from exaim_core.claims.claims import Claim, Stance
from exaim_core.claims.quotes import is_talk
from exaim_core.schema import FIELD_LIMITS
from exaim_core.text.names import Names
from exaim_core.text.wording import lower_first, series, term, word_count
from exaim_core.words.field_clauses import VIEWS, FieldClause, Fresh
from exaim_core.words.view_sentences import tally

RATIONALE: Final = 130  # characters of the reasons for or against one of several diagnoses


def leading(board: Board) -> Iterator[FieldClause]:
    """Yield the view with the most holders, or the one that a study has confirmed."""
    vote, ruling = board.views.vote(), board.views.ruling
    for claim in board.confirmed[-1:]:
        if not vote.holders or board.glossary.same(claim.entity, vote.entity):
            yield FieldClause(
                f"Confirmed: {claim.entity}. {_count(vote)}", (claim,), vote.voters, True, ("confirmed",)
            )
            return
    if vote.holders:
        held = tuple(board.views.leads[agent].claim for agent in vote.holders)
        yield FieldClause(f"Lead: {vote.entity}. {_count(vote)}", held, vote.voters, counted=True)
    elif ruling is not None:
        yield FieldClause(f"Lead: {ruling.entity}", (ruling,), (ruling.agent_id,))


def _count(vote: Vote) -> str:
    """Return the state of the vote, as short as a field can hold."""
    return "All agree." if vote.unanimous and len(vote.voters) > 2 else tally(vote)


def thought(board: Board, news: Fresh) -> Iterator[FieldClause]:
    """Yield new views, other diagnoses and doubts, with what is said for or against them."""
    fresh = [
        claim for claim in news.of(ChangeKind.OTHERS) if claim.stance not in {Stance.REJECTS, Stance.DOUBTS}
    ]
    views = [change.claim for change in news.changes if change.news in VIEWS]
    for claim in views:
        yield FieldClause(_in_full(claim), (claim,))
    if views or news.closing:
        yield from _dissent(board, views)
    yield from _longest("Also: ", fresh)
    doubted = news.of(ChangeKind.DOUBTS)
    yield from _longest("Less likely: ", doubted)
    for claim in [*doubted, *fresh, *news.of(ChangeKind.REASONS)]:
        text = claim.text.rstrip(".")
        why = text.partition(": ")[2] or text
        if len(text) <= RATIONALE and word_count(why) > 3 and not is_talk(why):
            yield FieldClause(text, (claim,))


VIEW: Final = 170  # characters of a view with its causes


def _in_full(claim: Claim) -> str:
    """Return a view with its stage and causes if its sentence opens with it; else its name."""
    text = claim.text.rstrip(".")
    if not text.lower().startswith(claim.entity.lower()):
        return claim.entity
    more = _MORE.match(text, len(claim.entity))
    words = text[: more.end("more")] if more is not None else ""
    return words if len(claim.entity) < len(words) <= VIEW else claim.entity


_MORE: Final = re.compile(
    r"(?P<more>(?: \([^()]{2,60}\))?"
    r"(?: (?:secondary to|due to|caused by|complicated by|with|from|after|or)\b[^.;:]*?)?)"
    r"(?:, (?:which|given|considering|as|because|since)\b.*)?\Z",
    re.DOTALL,
)
"""What belongs to a diagnosis after its name; not what is said about it."""


def _dissent(board: Board, told: Sequence[Claim] = ()) -> Iterator[FieldClause]:
    vote = board.views.vote()
    for lead in board.views.firm().values():
        known = any(board.glossary.same(lead.claim.entity, claim.entity) for claim in told)
        if not known and not board.glossary.same(lead.claim.entity, vote.entity):
            yield FieldClause(f"Or {lead.claim.entity}", (lead.claim,))


def _longest(opening: str, claims: Sequence[Claim]) -> Iterator[FieldClause]:
    """Yield as many of `claims` as 160 characters hold, in order, each diagnosis once."""
    claims = [*{claim.entity.lower(): claim for claim in reversed(claims)}.values()][::-1]
    for count in range(len(claims), 0, -1):
        text = opening + ", ".join(claim.entity for claim in claims[:count])
        if len(text) <= 160:
            yield FieldClause(text, tuple(claims[:count]), words=("less likely",))
            break


def still_thought(board: Board) -> Iterator[FieldClause]:
    """Yield the leading view, and the other diagnoses."""
    vote = board.views.vote()
    for lead in board.views.firm().values():
        if board.glossary.same(lead.claim.entity, vote.entity):
            yield FieldClause(vote.entity, (lead.claim,))
            break
    yield from _dissent(board)
    held = [lead.claim.entity for lead in board.views.leads.values()]
    others = [
        claim
        for claim in board.lists.others
        if claim.stance not in {Stance.REJECTS, Stance.DOUBTS}
        and not any(board.glossary.same(view, claim.entity) for view in held)
    ]
    yield from _longest("Also: ", others[:6])


def uncertain(board: Board, names: Names, news: Fresh) -> Iterator[FieldClause]:
    """Yield what is contested, and what is open since this update."""
    for claim in reversed(board.numbers.disputed.values()):
        found = claim.conflict
        known = found is None or board.numbers.was_put_right(numbers_in(found.instead))
        if found is not None and not known and found.name and board.numbers.is_open(claim):
            said = f"Check: {names(claim.agent_id)} says {found.name} {found.said}; case file {found.instead}"
            record = replace(claim, text=f"{found.name} {found.instead}")
            yield FieldClause(said, (claim, record), (claim.agent_id,))
    if news.closing:
        yield from _still_open(board)
    if news.views and not board.views.vote().unanimous:  # if all agree there is no uncertainty
        yield from _divided(board)


def still_uncertain(board: Board) -> Iterator[FieldClause]:
    """Yield what is still open."""
    yield from _still_open(board)
    yield from _divided(board)


def _still_open(board: Board) -> Iterator[FieldClause]:
    for claim in reversed(board.open_now):
        yield FieldClause(f"Still open: {claim.entity}", (claim,))


def _divided(board: Board) -> Iterator[FieldClause]:
    vote = board.views.vote()
    count = _count(vote)
    if count:
        yield FieldClause(count, (), vote.voters, counted=True)
        return
    if any(board.glossary.same(claim.entity, vote.entity) for claim in board.confirmed):
        return  # a study has settled it, though somebody has not said so yet
    others = [
        lead.claim
        for lead in board.views.firm().values()
        if not board.glossary.same(lead.claim.entity, vote.entity)
    ]
    if others:
        held = board.views.leads[vote.holders[0]].claim
        yield FieldClause(f"Open between {vote.entity} and {others[0].entity}", (held, others[0]))


def by_author(names: Names, clauses: Sequence[FieldClause]) -> Iterator[FieldClause]:
    """Yield clauses that found no room elsewhere, each after its author's name."""
    for clause in clauses:
        agent = clause.claims[0].agent_id
        yield replace(clause, text=f"{names(agent)}: {lower_first(clause.text)}", agents=(agent,))


def contributed(names: Names, news: Fresh) -> Iterator[FieldClause]:
    """Yield what each agent added in this update."""
    for change in news.changes:
        who, claim = names(change.agent_id), change.claim
        if change.news is ChangeKind.CHANGED:
            former, rests_on = term(change.former), change.claims + change.rests_on
            text = f"{who} has changed from {former} to {claim.entity}"
            yield FieldClause(text, rests_on, (change.agent_id,), words=(former,))
        elif change.news in {ChangeKind.LEADS, ChangeKind.DIFFERS, ChangeKind.SIDES, ChangeKind.AGREES}:
            yield FieldClause(f"{who} leads with {claim.entity}", change.claims, (change.agent_id,))
        elif change.news in {ChangeKind.OTHERS, ChangeKind.TESTS}:
            verb = "asks for" if change.news is ChangeKind.TESTS else "adds"
            named = [one for one in change.claims if one.condition is None]
            for count in range(min(4, len(named)), 0, -1):
                text = f"{who} {verb} {series([one.entity for one in named[:count]])}"
                if len(text) <= FIELD_LIMITS["agent_contributions"]:
                    yield FieldClause(text, tuple(named[:count]), (change.agent_id,))
                    break


def still_held(board: Board, names: Names) -> Iterator[FieldClause]:
    """Yield who holds what."""
    for agent, lead in reversed(board.views.firm().items()):
        yield FieldClause(f"{names(agent)} leads with {lead.claim.entity}", (lead.claim,), (agent,))
    ruling = board.views.ruling
    if ruling is not None:
        yield FieldClause(f"{names(ruling.agent_id)}: {ruling.entity}", (ruling,), (ruling.agent_id,))
