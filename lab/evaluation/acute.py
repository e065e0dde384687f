"""Numbers, doses, sides, allergies and emergencies: acute cases, and findings injected into recorded ones."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from exaim_core import SpokenKind, Update
from lab.evaluation import engine, points
from lab.evaluation.aloud import WITHIN_S, Aloud, Said, heard, judged
from lab.evaluation.gold import AcuteCase, InjectedCase, Never, ProseCase, Row
from lab.evaluation.points import ROUNDED_S
from lab.evaluation.telling import Telling

_SENTENCE_END: Final = re.compile(r"\n+|(?<=[.!?])\s+")
Told = tuple[float, str]  # when, what


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a list: whether one update's fields hold it, alone and with what it gives the voice."""

    point_id: str
    kind: str
    in_fields: bool
    told: bool


@dataclass(frozen=True, slots=True)
class Alarm:
    """An emergency: how long after it was said it alarmed and was first heard (s); None: never."""

    point_id: str
    alarm_s: float | None
    heard_s: float | None


@dataclass(frozen=True, slots=True)
class Acute:
    """One acute case."""

    case_id: str
    points: tuple[Point, ...]
    alarms: tuple[Alarm, ...]
    false_alarms: tuple[str, ...]
    broken: tuple[tuple[str, str], ...]  # rule, and the sentence that tells as true what it forbids
    rules: int
    aloud: Aloud


@dataclass(frozen=True, slots=True)
class Injected:
    """One recorded case with injected findings; `false_alarms` are explained by none that is as it sounds."""

    case_id: str
    points: tuple[Point, ...]
    alarms: tuple[Alarm, ...]
    wrong: tuple[str, ...]  # ids of findings that must not alarm and did
    false_alarms: tuple[str, ...]
    heard: tuple[str, ...]  # ids of findings that were spoken in time


@dataclass(frozen=True, slots=True)
class Prose:
    """One discussion in free prose; `rules` and `broken`: what is not the patient's own."""

    case_id: str
    points: tuple[Point, ...]
    broken: tuple[tuple[str, str], ...]
    rules: int


def acute(case: AcuteCase) -> Acute:
    """Run and play one acute case."""
    run = asyncio.run(engine.run(case.trace, case.paper))
    said = heard(case.trace, case.title, case.paper)
    wanted = [*case.spoken, *case.critical]
    return Acute(
        case_id=case.case_id,
        points=_points(case.points, run.telling),
        alarms=tuple(_alarm(row, run.updates, said) for row in case.critical),
        false_alarms=tuple(
            text
            for _, text in _alarms(run.updates)
            if not any(row.met_by(text) for row in case.critical) and not _fair(text, case.also_fair)
        ),
        broken=tuple(_broken(case.never, run.updates)),
        rules=len(case.never),
        aloud=judged(case.case_id, said, wanted, case.also_fair),
    )


def injected(case: InjectedCase) -> Injected:
    """Run and play one recorded case with its findings."""
    run = asyncio.run(engine.run(case.trace))
    said = heard(case.trace, case.case_id, None)
    alarms = list(_alarms(run.updates))
    emergency = [row for row in case.findings if row.point_id in case.emergency]
    explained = [row for row in case.findings if row.point_id not in case.variants]
    return Injected(
        case_id=case.case_id,
        points=_points(case.findings, run.telling),
        alarms=tuple(_alarm(row, run.updates, said) for row in emergency),
        wrong=tuple(
            row.point_id
            for row in case.findings
            if row.point_id in case.variants and any(row.met_by(text) for _, text in alarms)
        ),
        false_alarms=tuple(text for _, text in alarms if not any(row.met_by(text) for row in explained)),
        heard=judged(case.case_id, said, case.findings, ()).in_time,
    )


def prose(case: ProseCase) -> Prose:
    """Run one discussion in free prose."""
    run = asyncio.run(engine.run(case.trace))
    broken = tuple(_broken(case.never, run.updates))
    return Prose(case.case_id, _points(case.points, run.telling), broken, len(case.never))


def _points(rows: Sequence[Row], telling: Telling) -> tuple[Point, ...]:
    in_fields, told = points.told(rows, telling), points.told(rows, telling, with_spoken=True)
    return tuple(
        Point(row.point_id, row.kind, row.point_id in in_fields, row.point_id in told) for row in rows
    )


def _alarm(row: Row, updates: Sequence[tuple[float, Update]], said: Sequence[Said]) -> Alarm:
    raised = [at_s for at_s, text in _alarms(updates) if _from(row, at_s) and row.met_by(text)]
    begun = [
        each.begun_s
        for each in said
        if each.kind == SpokenKind.CRITICAL
        and each.begun_s is not None
        and _from(row, each.begun_s)
        and row.met_by(each.text)
    ]
    return Alarm(row.point_id, _since(row, raised), _since(row, begun))


def _from(row: Row, at_s: float) -> bool:
    return at_s >= row.from_s - ROUNDED_S


def _since(row: Row, times_s: Sequence[float]) -> float | None:
    """Return how long after it was said; who knew it sooner from the case paper was at once."""
    return round(max(0.0, min(times_s) - row.at_s), 2) if times_s else None


def _alarms(updates: Sequence[tuple[float, Update]]) -> Iterator[Told]:
    for at_s, update in updates:
        for item in update.items:
            if item.kind is SpokenKind.CRITICAL:
                yield at_s, item.text


def _broken(rules: Sequence[Never], updates: Sequence[tuple[float, Update]]) -> Iterator[tuple[str, str]]:
    """Yield every rule that was broken once, with the first sentence that did."""
    for rule in rules:
        for at_s, update in updates:
            texts = [*update.summary.model_dump().values(), *(item.text for item in update.items)]
            told = (part for text in texts for part in _SENTENCE_END.split(text))
            found = next((each for each in told if at_s >= rule.since_s and rule.broken(each)), None)
            if found is not None:
                yield rule.rule_id, found
                break


def _fair(text: str, fair: Sequence[Callable[[str], bool]]) -> bool:
    return any(may(text) for may in fair)


def in_time(alarms: Sequence[Alarm], within_s: float = WITHIN_S) -> int:
    """Return how many emergencies were heard in time."""
    return sum(each.heard_s is not None and each.heard_s <= within_s for each in alarms)
