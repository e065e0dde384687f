"""Whose words end a discussion where no view may be stated.

First what was said outright as the end (`claims/ruling`), by whoever closes or for all. Else what was said last of
the things that the discussion was about: these are words that several agents used, whatever they are.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim
from exaim_core.claims.quotes import Worth, is_talk, worth_of
from exaim_core.claims.ruling import (
    MOST_WORDS,
    Force,
    force_of,
    is_of_before,
    is_own,
    named_in,
    names_one,
    sets_aside,
    supposes,
)
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.named import NAMELESS, labelled
from exaim_core.text.assertion import Status, clauses, statuses_of
from exaim_core.text.names import is_moderator
from exaim_core.text.wording import key_words, word_count

LAST_TURNS: Final = 2
SHARED_TURNS: Final = 3  # in which somebody may say what all hold: others only take note of it
CHAIRED_TURNS: Final = 4  # in which whoever chairs has its last word
LEAST_WORDS: Final = 4
LEAST_SHARED: Final = 2  # words, one of which may be of the form of the sentence
MOST_LAST: Final = 22  # with "Finished", "at the end" and the name of who said it, 12 s
_UNFIT: Final = frozenset(Status) - {Status.HEDGED, Status.CONDITIONAL}  # "pending", "until" are no condition
_UNTOLD: Final = _UNFIT - {Status.NEGATED, Status.PAST}


def said_as_the_end(board: Board, least: Force = Force.UNNAMED) -> Claim | None:
    """Return what the chair stated as its ruling, else what was said outright as the end, and not put right since.

    By whoever closes, else by somebody for all, or last of all and not of oneself; with `least` force.
    """
    stated = [claim for claim in board.quotes if claim.rules and board.floor.is_of_this_turn(claim)]
    if stated:
        return stated[-1]
    closers = _closers(board)
    said = [claim for claim in board.rulings if force_of(claim) >= least and _ends(board, claim, closers)]
    chaired = [claim for claim in said if claim.agent_id in closers and force_of(claim) >= Force.TITLED]
    users = _users(board.said, key_words)
    ruled = [each for each in chaired or said if not _put_right(board, each)]
    for last in sorted(ruled, key=lambda claim: _weight(board, claim), reverse=True):
        if (whole := _whole(board, last, users)) is not None:
            return whole
    return None


def said_last(board: Board) -> Claim | None:
    """Return what was said last of a condition, and most of what others spoke of; None if nothing can be told so.

    By whoever closes, in its last turn; else in the last two turns and not of oneself.
    """
    closers = _closers(board)
    late = [claim for claim in board.said if _is_fit(claim.text) and board.floor.is_of_this_turn(claim)]
    fit = [claim for claim in late if claim.agent_id in closers and _is_late(board, claim, CHAIRED_TURNS)]
    if not fit:
        fit = [claim for claim in late if _is_late(board, claim, LAST_TURNS) and not _is_ones(board, claim)]
    named, used = _users(board.said, named_in), _users(board.said, key_words)
    weights = {at: _shared(board, claim, named, used) for at, claim in enumerate(fit)}
    best = max(weights, key=lambda at: weights[at], default=None)
    return None if best is None or _put_right(board, fit[best]) else fit[best]


def _shared(
    board: Board, claim: Claim, named: Mapping[str, set[str]], used: Mapping[str, set[str]]
) -> tuple[int, int, float]:
    """Return how late a sentence's turn is, and how much of it others spoke of: its condition, then its words."""
    stems = key_words(claim.text)
    condition = max((len(named[word]) for word in named_in(labelled(claim.text)[1])), default=0)
    return (
        board.floor.begun(claim.agent_id),
        condition,
        sum(len(used[each]) for each in stems) / max(1, len(stems)) ** 0.5,
    )


def _users(said: Iterable[Claim], words_in: Callable[[str], Iterable[str]]) -> dict[str, set[str]]:
    """Return who used each word."""
    users: dict[str, set[str]] = defaultdict(set)
    for claim in said:
        for word in words_in(claim.text):
            users[word].add(claim.agent_id)
    return users


