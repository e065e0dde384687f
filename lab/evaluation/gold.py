"""Acute cases and injected findings that were written by hand, brought into the form that is measured.

They lie with the tests, which know nothing of this package nor it of them: the Python package that holds them
is named by an option (`--gold`), and what it must offer is written down here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from agents.recorded import Trace
from agents.recorded.classification import classify_turns
from agents.recorded.records import Boundary, Delta, Metadata, Record
from exaim_core import CasePaper

_MODULES: Final = ("acute", "injected", "prose_values")
_VALUE: Final = re.compile(
    r"(?P<name>\D+?) (?P<value>-?[\d,.]*\d(?:/\d+)?)\s?(?P<unit>per minute|[^\s,;]+(?: \d[^\s,;]*)?)?"
)
_DOSE: Final = re.compile(r"(?P<drug>\D+?) (?P<dose>[\d,.]*\d) (?P<unit>[^\s,;]+)")


@dataclass(frozen=True, slots=True)
class Row:
    """Something that ought to be told; it may be from `from_s` on, and is waited for from `at_s` on."""

    point_id: str
    kind: str
    at_s: float
    from_s: float
    met: Callable[[str], bool]

    def met_by(self, text: str) -> bool:
        """Return whether a text tells it."""
        return self.met(text)


@dataclass(frozen=True, slots=True)
class Never:
    """Something that may not be told as true from `since_s` on."""

    rule_id: str
    since_s: float
    broken: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class AcuteCase:
    """One acute case with its lists."""

    case_id: str
    title: str
    trace: Trace
    paper: CasePaper
    points: tuple[Row, ...]
    spoken: tuple[Row, ...]
    critical: tuple[Row, ...]
    never: tuple[Never, ...]
    also_fair: tuple[Callable[[str], bool], ...]


@dataclass(frozen=True, slots=True)
class InjectedCase:
    """A recorded trace in which findings are said. Each is a row of its group; `emergency` ids must alarm."""

    case_id: str
    trace: Trace
    findings: tuple[Row, ...]
    emergency: frozenset[str]
    variants: Mapping[str, str]  # of those that speak of an emergency that is none: in which way


@dataclass(frozen=True, slots=True)
class ProseCase:
    """A discussion in free prose, without a paper: what is the patient's, and what is not."""

    case_id: str
    trace: Trace
    points: tuple[Row, ...]
    never: tuple[Never, ...]


def present(package: str) -> bool:
    """Return whether there is such a package with all kinds of material."""
    try:
        return all(find_spec(f"{package}.{name}") is not None for name in _MODULES)
    except ModuleNotFoundError:
        return False


def acute_cases(package: str) -> tuple[AcuteCase, ...]:
    """Return the package's acute cases. Raises: ModuleNotFoundError, and what its reader raises."""
    return tuple(_acute(each) for each in import_module(f"{package}.acute").acute_cases())


def injected_cases(package: str, traces: Path) -> tuple[InjectedCase, ...]:
    """Return every recorded trace of a folder with the findings that belong to it said in it."""
    module = import_module(f"{package}.injected")
    findings = sorted(module.findings(), key=lambda each: each.case_id)
    return tuple(
        _injected(module, traces / f"{case_id}.trace.jsonl.gz", case_id, tuple(rows))
        for case_id, rows in groupby(findings, key=lambda each: each.case_id)
    )


def prose_cases(package: str) -> tuple[ProseCase, ...]:
    """Return the package's discussions in free prose; a row may be told at any time."""
    return tuple(
        ProseCase(
            each.id,
            trace_of(each.id, each.events()),
            tuple(Row(row.id, row.group, 0.0, 0.0, row.met_by) for row in each.points),
            tuple(Never(row.id, 0.0, row.broken_by) for row in each.never),
        )
        for each in import_module(f"{package}.prose_values").discussions()
    )


def trace_of(case_id: str, events: Iterable[Any]) -> Trace:
    """Return a trace of deltas (`text`) and turn ends, both with `at_s`, `turn` and `agent`, in order."""
    records: list[Record] = []
    open_turn = None
    for event in events:
        at_ms = round(event.at_s * 1000)
        if event.turn != open_turn:
            open_turn = event.turn
            records.append(Boundary(len(records), event.turn, event.agent, "start", at_ms, at_ms))
        if hasattr(event, "text"):
            records.append(Delta(len(records), event.turn, event.agent, event.text, at_ms, at_ms))
        else:
            records.append(Boundary(len(records), event.turn, event.agent, "end", at_ms, at_ms))
    meta = Metadata(case_id, "", "", "", "", 0)
    return Trace(Path(f"{case_id}.trace.jsonl"), meta, tuple(records), classify_turns(records), ())


