"""Score a run, and compare two: shares with Wilson's interval, and McNemar's exact test.

What could not be parsed, and what failed, is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.shares import Share
from agents.teams.mdagents.errors import RunDiffers
from agents.teams.mdagents.ledger import Spent, total
from agents.teams.mdagents.results import FAILED, UNPARSED

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Score:
    """A run's score. `unparsed` and `failed` list ids."""

    all: Share
    by_tier: Mapping[str, Share]
    unparsed: tuple[str, ...]
    failed: tuple[str, ...]
    spent: Spent


@dataclass(frozen=True, slots=True)
class Compared:
    """Two runs on the same questions. `first_only`: right in the first alone; `p`: McNemar's exact."""

    common: int
    both: int
    first_only: int
    second_only: int
    neither: int

    @property
    def p(self) -> float:
        """The chance of so uneven a split, or a more uneven one, if the runs were equally good."""
        n, least = self.first_only + self.second_only, min(self.first_only, self.second_only)
        tail: float = sum(math.comb(n, k) for k in range(least + 1)) / 2**n
        return min(1.0, 2 * tail)


def scored(rows: Sequence[Row]) -> Score:
    """Return a run's score."""
    tiers = dict.fromkeys(str(row["difficulty"]) for row in rows)
    return Score(
        all=_share(rows),
        by_tier={tier: _share([row for row in rows if row["difficulty"] == tier]) for tier in sorted(tiers)},
        unparsed=tuple(str(row["question_id"]) for row in rows if row["status"] == UNPARSED),
        failed=tuple(str(row["question_id"]) for row in rows if row["status"] == FAILED),
        spent=total(Spent.from_json(row["token_usage"]) for row in rows),
    )


def compared(first: Sequence[Row], second: Sequence[Row]) -> Compared:
    """Return how two runs differ on their common questions. Raises: RunDiffers: they have none."""
    others = {row["question_id"]: row for row in second}
    pairs = [
        (bool(row["correct"]), bool(others[row["question_id"]]["correct"]))
        for row in first
        if row["question_id"] in others
    ]
    if not pairs:
        raise RunDiffers("the two runs have no question in common")
    return Compared(
        len(pairs),
        pairs.count((True, True)),
        pairs.count((True, False)),
        pairs.count((False, True)),
        pairs.count((False, False)),
    )


def score_lines(score: Score) -> list[str]:
    """Return a score as lines."""
    lines = [f"right: {score.all}"]
    lines += [f"  {tier or 'not assessed'}: {share}" for tier, share in score.by_tier.items()]
    for name, ids in (("unparsed", score.unparsed), ("failed", score.failed)):
        if ids:
            lines.append(f"{name}, counted as wrong: {len(ids)} ({', '.join(ids)})")
    spent = score.spent
    lines.append(
        f"calls: {spent.calls} ({spent.retries} retries, {spent.failed} failed); tokens: "
        f"{spent.input_tokens} in, {spent.output_tokens} out"
        + (f"; {spent.unmetered} answers without a count" if spent.unmetered else "")
    )
    return lines


def compared_lines(found: Compared) -> list[str]:
    """Return a comparison as lines."""
    return [
        f"questions in both: {found.common}; right in both {found.both}, in neither {found.neither}",
        f"right in the first alone {found.first_only}, in the second alone {found.second_only}",
        f"McNemar's exact p = {found.p:.4f}",
    ]


def _share(rows: Sequence[Row]) -> Share:
    return Share(sum(bool(row["correct"]) for row in rows), len(rows))
