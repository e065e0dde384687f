"""Drugs of a FHIR record: what is taken and how, what is only proposed, and what must not be given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from agents.figures import figure
from agents.teams.clinical_case import NOT_ORDERED, NOT_TO_GIVE, ON_RECORD
from agents.teams.fhir_words import quantity_words, range_words, ratio_words, words
from exaim_core.patient.paper import Medication

Records = Mapping[str, list[tuple[str, Any]]]
"""A Bundle's resources by their kind, each with its place."""

_NO_ORDER: Final = frozenset(
    {"proposal", "option"}
)  # of an order's intents; a plan may be what is taken at home
_WHEN: Final = {  # FHIR's EventTiming
    "MORN": "in the morning",
    "NOON": "at noon",
    "AFT": "in the afternoon",
    "EVE": "in the evening",
    "NIGHT": "at night",
    "PHS": "after falling asleep",
    "HS": "at bedtime",
    "WAKE": "on waking",
    "C": "with meals",
    "CM": "with breakfast",
    "CD": "with lunch",
    "CV": "with dinner",
    "AC": "before meals",
    "ACM": "before breakfast",
    "ACD": "before lunch",
    "ACV": "before dinner",
    "PC": "after meals",
    "PCM": "after breakfast",
    "PCD": "after lunch",
    "PCV": "after dinner",
}


_INSTRUCTION_MOST: Final = 500
"""Characters of what the patient is told of a drug; a leaflet would leave no room for the doses."""


def medications(requests: list[Any], of: Records) -> Iterator[Medication]:
    """Yield each dose of each drug: one that is given 10 in the morning and 24 at night is there twice."""
    for each in requests:
        if each.doNotPerform or each.intent in _NO_ORDER:
            continue
        noted = (
            f"status {each.status}" if each.status not in (None, "active") else "",
            "planned" if each.intent == "plan" else "",
        )
        dosages = each.dosageInstruction or (None,)
        for dosage in dosages:
            step = dosage.sequence if dosage is not None and len(dosages) > 1 else None
            yield _medication(_drug(each, of), dosage, (*noted, "" if step is None else f"step {step}"))


def drug_notes(requests: list[Any], of: Records) -> Iterator[str]:
    """Yield what must not be given, and what is proposed and not ordered."""
    for each in requests:
        if each.doNotPerform:
            yield f"{ON_RECORD}{_drug(each, of)}{NOT_TO_GIVE}"
        elif each.intent in _NO_ORDER:
            yield f"{ON_RECORD}{_drug(each, of)}{NOT_ORDERED}"


def _medication(drug: str, dosage: Any, noted: tuple[str, ...]) -> Medication:
    if dosage is None:
        return Medication(drug=drug, note=", ".join(filter(None, noted)) or None)
    first = (dosage.doseAndRate or [None])[0]
    dose = first.doseQuantity if first is not None else None
    dose = dose if dose is not None and dose.value is not None and not dose.comparator else None
    notes = (*noted, *_doses(dosage.doseAndRate or (), dose), *_dose_notes(dosage))
    return Medication(
        drug=drug,
        dose=dose.value if dose is not None else None,
        unit=dose.unit or dose.code if dose is not None else None,
        route=words(dosage.route) or None,
        frequency=_frequency(dosage) or None,
        note=", ".join(filter(None, notes)) or None,
    )


def _doses(rates: Iterable[Any], but: Any) -> Iterator[str]:
    """Yield doses and rates that are not the one that stands in the entry's own field."""
    for each in rates:
        kind = words(each.type)
        dose = range_words(each.doseRange) or (
            quantity_words(each.doseQuantity) if each.doseQuantity is not but else ""
        )
        rate = (
            quantity_words(each.rateQuantity)
            or range_words(each.rateRange)
            or ratio_words(each.rateRatio, " in ")
        )
        yield " ".join(filter(None, (f"dose {dose}" if dose else "", f"({kind})" if dose and kind else "")))
        yield f"rate {rate}" if rate else ""


def _dose_notes(dosage: Any) -> Iterator[str]:
    """Yield what else is said of a dose than its amount, its route and its time."""
    most = (
        (quantity_words(dosage.maxDosePerAdministration), "at once"),
        (ratio_words(dosage.maxDosePerPeriod, " in "), ""),
        (quantity_words(dosage.maxDosePerLifetime), "in a lifetime"),
    )
    yield from (f"at most {amount} {when}".strip() for amount, when in most if amount)
    yield from map(words, dosage.additionalInstruction or ())
    told = dosage.patientInstruction or ""
    yield told if len(told) <= _INSTRUCTION_MOST else f"{told[:_INSTRUCTION_MOST]} […]"


def _frequency(dosage: Any) -> str:
    timing = dosage.text or _timing(dosage.timing)
    reason = words(dosage.asNeededCodeableConcept)
    if not (dosage.asNeededBoolean or reason) or "as needed" in timing.lower():
        return timing
    return f"{timing} as needed{f' for {reason}' if reason else ''}".strip()


def _timing(timing: Any) -> str:
    if timing is None:
        return ""
    repeat = timing.repeat
    told = ", ".join(filter(None, _repeats(repeat))) if repeat is not None else ""
    return told or words(timing.code) or ", ".join(str(each.as_json()) for each in timing.event or ())


def _repeats(repeat: Any) -> Iterator[str]:
    if repeat.frequency and repeat.period and repeat.periodUnit:
        times = _up_to(repeat.frequency, repeat.frequencyMax)
        yield f"{times} in {_up_to(repeat.period, repeat.periodMax)} {repeat.periodUnit}"
    yield ", ".join(_WHEN.get(each.partition(".")[0], each) for each in repeat.when or ())
    yield ", ".join(f"at {str(each.as_json())[:5]}" for each in repeat.timeOfDay or ())
    yield ", ".join(f"on {each}" for each in repeat.dayOfWeek or ())


def _up_to(least: float, most: float | None) -> str:
    return figure(least) if most is None else f"{figure(least)} to {figure(most)}"


def _drug(request: Any, of: Records) -> str:
    named = words(request.medicationCodeableConcept)
    reference = request.medicationReference
    if named or reference is None:
        return named or "a drug that the record does not name"
    wanted = (reference.reference or "").lstrip("#").rsplit("/", 1)[-1]
    held = [*(each for _, each in of["Medication"]), *(request.contained or ())]
    found = next((words(getattr(each, "code", None)) for each in held if wanted and each.id == wanted), "")
    return found or (reference.display or "a drug that the record does not name")
