"""A question's vector, turned towards the vectors of what answers such questions.

An encoder puts a question beside texts that repeat it. What answers it often has no word of it. A linear map of the
question's vector alone puts it nearer to that. It is learned from questions with known answers
(`lab.evaluation.query_adapter`). The vectors of sentences stay as they are, and so do likenesses between sentences.
"""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from agents.dialogue.embeddings import Vector

LONGER: Final = 1.2
"""How much longer the vector becomes: so the likest sentence is as like as it was before, for the same thresholds."""
_FILE: Final = "data/query_adapter.npz"


def adapted(question: Vector) -> Vector:
    """Return a question's vector turned towards its answers, `LONGER` long; one of another encoder as it is."""
    shift = _shift()
    if question.shape != shift.shape[1:]:
        return question
    turned: Vector = question + shift @ question
    return turned * np.float32(LONGER / np.linalg.norm(turned))


@cache
def _shift() -> NDArray[np.float32]:
    """Return what is added to a vector, as a square matrix: 8 bits a weight in the file, and a scale for each row."""
    with resources.files("agents.dialogue").joinpath(_FILE).open("rb") as file, np.load(file) as kept:
        made: NDArray[np.float32] = kept["weights"].astype(np.float32) * kept["scales"][:, None]
    return made
