"""Whether an answer says the same again and again, as small models do that find no end. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

TIMES: Final = 4
"""How often the same stands in a row: three may be a table's rows, or a plea. Of a loop it never ends."""
LEAST_CHARS: Final = 320  # of what repeats, in all: four rows of the same short line are still a list
MOST_PERIOD: Final = 1_200  # of one round of the loop; longer ones end at the bound of an answer
ALIKE: Final = 10
"""Lines in a row that differ in one word: "as a fifth-line treatment", "as a sixth-line treatment" …"""
ALIKE_WORDS: Final = 8  # of such a line; "no sign of pneumonia" may stand there with ten other diseases
LOOK_CHARS: Final = 120  # between two looks
LOOK_BACK: Final = ALIKE * MOST_PERIOD  # of an answer of JSON, at each
_LAST: Final = 24  # characters whose earlier places are the rounds to look at
_NUMBER: Final = re.compile(r"^[ \t]*\d{1,4}[.)]", re.MULTILINE)  # "14." before a line is none of its words
_ENTRY_ENDS: Final = ('",', "},")  # of a list of strings, and of objects


def loop_in(text: str) -> int | None:
    """Return where the second round begins, if `text` ends in a loop: the same words, or lines that are alike.

    A list's numbers are passed over. The place is a line's end, where there is one in the round.
    """
    at = _same_words(text)
    return _lines_alike(text) if at is None else at


def _same_words(text: str) -> int | None:
    tail = text[-TIMES * MOST_PERIOD :]
    plain = _NUMBER.sub("#", tail)
    for period in _periods(plain):
        span = max(TIMES * period, LEAST_CHARS)
        if span > len(plain):
            return None
        if plain[-span + period :] == plain[-span:-period]:
            second = _first(plain, period) + period
            at = len(text) - len(tail) + round(second * len(tail) / len(plain))
            line = text.find("\n", at - 1, at + period)
            return at if line < 0 else line + 1
    return None


def _lines_alike(text: str) -> int | None:
    """Return where the second one begins of `ALIKE` lines that end `text`, each like the one before but for a word."""
    lines = text.splitlines(keepends=True)[:-1]  # the last one is being written
    alike = 1
    while alike < len(lines) and _but_for_a_word(lines[-alike - 1].split(), lines[-alike].split()):
        alike += 1
    return len("".join(lines[: -alike + 1])) if alike >= ALIKE else None


def _but_for_a_word(one: list[str], other: list[str]) -> bool:
    if len(one) != len(other) or len(one) < ALIKE_WORDS:
        return False
    return sum(a != b for a, b in zip(one, other, strict=True)) <= 1


def _periods(plain: str) -> Iterator[int]:
    """Yield how far back the last characters stand, the nearest place first."""
    last, end = plain[-_LAST:], len(plain) - 1
    while (at := plain.rfind(last, 0, end)) >= 0 and (period := len(plain) - len(last) - at) <= MOST_PERIOD:
        yield period
        end = at + len(last) - 1


def _first(plain: str, period: int) -> int:
    """Return where the run of period `period` that ends `plain` begins."""
    at = len(plain) - period
    while at > 0 and plain[at - 1] == plain[at - 1 + period]:
        at -= 1
    return at


def json_loops(text: str) -> bool:
    """Tell whether an unfinished answer of JSON ends in a loop: as `loop_in`, where a list's entry is a line.

    A line's end that a string quotes is one too.
    """
    plain = text.replace("\\n", "\n ")
    entries = (plain.replace(end, f"{end[0]}\n") for end in _ENTRY_ENDS)
    return loop_in(plain) is not None or any(_lines_alike(each) is not None for each in entries)


class LoopWatch:
    """Looks at an answer of JSON while it is written, once in `LOOK_CHARS`."""

    def __init__(self) -> None:
        self.chars = 0
        self._parts: list[str] = []
        self._unseen = 0

    @property
    def text(self) -> str:
        """Return what was written up to now."""
        return "".join(self._parts)

    def sees_loop(self, piece: str) -> bool:
        """Take a piece; tell whether the answer has come into a loop."""
        self._parts.append(piece)
        self.chars += len(piece)
        self._unseen += len(piece)
        if self._unseen < LOOK_CHARS:
            return False
        self._unseen = 0
        return json_loops(self.text[-LOOK_BACK:])
