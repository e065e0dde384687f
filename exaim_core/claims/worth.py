"""Estimate how likely a sentence holds a key point for a clinician, by a table of weights.

A mark is how the sentence is meant, what kinds of thing it names, how long it is, and how much was said before it. All
of them are read for other reasons anyway. The table is `data/worth.json`; `python -m lab.evaluation.worth_table` makes
it anew from the written discussions, and reports how well it ranks what it was not learned on (docs/decisions/125).

It chooses what is told into a silence, from what the rules accept as a quotation. It says nothing about truth.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.text.assertion import statuses_of
from exaim_core.text.datafiles import data_table
from exaim_core.text.names import is_moderator
from exaim_core.text.quantities import quantities
from exaim_core.text.units import Sentence

LEAST: Final = 0.4
"""The least likelihood of a sentence without a mark of worth that is told into a silence.

Six of ten such hold a key point (docs/decisions/125).
"""
_LENGTHS: Final = (4, 7, 11, 16, 22, 30)  # words
_DIGITS: Final = (0, 2, 4, 7)
_NO_DIGITS: Final = str.maketrans("", "", "0123456789")
_HEARD: Final = (50, 150, 300, 500, 800)  # words of the discussion before it


@dataclass(frozen=True, slots=True)
class WorthTable:
    """The weights of the marks, in log odds; `made` says by what and from which data."""

    made: str
    bias: float
    weights: Mapping[str, float]


def marks_of(agent_id: str, unit: Sentence, *, heard: int, follows: bool, presses: int = 0) -> Iterator[str]:
    """Yield the marks of a sentence.

    `heard`: the words of the whole discussion before it; `follows`: a sentence stands before it in its turn and under
    its heading; `presses`: its `quotes.Worth`, if that is urgent.
    """
    text = unit.full
    yield from (f"is {status}" for status in statuses_of(text, ""))
    yield f"length {bisect_left(_LENGTHS, len(text.split()))}"
    yield f"digits {bisect_left(_DIGITS, len(text) - len(text.translate(_NO_DIGITS)))}"
    yield f"heard {bisect_left(_HEARD, heard)}"
    if presses:
        yield f"presses {presses}"
    if drugs_named(text):
        yield "a drug"
    if names_condition(text):
        yield "a condition"
    if names_test(text):
        yield "a test"
    if names_measure(text):
        yield "a measure"
    if any(each.unit for each in quantities(text)):
        yield "a quantity"
    there = {
        "asks": "?" in text,
        "listed": unit.listed,
        "a row": unit.row,
        "opens": unit.opens,
        "the chair's": is_moderator(agent_id),
        "first line": unit.line_no <= 1,
        "follows": follows,
    }
    yield from (mark for mark, is_there in there.items() if is_there)


def likelihood(agent_id: str, unit: Sentence, *, heard: int, follows: bool) -> float:
    """Return how likely a sentence that is not urgent holds a key point, from 0 to 1.

    The arguments are those of `marks_of`.
    """
    table = data_table("worth.json", WorthTable)
    weights = table.weights
    odds = table.bias
    for mark in marks_of(agent_id, unit, heard=heard, follows=follows):
        odds += weights.get(mark, 0.0)
    return 1 / (1 + math.exp(-odds))
