"""Decide whether a sentence can be told alone, or refers to words that were said before it.

A sentence that says "it", "the rest" or "if positive" means something only beside another. Told alone it says
nothing, or something else. So it is told with the sentence before it, or stands on the page only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.lexicon.named import (
    OF_NOTHING,
    POINTED,
    asks_of_nothing,
    is_bare_condition,
    is_elided,
    is_known,
    is_of_several,
    labelled,
    lacks_substance,
    limits_nothing,
    names,
    names_several,
    names_to_do,
    opens_condition,
    points_outside,
    unnamed,
)
from exaim_core.lexicon.prohibitions import allergy_named, names_forbidden, prohibits
from exaim_core.lexicon.terms import USE
from exaim_core.text.patterns import late
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import lower_first, upper_first, word_count

MOST_NEAR: Final = 8  # words before a number, or of the sentence before, that may name its one thing
MOST_SHORT: Final = 6  # words of a scrap
MOST_JOINED: Final = 30  # words of a sentence told with those that name its thing: twelve seconds
_FORMS: Final = lexicon("lexicon/alone")
_DOSE: Final = re.compile(
    r"\d ?(?:m?g|mcg|micrograms?|milligrams?|m?ls?|mils?|units?|bags?)\b(?! ?/ ?(?:[dm]?l|min)\b)",
    re.IGNORECASE,
)
_IS_CALLED: Final = re.compile(r"\b[Ii]t(?:['’]s| is| was)(?: \w+ly)? (?=(?:an?|the) )")
_CLOCK: Final = re.compile(r"\bat (?:[01]?\d|2[0-4])\Z", re.IGNORECASE)


@lru_cache(maxsize=4096)
def hangs(text: str) -> str | None:
    """Return what `text` needs and does not contain; None if it can be told alone."""
    lack = next((lack for lack, is_so in _LACKS if is_so(text)), None) or unnamed(text)
    return None if lack in _OF_A_THING and names_forbidden(text) else lack


@lru_cache(maxsize=4096)
def points_away(text: str) -> bool:
    """Return whether `text` refers to a thing that it does not name: by a pronoun, a number or a letter.

    An "it" whose condition is named right after it does not count: "it is a leak".
    """
    called = _IS_CALLED.search(text)
    if called is not None and names(text[called.end() :]):
        text = f"{text[: called.start()]}{text[called.end() :]}"
    return _points_back(text) or unnamed(text) == POINTED


def _points_back(text: str) -> bool:
    return _FORMS["always"].search(text) is not None


def _is_done_to_nothing(text: str) -> bool:
    label, bare = labelled(text)
    return _FORMS["participle"].match(bare) is not None and not (_has_thing(label) or names_condition(label))


def _depends_on_nothing(text: str) -> bool:
    """Return whether `text` opens with a condition whose thing no word or label names."""
    label, bare = labelled(text)
    opens = _FORMS["if"].match(text) or _FORMS["if"].match(bare)
    return opens is not None and not (names_condition(label) or names_to_do(label))


_GIVEN: Final = late(
    lambda: re.compile(
        rf"(?:please )?{USE.pattern} "
        r"(?!(?:it|this|that|these|him|her|them|me|us|another|about|only|just|at|to|up|over|for)\b)"
        r"[A-Za-z][\w-]+(?: [a-z][\w-]+)? \d",
        re.IGNORECASE,
    )
)
"""An order of something that nobody knows, with its amount: "Give Beriplex 3000 units"."""


def _is_amount_of_nothing(text: str) -> bool:
    _, bare = labelled(text)
    if _FORMS["amount_does"].match(bare) or (_FORMS["bare_amount"].search(bare) and not _has_thing(text)):
        return True
    amount = _FORMS["amount_clause"].search(text)
    if amount is None or _has_thing(text):
        return False
    before = re.split(r"[.!?]\s", text[: amount.start()])[-1]
    return not names(before) or opens_condition(before)


def _is_number_of_nothing(text: str) -> bool:
    """Return whether a number has no unit, and no measured thing stands before it."""
    number = _FORMS["bare_number"].search(text)
    if number is None or _CLOCK.search(text[: number.end()]):
        return False
    *earlier, before = re.split(r"[.!?]\s", text[: number.start()])
    before = " ".join(before.split()[-MOST_NEAR:])
    if earlier and len(earlier[-1].split()) <= MOST_NEAR:  # "QTc is 512 ms. Avoid it while above 500"
        before = f"{earlier[-1]} {before}"
    return not (
        names_test(before)
        or _FORMS["measured"].search(before)
        or _FORMS["of_a_thing"].search(text[: number.start("number")])
    )


def _has_thing(text: str) -> bool:
    return bool(drugs_named(text)) or names_test(text) or _GIVEN.match(labelled(text)[1]) is not None


POINTS_BACK: Final = "it points to what was said before"
_DONE_TO_NOTHING: Final = "what was done is not said of anything"
_OF_A_THING: Final = frozenset({_DONE_TO_NOTHING, OF_NOTHING})  # a ban's form names the thing
_LACKS: Final = (
    (POINTS_BACK, _points_back),
    (_DONE_TO_NOTHING, _is_done_to_nothing),
    ("on what it depends is not named", _depends_on_nothing),
    ("of what the amount is, is not said", _is_amount_of_nothing),
    ("of what the number is, is not said", _is_number_of_nothing),
)


def led_in(text: str, before: Sequence[str], most: int) -> tuple[int, str] | None:
    """Return how many sentences back its thing is named, and `text` after those sentences; or None.

    `before` are the sentences before it in its turn, the nearest last. It is told from the nearest on that names a
    thing, an order from the nearest that names a drug, in at most `most` words; else after the one drug that any of
    them names. None if there is neither. The number counts sentences back.
    """
    label, _ = labelled(text)
    if label and not names(label):
        return None  # a key of a list, whose thing need not be what was said last
    asks = is_dose_of_nothing(text) or asks_of_nothing(text) or is_elided(text)
    drugs = {drug for each in before for drug in drugs_named(each)}
    for names_it in _namers(text, asks=asks, drugs=bool(drugs)):
        if (found := led_from(text, before, most, names_it)) is not None:
            return found
    own = names_measure(text) and is_dose_of_nothing(text)  # it names what it is about: "dialysis, 2 units"
    if not asks or len(drugs) != 1 or drugs_named(text) or own:
        return None
    back = next(count for count in range(1, len(before) + 1) if drugs_named(before[-count]))
    return back, f"On {drugs.pop()}: {lower_first(text)}"


def is_dose_of_nothing(text: str) -> bool:
    """Return whether `text` has an amount as drugs are given in, and names no drug."""
    return _DOSE.search(text) is not None and not drugs_named(text)


def _namers(text: str, *, asks: bool, drugs: bool) -> Iterator[Callable[[str], object]]:
    """Yield tests whether a sentence names what `text` needs, the best first; `drugs`: one names a drug."""
    if lacks_substance(text):
        yield drugs_named
    elif asks:
        yield drugs_named if drugs else names_to_do if is_elided(text) else is_known
    else:
        if limits_nothing(text):
            yield drugs_named
        yield names


def led_from(
    text: str, before: Sequence[str], most: int, names_it: Callable[[str], object]
) -> tuple[int, str] | None:
    """Return how many sentences back one is for which `names_it` holds, and `text` told from there on; or None.

    `before` are the sentences before it in its turn, the nearest last; all told together are at most `most` words.
    """
    several = points_outside(text) and is_of_several(text)
    for count in range(1, len(before) + 1):
        whole = " ".join((*map(stopped_with, before[-count:]), upper_first(text)))
        if word_count(whole) > most:
            break
        named = names_it(before[-count]) and (not several or names_several(before[-count]))
        if (named or is_bare_condition(before[-1])) and not hangs(whole):
            return count, whole
    return None


def stopped_with(sentence: str) -> str:
    """Return the sentence with a stop, and without a quotation mark or an arrow before it."""
    bare = sentence.lstrip(" >→*•").rstrip(" ,;>")
    return bare if bare.endswith((".", "!", "?", ":")) else f"{bare}."


@lru_cache(maxsize=4096)
def is_scrap(text: str) -> bool:
    """Return whether `text` is so short that its thing was probably named before it.

    Of the judged quotations of so few words that name no drug, and are no ban, one in three was not true; of all others
    one in ten (docs/decisions/061). Not counted are bans, commands that name their thing, replacements, and a study
    with the condition that it shows or rules out.
    """
    words = [word for word in text.split() if any(each.isalnum() for each in word)]
    whole = _FORMS["names_its_object"].match(text.rstrip(" .!"))
    shown = names_test(text) and names_condition(text)
    return len(words) <= MOST_SHORT and not (
        whole or shown or commands(text) or prohibits(text) or drugs_named(text) or allergy_named(text)
    )


@lru_cache(maxsize=4096)
def commands(text: str) -> bool:
    """Return whether `text` opens with an act and its object: "Intubate now.", "Call the crash team"."""
    if _FORMS["act"].match(text):
        return True
    command = _FORMS["command"].match(text)
    return command is not None and names(text[command.end() :])
