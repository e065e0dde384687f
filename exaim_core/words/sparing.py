"""Decide which quotations are kept for a silence: none whose sentence is told, and none that is part of another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, Kind
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.words.hazard_sentences import leaves_out
from exaim_core.words.templates import Wording, said_words, stands_in
from exaim_core.words.told_bans import Spared


def is_announced(claim: Claim, board: Board) -> bool:
    """Return whether something of a sentence is told; an alarm on some of its drugs leaves the others untold."""
    kinds = [kind for kind in Kind if (kind, claim.source) in board.changes.announced]
    if kinds != [Kind.CRITICAL]:
        return bool(kinds)
    alarms = [each for each in board.alarms.standing.values() if each.source == claim.source]
    return not alarms or not all(map(leaves_out, alarms))


def without_parts(passages: Sequence[Wording]) -> list[Wording]:
    """Return the passages without parts of other passages; the whole is as likely as the likeliest part."""
    kept = list[Wording]()
    for made in passages:
        parts = [each for each in kept if is_within(each, made)]
        kept = [each for each in kept if each not in parts]
        likely = max(each.claims[0].likely for each in (made, *parts))
        first, *others = made.claims
        kept.append(replace(made, claims=(replace(first, likely=likely), *others)))
    return kept


def is_within(made: Wording, other: Wording) -> bool:
    """Return whether the words of `made` are part of those of `other`, by the same speaker."""
    return made.agents == other.agents and stands_in(said_words(made.text), said_words(other.text))


def is_told_now(made: Wording, told: Iterable[Wording]) -> bool:
    """Return whether a spare item stands in something that is told now."""
    first = made.claims[0].source
    others = (claim for each in told if each.kind is not SpokenKind.CLOSING for claim in each.claims)
    return any(claim.source.meets(first) and not leaves_out(claim) for claim in others)


def with_ids(spared: Spared, kept: Sequence[Wording], items: Sequence[SpokenItem]) -> Spared:
    """Return a claim that is not told with the ids of all items that tell it."""
    own = {
        item.item_id
        for made, item in zip(kept, items, strict=True)
        if any(claim is each for claim in made.claims for each in spared.claims)
    }
    return replace(spared, items=spared.items | own, claims=())
