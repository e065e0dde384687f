"""Word the closing, which is always spoken: the leading view, who holds it, first steps, open ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.changes import Vote
from exaim_core.claims.claims import Claim, Force, Part, Stance
from exaim_core.lexicon.brevity import CLOSING_WORDS, first_fit
from exaim_core.lexicon.terms import is_generic
from exaim_core.schema import SpokenKind
from exaim_core.text.names import Names, inner, is_moderator
from exaim_core.text.wording import lower_first, series, upper_first, word_count
from exaim_core.words import view_sentences as views
from exaim_core.words.last_words import CHAIRED_TURNS, read_as_the_end, said_as_the_end, said_last
from exaim_core.words.templates import Wording

UNREAD: Final = "What was decided could not be read: it is on the page"
"""Told if no view was found. It says that none was found, and never that none was stated."""
NO_VIEW: Final = "No leading view stands"
_END_MARK: Final = re.compile(r"\A(?:FINISH(?:ED)?|TERMINATE):\s*")
"""What a framework's supervisor puts before its last message."""


def closing_wording(board: Board, names: Names) -> Wording:
    """Return the closing; there always is one, of at most `CLOSING_WORDS` words.

    It is told from the board if that is how the discussion ended, else as a quotation, else openly as unread.
    """
    vote = board.views.vote()
    plan, told = _stated_plan(board), _is_told(board, vote)
    one_voice = told and not vote.unanimous and _is_of_one(board, vote)
    if plan is None and (one_voice or not told):
        end = said_as_the_end(board, Force.TITLED if one_voice else Force.LEFT)
        if (quoted := _quotation(end, "{words}, says {who}", names)) is not None:
            return quoted
    view, holders = _view(board, vote, names) if told else _held_to_the_end(board, vote, names)
    if plan is not None:
        said = _decision(plan, names)
        holders = (*holders, plan.agent_id)
        view = said if view in (UNREAD, NO_VIEW) else f"{view}; {lower_first(said)}"
    if view in (UNREAD, NO_VIEW) and (read := _as_read(board, names)) is not None:
        return read
    if view == UNREAD and (open_views := _left_open(board)) is not None:
        view, holders = open_views
    if view == UNREAD and (decided := _decided_last(board)) is not None:
        view, holders = _decision(decided, names), (decided.agent_id,)
    if view == UNREAD:
        last = said_last(board)
        if (quoted := _quotation(last, _form(board, last), names)) is not None:
            return quoted
    steps = [claim for claim in _steps(board) if board.floor.is_of_this_turn(claim)]
    text = first_fit(_texts(view, steps, first=board.first is not None), CLOSING_WORDS)
    claims = tuple(lead.claim for lead in board.views.leads.values()) + tuple(steps)
    if board.views.ruling is not None:
        claims += (board.views.ruling,)
    claims += tuple(board.concluded.values())
    return Wording(
        kind=SpokenKind.CLOSING,
        text=text or f"Finished. {UNREAD}.",
        claims=claims,
        brief=first_fit(iter((f"Finished. {view}.",)), 12),
        urgency="important",
        agents=holders,
        vote=vote if told and vote.voters else None,
    )


def _is_of_one(board: Board, vote: Vote) -> bool:
    """Return whether only one agent's view would be told, with no ruling or conclusion of anybody."""
    ruled = board.views.ruling or board.views.settled or board.concluded.get(Part.VIEW)
    return ruled is None and len(vote.holders) < 2


def _quotation(quote: Claim | None, form: str, names: Names) -> Wording | None:
    """Return somebody's words with their name, if there is room; not told as everybody's decision."""
    if quote is None:
        return None
    who = inner(names(quote.agent_id)).partition(",")[0]  # without a department
    words = _END_MARK.sub("", quote.text.rstrip("."))
    text = f"Finished. {form.format(words=upper_first(words), who=who)}."
    if word_count(text) > CLOSING_WORDS:
        return None
    return Wording(
        kind=SpokenKind.CLOSING,
        text=text,
        claims=(quote,),
        urgency="important",
        agents=(quote.agent_id,),
    )


def _as_read(board: Board, names: Names) -> Wording | None:
    """Return the whole sentence that a model read as the end, as it was said; None if it read none.

    That all decided so is only the model's reading, and is not told.
    """
    end = read_as_the_end(board)
    said = None if end is None else replace(end, entity="", read=False)
    return _quotation(said, _form(board, said), names)


