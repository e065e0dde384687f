"""A claim of a sentence, which of its words name a diagnosis, and on what an order hangs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon import phrases
from exaim_core.lexicon.kinds import names_condition
from exaim_core.lexicon.terms import LEADING_WORDS, MAX_TERM_WORDS, names_a_view
from exaim_core.text.sections import Section, classify_label
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count


def claim_of(agent_id: str, kind: Kind, unit: Sentence, **facts: object) -> Claim:
    """Return a claim that is the whole sentence, with `facts` (fields of `Claim`) of its own."""
    base = Claim(agent_id, kind, "", unit.full, unit.source, raw=unit.item or "", under=unit.section)
    return replace(base, **facts)  # type: ignore[arg-type]


_SAYS: Final = re.compile(
    r"\A(?:(?:so|and|my|our|the)\s+)*(?P<label>[\w -]{4,40}?)\s+(?:is|remains)\s+(?P<view>[^,.;:()]+)",
    re.IGNORECASE,
)


def labelled_view(text: str) -> str | None:
    """Return the view that a sentence names as a label would: "My leading diagnosis is gout."; None without one."""
    said = _SAYS.match(text)
    if said is None or text.endswith("?") or classify_label(said["label"]) is not Section.LEADING:
        return None
    view = re.split(r"\s+(?:given|because|since|on|by|and|but|although)\s+", said["view"])[0].strip(" *")
    return view if word_count(view) <= MAX_TERM_WORDS and names_condition(view) else None


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
