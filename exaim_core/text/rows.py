"""Rows of a lexicon: a form of words with an example and a counter-example, checked when they are loaded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property


class BadRow(ValueError):
    """A row of a lexicon does not fit its own examples; the message names the row."""


@dataclass(frozen=True)
class Row:
    """A form: `example` holds it and `counter` does not. `source` is where it is from, "own" for our wording.

    `reviewer` stays empty until a clinician has looked at the row.
    """

    name: str
    pattern: str
    example: str
    counter: str
    source: str = "own"
    reviewer: str = ""

    @cached_property
    def found_by(self) -> re.Pattern[str]:
        """Return the compiled pattern: any case, as whole words."""
        return re.compile(rf"(?<![\w-])(?:{self.pattern})(?![\w-])", re.IGNORECASE)


def checked(rows: Iterable[Row]) -> tuple[Row, ...]:
    """Return the rows. Raises: BadRow: one does not find its example, or finds its counter-example."""
    rows = tuple(rows)
    for row in rows:
        if row.found_by.search(row.example) is None:
            raise BadRow(f"{row.name}: its example does not fit")
        if row.found_by.search(row.counter) is not None:
            raise BadRow(f"{row.name}: its counter-example fits")
    return rows


def any_row(rows: Iterable[Row]) -> re.Pattern[str]:
    """Return one pattern that finds what any of the rows finds, as whole words in any case."""
    return re.compile(
        rf"(?<![\w-])(?:{'|'.join(row.pattern for row in checked(rows))})(?![\w-])", re.IGNORECASE
    )
