"""The numbers of a sentence in a model's own words: each with its unit, beside what it is a number of, and its time."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from exaim_core.binding import Said
from exaim_core.drugs import drugs_named
from exaim_core.paraphrase import WORD, concept, concepts, is_strict, like, telling
from exaim_core.quantities import Quantity, quantities

CORRECTS: Final = re.compile(
    r"\b(?:correct(?:ed|s|ion)?|misread|wrong|mislabel\w+|ha?emolysed|spurious|the repeat|mistake\w*|in error|mixed up|scratch|withdraw|take (?:that |it )?back|instead|transposed|typo|slip of|misspoke|I meant|should read)\b",
    re.IGNORECASE,
)

_BASE: Final = {
    "g": ("mg", 1000.0), "microgram": ("mg", 0.001), "kg": ("kg", 1.0), "l": ("ml", 1000.0), "mcg": ("mg", 0.001), "cm": ("mm", 10.0),
    "hour": ("minute", 60.0), "day": ("minute", 1440.0), "week": ("minute", 10080.0), "year": ("month", 12.0), "g/dl": ("g/l", 10.0), "mmol/l": ("micromol/l", 1000.0),
}  # fmt: skip
_PRONOUN: Final = re.compile(
    r"\b(?:it|this|that|they|these|those|its)\b(?! (?:morning|evening|afternoon|week|month|year))[^.;]*\Z",
    re.IGNORECASE,
)
_DOSES: Final = frozenset(
    {"mg", "g", "microgram", "mcg", "ml", "unit", "mg/kg", "mcg/kg", "unit/h", "ml/h", "mg/h", "mcg/kg/min"}
)
_WAS: Final = re.compile(r"\b(?:was|were|had been)\b[^.;]*\Z", re.IGNORECASE)
_NOW: Final = frozenset(concepts("now"))
_TIMES: Final = frozenset({"minute", "month", "s", "ms"})
_ABOUT: Final = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|some|circa)\s+\Z", re.IGNORECASE
)
_CUT: Final = re.compile(
    r"[;.:]\s|,\s|\s(?:and|with|but|from|then|if|when|once|unless|after|before|while|since|because|until)\s"
)
_STOP: Final = re.compile(r"[.;!?]\s")
_HEADS: Final = re.compile(
    r"\b(?:levels?|rates?|doses?|counts?|times?|age|weights?|values?|results?)\b", re.IGNORECASE
)
TIME_WORDS: Final = frozenset(concept(word) for word in "now yesterday morning night arrival admission january february march april may june july august september october november december later earlier ago first second third monday tuesday wednesday thursday friday saturday sunday".split())  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Number:
    written: tuple[float, ...]
    values: tuple[float, ...]  # in the base of its unit
    unit: str
    short: frozenset[str]  # where it has no unit: the units of the numbers before it in its sentence
    bag: frozenset[str]  # the telling words of its clause
    sentence: frozenset[str]
    near: tuple[str, ...]
    near_here: bool  # it has a word of its own before it
    after: tuple[str, ...]  # the telling word behind it
    times: frozenset[str]
    about: bool
    was: bool  # it is said of the past
    refers: bool  # "it", "this" stands before it: of what the sentence before was about


def _amount(quantity: Quantity) -> tuple[tuple[float, ...], tuple[float, ...], str]:
    unit, factor = _BASE.get(quantity.unit, (quantity.unit, 1.0))
    written = tuple(float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", quantity.number))
    return written, tuple(round(value * factor, 6) for value in written), unit


@lru_cache(maxsize=1024)
def numbers_of(text: str) -> tuple[_Number, ...]:
    """Return the numbers of `text` with what stands beside each; one without a word has that of the number before."""
    found = quantities(text)
    made: list[_Number] = []
    words_before: frozenset[str] = frozenset()
    drugs_before: frozenset[str] = frozenset()
    start = 0
    for end in [*(match.end() for match in _STOP.finditer(text)), len(text)]:
        words = frozenset(telling(text[start:end]))
        drugs = frozenset(concepts(" ".join(drugs_named(text[start:end]))))
        units: frozenset[str] = frozenset()
        while len(made) < len(found) and found[len(made)].start < end:
            one = _number(text, found, len(made), words, units)
            if made and not one.near_here and found[len(made) - 1].start >= start:
                one = replace(one, bag=one.bag | made[-1].bag)
            if one.refers:
                one = replace(one, bag=one.bag | words_before)
            if not drugs and found[len(made)].unit in _DOSES:  # of the drug that was named last
                one = replace(one, bag=one.bag | drugs_before)
            made.append(one)
            units |= {one.unit}
        words_before, drugs_before, start = words, drugs or drugs_before, end
    return tuple(made)


def _number(
    text: str, found: Sequence[Quantity], place: int, sentence: frozenset[str], units: frozenset[str]
) -> _Number:
    """Return a number as what stands between its neighbours tells of it."""
    quantity = found[place]
    is_last = place + 1 == len(found)
    before = text[found[place - 1].end if place else 0 : quantity.start]
    after = text[quantity.end : len(text) if is_last else found[place + 1].start]
    clause = re.split(r"[;.]\s", before)[-1]
    behind = re.split(r"[;:.,]\s" if is_last else r"[;:.,]\s|\s(?:and|but)\s", after)[0]
    piece = _CUT.split(clause)[-1]
    # the start of a course is not the time of a value
    when = re.sub(r"\bsince (?:last |this )?\w+", " ", behind)
    times = frozenset({*concepts(piece), *concepts(when)}) & TIME_WORDS
    written, values, unit = _amount(quantity)
    return _Number(
        written=written,
        values=values,
        unit=unit,
        short=frozenset() if unit else units,
        bag=frozenset({*telling(clause), *telling(behind)} - TIME_WORDS),
        sentence=sentence,
        near=_run(piece) or _run_after(_CUT.split(behind)[0]),
        near_here=bool(frozenset(telling(piece)) - TIME_WORDS or _HEADS.search(piece)),
        after=_next(behind),
        times=times,
        about=_ABOUT.search(before) is not None,
        was=_WAS.search(before) is not None and not _NOW & times,
        refers=_PRONOUN.search(before) is not None,
    )


def _run(before: str) -> tuple[str, ...]:
    """Return the telling words that stand together last before a number, the nearest first."""
    run: list[str] = []
    for word in reversed(WORD.findall(before)):
        if telling(word) and concept(word) not in TIME_WORDS:
            run.append(concept(word))
        elif run:
            break
    return tuple(run[:2])


def _next(behind: str) -> tuple[str, ...]:
    """Return the telling word that follows a number at once, as in "104/62 standing"."""
    first = WORD.match(behind.lstrip())
    return _run_after(first.group()) if first else ()


def _run_after(behind: str) -> tuple[str, ...]:
    return tuple(one for one in telling(behind) if one not in TIME_WORDS)[:1]


def numbers(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """Each number is in the cited text with its unit, beside the same thing, and at the same time."""
    homes = [number for each in _by_agent(said) for number in numbers_of(each)] + _put_right(said)
    known = frozenset(one for each in said for one in concepts(each.text))
    for number in numbers_of(told):
        same = [home for home in homes if _is_same(number, home)]
        if not same:
            return "a number is not in the cited text with this unit"
        near = [one for one in number.near if one not in names and like(one, known)]
        after = [one for one in number.after if one not in names and like(one, known)]
        if after and (number.unit or len(number.values) > 1) and _is_of_another(after, number, same, homes):
            return "a number belongs to another value in the cited text"
        if any(_is_of_another(near[: k + 1], number, same, homes) for k in range(len(near))):
            return "a number belongs to another value in the cited text"
        if (
            near
            and number.unit not in _TIMES
            and not any(_is_beside(one, home) for one in near for home in same)
        ):
            return "a number belongs to another value in the cited text"
        if _NOW & number.times and all(home.was for home in same):
            return "a number belongs to another time in the cited text"
        if number.times and _is_timed_other(number, same, homes):
            return "a number belongs to another time in the cited text"
        if number.times and not any(not home.times or home.times & number.times for home in same):
            return "a number belongs to another time in the cited text"
    return None


def _is_timed_other(number: _Number, same: Sequence[_Number], homes: Sequence[_Number]) -> bool:
    """Tell whether another number of the same thing has this number's time, and this one has it not."""
    if any(home.times & number.times for home in same):
        return False
    return any(
        other.times & number.times and other.unit == home.unit and other.bag & home.bag & number.bag
        for home in same
        for other in homes
        if other not in same
    )


