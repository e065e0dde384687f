"""Make the value that shows what the board holds now (`shown.py`): for answers, not for the page.

If it exceeds `MAX_BYTES`, whole claims are dropped, never words, in the order of
`_GOES_FIRST`; within a list those without number, drug and condition first, the oldest first. `left_out`
says how many were dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from exaim_core.board.board import Board
from exaim_core.board.leading import Lead
from exaim_core.board.shown import BoardView, ClaimView, CriticalView, LeadView, SaidView, VoteView
from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon.drugs import DRUG
from exaim_core.lexicon.prose import is_dose
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import Section
from exaim_core.text.wording import key_words

MAX_BYTES: Final = 12 * 1024  # of the claims
SAID_BYTES: Final = 36 * 1024  # of the discussion itself: 2,800 words with their headings
_SHORT_VALUE: Final = 6  # characters: "0.7" is part of other numbers by accident
_CONDITION: Final = re.compile(r"\b(?:if|unless|until|once|when|only)\b", re.IGNORECASE)
_GOES_FIRST: Final = ("remarks", "findings", "differentials", "tests", "open_points", "actions", "cautions")


def view_of(board: Board, names: Mapping[str, str] | None = None) -> BoardView:
    """Return what `board` holds now, within `MAX_BYTES` of JSON; the same board gives the same view."""
    seen = _Seen(board)
    leads = tuple(seen.lead(agent, lead) for agent, lead in board.views.leads.items())
    vote = board.views.vote()
    view = BoardView(
        leads=leads,
        differs=tuple(agent for agent in board.views.firm() if agent not in vote.holders),
        vote=VoteView(entity=vote.entity, holders=vote.holders, voters=vote.voters),
        ruling=seen.maybe(board.views.ruling),
        first=seen.maybe(board.first),
        criticals=tuple(seen.critical(claim) for claim in board.alarms.newest()),
        cautions=seen.listed(board.cautions),
        actions=seen.listed(board.actions),
        tests=seen.listed(board.lists.tests, agreed=board.lists.agreed_tests),
        differentials=seen.listed(board.lists.others),
        findings=seen.listed(board.findings, but=[lead.claim for lead in board.views.leads.values()]),
        open_points=seen.listed(board.open_now),
        taken_back=seen.taken_back(),
        remarks=seen.remarks(),
        speakers=tuple(board.floor.speakers),
        names=dict(names or {}),
    )
    return within(view, MAX_BYTES).model_copy(update={"said": seen.said()})


def within(view: BoardView, max_bytes: int) -> BoardView:
    """Return `view` with whole claims left out until its JSON has at most `max_bytes`."""
    lists: dict[str, tuple[ClaimView, ...]] = {name: getattr(view, name) for name in _GOES_FIRST}
    rest = view.model_copy(update=dict.fromkeys(lists, ()))
    size = len(rest.model_dump_json().encode()) + sum(len(name) + 16 for name in (*lists, "left_out"))
    size += sum(_size(claim) for listed in lists.values() for claim in listed)
    changed: dict[str, object] = {}
    left_out = view.left_out
    for name, listed in lists.items():
        if size <= max_bytes:
            break
        gone: set[int] = set()
        for k in sorted(range(len(listed)), key=lambda k: (_weight(listed[k]), k)):
            if size <= max_bytes:
                break
            size -= _size(listed[k])
            gone.add(k)
        left_out += len(gone)
        changed[name] = tuple(claim for k, claim in enumerate(listed) if k not in gone)
    return view.model_copy(update={**changed, "left_out": left_out}) if changed else view


@lru_cache(maxsize=4096)
def _size(claim: ClaimView) -> int:
    """Return the size of a claim's JSON in bytes, with the comma after it."""
    return len(claim.model_dump_json().encode()) + 1


@lru_cache(maxsize=4096)
def _weight(claim: ClaimView) -> int:
    """Return 1 for a claim with a number, a drug or a condition, which is dropped last, else 0."""
    return int(bool(quantities(claim.text) or DRUG.search(claim.text) or _CONDITION.search(claim.text)))


