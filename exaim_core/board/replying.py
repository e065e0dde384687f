"""Which turn a sentence answers: the one that its label numbers or that it quotes, else the one before its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.phrases import asks_back
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence

MOST_NUMBERED: Final = 64
_LABEL: Final = re.compile(r"\A[^:\n]{1,70}: (?=\S)")
_OWN: Final = re.compile(r"\A\W*(?:msg|message|mail|post|entry|item|#)\W{0,2}(\d+)", re.IGNORECASE)
_TO: Final = re.compile(
    r"\b(?:re|to|repl(?:y|ies)|answers?|blocks?|retracts?|against)\b(?:\W{1,3}(?:re|to)\b)?\W{1,3}(\d+)",
    re.IGNORECASE,
)
Turn = tuple[str, int]  # its agent, and the first delta of it


@dataclass(frozen=True, slots=True)
class Answered:
    """What a sentence answers: a turn, or words that it quotes; `again`: its own speaker's sentence before it."""

    turn: Turn | None = None
    quoted: str = ""
    again: Source | None = None


def labelled(text: str) -> tuple[str, str]:
    """Return the label of a message that gives it a number, and what is said behind it; "" and `text` for none."""
    found = _LABEL.match(text)
    if found is None or not (_OWN.match(text) or _TO.search(found.group())):
        return "", text
    return found.group(), text[found.end() :]


class Replying:
    """The turns of one discussion, as far as they are needed to tell what is answered."""

    def __init__(self) -> None:
        self._numbered: dict[str, Turn] = {}
        self._turn: Turn | None = None  # that was heard last
        self._before: Turn | None = None  # the one before it, None if it is not over or ends in a question
        self._last: Sentence | None = None
        self._own: Sentence | None = None  # of the same turn, right before it
        self._opens = False
        self._quoted = ""
        self.drugs: frozenset[str] = (
            frozenset()
        )  # that the turn has named, up to the sentence that was heard last

    @property
    def turn(self) -> Turn | None:
        """Return the turn of the sentence that was heard last."""
        return self._turn

    def hear(self, unit: Sentence, begun: int, is_speaking: Callable[[str], bool]) -> None:
        """Take in a sentence of a turn that began at delta `begun`; `is_speaking` tells of whom a turn is not over."""
        turn = (unit.source.agent_id, begun)
        self._own = self._last if turn == self._turn else None
        if turn != self._turn:
            asked = self._last is not None and self._last.text.endswith("?")
            other = asked and self._last is not None and not asks_back(self._last.text)
            over = self._turn is not None and not other and not is_speaking(self._turn[0])
            self._before, self._turn, self._opens = self._turn if over else None, turn, True
        else:
            self._opens = bool(self._quoted)
        line = unit.full.startswith(">") and self._opens
        self._quoted = unit.full.lstrip("> ").rstrip(" .?!") if line else self._quoted if self._opens else ""
        if (own := _OWN.match(unit.head or unit.full)) is not None:
            self._numbered[own[1]] = turn
            while len(self._numbered) > MOST_NUMBERED:
                del self._numbered[next(iter(self._numbered))]
        self.drugs = drugs_named(unit.full) | (self.drugs if self._own is not None else frozenset())
        self._last = unit

    def answered(self, unit: Sentence) -> Answered | None:
        """Return what the sentence that was heard last answers; None if nothing that is known."""
        label = unit.head or labelled(unit.full)[0]
        if label and (to := _TO.search(label)) is not None:
            turn = self._numbered.get(to[1])
            return None if turn is None else Answered(turn)
        if self._opens and self._quoted:
            return Answered(self._before, self._quoted)
        if self._opens:
            return None if self._before is None else Answered(self._before)
        return None if self._own is None else Answered(again=self._own.source)
