"""Facts of the case paper, each in words that bind name, number and unit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from agents.dialogue.facts import Fact, FactKind, Text, text_of
from agents.dialogue.vocabulary import Term, Vocabulary
from agents.figures import figure
from exaim_core.patient.paper import (
    CasePaper,
    Imaging,
    Lab,
    Medication,
    Observation,
    moment_of,
    when_words,
)
from exaim_core.text.boundaries import at_clinical_boundary
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import lower_first

HAS: Final = "the case paper has"
LISTS: Final = "the case paper lists"
# A note that says what was given or ordered is never told: nobody here can vouch for it.
# "Must not be given" and "is to be given" say what is to be done, and no report.
_GIVEN: Final = (
    r"(?:given|ordered|administered|prescribed|requested|started|commenced|sent|booked|transfused|infused)\b"
)
DONE: Final = re.compile(
    r"\b(?:was|were|had)\b[\w\s]{0,20}?\b" + _GIVEN + "|"
    r"\b(?:has|have|is|are|been|being|already|just|not)\b(?:(?!\bbe\b)[\w\s]){0,20}?\b" + _GIVEN,
    re.IGNORECASE,
)


def known_entries(paper: CasePaper) -> list[Term]:
    """Return the names of the paper itself, so that they are found however the vocabulary calls them."""
    entries = [Term(lab.analyte, "labs", (re.sub(r"\s*\(.*?\)", "", lab.analyte),)) for lab in paper.labs]
    entries += [Term(seen.name, "signs") for seen in paper.observations]
    entries += [Term(medicine.drug, "drugs") for medicine in paper.medication]
    entries += [Term(allergy.substance, "drugs") for allergy in paper.allergies]
    return entries + [Term(study.study, "tests") for study in paper.imaging]


def paper_facts(paper: CasePaper, vocabulary: Vocabulary) -> tuple[Fact, ...]:
    """Return all facts of the paper; of several values of one name the newest first."""
    times = [lab.reported_at or "" for lab in paper.labs]
    times += [study.reported_at or "" for study in paper.imaging]
    times += [seen.taken_at or "" for seen in paper.observations]
    made = _Maker(vocabulary, _Times(times))
    return (
        *made.person(paper),
        *made.labs(paper.labs),
        *made.observations(paper.observations),
        *(made.medicine(medicine) for medicine in paper.medication),
        *made.allergies(paper),
        *(made.plain(FactKind.HISTORY, "history", entry, "case paper: history") for entry in paper.history),
        *(fact for study in paper.imaging for fact in made.imaging(study)),
        *made.notes(paper.notes),
    )


class _Times:
    """The times of a paper, in order. One without a date is of the newest day that the paper names."""

    def __init__(self, times: Iterable[str]) -> None:
        dated = [moment for at in times if (moment := moment_of(at)) is not None]
        self._days = (
            (_midnight(min(dated)), _midnight(max(dated))) if dated else None
        )  # the first, the newest
        self._with_year = len({moment.year for moment in dated}) > 1

    def minutes(self, at: str) -> float:
        """Return how many minutes a time is after the first day's midnight; -1 for none, which is before all."""
        moment = moment_of(at)
        if moment is not None and self._days is not None:
            return (moment - self._days[0]) / timedelta(minutes=1)
        clock = re.fullmatch(r"(\d{1,2}):(\d{2})", at)
        if clock is None:
            return -1.0
        before = self._days[1] - self._days[0] if self._days is not None else timedelta()
        return before / timedelta(minutes=1) + int(clock[1]) * 60.0 + int(clock[2])

    def words(self, at: str | None) -> str:
        """Return a time as it is spoken; "" for none. The year is told where the paper names several."""
        return when_words(at, with_year=self._with_year) if at else ""


def _midnight(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0, second=0, microsecond=0)


