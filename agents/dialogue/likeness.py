"""How like a question each passage is in meaning, by the vectors of both (`embeddings`).

A sentence is read twice: alone, and behind the two before it, for "3.4." says nothing alone. A passage is as like as
the mean of both: its likest sentence, and its last one with what was said before it. The question's vector is turned
towards what answers such questions first (`query_adapter`). Where nothing is like it then, it counts as it was asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from agents.dialogue.embeddings import Vector
from agents.dialogue.query_adapter import adapted
from agents.dialogue.segments import Passage
from exaim_core.board.shown import SaidView

BEFORE: Final = 2  # sentences that are read along with one
LEAST_LIKE: Final = 0.25
"""How like a question a passage is, at least, that answers it without a word of it."""


def texts_of(said: Sequence[SaidView]) -> Iterator[str]:
    """Give the texts that are to be read of a discussion: each sentence alone, and behind those before it."""
    for at, one in enumerate(said):
        yield one.text
        yield _with_before(said, at)


def _with_before(said: Sequence[SaidView], at: int) -> str:
    return " ".join(one.text for one in said[max(0, at - BEFORE) : at + 1])


class Likeness:
    """Which texts each passage is read as, and how like a question they are; its questions are read, too."""

    def __init__(self, passages: Sequence[Passage], said: Sequence[SaidView]) -> None:
        places = {(one.agent_id, one.at, one.text): at for at, one in enumerate(said)}
        known: dict[str, int] = {}

        def place(text: str) -> int:
            return known.setdefault(text, len(known))

        self._read: list[tuple[list[int], int]] = []
        for passage in passages:
            alone = [place(one.text) for one in passage.said] or [place(passage.text)]
            at = [
                k for one in passage.said if (k := places.get((one.agent_id, one.at, one.text))) is not None
            ]
            self._read.append((alone, place(_with_before(said, max(at))) if at else alone[-1]))
        for one in said:
            if one.text.endswith("?"):
                place(one.text)
        self.texts = tuple(known)

    def of(self, question: Vector, texts: Sequence[Vector]) -> tuple[float, ...]:
        """Return how like the question each passage is, 0 to 1; `texts` are the vectors of `self.texts`.

        The question is turned towards its answers. As it was asked it counts where nothing is `LEAST_LIKE` it then.
        """
        turned = self.as_asked(adapted(question), texts)
        return turned if max(turned, default=0.0) >= LEAST_LIKE else self.as_asked(question, texts)

    def as_asked(self, question: Vector, texts: Sequence[Vector]) -> tuple[float, ...]:
        """Return the same with the question's vector as it is."""
        like = np.clip(np.stack(texts) @ question, 0.0, 1.0) if texts else np.zeros(0)
        return tuple(float(like[alone].max() + like[behind]) / 2 for alone, behind in self._read)
