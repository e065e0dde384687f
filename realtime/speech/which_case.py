"""Say which case this is, besides its title, so that a wrong one is noticed by ear, and early. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from exaim_core import CasePaper

ADULT_FROM: Final = 18.0  # years
SCRIPTED: Final = "Scripted: "  # how a team of ours labels such a case: agents/teams/script_files.py
_ADULT: Final = {"female": "woman", "male": "man"}
_CHILD: Final = {"female": "girl", "male": "boy"}


def patient_of(paper: CasePaper | None) -> str:
    """Return a patient's sex and age from a case paper: "woman, 74"; "" if it has neither."""
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
    """Which case this is. `patient`: sex and age, as far as known; `simulated`: an invented case."""

    title: str
    patient: str = ""
    live: bool = False
    simulated: bool = False

    @property
    def whose(self) -> str:
        """Return the sentence that says what kind of case it is, live or recorded, and whose."""
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
        """Return all sentences that are said about the case."""
        return f"{self.whose} {self.title.rstrip('. ')}."

    @property
    def scripted(self) -> bool:
        """Return whether the agents' words were written by hand, which the title's label says."""
        return self.title.startswith(SCRIPTED)

    @property
    def bare_title(self) -> str:
        """Return the title without its label, and without a full stop."""
        return self.title.removeprefix(SCRIPTED).rstrip(". ")


def _counted(unit: str, count: float) -> str:
    one = unit.rstrip("s")
    return one if count == 1 else f"{one}s"
