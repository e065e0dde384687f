"""Which case this is, beside its title: so that the wrong one is noticed by ear, and early. Pure."""

from __future__ import annotations

from typing import Final

from exaim_core import CasePaper

ADULT_FROM: Final = 18.0  # years
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


def which_case(title: str, *, patient: str, live: bool, simulated: bool) -> str:
    """Return the sentences that say which case this is: live, recorded or simulated, and whose."""
    kind = "Live" if live else "Recorded"
    kind = f"{kind}, simulated case" if simulated else f"{kind} case"
    whose = f"{kind}: {patient}." if patient else f"{kind}."
    return f"{whose} {title.rstrip('. ')}."


def _counted(unit: str, count: float) -> str:
    one = unit.rstrip("s")
    return one if count == 1 else f"{one}s"
