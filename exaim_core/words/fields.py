"""Fill the six fields with what is new in this update, in whole clauses.

Two things stand in every update, as they must not be lost from sight: what is critical, and numbers that the case
paper contradicts.
The closing's fields tell what holds at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.changes import Change, ChangeKind
from exaim_core.claims.answering import answered_by
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.grounding.grounding import Grounds, refusal
from exaim_core.lexicon.brevity import tidy
from exaim_core.schema import FIELD_LIMITS, AgentSummary, FieldSentence, Span
from exaim_core.text.names import Names, with_spoken_names
from exaim_core.text.wording import upper_first
from exaim_core.words import page_care, page_views
from exaim_core.words.evidence import resting
from exaim_core.words.field_clauses import FieldClause, Fresh

PLACEHOLDERS: Final = {  # stand in a field of which no sentence of a model may be told
    "status_action": "No action stated yet.",
    "key_findings": "No findings stated yet.",
    "differential_rationale": "No diagnosis stated yet.",
    "uncertainty_confidence": "No uncertainty stated.",
    "recommendation_next_step": "No recommendation stated yet.",
    "agent_contributions": "No contribution yet.",
}
NONE_YET: Final = "None yet."
_LIST: Final = re.compile(
    r":|\b(?:if|either|neither|both|any|all|following|these|those|then|first|until|when|once)\b",
    re.IGNORECASE,
)
_SAYS: Final = re.compile(r"\b(?:is|are|was|were|must|should|may|can|will|do|does)\b", re.IGNORECASE)
"""A verb that can't be a name, which a part needs to stand by itself: "verapamil 5 mg" has none."""
NONE_NEW: Final = "None new."  # what still holds is on the board and in earlier updates


def summary_of(
    board: Board, changes: tuple[Change, ...], names: Names, *, closing: bool = False
) -> tuple[AgentSummary, tuple[FieldSentence, ...], list[tuple[str, str]]]:
    """Return the six fields, their sentences with evidence, and (field, reason) for each refused one."""
    claims = tuple(claim for change in changes for claim in change.claims)
    news = Fresh(changes, claims, closing)
    page = _Page(board, closing)
    fill, texts = page.fill, page.texts
    # An order without room among the recommendations goes to the status, then beside its author;
    # a finding without room goes beside its author too.
    orders = [
        part
        for claim in page_care.fresh_orders(board, news)
        for part in _parts(page_care.order_clause(claim))
    ]
    asked = (*page_care.asked(orders, news), *_quoted(news, Worth.PROHIBITION, Worth.URGENT, Worth.ORDER))
    fill("recommendation_next_step", asked, page_care.still_asked(board))
    left = _without(orders, texts["recommendation_next_step"])
    more = [each for each in _without(asked, texts["recommendation_next_step"]) if _is_read(each)]
    status = (*_quoted(news, Worth.CONCLUSION), *page_care.status(board, news, left), *more)
    fill("status_action", status, page_views.leading(board))
    left = _without(left, texts["status_action"])
    thought = (*page_views.thought(board, news), *_quoted(news, Worth.CORRECTION, Worth.VIEW))
    fill("differential_rationale", thought, page_views.still_thought(board))
    findings = [*page_care.found(news), *_quoted(news, Worth.DOUBTED, Worth.RESULT, Worth.VALUES)]
    fill("key_findings", findings, page_care.still_found(board))
    findings = _without(findings, texts["key_findings"])
    views = _without(thought, texts["differential_rationale"])
    wanted = _without(asked, texts["recommendation_next_step"])
    read = [each for each in (*wanted, *views) if _is_read(each)]
    fill(
        "uncertainty_confidence",
        page_views.uncertain(board, names, news),
        page_views.still_uncertain(board),
    )
    fill(
        "agent_contributions",
        (
            *page_views.by_author(names, left),
            *page_views.contributed(names, news),
            *page_views.by_author(names, findings),
            *page_views.by_author(names, read),
        ),
        page_views.still_held(board, names),
    )
    order = [*FIELD_LIMITS]
    page.told.sort(key=lambda each: order.index(each.field))
    return AgentSummary(**texts), tuple(page.told), page.refused


def with_left_out(summary: AgentSummary, left_out: int) -> AgentSummary:
    """Return `summary` with a count of untold changes, in place of the status if there is no room."""
    if not left_out:
        return summary
    points = "one more point" if left_out == 1 else f"{left_out} more points"
    said = f"Not read: {points}, too many at once; see the agents' own words."
    both = f"{summary.status_action} {said}"
    fits = len(both) <= FIELD_LIMITS["status_action"]
    return summary.model_copy(update={"status_action": both if fits else said})