def _is_beside(word: str, home: _Number) -> bool:
    """Tell whether `word` may be what the number is of: it stands in its clause, or loosely in its sentence."""
    return like(word, home.bag if is_strict(word) else home.sentence | home.bag)


def _is_of_another(
    words: Sequence[str], number: _Number, same: Sequence[_Number], homes: Sequence[_Number]
) -> bool:
    """Tell whether the cited text has `words` beside another number of that sort, and their last not beside this one."""
    if any(like(words[-1], home.bag) for home in same):
        return False
    others = (home for home in homes if home not in same and _is_comparable(number, home))
    return any(all(like(word, home.bag) for word in words) for home in others)


def _is_comparable(one: _Number, other: _Number) -> bool:
    """Tell whether two numbers may be mistaken for each other: of one unit, or one has none and neither is a time."""
    if one.unit == other.unit:
        return True
    return not (one.unit and other.unit) and not _TIMES & {one.unit, other.unit}


def _put_right(said: Sequence[Said]) -> list[_Number]:
    """Return the numbers of corrections as values of what they correct: "the repeat is 4.4 mmol/L"."""
    return [
        replace(number, bag=number.bag | old.bag)
        for place, source in enumerate(said)
        if CORRECTS.search(source.text)
        for number in numbers_of(source.text)
        for earlier in said[:place]
        for old in numbers_of(earlier.text)
        if number.unit == old.unit
    ]


def _by_agent(said: Sequence[Said]) -> list[str]:
    """Return each agent's words in one piece: what is left out in a sentence was said before it."""
    pieces: dict[str, list[str]] = {}
    for source in said:
        pieces.setdefault(source.agent if source.agent != "paper" else source.text, []).append(source.text)
    return [" ".join(texts) for texts in pieces.values()]


_USUAL: Final = {
    "/min": frozenset(concepts("rate heart pulse respiratory")),
    "mmhg": frozenset(concepts("pressure systolic diastolic")),
    "%": frozenset(concepts("saturation")),
    "°c": frozenset(concepts("temperature")),
}


def _goes_without(unit: str, home: _Number) -> bool:
    """Tell whether a number without a unit is of a thing that has this one everywhere."""
    return not home.unit and not home.bag.isdisjoint(_USUAL.get(unit, ()))


def _is_same(told: _Number, home: _Number) -> bool:
    if (
        told.unit
        and told.unit != home.unit
        and told.unit not in home.short
        and not _goes_without(told.unit, home)
    ):
        return False
    mine, other = (told.values, home.values) if told.unit == home.unit else (told.written, home.written)
    if mine == other or (len(mine) == 1 and mine[0] in other and len(other) == 2 and not told.unit):
        return True
    if not told.about or len(mine) != len(other):
        return False
    return all(abs(one - two) <= max(0.5, 0.02 * abs(two)) for one, two in zip(mine, other, strict=True))
