"""A claim of a sentence, which of its words name a diagnosis, and on what an order hangs."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon import phrases
from exaim_core.lexicon.kinds import names_condition
from exaim_core.lexicon.terms import LEADING_WORDS, MAX_TERM_WORDS, names_a_view, sentence_like
from exaim_core.text.assertion import NOT_OURS, Status, statuses_at, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, classify_label
from exaim_core.text.units import Sentence
from exaim_core.text.wording import word_count


def claim_of(agent_id: str, kind: Kind, unit: Sentence, **facts: object) -> Claim:
    """Return a claim that is the whole sentence, with `facts` (fields of `Claim`) of its own."""
    base = Claim(agent_id, kind, "", unit.full, unit.source, raw=unit.item or "", under=unit.section)
    return replace(base, **facts)  # type: ignore[arg-type]


_FORMS: Final = lexicon("claims/claim_words")
_LED_IN: Final = re.compile(
    r".*\b(?:that|believe|think|feel|hold|maintain|argue|agree)\s+", re.IGNORECASE | re.DOTALL
)
_WHY: Final = re.compile(r"\s+(?:given|because|since|on|by|and|but|although|secondary to)\s+")
_SUPPOSED: Final = NOT_OURS | {Status.CONDITIONAL}
"""A doubt is not among them: it stands with what it is about ("…, probably type A"), which is grounding's to see."""


def labelled_view(text: str) -> str | None:
    """Return the view that a sentence names as a label would; None without one.

    The name stands behind its label or before it: "My leading diagnosis is gout", "Gout remains the most likely
    diagnosis". A clause that asks, denies, supposes or tells of another's view names none.
    """
    for form in ("named_behind", "named_before"):
        if (found := _FORMS[form].search(text)) is not None and _is_held(text, found):
            return _view(found["view"])
    return None


def _is_held(text: str, found: re.Match[str]) -> bool:
    """Tell whether a sentence that names a view by its label holds it."""
    if _FORMS["anothers"].search(text[: found.start()]):
        return False
    return not statuses_of(text, "") & _SUPPOSED and Status.NEGATED not in statuses_at(text, *found.span())


def _view(words: str) -> str | None:
    view = _WHY.split(_LED_IN.sub("", words))[0].strip(" *")
    return view if word_count(view) <= MAX_TERM_WORDS and names_condition(view) else None


def bold_term(unit: Sentence) -> str | None:
    """Return the bold diagnosis of a sentence, the first that may be one: a label or a clause is none."""
    for bold in (bold.strip(" .") for bold in unit.bolds):
        named = classify_label(bold) is Section.OTHER and not sentence_like(bold)
        if named and word_count(bold) <= LEADING_WORDS and names_a_view(bold):
            return bold
    return None


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
