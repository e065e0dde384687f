"""Whose words end a discussion where no view may be stated.

First what was said outright as the end (`claims/ruling`), by whoever closes or for all. Else what was said last of a
condition, in the words that most others used too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, Force, Worth
from exaim_core.claims.quotes import is_talk, worth_of
from exaim_core.claims.ruling import LEAVES_OPEN, MOST_WORDS, is_own, is_plain, names_one, points_before
from exaim_core.grounding.sight import verbatim
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.named import NAMELESS
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.names import is_moderator
from exaim_core.text.wording import key_words, word_count

LAST_TURNS: Final = 2
SHARED_TURNS: Final = 3  # in which somebody may say what all hold: others only take note of it
CHAIRED_TURNS: Final = 4  # in which whoever closes has its last word
LEAST_WORDS: Final = 4
LEAST_SHARED: Final = 2  # words, one of which may be of the form of the sentence
MOST_LAST: Final = 22  # with "Finished", "at the end" and the name of who said it, 12 s
_IN_A_ROW: Final = re.compile(r":.*[^\d:]:")  # of a table or a list of values, whose sense its labels give
Users = Mapping[str, set[str]]


def said_as_the_end(board: Board, least: Force = Force.LEFT) -> Claim | None:
    """Return what the chair stated as its ruling, else what was said outright as the end, and not put right since.

    By whoever closes, else by somebody for all, or last of all and not of oneself; with `least` force.
    """
    stated = [claim for claim in board.quotes if claim.rules and board.floor.is_of_this_turn(claim)]
    if stated:
        return stated[-1]
    closers, users = _closers(board), _users(board)
    said = [
        claim for claim in board.rulings if _is_of(claim, least, closers) and _ends(board, claim, closers)
    ]
    said = [each for each in said if each.agent_id in closers and each.force >= Force.TITLED] or said
    said = [claim for claim in said if not _put_right(board, claim)]
    whole = (_whole(board, last, users) for last in sorted(said, key=lambda claim: _weight(board, claim)))
    return next((claim for claim in whole if claim is not None), None)


_ENDS: Final = frozenset({"decision", "agreement", "open_question"})
"""Kinds of what a model reads with which a discussion may end."""


def read_as_the_end(board: Board) -> Claim | None:
    """Return what a model read as the end of the discussion, in the last turns; None if it read none.

    What was decided goes before what somebody agrees with, and that before what is left open; of these what names a
    view goes first. It is told in its own words, whole, so only what was affirmed in them (`Claim.whole`). Nothing that
    hangs on other words, that a later sentence of the turn denies, or that was put right since.
    """
    fit = [
        claim
        for claim in board.quotes
        if claim.read_as in _ENDS
        and claim.whole
        and board.floor.is_of_the_last(claim, LAST_TURNS)
        and board.floor.is_of_this_turn(claim)
        and word_count(claim.text) <= MOST_LAST
        and hangs(claim.text) is None
        and (claim.read_as == "decision" or _is_of_a_view(board, claim.text))
        and not _put_right(board, claim)
        and not _denied_since(board, claim)
    ]

    def rank(claim: Claim) -> tuple[Worth, bool, bool, int]:
        return (
            claim.worth,
            names_one(claim.text),
            _is_of_a_view(board, claim.text),
            claim.source.first_seq,
        )

    return max(fit, key=rank, default=None)


def _is_of_a_view(board: Board, text: str) -> bool:
    """Return whether a text names what somebody holds."""
    words = set(key_words(text))
    return any(words & set(key_words(lead.claim.entity)) for lead in board.views.leads.values())


def said_last(board: Board) -> Claim | None:
    """Return what was said last, most of it of what others spoke of; None if nothing can be told so.

    By whoever closes, in its last turn; else in the last two turns and not of oneself.
    """
    closers, since = _closers(board), board.floor.since(CHAIRED_TURNS)
    late = [claim for claim in board.said if claim.source.first_seq >= since and _is_fit(claim.text)]
    late = [claim for claim in late if board.floor.is_of_this_turn(claim)]
    others = (
        claim
        for claim in late
        if board.floor.is_of_the_last(claim, LAST_TURNS) and not _is_ones(board, claim)
    )
    fit = [claim for claim in late if claim.agent_id in closers] or [*others]
    users = _users(board) if fit else {}

    def shared(claim: Claim) -> tuple[int, float]:
        stems = key_words(claim.text)
        weight = sum(len(users[each]) for each in stems) / max(1, len(stems)) ** 0.5
        return board.floor.begun(claim.agent_id), weight

    best = max(fit, key=shared, default=None)
    return None if best is None or _put_right(board, best) else best


def _users(board: Board) -> Users:
    """Return who used each word."""
    users: dict[str, set[str]] = defaultdict(set)
    for claim in board.said:
        for stem in key_words(claim.text):
            users[stem].add(claim.agent_id)
    return users


def _is_fit(text: str) -> bool:
    """Tell whether a sentence may be told as what was said last: whole, plain, of a condition and no row of values."""
    words = text.split()
    return (
        LEAST_WORDS <= word_count(text) <= MOST_LAST
        and 4 * sum(any(map(str.isdigit, word)) for word in words) <= len(words)
        and _IN_A_ROW.search(text) is None
        and is_plain(text)
        and hangs(text) is None
        and not is_talk(text)
    )


def _closers(board: Board) -> set[str]:
    """Return who chairs; where nobody is known to, who opened the discussion and has the last word of it."""
    speakers = board.floor.speakers
    chairs = {agent for agent in speakers if is_moderator(agent)}
    if chairs or len(speakers) < 3:
        return chairs
    return {max(speakers, key=board.floor.begun)} & {speakers[0]}


def _is_of(claim: Claim, least: Force, closers: set[str]) -> bool:
    """Return whether a ruling has at least that force; what whoever closes leaves open always has."""
    force = claim.force
    return force >= least or (force is Force.LEFT and claim.agent_id in closers)


def _ends(board: Board, claim: Claim, closers: set[str]) -> bool:
    if not board.floor.is_of_this_turn(claim) and board.floor.turn_of(claim) == 1:
        return False  # with what one opens nothing ends
    if claim.agent_id in closers:
        return board.floor.is_of_the_last(claim, CHAIRED_TURNS)
    force, own = claim.force, is_own(claim)
    if force >= Force.OPEN or force is Force.LEFT:
        return board.floor.is_of_the_last(claim, 1 if own and force in LEAVES_OPEN else SHARED_TURNS)
    return board.floor.is_of_the_last(claim, LAST_TURNS) and not _is_ones(board, claim)


def _is_ones(board: Board, claim: Claim) -> bool:
    """Return whether one speaks of itself, or somebody else holds a view of late that is not named."""
    words, leads = set(key_words(claim.text)), board.views.firm().items()
    others = (lead.again or lead.claim for agent, lead in leads if agent != claim.agent_id)
    late = (other for other in others if board.floor.is_of_the_last(other, CHAIRED_TURNS))
    return is_own(claim) or any(not words & set(key_words(other.entity)) for other in late)


def _weight(board: Board, claim: Claim) -> tuple[bool, int, int, int]:
    """Return what speaks for a sentence as the end, the least first: that it says so, how late, its words."""
    force = claim.force
    return force < Force.TITLED, -board.floor.begun_with(claim), -force, claim.source.first_seq


def _put_right(board: Board, claim: Claim) -> bool:
    """Return whether somebody has put right since what `claim` is about."""
    words = set(key_words(claim.text))
    later = (each for each in board.said if each.source.first_seq > claim.source.last_seq)
    right = (each for each in later if worth_of(each.text) is Worth.CORRECTION)
    return any(len(words & set(key_words(each.text))) > 1 for each in right)


_POINTS: Final = frozenset({"it", "that", "this", "these", "those", "they", "them", "so"})


def _denied_since(board: Board, claim: Claim) -> bool:
    """Tell whether a later sentence of its turn denies something of what `claim` is about, or of what it points to."""
    words = set(key_words(claim.text))
    later = (
        each.text
        for each in board.said
        if each.agent_id == claim.agent_id
        and each.source.first_seq >= claim.source.last_seq
        and not verbatim(each.text, claim.text)
    )
    return any(
        Status.NEGATED in statuses_of(text, "")
        and (words & set(key_words(text)) or _POINTS & set(re.findall(r"\w+", text.lower())))
        for text in later
    )


def _whole(board: Board, last: Claim, users: Users) -> Claim | None:
    """Return a last word that names what it is about, else with the sentence beside it that does; None if none does.

    What is left open may be told without that. No known condition is a name too, if others spoke of it.
    """
    is_open, alone = last.force in LEAVES_OPEN, hangs(last.text) in (None, NAMELESS)
    known = sum(len(users[stem]) > 1 for stem in key_words(last.text)) >= LEAST_SHARED
    names_it = names_one(last.text) or (last.force is Force.UNNAMED and known)
    if names_it and not points_before(last.text):
        return last
    own = [
        each for each in board.said if each.agent_id == last.agent_id and not each.source.meets(last.source)
    ]
    after = [each for each in own if each.source.first_seq >= last.source.last_seq][:1]
    before = [each for each in own if each.source.last_seq <= last.source.first_seq][-1:]
    for one, two in (
        *((last, each) for each in after if alone and is_open),
        *((each, last) for each in before),
    ):
        text = f"{one.text.rstrip(' .')}. {two.text}"
        beside = board.floor.begun_with(one) == board.floor.begun_with(two)
        if beside and names_one(text) and word_count(text) <= MOST_WORDS:
            return replace(last, text=text, source=one.source.to(two.source))
    return last if names_it or (is_open and board.floor.is_of_this_turn(last)) else None
