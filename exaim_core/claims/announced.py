"""Find the sentence that announces a correction: "Correction, the drug is propafenone", "I misread the chart: 60 kg".

Whoever opens a sentence so says that something told or written before was wrong. What it is about may be anything, of
the patient or of a relative's tablets. So it is told whatever its other marks say, if it goes on to say what is right.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from exaim_core.claims.whose import says_whose
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

LEAST_WORDS: Final = 3  # behind the announcement; fewer without a number say nothing of what is right
_FORMS: Final = lexicon("claims/announced")
_UNMEANT: Final = frozenset({Status.QUESTION, Status.CONDITIONAL})


@lru_cache(maxsize=2048)
def announces_correction(text: str) -> bool:
    """Return whether `text` opens as a correction and says in its words behind that what is right.

    A report may say it where it likes: "the lesion is amended from haemangioma to metastasis".
    """
    opened = _FORMS["announces"].match(text)
    says = opened is not None and _says_something(text[opened.end() :])
    if not says and _FORMS["alters"].search(text) is None:
        return False
    return not statuses_of(text, "") & _UNMEANT


@lru_cache(maxsize=2048)
def only_announces(text: str) -> bool:
    """Return whether `text` announces a correction that the next sentence gives: "Typo.", "Amended report 13:40."."""
    opened = _FORMS["announces"].match(text)
    return opened is not None and not _says_something(text[opened.end() :]) and not text.endswith("?")


def _says_something(rest: str) -> bool:
    """Return whether what stands behind the announcement says what is right: enough words, or a number.

    A time of the day is no such number: "Amended report 13:40." announces what comes next.
    """
    said = rest.lstrip(" ,:;.\u2013\u2014-")
    return word_count(said) >= LEAST_WORDS or (any(map(str.isdigit, said)) and ":" not in said)


def rights_outright(text: str) -> bool:
    """Return whether `text` is a correction by its form: it opens as one, or says whose something is."""
    return announces_correction(text) or says_whose(text)
