"""What updates hold: the shipped cases', and the recorded traces' beside the ancestor's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import Final

from lab.evaluation import ancestor, engine, points, ruler
from lab.evaluation.material import Material, Say
from lab.evaluation.points import Gold
from lab.evaluation.ruler import Measures
from lab.evaluation.tables import FIGURES, Table, Topic, all_met, judged, share
from lab.evaluation.telling import Source, Telling

OURS: Final = "ours"
UNSUPPORTED: Final = 0.1
RECALL: Final = 0.8


def telling(material: Material, say: Say) -> Topic:
    """Measure what the shipped cases' updates hold, and the recorded traces' beside the ancestor's."""
    lists = material.lists()
    told: dict[str, list[Telling]] = {OURS: []}
    for trace in material.recorded():
        source = Source.of(trace)
        told[OURS].append(asyncio.run(engine.run(trace)).telling)
        for variant in ancestor.variants(material.baseline) if material.baseline else ():
            t0_ms = trace.metadata.t0_emitted_ms
            told.setdefault(variant, []).append(
                ancestor.telling(material.baseline or Path(), variant, source, t0_ms)
            )
        say(f"evaluate: {trace.case_id}")
    shipped = [
        (gold, asyncio.run(engine.run(trace, paper)).telling) for trace, _, paper, gold in material.shipped()
    ]
    measured = {name: [ruler.measures(each) for each in tellings] for name, tellings in told.items()}
    tables = [_recall_of_shipped(shipped)]
    if told[OURS]:
        tables = [_beside(measured, told, lists), _by_trace(told, measured, lists), *tables]
    recall = {
        name: {each.source.case_id: _missed(each, lists) for each in tellings}
        for name, tellings in told.items()
    }
    recall["shipped"] = {gold.case_id: _missed_of(each, gold) for gold, each in shipped}
    met = all(all_met(table.rows) for table in tables)
    return Topic("1-telling", tuple(tables), met, {"measures": _plain(measured, told), "missed": recall})


def _beside(
    measured: Mapping[str, Sequence[Measures]],
    told: Mapping[str, Sequence[Telling]],
    lists: Mapping[str, Gold],
) -> Table:
    names = list(measured)
    rows = [
        _row(measured, "updates a case", lambda each: each.updates, "{:.1f}"),
        _row(measured, "compression", lambda each: each.compression, "{:.2f}"),
        _row(measured, "text never judged", lambda each: each.never_judged, "{:.1%}", most=0.0),
        _row(measured, "text in no summary's window", lambda each: each.never_told, "{:.1%}"),
        _row(
            *(measured, "unsupported in the window", lambda each: each.unsupported, "{:.2f}"),
            most=UNSUPPORTED,
        ),
        _row(*(measured, "… window and latest summary", lambda each: each.unsupported_with_latest, "{:.2f}")),
        _row(*(measured, "… anywhere in the reasoning", lambda each: each.unsupported_anywhere, "{:.2f}")),
        _row(measured, "redundancy of neighbours (Jaccard)", lambda each: each.redundancy, "{:.2f}"),
        _row(measured, "flush → summary, mean s", lambda each: each.lag_s, "{:.3f}"),
        (
            "flush → summary, worst s",
            *(f"{max(each.lag_worst_s for each in measured[name]):.2f}" for name in names),
            "",
            "",
        ),
    ]
    rows += _key_points(told, lists)
    title = f"{len(told[OURS])} recorded traces, one ruler: means over the traces"
    return Table(title, ("figure", *names, "aim for ours", "met"), tuple(rows))


def _key_points(
    told: Mapping[str, Sequence[Telling]], lists: Mapping[str, Gold]
) -> Iterator[tuple[str, ...]]:
    """Yield how many key points were told; nothing where ours told none that has a list."""
    for title, with_spoken in (("key points in a summary", False), ("… or in what it has spoken", True)):
        counts = {
            name: [
                (len(points.told(gold.points, each, with_spoken=with_spoken)), len(gold.points))
                for each in tellings
                if (gold := lists.get(each.source.case_id))
            ]
            for name, tellings in told.items()
        }
        if counts[OURS]:
            sums = {
                name: (sum(a for a, _ in found), sum(b for _, b in found)) for name, found in counts.items()
            }
            met = sums[OURS][0] / sums[OURS][1] >= RECALL
            aim = ("", "") if with_spoken else (f"≥ {RECALL:.0%}", "yes" if met else "**no**")
            yield title, *(share(*sums[name]) for name in sums), *aim


def _row(
    measured: Mapping[str, Sequence[Measures]],
    title: str,
    of: Callable[[Measures], float],
    form: str,
    most: float | None = None,
) -> tuple[str, ...]:
    means = {name: fmean(of(each) for each in found) for name, found in measured.items()}
    aim = "" if most is None else f"≤ {form.format(most)}" if most else "none"
    met = "" if most is None else "yes" if means[OURS] <= most else "**no**"
    return title, *(form.format(each) for each in means.values()), aim, met


def _by_trace(
    told: Mapping[str, Sequence[Telling]],
    measured: Mapping[str, Sequence[Measures]],
    lists: Mapping[str, Gold],
) -> Table:
    names = list(told)
    rows = []
    for at, mine in enumerate(told[OURS]):
        case_id = mine.source.case_id
        gold = lists.get(case_id)
        cells = []
        for name in names:
            each = measured[name][at]
            cells.append(f"{each.updates} / {each.unsupported:.2f} / {each.redundancy:.2f}")
        found = [f"{len(points.told(gold.points, told[name][at]))}" if gold else "" for name in names]
        rows.append((case_id, *cells, " / ".join(found) + f" of {len(gold.points)}" if gold else ""))
    head = ("trace", *(f"{name}: updates / unsupported / redundancy" for name in names))
    return Table("By trace", (*head, f"key points: {' / '.join(names)}"), tuple(rows))


def _recall_of_shipped(shipped: Sequence[tuple[Gold, Telling]]) -> Table:
    rows = []
    for gold, each in shipped:
        in_fields = len(points.told(gold.points, each))
        told = len(points.told(gold.points, each, with_spoken=True))
        whole = len(gold.points)
        met = in_fields / whole >= RECALL
        rows.append(judged(f"{gold.case_id}: key points", share(in_fields, whole), f"≥ {RECALL:.0%}", met))
        rows.append(judged("… or in what an update has spoken", share(told, whole)))
    return Table("Shipped cases: key points in one update", FIGURES, tuple(rows))


def _missed(each: Telling, lists: Mapping[str, Gold]) -> list[str]:
    gold = lists.get(each.source.case_id)
    return _missed_of(each, gold) if gold else []


def _missed_of(each: Telling, gold: Gold) -> list[str]:
    met = points.told(gold.points, each)
    return [point.point_id for point in gold.points if point.point_id not in met]


def _plain(
    measured: Mapping[str, Sequence[Measures]], told: Mapping[str, Sequence[Telling]]
) -> dict[str, dict[str, object]]:
    return {
        name: {each.source.case_id: asdict(figures) for each, figures in zip(told[name], found, strict=True)}
        for name, found in measured.items()
    }
