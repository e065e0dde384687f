"""What each process of a running stack uses: CPU by thread, and memory as its proportional share, from /proc."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

OTHER: Final = "template"  # whatever `exaim up` started, and is no part
PROC: Final = Path("/proc")
_IN_A_ROOM: Final = "AudioEncoder"  # a thread that only a process with a LiveKit room has
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_Key = tuple[int, int]  # process, thread


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread at one moment."""

    name: str
    cpu_s: float
    wakes: int  # how often it went to sleep, and so was woken


@dataclass(frozen=True, slots=True)
class Used:
    """What one kind of process used between two moments."""

    role: str
    cpu_percent: float  # of one core
    wakes_per_s: float
    threads: Mapping[str, float]  # percent of one core, by name; the busiest first


def roles(launcher: int, parts: Mapping[str, int], proc: Path = PROC) -> dict[int, str]:
    """Return what each living process of a stack is, by its id: a part, a voice, or what parts are forked of.

    `parts` are the ids of the parts that are at work, as `stack.json` has them.
    """
    children, named = _children(proc), {pid: name for name, pid in parts.items()}
    found = {launcher: "launcher"}

    def look(pid: int, role: str) -> None:
        for child in children.get(pid, ()):
            part = named.get(child)
            mine = part or role or OTHER
            found[child] = f"{mine}: voice" if part is None and _is_in_a_room(child, proc) else mine
            look(child, mine)

    look(launcher, "")
    return found


def snapshot(pids: Sequence[int], proc: Path = PROC) -> dict[_Key, Thread]:
    """Return every thread of the processes; one that just ended is passed over."""
    found: dict[_Key, Thread] = {}
    for pid in pids:
        with contextlib.suppress(OSError):
            for task in (proc / str(pid) / "task").iterdir():
                with contextlib.suppress(OSError):
                    found[pid, int(task.name)] = _thread(task)
    return found


def used(
    before: Mapping[_Key, Thread], after: Mapping[_Key, Thread], seconds: float, names: Mapping[int, str]
) -> list[Used]:
    """Return what was used between two snapshots, by role, the most first."""
    by_role: dict[str, list[tuple[str, float, int]]] = {}
    for key, now in after.items():
        was = before.get(key, Thread(now.name, 0.0, 0))
        spent = 100 * (now.cpu_s - was.cpu_s) / seconds
        by_role.setdefault(names[key[0]], []).append((now.name, spent, now.wakes - was.wakes))
    found = [
        Used(
            role,
            round(sum(each[1] for each in threads), 2),
            round(sum(each[2] for each in threads) / seconds, 1),
            _busiest(threads),
        )
        for role, threads in by_role.items()
    ]
    return sorted(found, key=lambda each: -each.cpu_percent)


def memory_mb(names: Mapping[int, str], proc: Path = PROC) -> dict[str, float]:
    """Return the proportional share of memory by role, in MB: what is shared is divided by those who share."""
    found: dict[str, float] = {}
    for pid, role in names.items():
        with contextlib.suppress(OSError):
            lines = (proc / str(pid) / "smaps_rollup").read_text(encoding="ascii").splitlines()
            (kb,) = (int(line.split()[1]) for line in lines if line.startswith("Pss:"))
            found[role] = round(found.get(role, 0.0) + kb / 1024, 1)
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _busiest(threads: Sequence[tuple[str, float, int]]) -> dict[str, float]:
    by_name: dict[str, float] = {}
    for name, spent, _ in threads:
        by_name[name] = by_name.get(name, 0.0) + spent
    busy = sorted(by_name.items(), key=lambda each: -each[1])
    return {name: round(spent, 2) for name, spent in busy if spent >= 0.05}


def _thread(task: Path) -> Thread:
    head, _, rest = (task / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")
    fields = rest.split()
    status = (task / "status").read_text(encoding="utf-8", errors="replace")
    wakes = next(
        int(line.split()[1]) for line in status.splitlines() if line.startswith("voluntary_ctxt_switches")
    )
    return Thread(head.partition("(")[2], (int(fields[11]) + int(fields[12])) / _TICKS_PER_S, wakes)


def _children(proc: Path) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for folder in proc.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                rest = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
                found.setdefault(int(rest.split()[1]), []).append(int(folder.name))
    return found


def _is_in_a_room(pid: int, proc: Path) -> bool:
    with contextlib.suppress(OSError):
        for task in (proc / str(pid) / "task").iterdir():
            with contextlib.suppress(OSError):
                if (task / "comm").read_text(encoding="utf-8", errors="replace").startswith(_IN_A_ROOM):
                    return True
    return False
