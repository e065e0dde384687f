"""Learns from the sets of questions which of them ask for the whole list of what must not be given.

The rules of the dialogue know the list by its words. Of the others each counts that has three things or more in a
whole answer about what is prohibited and names none of them. A logistic regression on the question's vector is
learned.

`python -m lab.evaluation.list_questions --left-out 5` prints how many of the questions that the rules miss are found,
and how many others are, where every fifth set is left out in turn; `--write` writes what is learned from all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.dialogue.intents import of_all
from agents.dialogue.list_questions import LIKELY
from agents.dialogue.minilm import MiniLM
from agents.dialogue.values import Intent
from agents.dialogue.words import written_out
from exaim_core.lexicon.drugs import DRUG
from exaim_core.patient.treatments import treatments_named
from lab.evaluation import answers
from lab.evaluation.logistic import fitted

FILE: Final = Path("agents/dialogue/data/list_questions.npz")
PENALTY: Final = 30.0
_LIST: Final = 3  # things in a whole answer

Floats = NDArray[np.float64]


def by_rule(text: str) -> bool:
    """Tell whether the rules hear a question for the list."""
    return of_all(written_out(text).lower().strip(" ?.!")) is Intent.FORBIDDEN


def names_one(text: str) -> bool:
    """Tell whether a question names what is given: then it is of that."""
    return bool(treatments_named(text) or DRUG.search(text.lower()))


def is_for_list(row: answers.Row) -> bool:
    """Tell whether a question asks for the whole list."""
    whole = row.kind == "prohibited" and len(row.complete) >= _LIST
    return (whole or by_rule(row.text)) and not names_one(row.text)


def main(argv: Sequence[str] | None = None) -> int:
    """Learn from all sets of questions; tell what is found on sets left out, and write what was learned."""
    parser = argparse.ArgumentParser(prog="python -m lab.evaluation.list_questions", description=main.__doc__)
    parser.add_argument("--left-out", type=int, default=0, help="leave out every n-th set in turn")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args(argv)
    encoder = MiniLM()
    rows = [
        (at, row)
        for at, split in enumerate(answers.SPLITS)
        for path in sorted((answers.FOLDER / split).glob("*.yaml"))
        for row in answers.rows(path)
    ]
    x = np.stack([encoder.encode(row.text) for _, row in rows]).astype(np.float64)
    y = np.array([is_for_list(row) for _, row in rows], dtype=np.float64)
    if options.left_out:
        _tell(rows, x, y, options.left_out)
    if options.write:
        bias, weights = fitted(x, y, PENALTY)
        np.savez_compressed(FILE, weights=weights.astype(np.float32), bias=np.float32(bias))
    return 0


def _tell(rows: Sequence[tuple[int, answers.Row]], x: Floats, y: Floats, folds: int) -> None:
    """Print what is found that the rules miss, each set by what is learned without it."""
    found: Floats = np.zeros(len(rows))
    for fold in range(folds):
        out = np.array([at % folds == fold for at, _ in rows])
        bias, weights = fitted(x[~out], y[~out], PENALTY)
        found[out] = 1 / (1 + np.exp(-(x[out] @ weights + bias)))
    missed = [
        (row, p, bool(mark))
        for (_, row), p, mark in zip(rows, found, y, strict=True)
        if not (by_rule(row.text) or names_one(row.text))
    ]
    hits = sum(mark and p >= LIKELY for _, p, mark in missed)
    lists = sum(mark for _, _, mark in missed)
    others = [row.kind for row, p, mark in missed if not mark and p >= LIKELY]
    sys.stdout.write(f"missed by rules: {hits} of {lists} found; others {len(others)}: {', '.join(others)}\n")


if __name__ == "__main__":
    sys.exit(main())
