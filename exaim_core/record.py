"""What is about to be said, looked up in the case paper: grounded is not yet true."""

from __future__ import annotations

from dataclasses import replace

from exaim_core.claims import Claim, Kind
from exaim_core.paper import CasePaper
from exaim_core.quantities import quantities, unit_name
from exaim_core.schema import SpokenKind
from exaim_core.templates import Wording


def checked(made: Wording, paper: CasePaper | None) -> Wording:
    """Return a critical value's wording, with the record's value where the two differ.

    Nothing changes without a paper, for other kinds of item, or where the paper does not hold the
    quantity in the same unit.
    """
    found = made.claims[0].critical if made.claims else None
    if paper is None or found is None or not found.value or made.kind is not SpokenKind.CRITICAL:
        return made
    [said] = quantities(found.value)[:1] or [None]
    on_record = [
        (value, unit) for value, unit in paper.values_of(found.name) if said and unit_name(unit) == said.unit
    ]
    if said is None or not on_record or any(value == said.value for value, _ in on_record):
        return made
    value, unit = on_record[-1]
    said_so = f"the agents say {found.name} {found.value}; the case file says {value:g} {unit}"
    text = f"Critical, but check: {said_so}."
    source = made.claims[0].source
    record = Claim("record", Kind.FINDING, "", f"{found.name} {value:g} {unit}", source)
    return replace(made, text=text, brief=None, said=(record,))
