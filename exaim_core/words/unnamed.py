"""Name a value that stands without its name, by the sentences right before it: "Pulse 36." … "Thirty-eight now."

The sentence gives one number, and words that name nothing. It is of the thing that a sentence before it named last, if
the number may be a value of it and of nothing else that is named there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isnan
from typing import Final

from exaim_core.claims.limits import Limit, analytes_named
from exaim_core.claims.measured import readings
from exaim_core.text.figures import NUMBER_WORDS, in_figures
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence

NEAR: Final = 6  # sentences before a value that may name it
_FORMS: Final = lexicon("words/unnamed", words=NUMBER_WORDS)
_NUMBER: Final = re.compile(r"\d+(?:[./]\d+)*")
_MOST_CHARS: Final = 90
_MOST_TIMES: Final = 4.0  # more than so many times the value before is another thing
_SAID_AS: Final = {"Glasgow coma score": "GCS", "systolic blood pressure": "BP"}


def named(sentence: Sentence, before: Sequence[Sentence]) -> str:
    """Return the value that `sentence` gives, behind the name that `before` gave last; "" for none."""
    text = sentence.full
    if len(text) > _MOST_CHARS or text.endswith("?"):
        return ""
    sinus = _FORMS["sinus"].match(text)
    if sinus is not None:
        return f"heart rate {sinus['value']}"
    coma = _FORMS["coma"].search(text)
    if coma is not None and next(readings(text), None) is None:
        return f"GCS {sum(map(int, coma.groups()))}"
    if (found := _FORMS["value"].fullmatch(text)) is None or next(readings(text, sentence.above), None):
        return ""
    if _is_of_another_kind(found, before):
        return ""
    said = f"{found['value'].strip()}{found['tail'].rstrip(' .!')}"
    for earlier in reversed(before[-NEAR:]):
        fit = [
            told
            for limit, value, pair in _values(earlier)
            if pair <= ("/" in said) and (told := _told(limit, value, said))
        ]
        if fit:
            return fit[0] if len(fit) == 1 else ""
    return ""


def _is_of_another_kind(found: re.Match[str], before: Sequence[Sentence]) -> bool:
    """Return whether the number of `found` may as well be an age, a setting, or what was asked or ordered before it."""
    if _FORMS["of_person"].fullmatch(found.string) or _FORMS["set_to"].search(found["opening"]):
        return True
    last = before[-1].full if before else ""
    if last.endswith("?") and _FORMS["asks_else"].search(last):
        return True
    number = _NUMBER.search(in_figures(found["value"]))
    return number is not None and any(
        number.group() in _NUMBER.findall(in_figures(each.full)) and not _values(each) for each in before[-2:]
    )


def _values(sentence: Sentence) -> list[tuple[Limit, float | None, bool]]:
    """Return what a sentence gives the value of, with the value, and whether that is a pressure of two numbers.

    Of a question it is what it asks for.
    """
    given = {each.limit.name: each for each in readings(sentence.full, sentence.above)}
    if given:
        return [
            (each.limit, None if isnan(each.value) else each.value, "/" in each.given.quantity.number)
            for each in given.values()
        ]
    if not sentence.full.endswith("?"):
        return []
    asked = {each.limit.name: each.limit for each in analytes_named(sentence.full) if each.limit is not None}
    return [(limit, None, False) for limit in asked.values()]


def _told(limit: Limit, before: float | None, said: str) -> str:
    """Return `said` behind the name of what is measured, if it may be its value; "" if it may not."""
    text = in_figures(f"{_SAID_AS.get(limit.name, limit.name)} {said}")
    found = [each for each in readings(text) if each.limit is limit and not isnan(each.value)]
    if len(found) != 1:
        return ""
    far = before and not 1 / _MOST_TIMES <= found[0].value / before <= _MOST_TIMES
    return "" if far else text
