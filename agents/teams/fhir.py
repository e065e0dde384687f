"""A FHIR R4 Bundle as a clinical case.

One Patient, and its Condition, AllergyIntolerance, MedicationRequest and Observation, read by fhirclient, whose model
classes are the standard's. What is not taken over is listed: other resources, and results without a value. Of an
entry, what a case has no field for is written in its note or in the case's notes.

What was entered in error, refuted or cancelled is left out. A resource that is not valid refuses the whole: an allergy
that can't be read must not go missing silently. Names and addresses are not taken over.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib import import_module
from typing import Any, Final

from pydantic import ValidationError

from agents.teams.clinical_case import (
    NO_VALUE,
    NONE_KNOWN,
    NONE_KNOWN_END,
    OF_ANOTHER,
    OF_NOBODY,
    ON_RECORD,
    ClinicalCase,
)
from agents.teams.errors import NotFhir, TwoPatients
from agents.teams.fhir_drugs import drug_notes, medications
from agents.teams.fhir_results import has_value, results, values_told
from agents.teams.fhir_subject import Whose, check_subjects, whose
from agents.teams.fhir_words import codes, words
from exaim_core.patient.paper import Allergy

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
_NO_KNOWN_ALLERGY: Final = "716186003"  # SNOMED CT: no known allergy, of whatever kind
_NO_KNOWN_OF: Final = {  # SNOMED CT: none known of one kind, and the categories of what would contradict that
    "409137002": ("drug", frozenset({"medication", "biologic"})),
    "429625007": ("food", frozenset({"food"})),
    "428607008": ("environmental", frozenset({"environment"})),
    "1003774007": ("latex", frozenset({"environment"})),
}
_KINDS_SAID: Final = {kind: code for code, (kind, _) in _NO_KNOWN_OF.items()} | {"medication": "409137002"}
_NONE_KNOWN_SAID: Final = re.compile(
    rf"(?:(?P<short>nkd?a)|no known (?:(?P<kind>{'|'.join(_KINDS_SAID)}) )?allerg(?:y|ies))\.?"
)
_IN_MONTHS: Final = 24
NOTE_CHARS: Final = 500
"""Of what else is said of an allergy: it is read aloud."""


@dataclass(frozen=True, slots=True)
class _Observations:
    """The observations of a Bundle by whom they are about, with their places where those are told."""

    own: Sequence[Any]  # with a value or without
    others: Sequence[str]  # places only: nothing of it is told
    unknown: Mapping[str, Any]  # about whom is not known; with a value
    own_valueless: Sequence[Any]
    valueless: Sequence[str]  # places of these, and of those without a value about whom is not known


def clinical_case(bundle: Any, *, today: date) -> tuple[ClinicalCase, tuple[str, ...]]:
    """Return a Bundle's case, and what was left out; `today` gives the age from a birth date.

    Raises: NotFhir, with the field; TwoPatients.
    """
    read = [*_resources(bundle)]
    of = {kind: [(place, each) for place, name, each in read if name == kind] for kind in KINDS}
    if not of["Patient"]:
        raise NotFhir("it has no Patient", "entry[].resource")
    _one_patient(bundle, of)
    seen = _observations(bundle, of)
    try:
        case = _case(of, seen, today)
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise NotFhir(f"its {place} is longer or other than a case can hold", place) from None
    return case, (*_not_taken(of, seen), *_other_kinds(bundle))


def _case(of: Mapping[str, list[tuple[str, Any]]], seen: _Observations, today: date) -> ClinicalCase:
    """Return the case of the resources by kind. Raises: ValidationError."""
    patient = of["Patient"][0][1]
    told = [each for _, each in of["AllergyIntolerance"] if not _void(each)]
    allergies = [each for each in told if not _none_known(each)]
    requests = [each for _, each in of["MedicationRequest"] if not _void(each)]
    labs, observations, noted = results(seen.own, _days_old(patient, today))
    return ClinicalCase(
        patient_id=(patient.id or "patient")[:64],
        **_age(patient, today),
        sex=patient.gender,
        past_medical_history=tuple(_conditions(each for _, each in of["Condition"])),
        medications=tuple(medications(requests, of)),
        allergies=tuple(map(_allergy, allergies)),
        no_known_allergies=not allergies and any(_NO_KNOWN_ALLERGY in _none_known(each) for each in told),
        observations=observations,
        labs=labs,
        notes=(
            *_none_known_of(told, allergies),
            *drug_notes(requests, of),
            *(f"{ON_RECORD}{each}." for each in noted),
            *_without_value(seen.own_valueless),
            *_left_out(seen.others),
            *(f"{ON_RECORD}{each}{OF_NOBODY}" for each in values_told(seen.unknown.values())),
        ),
    )


def _not_taken(of: Mapping[str, list[tuple[str, Any]]], seen: _Observations) -> Iterator[str]:
    """Yield what the case does not hold, or not as the patient's, with its place."""
    for place in seen.valueless:
        yield f"{place}: an Observation without a value that can be read"
    for place in seen.others:
        yield f"{place}: an Observation about somebody else than the patient (its focus)"
    for place in seen.unknown:
        yield f"{place}: an Observation whose focus the record does not hold: told to the agents as nobody's"
    for place, condition in of["Condition"]:
        if not words(condition.code):
            yield f"{place}: a Condition without a name"


def _left_out(others: Sequence[str]) -> Iterator[str]:
    if others:
        yield f"{ON_RECORD}{len(others)} {'result' if len(others) == 1 else 'results'}{OF_ANOTHER}"


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
    kinds = ("Condition", "AllergyIntolerance", "MedicationRequest", "Observation")
    records = [record for kind in kinds for record in of[kind]]
    check_subjects(of["Patient"][0][1], _patients_url(bundle), records)


