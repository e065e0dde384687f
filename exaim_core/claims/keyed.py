"""Word a JSON value with its key if that names its thing: {"metformin": "stop"} → "metformin: stop"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from exaim_core.claims.quotes import says_little
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_condition, names_test
from exaim_core.lexicon.named import names_to_do
from exaim_core.text.keys import AGAINST, KeySense, is_known, meaning, plain_key, rules
from exaim_core.text.sections import Section, classify_key
from exaim_core.text.units import Sentence
from exaim_core.text.wording import lower_first, word_count

MOST_WORDS: Final = 12  # words of a value that names nothing; a longer one names its thing itself


def behind_its_key(unit: Sentence) -> Sentence:
    """Return a value that names nothing after its key, if the key is its thing or it only rules on it.

    The order or ban is told in these words.
    """
    key = unit.above[-1] if unit.keyed and unit.above else ""
    text = unit.text.rstrip(" .")
    if not key or unit.item or not unit.opens or unit.doubted or unit.heading != plain_key(key):
        return unit
    if is_known(key) or classify_key(key) is not Section.OTHER or says_little(unit.heading):
        return unit
    if not text or word_count(text) > MOST_WORDS or _names_one(text) or text.startswith(unit.heading):
        return unit
    to_do = names_to_do(unit.heading)
    whole = meaning(text).sense in _RULINGS
    if not (whole or to_do or names_condition(unit.heading)):
        return unit
    return replace(
        unit, text=f"{unit.heading}: {lower_first(text)}", doubted=whole or (to_do and rules(text))
    )


def _names_one(words: str) -> bool:
    """Return whether words name the thing that they are about; a verb such as "start" does not."""
    return bool(drugs_named(words)) or names_condition(words) or names_test(words)


_RULINGS: Final = AGAINST | {KeySense.TO_DO}
