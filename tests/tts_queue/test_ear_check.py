"""The check backwards: what the rules make of any number is found whole, and what is changed is found out."""

from __future__ import annotations

import cProfile
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.gold.ear_rows import rows
from tts_queue.ear import segments, to_ear
from tts_queue.ear.aloud import read_aloud
from tts_queue.ear.check import differs, sign_by_sign
from tts_queue.ear.lexicon import LEXICON

whole = st.integers(0, 999_999).map(str)
decimal = st.tuples(st.integers(0, 9_999), st.text("0123456789", min_size=1, max_size=4)).map(
    lambda parts: f"{parts[0]}.{parts[1]}"
)
grouped = st.integers(1_000, 999_999_999).map(lambda number: f"{number:,}")
numbers = st.one_of(whole, decimal, grouped)
symbols = st.sampled_from(
    "mg mcg µg ug micrograms ng g kg mL ml L mmol µmol umol micromol mEq units U IU mmHg kPa % °C bpm mm cm "
    "m2 h hrs min days weeks months mg/kg mg/kg/day mcg/kg/min mL/kg/h mmol/L micromol/L umol/l g/dL mg/dL "
    "U/L units/h 10*9/L".split()
)
signs = st.sampled_from(["", "-", "−", "<", ">", "≥", "≤", "~", "±", "> ", "≤ ", "+"])
dashes = st.sampled_from(["-", "–", " - ", " – ", " -", "- ", " to "])


def said(text: str) -> str:
    return " ".join(token.spoken for token in to_ear(text) if token.spoken)


def spelled_out(text: str) -> bool:
    return any(token.spelled_out for token in to_ear(text))


def digits(text: str) -> list[str]:
    return [number.digits for number in read_aloud(said(text)).numbers]


def as_read(number: str) -> str:
    return number.replace(",", "")


@given(signs, numbers, st.sampled_from(["", " "]), symbols)
@example("-", "0.05", " ", "mg")
@example("", "2000", " ", "mL")
@example("", "20", "", "s")
@example("", "500", " ", "10*9/L")
def test_a_number_with_its_unit_is_said_whole(sign: str, number: str, blank: str, symbol: str) -> None:
    written = f"{sign}{number}{blank or (' ' if symbol[0].isdigit() else '')}{symbol}"
    assert not spelled_out(f"give {written} now")
    assert "".join(digits(f"give {written} now")).startswith(as_read(number))


@given(numbers, dashes, numbers, symbols)
@example("5", " - ", "10", "mg")
@example("5", " -", "10", "mcg")
def test_a_range_keeps_both_ends_and_says_to(low: str, dash: str, high: str, symbol: str) -> None:
    assume(not symbol[0].isdigit())
    written = f"{low}{dash}{high} {symbol}"
    assert not spelled_out(written)
    spoken = said(written)
    assert " to " in spoken and "minus" not in spoken
    assert "".join(digits(written)).startswith(as_read(low) + as_read(high))


@given(st.integers(2, 300), st.integers(1, 300))
def test_a_pressure_keeps_its_order(upper: int, lower: int) -> None:
    assume(lower not in (7, 12, 52))
    written = f"BP {upper}/{lower} mmHg"
    assert not spelled_out(written)
    assert "".join(digits(written)) == f"{upper}{lower}"


@given(st.integers(0, 23), st.integers(0, 59), st.sampled_from(["at {}", "{}", "from {} on", "{} h"]))
def test_a_time_of_day_keeps_its_digits(hour: int, minute: int, form: str) -> None:
    written = form.format(f"{hour:02}:{minute:02}")
    assert not spelled_out(written)
    assert "".join(digits(written)) == f"{hour:02}{minute:02}"


@given(
    st.dates(date(1900, 1, 1), date(2099, 12, 31)),
    st.sampled_from(["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y"]),
)
def test_a_date_keeps_its_day_and_its_year(day: Any, form: str) -> None:
    written = day.strftime(form)
    assert not spelled_out(written)
    found = digits(written)
    assert "".join(found).endswith(str(day.year))
    if form == "%Y-%m-%d" or day.day > 12:
        assert found[0] == str(day.day) and LEXICON.months[day.month - 1] in said(written)


@given(st.text("0123456789 -–−.,/:×x*^+<>~%mglLhI V", max_size=24))
def test_whatever_is_written_is_said_with_its_digits(text: str) -> None:
    """Whether by the rules or digit by digit: none is lost, and none is added."""
    for token in to_ear(text):
        assert not re.search(r"\d", token.spoken)
    for segment in segments(text):
        assert segment.spoken.strip()


