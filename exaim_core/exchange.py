"""Which words a turn answers: those of the thread that it quotes, else the last of the turn that ended before it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from exaim_core.text.units import Sentence

MOST_KEPT: Final = 2  # sentences of a turn that the next one may hang on
MOST_FROM_ITS_START: Final = 4  # sentences of a turn; a later one hangs on its own turn
MOST_REMEMBERED: Final = 256  # sentences that a line of a thread may quote
_QUOTED: Final = re.compile(r"\s*>+\s*(?=\S)")
_GAP: Final = re.compile(r"\.{3,}|…|\[…\]")
_WORD: Final = re.compile(r"\w+")


@dataclass(slots=True)
class _Turn:
    answers: Sequence[Sentence]
    said: int = 0
    last: deque[Sentence] = field(default_factory=lambda: deque(maxlen=MOST_KEPT))
    quoting: int = -1  # the line that quotes somebody


class Exchange:
    """Which words each turn answers: those of the thread that it quotes, else those before it.

    Turns that overlap answer nobody, unless they quote.
    """

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}
        self._ended: Sequence[Sentence] = ()
        self._heard: deque[tuple[str, Sentence]] = deque(maxlen=MOST_REMEMBERED)  # behind their bare words

    def begin(self, agent_id: str) -> None:
        """Note that the agent speaks."""
        if agent_id not in self._turns:
            others = [each for each in self._ended if each.source.agent_id != agent_id]
            self._turns[agent_id] = _Turn(() if self._turns else others)

    def quotes(self, unit: Sentence) -> bool:
        """Tell whether `unit` is a line of a thread ("> …") with words that were said before: it answers them."""
        turn = self._turns.get(unit.source.agent_id)
        mark = _QUOTED.match(unit.text)
        if turn is None or (mark is None and unit.line_no != turn.quoting):
            return False
        words = unit.text[mark.end() :] if mark is not None else unit.text
        wanted = [bare for part in _GAP.split(words) if (bare := _bare(part)).strip()]
        found = next(
            (each for said, each in reversed(self._heard) if all(part in said for part in wanted)), None
        )
        if found is None or not wanted:
            return False
        turn.answers, turn.said, turn.quoting = (found,), 0, unit.line_no
        return True

    def hear(self, unit: Sentence) -> None:
        """Note a sentence of a turn that has begun."""
        self._heard.append((_bare(unit.full), unit))
        if (turn := self._turns.get(unit.source.agent_id)) is not None:
            turn.said += 1
            turn.last.append(unit)

    def end(self, agent_id: str) -> None:
        """Note that the agent's turn is over."""
        turn = self._turns.pop(agent_id, None)
        self._ended = tuple(turn.last) if turn is not None else ()

    def withdraw(self, agent_id: str, since: int) -> None:
        """Take it that the turn that ended last, the agent's from delta `since` on, was none: nobody answers it."""
        self._ended = ()
        kept = [
            (said, each)
            for said, each in self._heard
            if each.source.agent_id != agent_id or each.source.first_seq < since
        ]
        self._heard = deque(kept, maxlen=MOST_REMEMBERED)

    def last(self, agent_id: str) -> Sequence[Sentence]:
        """Return the sentences that the agent's newest one may answer: none but near its turn's start."""
        turn = self._turns.get(agent_id)
        return turn.answers if turn is not None and turn.said <= MOST_FROM_ITS_START else ()


def _bare(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "
