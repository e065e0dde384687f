"""The case paper: what is on record about the patient, apart from what the agents say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator
from pydantic_core import PydanticCustomError

NAME_MAX: Final = 200  # characters; the longest in the shipped papers has 52
TEXT_MAX: Final = (
    4_000  # characters of one entry, which is read as one text; the longest in the shipped papers has 371
)
Name = Annotated[str, Field(max_length=NAME_MAX)]
Text = Annotated[str, Field(max_length=TEXT_MAX)]


_DAY_CHARS: Final = len("2026-11-20")
_DATED: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d|\Z)")
_MEASURES: Final = ("age", "weight_kg", "height_cm")
_NUMBERS: Final = (*_MEASURES, "dose", "value", "year", "ref_range")
_STORED: Final = object()  # pydantic's context for a paper that was checked when it came in


class Part(BaseModel):
    """What refuses a field that it does not know: a misspelt allergy must not vanish."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        allow_inf_nan=False,
        hide_input_in_errors=True,
        json_schema_extra={"additionalProperties": False},
    )

    @classmethod
    def of_store(cls, found: str | bytes | Mapping[str, Any]) -> Self:
        """Return a paper, or a part of one, that was checked when it came in, by this version or another.

        Fields that this version does not know are ignored. Raises: ValidationError.
        """
        if isinstance(found, str | bytes):
            return cls.model_validate_json(found, context=_STORED)
        return cls.model_validate(found, context=_STORED)

    @model_validator(mode="before")
    @classmethod
    def _known(cls, found: Any, info: ValidationInfo) -> Any:
        if info.context is _STORED or isinstance(found, cls):
            return found
        if not isinstance(found, Mapping):
            raise PydanticCustomError("no_entry", "an entry is written as {form}", {"form": cls._form()})
        for number, name in enumerate(names := [str(each) for each in found]):
            if name not in cls.model_fields:
                raise PydanticCustomError("unknown_field", "{told}", {"told": cls._unknown(number, names)})
        if told := _no_number(found):
            raise PydanticCustomError("no_number", "{told}", {"told": told})
        return found

    @classmethod
    def _form(cls) -> str:
        wanted = (f'"{name}": …' for name, field in cls.model_fields.items() if field.is_required())
        return "{" + ", ".join(wanted) + "}"

    @classmethod
    def _unknown(cls, number: int, names: Sequence[str]) -> str:
        """Return what is wrong with the field at `number`, the first that is unknown.

        A name unlike any known field may be anything, and is not repeated: its place says which one it is.
        """
        if near := get_close_matches(names[number], cls.model_fields, n=1):
            return f"{names[number]} is no field here; write {near[0]}"
        place = f"the field after {names[number - 1]}" if number else "its first field"
        return f"{place} is unknown here; there are {', '.join(cls.model_fields)}"


def _no_number(found: Mapping[str, Any]) -> str:
    """Return what is wrong with the first number that pydantic would take, and that can't be one; "" for none."""
    for name in _NUMBERS:
        held = found.get(name)
        each = held if isinstance(held, list | tuple) else [held]
        if any(isinstance(one, bool) for one in each):
            return f"{name} is true or false, where a number is wanted"
        if name in _MEASURES and _is_below_0(held):
            return f"{name} is below 0"
    return ""


def _is_below_0(value: Any) -> bool:
    try:
        return float(value) < 0
    except (TypeError, ValueError, OverflowError):
        return False


class Medication(Part):
    """A drug that the patient takes; `dose` in `unit`."""

    drug: Name
    dose: float | None = None
    unit: Name | None = None
    route: Name | None = None
    frequency: Name | None = None
    note: Text | None = None


class Allergy(Part):
    """A substance that the patient reacted to."""

    substance: Name
    reaction: Text | None = None
    year: int | None = None
    note: Text | None = None


class Observation(Part):
    """A bedside observation; `value` in `unit`; `taken_at` as `reported_at` of a laboratory result."""

    name: Name
    value: float | Name
    unit: Name = ""
    taken_at: Name | None = None


class Lab(Part):
    """A laboratory result; a None in `ref_range` means no limit.

    `reported_at` is local time as HH:MM, or in ISO 8601 with its date: of several results the newest is told first.
    """

    analyte: Name
    value: float | Name
    unit: Name = ""
    ref_range: tuple[float | None, float | None] | None = None
    reported_at: Name | None = None
    comment: Text | None = None


class Imaging(Part):
    """A study with its reported finding; `reported_at` as of a laboratory result."""

    study: Name
    finding: Text
    reported_at: Name | None = None
    comparison: Text | None = None


class CasePaper(Part):
    """What `<case_id>.paper.json` holds.

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
    sources: Any = Field(default=None, exclude=True, repr=False)
    """The words from which a draft's fields were made; for whoever corrects it, and not read here."""


def moment_of(at: str) -> datetime | None:
    """Return a time that has its date; None for any other.

    A day alone is its midnight, and a time without an offset is taken as UTC: both are for the order.
    """
    try:
        moment = datetime.fromisoformat(at) if _DATED.match(at) else None
    except ValueError:
        return None
    return moment if moment is None or moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def when_words(at: str, *, with_year: bool = False) -> str:
    """Return a time as it is spoken: "at 01:55"; of "2026-11-20T01:55:00" "at 01:55 on 20 November".

    A day alone is "on 20 November".
    """
    moment = moment_of(at)
    if moment is None:
        return f"at {at}"
    day = f"on {moment.day} {moment:%B}" + (f" {moment.year}" if with_year else "")
    return day if len(at) == _DAY_CHARS else f"at {moment:%H:%M} {day}"


def said(error: ValidationError) -> str:
    """Return the first error in one line, without a value."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else str(first["msg"])
