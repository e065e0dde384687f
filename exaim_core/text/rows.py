r"""Load a lexicon's rows: forms of words in data files, typed, each with examples to check it.

A file of `data/forms/` holds *forms*. A form is what the code asks for by name: one pattern, made of *rows* that are
tried in turn, within the form's *frame*. A row is a form of words with an example that the form finds, a
counter-example that it does not find, where it is from, and who has looked at it. A form is compiled when it is first
looked up. That each compiles, and that its rows fit their examples, is checked by the tests (`Lexicon.check`).

    [parts]                                  # pieces that several forms use, each written once
    month = 'January|February'
    [frames]                                 # what the rows of a form stand in; without one they stand alone
    long_ago = '\b(?:{rows})\b'
    [flags]                                  # "" where the case of letters counts, "is" where "." passes line ends
    [at]                                     # forms that the code looks for at the "start", or as the "whole"
    [[long_ago]]
    pattern = 'last (?:{month})'
    example = "it was normal last January"
    counter = "it has lasted since January"
    source = "own"                           # the default
    reviewer = ""                            # the default, until a clinician has looked at the row
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, Final, TypeVar

from exaim_core.text.datafiles import data_text
from exaim_core.text.patterns import compiled_by_all, late

Kind = TypeVar("Kind", bound=Enum)

ROWS: Final = "{rows}"
_PART: Final = re.compile(r"\{([a-z]\w*)\}")
_FLAGS: Final = {"i": re.IGNORECASE, "s": re.DOTALL}
_KEYS: Final = frozenset({"pattern", "example", "counter", "name", "source", "reviewer"})
_TABLES: Final = frozenset({"parts", "frames", "flags", "at", "apart"})
_FINDERS: Final = {"start": "match", "whole": "fullmatch"}
Given = str | Callable[[], str]
"""A part that another module owns; one that is long to make is made where a form that holds it is compiled."""


class BadRow(ValueError):
    """A row of a lexicon is not typed as it should be, or does not fit its own examples.

    The message names the file, the form and the row, counted from 1.
    """

    def __init__(self, file: str, form: str, number: int, wrong: str) -> None:
        where = f"data/forms/{file}.toml, form {form}" + (f", row {number}" if number else "")
        super().__init__(f"{where}: {wrong}")
        self.file, self.form, self.number = file, form, number


@dataclass(frozen=True, slots=True)
class Row:
    """A form of words: `example` holds it and `counter` does not. `source` is its origin, "own" for ours.

    `reviewer` stays empty until a clinician has looked at the row.
    """

    name: str
    pattern: str
    example: str
    counter: str
    source: str = "own"
    reviewer: str = ""


class Lexicon(dict[str, re.Pattern[str]]):
    """The forms of one file by name, each compiled when it is first looked up.

    Raises: BadRow: a row is not typed as it should be, when it is made; no pattern, or no such part, at a look-up.
    """

    def __init__(self, file: str, table: Mapping[str, Any], given: Mapping[str, Given]) -> None:
        """Take a file's table; `given` are parts that other modules own."""
        super().__init__()
        self.file, self._given = file, given
        self._parts: Mapping[str, str] = table.get("parts", {})
        self._frames: Mapping[str, str] = table.get("frames", {})
        self._flags: Mapping[str, str] = table.get("flags", {})
        self._rows = {name: self._typed(name, rows) for name, rows in table.items() if name not in _TABLES}
        self._at: Mapping[str, str] = table.get("at", {})
        apart: Iterable[str] = table.get("apart", ())
        for name in (*self._frames, *self._flags, *self._at, *apart):
            if name not in self._rows:
                raise BadRow(file, name, 0, "there is no such form")
        self._each = {
            name: tuple(late(partial(self.alone, name, row)) for row in self._rows[name]) for name in apart
        }

    def __missing__(self, form: str) -> re.Pattern[str]:
        """Compile a form; two threads may both, which does no harm. Raises: KeyError, BadRow."""
        if form not in self._rows or form in self._each:
            raise KeyError(form)
        compiled = self[form] = self._compiled(form, self.part(form))
        return compiled

    def late(self, form: str) -> re.Pattern[str]:
        """Return what stands for a form, for a name in a module: it is compiled at its first use. Raises: KeyError."""
        if form not in self._rows or form in self._each:
            raise KeyError(form)
        return late(partial(self.__getitem__, form))

    def each(self, form: str) -> tuple[re.Pattern[str], ...]:
        """Return a form's rows as patterns of their own, in order, as `late`; only for forms named in `apart`."""
        return self._each[form]

    def by(self, kinds: Iterable[Kind], prefix: str = "") -> tuple[tuple[Kind, re.Pattern[str]], ...]:
        """Return the forms named `prefix` and a kind, each with its kind and as `late`, in the file's order."""
        named = {prefix + kind.value: kind for kind in kinds}
        return tuple((named[form], self.late(form)) for form in self._rows if form in named)

    def compile(self) -> None:
        """Compile all forms but those of `each`, which are late. Raises: BadRow."""
        for form in self._rows.keys() - self._each.keys():
            _ = self[form]

    def rows(self) -> Mapping[str, tuple[Row, ...]]:
        """Return the rows by form."""
        return self._rows

    def part(self, name: str) -> str:
        """Return a part, or a form's pattern, as it is written for `re`."""
        if name in self._rows:
            return self._framed(name, "|".join(row.pattern for row in self._rows[name]))
        given = self._given[name] if name in self._given else self._parts[name]
        return self._filled(name, given if isinstance(given, str) else given())

    def alone(self, form: str, row: Row) -> re.Pattern[str]:
        """Return the pattern that a form would have with only this row."""
        return self._compiled(form, self._framed(form, row.pattern))

    def _framed(self, form: str, rows: str) -> str:
        return self._filled(form, self._frames.get(form, ROWS).replace(ROWS, rows))

    def _filled(self, form: str, pattern: str) -> str:
        try:
            return _PART.sub(lambda found: self.part(found[1]), pattern)
        except KeyError as missing:
            raise BadRow(self.file, form, 0, f"there is no part {missing}") from None

    def _compiled(self, form: str, pattern: str) -> re.Pattern[str]:
        flags = re.RegexFlag(0)
        for letter in self._flags.get(form, "i"):
            flags |= _FLAGS[letter]
        try:
            return re.compile(pattern, flags)
        except re.error as wrong:
            raise BadRow(self.file, form, 0, f"no pattern: {wrong}") from None

    def _typed(self, form: str, rows: object) -> tuple[Row, ...]:
        if not isinstance(rows, list) or not rows:
            raise BadRow(self.file, form, 0, "a form is a list of rows")
        return tuple(self._row(form, number, row) for number, row in enumerate(rows, 1))

    def _row(self, form: str, number: int, row: object) -> Row:
        if not isinstance(row, dict) or not all(isinstance(value, str) for value in row.values()):
            raise BadRow(self.file, form, number, "a row has texts by name")
        if odd := row.keys() - _KEYS:
            raise BadRow(self.file, form, number, f"a row has no {', '.join(sorted(odd))}")
        for name in ("pattern", "example", "counter"):
            if not row.get(name):
                raise BadRow(self.file, form, number, f"{name} is missing")
        return Row(**{"name": "", **row})

    def check(self) -> None:
        """Compile all forms and try each row's examples. Raises: BadRow: one does not fit, or is no pattern."""
        for form, rows in self._rows.items():
            for number, row in enumerate(rows, 1):
                pattern = self._each[form][number - 1] if form in self._each else self[form]
                if not self.finds(form, pattern, row.example):
                    raise BadRow(self.file, form, number, "its example does not fit")
                if self.finds(form, pattern, row.counter):
                    raise BadRow(self.file, form, number, "its counter-example fits")

    def finds(self, form: str, pattern: re.Pattern[str], text: str) -> bool:
        """Return whether a form's pattern matches where the code looks for that form."""
        finder = getattr(pattern, _FINDERS.get(self._at.get(form, ""), "search"))
        return finder(text) is not None


def lexicon(file: str, package: str = "exaim_core", **given: Given) -> Lexicon:
    """Return the forms of a package's `data/forms/<file>.toml`; `given` are parts that other modules own.

    Raises: BadRow.
    """
    try:
        table = tomllib.loads(data_text(f"forms/{file}.toml", package))
    except FileNotFoundError:
        raise BadRow(file, "?", 0, "there is no such file") from None
    except tomllib.TOMLDecodeError as wrong:
        raise BadRow(file, "?", 0, f"no TOML: {wrong}") from None
    forms = Lexicon(file, table, given)
    compiled_by_all(forms.compile)
    return forms
