"""Ten hours of reasoning on a virtual clock: what the engine then weighs, and what a piece then costs.

`python -m lab.evaluation.lasting HOURS LIMIT_S` runs one engine in a process of its own, so that its memory
is nobody else's, and writes JSON: a row an hour. It stops early once it has used `LIMIT_S` of processor time.
"""

from __future__ import annotations

import asyncio
import gc
import json
import resource
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from exaim_core import EXAIM, Delta
from lab.evaluation.synthetic import WORDS_PER_S, pieces, turns

HOURS: Final = 10
LIMIT_S: Final = 110.0  # of processor time
LISTED: Final = 8  # growing collections that are named
_STEPS: Final = 7  # how deep collections are looked for
_FEW: Final = 8  # collections in a collection are looked into when there are no more than this


@dataclass(frozen=True, slots=True)
class Hour:
    """The engine after so many hours; `piece_us` is the mean cost of a piece in the time before it.

    `lengths` are the collections that the engine holds, longest first, by where they are found.
    """

    hour: float
    rss_mb: float
    peak_mb: float
    piece_us: float
    pieces: int
    updates: int
    lengths: dict[str, int]


@dataclass(frozen=True, slots=True)
class Lasting:
    """The whole run; `whole` is whether it reached its end before its limit."""

    hours: tuple[Hour, ...]
    whole: bool
    grows: dict[str, tuple[int, int]]  # collections that were longer at the end than half-way, and how long


def measure(hours: int = HOURS, limit_s: float = LIMIT_S) -> Lasting:
    """Run it in a process of its own. Raises: CalledProcessError: it failed, and told why on stderr."""
    command = [sys.executable, "-m", "lab.evaluation.lasting", str(hours), str(limit_s)]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    made = json.loads(ran.stdout)
    rows = tuple(Hour(**row) for row in made["hours"])
    return Lasting(rows, made["whole"], growing(rows))


def half_way(rows: Sequence[Hour]) -> Hour:
    """Return the row of half the time: hour 5 of ten. Raises: IndexError: there are none."""
    return rows[(len(rows) - 1) // 2]


def growing(rows: Sequence[Hour]) -> dict[str, tuple[int, int]]:
    """Return collections that grew by a tenth or more from half-way to the end, the longest first."""
    if len(rows) < 2:
        return {}
    half, end = half_way(rows).lengths, rows[-1].lengths
    grown = {
        name: (half.get(name, 0), size) for name, size in end.items() if size > 1.1 * half.get(name, 0) + 4
    }
    return dict(sorted(grown.items(), key=lambda each: -each[1][1])[:LISTED])


async def run(hours: int, limit_s: float) -> tuple[list[Hour], bool]:
    """Feed one engine for so many hours of its own time; return a row an hour, and whether it came so far."""
    exaim, rows = EXAIM(), list[Hour]()
    begun_s = hour_s = time.process_time()
    at_s, seq, updates, before = 0.0, 0, 0, 0
    for turn in turns():
        cut = list(pieces(turn.text))
        each_s = len(turn.text.split()) / WORDS_PER_S / len(cut)
        for text in cut:
            seq, at_s = seq + 1, at_s + each_s
            updates += len(await exaim.feed(Delta(turn.agent_id, text, seq, at_s)))
        seq += 1
        updates += len(await exaim.turn_end(turn.agent_id, seq, at_s))
        spent_s = time.process_time()
        over = spent_s - begun_s > limit_s
        if at_s >= 3600 * (len(rows) + 1) or over:
            cost_us = (spent_s - hour_s) / (seq - before) * 1e6
            rows.append(_row(exaim, at_s / 3600, cost_us, seq, updates))
            hour_s, before = time.process_time(), seq
        if over or len(rows) == hours:
            return rows, not over
    raise AssertionError("turns have no end")


def _row(exaim: EXAIM, hour: float, cost_us: float, count: int, updates: int) -> Hour:
    gc.collect()
    lengths = dict(sorted(collections(exaim), key=lambda each: -each[1])[: 4 * LISTED])
    peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Hour(round(hour, 2), _rss_mb(), round(peak_mb, 1), round(cost_us, 1), count, updates, lengths)


def collections(engine: object) -> Iterator[tuple[str, int]]:
    """Yield every collection that the engine holds, by the attributes that lead to it, and its length.

    What is held in two places is found once.
    """
    yield from _held(engine, "EXAIM", _STEPS, {id(engine)})


def _held(thing: object, path: str, steps: int, seen: set[int]) -> Iterator[tuple[str, int]]:
    for name in _attributes(thing):
        yield from _found(getattr(thing, name, None), f"{path}.{name}", steps, seen)


def _found(held: object, place: str, steps: int, seen: set[int]) -> Iterator[tuple[str, int]]:
    if not steps or id(held) in seen:
        return
    seen.add(id(held))
    if isinstance(held, list | dict | set | tuple | frozenset | deque):
        yield place, len(held)
        inside = list(held.values() if isinstance(held, dict) else held)
        for number, each in enumerate(inside if len(inside) <= _FEW else ()):
            yield from _found(each, f"{place}[{number}]", steps - 1, seen)
    elif type(held).__module__.startswith("exaim_core"):
        yield from _held(held, place, steps - 1, seen)


def _attributes(thing: object) -> list[str]:
    slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
    return list(dict.fromkeys([*getattr(thing, "__dict__", {}), *slots]))


def _rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return round(pages * resource.getpagesize() / 2**20, 1)


def main(hours: int, limit_s: float) -> None:
    """Write what `measure` reads."""
    rows, whole = asyncio.run(run(hours, limit_s))
    sys.stdout.write(json.dumps({"hours": [asdict(row) for row in rows], "whole": whole}))


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
