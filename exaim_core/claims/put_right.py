"""Find the values that a sentence takes back, denies, or gives to somebody else: they are not this patient's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from exaim_core.claims.critical import critical_findings, may_be_critical
from exaim_core.claims.finding import Critical
from exaim_core.claims.limits import Limit, analytes_named, may_measure
from exaim_core.claims.measured import (
    ENDS_PART,
    PART_CHARS,
    key_of,
    may_be_of,
    standing_in,
    value_places,
    values_named,
)
from exaim_core.claims.slips import MISGIVEN, slips, without_slip
from exaim_core.lexicon.withdrawn import ARTEFACT, is_artefact, takes_back_the_last
from exaim_core.text.assertion import NOT_OURS_NOW, Status, clauses, is_of_another, statuses_at
from exaim_core.text.quantities import Quantity, quantities


def values_taken_back(sentence: str) -> tuple[str, ...]:
    """Return the values that `sentence` takes back, critical or not, as `Critical.key`."""
    return tuple(dict.fromkeys(key_of(limit, quantity) for limit, quantity in _taken_back(sentence)))


def _taken_back(sentence: str) -> Iterator[tuple[Limit, Quantity]]:
    """Yield the values that `sentence` takes back, each with what is measured."""
    if not may_be_critical(sentence):
        return
    stands, found = standing_in(sentence), quantities(sentence)
    if not found or not (stands.gone or ARTEFACT.search(stands.words)):
        return
    for mention in analytes_named(sentence):
        limit = mention.limit
        first = next((each for each in found if each.start >= mention.end), None)
        if limit is None or first is None or not limit.reads(first.unit):
            continue
        span = (first.start, first.end)
        if span in stands.gone or is_artefact(stands.words, span, limit.name):
            yield limit, first


@lru_cache(maxsize=512)
def values_put_right(sentence: str) -> tuple[tuple[str, str], ...]:
    """Return the values that `sentence` says are not the patient's: name and number of each.

    It names the thing and denies the number beside the right one ("the haemoglobin is 118, not 48"), takes the value
    back, or gives it to somebody else ("that INR of 9.8 is bed 4's"). Suppositions, questions and past values do not
    count.
    """
    if len(sentence) > PART_CHARS or not may_measure(sentence) or sentence.rstrip().endswith("?"):
        return ()
    found = [(limit.name, each.number, each.start) for limit, each in _taken_back(sentence)]
    found += [*_denied(without_slip(sentence)), *_misgiven(sentence), *_slipped(sentence)]
    for place in value_places(sentence, ()):
        value = place.given.quantity
        if _OF.fullmatch(sentence, place.name[1], value.start) and _goes_to_another(sentence, value):
            found.append((place.limit.name, value.number, value.start))
    return tuple(
        dict.fromkeys(
            (name, number)
            for name, number, at in found
            if not statuses_at(sentence, at, at + len(number)) & _DOUBTED
        )
    )


def _denied(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Yield the numbers that are denied right after another one of the same, named thing."""
    since = 0
    for each in quantities(sentence):
        lead = _NOT.search(sentence, since, each.start)
        if lead is None or not ENDS_PART.match(sentence, each.end):
            continue
        before, since = sentence[since : lead.start()], each.end
        named = [*values_named(before)] if _OPENS_PLAINLY.match(before) else []
        if len(named) == 1 and named[0][1] != each.number and may_be_of(named[0][0])(each):
            if not statuses_at(sentence, each.start, each.end) & NOT_OURS_NOW:
                yield named[0][0], each.number, each.start


