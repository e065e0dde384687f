"""Figures of a run, and what its pages told."""

from __future__ import annotations

import json
from pathlib import Path

from lab.chaos.audit import Audit, Heard
from lab.chaos.hitting import Hit, ends_voice
from lab.chaos.pages import heard
from lab.chaos.plan import Fault
from lab.chaos.report import NEVER_S, again_s, rows, write
from lab.chaos.runs import Run

GOOD = Audit("s-1", 4, 9, 8, 1, (), (), 0.0, (), 3.0)
LOSING = Audit("s-2", 4, 9, 8, 1, ("u.1: still queued",), (), 0.5, (), 31.0)


def hit(fault: Fault, again: float | None, *, done: bool = True, speaking: bool = True) -> Hit:
    return Hit(1, fault, "s-1", 10.0, done, speaking, (again,))


def test_only_faults_inside_a_clause_are_timed_and_what_never_came_counts_in_full() -> None:
    hits = [
        hit(Fault.JOB_KILLED, 5.0),
        hit(Fault.JOB_KILLED, None),
        hit(Fault.JOB_KILLED, 4.0, speaking=False),
        hit(Fault.JOB_KILLED, 4.0, done=False),
    ]
    assert again_s(hits, Fault.JOB_KILLED) == [5.0, NEVER_S]


def test_every_aim_is_judged_by_its_own_bound() -> None:
    hits = [
        *(hit(Fault.JOB_KILLED, 5.0), hit(Fault.WORKER_KILLED, 5.5), hit(Fault.WORKER_KILLED, 11.0)),
        *(hit(Fault.JOB_STOPPED, 24.0), hit(Fault.ENGINES_KILLED, 3.5)),
        *(hit(Fault.RELOAD, 0.7), hit(Fault.SECOND_TAB, 0.9), hit(Fault.CLIENT_KILLED, 1.5)),
    ]
    met = {row.name: row.met for row in rows(hits, [GOOD])}
    assert met["summaries lost"] is True
    assert met["job or worker SIGKILL → speech"] is False, "the slowest took more than 10 s"
    assert met["job SIGSTOP → speech"] is True
    assert met["engines SIGKILL → speech"] is False
    assert met["return → first word"] is True


def test_what_was_lost_or_heard_twice_at_once_fails_the_run(tmp_path: Path) -> None:
    hits = [hit(Fault.RELOAD, 0.7)]
    assert write(tmp_path, seed=1, hits=hits, accounts=[GOOD], planned=1)
    assert not write(tmp_path, seed=1, hits=hits, accounts=[GOOD, LOSING], planned=1)
    kept = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert [row["met"] for row in kept["figures"][:4]] == [False, True, False, False]
    assert "u.1: still queued" in (tmp_path / "report.md").read_text(encoding="utf-8")


def test_a_fault_that_could_not_be_done_fails_the_run(tmp_path: Path) -> None:
    assert not write(tmp_path, seed=1, hits=[hit(Fault.RELOAD, 0.7, done=False)], accounts=[GOOD], planned=1)


def test_a_fault_ends_the_voice_of_its_session_or_that_of_all() -> None:
    def ended(fault: Fault) -> list[bool]:
        return [ends_voice(hit(fault, 1.0), session_id) for session_id in ("s-1", "s-2")]

    assert ended(Fault.JOB_KILLED) == [True, False]
    assert ended(Fault.WORKER_KILLED) == [True, True]
    assert ended(Fault.RELOAD) == [False, False]


def test_a_page_is_there_from_its_ready_to_its_loss() -> None:
    told = [
        {"what": "joined", "at": 1.0},
        {"what": "ready", "at": 1.5},
        {"what": "sound", "at": 3.0, "sid": "TR_a", "from": 2.0, "to": 3.0},
        {"what": "lost", "at": 4.0, "why": 0},
        {"what": "ready", "at": 6.0},
        {"what": "sound", "at": 8.0, "sid": "TR_b", "from": 7.0, "to": 8.0},
    ]
    sound = {"TR_a": [Run(2.0, 3.0)], "TR_b": [Run(7.0, 8.0)]}
    assert heard(told, 9.0) == Heard(sound, [Run(1.5, 4.0), Run(6.0, 9.0)])
