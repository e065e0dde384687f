"""How clinicians write in a hurry, written out: layout of lists, signs, abbreviations, numbers in words.

The abbreviations and set terms are in `data/abbreviations.json`. Both a sentence and what it is held against go
through this, so that a doubtful expansion can hide a difference only where both have the same short form.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from exaim_core.datafiles import data_json
from exaim_core.names import NUMBER_WORDS


@dataclass(frozen=True, slots=True)
class _Lists:
    exact: dict[str, str]
    any_case: dict[str, str]
    terms: dict[str, tuple[tuple[str, str], ...]]  # by first word: (term, what it becomes), the longest first


@cache
def _lists() -> _Lists:
    raw = data_json("abbreviations.json")
    terms: dict[str, list[tuple[str, str]]] = {}
    for term, instead in raw["terms"].items():
        terms.setdefault(re.split(r"[ -]", term)[0], []).append((term, instead))
    return _Lists(
        raw["exact"],
        raw["any"],
        {first: tuple(sorted(found, key=lambda pair: -len(pair[0]))) for first, found in terms.items()},
    )


def written_out(text: str) -> str:
    """Return `text` in one line, its signs, abbreviations and set terms in words, larger numbers in digits."""
    text = _in_one_line(text)
    for pattern, instead in _SIGNS:
        text = pattern.sub(instead, text)
    text = _TOKEN.sub(_long_form, _in_one_term(text))
    return _OUT_OF.sub(r"\1/10", _digits(_in_one_term(text)))


# -- layout and signs --------------------------------------------------------------------------------

_MARKS: Final = re.compile(r"\*\*|__|`|^#{2,6}\s+|\A(?:[-*•–]|\d{1,2}[.)])\s+(?=\S)", re.MULTILINE)
_BULLET: Final = re.compile(r"\n\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_BREAK: Final = re.compile(r"(?P<stop>[.:;!?,]?)[ \t]*\n\s*(?P<next>\S)")


def _in_one_line(text: str) -> str:
    """Return a text of lines and lists as one line, a semicolon between what stood apart."""
    text = _BULLET.sub("\n\n", _MARKS.sub("", text.strip()))
    return _BREAK.sub(_joined, text).replace(" | ", "; ")


def _joined(match: re.Match[str]) -> str:
    apart = "\n\n" in match.group() or not match["next"].islower()
    return f"{match['stop'] or (';' if apart else '')} {match['next']}"


_SIGNS: Final = tuple(
    (re.compile(pattern), instead)
    for pattern, instead in (
        (r"#\s?(?=[A-Za-z])", "fracture "),
        (r"↑\s?", "high "),
        (r"↓\s?", "low "),
        (r"(?<![\w)])\?\s?(?=[A-Za-z])", "possible "),
        (r"[~≈]\s?(?=\d)", "about "),
        (r"(?<=[A-Za-z ])-ve\b", " negative"),
        (r"(?<=[A-Za-z ])\+ve\b", " positive"),
        (r"\b[wW]/o\b", "without"),
        (r"\b[wW]/(?=\s)", "with"),
        (r"\b[cC]/o\b", "complains of"),
        (r"\b[hH]/o\b", "history of"),
        (r"\b[fF]/[uU]\b", "follow-up"),
        (r"\b[sS]/[pP]\b", "after"),
        (r"\b[yY]/[oO]\b", "year old"),
        (r"(?<![\d/.])(\d{1,2})/52\b", r"\1 weeks"),
        (r"(?<![\d/.])(\d{1,2})/7\b(?![/.]\d)", r"\1 days"),
        (r"(?<![\d/.])(\d{1,2})/12\b(?![/.]\d)", r"\1 months"),
        (r"(?<![\d/.])(\d{1,2})/24\b(?![/.]\d)", r"\1 hours"),
        (r"(?<=\s)[x×]\s?(?=\d{1,2} ?(?:hour|day|week|month|year|h\b))", "for "),
        (r"(?<=\s)[x×]\s?(\d{1,2})(?![\w.])(?!\s?10)", r"\1 times"),
        (r"(?<![\d.] )(?<![\d/.])\bL(?=[,.;)]| [a-z#]|\Z)", "left"),
        (r"(?<![/.])\bR(?=[,.;)]| [a-z#]|\Z)", "right"),
        (r"(?<=[,;.:] )L(?= \d)", "left"),
        (r"(?<=[,;.:] )R(?= \d)", "right"),
        (r"\bT(?= ?\d\d)", "temperature"),
        (r"\b[Pp]ulse(?= (?:(?:is|was|of|at|now) )?\d)", "heart rate"),
        (r"\s*→\s*", ", then "),
        (r"\b[Nn]on-(?=[a-z]{4,})(?!invasive|steroid|specific|pharmac)", "not "),
        (r"\b([a-z]+)-free\b", r"no \1"),
        (r"(?<=\d) (?=000\b)", ""),
        (r"\bkilos\b", "kg"),
        (r"\b(over|in|for|within|every|after) an? (?=(?:hour|minute|day|week|month|year)\b)", r"\1 1 "),
    )
)


# -- abbreviations and set terms ---------------------------------------------------------------------

_TOKEN: Final = re.compile(r"(?<![\w-])[A-Za-z][A-Za-z0-9]*(?:[/&-][A-Za-z0-9]+)*\+?(?![\w-])")


def _long_form(match: re.Match[str]) -> str:
    lists, token = _lists(), match.group()
    return lists.exact.get(token) or lists.any_case.get(token.lower()) or token


_FIRST: Final = re.compile(r"(?<![\w-])[^\W\d_]+")


def _in_one_term(text: str) -> str:
    """Return `text` with set terms in one wording."""
    terms, low = _lists().terms, text.lower()
    if len(low) != len(text):
        return text
    made, done = list[str](), 0
    for match in _FIRST.finditer(low):
        if match.start() < done:
            continue
        for term, instead in terms.get(match.group(), ()):
            end = match.start() + len(term)
            if low.startswith(term, match.start()) and not low[end : end + 1].isalpha():
                made += [text[done : match.start()], instead]
                done = end
                break
    return "".join([*made, text[done:]])


_OUT_OF: Final = re.compile(r"\b(\d+) out of (?:ten|10)\b")

# -- numbers in words --------------------------------------------------------------------------------

_SMALL: Final = {
    word: number
    for number, word in enumerate(
        (*NUMBER_WORDS, "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")
    )
}
_TENS: Final = {
    word: 10 * tens
    for tens, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), 2
    )
}
_ONE: Final = "|".join((*_SMALL, *_TENS, "hundred", "thousand"))
_RUN: Final = re.compile(
    rf"\b(?:a (?=hundred|thousand))?(?:{_ONE})(?:(?:[ -]| and )(?:{_ONE}))*(?: point (?:{_ONE})(?: (?:{_ONE}))*)?\b",
    re.IGNORECASE,
)
_UNIT_NEXT: Final = re.compile(
    rf"[ -]?(?:(?:to|or|and) (?:{_ONE}|\d+)[ -]?)?(?:mg|mcg|g|kg|mL|ml|L|cm|mm|mmol|mmHg|units?|micrograms?|milligrams?|grams?|kilograms?|millilit\w+|lit(?:re|er)s?|cent[a-z]*|millimet\w+|seconds?|minutes?|hours?|days?|weeks?|months?|years?|degrees|beats|breaths|per ?cent|points?|over \d|out of ten)\b|\s?%",
    re.IGNORECASE,
)  # fmt: skip


def _digits(text: str) -> str:
    """Return `text` with numbers above twelve, with a decimal or before a unit in digits; small counts stay words."""
    if not any(word in text.lower() for word in (*_SMALL, *_TENS, "hundred", "thousand")):
        return text
    made, done = list[str](), 0
    for match in _RUN.finditer(text):
        words = match.group().lower()
        value = _value(words)
        if value is None or (
            value.isdigit() and int(value) < len(NUMBER_WORDS) and not _UNIT_NEXT.match(text, match.end())
        ):
            continue
        if text[max(0, match.start() - 7) : match.start()].lower().endswith("doctor "):
            continue
        made += [text[done : match.start()], value]
        done = match.end()
    return "".join([*made, text[done:]])


def _value(words: str) -> str | None:
    """Return the digits of a number in words; None for words that make no one number."""
    whole, _, decimals = words.partition(" point ")
    total, part = 0, 0
    for word in re.split(r"[ -]", whole):
        if word in ("and", "a"):
            continue
        if word == "hundred":
            part = max(part, 1) * 100
        elif word == "thousand":
            total, part = (max(part, 1)) * 1000, 0
        elif word in _TENS:
            if 0 < part < 10:  # "one sixty"
                part *= 100
            if part % 100:
                return None
            part += _TENS[word]
        else:
            small = _SMALL[word]
            if part % 100 and (part % 10 or small > 9 or part % 100 < 20):
                return None
            part += small
    digits = "".join(str(_SMALL[word]) for word in decimals.split() if word in _SMALL)
    return f"{total + part}.{digits}" if decimals else str(total + part)
