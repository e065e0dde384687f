"""The six fields: what is new in this update, and only where nothing is, what still holds; whole clauses.

What may not be lost from sight stands in every update: what is critical, and numbers that the case paper
contradicts.
The closing's fields tell what holds at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.board import Board
from exaim_core.brevity import finding_words, tidy, without_lead_in, without_reasons
from exaim_core.care_sentences import folded, is_past
from exaim_core.changes import Change, News
from exaim_core.claims import Claim, Kind, Stance
from exaim_core.grounding import Grounds, refusal
from exaim_core.names import Names, is_moderator, with_spoken_names
from exaim_core.orders import is_pressing
from exaim_core.phrases import is_definition, is_noise
from exaim_core.schema import FIELD_LIMITS, AgentSummary
from exaim_core.terms import is_generic, is_term
from exaim_core.view_sentences import tally
from exaim_core.wording import lower_first, mid_sentence, series, term, upper_first, word_count

PLACEHOLDERS: Final = {  # of a model's fields that hold nothing
    "status_action": "No action stated yet.",
    "key_findings": "No findings stated yet.",
    "differential_rationale": "No diagnosis stated yet.",
    "uncertainty_confidence": "No uncertainty stated.",
    "recommendation_next_step": "No recommendation stated yet.",
    "agent_contributions": "No contribution yet.",
}
NONE_YET: Final = "None yet."
NONE_NEW: Final = "None new."  # what stands is on the board, and in the update that brought it
# Fields that tell what stands where nothing is new: the leading view, the treatment that comes first, a ban.
_CONTINUED: Final = frozenset({"status_action", "recommendation_next_step", "agent_contributions"})
Field = tuple[Iterable["_Clause"], Iterable["_Clause"]]  # the news, and what still holds
_VIEWS: Final = frozenset(
    {
        News.LEADS,
        News.DIFFERS,
        News.SIDES,
        News.AGREES,
        News.NARROWS,
        News.CHANGED,
        News.ALL_AGREE,
        News.RULES,
        News.SETTLED,
    }
)
_ORDERS: Final = frozenset({Kind.ACTION, Kind.CAUTION, Kind.PRIORITY})
_STANDING: Final = 2  # clauses of what still holds, in a field that has no news
_RATIONALE: Final = 130  # characters of what is said for or against one of several diagnoses


@dataclass(frozen=True, slots=True)
class _Clause:
    text: str
    claims: tuple[Claim, ...]
    agents: tuple[str, ...] = ()
    counted: bool = False
    words: tuple[str, ...] = ()  # of the field's own, which the claims' stance stands for


@dataclass(frozen=True, slots=True)
class _News:
    """What an update tells of: its changes, and their claims in order."""

    changes: tuple[Change, ...]
    claims: tuple[Claim, ...]
    closing: bool

    def of(self, *news: News) -> list[Claim]:
        return [claim for change in self.changes if change.news in news for claim in change.claims]

    @property
    def views(self) -> bool:
        """Whether who holds what has changed."""
        return self.closing or any(change.news in _VIEWS for change in self.changes)


def summary_of(
    board: Board, changes: tuple[Change, ...], names: Names, *, closing: bool = False
) -> tuple[AgentSummary, list[tuple[str, str]]]:
    """Return the six fields, and (field, reason) for every clause that grounding refused."""
    refused: list[tuple[str, str]] = []
    claims = tuple(claim for change in changes for claim in change.claims)
    news = _News(changes, claims, closing)
    texts: dict[str, str] = {}

    def fill(name: str, fresh: Iterable[_Clause], standing: Iterable[_Clause]) -> None:
        texts[name] = _fill(name, (fresh, standing), board, refused, closing=closing)

    # An order that finds no room among the recommendations is looked for in the status, then with its author.
    orders = [_order(claim) for claim in _fresh_orders(board, news)]
    fill("recommendation_next_step", _asked(orders, news), _still_asked(board))
    left = _without(orders, texts["recommendation_next_step"])
    fill("status_action", _status(board, names, news, left), _leading(board, names))
    left = _without(left, texts["status_action"])
    fill("differential_rationale", _thought(board, news), _still_thought(board))
    grounds = _without(_grounds_of_others(news), texts["differential_rationale"])
    fill("key_findings", (*_found(news), *grounds), _still_found(board))
    fill("uncertainty_confidence", _uncertain(board, names, news), _still_uncertain(board, names))
    fill("agent_contributions", _contributed(names, news, left), _still_held(board, names))
    return AgentSummary(**texts), refused


def _without(clauses: Sequence[_Clause], text: str) -> list[_Clause]:
    """Return the clauses that `text` does not hold."""
    return [
        clause for clause in clauses if with_spoken_names(clause.text.rstrip(".")).lower() not in text.lower()
    ]


def _fill(name: str, field: Field, board: Board, refused: list[tuple[str, str]], *, closing: bool) -> str:
    """Join as many clauses as the field holds, none cut; one of two short sentences if there is none."""
    news, standing = field
    text = _joined(name, "", news, board, refused, most=99)
    if text and not closing:
        return text
    still = _joined(name, text, standing, board, refused, most=99 if closing else _STANDING)
    if closing or name in _CONTINUED or not still:
        return still or NONE_YET
    return NONE_NEW


def _joined(
    name: str,
    text: str,
    clauses: Iterable[_Clause],
    board: Board,
    refused: list[tuple[str, str]],
    *,
    most: int,
) -> str:
    limit, count = FIELD_LIMITS[name], 0
    for clause in clauses:
        said = tidy(with_spoken_names(upper_first(clause.text.strip().rstrip(".;,"))) + ".")
        joined = f"{text} {said}".strip()
        if said.lower() in text.lower() or len(joined) > limit:
            continue
        reason = refusal(said, _grounds(clause, board))
        if reason is not None:
            refused.append((name, reason))
            continue
        text, count = joined, count + 1
        if count >= most:
            break
    return text


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
        tuple(term for term in (*terms, *clause.words) if term),
        board.views.vote() if clause.counted or clause.agents else None,
    )


# -- status ------------------------------------------------------------------------------------------


def _status(board: Board, names: Names, news: _News, left: Sequence[_Clause]) -> Iterator[_Clause]:
    """Give what is critical, who leads if that has changed, what comes first, orders without room."""
    for claim in reversed(board.criticals.values()):
        if claim.critical:
            yield _Clause(f"Critical: {claim.critical.name} {claim.critical.value}", (claim,))
    for claim in board.cautions:
        if claim.condition is None and (named := _ALLERGY.search(claim.text)):
            yield _Clause(named.group(), (claim,))
    if news.views:
        yield from _leading(board, names)
    if news.closing or news.of(News.FIRST, News.CRITICAL, News.ACTION, News.REVOKED):
        for claim in board.first_steps()[:1]:
            yield _Clause(f"First: {lower_first(claim.entity)}", (claim,))
    yield from left


_ALLERGY: Final = re.compile(
    r"\b(?:[a-z-]+ )?(?:allergy(?: to [a-z-]+)?|anaphylaxis(?: to [a-z-]+)?|allergic to [a-z-]+)"
    r"(?: with (?:\w+ )?anaphylaxis)?",
    re.IGNORECASE,
)  # what stands in the status of every update, once it was said


def _leading(board: Board, names: Names) -> Iterator[_Clause]:
    vote, ruling = board.views.vote(), board.views.ruling
    for claim in board.confirmed[-1:]:
        if not vote.holders or board.glossary.same(claim.entity, vote.entity):
            yield _Clause(
                f"Confirmed: {claim.entity}. {tally(vote)}", (claim,), vote.voters, True, ("confirmed",)
            )
            return
    if vote.holders:
        held = tuple(board.views.leads[agent].claim for agent in vote.holders)
        yield _Clause(f"Leading: {vote.entity}. {tally(vote)}", held, vote.voters, counted=True)
    elif ruling is not None:
        yield _Clause(f"Leading: {ruling.entity}", (ruling,), (ruling.agent_id,))


# -- findings ----------------------------------------------------------------------------------------


def _found(news: _News) -> Iterator[_Clause]:
    for change in news.changes:
        if change.why is not None:
            yield _Clause(change.why.text, (change.why,))
    told = news.of(News.FINDING, News.CONFIRMED, News.CORRECTED)
    for claim in sorted(told, key=lambda claim: (is_past(claim.text), len(claim.text))):  # as many as fit
        yield _Clause(finding_words(claim.text) or claim.text, (claim,))
    for change in news.changes:
        if (
            change.news in {*_VIEWS, News.REASONS}
            and change.claim.kind is Kind.LEADING
            and change.claim.reasons
        ):
            reasons = ", ".join(mid_sentence(reason) for reason in change.claim.reasons)
            yield _Clause(reasons, (change.claim,))


def _grounds_of_others(news: _News) -> list[_Clause]:
    """Return what is given as grounds for diagnoses that nobody leads with."""
    return [
        _Clause(f"{claim.entity}: {', '.join(mid_sentence(reason) for reason in claim.reasons)}", (claim,))
        for claim in news.of(News.OTHERS, News.DOUBTS, News.REASONS)
        if claim.reasons and claim.kind is Kind.DIFFERENTIAL
    ]


def _still_found(board: Board) -> Iterator[_Clause]:
    for claim in sorted(board.findings[::-1], key=lambda claim: is_past(claim.text)):
        yield _Clause(claim.text, (claim,))
    for lead in reversed(board.views.firm().values()):
        if lead.claim.reasons:
            yield _Clause(", ".join(mid_sentence(reason) for reason in lead.claim.reasons), (lead.claim,))


# -- diagnoses ---------------------------------------------------------------------------------------


def _thought(board: Board, news: _News) -> Iterator[_Clause]:
    """Give the views, other diagnoses and doubts that are new, with what is said for or against them."""
    fresh = [claim for claim in news.of(News.OTHERS) if claim.stance not in {Stance.REJECTS, Stance.DOUBTS}]
    again = news.of(News.REASONS)
    views = [change.claim for change in news.changes if change.news in _VIEWS]
    views += [claim for claim in again if claim.kind is Kind.LEADING and claim not in views]
    for claim in views:
        yield _Clause(claim.entity or board.views.vote().entity, (claim,))
    if views or news.closing:
        yield from _dissent(board, views)
    yield from _longest("Also considered: ", fresh)
    doubted = news.of(News.DOUBTS)
    yield from _longest("Less likely: ", doubted)
    for claim in [*doubted, *fresh, *(claim for claim in again if claim.kind is Kind.DIFFERENTIAL)]:
        text = claim.text.rstrip(".")
        why = text.partition(": ")[2] or text
        if len(text) <= _RATIONALE and word_count(why) > 3 and not _is_talk(why):
            yield _Clause(text, (claim,))
    yield from _grounds_of_others(news)


_OF_THE_TALK: Final = re.compile(
    r"\b(?:I|we|you|my|our|your|us|doctors?(?: ?\d+)?|supervisor|colleagues?|specialists|team|discussion|"
    r"list(?:ed)?|differentials?|mention(?:ed|s)?|inclusion|consensus|valid|relevant)\b",
    re.IGNORECASE,
)


def _is_talk(text: str) -> bool:
    """Tell whether a sentence is about the discussion or a disease in general, and not about this patient."""
    return is_noise(text) or is_definition(text) or _OF_THE_TALK.search(text) is not None


def _dissent(board: Board, told: Sequence[Claim] = ()) -> Iterator[_Clause]:
    vote = board.views.vote()
    for lead in board.views.firm().values():
        known = any(board.glossary.same(lead.claim.entity, claim.entity) for claim in told)
        if not known and not board.glossary.same(lead.claim.entity, vote.entity):
            yield _Clause(f"Or {lead.claim.entity}", (lead.claim,))


def _longest(opening: str, claims: Sequence[Claim]) -> Iterator[_Clause]:
    """Give as many of `claims` as 160 characters hold, in their order."""
    for count in range(len(claims), 0, -1):
        text = opening + ", ".join(claim.entity for claim in claims[:count])
        if len(text) <= 160:
            yield _Clause(text, tuple(claims[:count]), words=("less likely",))
            break


def _still_thought(board: Board) -> Iterator[_Clause]:
    vote = board.views.vote()
    for lead in board.views.firm().values():
        if board.glossary.same(lead.claim.entity, vote.entity):
            reasons = ", ".join(mid_sentence(reason) for reason in lead.claim.reasons)
            yield _Clause(f"{vote.entity}: {reasons}" if reasons else vote.entity, (lead.claim,))
            break
    yield from _dissent(board)
    held = [lead.claim.entity for lead in board.views.leads.values()]
    others = [
        claim
        for claim in board.lists.others
        if claim.stance not in {Stance.REJECTS, Stance.DOUBTS}
        and not any(board.glossary.same(view, claim.entity) for view in held)
    ]
    yield from _longest("Also considered: ", others[:6])


# -- what is not certain -----------------------------------------------------------------------------


def _uncertain(board: Board, names: Names, news: _News) -> Iterator[_Clause]:
    for claim in reversed(board.numbers.disputed.values()):
        found = claim.conflict
        if found is not None and found.name and board.numbers.is_open(claim):
            said = f"Check: {names(claim.agent_id)} says {found.name} {found.said}; case file {found.instead}"
            record = replace(claim, text=f"{found.name} {found.instead}")
            yield _Clause(said, (claim, record), (claim.agent_id,))
    if news.of(News.OPEN) or news.closing:
        yield from _still_open(board)
    if news.views:
        yield from _divided(board, names)


def _still_uncertain(board: Board, names: Names) -> Iterator[_Clause]:
    yield from _still_open(board)
    yield from _divided(board, names)


def _still_open(board: Board) -> Iterator[_Clause]:
    for claim in reversed(board.open_now):
        yield _Clause(f"Still open: {claim.entity}", (claim,))


def _divided(board: Board, names: Names) -> Iterator[_Clause]:
    vote = board.views.vote()
    count = tally(vote)
    if count:
        yield _Clause(count, (), vote.voters, counted=True)
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
        yield _Clause(f"Open between {vote.entity} and {others[0].entity}", (held, others[0]))
    elif vote.holders:
        yield _Clause(f"So far from {' and '.join(names(agent) for agent in vote.holders)}", (), vote.holders)


# -- what is asked for -------------------------------------------------------------------------------


def _fresh_orders(board: Board, news: _News) -> list[Claim]:
    """Return the orders and cautions that are new, those to follow now or only if before the others."""
    standing = [claim for claim in board.actions if board.orders.banned_by(claim) is None]
    fresh = [
        claim
        for claim in news.claims
        if claim.kind in {Kind.CAUTION, Kind.PRIORITY} or (claim.kind is Kind.ACTION and claim in standing)
    ]
    return sorted(fresh, key=lambda claim: claim.kind is Kind.ACTION and not is_pressing(claim))


def _order(claim: Claim) -> _Clause:
    text = claim.text if claim.condition is not None or not claim.entity else claim.entity
    if claim.kind is Kind.PRIORITY:
        text = claim.entity
    *_, bare = without_reasons(folded(without_lead_in(text)).rstrip("."))
    return _Clause(bare, (claim,))


def _asked(orders: Sequence[_Clause], news: _News) -> Iterator[_Clause]:
    yield from orders
    tests = [claim for claim in news.of(News.TESTS) if claim.condition != "" and not is_generic(claim.entity)]
    for claim in tests:
        yield _test(claim)
    for claim in tests:  # what is said of a test may be why the value before it does not count
        if any(map(str.isdigit, claim.text)) and len(claim.text) <= _RATIONALE:
            yield _Clause(claim.text, (claim,))


def _test(claim: Claim) -> _Clause:
    return _Clause(f"{claim.entity} {claim.condition}" if claim.condition else claim.entity, (claim,))


def _still_asked(board: Board) -> Iterator[_Clause]:
    standing = [claim for claim in reversed(board.actions) if board.orders.banned_by(claim) is None]
    for claim in [*board.first_steps(), *reversed(board.cautions), *standing]:
        yield _order(claim)
    for claim in (*board.lists.agreed_tests, *board.lists.tests):
        if not is_generic(claim.entity) and claim.condition != "":
            yield _test(claim)


# -- who ---------------------------------------------------------------------------------------------


def _contributed(names: Names, news: _News, left: Sequence[_Clause]) -> Iterator[_Clause]:
    for clause in left:
        agent = clause.claims[0].agent_id
        yield replace(clause, text=f"{names(agent)}: {lower_first(clause.text)}", agents=(agent,))
    for change in news.changes:
        who, claim = names(change.agent_id), change.claim
        if change.news is News.CHANGED:
            former, rests_on = term(change.former), change.claims + change.rests_on
            if former:
                text = f"{who} has changed from {former} to {claim.entity}"
                yield _Clause(text, rests_on, (change.agent_id,), words=(former,))
            yield _Clause(f"{who} has changed to {claim.entity}", rests_on, (change.agent_id,))
        elif change.news in {News.LEADS, News.DIFFERS, News.SIDES, News.AGREES, News.NARROWS}:
            yield _Clause(f"{who} leads with {_own_words(claim)}", change.claims, (change.agent_id,))
        elif change.news in {News.OTHERS, News.DOUBTS, News.TESTS}:
            verb = "asks for" if change.news is News.TESTS else "adds"
            named = [one for one in change.claims if one.condition is None and not is_generic(one.entity)]
            for count in range(min(4, len(named)), 0, -1):
                text = f"{who} {verb} {series([one.entity for one in named[:count]])}"
                if len(text) <= FIELD_LIMITS["agent_contributions"]:
                    yield _Clause(text, tuple(named[:count]), (change.agent_id,))
                    break


def _own_words(claim: Claim) -> str:
    """Return a view as its holder worded it, where that is no more than a term."""
    own = term(claim.raw) if claim.raw else ""
    return own if own and is_term(own) and own.lower() in claim.text.lower() else claim.entity


def _still_held(board: Board, names: Names) -> Iterator[_Clause]:
    for agent, lead in reversed(board.views.firm().items()):
        yield _Clause(f"{names(agent)} leads with {lead.claim.entity}", (lead.claim,), (agent,))
    ruling = board.views.ruling
    for agent in board.floor.speakers:
        if is_moderator(agent) and ruling is not None and ruling.agent_id == agent:
            yield _Clause(f"{names(agent)}: {ruling.entity}", (ruling,), (agent,))
