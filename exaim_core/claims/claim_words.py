"""A claim of a sentence, which of its words name a diagnosis, and on what an order hangs."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon import phrases
from exaim_core.lexicon.terms import names_a_view, sentence_like
from exaim_core.text.reader import Sentence
from exaim_core.text.wording import word_count


def claim_of(agent_id: str, kind: Kind, unit: Sentence, **facts: object) -> Claim:
    """Return a claim that is the whole sentence, with `facts` (fields of `Claim`) of its own."""
    base = Claim(agent_id, kind, "", unit.full, unit.source, raw=unit.item or "", under=unit.section)
    return replace(base, **facts)  # type: ignore[arg-type]


def joined(first: str, unit: Sentence) -> str:
    """Return `first` with the words of `unit`, unless it holds them."""
    return first if unit.full in first else f"{first} {unit.full}"


def stated_term(unit: Sentence) -> str | None:
    """Return the leading diagnosis that a sentence states; its bold words are taken first."""
    stated = phrases.stated_lead(unit.text)
    if stated is None:
        return None
    bold = bold_term(unit)
    if bold and stated in bold and sentence_like(bold):
        return stated  # the bold words are the statement, and not the term in it
    return (
        bold if bold and (bold in stated or stated in bold or stated.lower() in unit.text.lower()) else stated
    )


_NEXT: Final = re.compile(
    r" (?!(?:is|are|was|were|as|and|or|with|without|due|secondary|from|in|on|of|at|for|by|to|has|have|had|remains?|stays?|seems?|appears?|leads?|fits?|explains?|should|must|can|could|would|will|may|might|given|because|since|but|that|which|who|after|before|made|caused|complicat\w+|rather|over|above|not|until|here|now|first|then|best|still|comes?|also|only|based|through|via|than|following|alongside|along|together)\b)[a-z][a-z-]+",
)


def _goes_on(text: str, bold: str) -> bool:
    """Tell whether bold words end in the midst of a phrase: "obstructed **left** kidney"."""
    at = text.find(bold)
    if at < 0 or word_count(bold) > 2:
        return False
    return _NEXT.match(text[at + len(bold) :]) is not None


def bold_term(unit: Sentence) -> str | None:
    """Return the bold diagnosis of a sentence; two that a "with" joins make one."""
    bolds = [
        re.sub(r"^(?i:the )?(?i:most likely diagnosis)(?: (?:is|remains))?\s*", "", bold).strip(" .")
        for bold in unit.bolds
    ]
    bolds = [
        bold
        for bold in bolds
        if bold
        and word_count(bold) <= 14
        and names_a_view(bold)
        and not _goes_on(unit.text, bold)
        and not re.fullmatch(r"(?i)doctor ?\d|supervisor", bold)
    ]
    if not bolds:
        return None
    if len(bolds) > 1 and (
        join := re.search(
            re.escape(bolds[0]) + r"( (?:with (?:\w+ )?|or |and ))" + re.escape(bolds[1]), unit.text
        )
    ):
        if " or " in join[1] and bolds[0].lower() in bolds[1].lower():
            return bolds[0]
        return bolds[0] + join[1] + bolds[1]
    return bolds[0]


def action_condition(unit: Sentence) -> str | None:
    """Return what an order waits for, as written; "" if it is too long to be said, None for nothing."""
    if re.match(r"(?:only )?(?:if|once|when|unless)\b", unit.text, re.IGNORECASE) or re.search(
        r"\bonly if\b", unit.text, re.IGNORECASE
    ):
        return phrases.condition_in(unit.item or "", unit.text)
    waits = re.search(
        r"(?:^|, )((?:once|unless|only when|only after|provided)\b(?:[^,.;]|\.(?=\d))*)",
        unit.text,
        re.IGNORECASE,
    )
    return (waits[1].strip() if word_count(waits[1]) <= 9 else "") if waits and unit.item else None