class _Seen:
    """Reads one board, and finds the turn in which each claim was made."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def claim(
        self, claim: Claim, *, agreed: bool = False, item: str = "", of_view: bool = False
    ) -> ClaimView:
        source = claim.source
        turn = self._board.floor.turn_of(claim)
        return ClaimView(
            agent_id=claim.agent_id,
            text=claim.text,
            at=(max(1, turn), source.first_seq, source.last_seq),
            entity=claim.entity,
            stance=claim.stance,
            tentative=claim.tentative,
            condition=claim.condition,
            item=item,
            agreed=agreed,
            of_view=of_view,
        )

    def maybe(self, claim: Claim | None) -> ClaimView | None:
        return None if claim is None else self.claim(claim)

    def listed(
        self, claims: Iterable[Claim], agreed: Sequence[Claim] = (), but: Sequence[Claim] = ()
    ) -> tuple[ClaimView, ...]:
        """Return claims in order; `agreed` are the moderator's, those also in `but` are left out."""
        named = {claim.entity for claim in agreed}
        return tuple(
            self.claim(claim, agreed=claim.entity in named, item=_item(claim))
            for claim in claims
            if not any(claim.text in other.text for other in but)
        )

    def lead(self, agent: str, lead: Lead) -> LeadView:
        return LeadView(
            claim=self.claim(lead.claim),
            former=self.maybe(lead.before),
            why=tuple(dict.fromkeys(self.claim(claim) for claim in lead.why)),
            withdrawn=self._board.views.is_withdrawn(agent),
        )

    def critical(self, claim: Claim) -> CriticalView:
        found = claim.critical
        assert found is not None, "a critical claim names its finding"
        return CriticalView(claim=self.claim(claim), key=found.told_as, name=found.name, value=found.value)

    def remarks(self) -> tuple[ClaimView, ...]:
        """Return the sentences that no claim covers, without those said for a withdrawn view."""
        board = self._board
        leads = [claim for lead in board.views.leads.values() for claim in (lead.claim, *lead.why)]
        lists = (board.cautions, board.actions, board.lists.tests, board.lists.others, board.findings, leads)
        known = [claim for claims in (*lists, board.criticals.values()) for claim in claims]
        kept = [said for said in board.remarks if self._stands(said) and not _is_told(said, known)]
        return tuple(
            self.claim(said, item=_item(said), of_view=said.kind is Kind.LEADING)
            for k, said in enumerate(kept)
            if not _is_told(said, kept[k + 1 :])
        )

    def said(self) -> tuple[SaidView, ...]:
        """Return what was said, in order, without JSON values that a sentence repeats."""
        board = self._board
        texts = [claim.text for claim in board.said]
        gone: dict[tuple[int, int], list[str]] = {}
        for order in board.orders.revoked:
            gone.setdefault((order.source.first_seq, order.source.last_seq), []).append(order.text)
        kept: list[SaidView] = []
        room = SAID_BYTES
        for k in range(len(board.said) - 1, -1, -1):
            claim = board.said[k]
            text = (
                claim.text
                if claim.kind is not Kind.QUOTE
                else _not_repeated(claim.text, texts[k + 1 : k + 40])
            )
            if not text:
                continue
            at = (max(1, board.floor.turn_of(claim)), claim.source.first_seq, claim.source.last_seq)
            orders = gone.get(at[1:], ())
            if claim.kind is Kind.QUOTE and not (text := _without(text, orders)):
                continue
            past = any(order in text for order in orders) or self._is_past(claim)
            view, size = _said_view(claim.agent_id, text, at, claim.label, claim.under, past)
            room -= size
            if room < 0:
                break
            kept.append(view)
        return tuple(reversed(kept))

    def _is_past(self, said: Claim) -> bool:
        """Return whether a sentence is for a view given up since, or holds a corrected number."""
        if self._board.numbers.is_disputed(said.text):
            return True
        lead = self._board.views.leads.get(said.agent_id)
        if said.under is not Section.LEADING or lead is None:
            return False
        before = lead.before is not None and said.source.first_seq < lead.claim.source.first_seq
        return before or self._board.views.is_withdrawn(said.agent_id)

    def taken_back(self) -> tuple[ClaimView, ...]:
        """Return the sentences that took orders off, newest last, without those in another list."""
        board = self._board
        told = {claim.text for claim in (*board.actions, *board.cautions)}
        bans = [ban for gone in board.orders.revoked if (ban := board.orders.banned_by(gone))]
        unique = {ban.source.first_seq: ban for ban in bans if ban.text not in told}
        return tuple(self.claim(unique[seq], item=_item(unique[seq])) for seq in sorted(unique))

    def _stands(self, said: Claim) -> bool:
        if self._was_taken_back(said):
            return False
        if said.kind is not Kind.LEADING:
            return True
        lead = self._board.views.leads.get(said.agent_id)
        if lead is None or self._board.views.is_withdrawn(said.agent_id):
            return False
        return lead.before is None or said.source.first_seq >= lead.claim.source.first_seq

    def _was_taken_back(self, said: Claim) -> bool:
        """Return whether a remark belongs to an order that was taken off, or asks for a forbidden dose."""
        orders = self._board.orders
        if any(
            gone.text in said.text or (said.label and said.label == gone.label) for gone in orders.revoked
        ):
            return True
        return is_dose(said.text) and orders.banned_by(said) is not None