def _misgiven(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Yield the number that the speaker says to have given by mistake for a named thing."""
    slip = MISGIVEN.search(sentence)
    named = [each.limit for each in analytes_named(slip["what"]) if each.limit] if slip is not None else []
    if slip is None or len(named) != 1:
        return
    wrong, right = slip["wrong"].rstrip("."), slip["right"].rstrip(".")
    if wrong != right and (named[0].name, right) in values_named(sentence):
        yield named[0].name, wrong, slip.start("wrong")


def _slipped(sentence: str) -> Iterator[tuple[str, str, int]]:
    """Yield the numbers that the speaker puts right in the next clause, each with the name of the right one."""
    for slip in slips(sentence):
        wrong, right = sentence[slice(*slip.wrong)], sentence[slice(*slip.right)]
        yield from (
            (name, wrong, slip.wrong[0]) for name, number in values_named(sentence) if number == right
        )


def _goes_to_another(sentence: str, value: Quantity) -> bool:
    """Return whether the words after a value, in its clause, give it to somebody else."""
    clause = next((each for each in clauses(sentence) if each.start <= value.start < each.end), None)
    behind = sentence[value.end : clause.end] if clause is not None else ""
    return is_of_another(behind) and _IS_NOT.search(behind) is None


_NOT: Final = re.compile(
    r"[\s,(–—-]{1,3}(?:and |so )?(?:not|instead of|rather than) (?:the )?\Z", re.IGNORECASE
)
_OPENS_PLAINLY: Final = re.compile(
    r"[\W\d_]*(?:(?:sorry|correction|no|also|actually|wait|so|and|the|that|this|her|his|their|a|repeat|it reads|"
    r"(?:it )?should read|lab says|on the \w+|in (?:my|the|our) (?:\w+ )?(?:table|list|line|note|message|summary))"
    r"\W+){0,4}(?:(?!targets?|aims?|goals?|normal|usual)[\w⁺₂]+\W+){1,3}"
    r"(?:(?:is|reads|of|at|should (?:be|read)|now)\W+){0,3}\d[\d./]*",
    re.IGNORECASE,
)
"""How a correction of a value begins: with its name.

An aim, an hour or a doubt before it corrects nothing.
"""
_IS_NOT: Final = re.compile(r"\b(?:not|never|like|as)\b|n['’]t\b", re.IGNORECASE)
_OF: Final = re.compile(r" (?:\w{1,12} )?of ", re.IGNORECASE)
_DOUBTED: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.HEDGED, Status.BOOKS})


def is_taken_back(sentence: str, name: str, number: str, unit: str) -> bool:
    """Return whether `sentence`, read with the value's name, takes back a value it gives by number alone."""
    named = re.sub(
        rf"(?<![\w.])(?:(?:the|that|this) )?{re.escape(number)}(?![\w.]*\d)(?: ?{re.escape(unit)})?",
        lambda _: f"the {name} of {number} {unit}".rstrip(),
        sentence,
    )
    return any(key.partition("=")[0] == name for key in values_taken_back(named))


def numbers_taken_back(sentence: str, numbers: Iterable[str]) -> tuple[str, ...]:
    """Return which of `numbers`, given before, `sentence` takes back outright without naming the thing."""
    alike = {number for number in numbers if number in sentence}
    if not alike or sentence.rstrip().endswith("?"):
        return ()
    stands = standing_in(sentence)
    return tuple(
        each.number
        for each in quantities(sentence)
        if each.number in alike
        and ((span := (each.start, each.end)) in stands.gone or is_artefact(stands.words, span, ""))
        and not statuses_at(sentence, *span) & _UNSURE
    )


_UNSURE: Final = frozenset({Status.CONDITIONAL, Status.QUESTION, Status.HEDGED, Status.NEGATED})


def value_taken_back_after(before: str, sentence: str) -> Critical | None:
    """Return the one critical value of `before` if `sentence`, the next one, takes it back; else None.

    It is not taken back if the next sentence gives another critical value in its place, which without a name would not
    alarm.
    """
    if not takes_back_the_last(sentence) or len(quantities(before)) != 1:
        return None
    found = [finding for finding in critical_findings(before) if finding.value]
    if len(found) != 1:
        return None
    unit = found[0].value.removeprefix(quantities(before)[0].number)
    instead = (
        f"{each.number} {each.unit}" if each.unit else each.number + unit for each in quantities(sentence)
    )
    return None if any(critical_findings(f"{found[0].mention} {value}") for value in instead) else found[0]