class _Maker:
    def __init__(self, vocabulary: Vocabulary, times: _Times) -> None:
        self._vocabulary = vocabulary
        self._times = times

    def _fact(
        self,
        told: FactKind,
        name: str,
        what: Sequence[str],
        bare: Sequence[str],
        section: str,
        record: str,
        *,
        verb: str = HAS,
        about: str = "",
        at: str = "",
    ) -> Fact:
        head = text_of(self._vocabulary, about or name)
        return Fact(
            told,
            name,
            tuple(f"{verb} {one}" for one in what),
            f"case paper: {section}",
            (record,),
            Text(head.names | {section}, head.words),
            text_of(self._vocabulary, record),
            tuple(f"{verb} {one}" for one in bare),
            order=self._times.minutes(at),
            at=self._times.words(at),
            numbers=frozenset((q.number, q.unit) for q in quantities(record) if q.unit),
        )

    def labs(self, labs: Sequence[Lab]) -> Iterator[Fact]:
        order = [(self._times.minutes(lab.reported_at or ""), k) for k, lab in enumerate(labs)]
        for _, k in sorted(order, reverse=True):
            lab = labs[k]
            name = re.sub(r"\s*\(.*?\)", "", lab.analyte)
            value = f"{figure(lab.value)} {lab.unit}".strip()
            when = f" {self._times.words(lab.reported_at)}" if lab.reported_at else ""
            comment = f", {lab.comment}" if lab.comment else ""
            low, high = lab.ref_range or (None, None)
            limits = _limits(low, high)
            record = f"{lab.analyte} {value}{when}{comment}{f'; reference range {limits}' if limits else ''}"
            told = f"{value}{when}{comment}"
            fact = self._fact(
                FactKind.LAB,
                name,
                (f"{name} {told}",),
                (told,),
                "blood results",
                record,
                at=lab.reported_at or "",
            )
            yield replace(fact, limits=f"reference range {limits}" if limits else "")

    def observations(self, found: Sequence[Observation]) -> Iterator[Fact]:
        """Yield them, the newest first. A time of day alone is not told: all are of the admission."""
        facts = (self._observation(seen) for seen in found)
        yield from sorted(facts, key=lambda fact: fact.order, reverse=True)

    def _observation(self, seen: Observation) -> Fact:
        at = seen.taken_at if seen.taken_at and moment_of(seen.taken_at) else ""
        told = " ".join(filter(None, (figure(seen.value), seen.unit, self._times.words(at))))
        line = f"{seen.name} {told}"
        return self._fact(FactKind.OBSERVATION, seen.name, (line,), (told,), "observations", line, at=at)

    def medicine(self, medicine: Medication) -> Fact:
        dose = "" if medicine.dose is None else f"{figure(medicine.dose)} {medicine.unit or ''}".strip()
        how = ", ".join(part for part in (dose, medicine.route, medicine.frequency) if part)
        note = f"; {medicine.note}" if medicine.note else ""
        line = f"{medicine.drug} {how}".strip()
        return self._fact(
            FactKind.MEDICINE,
            medicine.drug,
            (f"{line}{note}", line),
            (f"{line}{note}", line),
            "medicines",
            f"{line}{note}",
            verb=LISTS,
        )

    def allergies(self, paper: CasePaper) -> Iterator[Fact]:
        for allergy in paper.allergies:
            year = f" in {allergy.year}" if allergy.year else ""
            line = f"{allergy.substance}{f', {allergy.reaction}' if allergy.reaction else ''}{year}"
            noted = (f"{line}; {allergy.note}", line) if allergy.note else (line,)
            yield self._fact(
                FactKind.ALLERGY,
                "allergies",
                tuple(f"an allergy: {each}" for each in noted),
                noted,
                "allergies",
                f"allergy: {noted[0]}",
                about=f"allergy {allergy.substance} {allergy.reaction or ''}",
            )

    def person(self, paper: CasePaper) -> Iterator[Fact]:
        facts = [
            ("age", "" if paper.age is None else f"{figure(paper.age)} {paper.age_unit or 'years'}"),
            ("sex", paper.sex or ""),
            ("weight", "" if paper.weight_kg is None else f"{figure(paper.weight_kg)} kg"),
            ("height", "" if paper.height_cm is None else f"{figure(paper.height_cm)} cm"),
        ]
        for name, value in facts:
            if value:
                yield self._fact(
                    FactKind.PERSON, name, (f"{name} {value}",), (value,), name, f"{name} {value}"
                )
        for sentence in _sentences(paper.presenting_complaint):
            text = lower_first(sentence)
            yield self._fact(
                FactKind.COMPLAINT,
                "complaint",
                (text,),
                (text,),
                "complaint",
                sentence,
                about=f"complaint {sentence}",
            )

    def plain(self, told: FactKind, name: str, text: str, source: str) -> Fact:
        line = lower_first(text.rstrip("."))
        spoken = re.sub(r"\s*\(([^()]*)\)", r", \1", line)
        fact = self._fact(told, name, (spoken,), (spoken,), name, text, about=text)
        return fact

    def imaging(self, study: Imaging) -> Iterator[Fact]:
        when = f" {self._times.words(study.reported_at)}" if study.reported_at else ""
        name = re.sub(r"^12-lead\s+", "", study.study)
        sentences = _sentences(study.finding)
        for k, sentence in enumerate([*sentences, *([study.comparison] if study.comparison else [])]):
            text = lower_first(sentence.rstrip("."))
            compared = k == len(sentences)
            opening = f"{name}{when}: " if k == 0 else f"{name}: "
            bare = (f"{when.strip()}: " if when and k == 0 else "") + text
            record = f"{study.study}{when}, {'for comparison' if compared else 'finding'}: {text}"
            if compared:
                opening, bare = f"{name}, for comparison: ", f"for comparison: {text}"
            yield self._fact(
                FactKind.IMAGING,
                name,
                (f"{opening}{text}",),
                (bare,),
                "imaging",
                record,
                about=f"{study.study} {sentence}",
                at=study.reported_at or "",
            )

    def notes(self, notes: Sequence[str]) -> Iterator[Fact]:
        for note in notes:
            for sentence in _sentences(note):
                if not DONE.search(sentence):
                    yield self.plain(FactKind.NOTE, "notes", sentence, "case paper: notes")


def _limits(low: float | None, high: float | None) -> str:
    if low is not None and high is not None:
        return f"{figure(low)} to {figure(high)}"
    if low is not None:
        return f"from {figure(low)}"
    return f"up to {figure(high)}" if high is not None else ""


def _sentences(text: str) -> list[str]:
    parts, done = [], 0
    for match in re.finditer(r"[.?!;](?=\s|\Z)", text):
        if match.group() != ";" and not at_clinical_boundary(
            text[max(0, match.end() - 48) : match.end()] + " "
        ):
            continue
        parts.append(text[done : match.end()].strip(" ;"))
        done = match.end()
    return [part for part in [*parts, text[done:].strip()] if part]