@lru_cache(maxsize=4096)
def _said_view(
    agent_id: str, text: str, at: tuple[int, int, int], under: str, section: Section, past: bool
) -> tuple[SaidView, int]:
    """Return a sentence as it stands in the view, and the size of its JSON in bytes with a comma."""
    view = SaidView(agent_id=agent_id, text=text, at=at, under=under, section=section, past=past)
    return view, len(view.model_dump_json().encode()) + 1


def _without(line: str, orders: Sequence[str]) -> str:
    """Return a line of JSON values without the orders that were taken off; each stands as a sentence of its own.

    "" if nothing else is on it.
    """
    for order in orders:
        whole = re.escape(order)
        line = re.sub(rf", {whole}(?=, |; |\Z)|(?<=: ){whole}, ", "", line)
        line = "; ".join(part for part in line.split("; ") if part.partition(": ")[2] != order)
    return line


def _not_repeated(line: str, after: Sequence[str]) -> str:
    """Return a line of JSON values without those that sentences after it repeat."""
    kept = [
        part
        for part in line.split("; ")
        if len(value := part.partition(": ")[2]) < _SHORT_VALUE or not any(value in text for text in after)
    ]
    return "; ".join(kept) if len(kept) > 1 or not any(line in text for text in after) else ""


@lru_cache(maxsize=2048)
def _content(text: str) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """Return the content words of a sentence, and its numbers with their units."""
    numbers = frozenset((quantity.number, quantity.unit) for quantity in quantities(text))
    return frozenset(key_words(text)), numbers


def _is_told(said: Claim, known: Iterable[Claim]) -> bool:
    """Return whether one of the claims says all that `said` does."""
    return any(_tells(claim.text, said.text) for claim in known)


@lru_cache(maxsize=1 << 14)  # the pairs of one board, compared again at each update
def _tells(text: str, said: str) -> bool:
    """Return whether `text` says what `said` does: nearly all its words, each denial and each number."""
    if said in text:
        return True
    words, numbers = _content(said)
    told, counted = _content(text)
    denials = words & {"no", "not", "never", "without"}
    return len(words - told) <= len(words) // 5 and denials <= told and numbers <= counted


def _item(claim: Claim) -> str:
    """Return the list item that the sentence stands under, if its text does not name it; else ""."""
    return "" if not claim.label or claim.label in claim.text else claim.label
