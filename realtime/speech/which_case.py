"""Which case this is, beside its title: so that the wrong one is noticed by ear, and early. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exaim_core import CasePaper

ADULT_FROM: Final = 18.0  # years
SCRIPTED: Final = "Scripted: "  # how a team of ours labels such a case: agents/teams/script_files.py
_ADULT: Final = {"female": "woman", "male": "man"}
_CHILD: Final = {"female": "girl", "male": "boy"}


def patient_of(paper: CasePaper | None) -> str:
    """Return what a case paper tells of a patient without a name: "woman, 74"; empty: it tells nothing."""
    if paper is None:
        return ""
    unit = (paper.age_unit or "years").strip().lower()
    years = unit.startswith("year")
    adult = paper.age is None or (years and paper.age >= ADULT_FROM)
    sex = (paper.sex or "").strip().lower()
    who = (_ADULT if adult else _CHILD).get(sex, "")
    if paper.age is None:
        return who
    age = f"{paper.age:g}" if adult else f"{paper.age:g} {_counted(unit, paper.age)}"
    return f"{who or 'patient'}, {age}"


@dataclass(frozen=True, slots=True, kw_only=True)
class WhichCase:
    """Which case this is. `patient`: by age and sex, as far as they are known; `simulated`: it is invented."""

    title: str
    patient: str = ""
    live: bool = False
    simulated: bool = False

    @property
    def whose(self) -> str:
        """Return the sentence that says of which kind it is, live or recorded, and whose."""
        return self._whose("simulated " if self.simulated else "")

    @property
    def in_short(self) -> str:
        """Return the same where the title comes later: that it is scripted, which its label says, too."""
        return self._whose("scripted " if self.scripted else "simulated " if self.simulated else "")

    def _whose(self, invented: str) -> str:
        kind = f"{'Live' if self.live else 'Recorded'}{',' if invented else ''} {invented}case"
        return f"{kind}: {self.patient}." if self.patient else f"{kind}."

    @property
    def sentences(self) -> str:
        """Return all that is said of it."""
        return f"{self.whose} {self.title.rstrip('. ')}."

    @property
    def scripted(self) -> bool:
        """Return whether the agents' words were written by hand: the title is labelled so."""
        return self.title.startswith(SCRIPTED)

    @property
    def bare_title(self) -> str:
        """Return the title without its label, and without a full stop."""
        return self.title.removeprefix(SCRIPTED).rstrip(". ")


def _counted(unit: str, count: float) -> str:
    one = unit.rstrip("s")
    return one if count == 1 else f"{one}s"