def _form(board: Board, quote: Claim | None) -> str:
    """Return the form of a quotation: "At the end … said" only if nobody has spoken since."""
    last = quote is not None and board.floor.is_of_the_last(quote, 1)
    return "At the end {who} said: {words}" if last else "{words}, says {who}"


def _left_open(board: Board) -> tuple[str, tuple[str, ...]] | None:
    """Return the closing for two opposed views, one read by a model, each its holder's newest; else None.

    A doubt in either does not matter here: all that is told is that it is open.
    """
    leads = board.views.leads
    views = list[Claim]()
    for lead in leads.values():
        held = lead.again or lead.claim
        if held.stance is not Stance.PROPOSES or not board.floor.is_of_this_turn(held):
            return None
        if not any(board.glossary.same(held.entity, other.entity) for other in views):
            views.append(held)
    if len(views) != 2 or not any(view.read for view in views):
        return None
    if _chaired_since(board, max(view.source.first_seq for view in views)):
        return None
    return f"Still open between {views[0].entity} and {views[1].entity}", tuple(leads)


def _is_told(board: Board, vote: Vote) -> bool:
    """Return whether the end may be told from the board: as the chair concluded it, or as all hold it.

    Each view that is counted has to be its holder's newest, stated in its last turn.
    """
    settled = board.views.settled
    for said in (settled, board.concluded.get(Part.VIEW)):
        if said is not None and board.floor.is_of_this_turn(said):
            return True
    ruling = board.views.ruling
    if ruling is not None and board.floor.is_of_this_turn(ruling) and not _has_newer_view(board, ruling):
        return True
    views = [lead.again or lead.claim for lead in board.views.firm().values()]
    if not views or not vote.current or any(each.tentative for each in views):
        return False
    if len(views) == 1 and not board.floor.is_of_the_last(views[0], 1):
        return False  # one voice of many, and others have spoken since
    return vote.unanimous or not _chaired_since(board, max(claim.source.first_seq for claim in views))


def _held_to_the_end(board: Board, vote: Vote, names: Names) -> tuple[str, tuple[str, ...]]:
    """Return the one view that several hold and who stated it in their last turn; else `UNREAD`.

    Others held it too when they last stated a view, so no count is told.
    """
    firm = board.views.firm()
    views = {agent: lead.again or lead.claim for agent, lead in firm.items()}
    last = tuple(agent for agent, claim in views.items() if board.floor.is_of_this_turn(claim))
    newest = max((claim.source.first_seq for claim in views.values()), default=0)
    alike = set(vote.holders) == set(views) and not any(claim.tentative for claim in views.values())
    if not alike or len(views) < 2 or not last or _chaired_since(board, newest):
        return UNREAD, ()
    return f"{upper_first(vote.entity)}, from {series([inner(names(agent)) for agent in last[:3]])}", last


def _chaired_since(board: Board, seq: int) -> bool:
    """Return whether a chair has begun a turn after delta `seq`, so that the last word is the chair's."""
    return any(board.floor.begun(agent) > seq for agent in board.floor.speakers if is_moderator(agent))


def _view(board: Board, vote: Vote, names: Names) -> tuple[str, tuple[str, ...]]:
    """Return the leading view with its holders as words, and the agents that these words name."""
    ruling = board.views.ruling
    settled_by = board.views.settled
    if settled_by is not None and not vote.unanimous and not _has_newer_view(board, settled_by):
        # the moderator says that all agree, which the board's count does not show: no count is told
        view = board.glossary.full_name(settled_by.entity)
        said = f"{upper_first(view)}, settled, says {inner(names(settled_by.agent_id))}"
        return said, (settled_by.agent_id,)
    concluded = board.concluded.get(Part.VIEW)
    if concluded is not None and not _counted(board, vote, concluded):
        who = inner(names(concluded.agent_id))
        return f"{upper_first(concluded.entity)}, {_said_as(concluded)} {who}", (concluded.agent_id,)
    if not vote.holders:
        if ruling is None:
            return (NO_VIEW if board.views.leads else UNREAD), ()
        return f"{upper_first(ruling.entity)}, by {inner(names(ruling.agent_id))}", (ruling.agent_id,)
    if ruling is not None and not _has_newer_view(board, ruling) and _outvoted(board, vote, ruling):
        return f"{upper_first(ruling.entity)}, by {inner(names(ruling.agent_id))}", (ruling.agent_id,)
    entity = upper_first(vote.entity)
    if vote.unanimous:
        return f"{entity}, all agree" if len(vote.voters) > 2 else f"{entity}, both agree", vote.voters
    against = [agent for agent in board.views.firm() if agent not in vote.holders]
    held = f"{entity}, from {series([inner(names(agent)) for agent in vote.holders[:3]])}"
    if against:
        other = board.views.leads[against[0]].claim.entity
        if vote.current and len(vote.holders) == len(against) == 1:
            return f"Still open between {vote.entity} and {other}", vote.voters
        return f"{held}; {other}, from {inner(names(against[0]))}", vote.voters
    return held, vote.holders


