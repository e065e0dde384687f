"""Take off what is put right: an amount that was ordered, values and sentences that are not so or not the patient's."""

from __future__ import annotations

from collections.abc import Sequence

from exaim_core.board.board import Board
from exaim_core.board.numbers import Number, numbers_in
from exaim_core.board.orders import KEPT
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.measured import values_named
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.text.places import Source


def put_right(
    board: Board, order: Claim, wrong: frozenset[Number], again: Claim, named: frozenset[str]
) -> None:
    """Take off an amount that `again` puts right, and its repetitions in lists and waiting changes.

    `named`: the drug given in that amount; an order of another drug beside it stays.
    What was already told of it goes to `fallen`, so that it is taken back.
    """
    drugs = drugs_named(order.text)

    def gone(old: Claim) -> bool:
        if old.kind is Kind.CRITICAL or old.source.meets(again.source) or not numbers_in(old.text) & wrong:
            return False
        earlier = old.source.first_seq < again.source.first_seq
        return old.source.meets(order.source) or (earlier and bool(drugs & drugs_named(old.text)))

    for kept in (board.findings, board.quotes, board.quoted, board.remarks, board.righted, board.rulings):
        kept[:] = [old for old in kept if not gone(old)]

    def stays(old: Claim) -> bool:
        return bool(named) and bool(drugs_named(old.text) - named)  # it orders another drug as well

    off = [old for old in board.orders.standing if gone(old) and not stays(old)]
    board.orders.standing = [old for old in board.orders.standing if old not in off]
    board.orders.revoked = [*board.orders.revoked, *(off or ([] if stays(order) else [order]))][-KEPT:]
    board.changes.drop(gone)
    board.righted = [*board.righted, again][-KEPT:]
    board.fallen += [(old.source, wrong) for old in (order, *off) if not stays(old)]


def disown(board: Board, values: Sequence[tuple[str, str]], source: Source) -> None:
    """Take off values (name and number) that the sentence at `source` says are not the patient's."""

    def gone(old: Claim) -> bool:
        if old.source.meets(source) or old.source.first_seq > source.first_seq:
            return False
        return not set(values).isdisjoint(values_named(old.text))

    for name, number in values:
        board.alarms.fall(name, number, source)
        board.fallen_values.append((name, number, source))
    for kept in (board.findings, board.quotes, board.quoted, board.remarks, board.rulings):
        kept[:] = [old for old in kept if not gone(old)]
    board.changes.drop(gone)


def give_away(board: Board, away: Source, source: Source) -> None:
    """Take off what rests on the sentence at `away` alone, which its speaker gives to somebody else at `source`.

    What waits to be told of it stays: it is told with the words that take it back.
    """

    def gone(old: Claim) -> bool:
        return old.source.meets(away) and not old.source.meets(source)

    board.alarms.give_away(gone)
    for kept in (board.findings, board.quotes, board.remarks, board.rulings, board.said, board.confirmed):
        kept[:] = [old for old in kept if not gone(old)]
    board.cautions = [old for old in board.cautions if not gone(old)]
    board.orders.bans = [old for old in board.orders.bans if not gone(old)]


def is_called_at(board: Board, away: Source) -> bool:
    """Return whether a finding or a view, and no alarm, rests on the sentence at `away`."""
    alarmed = any(old.source.meets(away) for old in (*board.criticals.values(), *board.cautions))
    leads = [lead.claim for lead in board.views.leads.values()]
    return not alarmed and any(old.source.meets(away) for old in (*board.findings, *leads))


def take_back(board: Board, away: Source, source: Source) -> None:
    """Take off the findings and the view of the sentence at `away`, which its speaker takes back at `source`."""

    def gone(old: Claim) -> bool:
        called = old.kind in (Kind.FINDING, Kind.LEADING)
        return called and old.source.meets(away) and not old.source.meets(source)

    board.findings[:] = [old for old in board.findings if not gone(old)]
    for agent, lead in [*board.views.leads.items()]:
        if gone(lead.claim):
            del board.views.leads[agent]
    board.changes.drop(gone)
