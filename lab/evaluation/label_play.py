"""What the engine makes of a labelled discussion: its claims and items, each beside the sentence it was read from.

How a claim finds its sentence: it names the deltas that it rests on, and each delta is a stretch of its turn's
text. Of the labelled sentences that touch this stretch (a whole block of JSON has one stretch), it is the one
that shares most words with the claim's text and entity. An item finds its sentences likewise by what it cites:
the nearest one, and each other that it holds at least half the words of.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from agents.recorded import Trace
from agents.recorded.records import Delta as Recorded
from exaim_core import EXAIM, SpokenItem, Update
from exaim_core.board.board import Board
from exaim_core.board.changes import Change
from exaim_core.claims.claims import Claim, ListEnd
from lab.evaluation.discussions import trace
from lab.evaluation.engine import AFTER_S, in_order, step
from lab.evaluation.labelled import Label, Labelled, best, held

HALF: Final = 0.5


class WatchedBoard(Board):
    """A board that keeps each claim that was entered, each quotation that stayed, and what it gave out."""

    def __init__(self) -> None:
        super().__init__()
        self.entered: list[Claim] = []
        self.given: list[Claim] = []

    def apply(self, claims: Iterable[Claim | ListEnd]) -> None:
        """Enter claims in order, and keep them."""
        listed = list(claims)
        self.entered += [claim for claim in listed if isinstance(claim, Claim)]
        super().apply(listed)

    def take(self) -> tuple[Change, ...]:
        """Return the changes that are complete, and keep the claims of those that are to be told."""
        taken = super().take()
        self.given += [claim for change in taken if not change.beside for claim in change.claims]
        return taken

    def quote(self, claim: Claim) -> None:
        """Enter a quotation, and keep it if the board does."""
        super().quote(claim)
        if any(kept is claim for kept in self.quotes):
            self.entered.append(claim)


@dataclass(frozen=True, slots=True)
class Read:
    """A claim and the labelled sentence that it was read from; None: it touches none that shares a word.

    `told`: the board gave it out to be told, alone or with others.
    """

    claim: Claim
    label: Label | None
    told: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A spoken item, the sentence nearest to it, and all that it tells."""

    item: SpokenItem
    nearest: Label | None
    tells: tuple[Label, ...]

    @property
    def presses(self) -> bool:
        """Tell whether it is told before all else."""
        return self.item.presses or self.item.urgency == "critical"


@dataclass(frozen=True, slots=True)
class Played:
    """A labelled discussion as the engine read and told it; the closing, which rests on all, is left out."""

    labelled: Labelled
    reads: tuple[Read, ...]
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Places:
    """Where each delta of a trace stands: its turn (from 0), and its stretch of the turn's text."""

    of: dict[int, tuple[int, int, int]] = field(default_factory=dict)

    @staticmethod
    def in_trace(played: Trace) -> Places:
        """Return the places of a trace whose deltas are the turns' texts, piece by piece."""
        turns: dict[int, list[Recorded]] = {}
        for record in played.content_records:
            if isinstance(record, Recorded):
                turns.setdefault(record.turn_id, []).append(record)
        places: dict[int, tuple[int, int, int]] = {}
        for turn_id, pieces in turns.items():
            ends = list(accumulate(len(piece.text) for piece in pieces))
            for piece, end in zip(pieces, ends, strict=True):
                places[piece.seq] = (turn_id - 1, end - len(piece.text), end)
        return Places(places)

    def touched(self, labels: Iterable[Label], first: int, last: int) -> list[Label]:
        """Return the labels that deltas `first` to `last` touch."""
        spans = [self.of[seq] for seq in range(first, last + 1) if seq in self.of]
        return [
            label
            for label in labels
            if any(turn == label.turn and a < label.end and label.start < b for turn, a, b in spans)
        ]


async def played(labelled: Labelled) -> Played:
    """Play a discussion through a new engine, without a case paper, and find the sentence of each claim."""
    recorded = trace(labelled.discussion)
    board, updates = await _run(recorded)
    places = Places.in_trace(recorded)
    given = {_key(claim) for claim in board.given}
    reads = tuple(
        Read(claim, _sentence(places, labelled, claim), _key(claim) in given) for claim in board.entered
    )
    items = [item for update in updates if update.path != "end" for item in update.items]
    items += [item for update in updates if update.path == "end" for item in update.items[:-1]]
    return Played(labelled, reads, tuple(_item(places, labelled, item) for item in items))


def _key(claim: Claim) -> tuple[object, ...]:
    return claim.agent_id, claim.kind, claim.text, claim.source.first_seq


async def _run(recorded: Trace) -> tuple[WatchedBoard, list[Update]]:
    board = WatchedBoard()
    exaim = EXAIM(board=board)
    updates: list[Update] = []
    at_s = 0.0
    for record in in_order(recorded.content_records):
        at_s = max(at_s, record.t_rel_ms / 1000)
        while exaim.next_due_s < at_s:
            updates += await step(exaim, None, exaim.next_due_s)
        updates += await step(exaim, record, at_s)
    updates += await exaim.finish(at_s + AFTER_S)
    return board, updates


def _sentence(places: Places, labelled: Labelled, claim: Claim) -> Label | None:
    there = places.touched(labelled.labels, claim.source.first_seq, claim.source.last_seq)
    return best(there, claim.text, claim.entity)


def _item(places: Places, labelled: Labelled, item: SpokenItem) -> Item:
    there = [
        label
        for cite in item.cites
        for label in places.touched(labelled.labels, cite.first_seq, cite.last_seq)
    ]
    nearest = best(there, item.text)
    tells = [label for label in there if label is nearest or held(label.text, item.text) >= HALF]
    return Item(item, nearest, tuple(dict.fromkeys(tells)))
