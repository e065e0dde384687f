"""The form into which a model copies a free text: each entry with the words that it was copied from."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

WORDS_CHARS: Final = 2_000
Words = Annotated[str, Field(max_length=WORDS_CHARS)]
Short = Annotated[str, Field(max_length=200)]


class _Copied(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    words: Words


class AgeSaid(_Copied):
    """The patient's age."""

    age: float
    unit: Short = "years"


class SexSaid(_Copied):
    """The patient's sex."""

    sex: Short


class WeightSaid(_Copied):
    """The patient's weight, in kg."""

    value: float


class HeightSaid(_Copied):
    """The patient's height, in cm."""

    value: float


class DrugSaid(_Copied):
    """A drug that the patient takes."""

    drug: Short
    dose: float | None = None
    unit: Short | None = None
    route: Short | None = None
    frequency: Short | None = None


class AllergySaid(_Copied):
    """A substance that the patient reacted to."""

    substance: Short
    reaction: Short | None = None
    year: int | None = None


class ValueSaid(_Copied):
    """A bedside observation or a laboratory result; a value that is no plain number is text."""

    name: Short
    value: float | Short
    unit: Short = ""
    low: float | None = None
    high: float | None = None
    reported_at: Short | None = None


class ImageSaid(_Copied):
    """A study and its finding."""

    study: Short
    finding: Words


class PaperForm(BaseModel):
    """Facts of one patient, copied out of a text."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    patients: tuple[Words, ...] = ()
    age: AgeSaid | None = None
    sex: SexSaid | None = None
    weight_kg: WeightSaid | None = None
    height_cm: HeightSaid | None = None
    presenting_complaint: Words = ""
    history: tuple[Words, ...] = ()
    medication: tuple[DrugSaid, ...] = ()
    allergies: tuple[AllergySaid, ...] = ()
    observations: tuple[ValueSaid, ...] = ()
    labs: tuple[ValueSaid, ...] = ()
    imaging: tuple[ImageSaid, ...] = ()
    notes: tuple[Words, ...] = ()