def _quoted(news: Fresh, *worths: Worth) -> list[FieldClause]:
    """Return the quotations and follow-ups of these worths, the greatest worth first."""
    found = [claim for claim in news.of(ChangeKind.QUOTED, ChangeKind.FOLLOWS) if claim.worth in worths]
    return [_in_their_words(claim) for claim in sorted(found, key=lambda claim: claim.worth, reverse=True)]


def _is_read(clause: FieldClause) -> bool:
    """Return whether a clause is a model's reading of somebody's words."""
    return any(claim.read and claim.kind is Kind.QUOTE for claim in clause.claims)


def _in_their_words(claim: Claim) -> FieldClause:
    other = answered_by(claim)
    if claim.entity and other is None and not claim.worded and claim.worth is Worth.CORRECTION:
        return FieldClause(f"{claim.entity}: {claim.text}", (claim,))  # a corrected amount, after its name
    if other is None or claim.kind is not Kind.QUOTE:
        return FieldClause(claim.worded or claim.text, (claim,))
    return FieldClause(f"{other.text} {upper_first(claim.text)}", (other, claim))


def _without(clauses: Sequence[FieldClause], text: str) -> list[FieldClause]:
    """Return the clauses that `text` does not contain."""
    return [
        clause for clause in clauses if with_spoken_names(clause.text.rstrip(".")).lower() not in text.lower()
    ]


@dataclass(slots=True)
class _Page:
    """The fields as they are filled, what their sentences rest on, and which were refused."""

    board: Board
    closing: bool
    texts: dict[str, str] = field(default_factory=dict)
    told: list[FieldSentence] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)

    def fill(self, name: str, fresh: Iterable[FieldClause], standing: Iterable[FieldClause]) -> None:
        """Join as many whole clauses as the field holds; `standing` ones are told at the end only."""
        text = ""
        for clause in (*fresh, *(standing if self.closing else ())):
            said = tidy(with_spoken_names(upper_first(clause.text.strip().rstrip(".;,"))) + ".")
            joined = f"{text} {said}".strip()
            if said.lower() in text.lower() or len(joined) > FIELD_LIMITS[name]:
                continue
            reason = refusal(said, _grounds(clause, self.board))
            if reason is not None:
                self.refused.append((name, reason))
                continue
            begin, text = len(joined) - len(said), joined
            if evidence := _evidence(clause, self.board):
                self.told.append(FieldSentence(field=name, start=begin, end=len(text), evidence=evidence))
        self.texts[name] = text or (NONE_YET if self.closing else NONE_NEW)


def _parts(clause: FieldClause) -> list[FieldClause]:
    """Return an order without room in any field as its parts between semicolons; else it as it is.

    It is split only if each part says by itself what is to be done: not if the first part says what is to happen to a
    list ("stop these: …"), and not if there is a condition.
    """
    if len(clause.text) < FIELD_LIMITS["recommendation_next_step"] or _LIST.search(clause.text):
        return [clause]
    parts = [part.strip() for part in clause.text.split(";") if part.strip()]
    if not all(_SAYS.search(part) for part in parts):
        return [clause]
    return [replace(clause, text=part) for part in parts]


def _evidence(clause: FieldClause, board: Board) -> tuple[Span, ...]:
    """Return the words that a clause rests on; for a count, those of the views that it counts."""
    leads = (board.views.leads.get(agent) for agent in clause.agents)
    held = [lead.claim for lead in leads if lead is not None] if clause.counted or not clause.claims else []
    return resting((*clause.claims, *held))


def _grounds(clause: FieldClause, board: Board) -> Grounds:
    terms = [lead.claim.entity for lead in board.views.leads.values()] + [
        claim.entity for claim in clause.claims
    ]
    terms += [claim.critical.names for claim in clause.claims if claim.critical]
    if board.views.ruling is not None:
        terms.append(board.views.ruling.entity)
    return Grounds(
        tuple(dict.fromkeys(claim.cited for claim in clause.claims)),
        clause.agents,
        tuple(term for term in (*terms, *clause.words) if term),
        board.views.vote() if clause.counted or clause.agents else None,
        free=any(claim.worded and claim.worded == clause.text for claim in clause.claims),
        names=board.names,
    )
