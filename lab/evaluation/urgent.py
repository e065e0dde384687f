"""What must not be missed: acute cases, injected findings, and what free prose says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from lab.evaluation import acute
from lab.evaluation.gold import acute_cases, injected_cases, prose_cases
from lab.evaluation.material import Material, Say
from lab.evaluation.tables import FIGURES, Table, Topic, all_met, judged, share
from lab.evaluation.voiced import spoken_figures


def emergencies(material: Material, say: Say) -> Topic:
    """Run the acute cases, the findings injected into recorded ones, and the discussions in free prose."""
    package = material.gold or ""
    first = []
    for case in acute_cases(package):
        say(f"evaluate: {case.case_id}")
        first.append(acute.acute(case))
    second = []
    for placed in injected_cases(package, material.traces) if material.traces else ():
        say(f"evaluate: {placed.case_id}, with injected findings")
        second.append(acute.injected(placed))
    third = [acute.prose(case) for case in prose_cases(package)]
    tables = [
        acute_figures(first),
        _points_by_kind("Acute cases: points by kind", first),
        _acute_cases(first),
    ]
    if second:
        tables += [injected_figures(second), _points_by_kind("Injected findings by group", second)]
    tables += [prose_figures(third), _points_by_kind("Free prose by group", third)]
    detail = {"acute": [asdict(each) for each in first], "injected": [asdict(each) for each in second]}
    detail["prose"] = [asdict(each) for each in third]
    return Topic("3-emergencies", tuple(tables), all(all_met(table.rows) for table in tables), detail)


def acute_figures(found: Sequence[acute.Acute]) -> Table:
    """Return what the acute cases come to."""
    alarms = [alarm for each in found for alarm in each.alarms]
    every = [point for each in found for point in each.points]
    rows = [
        judged("points in one update's fields", share(sum(p.in_fields for p in every), len(every))),
        judged("… or in what it has spoken", share(sum(p.told for p in every), len(every))),
        *_alarm_rows(alarms),
        judged("alarms that no list explains", str(sum(len(each.false_alarms) for each in found))),
        judged(
            "told as true what is known to be wrong",
            share(sum(len(each.broken) for each in found), sum(each.rules for each in found)),
        ),
        *spoken_figures([each.aloud for each in found]).rows,
    ]
    return Table(f"{len(found)} acute cases", FIGURES, tuple(rows))


def injected_figures(found: Sequence[acute.Injected]) -> Table:
    """Return what the injected findings come to."""
    every = [point for each in found for point in each.points]
    rows = [
        judged("findings in one update's fields", share(sum(p.in_fields for p in every), len(every))),
        judged("… or in what it has spoken", share(sum(p.told for p in every), len(every))),
        judged("heard within 8 s", share(sum(len(each.heard) for each in found), len(every))),
        *_alarm_rows([alarm for each in found for alarm in each.alarms]),
        judged("alarmed where there is no emergency", str(sum(len(each.wrong) for each in found))),
        judged("other alarms in these traces", str(sum(len(each.false_alarms) for each in found))),
    ]
    return Table(f"{len(every)} findings injected into {len(found)} traces", FIGURES, tuple(rows))


def prose_figures(found: Sequence[acute.Prose]) -> Table:
    """Return what the discussions in free prose come to."""
    every = [point for each in found for point in each.points]
    rows = (
        judged("findings in one update's fields", share(sum(p.in_fields for p in every), len(every))),
        judged("… or in what it has spoken", share(sum(p.told for p in every), len(every))),
        judged(
            "told as the patient's and is not",
            share(sum(len(each.broken) for each in found), sum(each.rules for each in found)),
        ),
    )
    return Table(f"{len(found)} discussions in free prose", FIGURES, rows)


def _alarm_rows(alarms: Sequence[acute.Alarm]) -> list[tuple[str, ...]]:
    raised = sorted(each.alarm_s for each in alarms if each.alarm_s is not None)
    heard = sorted(each.heard_s for each in alarms if each.heard_s is not None)
    rows = [
        judged("emergencies that alarm", share(len(raised), len(alarms))),
        judged("… heard within 8 s", share(acute.in_time(alarms), len(alarms))),
    ]
    if raised and heard:
        said = f"{raised[len(raised) // 2]:.2f} s, worst {raised[-1]:.1f} s"
        sounded = f"{heard[len(heard) // 2]:.2f} s, worst {heard[-1]:.1f} s"
        rows += [judged("said → alarm, median", said), judged("said → first sound, median", sounded)]
    return rows


def _points_by_kind(
    title: str, found: Sequence[acute.Acute] | Sequence[acute.Injected] | Sequence[acute.Prose]
) -> Table:
    every = [point for each in found for point in each.points]
    rows = []
    for kind in sorted({point.kind for point in every}):
        of_kind = [point for point in every if point.kind == kind]
        in_fields, told = sum(p.in_fields for p in of_kind), sum(p.told for p in of_kind)
        rows.append((kind, str(len(of_kind)), str(in_fields), str(told)))
    return Table(title, ("kind", "points", "in the fields", "or spoken"), tuple(rows))


def _acute_cases(found: Sequence[acute.Acute]) -> Table:
    rows = [
        (
            each.case_id,
            share(sum(point.told for point in each.points), len(each.points)),
            share(sum(alarm.alarm_s is not None for alarm in each.alarms), len(each.alarms)),
            str(len(each.broken)),
            f"{len(each.aloud.in_time)} of {each.aloud.wanted}",
            f"{len(each.aloud.extra)} of {each.aloud.counted}",
        )
        for each in found
    ]
    head = ("case", "points told", "alarms", "told wrongly", "spoken within 8 s", "spoken, not wanted")
    return Table("Acute cases, one by one", head, tuple(rows))