CHANGED = [
    ("5 - 10 mg", "five, ten milligrams"),
    ("5 -10 mcg", "five minus ten micrograms"),
    ("-10", "ten"),
    ("10", "minus ten"),
    ("85 x 10*9/L", "one hundred nine"),
    ("85 x 10^9/L", "eighty-five times one hundred nine per litre"),
    ("318 micromol/L", "three hundred eighteen micromol, L"),
    ("318 micromol/L", "three hundred eighteen millimoles per litre"),
    ("5 mg", "five grams"),
    ("5 mg", "fifty milligrams"),
    ("0.5 mg", "five milligrams"),
    ("5.0 mg", "fifty milligrams"),
    ("15 mg", "fifty milligrams"),
    ("120/80", "one hundred eighty over twenty"),
    ("1/2 tablet", "one out of three tablet"),
    ("2024-03-05", "the third of May twenty twenty-four"),
    ("2024-03-05", "two thousand twenty-four to zero three zero five"),
    ("< 5", "above five"),
    (">38", "thirty-eight"),
    ("≥10", "at most ten"),
    ("left leg", "right leg"),
    ("left leg", "leg"),
    ("not given", "given"),
    ("given", "not given"),
    ("CD19-", "C.D nineteen"),
    ("14:30", "four thirty"),
    ("3 times", "four times"),
    ("1.2E-5", "one point two E five"),
    ("1.2E-5", "one point two times ten to the five"),
    ("2e-6", "two E six"),
    ("1.5×10-3", "one point five times ten to three"),
    ("− 5", "five"),
    ("the 110s", "the one hundred ten seconds"),
    ("HR 110s", "H.R one hundred ten seconds"),
    ("for 90s", "for nineties"),
]  # fmt: skip


@pytest.mark.parametrize(("written", "spoken"), CHANGED)
def test_a_change_is_found(written: str, spoken: str) -> None:
    assert differs(written, spoken)


NUMBER_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen twenty "
    "thirty forty fifty sixty seventy eighty ninety hundred thousand point minus left right not no without "
    "negative above below milligrams micrograms millilitres litre".split()
)


_SAID = {row.written: row.said for row in rows("develop")}


def _digits_of(spoken: str) -> str:
    return "".join(number.digits for number in read_aloud(spoken).numbers)


def corruptions() -> list[tuple[str, str]]:
    """Each row's spoken form with one word of weight left out, or put in place of another."""
    found: list[tuple[str, str]] = []
    for number, row in enumerate(rows("develop")):
        words = row.said.replace("-", " ").split()
        for at, word in enumerate(words):
            if word.strip(".,") in NUMBER_WORDS:
                other = NUMBER_WORDS[(number + at) % 24]
                found.append((row.written, " ".join([*words[:at], *words[at + 1 :]])))
                if other != word.strip(".,"):
                    found.append((row.written, " ".join([*words[:at], other, *words[at + 1 :]])))
    return found


def test_nearly_every_word_of_weight_that_is_lost_or_changed_is_found() -> None:
    """What passes says the same digits in other words: "three eighteen" for 318, "twenty four" for 2, 4."""
    made = corruptions()
    missed = [(written, spoken) for written, spoken in made if not differs(written, spoken)]
    assert len(made) > 2500
    others = [
        (written, spoken) for written, spoken in missed if _digits_of(spoken) != _digits_of(_SAID[written])
    ]
    assert others == []


def test_what_differs_is_said_sign_by_sign_and_told() -> None:
    tokens = to_ear("The address is 192.168.0.1 today.")
    assert [token.spelled_out for token in tokens] == [False, False, False, True, False]
    assert tokens[3].spoken == "one nine two point one six eight point zero point one"
    assert sign_by_sign("5-10mg") == "five dash one zero mg"


# Work ---------------------------------------------------------------------------------------------------

LONG = {
    "commas": "word word, ", "no stop": "word ", "stars": "*a ", "dashes": "1-", "doses": "5 mg ",
    "brackets": "[", "notes": "[1", "points": "a.", "headings": "# ", "tags": "<a ", "blanks": "0 000 ",
    "digits": "1", "list": "1,", "pauses": "a - ", "ranges": "5 - ", "strokes": "1/", "products": "2 x ",
    "addresses": "a@", "links": "www.", "romans": "stage IV, ", "intervals": "q6h ", "under": "_a_",
    "powers": "10^9/L ", "cited": "(A ", "dates": "5 March 2024 ", "lines": "a\n", "cells": "|a",
    "sentences": "Potassium is 6.9 mmol/L at 06:10; give 10 mL of 10% calcium, not 5 - 10 mg. ",
}  # fmt: skip


def calls(text: str) -> int:
    """Return how many functions written in Python are called for a text."""
    with cProfile.Profile(subcalls=False, builtins=False) as profile:
        segments(text)
    return sum(entry.callcount for entry in profile.getstats())


@pytest.mark.parametrize("name", LONG)
def test_eight_times_the_length_is_eight_times_the_work(name: str) -> None:
    part = LONG[name]
    once = part * (1_000 // len(part))
    assert calls(once * 8) <= 9.5 * calls(once)


@pytest.mark.parametrize("name", LONG)
def test_a_text_of_many_thousand_letters_is_said_and_no_stack_runs_out(name: str) -> None:
    segments(LONG[name] * (12_600 // len(LONG[name])))
