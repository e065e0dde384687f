"""Keep sentences for answers that change nothing on the board."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from exaim_core.claims.claims import Claim, Kind, said_by
from exaim_core.claims.quotes import with_title
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.phrases import agrees, is_noise, is_question, withdrawn
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.keys import AGAINST, meaning
from exaim_core.text.quantities import quantities
from exaim_core.text.sections import Section
from exaim_core.text.units import JsonBlock, Sentence, Unit
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 40  # a longer one could not be spoken whole in an answer
LEAST_WORDS: Final = 4
# Sections that list or quote views, which the board keeps.
_LISTS: Final = frozenset({Section.DIFFERENTIAL, Section.DISAGREEMENT})
# About the discussion, not the patient; or a dissent, which the board keeps and which may end.
_ASIDE: Final = re.compile(
    r"^(?:I|we) (?:will|have|read|am|are|look|want|offer|disagree)\b|\bnot agree\b|\bdisagree|"
    r"^as (?:doctor|dr)|^The (?:disagreement|consensus)\b|\bplease\b|\bdifference of opinion\b",
    re.IGNORECASE,
)
MOST_SAID_WORDS: Final = 90  # words of one sentence that is kept as it was said
MOST_ASKED_WORDS: Final = (
    12  # words of a question that the next sentence may answer: "Gentamicin? I would leave it."
)
_NONE: Final = re.compile(r"\W*none\b[^?]*\Z", re.IGNORECASE)  # "None known.", to "any allergies?"
_ASKS: Final = re.compile(r"(?:shall|should) (?:I|we)\b", re.IGNORECASE)  # a question without its mark
_OF_THE_TALK: Final = re.compile(
    r"(?:thank(?:s| you)|(?:great|good|excellent|fair) (?:point|catch|question))\b[^,;:.]*[.!]?\Z"
    r"|let(?:['’]?s| us) (?:discuss|suppose|assume|imagine|say|talk)\b|please (?:confirm|share|clarify)\b",
    re.IGNORECASE,
)  # whatever they name: thanks, praise, what is supposed or asked for
_NOT_TO: Final = re.compile(
    r"\b(?:should|must|can|will|us|let['’]?s)(?: ?not|n['’]t| never)\b", re.IGNORECASE
)
VALUES: Final = "values"  # the heading of a line of a JSON object's short values
_ONE_VALUE: Final = 60  # characters: a longer value of a JSON object is a sentence of its own


def said_in(unit: Unit) -> tuple[Claim, ...]:
    """Return what `unit` says as it stands, for answers: a sentence with its heading, short JSON values.

    `label` is the heading and the term that it stands under, `under` its section. A question is kept: the
    sentence after it may be its answer.
    """
    if isinstance(unit, Sentence):
        text = with_title(unit)
        if not text or _says_nothing(unit, text) or word_count(text) > MOST_SAID_WORDS:
            return ()
        under = "; ".join(part for part in (unit.heading, unit.item or "") if part and part not in text)
        return (said_by(unit.source, Kind.FINDING, text, label=under, under=unit.section),)
    if isinstance(unit, JsonBlock):
        short = [
            (key, values)
            for key, values in unit.pairs
            if meaning(key).sense not in AGAINST and all(len(one) <= _ONE_VALUE for one in values)
        ]  # bans and exclusions are worded in `text/jsonstatements.py`: their reasons are no items
        single = "; ".join(f"{key}: {values[0]}" for key, values in short if len(values) == 1)
        lists = [f"{key}: {', '.join(values)}" for key, values in short if len(values) > 1]
        return tuple(
            said_by(unit.source, Kind.QUOTE, line, label=VALUES) for line in (single, *lists) if line
        )
    return ()


def _says_nothing(unit: Sentence, text: str) -> bool:
    """Return whether a sentence is noise for answers too.

    A courtesy's form tells nothing of what it holds: "We should not give enoxaparin", "Thank you, I would hold the
    aspirin". One that names a treatment, has a quantity or forbids something is kept.
    """
    if not is_noise(unit.text):
        return False
    if is_question(unit.text):
        asks = unit.text.endswith("?") and word_count(text) <= MOST_ASKED_WORDS
        return not asks and not _denies(unit)
    if _ASKS.match(unit.text) or _OF_THE_TALK.match(unit.text):
        return True
    if prohibits(unit.text) or _NOT_TO.search(unit.text):
        return False
    return not drugs_named(unit.text) and not any(found.unit for found in quantities(unit.text))


def _denies(unit: Sentence) -> bool:
    """Return whether a sentence is a bare "none" that answers the one before, or stands under allergies."""
    may_answer = not unit.heading or "allerg" in unit.heading.lower()
    return may_answer and _NONE.match(unit.text) is not None


def remarks_in(units: Iterable[Unit]) -> list[Claim]:
    """Return the sentences of `units` that state something outside lists of views, in order.

    Words for a leading view are remarks too: they are withdrawn with the view.
    """
    return [
        said_by(
            unit.source,
            Kind.LEADING if unit.section is Section.LEADING else Kind.FINDING,
            unit.full,
            label=(unit.item or "") if unit.section is not Section.LEADING else "",
        )
        for unit in units
        if isinstance(unit, Sentence)
        and unit.section not in _LISTS
        and LEAST_WORDS <= word_count(unit.full) <= MOST_WORDS
        and unit.text[-1:] not in "?:"
        and not _ASIDE.search(unit.text)
        and not is_noise(unit.text)
        and not agrees(unit.text)
        and withdrawn(unit.text) is None
    ]
