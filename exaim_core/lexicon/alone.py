"""Whether a sentence can be told by itself, or hangs on words that were said before it.

A sentence that says "it", "the rest" or "if positive" means something only beside another. Told alone it says
nothing, or something else. What hangs is told with the sentence before it, or stands on the page only.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("lexicon/alone")
_CLOCK: Final = re.compile(r"\bat (?:[01]?\d|2[0-4])\Z", re.IGNORECASE)
_LABEL: Final = re.compile(r"\A[^:;.]{2,60}:\s+")
_CLAUSE: Final = re.compile(r"[;:.?!–—](?=\s)|,\s")


@lru_cache(maxsize=4096)
def hangs(text: str) -> str | None:
    """Return on what `text` hangs that is not in it; None if it can be told by itself."""
    bare = _LABEL.sub("", text)
    if _FORMS["always"].search(text):
        return "it points to what was said before"
    if _FORMS["no_object"].search(text) and not _names_before(text, _FORMS["no_object"]):
        return "what it forbids is not named"
    label = text[: len(text) - len(bare)]
    if _FORMS["participle"].match(bare) and not (_has_thing(label) or names_condition(label)):
        return "what was done is not said of anything"
    if _FORMS["limits_only"].match(text):
        return "it limits what was said before"
    if any(_FORMS["opens_on_nothing"].match(part) for part in (text, bare)) and not _has_thing(label):
        return "of what it is said, is not named"
    if any(_FORMS["if"].match(part) for part in (text, bare)) and not _named(label):
        return "on what it depends is not named"
    if _FORMS["amount_does"].match(bare):
        return "of what the amount is, is not said"
    if _FORMS["bare_amount"].search(bare) and not _has_thing(text):
        return "of what the amount is, is not said"
    if (number := _FORMS["bare_number"].search(text)) is not None and _number_alone(text, number):
        return "of what the number is, is not said"
    point = _FORMS["points"].search(text)
    if point is not None and not _names_something(text[: point.start()]):
        return "what it points to is not named"
    return None


MOST_SHORT: Final = 6  # words


@lru_cache(maxsize=4096)
def is_scrap(text: str) -> bool:
    """Tell whether `text` is so short that what it is about was said before it, as its kind mostly does.

    Of the judged quotations of so few words that name no drug, and are no ban, one in three was not true; of all
    others one in ten (docs/decisions/061). A ban says what it is about, and so does what is put in another's place.
    """
    words = [word for word in text.split() if any(each.isalnum() for each in word)]
    if len(words) > MOST_SHORT or _FORMS["names_its_object"].match(text.rstrip(" .!")) or prohibits(text):
        return False
    return DRUG.search(text) is None and not drugs_named(text)


def _named(text: str) -> bool:
    """Tell whether a condition, a test, a drug or a measure is named."""
    return names_test(text) or names_condition(text) or names_measure(text) or bool(drugs_named(text))


def _has_thing(text: str) -> bool:
    return DRUG.search(text) is not None or bool(drugs_named(text)) or names_test(text)


def _names_before(text: str, words: re.Pattern[str]) -> bool:
    match = words.search(text)
    return match is not None and _has_thing(text[: match.start()])


def _number_alone(text: str, number: re.Match[str]) -> bool:
    """Tell whether a number has no unit, and nothing that is measured stands before it."""
    if _CLOCK.search(text[: number.end()]):
        return False
    *earlier, before = re.split(r"[.!?]\s", text[: number.start()])
    before = " ".join(before.split()[-8:])
    if earlier and len(earlier[-1].split()) <= MOST_NEAR:  # "QTc is 512 ms. Avoid it while above 500"
        before = f"{earlier[-1]} {before}"
    return not (
        names_test(before)
        or _FORMS["measured"].search(before)
        or _FORMS["of_a_thing"].search(text[: number.start("number")])
    )


MOST_NEAR: Final = 5  # words of a sentence before, whose one thing the number is of


def _names_something(before: str) -> bool:
    """Tell whether what stands before a pronoun names what it may point to."""
    return _named(_FORMS["acts"].sub(" ", before)) or _FORMS["determined"].search(before) is not None
