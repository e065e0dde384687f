"""A logistic regression with a penalty, and how well a score ranks. Nothing here has a random part."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]
STEPS: Final = 30


def _by_spread(x: Floats, y: Floats, penalty: float) -> tuple[Floats, Floats, Floats]:
    """Return mean and spread of the features, and bias and weights of a regression on these scaled by them."""
    mean, spread = x.mean(axis=0), x.std(axis=0) + 1e-6
    inside, found = _scaled(x, mean, spread), np.zeros(x.shape[1] + 1)
    penalties = np.eye(len(found)) * penalty
    penalties[0, 0] = 0.0
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-inside @ found))
        slope = inside.T @ (p - y) + penalties @ found
        bend = (inside * (p * (1 - p))[:, None]).T @ inside + penalties
        found = found - np.linalg.solve(bend, slope)
    return mean, spread, found


def _scaled(x: Floats, mean: Floats, spread: Floats) -> Floats:
    return np.column_stack([np.ones(len(x)), (x - mean) / spread])


def fitted(x: Floats, y: Floats, penalty: float) -> tuple[float, Floats]:
    """Return bias and weights of a regression of `y` on `x`, by Newton's steps; the penalty is by spread."""
    mean, spread, found = _by_spread(x, y, penalty)
    weights = found[1:] / spread
    return float(found[0] - weights @ mean), weights


def likely(x: Floats, y: Floats, penalty: float, others: Floats) -> Floats:
    """Return how probable `y` is of others, by the regression on `x`."""
    mean, spread, found = _by_spread(x, y, penalty)
    return np.asarray(1 / (1 + np.exp(-_scaled(others, mean, spread) @ found)))


def ranked(score: NDArray[np.floating[Any]], marked: Marks) -> float:
    """Return how often one that is marked has the greater score; 0.5 is blind, ties count half."""
    values, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    middle = np.cumsum(counts) - (counts - 1) / 2
    n = int(marked.sum())
    above = float(middle[inverse][marked].sum()) - n * (n + 1) / 2
    return above / (n * (len(marked) - n)) if len(values) else 0.5