def _patients_url(bundle: Mapping[str, Any]) -> str:
    found = next(each for each in bundle["entry"] if each["resource"].get("resourceType") == "Patient")
    return str(found.get("fullUrl") or "")


def _observations(bundle: Mapping[str, Any], of: Mapping[str, list[tuple[str, Any]]]) -> _Observations:
    """Return the observations that were not voided, by whom they are about."""
    found = {place: each for place, each in of["Observation"] if not _void(each)}
    about = _about(bundle, of["Patient"][0][1], found.items())
    own = {place: each for place, each in found.items() if about[place] is Whose.PATIENTS}
    others = [place for place in found if about[place] is Whose.ANOTHERS]
    unknown = {place: each for place, each in found.items() if about[place] is Whose.UNKNOWN}
    return _Observations(
        own=tuple(own.values()),
        others=others,
        unknown={place: each for place, each in unknown.items() if has_value(each)},
        own_valueless=[each for each in own.values() if not has_value(each)],
        valueless=[place for place, each in found.items() if place not in others and not has_value(each)],
    )


def _about(bundle: Mapping[str, Any], patient: Any, found: Iterable[tuple[str, Any]]) -> dict[str, Whose]:
    """Return whom each observation is about, by its place."""
    url = _patients_url(bundle)
    kinds = {str(each.get("fullUrl")): str(each["resource"].get("resourceType")) for each in bundle["entry"]}
    return {place: whose(patient, url, kinds, each) for place, each in found}


# -- what it says --------------------------------------------------------------------------------


def _void(resource: Any) -> bool:
    status = getattr(resource, "status", None)
    return bool(({status} | codes(getattr(resource, "verificationStatus", None))) & _VOID)


def _days_old(patient: Any, today: date) -> int | None:
    born = patient.birthDate.date if patient.birthDate is not None else None
    if not isinstance(born, date):
        return None
    return (today - born).days if born <= today else None


def _age(patient: Any, today: date) -> dict[str, Any]:
    """Return age and its unit: days in the first month, months in the first two years.

    Of a birth of which only the year or the month is known the age in years may be one too many.
    """
    days = _days_old(patient, today)
    if days is None:
        return {}
    born = patient.birthDate.date
    months = 12 * (today.year - born.year) + today.month - born.month - (today.day < born.day)
    if months < _IN_MONTHS and len(patient.birthDate.as_json()) < len("2000-01-01"):
        return {}  # a year, or a month, alone says nothing of an infant's age
    if months < _IN_MONTHS:
        return {"age": months, "age_unit": "months"} if months else {"age": days, "age_unit": "days"}
    return {"age": months // 12}


def _conditions(conditions: Iterable[Any]) -> Iterator[str]:
    for each in conditions:
        named = words(each.code)
        if named and not _void(each):
            doubts = codes(each.verificationStatus) - {"confirmed"} | codes(each.clinicalStatus) - {"active"}
            yield f"{named} ({', '.join(sorted(doubts))})" if doubts else named


def _none_known(allergy: Any) -> frozenset[str]:
    """Return the codes by which it says that no allergy is known, or none of one kind.

    Where nothing is coded, its words may say so; beside any other code it stays an allergy.
    """
    coded = codes(allergy.code) & {_NO_KNOWN_ALLERGY, *_NO_KNOWN_OF}
    if coded or allergy.code is None or codes(allergy.code):
        return coded
    said = _NONE_KNOWN_SAID.fullmatch(words(allergy.code).lower())
    if said is None:
        return frozenset()
    kind = "drug" if said["short"] == "nkda" else said["kind"]
    return frozenset({_KINDS_SAID[kind] if kind else _NO_KNOWN_ALLERGY})


def _none_known_of(told: Iterable[Any], allergies: Iterable[Any]) -> Iterator[str]:
    """Yield the kinds of which no allergy is known; not where one of `allergies` may be of that kind."""
    none = frozenset[str]().union(*map(_none_known, told))
    listed = [frozenset(each.category or ()) for each in allergies]
    for code, (kind, categories) in _NO_KNOWN_OF.items():
        if code in none and all(known and not known & categories for known in listed):
            yield f"{ON_RECORD}{NONE_KNOWN}{kind}{NONE_KNOWN_END}"


def _allergy(allergy: Any) -> Allergy:
    felt = [words(each) for reaction in allergy.reaction or () for each in reaction.manifestation or ()]
    began = allergy.onsetDateTime
    noted = ", ".join(dict.fromkeys(filter(None, _allergy_notes(allergy))))
    return Allergy(
        substance=words(allergy.code) or "a substance that the record does not name",
        reaction=", ".join(filter(None, felt)) or None,
        year=int(began.isostring[:4]) if began is not None and began.isostring[:4].isdecimal() else None,
        note=(noted if len(noted) <= NOTE_CHARS else f"{noted[:NOTE_CHARS]} […]") or None,
    )


def _allergy_notes(allergy: Any) -> Iterator[str]:
    """Yield what else is said of an allergy than its substance and what was felt; doubts first."""
    yield from sorted(
        codes(allergy.verificationStatus) - {"confirmed"} | codes(allergy.clinicalStatus) - {"active"}
    )
    yield f"criticality {allergy.criticality}" if allergy.criticality in ("high", "low") else ""
    for reaction in allergy.reaction or ():
        yield f"{reaction.severity} reaction" if reaction.severity else ""
        yield reaction.description or ""
        yield from (each.text or "" for each in reaction.note or ())
    yield from (each.text or "" for each in allergy.note or ())


def _without_value(observations: Iterable[Any]) -> Iterator[str]:
    named = dict.fromkeys(filter(None, (words(each.code) for each in observations)))
    for name in named:
        yield f"{ON_RECORD}{name[:200]}{NO_VALUE}"
