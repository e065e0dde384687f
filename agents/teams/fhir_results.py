"""Results of a FHIR record: an Observation's values, its reference range, and what is said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from agents.teams.fhir_words import codes, quantity_words, range_words, ratio_words, words
from exaim_core.patient.paper import Lab, Observation, moment_of

_DAY_CHARS: Final = len("2026-03-01")
_DAYS: Final = {"a": 365.25, "mo": 30.4375, "wk": 7.0, "d": 1.0, "h": 1 / 24, "min": 1 / 1440}  # UCUM
_LAST_WORD: Final = frozenset({"final", "amended", "corrected"})


def results(
    found: Iterable[Any], age_days: float | None
) -> tuple[tuple[Lab, ...], tuple[Observation, ...], tuple[str, ...]]:
    """Return laboratory results, other observations, and what is to be noted of the latter; the newest last.

    `age_days`: of the patient; it tells which reference range is theirs.
    """
    labs: list[Lab] = []
    seen: list[Observation] = []
    noted: dict[str, None] = {}
    for each in sorted(found, key=_moment):
        for name, part in _parts(each):
            value, unit = value_of(part)
            if not name or value is None:
                continue
            if _is_lab(each):
                labs.append(_lab(each, part, name, value, unit, age_days))
            else:
                at = _told_time(each)
                dated = at if len(at) >= _DAY_CHARS else None
                seen.append(Observation(name=name, value=value, unit=unit, taken_at=dated))
                told = (_status(each), f"of {at}" if at and dated is None else "")
                noted |= {f"{name[:200]}: {one}": None for one in told if one}
    return tuple(labs), tuple(seen), tuple(noted)


def _moment(observation: Any) -> datetime:
    """Return when a result is of, for the order: one that does not say it comes before all."""
    return moment_of(_told_time(observation)) or datetime.min.replace(tzinfo=UTC)


def has_value(observation: Any) -> bool:
    """Return whether anything of an observation has a name and a value."""
    return any(name and value_of(part)[0] is not None for name, part in _parts(observation))


def values_told(found: Iterable[Any]) -> Iterator[str]:
    """Yield each value in words, with its name, time and doubt: for what may not be the patient's."""
    for each in found:
        beside = ", ".join(filter(None, (_told_time(each), _status(each))))
        for name, part in _parts(each):
            value, unit = value_of(part)
            if name and value is not None:
                number = f"{value:.12g}" if isinstance(value, float) else value[:200]
                yield f"{name[:200]}: {number} {unit[:64]}".rstrip() + (f" ({beside})" if beside else "")


def value_of(part: Any) -> tuple[float | str | None, str]:
    """Return a value, of whatever type, with its unit; None for none."""
    quantity = part.valueQuantity
    if quantity is not None and quantity.value is not None:
        unit = str(quantity.unit or quantity.code or "")
        if not quantity.comparator:
            return float(quantity.value), unit
        return quantity_words(quantity).removesuffix(f" {unit}"), unit
    if part.valueInteger is not None:
        return float(part.valueInteger), ""
    if part.valueBoolean is not None:
        return ("yes" if part.valueBoolean else "no"), ""
    text = words(part.valueCodeableConcept) or part.valueString or _other_words(part)
    return (str(text), "") if text else (None, "")


def _other_words(part: Any) -> str:
    for moment in (part.valueDateTime, part.valueTime):
        if moment is not None:
            return str(moment.as_json())
    period = part.valuePeriod
    ends = [str(each.as_json()) for each in (period.start, period.end) if each] if period is not None else []
    return range_words(part.valueRange) or ratio_words(part.valueRatio) or " to ".join(ends)


def _parts(observation: Any) -> Iterator[tuple[str, Any]]:
    """Yield an observation's own value, and those of its parts (a blood pressure has two)."""
    yield words(observation.code), observation
    for each in observation.component or ():
        yield words(each.code), each


def _is_lab(observation: Any) -> bool:
    return any("laboratory" in codes(each) for each in observation.category or ())


def _lab(
    observation: Any, part: Any, name: str, value: float | str, unit: str, age_days: float | None
) -> Lab:
    bounds, ranges = _bounds(part, age_days)
    at = _told_time(observation) or _told(observation.issued)
    told = (_status(observation), f"of {at}" if 0 < len(at) < _DAY_CHARS else "", ranges)
    return Lab(
        analyte=name,
        value=value,
        unit=unit,
        ref_range=bounds,
        reported_at=at if len(at) >= _DAY_CHARS else None,
        comment=", ".join(filter(None, told)) or None,
    )


def _status(observation: Any) -> str:
    """Return the status of a result that is not the last word; "" of one that is."""
    return "" if observation.status in _LAST_WORD else f"status {observation.status}"


def _told_time(observation: Any) -> str:
    """Return when a result is of, as the record has it; of a period its end. "" if it does not say."""
    period = observation.effectivePeriod
    ends = (period.end, period.start) if period is not None else ()
    told = map(_told, (observation.effectiveDateTime, observation.effectiveInstant, *ends))
    return next(filter(None, told), "")


def _told(moment: Any) -> str:
    """Return a moment as it is written: fhirclient's own makes midnight of a day."""
    return str(moment.as_json()) if moment is not None else ""


# -- reference ranges ------------------------------------------------------------------------------


def _bounds(part: Any, age_days: float | None) -> tuple[tuple[float | None, float | None] | None, str]:
    """Return the one normal range for the patient's age; where it is not plain which, all of them in words."""
    told = [each for each in part.referenceRange or () if each.low is not None or each.high is not None]
    fits = [each for each in told if _is_normal(each) and _is_of_age(each, age_days)]
    if len(fits) != 1:
        return None, "; ".join(f"reference range {_range_told(each)}" for each in told)
    low, high = fits[0].low, fits[0].high
    return (low.value if low is not None else None, high.value if high is not None else None), ""


def _is_normal(limits: Any) -> bool:
    return limits.type is None or not codes(limits.type) or "normal" in codes(limits.type)


def _is_of_age(limits: Any, age_days: float | None) -> bool:
    if limits.age is None:
        return True
    low, high = _days(limits.age.low), _days(limits.age.high)
    if age_days is None or (low is None and high is None):
        return False
    return (low is None or low <= age_days) and (high is None or age_days <= high)


def _days(quantity: Any) -> float | None:
    if quantity is None or quantity.value is None:
        return None
    unit = _DAYS.get(quantity.code or quantity.unit or "")
    return quantity.value * unit if unit is not None else None


def _range_told(limits: Any) -> str:
    age = range_words(limits.age)
    of = (words(limits.type), *map(words, limits.appliesTo or ()), f"age {age}" if age else "")
    told = ", ".join(filter(None, of))
    return f"{range_words(limits)} ({told})" if told else range_words(limits)
