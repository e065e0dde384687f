"""A case from a file: plain text, a case paper or a clinical case as JSON, or a FHIR Bundle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from agents.teams.checking import checked
from agents.teams.clinical_case import ClinicalCase, tells_no_matter, text_of
from agents.teams.errors import CaseEmpty, CaseRefused, CaseTooLong, NothingToReason
from agents.teams.patients import check_one
from agents.teams.port import Case
from exaim_core import CasePaper
from exaim_core.patient.paper import Part, said

FILE_BYTES: Final = 4_000_000
TITLE_CHARS: Final = 100
_MATTERS: Final = ("presenting_complaint", "summary", "history", "observations", "labs", "imaging")
_FIELDS: Final = frozenset({*CasePaper.model_fields, *ClinicalCase.model_fields})
Kind = TypeVar("Kind", bound=Part)


def read_case(path: Path, *, today: date, one_patient: bool = False, taken: bool = False) -> Case:
    """Return the case of a file, as `case_of`. Raises: CaseRefused, with the field that is wrong."""
    text = read_text(path)
    return case_of(text, name=path.stem, today=today, one_patient=one_patient, taken=taken)


def read_text(path: Path) -> str:
    """Return what a file holds. Raises: CaseTooLong; CaseRefused: it can't be read, or is no UTF-8."""
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        raise CaseRefused(f"{path} is not there: name a file with a case") from None
    except IsADirectoryError:
        raise CaseRefused(f"{path} is a folder: name a file with a case") from None
    except OSError as error:
        raise CaseRefused(f"{path} can't be read: {error.strerror or type(error).__name__}") from None
    if len(raw) > FILE_BYTES:
        raise CaseTooLong(len(raw), FILE_BYTES)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CaseRefused(f"the file is not UTF-8 text (byte {error.start})") from None


def case_of(
    text: str, *, name: str = "case", today: date, one_patient: bool = False, taken: bool = False
) -> Case:
    """Return the case of a text: JSON if it begins as an object, else as it stands.

    `one_patient`: whoever gives a plain text says that all of it is about one patient. `taken`: this version or an
    older one has taken it, and it is not refused for what is asked of a new one. Raises: CaseRefused.
    """
    if not text.strip():
        raise CaseEmpty
    if _is_list(text):
        raise CaseRefused("the file is a list in JSON; a case is one object, or plain text")
    if not text.lstrip().startswith("{"):
        case = checked(Case(case_id=name[:64] or "case", text=text.strip(), title=_title(text)))
        if not (one_patient or taken):
            check_one(text)
        return case
    try:
        found = json.loads(text, object_pairs_hook=dict if taken else _each_once)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise CaseRefused(
            f"the file begins as JSON and is none: see its line {line}", f"line {line}"
        ) from None
    case = checked(_structured(found, today, taken))
    return case if taken else _with_something(case)


def _is_list(text: str) -> bool:
    """Return whether a text is a list in JSON: one that only begins with a bracket is plain text."""
    if not text.lstrip().startswith("["):
        return False
    try:
        return isinstance(json.loads(text), list)
    except (ValueError, RecursionError):
        return False


def _structured(found: Mapping[str, Any], today: date, taken: bool) -> Case:
    if "resourceType" in found:
        from agents.teams.fhir import clinical_case  # the standard's classes are loaded where they are wanted

        case, left_out = clinical_case(found, today=today)
        return replace(case.to_case(), left_out=left_out)
    try:
        if "case_id" in found:
            return _of_paper(_read(CasePaper, found, taken), found)
        return _read(ClinicalCase, found, taken).to_case()
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        raise CaseRefused(f"the case can't be read: {said(error)}", place) from None


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object. Raises: CaseRefused: a field is there twice, so that one would be lost."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            named = name if name in _FIELDS else "a field"
            raise CaseRefused(
                f"{named} is there twice in one object: write it once", name if name in _FIELDS else ""
            )
        found[name] = value
    return found


def _read(kind: type[Kind], found: Mapping[str, Any], taken: bool) -> Kind:
    return kind.of_store(found) if taken else kind.model_validate(found)


def _with_something(case: Case) -> Case:
    """Return the case. Raises: NothingToReason: nothing in it is the matter with the patient."""
    paper = CasePaper.model_validate(case.paper)
    notes = [note for note in paper.notes if not tells_no_matter(note)]
    if any(getattr(paper, name) for name in _MATTERS) or notes:
        return case
    raise NothingToReason(case.left_out)


def _of_paper(paper: CasePaper, found: Mapping[str, Any]) -> Case:
    text = text_of(paper)
    if not text:
        raise CaseEmpty
    return Case(case_id=paper.case_id[:64], text=text, title=(paper.title or _title(text))[:200], paper=found)


def _title(text: str) -> str:
    """Return a text's first line as far as it goes: no more is known of what the case is about."""
    line = " ".join(text.strip().splitlines()[0].lstrip("# ").split())
    if len(line) <= TITLE_CHARS:
        return line or "A case of your own"
    return line[:TITLE_CHARS].rsplit(" ", 1)[0]
