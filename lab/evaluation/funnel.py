"""Where key points are lost between a model's reading and the voice: stage by stage, by the kind of the claim.

A key point is followed by the claim of the reading that states it: the one of its turn whose wording, or whose words
of the text, hold its terms. A point that no claim states, or whose claim was never asked for, is lost before the
engine. A claim is dropped by a check, quoted, or told as it is worded. What it says is offered to the voice or not;
what was offered is begun or grows too old; what is begun is in time (8 s) or late. The fields are a branch of
their own.

    python -m lab.evaluation.readings develop --funnel
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from exaim_core.readings.checking import RefusedClaim, check
from exaim_core.readings.port import ReadClaim, ReadingRequest
from lab.evaluation.habits import KeyPoint, Scored
from lab.evaluation.readings import Reference, Replayed


class Stage(StrEnum):
    """How far a key point came; the first that applies."""

    UNREAD = "no claim states it"
    UNASKED = "never asked for"
    DROPPED = "dropped by a check"
    UNOFFERED = "not offered"
    OLD = "offered, never begun"
    LATE = "begun late"
    IN_TIME = "begun within 8 s"


@dataclass(frozen=True, slots=True)
class Followed:
    """A key point, the claim that states it, and what became of it."""

    name: str
    point: KeyPoint
    kind: str  # of the claim; "" where none states it
    stage: Stage
    told: str  # "worded", "quoted" or why it was dropped; "" where no claim came so far
    unsaid: str  # why the wording was not told, "" where it was
    in_fields: bool


NO_CLAIM: Final = "-"


def followed(result: Scored, reader: Replayed) -> list[Followed]:
    """Return what became of each key point of a discussion."""
    found = list[Followed]()
    for at, point in enumerate(result.points):
        reference = _stating(point, reader.references)
        kind = reference.claim.kind.value if reference is not None else NO_CLAIM
        told, unsaid = "", ""
        stage = Stage.UNREAD if reference is None else Stage.UNASKED
        asked = reader.asked.get(id(reference)) if reference is not None else None
        if asked is not None:
            told, unsaid = _checked(*asked)
            stage = Stage.UNOFFERED if told in {"worded", "quoted"} else Stage.DROPPED
        if result.in_time[at]:
            stage = Stage.IN_TIME
        elif result.spoken[at]:
            stage = Stage.LATE
        elif any(point.told_by(said.text, said.offered_s) for said in result.said):
            stage = Stage.OLD
        found.append(Followed(result.name, point, kind, stage, told, unsaid, result.in_fields[at]))
    return found


def _stating(point: KeyPoint, references: Sequence[Reference]) -> Reference | None:
    """Return the claim that states a point: of its turn first, by its wording before the words it rests on."""

    def rank(each: Reference) -> tuple[bool, bool]:
        return each.turn != point.turn, not point.met_by(each.claim.say)

    there = [each for each in references if point.met_by(f"{each.claim.say} {' '.join(each.quotes)}")]
    return min(there, key=rank, default=None)


def _checked(request: ReadingRequest, claim: ReadClaim) -> tuple[str, str]:
    checked, unsaid = check(claim, request)
    if isinstance(checked, RefusedClaim):
        return checked.reason, unsaid
    return ("worded" if checked.wording else "quoted"), unsaid


def shown(points: Sequence[Followed]) -> str:
    """Return the funnel as a table by kind, and under it why claims were dropped or quoted."""
    kinds = [*Counter(each.kind for each in points)]
    kinds.sort(key=lambda kind: -sum(each.kind == kind for each in points))
    heads = ("points", *Stage, "of them quoted", "in the fields")
    lines = ["  ".join(("kind".ljust(14), *(head.rjust(max(6, len(head))) for head in heads)))]
    for kind in (*kinds, "all"):
        there = [each for each in points if kind in (each.kind, "all")]
        row = (
            len(there),
            *(sum(each.stage is stage for each in there) for stage in Stage),
            sum(each.told == "quoted" for each in there),
            sum(each.in_fields for each in there),
        )
        cells = (str(n).rjust(max(6, len(head))) for n, head in zip(row, heads, strict=True))
        lines.append("  ".join((kind.ljust(14), *cells)))
    lines += _reasons("why no wording", (each.unsaid for each in points if each.told == "quoted"))
    lines += _reasons("why dropped", (each.told for each in points if each.stage is Stage.DROPPED))
    return "\n".join(lines) + "\n"


def _reasons(title: str, reasons: Iterable[str]) -> list[str]:
    counted = Counter(reasons)
    return [f"{title}: {n} {reason}" for reason, n in counted.most_common()]
