"""Which sentence a turn answers: the one that it quotes, else the last of the turn that its head numbers or follows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from exaim_core.claims.quotes import asks_for
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.phrases import asks_back
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence

MOST_KEPT: Final = 64
_LABEL: Final = re.compile(r"\A[^:\n]{1,70}: (?=\S)")
_OWN: Final = re.compile(
    r"\A\W*(?:(?:msg|message|mail|post|entry|item|comment|ticket|#)\W{0,2}|(?<=\[)[a-z]{1,4} ?)0*(\d+)",
    re.IGNORECASE,
)
_REFERS: Final = re.compile(
    r"\b(?:re|to|repl(?:y|ies)|answers?|blocks?|retracts?|against)\b(?:\W{1,3}(?:re|to)\b)?", re.IGNORECASE
)
_TO: Final = re.compile(
    r"\W{1,3}(?:(?:msg|message|mail|post|entry|item|comment|ticket)\W{0,2}|[a-z]{1,4}(?=\d))?0*(\d+)",
    re.IGNORECASE,
)
_MORE: Final = re.compile(r"\s*(?:,|&|/|\+|and\b)[^\w:]*[a-z]{0,4}\d", re.IGNORECASE)  # it refers to several
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
Turn = tuple[str, int]  # its agent, and the first delta of it


@dataclass(slots=True)
class _Said:
    """What a turn has said so far: its last sentence, and how many ask for something."""

    last: Source
    asks: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """The sentence that is answered; `alone`: whatever else its turn says is not meant; `own`: its own speaker's."""

    source: Source
    alone: bool = False
    own: bool = False


def numbered_label(text: str) -> tuple[str, str]:
    """Return the label of a message that gives it a number, and what is said behind it; "" and `text` for none."""
    found = _LABEL.match(text)
    if found is None or not (_OWN.match(text) or _refers(found.group())):
        return "", text
    return found.group(), text[found.end() :]


class Replying:
    """The turns of one discussion, as far as they are needed to tell what is answered."""

    def __init__(self) -> None:
        self._numbered: dict[str, Turn] = {}
        self._said: dict[Turn, _Said] = {}
        self._turn: Turn | None = None  # that was heard last
        self._before: Turn | None = None  # the one before it, None if it is not over or ends in a question
        self._last = ""  # the sentence that was heard last
        self._opens = False
        self._quotes = False  # the line that was heard last is quoted
        self._quoted: Source | None = None  # where it was said
        self._own: Source | None = None  # the sentence of the same turn right before it
        self.drugs: frozenset[str] = frozenset()  # that the turn has named so far

    @property
    def turn(self) -> Turn | None:
        """Return the turn of the sentence that was heard last."""
        return self._turn

    def quote(self, source: Source, turn: Turn, is_speaking: Callable[[str], bool]) -> None:
        """Take in a line of a turn that quotes what was said at `source`."""
        self._enter(turn, is_speaking)
        self._quotes, self._quoted = True, source

    def hear(self, unit: Sentence, turn: Turn, is_speaking: Callable[[str], bool]) -> None:
        """Take in a sentence of a turn; `is_speaking` tells of whom a turn is not over."""
        is_new = self._enter(turn, is_speaking)
        if unit.full.startswith(">"):
            self._opens, self._quotes, self._quoted, self._own = False, True, None, None
            return
        self._opens, self._quoted, self._quotes = is_new, self._quoted if self._quotes else None, False
        if (own := _OWN.match(unit.head or unit.full)) is not None:
            _keep(self._numbered, own[1], turn)
        said = self._said.get(turn)
        self._own = said.last if said is not None and self._quoted is None else None
        self._note(unit, turn)
        self._last = unit.text

    def answered(self, unit: Sentence) -> Reply | None:
        """Return what the sentence that was heard last answers; None if nothing that is known."""
        label = unit.head or numbered_label(unit.full)[0]
        if label and _refers(label):
            return self._end_of(self._numbered.get(_number(label)))
        if self._quoted is not None:
            return Reply(self._quoted, alone=True)
        if self._opens:
            return self._end_of(self._before)
        return None if self._own is None else Reply(self._own, alone=True, own=True)

    def _enter(self, turn: Turn, is_speaking: Callable[[str], bool]) -> bool:
        """Note whose turn it is; tell whether it begins."""
        if turn == self._turn:
            return False
        asks = self._last.endswith("?") and not asks_back(self._last)
        old = self._turn
        over = old is not None and old[0] != turn[0] and not asks and not is_speaking(old[0])
        self._before, self._turn = old if over else None, turn
        self._quotes, self._quoted, self.drugs = False, None, frozenset()
        return True

    def _note(self, unit: Sentence, turn: Turn) -> None:
        self.drugs |= drugs_named(unit.full)
        said = self._said.get(turn)
        if said is None:
            _keep(self._said, turn, _Said(unit.source, int(asks_for(unit.full))))
        elif not asks_back(unit.full):
            said.last, said.asks = unit.source, said.asks + asks_for(unit.full)

    def _end_of(self, turn: Turn | None) -> Reply | None:
        """Return the last sentence of a turn, unless the turn asks for several things."""
        said = self._said.get(turn) if turn is not None else None
        return None if said is None or said.asks > 1 else Reply(said.last)


def _refers(head: str) -> bool:
    """Tell whether a head refers to another message, known or not, behind its own number."""
    own = _OWN.match(head)
    return _REFERS.search(head, own.end() if own is not None else 0) is not None


def _number(head: str) -> str:
    """Return the one number that a head refers to; "" if it is none, or several."""
    own = _OWN.match(head)
    for refers in _REFERS.finditer(head, own.end() if own is not None else 0):
        to = _TO.match(head, refers.end())
        if to is not None:
            return "" if _MORE.match(head, to.end()) else to[1]
    return ""


def _keep(kept: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Put a value among those kept, of which the oldest goes."""
    kept[key] = value
    while len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
