"""The case paper: what is on record about the patient, apart from what the agents say."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

NAME_MAX: Final = 200  # characters; the longest in the shipped papers has 52
TEXT_MAX: Final = 4_000  # of one entry, which is read as one text; the longest in the shipped papers has 371
Name = Annotated[str, Field(max_length=NAME_MAX)]
Text = Annotated[str, Field(max_length=TEXT_MAX)]


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Medication(_Part):
    """A drug that the patient takes; `dose` in `unit`."""

    drug: Name
    dose: float | None = None
    unit: Name | None = None
    route: Name | None = None
    frequency: Name | None = None
    note: Text | None = None


class Allergy(_Part):
    """A substance that the patient reacted to."""

    substance: Name
    reaction: Text | None = None
    year: int | None = None


class Observation(_Part):
    """A bedside observation; `value` in `unit`."""

    name: Name
    value: float | Name
    unit: Name = ""


class Lab(_Part):
    """A laboratory result; `reported_at` is local time as HH:MM, a None in `ref_range` means no limit."""

    analyte: Name
    value: float | Name
    unit: Name = ""
    ref_range: tuple[float | None, float | None] | None = None
    reported_at: Name | None = None
    comment: Text | None = None


class Imaging(_Part):
    """A study with its reported finding."""

    study: Name
    finding: Text
    reported_at: Name | None = None
    comparison: Text | None = None


class CasePaper(_Part):
    """What `<case_id>.paper.json` holds; fields that this version does not know are ignored.

    Each entry has a bound, for the reading of one takes more than twice as long for twice the length.
    """

    case_id: str
    title: Text = ""
    summary: Text = ""
    fictional: bool = False
    age: float | None = None
    age_unit: Name | None = None
    sex: Name | None = None
    weight_kg: float | None = None
    height_cm: float | None = None
    presenting_complaint: Text = ""
    history: tuple[Text, ...] = ()
    medication: tuple[Medication, ...] = ()
    allergies: tuple[Allergy, ...] = ()
    observations: tuple[Observation, ...] = ()
    labs: tuple[Lab, ...] = ()
    imaging: tuple[Imaging, ...] = ()
    notes: tuple[Text, ...] = ()