def paper_of(case_id: str, title: str, facts: Mapping[str, Sequence[str]]) -> CasePaper:
    """Return facts on record, written as lines, as the case paper that an engine is given.

    A line that is no "name value unit" or "substance: reaction" is kept as a note.
    """
    read: dict[str, list[dict[str, Any]]] = {
        "labs": [],
        "observations": [],
        "allergies": [],
        "medication": [],
    }
    notes: list[str] = []
    for section in (each for each in facts if each not in _ELSEWHERE):
        for line in facts[section]:
            found = _READERS.get(section, _nothing)(line)
            if found is None:
                notes.append(line)
            else:
                read[section].append(found)
    return CasePaper.model_validate(
        {
            "case_id": case_id,
            "title": title,
            "fictional": True,
            "history": facts.get("history", ()),
            "presenting_complaint": "; ".join(facts.get("complaint", ())),
            **_patient(" ".join(facts.get("patient", ()))),
            **read,
            "notes": notes,
        }
    )


def _acute(made: Any) -> AcuteCase:
    return AcuteCase(
        case_id=made.case_id,
        title=made.title,
        trace=trace_of(made.case_id, made.events()),
        paper=paper_of(made.case_id, made.title, made.paper),
        points=tuple(map(_row, made.points)),
        spoken=tuple(map(_row, made.spoken)),
        critical=tuple(map(_row, made.critical)),
        never=tuple(Never(each.id, each.since_s, each.broken_by) for each in made.never),
        also_fair=tuple(each.met_by for each in made.also_fair),
    )


def _row(made: Any) -> Row:
    return Row(made.id, made.kind, made.at_s, made.early_s, made.met_by)


def _injected(module: Any, path: Path, case_id: str, findings: tuple[Any, ...]) -> InjectedCase:
    made = module.inject(module.recorded(path), findings)
    rows = tuple(
        Row(each.finding.id, each.finding.group, each.at_s, each.at_s, each.finding.met_by)
        for each in made.placed
    )
    return InjectedCase(
        case_id,
        trace_of(case_id, made.events),
        rows,
        frozenset(each.id for each in findings if each.critical),
        {each.id: each.variant or "none" for each in findings if each.must_not_alarm},
    )


def _patient(text: str) -> dict[str, Any]:
    age, weight = re.search(r"(\d+) years", text), re.search(r"([\d.]+) kg", text)
    return {
        "age": float(age[1]) if age else None,
        "age_unit": "years" if age else None,
        "sex": text.split(",")[0].lower() or None,
        "weight_kg": float(weight[1]) if weight else None,
    }


def _measured(key: str) -> Callable[[str], dict[str, Any] | None]:
    def read(line: str) -> dict[str, Any] | None:
        found = _VALUE.match(line)
        if found is None:
            return None
        name, number = found["name"], found["value"].replace(",", "")
        if "/" in number:  # a pressure: shipped papers have its two parts
            name, number = f"systolic {name.lower()}", number.partition("/")[0]
        return {key: name, "value": float(number), "unit": found["unit"] or ""}

    return read


def _allergy(line: str) -> dict[str, Any] | None:
    substance, _, reaction = line.partition(": ")
    year = re.search(r"\b(?:19|20)\d\d\b", reaction)
    return {"substance": substance, "reaction": reaction or None, "year": int(year[0]) if year else None}


def _medication(line: str) -> dict[str, Any] | None:
    found = _DOSE.match(line)
    if found is None:
        return {"drug": line} if " " not in line else None
    rest = line[found.end() :].strip(" ,")
    return {
        "drug": found["drug"],
        "dose": float(found["dose"].replace(",", "")),
        "unit": found["unit"],
        "note": rest or None,
    }


def _nothing(line: str) -> None:
    return None


_ELSEWHERE: Final = frozenset({"patient", "complaint", "history"})
_READERS: Final[Mapping[str, Callable[[str], dict[str, Any] | None]]] = {
    "labs": _measured("analyte"),
    "observations": _measured("name"),
    "allergies": _allergy,
    "medication": _medication,
}
