"""Find the drugs that gave the patient a grave reaction, told as a story: "went grey when they gave her cefazolin".

What happened, a word of time or cause, and a drug have to stand in one clause, in either order. A drug that was given
for what happened is none: it stands behind "so", or is named with the reaction ("needed adrenaline").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from exaim_core.patient.treatments import TreatmentMention, treatments_named
from exaim_core.text.assertion import Status, statuses_around
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("patient/reaction_stories")
_SUPPOSED: Final = re.compile(r"\b(?:if|unless|in case|should|would|could|may|might)\b", re.IGNORECASE)
_TOLD: Final = frozenset({Status.PAST, Status.CONDITIONAL})
"""How a story may be marked: its "when" tells a time, and supposes nothing."""
MOST_BETWEEN: Final = 70  # characters between what happened and the drug


@lru_cache(maxsize=1024)
def blamed(text: str) -> tuple[TreatmentMention, ...]:
    """Return the drugs of which `text` says that they gave this patient a grave reaction."""
    named = treatments_named(text)
    if not named or text.endswith("?") or _SUPPOSED.search(text):
        return ()
    places = _reactions(text)
    return tuple(each for each in named if _is_meant(text, each) and _is_blamed(text, each, places))


def _is_blamed(text: str, drug: TreatmentMention, reactions: list[tuple[re.Match[str], bool]]) -> bool:
    behind = text[drug.end :]
    if _FORMS["anaphylaxis"].search(behind) or _FORMS["behind_drug"].match(behind):
        return True
    return any(_told_together(text, drug, reaction, of_skin=of_skin) for reaction, of_skin in reactions)


def _told_together(text: str, drug: TreatmentMention, reaction: re.Match[str], *, of_skin: bool) -> bool:
    """Return whether a word of time or cause puts a drug and a reaction together within one clause."""
    if reaction.end() <= drug.start:
        between = text[reaction.end() : drug.start]
        linked = _FORMS["when"].search(between) or (_FORMS["with"].search(between) if of_skin else None)
        others = any(reaction.end() <= each.start < drug.start for each in treatments_named(text))
        ended = _FORMS["ended"].match(text, drug.end) or _FORMS["after_another"].search(between)
        return linked is not None and not ended and not others and _is_one(between)
    between = text[drug.end : reaction.start()]
    before = _FORMS["breaks"].split(text[: drug.start])[-1]
    was_so = _FORMS["ended"].match(between) or _FORMS["was_so"].search(between)
    return not was_so and _FORMS["when"].search(before[-MOST_BETWEEN:]) is not None and _is_one(between)


def _is_one(between: str) -> bool:
    return len(between) <= MOST_BETWEEN and _FORMS["breaks"].search(between) is None


def _reactions(text: str) -> list[tuple[re.Match[str], bool]]:
    """Return what is told as happened to this patient, each with whether it is of the skin or mouth."""
    return [*_found(text, "rescued", of_skin=False), *_found(text, "swelled", of_skin=True)]


def _found(text: str, form: str, *, of_skin: bool) -> Iterator[tuple[re.Match[str], bool]]:
    for match in _FORMS[form].finditer(text):
        if not statuses_around(text, *match.span()) - _TOLD:
            yield match, of_skin


def _is_meant(text: str, drug: TreatmentMention) -> bool:
    return not statuses_around(text, drug.start, drug.end) - _TOLD
