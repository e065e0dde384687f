"""Every pattern of the tables of words that take a value back finds its own example."""

from __future__ import annotations

import re
from typing import Any

import pytest

from exaim_core.lexicon import withdrawn_words as words


def rows(table: words.Rows) -> list[Any]:
    """Return the rows of a table as parameters, each by its example."""
    return [pytest.param(*row, id=row.example.strip()) for row in table]


@pytest.mark.parametrize(("example", "pattern"), rows(words.LOOK_ALIKES))
def test_a_look_alike_is_found_in_its_example(example: str, pattern: str) -> None:
    assert re.search(pattern, example, re.IGNORECASE)


@pytest.mark.parametrize(("example", "pattern"), rows(words.BEFORE_VALUE))
def test_what_stands_before_a_value_leads_to_its_name(example: str, pattern: str) -> None:
    assert re.search(pattern + words.LEADS_TO, example, re.IGNORECASE)


@pytest.mark.parametrize(("example", "pattern"), rows(words.AFTER_VALUE))
def test_what_stands_after_a_value_is_all_of_its_example(example: str, pattern: str) -> None:
    assert re.fullmatch(rf"{pattern}\.", example, re.IGNORECASE)


@pytest.mark.parametrize(("example", "pattern"), rows(words.SURELY + words.OF_VALUES))
def test_what_a_value_may_be_is_all_of_its_example(example: str, pattern: str) -> None:
    assert re.fullmatch(pattern, example, re.IGNORECASE)


@pytest.mark.parametrize(("example", "pattern"), rows(words.NEXT_SENTENCE))
def test_a_next_sentence_begins_as_its_example(example: str, pattern: str) -> None:
    assert re.match(pattern, example, re.IGNORECASE)
