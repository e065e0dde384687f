"""Find the amount that a sentence calls right or wrong: "I meant 5 mg, not 50", "ten times too high".

It goes by the sentence's words alone. Such a sentence need name nothing; it is about the dose that has the denied
number, else the newest one with a unit of the same kind, of its speaker or of the agent that is named:
`board/overturning.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from exaim_core.lexicon.drugs import DRUG
from exaim_core.text.assertion import Status, clauses, statuses_at
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("claims/correcting")
_OPEN: Final = frozenset(
    {Status.CONDITIONAL, Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON, Status.PAST, Status.HEDGED}
)
_DOSE: Final = re.compile(
    r"(?:mg|g|microgram|mcg|ng|unit|mmol|ml|l|puff|drop|tablet)(?:/(?:kg|m²))?(?:/(?:min|h|hour|day))?\Z"
)
Number = tuple[str, str]


def _is_bare(text: str) -> bool:
    """Return whether `text` is only amounts, frequencies, a drug and a denial, with no other verb."""
    rest = DRUG.sub(" ", text)
    for each in reversed(quantities(text)):
        rest = rest.replace(text[each.start : each.end], " ")
    words = re.findall(r"[^\W\d][\w'’/]*", rest.lower().replace("’", "'"))
    return all(_FORMS["bare"].fullmatch(word) for word in words)


@dataclass(frozen=True, slots=True)
class Correction:
    """What a sentence puts right.

    `right`: the correct amount, None if it says only that one is wrong. `wrong`: the number that it denies, ""
    for none. `own`: it corrects its speaker's own words. `mark`: the words that say so, `part` the clause of the number
    that it denies.
    """

    right: Quantity | None
    wrong: str
    own: bool
    mark: str
    part: str

    @property
    def is_sure(self) -> bool:
        """Return whether it names both numbers, so that it is about the wrong one, whoever gave it."""
        return self.right is not None and bool(self.wrong)

    def replaced(self, text: str) -> frozenset[Number]:
        """Return the amounts in `text` that it may be about, each as a number with its unit."""
        return frozenset(
            (each.number, each.unit)
            for each in amounts(text)
            if (not self.wrong or each.number == self.wrong)
            and (self.right is None or not self.right.unit or _kind(self.right.unit) == _kind(each.unit))
        )


def _kind(unit: str) -> str:
    """Return the kind of a unit: masses are alike, whatever they are given over or per."""
    return _MASS.sub("mass", unit)


_MASS: Final = re.compile(r"\A(?:mg|g|microgram|mcg|ng)(?=/|\Z)")


def amounts(text: str) -> tuple[Quantity, ...]:
    """Return the amounts in `text` that may be of something given."""
    return tuple(each for each in quantities(text) if each.unit and _DOSE.match(each.unit))


def correction(text: str) -> Correction | None:
    """Return what `text` puts right; None if it corrects no amount, or only perhaps."""
    own, other, wrong = (_FORMS[form].search(text) for form in ("own", "other", "wrong"))
    denied = _FORMS["denied"].search(text)
    mark = own or other or wrong or denied
    if mark is None or statuses_at(text, mark.start(), mark.end()) & _OPEN:
        return None
    part = text if denied is None else _clause(text, denied.start("number"))
    says_so = bool(own or other or wrong)
    if denied is not None and not (says_so or _is_bare(part)):
        return None
    said = [each for each in quantities(text) if denied is None or each.start != denied.start("number")]
    since = own or other or wrong or said[0] if said else mark
    start = since.start() if isinstance(since, re.Match) else since.start
    right = next((each for each in said if each.start >= start and (denied or each.unit)), None)
    if right is not None and right.unit and not _DOSE.match(right.unit):
        return None
    number = denied["number"] if denied is not None else ""
    if (right is None and wrong is None) or (right is not None and right.number == number):
        return None
    if not says_so and not (right is not None and (right.unit or DRUG.search(part))):
        return None
    return Correction(right, number, own is not None, mark.group(), part)


def _clause(text: str, at: int) -> str:
    """Return the clause of `text` that holds position `at`."""
    return next((each.text for each in clauses(text) if each.start <= at < each.end), text)
