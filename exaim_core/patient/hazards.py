"""Hold orders against what is known of the patient: allergies first, then other contraindications."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exaim_core.claims.claims import Claim, Kind, ListEnd, Stance
from exaim_core.claims.contingent import opens_conditionally
from exaim_core.claims.finding import is_hazard
from exaim_core.patient.allergies import Allergies
from exaim_core.patient.contraindications import Contraindications
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.treatments import Treatment, Treatments, treatments_named
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence, Unit


class Hazards:
    """The standing orders of one session, and the hazards that they must not meet."""

    def __init__(self, paper: CasePaper | None) -> None:
        """`paper` is the case paper, None for none."""
        self._treatments = Treatments()
        self._allergies = Allergies(paper)
        self._contraindications = Contraindications(paper)
        self._told: dict[str, tuple[str, str]] = {}  # keys of told alarms: treatment, problem
        self._off: set[str] = set()  # treatments that were taken off and not asked for since
        self._disowned: frozenset[str] = (
            frozenset()
        )  # conditions whose values are called wrong in the next unit
        self.newly_allergic: tuple[str, ...] = ()  # treatments to which the last unit added an allergy
        self.allergic_again: tuple[str, ...] = ()  # those to which it states a known one
        self.ended: dict[
            str, str
        ] = {}  # hazards that the last unit ends, each with its new value, "" for none

    def read(self, unit: Unit, claims: Iterable[Claim | ListEnd]) -> list[Claim]:
        """Take in a unit with its claims; return a critical claim for each order that meets a hazard.

        An order given before its hazard became known is told when it does, unless it was taken back. An order that was
        taken back and is asked for again is told again.
        """
        made = [*claims]
        allergies = self._allergies.note(unit)
        self.ended = dict.fromkeys((*self._disowned, *map("allergy:{}".format, self._allergies.ended)), "")
        self._disowned = frozenset()
        self.newly_allergic = tuple(name for name in allergies if treatments_named(name))
        self.allergic_again = tuple(name for name in self._allergies.repeated if treatments_named(name))
        if isinstance(unit, Sentence) and _only_states(unit):
            self._forget_ended()
            return self._fresh_alarms([*self._treatments.standing]) if allergies else []
        fresh = self._treatments.read(unit, made)
        if again := self._off & {each.mention.word.lower() for each in fresh}:
            self._off -= again
            self._told = {key: told for key, told in self._told.items() if told[0] not in again}
        newly = self._contraindications.note(unit, fresh) or bool(allergies)
        self.ended |= self._contraindications.ended
        held = self._contraindications.names()
        for claim in made:
            if isinstance(claim, Claim) and claim.kind is Kind.CRITICAL and claim.stance is Stance.WITHDRAWS:
                self._contraindications.forget(claim.rests_on)
        holds = self._contraindications.names()
        self.ended |= dict.fromkeys(held, "")
        self.ended = {name: value for name, value in self.ended.items() if name not in holds}
        self._forget_ended()
        new = self._fresh_alarms([*self._treatments.standing] if newly else fresh)
        self._off |= self._treatments.take_off(made)
        self._contraindications.take_off(
            part
            for claim in made
            if isinstance(claim, Claim) and claim.stance is Stance.WITHDRAWS
            for part in claim.revokes
        )
        return new

    def unsay(self, key: str) -> None:
        """Forget the alarm of this key, which could not be told: met again, its hazard alarms again."""
        told = self._told.get(key)
        self._told = {each: of for each, of in self._told.items() if of != told}

    def disown(self, values: Sequence[tuple[str, str]]) -> None:
        """Forget conditions that rest on values (name and number) which the next unit calls not the patient's."""
        held = self._contraindications.names()
        self._contraindications.disown(values)
        self._disowned = held - self._contraindications.names()

    def give_away(self, away: Source) -> None:
        """Forget conditions that only the sentence at `away` states, which the next unit gives to somebody else."""
        held = self._contraindications.names()
        self._contraindications.give_away(away)
        self._disowned |= held - self._contraindications.names()

    def _forget_ended(self) -> None:
        """Forget that alarms on hazards which are over were told: if they come back, they alarm again."""
        self._told = {key: told for key, told in self._told.items() if not is_hazard(told[1], self.ended)}

    def _fresh_alarms(self, treatments: Iterable[Treatment]) -> list[Claim]:
        """Return the first alarm of each treatment that was not told yet, and note it as told."""
        new: list[Claim] = []
        for treatment in treatments:
            found = next((one for one in self._met(treatment) if not self._told.keys() & _keys(one)), None)
            if found is not None and not any(_tells(one, found) for one in new):
                problem = found.critical.problem if found.critical is not None else ""
                told = {*_keys(found), problem}  # the class of a drug that was told is no news
                self._told |= dict.fromkeys(told, (treatment.mention.word.lower(), problem))
                new.append(found)
        return new

    def _met(self, treatment: Treatment) -> list[Claim]:
        claim = self._allergies.met(treatment)
        return [claim] if claim is not None else self._contraindications.met(treatment)


def _only_states(unit: Sentence) -> bool:
    """Return whether a unit orders nothing and states no condition, but may state an allergy.

    Words beside a name say no to it, or a table lists options: a risk in a cell is no condition. A step that is said
    to be done or to have failed may have been done, and what is for a case that may come may be done then: what they
    give is held against the hazards.
    """
    held = unit.set_aside or opens_conditionally(unit.full)
    return (unit.doubted and not held) or (unit.row and unit.section is not Section.ACTIONS)


def _tells(told: Claim, claim: Claim) -> bool:
    """Return whether an alarm gives the same words and the same hazard: "bisoprolol or metoprolol"."""
    one, other = told.critical, claim.critical
    return told.text == claim.text and one is not None and other is not None and one.problem == other.problem


def _keys(claim: Claim) -> set[str]:
    """Return the keys of an alarm: its own, and for two drugs one that is the same either way round."""
    found = claim.critical
    if found is None:
        return set()
    return {found.key, " and ".join(sorted((found.order, found.against)))} if found.against else {found.key}
