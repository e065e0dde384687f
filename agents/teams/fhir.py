"""A FHIR R4 Bundle as a clinical case.

One Patient, and its Condition, AllergyIntolerance, MedicationRequest and Observation, read by fhirclient, whose model
classes are the standard's. What is not taken over is listed: other resources, and results without a value.

What was entered in error, refuted or cancelled is left out. A resource that is not valid refuses the whole: an allergy
that can't be read must not go missing silently. Names and addresses are not taken over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from importlib import import_module
from typing import Any, Final

from pydantic import ValidationError

from agents.figures import figure
from agents.teams.clinical_case import (
    NO_VALUE,
    NONE_KNOWN,
    NONE_KNOWN_END,
    NOT_TO_GIVE,
    ON_RECORD,
    ClinicalCase,
)
from agents.teams.errors import NotFhir, TwoPatients
from agents.teams.fhir_subject import check_subjects
from exaim_core.patient.paper import Allergy, Lab, Medication, Observation

MOST_ENTRIES: Final = 2_000
KINDS: Final = {
    "Patient": ("patient", "Patient"),
    "Condition": ("condition", "Condition"),
    "AllergyIntolerance": ("allergyintolerance", "AllergyIntolerance"),
    "MedicationRequest": ("medicationrequest", "MedicationRequest"),
    "Medication": ("medication", "Medication"),
    "Observation": ("observation", "Observation"),
}
_VOID: Final = frozenset({"entered-in-error", "refuted", "cancelled", "stopped", "draft"})
_MISSING: Final = re.compile(r'Non-optional property "(?P<field>\w+)"')  # as fhirclient says it
_DAY_CHARS: Final = len("2026-03-01")
_NO_KNOWN_ALLERGY: Final = "716186003"  # SNOMED CT: no known allergy, of whatever kind
_NO_KNOWN_OF: Final = {  # SNOMED CT: none known of one kind, and the categories of what would contradict that
    "409137002": ("drug", frozenset({"medication", "biologic"})),
    "429625007": ("food", frozenset({"food"})),
    "428607008": ("environmental", frozenset({"environment"})),
    "1003774007": ("latex", frozenset({"environment"})),
}


def clinical_case(bundle: Any, *, today: date) -> tuple[ClinicalCase, tuple[str, ...]]:
    """Return a Bundle's case, and what was left out; `today` gives the age from a birth date.

    Raises: NotFhir, with the field; TwoPatients.
    """
    read = [*_resources(bundle)]
    of = {kind: [(place, each) for place, name, each in read if name == kind] for kind in KINDS}
    if not of["Patient"]:
        raise NotFhir("it has no Patient", "entry[].resource")
    _one_patient(bundle, of)
    patient = of["Patient"][0][1]
    told = [each for _, each in of["AllergyIntolerance"] if not _void(each)]
    allergies = [each for each in told if not _none_known(each)]
    observations = [each for _, each in of["Observation"] if not _void(each)]
    valueless = [
        (place, each) for place, each in of["Observation"] if not _void(each) and not _has_value(each)
    ]
    try:
        case = ClinicalCase(
            patient_id=(patient.id or "patient")[:64],
            age=_age(patient, today),
            sex=patient.gender,
            past_medical_history=tuple(_conditions(each for _, each in of["Condition"])),
            medications=tuple(_medications(of)),
            allergies=tuple(map(_allergy, allergies)),
            no_known_allergies=not allergies and any(_NO_KNOWN_ALLERGY in _codes(each.code) for each in told),
            observations=tuple(_observations(observations)),
            labs=tuple(_labs(observations)),
            notes=(
                *_none_known_of(told, allergies),
                *_forbidden(of),
                *_without_value(each for _, each in valueless),
            ),
        )
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise NotFhir(f"its {place} is longer or other than a case can hold", place) from None
    lines = [f"{place}: an Observation without a value that can be read" for place, _ in valueless]
    lines += [
        f"{place}: a Condition without a name" for place, each in of["Condition"] if not _words(each.code)
    ]
    return case, (*lines, *_other_kinds(bundle))


# -- reading -------------------------------------------------------------------------------------


def _resources(bundle: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield place, kind and resource of what is known. Raises: NotFhir."""
    if not isinstance(bundle, Mapping):
        raise NotFhir("it is no JSON object")
    if bundle.get("resourceType") != "Bundle":
        raise NotFhir("its resourceType is not Bundle", "resourceType")
    entries = bundle.get("entry")
    if not isinstance(entries, list) or not entries:
        raise NotFhir("it has no entries", "entry")
    if len(entries) > MOST_ENTRIES:
        raise NotFhir(f"it has more than {MOST_ENTRIES:,} entries", "entry")
    for number, entry in enumerate(entries):
        resource = entry.get("resource") if isinstance(entry, Mapping) else None
        if not isinstance(resource, Mapping):
            raise NotFhir("an entry has no resource", f"entry[{number}].resource")
        kind = str(resource.get("resourceType"))
        if kind in KINDS:
            place = f"entry[{number}].resource"
            yield place, kind, _parsed(kind, resource, place)


def _other_kinds(bundle: Mapping[str, Any]) -> list[str]:
    """Return how many resources there are of each kind that is not read."""
    kinds = Counter(str(each["resource"].get("resourceType")) for each in bundle["entry"])
    return [f"{count} {kind[:64]}" for kind, count in sorted(kinds.items()) if kind not in KINDS]


def _parsed(kind: str, resource: Mapping[str, Any], place: str) -> Any:
    module, name = KINDS[kind]
    try:
        return getattr(import_module(f"fhirclient.models.{module}"), name)(dict(resource))
    except Exception as error:  # fhirclient raises its own, and a plain Exception
        path, how = _wrong(error)
        where = ".".join([f"{place}<{kind}>", *path])
        raise NotFhir(f"{where} is {how}", where) from None


def _wrong(error: BaseException) -> tuple[list[str], str]:
    """Return the names down to the first thing that is wrong, and how it is so, without its value."""
    found: list[str] = []
    while (inner := getattr(error, "errors", None)) and isinstance(inner, list):
        error = inner[0]
        if getattr(error, "path", None):
            found.append(str(error.path))  # type: ignore[attr-defined]
    missing = _MISSING.search(str(error)) if isinstance(error, KeyError) else None
    return ([*found, missing["field"]], "missing") if missing else (found, "not as R4 has it")


def _one_patient(bundle: Mapping[str, Any], of: Mapping[str, list[tuple[str, Any]]]) -> None:
    """Check that there is one Patient, and that all records are of it. Raises: TwoPatients."""
    if len(of["Patient"]) > 1:
        raise TwoPatients(len(of["Patient"]), of["Patient"][1][0])
    found = next(each for each in bundle["entry"] if each["resource"].get("resourceType") == "Patient")
    kinds = ("Condition", "AllergyIntolerance", "MedicationRequest", "Observation")
    records = [record for kind in kinds for record in of[kind]]
    check_subjects(of["Patient"][0][1], str(found.get("fullUrl") or ""), records)


# -- what it says --------------------------------------------------------------------------------


def _words(concept: Any) -> str:
    """Return a coded concept as it is written, or by the name of its first code that has one."""
    if concept is None:
        return ""
    coded = (each.display or each.code for each in concept.coding or ())
    return str(concept.text or next(filter(None, coded), "")).strip()


def _codes(concept: Any) -> frozenset[str]:
    return (
        frozenset(str(each.code) for each in (concept.coding or ()) if each.code)
        if concept is not None
        else frozenset()
    )


def _void(resource: Any) -> bool:
    status = getattr(resource, "status", None)
    return bool(({status} | _codes(getattr(resource, "verificationStatus", None))) & _VOID)


def _age(patient: Any, today: date) -> float | None:
    born = patient.birthDate.date if patient.birthDate is not None else None
    if not isinstance(born, date) or len(patient.birthDate.isostring) < len("2000-01-01"):
        return None  # a year alone is no age
    years = today.year - born.year - ((today.month, today.day) < (born.month, born.day))
    return float(years) if years >= 0 else None


def _conditions(conditions: Iterable[Any]) -> Iterator[str]:
    for each in conditions:
        words = _words(each.code)
        if words and not _void(each):
            doubts = _codes(each.verificationStatus) - {"confirmed"} | _codes(each.clinicalStatus) - {
                "active"
            }
            yield f"{words} ({', '.join(sorted(doubts))})" if doubts else words


def _none_known(allergy: Any) -> bool:
    """Return whether it says that no allergy is known, or none of one kind."""
    return bool(_codes(allergy.code) & {_NO_KNOWN_ALLERGY, *_NO_KNOWN_OF})


def _none_known_of(told: Iterable[Any], allergies: Iterable[Any]) -> Iterator[str]:
    """Yield the kinds of which no allergy is known; not where one of `allergies` may be of that kind."""
    codes = frozenset[str]().union(*(_codes(each.code) for each in told))
    listed = [frozenset(each.category or ()) for each in allergies]
    for code, (kind, categories) in _NO_KNOWN_OF.items():
        if code in codes and all(known and not known & categories for known in listed):
            yield f"{ON_RECORD}{NONE_KNOWN}{kind}{NONE_KNOWN_END}"


def _allergy(allergy: Any) -> Allergy:
    felt = [_words(each) for reaction in allergy.reaction or () for each in reaction.manifestation or ()]
    began = allergy.onsetDateTime
    return Allergy(
        substance=_words(allergy.code) or "a substance that the record does not name",
        reaction=", ".join(filter(None, felt)) or None,
        year=int(began.isostring[:4]) if began is not None and began.isostring[:4].isdecimal() else None,
    )


