"""What the faults cost, as figures with their aims. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from lab.bench import figures
from lab.bench.figures import Figure
from lab.chaos.audit import Audit
from lab.chaos.hitting import Hit
from lab.chaos.plan import Fault

KILLED_P50_S: Final = 6.0
KILLED_MAX_S: Final = 10.0
STOPPED_S: Final = 25.0
ENGINES_S: Final = 3.0
REJOIN_P50_S: Final = 1.0
NEVER_S: Final = 30.0  # what counts for speech that did not come while it was waited for

_AIMED: Final = (Fault.JOB_STOPPED, Fault.ENGINES_KILLED)
_REJOINED: Final = (Fault.CLIENT_KILLED, Fault.RELOAD, Fault.SECOND_TAB)


def again_s(hits: Sequence[Hit], *faults: Fault) -> list[float]:
    """Return how long each fault of these kinds was heard; one that did not end counts as `NEVER_S`."""
    found = [
        each for hit in hits if hit.fault in faults and hit.done and hit.speaking for each in hit.again_s
    ]
    return [NEVER_S if each is None else each for each in found]


def rows(hits: Sequence[Hit], accounts: Sequence[Audit]) -> list[Figure]:
    """Return the figures with an aim, then each other kind of fault."""
    sessions = len(accounts)
    found = [
        _count("summaries lost", "items", sum(len(each.lost) for each in accounts), _items(accounts)),
        _count("spoken twice in full", "items", sum(len(each.twice) for each in accounts), _items(accounts)),
        _count("two voices at once", "sessions", sum(each.two_voices for each in accounts), sessions),
        _count("sessions stuck", "sessions", sum(each.stuck for each in accounts), sessions),
        _count("voices lost without a fault", "voices", sum(each.needless for each in accounts), sessions),
    ]
    killed = again_s(hits, Fault.JOB_KILLED, Fault.WORKER_KILLED)
    if killed:
        aim = f"p50 ≤ {KILLED_P50_S:g} s, max ≤ {KILLED_MAX_S:g} s"
        row = figures.figure("job or worker SIGKILL → speech", "s", killed, most=KILLED_P50_S, aim=aim)
        found.append(_also(row, max(killed) <= KILLED_MAX_S))
    found += _figure("job SIGSTOP → speech", again_s(hits, Fault.JOB_STOPPED), STOPPED_S, "max")
    found += _figure("engines SIGKILL → speech", again_s(hits, Fault.ENGINES_KILLED), ENGINES_S, "max")
    found += _figure("return → first word", again_s(hits, *_REJOINED), REJOIN_P50_S, "p50")
    for fault in Fault:
        if fault not in _AIMED and (values := again_s(hits, fault)):
            found.append(figures.figure(f"{fault.value} → speech", "s", values))
    woken = [NEVER_S if each is None else each for hit in hits for each in hit.woken_s]
    if woken:
        name = "stopped job goes on: its successor's silence"
        found.append(figures.figure(name, "s", woken, most=0.0, at="max", aim="none"))
    others = [
        each for hit in hits if hit.fault in (Fault.JOB_KILLED, Fault.JOB_STOPPED) for each in hit.others_s
    ]
    if others:
        felt = sum(each is None or each > 0 for each in others)
        found.append(_count("job hit: the other session felt it", "events", felt, len(others)))
    return found


def _count(name: str, unit: str, number: int, n: int) -> Figure:
    return figures.count(name, unit, number, n, most=0)


def _figure(name: str, values: Sequence[float], most: float, at: str) -> list[Figure]:
    return [figures.figure(name, "s", values, most=most, at=at, aim=f"{at} ≤ {most:g} s")] if values else []


def _also(row: Figure, met: bool) -> Figure:
    return Figure(**{**{name: getattr(row, name) for name in row.__slots__}, "met": bool(row.met) and met})


def _items(accounts: Sequence[Audit]) -> int:
    return sum(each.items for each in accounts)


def write(out: Path, *, seed: int, hits: Sequence[Hit], accounts: Sequence[Audit], planned: int) -> bool:
    """Write report.md and report.json into `out`; return whether every aim was met, and all was done."""
    table = rows(hits, accounts)
    done = [each for each in hits if each.done]
    met = all(row.met is not False for row in table) and len(done) == planned
    kept = {
        "seed": seed,
        "planned": planned,
        "done": len(done),
        "met": met,
        "figures": [asdict(row) for row in table],
        "faults": [asdict(each) for each in hits],
        "sessions": [asdict(each) for each in accounts],
    }
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(kept, indent=1, ensure_ascii=False)
    (out / "report.json").write_text(text + "\n", encoding="utf-8")
    (out / "report.md").write_text(_told(seed, planned, table, hits, accounts), encoding="utf-8")
    return met


def _told(
    seed: int, planned: int, table: Sequence[Figure], hits: Sequence[Hit], accounts: Sequence[Audit]
) -> str:
    done, felt = sum(hit.done for hit in hits), [hit for hit in hits if hit.done and hit.speaking]
    lines = [
        f"# Chaos: {done} of {planned} faults on {len(accounts)} sessions, seed {seed}",
        "",
        f"Measured at the listeners; {len(felt)} of the faults hit a clause that was being spoken.",
        "`sessions/*.json` has each session's ledger, what its pages were told and heard, and its faults.",
        "",
        figures.table(table),
        "",
        "## Sessions",
        "",
        "| session | summaries | items | spoken | again | lost | twice | two voices | longest standstill |",
        "|---|---|---|---|---|---|---|---|---|",
        *(_session(each) for each in accounts),
        "",
        "## Faults",
        "",
        "| | fault | in a clause | speech after | the other session | note |",
        "|---|---|---|---|---|---|",
        *(_fault(each) for each in hits),
        "",
    ]
    wrong = [f"* {each.session_id}: {what}" for each in accounts for what in (*each.lost, *each.twice)]
    return "\n".join([*lines, *(["## Lost, or said twice", "", *wrong, ""] if wrong else [])])


def _session(each: Audit) -> str:
    two = f"{each.two_tracks_s:.2f} s, {len(each.ghosts)} unexplained"
    cells = (
        each.session_id,
        *(each.summaries, each.items, each.spoken, each.again, len(each.lost), len(each.twice)),
        *(two if each.two_voices else "no", f"{each.stuck_s:.0f} s"),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _fault(each: Hit) -> str:
    again, others = (", ".join(map(_seconds, values)) for values in (each.again_s, each.others_s))
    woken = f"SIGCONT: {', '.join(map(_seconds, each.woken_s))}" if each.woken_s else ""
    note = each.note + woken if each.done else f"**not done**: {each.note}"
    cells = (str(each.number), each.fault.value, "yes" if each.speaking else "no", again, others, note)
    return "| " + " | ".join(cells) + " |"


def _seconds(value: float | None) -> str:
    return "never" if value is None else f"{value:.1f} s"