def _stated_plan(board: Board) -> Claim | None:
    """Return what the chair stated as its decision, if that is something to do and no view."""
    plan = board.concluded.get(Part.PLAN)
    return plan if plan is not None and plan.stated else None


def _decided_last(board: Board) -> Claim | None:
    """Return the newest plan that was decided, if it is of one of the last turns and its agent's last."""
    plan = board.concluded.get(Part.PLAN)
    late = plan is not None and board.floor.is_of_the_last(plan, CHAIRED_TURNS)
    return plan if plan is not None and late and board.floor.is_of_this_turn(plan) else None


def _decision(plan: Claim, names: Names) -> str:
    return f"{upper_first(plan.entity)}, {_said_as(plan)} {inner(names(plan.agent_id))}"


def _said_as(concluded: Claim) -> str:
    """Return what a conclusion is called: a consensus or a decision."""
    return "the consensus by" if views.is_agreed(concluded) else "the decision by"


def _counted(board: Board, vote: Vote, concluded: Claim) -> bool:
    """Return whether the doctors' count says as much as the moderator's conclusion, or is newer.

    It says more if some hold what was decided and others don't: the others are named. If the chair stated its decision
    beside its words, that is told, whatever the doctors hold.
    """
    same = bool(vote.holders) and board.glossary.same(vote.entity, concluded.entity)
    if concluded.stated and not same:
        return False
    most = 2 * len(vote.holders) > len(vote.voters) > 1
    more = same and most and vote.current and not views.is_agreed(concluded)
    return _has_newer_view(board, concluded) or (vote.unanimous and len(vote.voters) > 1) or more


def _outvoted(board: Board, vote: Vote, ruling: Claim) -> bool:
    """Return whether at least half of the doctors hold another view, so that no count supports `ruling`."""
    leads = board.views.firm()
    for_it = {agent for agent, lead in leads.items() if board.glossary.same(lead.claim.entity, ruling.entity)}
    for_it |= set(vote.holders) if for_it & set(vote.holders) else set()
    return len(for_it) < len(leads) and 2 * len(for_it) <= len(leads)


def _has_newer_view(board: Board, ruling: Claim) -> bool:
    """Return whether a doctor took up its view after `ruling`."""
    return any(lead.claim.source.at_s > ruling.source.at_s for lead in board.views.leads.values())


def _steps(board: Board) -> list[Claim]:
    """Return up to two first steps: what was ruled, doses for a critical finding, else agreed tests.

    Tests asked for before a critical finding, a confirmed diagnosis or a withdrawn treatment no longer count as first.
    """
    if steps := board.first_steps():
        return steps
    turning = [*board.criticals.values(), *board.confirmed, *board.orders.revoked]
    since = max((claim.source.first_seq for claim in turning), default=-1)
    tests = board.lists.agreed_tests or tuple(board.lists.tests)
    tests = tuple(claim for claim in tests if claim.source.first_seq > since)
    tests = tuple(each for each in tests if board.floor.is_of_the_last(each, len(board.floor.speakers)))
    return [claim for claim in tests if not is_generic(claim.entity) and claim.condition is None][:2]


def _texts(view: str, steps: list[Claim], *, first: bool) -> Iterator[str]:
    parts = [lower_first(claim.entity) for claim in steps]
    opening = "first" if first else "wanted:"  # "first" only if somebody said so
    if len(parts) > 1 and not first:
        yield f"Finished. {view}; {opening} {parts[0]} and {parts[1]}."
    if parts:
        yield f"Finished. {view}; {opening} {parts[0]}."
    yield f"Finished. {view}."
