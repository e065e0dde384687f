"""What is spoken, beside what ought to be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

from lab.evaluation import aloud
from lab.evaluation.aloud import Aloud
from lab.evaluation.material import Material, Say
from lab.evaluation.tables import FIGURES, Table, Topic, all_met, judged, share

SPOKEN: Final = 0.7
EXTRA: Final = 0.3


def spoken(material: Material, say: Say) -> Topic:
    """Play the cases that have a list of what ought to be spoken."""
    lists = material.lists()
    found: list[Aloud] = []
    for trace, title, paper, gold in material.shipped():
        say(f"evaluate: {gold.case_id}, spoken")
        found.append(aloud.scored(gold, aloud.heard(trace, title, paper)))
    for trace in material.recorded():
        listed = lists.get(trace.case_id)
        if listed and listed.spoken:
            say(f"evaluate: {trace.case_id}, spoken")
            found.append(aloud.scored(listed, aloud.heard(trace, trace.case_id, None)))
    table = Table("Spoken: what ought to be, and what was", _SPOKEN_HEAD, tuple(map(_spoken_row, found)))
    figures = spoken_figures(found)
    return Topic("2-spoken", (figures, table), all_met(figures.rows), [asdict(each) for each in found])


_SPOKEN_HEAD: Final = (
    "case", "wanted", "begun within 8 s", "offered within 8 s", "begun at any time", "spoken", "not wanted",
    "dropped unspoken",
)  # fmt: skip


def _spoken_row(each: Aloud) -> tuple[str, ...]:
    return (
        each.case_id,
        str(each.wanted),
        str(len(each.in_time)),
        str(len(each.offered)),
        str(len(each.late)),
        str(each.spoken),
        str(len(each.extra)),
        str(each.dropped),
    )


def spoken_figures(found: Sequence[Aloud]) -> Table:
    """Return the two figures with an aim, over all cases together."""
    wanted, in_time = sum(each.wanted for each in found), sum(len(each.in_time) for each in found)
    counted, extra = sum(each.counted for each in found), sum(len(each.extra) for each in found)
    rows = (
        judged(
            *("of what ought to be spoken, begun within 8 s", share(in_time, wanted)),
            *(f"≥ {SPOKEN:.0%}", in_time >= SPOKEN * wanted),
        ),
        judged(
            *("of what was spoken, not on the list", share(extra, counted)),
            *(f"≤ {EXTRA:.0%}", extra <= EXTRA * counted),
        ),
    )
    return Table(f"Spoken, {len(found)} cases together", FIGURES, rows)
