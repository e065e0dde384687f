"""Orders held against what is known of the patient: allergies first, then other contraindications."""

from __future__ import annotations

from collections.abc import Iterable

from exaim_core.allergies import Allergies
from exaim_core.claims import Claim, Kind, ListEnd
from exaim_core.contraindications import Contraindications
from exaim_core.paper import CasePaper
from exaim_core.reader import Unit
from exaim_core.treatments import Treatment, Treatments


class Hazards:
    """One session's standing orders, and what they must not meet."""

    def __init__(self, paper: CasePaper | None) -> None:
        """`paper` is the case paper, None for none."""
        self._treatments = Treatments()
        self._allergies = Allergies(paper)
        self._contraindications = Contraindications(paper)
        self._told: set[str] = set()

    def read(self, unit: Unit, claims: Iterable[Claim | ListEnd]) -> list[Claim]:
        """Take in a unit with the claims made of it; return a critical claim for each order in danger.

        An order given before its hazard became known is told when it does, unless it was taken back.
        """
        fresh = self._treatments.read(unit, claims)
        newly = self._allergies.note(unit)
        newly = self._contraindications.note(unit, fresh) or newly
        found = [self._met(treatment) for treatment in (self._treatments.standing if newly else fresh)]
        told = {claim.critical.key: claim for claim in found if claim is not None and claim.critical}
        new = [claim for key, claim in told.items() if key not in self._told]
        self._told.update(told)
        return new

    def _met(self, treatment: Treatment) -> Claim | None:
        critical = self._allergies.met(treatment)
        if critical is not None:
            return Claim(
                treatment.agent_id,
                Kind.CRITICAL,
                critical.name,
                treatment.text,
                treatment.source,
                critical=critical,
            )
        return self._contraindications.met(treatment)
