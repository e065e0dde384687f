"""Find where a value stands in a block of JSON, so that a citation need not cover the whole block."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Final

from exaim_core.text.places import Places, Source

_WORD: Final = re.compile(r"[^\W_]+")
_LINE: Final = re.compile(r"\S.*")


class JsonPlaces:
    """Finds values in the text of one block, best in the order in which they were written."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._after = 0

    def find(self, said: str) -> tuple[int, int] | None:
        """Return where `said` stands, plain or escaped; else the line with most of its words."""
        for form in dict.fromkeys((said, json.dumps(said, ensure_ascii=False)[1:-1], json.dumps(said)[1:-1])):
            at = self._text.find(form, self._after) if form else -1
            at = self._text.find(form) if at < 0 and form else at
            if at >= 0:
                self._after = at + len(form)
                return at, at + len(form)
        return self._line_of(said)

    def _line_of(self, said: str) -> tuple[int, int] | None:
        wanted = set(_WORD.findall(said.lower()))
        most, found = len(wanted) / 2, None
        for start, end, words in self._lines:
            if (shared := len(wanted & words)) > most:
                most, found = shared, (start, end)
        return found

    @cached_property
    def _lines(self) -> list[tuple[int, int, set[str]]]:
        return [
            (match.start(), match.end(), set(_WORD.findall(match.group().lower())))
            for match in _LINE.finditer(self._text)
        ]


def narrowing(written: str, at: int, block: Source, places: Places) -> Callable[[str], Source]:
    """Return a function that gives a value's source within a block `written` from `at` on."""
    finder = JsonPlaces(written)

    def source_of(value: str) -> Source:
        found = finder.find(value)
        if found is None:
            return block
        start, end = found
        return replace(block, spans=(places.find(at + start, at + end),))

    return source_of
