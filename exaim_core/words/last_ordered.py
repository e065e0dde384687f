"""Choose the orders that are told with an ending that could not be read: the last ones that still stand.

They are told as what was ordered last and never as what was decided. So only an order counts that was asked for
outright in the last turns, and since which nobody said anything but plain assent or another such order: whatever else
was said may refuse it, replace it or say that it is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.orders import is_instead, speaks_against
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.lexicon.drugs import drugs_meant
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.terms import is_generic
from exaim_core.text.assertion import Status, statuses_of
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
    standing = [claim for claim in asked if _stands(board, claim)]
    by_words = {_words(claim).lower(): claim for claim in _unanswered(board, standing)}
    fit = [*by_words.values()][:MOST][::-1]
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
        and not any(_forbids(each, claim) or _supposes(board, each, claim) for each in board.said)
    )


def _supposes(board: Board, said: Claim, order: Claim) -> bool:
    """Return whether the turn of `order` sets a condition before it, which may be that of the order too."""
    before = said.source.first_seq <= order.source.first_seq
    of_the_turn = said.agent_id == order.agent_id and board.floor.is_of_this_turn(said)
    return before and of_the_turn and Status.CONDITIONAL in statuses_of(said.text, "")


def _forbids(said: Claim, order: Claim) -> bool:
    """Return whether a sentence forbids or denies a thing that `order` names: "She's on apixaban, no LP."."""
    if not (prohibits(said.text) or Status.NEGATED in statuses_of(said.text, "")):
        return False
    drugs = drugs_meant(order.text)
    if drugs:
        return bool(drugs & drugs_meant(said.text))
    return not {*key_words(_FORMS["no_thing"].sub(" ", order.text))}.isdisjoint(key_words(said.text))


def _unanswered(board: Board, orders: Sequence[Claim]) -> Iterator[Claim]:
    """Yield from `orders`, the newest first, those since which nobody said more than orders and assent."""
    stated = [claim for claim in board.said if claim.kind is Kind.QUOTE]  # in JSON
    beside = [claim.source.first_seq for claim in (*stated, *board.cautions)]
    for said in board.replying.newest_first():
        order = next((each for each in orders if each.source.meets(said.source)), None)
        if order is None and _FORMS["assents"].fullmatch(said.full.strip()) is None:
            return
        if order is not None and any(seq > order.source.last_seq for seq in beside):
            return
        if order is not None:
            yield order
            if is_instead(order.text):
                return
