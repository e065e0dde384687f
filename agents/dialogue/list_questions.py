"""Whether a question asks for the whole list of what must not be given, by its vector.

People ask for the list in ever new words ("anything we were told to leave alone"). What is learned from the questions
that asked for it before knows some of them that no rule knows (`lab.evaluation.list_questions`).
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.dialogue.embeddings import Vector

LIKELY: Final = 0.55  # "what can he have for pain" is at 0.53
_FILE: Final = "data/list_questions.npz"


def asks_for_list(question: Vector | None) -> bool:
    """Tell whether a question of this vector asks for the list; False without one, or by another encoder."""
    weights, bias = _learned()
    if question is None or question.shape != weights.shape:
        return False
    return bool(1 / (1 + np.exp(-(float(weights @ question) + bias))) >= LIKELY)


@cache
def _learned() -> tuple[NDArray[np.float32], float]:
    with resources.files("agents.dialogue").joinpath(_FILE).open("rb") as file, np.load(file) as kept:
        return kept["weights"], float(kept["bias"])
