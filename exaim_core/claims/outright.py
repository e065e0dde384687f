"""The last check of a claim: it stands only if its sentence states it outright of this patient, now.

The claim readers find what a sentence may say; this module looks at the finished claim and its sentence
again, and not at how it was found. What does not pass is no claim; its sentence may be quoted.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.claims.claims import Claim, Kind, Mark, Stance
from exaim_core.lexicon.kinds import may_be_named, names_condition, names_test, says_something
from exaim_core.lexicon.terms import sentence_like
from exaim_core.text.assertion import NOT_OURS, Status, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section

_FORMS: Final = lexicon("claims/outright")

_NO_VIEW: Final = re.compile(r"(?:not?|never|without)\b|(?!.*[^\W\d_]{5}).*\d", re.IGNORECASE | re.DOTALL)
"""No view even under "Impression": that something is not so, or a scan and its time."""
_TITLED: Final = frozenset({Section.LEADING, Section.AGREEMENT})
_BREAKS_AGREEMENT: Final = frozenset(Status) - {Status.HEDGED}
_TO_DO: Final = re.compile(r"[^\W\d_]{4,} [^\W\d_]{3,}|[^\W\d_]{6,}|\b[A-Z]{2,}|[^\W\d_]{3,} \d")
"""What an order needs at least: a long word, two words, an abbreviation or a dose.

"17:30" and "later" are no orders.
"""
_FORCED: Final = frozenset({Stance.WITHDRAWS, Stance.REJECTS})


def stands(claim: Claim) -> bool:
    """Return whether `claim` is stated outright in its sentence."""
    match claim.kind:
        case Kind.LEADING if claim.stance not in _FORCED:
            return _leads(claim)
        case Kind.DIFFERENTIAL:
            return names_condition(claim.entity)
        case Kind.TEST:
            return names_test(claim.entity)
        case Kind.CONFIRMS:
            return names_condition(claim.entity) and not statuses_of(claim.text, claim.entity)
        case Kind.FINDING:
            found = claim.mark is Mark.IMPORTANT or not statuses_of(claim.text, "") & NOT_OURS
            return found and says_something(claim.text)
        case Kind.ACTION if claim.entity:
            return _TO_DO.search(claim.entity) is not None
        case _:
            return True


def _leads(claim: Claim) -> bool:
    if claim.stance is Stance.SUPPORTS:
        return not statuses_of(claim.text, "agree") & _BREAKS_AGREEMENT
    if sentence_like(claim.entity) or _FORMS["states"].search(claim.entity):
        return False
    titled = claim.under in _TITLED and may_be_named(claim.entity) and not _NO_VIEW.match(claim.entity)
    return claim.answers or titled
