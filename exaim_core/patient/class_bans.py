"""Find orders of a drug whose class another agent has forbidden: "no NSAIDs for him", and then ketorolac.

Only a ban without a condition, a limit or a time counts. It meets what others ask for after it. Whoever bans the class
of what was ordered before has put the two together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exaim_core.claims.claims import Claim, Kind, said_by
from exaim_core.claims.finding import Critical
from exaim_core.lexicon.bans import Act, bans_told
from exaim_core.lexicon.drugs import generics, is_class
from exaim_core.patient.treatments import Treatment, groups_named
from exaim_core.text.names import person
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import mid_sentence

_COUNTS: Final = frozenset({Act.AVOID, Act.NEVER})
"""A class that is stopped or held may be begun again."""
MOST: Final = 32  # bans kept; older ones are forgotten


@dataclass(frozen=True, slots=True)
class _ClassBan:
    """A ban of a class, with the class as written and the sentence."""

    name: str
    group: str
    said: Claim


class ClassBans:
    """The classes of drugs that are forbidden to one patient."""

    def __init__(self) -> None:
        self._bans: list[_ClassBan] = []

    def note(self, unit: Unit) -> None:
        """Note the classes that a unit forbids outright."""
        if not isinstance(unit, Sentence) or unit.row:
            return
        said = said_by(unit.source, Kind.CAUTION, unit.full)
        for ban in bans_told(unit.full):
            groups = groups_named(ban.name)
            if ban.act in _COUNTS and len(groups) == 1 and is_class(ban.name):
                self._bans = [*self._bans, _ClassBan(ban.name, min(groups), said)][-MOST:]

    def lift(self, treatment: Treatment) -> None:
        """Forget the bans of an agent that asks for a drug of their class itself, in another sentence.

        What runs, stands on a list of what is taken at home, or is asked for under a condition is not asked for.
        """
        if treatment.running or treatment.listed or treatment.hangs:
            return
        self._bans = [
            ban
            for ban in self._bans
            if ban.said.agent_id != treatment.agent_id
            or ban.group not in treatment.mention.groups
            or ban.said.source == treatment.source
        ]

    def met(self, treatment: Treatment) -> list[Claim]:
        """Return the alarm of a drug that was asked for after another agent had forbidden its class."""
        found = [
            ban
            for ban in self._bans
            if ban.group in treatment.mention.groups
            and ban.said.agent_id != treatment.agent_id
            and ban.said.source.last_seq < treatment.source.first_seq
        ]
        named = is_class(treatment.mention.word)
        return [] if named or treatment.hangs or not found else [_claim(treatment, found[-1])]


def _claim(treatment: Treatment, ban: _ClassBan) -> Claim:
    drug = mid_sentence(treatment.mention.word)
    what = min(generics(drug), default=drug.lower())
    critical = Critical(
        f"{drug} with a caution on {ban.name}",
        "",
        f"ban:{what}:{ban.group}",
        f"ban:{ban.group}",
        order=drug,
        against=ban.name,
        by=person(ban.said.source.agent_id),
        running=treatment.running,
    )
    return Claim(
        treatment.agent_id,
        Kind.CRITICAL,
        critical.name,
        f"{treatment.text} {ban.said.text}",
        treatment.source,
        critical=critical,
        rests_on=(ban.said,),
    )
