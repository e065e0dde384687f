"""What of the rules' reading is told at once, and what waits for a model's reading of the same segment."""

from __future__ import annotations

from collections.abc import Sequence

from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.readings.entering import PRESSING
from exaim_core.readings.pending import Read
from exaim_core.text.reader import Unit


def at_once(unit: Unit, made: Sequence[Claim | ListEnd], quote: Claim | None, *, all_of_it: bool) -> Read:
    """Return a unit's reading by the rules: told at once is what presses, or `all_of_it`."""
    if all_of_it:
        return Read(unit, told=tuple(made), quote=quote)
    now = tuple(each for each in made if isinstance(each, Claim) and each.kind in PRESSING)
    return Read(unit, now, tuple(each for each in made if each not in now), quote)
