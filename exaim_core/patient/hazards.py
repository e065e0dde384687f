"""Hold orders against what is known of the patient: allergies first, then other contraindications."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from exaim_core.claims.claims import Claim, Kind, ListEnd, Stance
from exaim_core.claims.contingent import opens_conditionally
from exaim_core.claims.finding import is_hazard
from exaim_core.patient.allergies import Allergies
from exaim_core.patient.class_bans import ClassBans
from exaim_core.patient.contraindications import Contraindications
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.put_together import puts_together
from exaim_core.patient.treatments import Treatment, Treatments, treatments_named
from exaim_core.text.places import Source
from exaim_core.text.sections import Section
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import series


@dataclass(frozen=True, slots=True)
class _Told:
    """What an alarm, by its key, was about: a treatment, and what it met.

    `until_ordered`: it was no alarm on an order. The drug stood on a list of what is taken at home, or an agent put it
    together with the hazard. Ordered from now on, the drug alarms.
    """

    word: str
    problem: str
    alarm: str
    until_ordered: bool


_VIEWS: Final = frozenset({Kind.LEADING, Kind.DIFFERENTIAL})


class Hazards:
    """The standing orders of one session, and the hazards that they must not meet."""

    def __init__(self, paper: CasePaper | None) -> None:
        """`paper` is the case paper, None for none."""
        self._treatments = Treatments()
        self._allergies = Allergies(paper)
        self._contraindications = Contraindications(paper)
        self._bans = ClassBans()
        self._told: dict[str, _Told] = {}  # by the keys of what need not be told again
        self._off: set[str] = set()  # treatments that were taken off and not asked for since
        self._disowned: frozenset[str] = (
            frozenset()
        )  # conditions whose values are called wrong in the next unit
        self.newly_allergic: tuple[str, ...] = ()  # treatments to which the last unit added an allergy
        self.allergic_again: tuple[str, ...] = ()  # those to which it states a known one
        self.disproved: frozenset[str] = frozenset()  # allergies that the last unit says are none, and why
        self.ended: dict[
            str, str
        ] = {}  # hazards that the last unit ends, each with its new value, "" for none

    def read(self, unit: Unit, claims: Iterable[Claim | ListEnd]) -> list[Claim]:
        """Take in a unit with its claims; return a critical claim for each order that meets a hazard.

        An order given before its hazard became known is told when it does, unless it was taken back. An order that was
        taken back and is asked for again is told again.
        """
        made = [*claims]
        self._bans.note(unit)
        allergies = self._allergies.note(unit)
        self.ended = dict.fromkeys((*self._disowned, *map("allergy:{}".format, self._allergies.ended)), "")
        self._disowned = frozenset()
        self.disproved = self._allergies.disproved
        self.newly_allergic = tuple(name for name in allergies if treatments_named(name))
        self.allergic_again = tuple(name for name in self._allergies.repeated if treatments_named(name))
        if isinstance(unit, Sentence) and _only_states(unit):
            self._forget_ended()
            return self._fresh_alarms([*self._treatments.standing]) if allergies else []
        fresh = self._treatments.read(unit, made)
        self._forget_ordered(fresh)
        for treatment in fresh:
            self._bans.lift(treatment)
        newly = self._contraindications.note(unit, fresh, _given_up(made)) or bool(allergies)
        self.ended |= self._contraindications.ended
        held = self._contraindications.names()
        for claim in made:
            if isinstance(claim, Claim) and claim.kind is Kind.CRITICAL and claim.stance is Stance.WITHDRAWS:
                self._contraindications.forget(claim.rests_on)
        holds = self._contraindications.names()
        self.ended |= dict.fromkeys(held, "")
        self.ended = {name: value for name, value in self.ended.items() if name not in holds}
        self._forget_ended()
        new = self._fresh_alarms([*self._treatments.standing] if newly else fresh, fresh)
        self._off |= self._treatments.take_off(made) | self._treatments.take_off_listed(unit)
        self._contraindications.take_off(
            part
            for claim in made
            if isinstance(claim, Claim) and claim.stance is Stance.WITHDRAWS
            for part in claim.revokes
        )
        return new

    @property
    def no_allergies(self) -> frozenset[str]:
        """Return the substances of which was said that there is no allergy, and of which none was stated since."""
        return self._allergies.over

    def unsay(self, key: str) -> None:
        """Forget the alarm of this key, which could not be told: met again, its hazard alarms again."""
        self._told = {each: of for each, of in self._told.items() if of.alarm != key}

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
        self._told = {
            key: told for key, told in self._told.items() if not is_hazard(told.problem, self.ended)
        }

    def _forget_ordered(self, fresh: Iterable[Treatment]) -> None:
        """Forget what was told of drugs that are ordered now, after a stop or for the first time."""
        again = self._off & {each.mention.word.lower() for each in fresh}
        ordered = {each.mention.word.lower() for each in fresh if not each.listed}
        self._off -= again
        self._told = {
            key: told
            for key, told in self._told.items()
            if told.word not in again and not (told.until_ordered and told.word in ordered)
        }

    def _fresh_alarms(self, treatments: Iterable[Treatment], fresh: Sequence[Treatment] = ()) -> list[Claim]:
        """Return the first alarm of each treatment that was not told yet, and note it as told.

        Treatments that meet one fact in one sentence have one alarm. One that is only listed as taken at home has one
        in all. A hazard that was stated together with a treatment, after its order, is none: only for a `fresh` one.
        """
        new: list[Claim] = []
        for treatment in treatments:
            known = [each for each in self._told.values() if each.word == treatment.mention.word.lower()]
            if treatment.listed and known:
                continue
            found = next(self._untold(treatment, treatment in fresh), None)
            if found is None:
                continue
            place = next((at for at, one in enumerate(new) if _meets_the_same(one, found)), None)
            if place is None:
                place = len(new)
                new.append(_as_listed(found) if treatment.listed else found)
            else:
                new[place] = _joined(new[place], found)
            self._note(treatment, found, new[place], until_ordered=treatment.listed)
        return new

    def _untold(self, treatment: Treatment, is_fresh: bool) -> Iterator[Claim]:
        """Yield the alarms of a treatment that were not told; note those that somebody has put together."""
        for one in self._met(treatment):
            if self._told.keys() & _keys(one):
                continue
            if is_fresh or not _is_put_together(one, treatment):
                yield one
            else:
                self._note(treatment, one, one, until_ordered=True)

    def _note(self, treatment: Treatment, found: Claim, alarm: Claim, *, until_ordered: bool) -> None:
        """Note that an alarm need not be told again; `alarm` is the one that tells it."""
        problem = found.critical.problem if found.critical is not None else ""
        key = alarm.critical.key if alarm.critical is not None else ""
        told = _Told(treatment.mention.word.lower(), problem, key, until_ordered)
        keys = (
            _keys(found) if until_ordered else {*_keys(found), problem}
        )  # the class of a told drug is no news
        self._told |= dict.fromkeys(keys, told)

    def _met(self, treatment: Treatment) -> list[Claim]:
        claim = self._allergies.met(treatment)
        if claim is not None:
            return [claim]
        return [*self._contraindications.met(treatment), *self._bans.met(treatment)]


def _given_up(made: Iterable[Claim | ListEnd]) -> list[str]:
    """Return the diagnoses that claims take back or reject."""
    return [
        claim.entity
        for claim in made
        if isinstance(claim, Claim)
        and claim.kind in _VIEWS
        and claim.stance in (Stance.WITHDRAWS, Stance.REJECTS)
    ]


def _only_states(unit: Sentence) -> bool:
    """Return whether a unit orders nothing and states no condition, but may state an allergy.

    Words beside a name say no to it, or a table lists options: a risk in a cell is no condition. A step that is said
    to be done or to have failed may have been done, and what is for a case that may come may be done then: what they
    give is held against the hazards.
    """
    held = unit.set_aside or opens_conditionally(unit.full)
    return (unit.doubted and not held) or (unit.row and unit.section is not Section.ACTIONS)


def _is_put_together(claim: Claim, treatment: Treatment) -> bool:
    """Return whether the sentence that states a hazard names the treatment with it; an allergy it has to name."""
    found = claim.critical
    if found is None or found.key.startswith("allergy:"):
        return False
    return any(puts_together(fact.text, treatment.mention, found.against) for fact in claim.rests_on)


def _as_listed(claim: Claim) -> Claim:
    """Return the alarm on a drug that is only listed with a key of its own: once ordered, the drug alarms anew."""
    found = claim.critical
    return claim if found is None else replace(claim, critical=replace(found, key=f"{found.key}:listed"))


def _meets_the_same(told: Claim, claim: Claim) -> bool:
    """Return whether an alarm gives the same words and the same fact: "bisoprolol or metoprolol"."""
    one, other = told.critical, claim.critical
    if told.text != claim.text or one is None or other is None or one.running != other.running:
        return False
    return one.problem == other.problem or bool(one.against and one.against == other.against)


def _joined(told: Claim, claim: Claim) -> Claim:
    """Return an alarm that names the drug of a second one, too."""
    one, other = told.critical, claim.critical
    if one is None or other is None or other.order in one.orders:
        return told
    orders = (*one.orders, other.order)
    met = one.name.removeprefix(f"{series(one.orders)} with ")
    critical = replace(one, name=f"{series(orders)} with {met}", also=orders[1:])
    return replace(told, critical=critical, entity=critical.name)


def _keys(claim: Claim) -> set[str]:
    """Return the keys of an alarm: its own, and for two drugs one that is the same either way round."""
    found = claim.critical
    if found is None:
        return set()
    return {found.key, " and ".join(sorted((found.order, found.against)))} if found.against else {found.key}
