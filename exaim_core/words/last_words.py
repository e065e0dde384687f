"""Choose whose words end a discussion if no view can be stated from the board.

First what was said outright as the end (`claims/ruling.py`), by whoever closes or on behalf of all. Else the last
sentence about a condition whose words most other agents used too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, Force, Worth
from exaim_core.claims.cut_short import breaks_off
from exaim_core.claims.quotes import is_talk, worth_of
from exaim_core.claims.ruling import LEAVES_OPEN, MOST_WORDS, is_own, is_plain, names_one, points_before
from exaim_core.grounding.sight import verbatim
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.named import NAMELESS
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.names import is_moderator
from exaim_core.text.wording import key_words, word_count

LAST_TURNS: Final = 2
SHARED_TURNS: Final = 3  # last turns in which somebody may speak for all, as others may only take note
CHAIRED_TURNS: Final = 4  # last turns in which a closer may have its last word
LEAST_WORDS: Final = 4
LEAST_SHARED: Final = 2  # shared words, one of which may belong to the sentence's form
MOST_LAST: Final = 22  # with "Finished", "at the end" and the name of who said it, 12 s
_IN_A_ROW: Final = re.compile(r":.*[^\d:]:")  # a table or list of values, which needs its labels
Users = Mapping[str, set[str]]


def said_as_the_end(board: Board, least: Force = Force.LEFT) -> Claim | None:
    """Return the chair's stated ruling, else what was said outright as the end; None for neither.

    It is said by a closer, else by somebody for all, or last of all and not about oneself; with at least force `least`,
    and not put right since.
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
"""The kinds of a model's readings with which a discussion may end."""


def read_as_the_end(board: Board) -> Claim | None:
    """Return the sentence in the last turns that a model read as the end; None if it read none.

    A decision goes before an agreement, and that before an open question; among equals one that names a view goes
    first. It is told whole and in its own words, so only if the reading was affirmed in them (`Claim.whole`). Not
    returned is a sentence that refers to other words, that a later sentence of its turn denies, or that was put right
    since.
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
    """Return whether a text names a view that somebody holds."""
    words = set(key_words(text))
    return any(words & set(key_words(lead.claim.entity)) for lead in board.views.leads.values())


def said_last(board: Board) -> Claim | None:
    """Return the last sentence that uses mostly words of other agents too; None if none may be told.

    It is by a closer, in its last turn; else from the last two turns and not about oneself.
    """
    closers, since = _closers(board), board.floor.since(CHAIRED_TURNS)
    late = [claim for claim in board.said if claim.source.first_seq >= since and _is_fit(claim.text)]
    late = [claim for claim in late if board.floor.is_of_this_turn(claim) and not _is_beside(board, claim)]
    others = (
        claim
        for claim in late
        if board.floor.is_of_the_last(claim, LAST_TURNS) and not _is_personal(board, claim)
    )
    fit = [claim for claim in late if claim.agent_id in closers] or [*others]
    users = _users(board) if fit else {}

    def shared(claim: Claim) -> tuple[int, float]:
        stems = key_words(claim.text)
        weight = sum(len(users[each]) for each in stems) / max(1, len(stems)) ** 0.5
        return board.floor.begun(claim.agent_id), weight

    best = max(fit, key=shared, default=None)
    return None if best is None or _put_right(board, best) else best


def _is_beside(board: Board, claim: Claim) -> bool:
    """Return whether a sentence presents the case, or is the reason of a ban and no word of the end."""
    presents = board.floor.since(board.floor.turns) == board.floor.begun_with(claim) and board.floor.turns > 1
    bans = (ban for ban in board.cautions if ban.source.meets(claim.source))
    return presents or any(ban.text != claim.text and not prohibits(claim.text) for ban in bans)


def _users(board: Board) -> Users:
    """Return which agents used each word."""
    users: dict[str, set[str]] = defaultdict(set)
    for claim in board.said:
        for stem in key_words(claim.text):
            users[stem].add(claim.agent_id)
    return users


def _is_fit(text: str) -> bool:
    """Return whether a sentence may be the last word: whole, plain, on a condition, no row of values."""
    words = text.split()
    return (
        LEAST_WORDS <= word_count(text) <= MOST_LAST
        and 4 * sum(any(map(str.isdigit, word)) for word in words) <= len(words)
        and _IN_A_ROW.search(text) is None
        and is_plain(text)
        and hangs(text) is None
        and not is_talk(text)
        and not breaks_off(text)
    )


def _closers(board: Board) -> set[str]:
    """Return the chairs; if none is known, the agent that both opened the discussion and spoke last."""
    speakers = board.floor.speakers
    chairs = {agent for agent in speakers if is_moderator(agent)}
    if chairs or len(speakers) < 3:
        return chairs
    return {max(speakers, key=board.floor.begun)} & {speakers[0]}


def _is_of(claim: Claim, least: Force, closers: set[str]) -> bool:
    """Return whether a ruling has that force, or is a closer's that leaves the matter open."""
    force = claim.force
    return force >= least or (force is Force.LEFT and claim.agent_id in closers)


def _ends(board: Board, claim: Claim, closers: set[str]) -> bool:
    if not board.floor.is_of_this_turn(claim) and board.floor.turn_of(claim) == 1:
        return False  # an opening turn ends nothing
    if claim.agent_id in closers:
        return board.floor.is_of_the_last(claim, CHAIRED_TURNS)
    force, own = claim.force, is_own(claim)
    if force >= Force.OPEN or force is Force.LEFT:
        return board.floor.is_of_the_last(claim, 1 if own and force in LEAVES_OPEN else SHARED_TURNS)
    return board.floor.is_of_the_last(claim, LAST_TURNS) and not _is_personal(board, claim)


def _is_personal(board: Board, claim: Claim) -> bool:
    """Return whether a claim is about its speaker only, or ignores a view that somebody held lately."""
    words, leads = set(key_words(claim.text)), board.views.firm().items()
    others = (lead.again or lead.claim for agent, lead in leads if agent != claim.agent_id)
    late = (other for other in others if board.floor.is_of_the_last(other, CHAIRED_TURNS))
    return is_own(claim) or any(not words & set(key_words(other.entity)) for other in late)


def _weight(board: Board, claim: Claim) -> tuple[bool, int, int, int]:
    """Return a sort key for sentences as the end, best first: titled ones, then later ones, then force."""
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
    """Return whether a later sentence of its turn denies what `claim` is about, or points back to it."""
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
    """Return a last word that names what it is about, else joined with a neighbour that does; else None.

    A last word that leaves the matter open may stand without a name. An unknown condition counts as a name if others
    spoke of it.
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
