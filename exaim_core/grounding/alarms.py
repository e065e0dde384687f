"""Tell an alarm as a name and a value only if two readers that share nothing agree on it.

If the second reader (`values_seen.py`) has a doubt, nothing is lost: the agent's own words are told, just as early. If
they say that the value is somebody else's, of another time or no measured value, or forbid what would have been
asked for (`orders_seen.py`), they are told as an urgent quotation, and no alarm stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import POINTED, Claim, Kind, ListEnd, Worth
from exaim_core.claims.finding import IN_WORDS, Critical
from exaim_core.claims.quotes import worth_of
from exaim_core.grounding.orders_seen import is_kept_from, is_listed_elsewhere, is_of_a_book, is_replaced
from exaim_core.grounding.values_seen import Doubt, doubt_about, doubt_about_event, doubt_about_words
from exaim_core.text.boundaries import stopped
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 22  # words that are told in an alarm's place: ten seconds with the name
_UNFINISHED: Final = re.compile(
    r"(?:[,;]?\s+(?:and|or|but|with|which|that|because|as|since|from|the|an?|of|to|in|for))+\Z"
)
"""How a sentence ends that is still being written: an alarm does not wait for its end."""


def looked_at(
    made: Iterable[Claim | ListEnd], unit: Sentence, earlier: Sentence | None = None, patient: str = ""
) -> tuple[list[Claim | ListEnd], Claim | None]:
    """Return `made` with its alarms as they may be told, and the quotation that replaces a refused one.

    `earlier` is the sentence before in its turn, `patient` the patient's name as it was first said.
    """
    kept: list[Claim | ListEnd] = []
    quoted: Claim | None = None
    for claim in made:
        doubt = _doubt(claim, unit, "", patient) if isinstance(claim, Claim) else None
        if doubt is None and isinstance(claim, Claim) and earlier is not None:
            doubt = _doubt(claim, unit, earlier.full, patient)
            claim = claim if doubt is None else _behind(claim, earlier)
        if doubt is None or not isinstance(claim, Claim) or claim.critical is None:
            kept.append(claim)
            continue
        words = told_words(claim.text, claim.critical.value or claim.critical.order)
        if doubt is Doubt.UNREAD or not words:
            kept.append(replace(claim, critical=replace(claim.critical, words=words or POINTED)))
        elif quoted is None and (worth := _pressing(claim.critical, words)) is not None:
            quoted = replace(claim, kind=Kind.QUOTE, entity="", text=words, worth=worth, critical=None)
    if any(isinstance(claim, Claim) and claim.kind is Kind.CAUTION for claim in kept):
        return kept, None  # the same words are told as a ban
    return kept, quoted


def _behind(claim: Claim, earlier: Sentence) -> Claim:
    """Return an alarm with the sentence before it, which dates it, if both are short enough."""
    text = f"{earlier.full.rstrip(' ,;')} {claim.text}"
    fits = word_count(text) <= MOST_WORDS
    return replace(claim, text=text, source=earlier.source.to(claim.source)) if fits else claim


def _pressing(found: Critical, words: str) -> Worth | None:
    """Return the worth of the words of an alarm that was refused; None if they are no news.

    A value is news; a drug that is only named is not.
    """
    worth = worth_of(words)
    return None if found.order and not worth.presses else max(Worth.URGENT, worth)


def _doubt(claim: Claim, unit: Sentence, earlier: str, patient: str) -> Doubt | None:
    found = claim.critical
    if claim.kind is not Kind.CRITICAL or found is None or found.key.startswith("dose:"):
        return None
    if found.order:
        return None if found.running or not _is_no_order(claim.text, found.order) else Doubt.ELSEWHERE
    if found.key.startswith(IN_WORDS):
        return doubt_about_words(claim.text, unit.above)
    if not found.value:
        lone = " " not in found.name and found.key != f"cue:{found.name}"  # "fitted": who, and for how long
        return doubt_about_event(claim.text, unit.above) or (Doubt.UNREAD if lone else None)
    signs = [(found.mention, found.value)]
    signs += [(found.beside.mention, found.beside.value)] if found.beside else []
    doubts = [
        doubt_about(claim.text, name, value, unit.above, earlier=earlier, patient=patient)
        for name, value in signs
    ]
    return next((doubt for doubt in (Doubt.ELSEWHERE, Doubt.UNREAD) if doubt in doubts), None)


def _is_no_order(text: str, order: str) -> bool:
    looks = (is_kept_from, is_replaced, is_listed_elsewhere, is_of_a_book)
    return any(look(text, order) for look in looks)


def told_words(text: str, value: str) -> str:
    """Return the sentence that holds the value, a part of it, or that up to the value, if short enough."""
    parts = [part for part in stopped(text) if value in part]
    for words in (text, *parts, *(_up_to(part, value) for part in parts)):
        if word_count(words) <= MOST_WORDS:
            return _UNFINISHED.sub("", words.strip(" ;.,"))
    return ""


def _up_to(part: str, value: str) -> str:
    """Return a part of a sentence up to the end of the list item that holds the value."""
    comma = part.find(", ", part.find(value) + len(value))
    return part if comma < 0 else part[:comma]