def _is_fit(text: str) -> bool:
    """Tell whether a sentence may be told as what was said last: whole, plain, of a condition and no row of values."""
    words, said = text.split(), labelled(text)[1]
    return (
        LEAST_WORDS <= word_count(text) <= MOST_LAST
        and 4 * sum(any(map(str.isdigit, word)) for word in words) <= len(words)
        and _IN_A_ROW.search(text) is None
        and any(not each.statuses & _UNFIT for each in clauses(said) if names_one(each.text))
        and not statuses_of(text, "") & _UNTOLD
        and not sets_aside(text)
        and not supposes(text)
        and hangs(text) is None
        and not is_talk(text)
    )


_IN_A_ROW: Final = re.compile(r":.*[^\d:]:")  # of a table or a list of values, whose sense its labels give


def _closers(board: Board) -> set[str]:
    """Return who chairs; where nobody is known to, who opened the discussion and has the last word of it."""
    speakers = board.floor.speakers
    chairs = {agent for agent in speakers if is_moderator(agent)}
    if chairs or len(speakers) < 3:
        return chairs
    return {max(speakers, key=board.floor.begun)} & {speakers[0]}


def _is_late(board: Board, claim: Claim, turns: int) -> bool:
    return board.floor.is_of_the_last(claim, turns)


def _ends(board: Board, claim: Claim, closers: set[str]) -> bool:
    if not board.floor.is_of_this_turn(claim) and board.floor.turn_of(claim) == 1:
        return False  # with what one opens nothing ends
    if claim.agent_id in closers:
        return _is_late(board, claim, CHAIRED_TURNS)
    if force_of(claim) is Force.SHARED or (force_of(claim) is Force.OPEN and not is_own(claim)):
        return _is_late(board, claim, SHARED_TURNS)
    if force_of(claim) is Force.OPEN:
        return _is_late(board, claim, 1)
    return _is_late(board, claim, LAST_TURNS) and not _is_ones(board, claim)


def _is_ones(board: Board, claim: Claim) -> bool:
    """Tell whether one speaks of itself, or somebody else holds a view that is not named."""
    words = set(key_words(claim.text))
    others = (
        lead.again or lead.claim for agent, lead in board.views.firm().items() if agent != claim.agent_id
    )
    late = (other for other in others if _is_late(board, other, CHAIRED_TURNS))
    return is_own(claim) or any(not words & set(key_words(other.entity)) for other in late)


def _weight(board: Board, claim: Claim) -> tuple[bool, int, Force, int]:
    """Return what speaks for a sentence as the end: that it says so, how late its turn is, then its words."""
    force = force_of(claim)
    return force >= Force.TITLED, board.floor.begun_with(claim), force, -claim.source.first_seq


def _put_right(board: Board, claim: Claim) -> bool:
    """Tell whether somebody has put right since what `claim` is about."""
    words = set(key_words(claim.text))
    later = (each for each in board.said if each.source.first_seq > claim.source.last_seq)
    right = (each for each in later if worth_of(each.text) is Worth.CORRECTION)
    return any(len(words & set(key_words(each.text))) > 1 for each in right)


def _whole(board: Board, last: Claim, users: Mapping[str, set[str]]) -> Claim | None:
    """Return a last word that names what it is about, else with the sentence beside it that does; None if none does.

    What is left open may be told without that. No known condition is a name too, if others spoke of it.
    """
    force, alone = force_of(last), hangs(last.text) in (None, NAMELESS)
    known = sum(len(users[stem]) > 1 for stem in key_words(last.text)) >= LEAST_SHARED
    own_name = names_one(last.text) or (force is Force.UNNAMED and known)
    if own_name and not is_of_before(last.text):
        return last
    own = [
        each for each in board.said if each.agent_id == last.agent_id and not each.source.meets(last.source)
    ]
    after = next((each for each in own if each.source.first_seq >= last.source.last_seq), None)
    before = next((each for each in reversed(own) if each.source.last_seq <= last.source.first_seq), None)
    for one, two in ((last, after), (before, last)) if alone and force is Force.OPEN else ((before, last),):
        if one is None or two is None or not names_one(f"{one.text}; {two.text}"):
            continue
        text = f"{one.text.rstrip(' .')}. {two.text}"
        if board.floor.begun_with(one) == board.floor.begun_with(two) and word_count(text) <= MOST_WORDS:
            return replace(last, text=text, source=one.source.to(two.source))
    return last if own_name or (force is Force.OPEN and board.floor.is_of_this_turn(last)) else None
