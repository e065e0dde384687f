"""Enter an answered segment on the board: the model's claims that pass, else the rules' reading.

What the rules tell at once was told before any model was asked. Of the rest of an answered segment only
the model's claims are stated; a sentence without one may still be quoted. Without an answer, or with
an empty one, the rules' own reading is entered as if no model had been asked.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import replace
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, Kind, ListEnd, Mark, Worth
from exaim_core.lexicon.prohibitions import prohibits, tells_allergy
from exaim_core.readings.checking import Checked, RefusedClaim, check, home_of
from exaim_core.readings.entering import contradicts, overrules, spoken, told_already, typed
from exaim_core.readings.pending import EMPTY, ReadUnit, ReleasedSegment
from exaim_core.readings.port import ReaderReply, ReadingRequest, ReadKind
from exaim_core.readings.quoting import quotation
from exaim_core.text.units import Sentence

log = logging.getLogger(__name__)

MOST_CLAIMS: Final = 24  # claims of one answer, on a hundred words, that are looked at: the first ones
DIFFERS: Final = "rules and model differ"
TOLD: Final = "told by rule"


def settle(segment: ReleasedSegment, board: Board, refused: Counter[str]) -> str:
    """Enter a segment; return why the model did not read it, "" if it did or none was asked."""
    if segment.withdrawn:
        return ""
    answer, request = _answer(segment), segment.call.request if segment.call is not None else None
    if answer.failure or request is None:
        _by_rules(segment, board)
        return answer.failure
    found, of_it = list[Checked](), False
    first = min((each.number for each in request.sentences if each.new), default=0) in segment.numbers
    refused["malformed"] += answer.malformed if first else 0
    for claim in answer.claims[:MOST_CLAIMS]:
        home = home_of(claim, request)
        if home not in segment.numbers and (home or not first):
            continue  # of another segment; a claim that rests on no new sentence counts with the first
        of_it = True
        checked, unsaid = check(claim, request)
        if unsaid:
            refused[unsaid] += 1
        if not isinstance(checked, RefusedClaim):
            found.append(checked)
    refused += Counter()  # drops zero counts
    if not found and (of_it or _is_alone(segment, request)):
        _by_rules(segment, board)
        return EMPTY
    _by_model(segment, found, board, refused)
    return ""


def _is_alone(segment: ReleasedSegment, request: ReadingRequest) -> bool:
    """Return whether only this segment was to be read: of several, a model may well skip one."""
    return all(each.number in segment.numbers for each in request.sentences if each.new)


def _answer(segment: ReleasedSegment) -> ReaderReply:
    if segment.call is None or segment.call.answer is None:
        return ReaderReply(failure=segment.failure)
    if segment.call.answer.cancelled():
        return ReaderReply(failure="cancelled")
    error = segment.call.answer.exception()
    if error is not None:  # not our code: its errors must harm nothing else
        log.warning("a reader raised %s", type(error).__name__)
        return ReaderReply(failure="unavailable")
    answered = segment.call.answer.result()
    asked = segment.call.request is not None
    return answered if answered.claims or answered.failure or not asked else ReaderReply(failure=EMPTY)


def _by_rules(segment: ReleasedSegment, board: Board) -> None:
    for read in segment.reads:
        board.apply(read.held)
        if read.quote is not None:
            board.quote(read.quote)
    board.apply(segment.after)


def _by_model(segment: ReleasedSegment, found: list[Checked], board: Board, refused: Counter[str]) -> None:
    by_unit = {id(read.unit): read for read in segment.reads}
    cited = {id(each.unit) for claim in found for each in claim.own}
    waiting = sorted(found, key=lambda claim: max(each.number for each in claim.cited))
    for read in segment.reads:
        here = [claim for claim in waiting if claim.cited and _last(claim, by_unit) is read]
        for claim in here:
            _enter(
                claim,
                [by_unit[id(each.unit)] for each in claim.own if id(each.unit) in by_unit],
                board,
                refused,
            )
        board.apply(_kept(read))
        if id(read.unit) not in cited and (quote := read.quote or _as_quoted(read)) is not None:
            board.quote(quote)
    board.apply(each for each in segment.after if isinstance(each, ListEnd))


def _as_quoted(read: ReadUnit) -> Claim | None:
    """Return what prose reports or holds as the quotation that it is; None if the rules found no such thing in it."""
    claims = (each for each in read.held if isinstance(each, Claim) and each.kind is Kind.FINDING)
    written = next((each for each in claims if each.worth in _WRITTEN), None)
    return replace(written, kind=Kind.QUOTE) if written is not None else None


_WRITTEN: Final = frozenset({Worth.RESULT, Worth.VIEW})


def _last(claim: Checked, by_unit: dict[int, ReadUnit]) -> ReadUnit | None:
    """Return the last unit of this segment that a claim cites, with which the claim is entered."""
    newest = [by_unit[id(each.unit)] for each in claim.cited if id(each.unit) in by_unit]
    return newest[-1] if newest else None


def _kept(read: ReadUnit) -> list[Claim | ListEnd]:
    """Return the rules' claims that are entered in any case: ends of lists, and what no model was shown.

    A model is shown sentences, and not JSON values under a key that the rules know.
    """
    if not isinstance(read.unit, Sentence):
        return [*read.held]
    return [each for each in read.held if isinstance(each, ListEnd)]


_KEEPS_FROM_HARM: Final = frozenset({ReadKind.PROHIBITION, ReadKind.EMERGENCY, ReadKind.CORRECTION})
"""Kinds that are told even if their thing is not named: a listener can look at the page."""


def _enter(claim: Checked, reads: list[ReadUnit], board: Board, refused: Counter[str]) -> None:
    rules = [each for read in reads for each in read.by_rule]
    told = [each for read in reads for each in read.told]
    if told_already(claim, told, board):
        refused[TOLD] += 1
        board.take_in(typed(claim))
        return
    if contradicts(claim, rules):
        refused[DIFFERS] += 1
        quote = claim.quote or quotation(claim.claim, claim.own)
        if not quote:
            return
        claim = replace(claim, wording="", quote=quote, typed=False)
    told_as = spoken(claim)
    if overrules(claim, board.quotes):  # the listener was told otherwise, so it is urgent
        told_as = told_as if told_as.worth.presses else replace(told_as, worth=Worth.CORRECTION)
    protects = claim.claim.kind in _KEEPS_FROM_HARM or prohibits(claim.quote) or tells_allergy(claim.quote)
    if claim.unnamed and not protects:
        told_as = replace(told_as, mark=Mark.PAGE)
    board.tell_read(told_as, typed(claim))
