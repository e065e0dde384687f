"""What is written, as a clinician would say it: the develop half of tests/gold/ear."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.gold.ear_rows import Row, rows
from tts_queue.ear import to_ear

DEVELOP = list(rows("develop"))
# A network's address has four numbers between points; nobody says one, and the check makes digits of it.
SPELLED_OUT = {"192.168.0.1"}


@pytest.mark.parametrize("row", DEVELOP, ids=lambda row: f"{row.topic}: {row.written}")
def test_a_clinician_would_say_it_so(row: Row) -> None:
    assert row.met, f"{row.written!r} is said as {row.said!r}"


def test_there_are_enough_rows_and_none_twice() -> None:
    assert len(DEVELOP) >= 500
    assert max(Counter(row.written for row in DEVELOP).values()) == 1
    assert min(Counter(row.topic for row in DEVELOP).values()) >= 12


def test_what_the_rules_say_stands_the_check() -> None:
    told = {row.written for row in DEVELOP if any(token.spelled_out for token in to_ear(row.written))}
    assert told == SPELLED_OUT


def test_no_digit_and_no_sign_reaches_an_engine() -> None:
    left = [row.written for row in DEVELOP if re.search(r"[\d<>≥≤±~≈=+×*/^%°µ#|_\[\]{}→↑↓]", row.said)]
    assert left == []
