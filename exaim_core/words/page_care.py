"""The fields' clauses about care: what is critical, findings, and what is asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.changes import ChangeKind
from exaim_core.board.orders import is_pressing
from exaim_core.claims.claims import Claim, Kind, Mark, Worth
from exaim_core.claims.finding import IN_WORDS, Critical
from exaim_core.lexicon.brevity import finding_words, without_lead_in, without_reasons
from exaim_core.lexicon.terms import is_generic
from exaim_core.schema import FIELD_LIMITS
from exaim_core.text.wording import lower_first, word_count
from exaim_core.words.care_sentences import folded, is_past, told_whole
from exaim_core.words.field_clauses import FieldClause, Fresh
from exaim_core.words.page_views import leading


def status(board: Board, news: Fresh, left: Sequence[FieldClause]) -> Iterator[FieldClause]:
    """Yield what is critical, changed leads, what comes first, and orders without room elsewhere."""
    yield from _alarms(board)
    for claim in board.cautions:
        if claim.condition is None and (named := _ALLERGY.search(claim.text)) and not _is_none(named, board):
            yield FieldClause(named.group().rstrip(", "), (claim,))
    if news.views:
        yield from leading(board)
    if news.closing or news.of(ChangeKind.FIRST, ChangeKind.CRITICAL, ChangeKind.ACTION, ChangeKind.REVOKED):
        for claim in board.first_steps()[:1]:
            yield FieldClause(f"First: {lower_first(claim.entity)}", (claim,))
    yield from left


MOST_STATUS_WORDS: Final = 12  # of an alarm in its speaker's words: several alarms share one field


def _alarms(board: Board) -> Iterator[FieldClause]:
    """Yield the alarms, the newest first: in their speaker's words as long as there is room for all of them."""
    told = [(claim, claim.critical) for claim in reversed(board.alarms.newest()) if claim.critical]
    openings = ["Check: " if each.words or each.by else "Critical: " for _, each in told]
    room = FIELD_LIMITS["status_action"] - sum(
        len(opening) + len(each.what) + 2 for opening, (_, each) in zip(openings, told, strict=True)
    )
    for opening, (claim, each) in zip(openings, told, strict=True):
        words = _own_words(each)
        more = len(words) - len(each.what)
        if not words or more > room:
            words, more = each.what, 0
        room -= more
        yield FieldClause(f"{opening}{words}", (claim,))


def _own_words(alarm: Critical) -> str:
    """Return the words of an emergency that has no other name, if they are few; else ""."""
    few = 0 < word_count(alarm.words) <= MOST_STATUS_WORDS
    return lower_first(alarm.words) if few and alarm.key.startswith(IN_WORDS) else ""


_TO: Final = r"to [a-z-]+(?: (?:contrast|dye|media|antibiotics))?"
_ALLERGY: Final = re.compile(
    rf"\b(?:allerg(?:y|ies): [^.;(]{{2,60}}|(?:allergy|allergic|anaphylaxis) {_TO}|"
    r"(?:[a-z-]+ )?(?:allergy|anaphylaxis)(?! to ))"
    r"(?: with (?:\w+ )?anaphylaxis)?",
    re.IGNORECASE,
)  # in the status of every update, once it was said


_ITEM: Final = re.compile(r"[,/&+]|\b(?:and|or)\b")  # between the substances of a list


def _is_none(named: re.Match[str], board: Board) -> bool:
    """Return whether it was said of each allergy which is `named` that it is none."""
    over = "|".join(map(re.escape, board.alarms.no_allergies))
    items = [each for each in _ITEM.split(named.group().partition(":")[2] or named.group()) if each.strip()]
    is_over = re.compile(rf"(?<![\w-])(?:{over})s?(?![\w-])", re.IGNORECASE)
    return bool(over) and all(map(is_over.search, items))


def found(news: Fresh) -> Iterator[FieldClause]:
    """Yield what is found, and why somebody has changed a view."""
    for change in news.changes:
        if change.why is not None:
            yield FieldClause(change.why.text, (change.why,))
    told = news.of(ChangeKind.FINDING, ChangeKind.CONFIRMED, ChangeKind.CORRECTED)
    for claim in sorted(told, key=lambda claim: (*_later(claim), len(claim.text))):  # as many as fit
        yield FieldClause(finding_words(claim.text) or claim.text, (claim,))


def _later(claim: Claim) -> tuple[bool, bool]:
    """Return a sort key that puts findings of another time, or without a value, last."""
    return is_past(claim.text), claim.mark is Mark.PAGE


def still_found(board: Board) -> Iterator[FieldClause]:
    """Yield what was found before."""
    doubted = [each for each in board.quotes if each.worth is Worth.DOUBTED]
    newest = [*board.findings, *doubted][::-1]
    for claim in sorted(newest, key=_later):
        yield FieldClause(claim.text, (claim,))


def fresh_orders(board: Board, news: Fresh) -> list[Claim]:
    """Return the new orders and cautions, those to follow now or "only if" before the others."""
    standing = [claim for claim in board.actions if board.orders.banned_by(claim) is None]
    fresh = [
        claim
        for claim in news.claims
        if claim.kind in {Kind.CAUTION, Kind.PRIORITY} or (claim.kind is Kind.ACTION and claim in standing)
    ]
    return sorted(fresh, key=lambda claim: claim.kind is Kind.ACTION and not is_pressing(claim))


def order_clause(claim: Claim) -> FieldClause:
    """Return an order or a caution as it is written on the page."""
    text = claim.entity if claim.entity and claim.condition is None and not told_whole(claim) else claim.text
    if claim.kind is Kind.PRIORITY:
        text = claim.entity
    *_, bare = without_reasons(folded(without_lead_in(text)).rstrip("."))
    return FieldClause(bare, (claim,))


def asked(orders: Sequence[FieldClause], news: Fresh) -> Iterator[FieldClause]:
    """Yield the orders and the tests that are new."""
    yield from orders
    tests = [claim for claim in news.of(ChangeKind.TESTS) if claim.condition != ""]
    yield from map(_test, tests)


def _test(claim: Claim) -> FieldClause:
    return FieldClause(f"{claim.entity} {claim.condition}" if claim.condition else claim.entity, (claim,))


def still_asked(board: Board) -> Iterator[FieldClause]:
    """Yield what is still asked for."""
    standing = [claim for claim in reversed(board.actions) if board.orders.banned_by(claim) is None]
    for claim in [*board.first_steps(), *reversed(board.cautions), *standing]:
        yield order_clause(claim)
    for claim in reversed(board.righted):
        yield FieldClause(f"{claim.entity}: {claim.text}" if claim.entity else claim.text, (claim,))
    for claim in (*board.lists.agreed_tests, *board.lists.tests):
        if not is_generic(claim.entity) and claim.condition != "":
            yield _test(claim)
