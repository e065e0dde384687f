"""Know an order by its grammar: a verb that opens the sentence, and the patient, or a part of them, as its object.

"Prone him", "Cool her with fans": whatever the verb is, the sentence bids something to be done to the patient. No list
of such verbs is needed, only the closed classes of words that are none: prepositions, conjunctions, auxiliaries, past
forms, and verbs of talk.
"""

from __future__ import annotations

from typing import Final

from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("lexicon/bidding")


def bids(text: str) -> bool:
    """Return whether `text` bids something to be done to the patient, or a team to be called."""
    if text.rstrip().endswith("?"):
        return False
    if _FORMS["calls"].match(text) is not None or _FORMS["puts"].match(text) is not None:
        return True
    found = _FORMS["does"].match(text) or _FORMS["does_to"].match(text)
    return found is not None and _FORMS["no_verb"].fullmatch(found["verb"]) is None
