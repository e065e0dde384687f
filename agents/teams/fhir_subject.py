"""Whose records a FHIR Bundle holds: each has to be of its one Patient.

A reference may be relative, an address with or without a version, the entry's `fullUrl`, a contained Patient, or an
identifier of the Patient. Where the Patient has neither id nor `fullUrl`, all have to refer to the same one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum, auto
from typing import Any, Final

from agents.teams.errors import TwoPatients
from exaim_core.text.kin import KIN

_VERSION: Final = re.compile(r"/_history/[^/]*\Z")
_ADDRESS: Final = re.compile(r"https?://")
_BEINGS: Final = frozenset({"Patient", "RelatedPerson", "Person", "Group"})
_SOMEBODY: Final = re.compile(
    rf"\b(?:{KIN}|fo?etus|fo?etal|baby|newborn|neonate|infant|donor|partner|patient|relative)\b",
    re.IGNORECASE,
)
"""A being in the words of a focus that has words alone: "the fetus", and not "left arm wound"."""


def check_subjects(patient: Any, full_url: str, records: Iterable[tuple[str, Any]]) -> None:
    """Check that each record is of the patient, or names nobody. Raises: TwoPatients, with the first that is not.

    `records`: place and resource; `full_url`: of the patient's entry, "" if it has none.
    """
    told = [(place, record, _subject(record)) for place, record in records]
    if not patient.id and not full_url:
        by_name = (each.reference for _, _, each in told if each is not None and each.reference)
        full_url = next((each for each in by_name if not each.startswith("#") and "?" not in each), "")
    others: dict[str, str] = {}
    for place, record, reference in told:
        if reference is not None and not _is_of(patient, full_url, record, reference):
            others.setdefault(_told(reference), place)
    if others:
        raise TwoPatients(len(others) + 1, next(iter(others.values())))


class Whose(Enum):
    """Whom an Observation is about."""

    PATIENTS = auto()
    ANOTHERS = auto()
    UNKNOWN = auto()  # its focus is not in the record, and nothing says what it is


def whose(patient: Any, full_url: str, kinds: Mapping[str, str], observation: Any) -> Whose:
    """Return whom an Observation is about by its focus: a fetus, a donor and a relative are somebody else.

    One on a thing of the patient's (a wound, a device, a condition) leaves it the patient's.
    `kinds`: of the Bundle's resources, by their `fullUrl`.
    """
    subject = observation.subject.reference if observation.subject is not None else None
    found = {
        _whose(each, _kind_of(each, observation, kinds))
        for each in observation.focus or ()
        if not (each.reference and each.reference == subject)
        and not _is_named(patient, full_url, observation, each)
    }
    return next((each for each in (Whose.ANOTHERS, Whose.UNKNOWN) if each in found), Whose.PATIENTS)


def _whose(focus: Any, kind: str) -> Whose:
    """Return whose a focus of `kind` is that does not name the patient; of `kind` "" its words may tell."""
    if kind in _BEINGS or (not kind and _SOMEBODY.search(focus.display or "")):
        return Whose.ANOTHERS
    return Whose.UNKNOWN if not kind and (focus.reference or focus.identifier) else Whose.PATIENTS


def _is_named(patient: Any, full_url: str, record: Any, focus: Any) -> bool:
    """Return whether a focus names the patient: whoever sets one means somebody, so that no name is another's."""
    if focus.reference:
        return _is_of(patient, full_url, record, focus)
    named = focus.identifier
    return named is not None and any(
        (each.system, each.value) == (named.system, named.value) for each in patient.identifier or ()
    )


def _kind_of(reference: Any, record: Any, kinds: Mapping[str, str]) -> str:
    """Return the kind of resource that a reference names; "" where nothing says it."""
    written = _VERSION.sub("", reference.reference or "")
    if written.startswith("#"):
        held = (str(each.resource_type) for each in record.contained or () if each.id == written[1:])
        return next(held, reference.type or "")
    path = written.partition("?")[0].split("/")
    named = path[-2] if len(path) > 1 else path[0] if "?" in written else ""
    return str(reference.type or kinds.get(written) or named)


def _subject(record: Any) -> Any:
    return getattr(record, "subject", None) or getattr(record, "patient", None)


def _is_of(patient: Any, full_url: str, record: Any, reference: Any) -> bool:
    written = _VERSION.sub("", reference.reference or "")
    if written.startswith("#"):
        held = [each for each in record.contained or () if each.id == written[1:]]
        return bool(held) and _may_be(patient, held[0])
    if "?" in written:
        return written.rsplit("|", 1)[-1] in {each.value for each in patient.identifier or ()}
    if not written:
        return reference.identifier is None or not _contradicts(patient.identifier, [reference.identifier])
    url = _VERSION.sub("", full_url)
    if _ADDRESS.match(written) and _ADDRESS.match(url):
        return _ADDRESS.sub("", written) == _ADDRESS.sub("", url)
    kind, _, name = written.rpartition("/")
    return name.rpartition(":")[2] in _names(patient, url) and kind.rpartition("/")[2] in ("", "Patient")


def _names(patient: Any, full_url: str) -> set[str]:
    """Return by which names a reference may mean the patient."""
    return {patient.id, re.split("[/:]", full_url)[-1]} - {None, ""}


def _may_be(patient: Any, contained: Any) -> bool:
    """Return whether a Patient within a record may be the Bundle's: nothing that both say differs."""
    if contained.resource_type != "Patient" or _contradicts(patient.identifier, contained.identifier):
        return False
    one, other = patient.gender, contained.gender
    if one and other and one != other:
        return False
    if patient.birthDate and contained.birthDate:  # one may know the year only
        one, other = sorted((patient.birthDate.as_json(), contained.birthDate.as_json()), key=len)
        if not other.startswith(one):
            return False
    known, said = _families(patient), _families(contained)
    return not known or not said or not known.isdisjoint(said)


def _families(patient: Any) -> set[str]:
    return {each.family.casefold() for each in patient.name or () if each.family}


def _contradicts(known: Any, said: Any) -> bool:
    """Return whether an identifier of the same system has another value."""
    of = {
        each.system: {other.value for other in known if other.system == each.system} for each in known or ()
    }
    return any(each.value not in of.get(each.system, {each.value}) for each in said or ())


def _told(reference: Any) -> str:
    return _VERSION.sub("", reference.reference or "") or str(getattr(reference.identifier, "value", ""))
