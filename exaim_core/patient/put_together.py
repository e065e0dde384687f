"""Whether the sentence that states a hazard itself puts it together with a drug: nobody has to be told to check it.

"Metformin-associated lactic acidosis", "HR 49 after the labetalol", "no ondansetron: QTc 506". A list that has both
puts nothing together: "asthma, atrial fibrillation, bisoprolol".
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.lexicon.drugs import drugs_meant, drugs_named
from exaim_core.patient.treatments import TreatmentMention, treatments_named
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("patient/put_together")
Span = tuple[int, int]


def puts_together(text: str, drug: TreatmentMention, hazard: str) -> bool:
    """Return whether `text`, which states `hazard` in these words, names `drug` or its class with it.

    It is named in the same part of the sentence, behind or before words that link the two, or before a colon.
    """
    stated = _place(text, hazard)
    if stated is None:
        return False
    return any(_linked(text, each, stated) for each in _named(text, drug, stated))


def _place(text: str, hazard: str) -> Span | None:
    """Return the place of the hazard's words; of a value that of its number, if more stands before it."""
    for words in (hazard, hazard.rpartition(" ")[2]):
        found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)
        if found is not None:
            return found.span()
    return None


def _named(text: str, drug: TreatmentMention, stated: Span) -> list[Span]:
    """Return where `text` names the drug or its class; not where the hazard's own name does: "heparin-induced …"."""
    meant = drugs_meant(drug.word) | {drug.word.lower()}
    return [
        (each.start, each.end)
        for each in treatments_named(text)
        if not stated[0] <= each.start < stated[1]
        and ((drugs_named(each.word) | {each.word.lower()}) & meant or _is_its_class(each, drug))
    ]


def _is_its_class(mention: TreatmentMention, drug: TreatmentMention) -> bool:
    """Return whether a name is of a whole group that the drug is in: "SGLT2 inhibitor" for dapagliflozin."""
    return bool(mention.groups & drug.groups) and _FORMS["class"].search(mention.word) is not None


def _linked(text: str, drug: Span, stated: Span) -> bool:
    parts = _parts(text)
    of_drug, of_hazard = (
        next(part for part in parts if part[0] <= span[0] < part[1]) for span in (drug, stated)
    )
    if _FORMS["bans"].search(text[slice(*of_drug)]):
        return True
    if _FORMS["goes_in"].search(text[slice(*of_drug)]):
        return False  # somebody still has to stop it
    if of_drug == of_hazard:
        return True
    if drug[0] < stated[0] and ": " in text[drug[1] : stated[0]]:
        return True
    return any(_FORMS["links"].search(text[slice(*part)]) for part in (of_drug, of_hazard))


def _parts(text: str) -> list[Span]:
    """Return the places of the items and clauses of `text`."""
    starts = [0, *(match.end() for match in _FORMS["part"].finditer(text))]
    return [*zip(starts, [*starts[1:], len(text) + 1], strict=True)]
