"""Ask a second recogniser about turns that the first did not make out, and choose between the two.

The first is quick and decides what must be quick: a hum, "stop", whatever is wholly known to us. It is asked
of every turn. The second is asked of the others while the turn may still be ending. It is told
what to expect, so it hears commands where they were said badly, and may hear them where none was: it is not
asked about a sound in which the first found no words, and counts only where it is fairly sure itself.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from tts_queue import EngineUnavailable, Opinion, Recognised

log = logging.getLogger(__name__)

LEAST_SURE: Final = 0.4  # of the second's text: docs/decisions/042-a-second-opinion.md
MOST_SILENCE: Final = 0.6  # with a likelier silence than this its text does not count


class Opinions(Protocol):
    """A second recogniser."""

    async def opinion(self, pcm: NDArray[np.int16], hints: str) -> Opinion:
        """Return what is heard in 16 kHz mono sound, told to expect `hints`. Raises: EngineUnavailable."""
        ...


class SecondOpinion:
    """Asks a second recogniser about unclear turns, until there proves to be none."""

    def __init__(
        self, asked: Opinions, *, known: Callable[[str], bool], hints: str, sure_word: float = 0.6
    ) -> None:
        """`known` tells whether every word of a text has a meaning to us."""
        self._asked, self._known, self._hints, self._sure_word = asked, known, hints, sure_word
        self._gone = False

    def wanted(self, heard: Recognised) -> bool:
        """Return whether the first recogniser's text is unclear."""
        if self._gone or not heard.text or heard.word_confidence >= self._sure_word:
            return False
        return not self._known(heard.text)

    async def opinion(self, pcm: NDArray[np.int16]) -> Opinion:
        """Return what the second recogniser hears; nothing if it is away. Never raises."""
        if self._gone:
            return Opinion()
        try:
            return await self._asked.opinion(pcm, self._hints)
        except EngineUnavailable as error:
            if not error.retryable:
                self._gone = True
                log.warning("there is no second recogniser (%s); the first writes alone", error.reason)
            return Opinion()


def taken(heard: Recognised, second: Opinion) -> Recognised:
    """Return the first recogniser's result, with the second's text if that is sure enough."""
    if not second.text or second.confidence < LEAST_SURE or second.silence > MOST_SILENCE:
        return heard
    return replace(heard, text=second.text, confidence=round(second.confidence, 3))
