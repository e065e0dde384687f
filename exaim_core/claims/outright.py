"""What is stated outright: a claim stands only if its sentence says so of this patient, now.

Each reader of claims finds what a sentence may say; this one looks at the finished claim and its sentence
again, and at nothing of how it was found. What does not pass is no claim: its sentence may be quoted.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.claims.claims import IMPORTANT, Claim, Kind, Stance
from exaim_core.lexicon.kinds import may_be_named, names_condition, names_test, says_something
from exaim_core.lexicon.terms import sentence_like
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section

_FORMS: Final = lexicon("claims/outright")

_NO_VIEW: Final = re.compile(r"(?:not?|never|without)\b|(?!.*[^\W\d_]{5}).*\d", re.IGNORECASE | re.DOTALL)
"""What stands under "Impression" and is no view: that something is not so, or a scan and its time."""
_TITLED: Final = frozenset({Section.LEADING, Section.AGREEMENT})
_BREAKS_LEAD: Final = frozenset(
    {Status.CONDITIONAL, Status.QUESTION, Status.OTHER_PERSON, Status.BOOKS, Status.PAST}
)
_BREAKS_FINDING: Final = frozenset({Status.QUESTION, Status.OTHER_PERSON, Status.BOOKS})
_BREAKS_RESULT: Final = frozenset(Status)
_TO_DO: Final = re.compile(r"[^\W\d_]{4,} [^\W\d_]{3,}|[^\W\d_]{6,}|\b[A-Z]{2,}|[^\W\d_]{3,} \d")
"""At least a long word, two words, an abbreviation or a dose: "17:30" and "later" are no orders."""
_FORCED: Final = frozenset({Stance.WITHDRAWS, Stance.REJECTS})


def refused(claim: Claim) -> str | None:
    """Return why `claim` is not stated outright in its sentence; None if it is."""
    match claim.kind:
        case Kind.LEADING if claim.stance not in _FORCED:
            return _leading(claim)
        case Kind.DIFFERENTIAL:
            return None if names_condition(claim.entity) else "no condition is named"
        case Kind.TEST:
            return None if names_test(claim.entity) else "no test is named"
        case Kind.CONFIRMS:
            return _confirms(claim)
        case Kind.FINDING:
            return _finding(claim)
        case Kind.ACTION if claim.entity:
            return None if _TO_DO.search(claim.entity) else "what is to be done is not said"
        case _:
            return None


def _leading(claim: Claim) -> str | None:
    if claim.stance is Stance.SUPPORTS:
        broken = statuses_of(claim.text, "agree") & (_BREAKS_LEAD | {Status.NEGATED})
        return f"the agreement is {min(broken)}" if broken else None
    if sentence_like(claim.entity) or _FORMS["states"].search(claim.entity):
        return "the view is a sentence of its own"
    titled = claim.under in _TITLED and may_be_named(claim.entity) and not _NO_VIEW.match(claim.entity)
    if claim.answers or titled:
        return None
    return "that it leads is not said"


def _confirms(claim: Claim) -> str | None:
    if not names_condition(claim.entity):
        return "no condition is named"
    broken = statuses_of(claim.text, claim.entity) & _BREAKS_RESULT
    return f"the result is {min(broken)}" if broken else None


def _finding(claim: Claim) -> str | None:
    if not says_something(claim.text):
        return "nothing is said in words"
    if claim.entity == IMPORTANT:
        return None
    broken = statuses_of(claim.text, "") & _BREAKS_FINDING
    return f"the finding is {min(broken)}" if broken else None
