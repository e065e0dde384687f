"""Check what is about to be spoken against the case paper: a grounded sentence may still be untrue."""

from __future__ import annotations

from dataclasses import replace

from exaim_core.board.numbers import Numbers, numbers_in
from exaim_core.claims.claims import Claim, Kind
from exaim_core.patient.conflicts import PaperValues
from exaim_core.schema import DISPUTED, SpokenKind
from exaim_core.words.templates import Wording


def checked(made: Wording, record: PaperValues | None, numbers: Numbers) -> Wording:
    """Return a critical value's wording, with the record's value added if the record contradicts it.

    Nothing changes without a paper, for other kinds of item, if the paper does not hold the quantity in
    the same unit, if the value may well be a newer one, or if an agent has corrected the record's value.
    """
    found = made.claims[0].critical if made.claims else None
    if record is None or found is None or not found.value or made.kind is not SpokenKind.CRITICAL:
        return made
    instead = record.contradicts(found.name, found.value, made.claims[0].text)
    if instead is None or numbers.was_put_right(numbers_in(instead)):
        return made
    said_so = f"the agents say {found.name} {found.value}; the case file says {instead}"
    text = f"{DISPUTED} {said_so}."
    on_record = Claim("record", Kind.FINDING, "", f"{found.name} {instead}", made.claims[0].source)
    return replace(made, text=text, brief=None, said=(on_record,))
