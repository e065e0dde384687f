"""The case paper: what is on record about the patient, apart from what the agents say."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Medication(_Part):
    """A drug that the patient takes; `dose` in `unit`."""

    drug: str
    dose: float | None = None
    unit: str | None = None
    route: str | None = None
    frequency: str | None = None
    note: str | None = None


class Allergy(_Part):
    """A substance that the patient reacted to."""

    substance: str
    reaction: str | None = None
    year: int | None = None


class Observation(_Part):
    """A bedside observation; `value` in `unit`."""

    name: str
    value: float | str
    unit: str = ""


class Lab(_Part):
    """A laboratory result; `reported_at` is local time as HH:MM, a None in `ref_range` means no limit."""

    analyte: str
    value: float | str
    unit: str = ""
    ref_range: tuple[float | None, float | None] | None = None
    reported_at: str | None = None
    comment: str | None = None


class Imaging(_Part):
    """A study with its reported finding."""

    study: str
    finding: str
    reported_at: str | None = None
    comparison: str | None = None


class CasePaper(_Part):
    """What `<case_id>.paper.json` holds; fields that this version does not know are ignored."""

    case_id: str
    title: str = ""
    summary: str = ""
    fictional: bool = False
    age: float | None = None
    age_unit: str | None = None
    sex: str | None = None
    weight_kg: float | None = None
    height_cm: float | None = None
    presenting_complaint: str = ""
    history: tuple[str, ...] = ()
    medication: tuple[Medication, ...] = ()
    allergies: tuple[Allergy, ...] = ()
    observations: tuple[Observation, ...] = ()
    labs: tuple[Lab, ...] = ()
    imaging: tuple[Imaging, ...] = ()
    notes: tuple[str, ...] = ()

    def values_of(self, name: str) -> tuple[tuple[float, str], ...]:
        """Return every (value, unit) on record for a measured quantity, oldest first; case is ignored.

        Where it was measured does not count ("systolic blood pressure, right arm"), nor that a pressure
        given as a fraction is on record as its systolic part.
        """
        names = {name.lower(), f"systolic {name.lower()}"}
        labs = [(lab.analyte, lab.value, lab.unit) for lab in self.labs]
        bedside = [(seen.name, seen.value, seen.unit) for seen in self.observations]
        return tuple(
            (float(value), unit)
            for found, value, unit in [*labs, *bedside]
            if found.lower().split(",")[0].strip() in names and not isinstance(value, str)
        )