def _medications(of: Mapping[str, list[tuple[str, Any]]]) -> Iterator[Medication]:
    for _, each in of["MedicationRequest"]:
        if not _void(each) and not each.doNotPerform:
            dosage = (each.dosageInstruction or [None])[0]
            dose = _dose(dosage)
            yield Medication(
                drug=_drug(each, of),
                dose=dose.value if dose is not None else None,
                unit=dose.unit if dose is not None else None,
                route=_words(dosage.route) or None if dosage is not None else None,
                frequency=_frequency(dosage),
                note=f"status {each.status}" if each.status not in (None, "active") else None,
            )


def _forbidden(of: Mapping[str, list[tuple[str, Any]]]) -> Iterator[str]:
    for _, each in of["MedicationRequest"]:
        if each.doNotPerform and not _void(each):
            yield f"{ON_RECORD}{_drug(each, of)}{NOT_TO_GIVE}"


def _without_value(observations: Iterable[Any]) -> Iterator[str]:
    named = dict.fromkeys(filter(None, (_words(each.code) for each in observations)))
    for name in named:
        yield f"{ON_RECORD}{name[:200]}{NO_VALUE}"


def _drug(request: Any, of: Mapping[str, list[tuple[str, Any]]]) -> str:
    named = _words(request.medicationCodeableConcept)
    reference = request.medicationReference
    if named or reference is None:
        return named or "a drug that the record does not name"
    wanted = (reference.reference or "").lstrip("#").rsplit("/", 1)[-1]
    held = [*(each for _, each in of["Medication"]), *(request.contained or ())]
    found = next((_words(getattr(each, "code", None)) for each in held if wanted and each.id == wanted), "")
    return found or (reference.display or "a drug that the record does not name")


def _dose(dosage: Any) -> Any:
    first = (dosage.doseAndRate or [None])[0] if dosage is not None else None
    return first.doseQuantity if first is not None else None


def _frequency(dosage: Any) -> str | None:
    if dosage is None:
        return None
    timing = dosage.timing
    if dosage.text or timing is None:
        return dosage.text or None
    repeat = timing.repeat
    if repeat is None or not (repeat.frequency and repeat.period and repeat.periodUnit):
        return _words(timing.code) or None
    return f"{repeat.frequency} in {figure(repeat.period)} {repeat.periodUnit}"


def _is_lab(observation: Any) -> bool:
    return any("laboratory" in _codes(each) for each in observation.category or ())


def _observations(observations: Iterable[Any]) -> Iterator[Observation]:
    for each in observations:
        if not _is_lab(each):
            for name, part in _parts(each):
                value, unit = _value(part)
                if name and value is not None:
                    yield Observation(name=name, value=value, unit=unit)


def _labs(observations: Iterable[Any]) -> Iterator[Lab]:
    for each in observations:
        if _is_lab(each):
            for name, part in _parts(each):
                value, unit = _value(part)
                if name and value is not None:
                    yield Lab(
                        analyte=name,
                        value=value,
                        unit=unit,
                        ref_range=_bounds(part),
                        reported_at=_time(each),
                        comment=_comment(each),
                    )


def _has_value(observation: Any) -> bool:
    return any(name and _value(part)[0] is not None for name, part in _parts(observation))


def _parts(observation: Any) -> Iterator[tuple[str, Any]]:
    """Yield an observation's own value, and those of its parts (a blood pressure has two)."""
    yield _words(observation.code), observation
    for each in observation.component or ():
        yield _words(each.code), each


def _value(part: Any) -> tuple[float | str | None, str]:
    quantity = part.valueQuantity
    if quantity is not None and quantity.value is not None:
        unit = str(quantity.unit or quantity.code or "")
        bounded = (
            f"{quantity.comparator} {figure(quantity.value)}"
            if quantity.comparator
            else float(quantity.value)
        )
        return bounded, unit
    text = _words(part.valueCodeableConcept) or part.valueString or ""
    return (str(text), "") if text else (None, "")


def _bounds(part: Any) -> tuple[float | None, float | None] | None:
    first = (part.referenceRange or [None])[0]
    if first is None or (first.low is None and first.high is None):
        return None
    return (
        first.low.value if first.low is not None else None,
        first.high.value if first.high is not None else None,
    )


def _comment(observation: Any) -> str | None:
    """Return what is said of a result that is not the last word, or of which no day is known."""
    last_word = observation.status in ("final", "amended", "corrected")
    at = _told_time(observation)
    told = (
        "" if last_word else f"status {observation.status}",
        f"of {at}" if 0 < len(at) < _DAY_CHARS else "",
    )
    return ", ".join(filter(None, told)) or None


def _time(observation: Any) -> str | None:
    """Return when a result is of, with its date; None where not even the day is known."""
    at = _told_time(observation)
    return at if len(at) >= _DAY_CHARS else None


def _told_time(observation: Any) -> str:
    """Return a result's time as the record has it: fhirclient's own makes midnight of a day."""
    return str(observation.effectiveDateTime.as_json()) if observation.effectiveDateTime is not None else ""
