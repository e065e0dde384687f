"""A claim of a sentence, which of its words name a diagnosis, and on what an order hangs."""

from __future__ import annotations

import re
from dataclasses import replace

from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon import phrases
from exaim_core.lexicon.terms import LEADING_WORDS, names_a_view
from exaim_core.text.reader import Sentence
from exaim_core.text.wording import word_count


def claim_of(agent_id: str, kind: Kind, unit: Sentence, **facts: object) -> Claim:
    """Return a claim that is the whole sentence, with `facts` (fields of `Claim`) of its own."""
    base = Claim(agent_id, kind, "", unit.full, unit.source, raw=unit.item or "", under=unit.section)
    return replace(base, **facts)  # type: ignore[arg-type]


def joined(first: str, unit: Sentence) -> str:
    """Return `first` with the words of `unit`, unless it holds them."""
    return first if unit.full in first else f"{first} {unit.full}"


def bold_term(unit: Sentence) -> str | None:
    """Return the bold diagnosis of a sentence, the first that may be one."""
    bolds = (bold.strip(" .") for bold in unit.bolds)
    return next((bold for bold in bolds if word_count(bold) <= LEADING_WORDS and names_a_view(bold)), None)


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
