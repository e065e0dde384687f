"""Withdraw a turn that broke off: claims that rest on it alone leave the board, as if never made.

What it took off is put back (`effects.py`). An alarm that an update has called off since is told again, and so is an
alarm or a ban that another agent has given too. An order that it took off stays off, and a spoken count of open points
is not retracted: less is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from exaim_core.board.board import Board
from exaim_core.board.changes import Change
from exaim_core.board.effects import Effects
from exaim_core.board.leading import LeadingViews
from exaim_core.claims.claims import Claim

Gone = Callable[[Claim], bool]


def withdraw(board: Board, agent_id: str, effects: Effects) -> tuple[Claim, ...]:
    """Take off what rests on the agent's newest turn alone; return the claims of it that were told."""
    since = board.floor.begun_whole(agent_id)

    def gone(claim: Claim) -> bool:
        return claim.agent_id == agent_id and claim.source.first_seq >= since

    waiting = [claim for change in board.changes.ripe for claim in change.claims]
    told = tuple(
        claim for claim in board.changes.lately if gone(claim) and not any(claim is each for each in waiting)
    )
    again, echoes = effects.undo(agent_id), board.echoes(gone)
    _claims(board, gone)
    _views(board.views, gone)
    _told(board, gone)
    board.following.withdraw(agent_id, since)
    board.overturning.withdraw(agent_id, since)
    board.replying.withdraw(agent_id, since)
    board.floor.withdraw(agent_id)
    board.numbers.unsay(agent_id, since)
    board.apply(echoes)
    board.following.tell_standing(board.criticals.values())
    board.alarm_again(again)
    return told


def _claims(board: Board, gone: Gone) -> None:
    for kept in (
        *(board.cautions, board.findings, board.confirmed, board.open_now),
        *(board.remarks, board.said, board.quotes, board.rulings, board.righted),
        *(board.orders.standing, board.orders.revoked, board.orders.bans),
        *(board.lists.others, board.lists.tests, board.lists.doubted),
    ):
        kept[:] = _left(kept, gone)
    board.lists.withdraw(gone)
    board.concluded = {what: claim for what, claim in board.concluded.items() if not gone(claim)}
    board.first = None if board.first is not None and gone(board.first) else board.first
    board.withdraw(gone)


def _views(views: LeadingViews, gone: Gone) -> None:
    """Drop views of the turn, and grounds of it; the views before it were put back."""
    for agent in [agent for agent, lead in views.leads.items() if gone(lead.claim)]:
        del views.leads[agent]
    for agent, withdrawal in views.withdrawn.items():
        views.withdrawn[agent] = replace(withdrawal, grounds=tuple(_left(withdrawal.grounds, gone)))
    views.ruling = None if views.ruling is not None and gone(views.ruling) else views.ruling
    views.settled = None if views.settled is not None and gone(views.settled) else views.settled


def _told(board: Board, gone: Gone) -> None:
    changes = board.changes
    changes.ripe = [change for change in changes.ripe if not _all_gone(change, gone)]
    changes.beside = [change for change in changes.beside if not _all_gone(change, gone)]
    for claim in [claim for claim in changes.lately if gone(claim)]:
        changes.lately.remove(claim)
        changes.announced.discard((claim.kind, claim.source))


def _all_gone(change: Change, gone: Gone) -> bool:
    return all(gone(claim) for claim in change.claims)


def _left(claims: Iterable[Claim], gone: Gone) -> list[Claim]:
    return [claim for claim in claims if not gone(claim)]
