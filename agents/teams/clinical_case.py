"""A clinical case from a program: fields or free text, and the text for the agents made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field

from agents.figures import figure
from agents.teams.errors import CaseEmpty
from agents.teams.port import Case
from exaim_core import CasePaper
from exaim_core.patient.paper import Allergy, Imaging, Lab, Medication, Observation, Part

LINE_CHARS: Final = 4_000
NO_ALLERGIES: Final = "No known allergies on record."
ON_RECORD: Final = "On record: "
NOT_TO_GIVE: Final = " must not be given."
NOT_ORDERED: Final = " is proposed, not ordered."
NO_VALUE: Final = ", without a value."
OF_ANOTHER: Final = " of somebody else left out."
OF_NOBODY: Final = ", of whom or of what is not known."
NONE_KNOWN: Final = "no known "
NONE_KNOWN_END: Final = " allergy."
"""How the notes begin, and end, that are made of a record (`fhir.py`)."""
_ENDS: Final = tuple(
    re.compile(f"(?s:.*){end}") for end in (r"\n", r"[.!?]\s", r"[,;]\s", r"(?<!\d)\s(?!\d)", r"\s")
)
"""Where a long text may be parted, best first: not between a value and its name or unit, if it can be helped."""
Line = Annotated[str, Field(max_length=LINE_CHARS)]


class ClinicalCase(Part):
    """One patient's case. What is not given is unknown, and is written as that nowhere.

    `no_known_allergies` says that the record says so; an empty `allergies` alone says nothing.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True, allow_inf_nan=False)

    patient_id: Annotated[str, Field(min_length=1, max_length=64)] = "patient"
    title: Annotated[str, Field(max_length=200)] = ""
    age: Annotated[float, Field(ge=0, le=130)] | None = None
    age_unit: Literal["years", "months", "weeks", "days"] = "years"
    sex: Annotated[str, Field(max_length=32)] | None = None
    weight_kg: Annotated[float, Field(gt=0, le=700)] | None = None
    height_cm: Annotated[float, Field(gt=0, le=280)] | None = None
    chief_complaint: Line = ""
    history_of_present_illness: Annotated[str, Field(max_length=20_000)] = ""
    past_medical_history: tuple[Line, ...] = ()
    medications: tuple[Medication, ...] = ()
    allergies: tuple[Allergy, ...] = ()
    no_known_allergies: bool = False
    observations: tuple[Observation, ...] = ()
    labs: tuple[Lab, ...] = ()
    imaging: tuple[Imaging, ...] = ()
    notes: tuple[Line, ...] = ()

    def to_case(self) -> Case:
        """Return the case as a team takes it. Raises: CaseEmpty."""
        text = self.to_text()
        if not text:
            raise CaseEmpty
        title = self.title or (self.chief_complaint[:200] or "A case of your own")
        return Case(case_id=self.patient_id, text=text, title=title, paper=self.to_paper())

    def to_paper(self) -> dict[str, Any]:
        """Return the case as a case paper: what a session holds numbers and orders against."""
        none = (NO_ALLERGIES,) if self.no_known_allergies else ()
        told = _in_lines(self.history_of_present_illness)
        paper = CasePaper(
            case_id=self.patient_id,
            title=self.title,
            age=self.age,
            age_unit=self.age_unit if self.age is not None else None,
            sex=self.sex,
            weight_kg=self.weight_kg,
            height_cm=self.height_cm,
            presenting_complaint=self.chief_complaint,
            history=self.past_medical_history,
            medication=self.medications,
            allergies=self.allergies,
            observations=self.observations,
            labs=self.labs,
            imaging=self.imaging,
            notes=(*told, *self.notes, *none),
        )
        return paper.model_dump(mode="json", exclude_defaults=True) | {"case_id": self.patient_id}

    def to_text(self) -> str:
        """Return the case in words; "" if nothing is said of the patient."""
        return text_of(CasePaper.model_validate(self.to_paper()))


def _in_lines(text: str) -> Iterator[str]:
    """Yield a text in entries that a paper can hold, each to the end of a line, a sentence or else a word."""
    while len(text) > LINE_CHARS:
        head = text[: LINE_CHARS + 1]
        found = (each.match(head) for each in _ENDS)
        at = next((each.end() for each in found if each is not None and each[0].strip()), LINE_CHARS)
        yield text[:at].strip()
        text = text[at:].lstrip()
    if text:
        yield text


def tells_no_matter(note: str) -> bool:
    """Return whether a note is one that a record gives and that says nothing of what is the matter with the patient."""
    ends = (NOT_TO_GIVE, NOT_ORDERED, NO_VALUE, OF_ANOTHER, OF_NOBODY)
    made = note.startswith(ON_RECORD) and note.endswith(ends)
    none_known = note.startswith(ON_RECORD + NONE_KNOWN) and note.endswith(NONE_KNOWN_END)
    return made or none_known or note == NO_ALLERGIES


def text_of(paper: CasePaper) -> str:
    """Return what a case paper says, one line an entry; what it does not say is not there."""
    parts = [
        _patient(paper),
        paper.presenting_complaint,
        paper.summary,
        _listed("History", paper.history),
        _listed("Medication", [_medication(each) for each in paper.medication]),
        _listed(
            "Allergies",
            [_joined(each.substance, each.reaction, each.year, each.note) for each in paper.allergies],
        ),
        _listed("Observations", map(_observation, paper.observations)),
        _listed("Laboratory", [_lab(each) for each in paper.labs]),
        _listed(
            "Imaging", [_joined(f"{each.study}: {each.finding}", each.reported_at) for each in paper.imaging]
        ),
        _listed("Notes", paper.notes),
    ]
    return "\n\n".join(part for part in parts if part)


def _patient(paper: CasePaper) -> str:
    told = [
        f"{figure(paper.age)} {paper.age_unit or 'years'}" if paper.age is not None else "",
        paper.sex or "",
        f"{figure(paper.weight_kg)} kg" if paper.weight_kg is not None else "",
        f"{figure(paper.height_cm)} cm" if paper.height_cm is not None else "",
    ]
    known = ", ".join(filter(None, told))
    return f"Patient: {known}" if known else ""


def _listed(title: str, lines: Iterable[str]) -> str:
    listed = [f"- {line}" for line in lines]
    return "\n".join([f"{title}:", *listed]) if listed else ""


def _joined(*parts: Any) -> str:
    return ", ".join(str(part) for part in parts if part not in (None, ""))


def _medication(drug: Medication) -> str:
    dose = f"{figure(drug.dose)} {drug.unit or ''}".strip() if drug.dose is not None else ""
    return _joined(" ".join(filter(None, (drug.drug, dose))), drug.route, drug.frequency, drug.note)


def _value(seen: Observation | Lab) -> str:
    return f"{figure(seen.value)} {seen.unit}".strip()


def _observation(seen: Observation) -> str:
    return _joined(f"{seen.name}: {_value(seen)}", _when(seen.taken_at))


def _when(at: str | None) -> str:
    return f"{'at' if ':' in at else 'of'} {at}" if at else ""


def _lab(lab: Lab) -> str:
    low, high = lab.ref_range or (None, None)
    bounds = {
        (True, True): f"reference {low} to {high}",
        (True, False): f"reference from {low}",
        (False, True): f"reference up to {high}",
    }.get((low is not None, high is not None), "")
    return _joined(f"{lab.analyte}: {_value(lab)}", bounds, _when(lab.reported_at), lab.comment)
