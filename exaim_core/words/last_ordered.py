"""Choose the orders that are told with an ending that could not be read: the last ones that still stand.

They are told as what was ordered last and never as what was decided. So only an order counts that was asked for
outright in the last turns, and of which nothing was heard since: no refusal, no ban, no alarm, and not that it is done.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.orders import is_instead, speaks_against
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.lexicon.drugs import drugs_meant
from exaim_core.lexicon.terms import is_generic
from exaim_core.text.assertion import statuses_of
from exaim_core.text.names import Names, inner
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import key_words, lower_first, word_count

LAST_TURNS: Final = 4
MOST: Final = 2  # orders
LEAD: Final = "Last ordered"
_FORMS: Final = lexicon("words/last_ordered")
_STOPS: Final = re.compile(r"[;:?…]|\.\s")  # a part of it would be told as the whole


def last_ordered(board: Board, names: Names, most_words: int) -> tuple[str, tuple[Claim, ...]]:
    """Return up to two orders with their speakers' names, in the order of speaking, and their claims.

    ("", ()) where none is sure, or where none has room in `most_words`.
    """
    urgent = [quote for quote in board.quotes if quote.worth is Worth.URGENT and not quote.worded]
    asked = sorted((*board.actions, *urgent), key=lambda claim: claim.source.first_seq)
    by_words = {_words(claim).lower(): claim for claim in asked if _stands(board, claim)}
    fit = [*by_words.values()][-MOST:]
    while fit:
        text = _worded(fit, names)
        if word_count(text) <= most_words:
            return text, tuple(fit)
        fit = fit[1:]
    return "", ()


def _worded(orders: list[Claim], names: Names) -> str:
    parts, speaker = list[str](), ""
    for order in orders:
        by = inner(names(order.agent_id)).partition(",")[0]
        said = lower_first(_words(order))
        parts.append(said if order.agent_id == speaker else f"by {by}: {said}")
        speaker = order.agent_id
    return f"{LEAD}, {'; '.join(parts)}."


def _words(order: Claim) -> str:
    return (order.entity or order.text).strip(" .!")


def _stands(board: Board, claim: Claim) -> bool:
    """Return whether an order is one of the last, asks outright, and has nothing against it."""
    words = _words(claim)
    return (
        board.floor.is_of_the_last(claim, LAST_TURNS)
        and board.floor.is_of_this_turn(claim)  # who has spoken since may have ordered something else
        and claim.condition is None
        and not statuses_of(claim.text, "")
        and _STOPS.search(words) is None
        and not is_generic(words)
        and _FORMS["no_order"].search(claim.text) is None
        and board.orders.banned_by(claim) is None
        and not board.overturning.is_fallen(claim.source)
        and not speaks_against([*board.criticals.values()], claim.text)
        and not any(_meets(board, claim, each) for each in (*board.said, *board.cautions))
    )


def _meets(board: Board, order: Claim, later: Claim) -> bool:
    """Return whether a later sentence says that `order` is done, doubts it, or answers it with a refusal."""
    if later.source.first_seq <= order.source.last_seq:
        return False
    if later.agent_id == order.agent_id and is_instead(later.text):
        return True
    drugs, words = drugs_meant(order.text), set(key_words(order.text))
    about = drugs & drugs_meant(later.text) if drugs else words & set(key_words(later.text))
    if about:
        cautioned = later.kind is Kind.CAUTION or bool(statuses_of(later.text, ""))
        return cautioned or _FORMS["met"].search(later.text) is not None
    near = {board.floor.begun_with(order), board.floor.next_begun(order)}
    answers = board.floor.begun_with(later) in near
    return answers and any(_FORMS[form].match(later.text) for form in ("objects", "done"))
