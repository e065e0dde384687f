"""What the bench makes of /proc: whose process each is, and what was used between two moments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lab.bench.cost import Cost, rows, speaking_share, told
from lab.bench.processes import Thread, Used, memory_mb, roles, snapshot, used
from lab.demo.listener import FRAME_SAMPLES, Heard

LAUNCHER, TEMPLATE, ENGINES, WORKER, SERVER, JOB, STRANGER = 10, 11, 12, 13, 14, 15, 99


def process(proc: Path, pid: int, parent: int, threads: dict[int, tuple[str, int, int]]) -> None:
    """Write what /proc has of a process; `threads`: name, clock ticks and wakes by id."""
    folder = proc / str(pid)
    folder.mkdir()
    (folder / "stat").write_text(f"{pid} (py (x) thon) S {parent} 0 0", encoding="utf-8")
    (folder / "smaps_rollup").write_text(f"head\nRss: 900 kB\nPss: {pid * 1024} kB\nPss_Anon: 1 kB\n")
    for tid, (name, ticks, wakes) in threads.items():
        task = folder / "task" / str(tid)
        task.mkdir(parents=True)
        counts = " ".join(["0"] * 10 + [str(ticks), "0"])
        (task / "stat").write_text(f"{tid} ({name}) S {counts}", encoding="utf-8")
        (task / "comm").write_text(f"{name}\n", encoding="utf-8")
        (task / "status").write_text(f"Name: {name}\nvoluntary_ctxt_switches:\t{wakes}\n", encoding="utf-8")


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    one = {1: ("python", 0, 0)}
    process(tmp_path, LAUNCHER, 1, one)
    process(tmp_path, TEMPLATE, LAUNCHER, one)
    process(tmp_path, ENGINES, TEMPLATE, one)
    process(tmp_path, WORKER, TEMPLATE, one)
    process(tmp_path, SERVER, WORKER, one)
    process(tmp_path, JOB, SERVER, {1: ("python", 300, 50), 2: ("AudioEncoderQue", 20, 7)})
    process(tmp_path, STRANGER, 1, one)
    return tmp_path


def test_each_process_of_the_stack_has_its_role_and_strangers_have_none(proc: Path) -> None:
    assert roles(LAUNCHER, {"engines": ENGINES, "worker": WORKER}, proc) == {
        LAUNCHER: "launcher",
        TEMPLATE: "template",
        ENGINES: "engines",
        WORKER: "worker",
        SERVER: "worker",
        JOB: "worker: voice",
    }


def test_memory_is_added_up_by_role_and_who_just_ended_is_passed_over(proc: Path) -> None:
    assert memory_mb({WORKER: "worker", SERVER: "worker", ENGINES: "engines", 12345: "gone"}, proc) == {
        "worker": WORKER + SERVER,
        "engines": ENGINES,
    }


def test_what_was_used_is_the_difference_and_a_new_thread_counts_whole(proc: Path) -> None:
    after = snapshot([JOB, 12345], proc)
    assert after[JOB, 2].name == "AudioEncoderQue"
    before = {(JOB, 1): Thread("python", after[JOB, 1].cpu_s - 1.0, 30)}
    (found,) = used(before, after, 10.0, {JOB: "worker: voice"})
    encoder = 10 * after[JOB, 2].cpu_s
    assert found.cpu_percent == pytest.approx(10.0 + encoder)
    assert found.wakes_per_s == pytest.approx(2.7)
    assert found.threads == {"python": pytest.approx(10.0), "AudioEncoderQue": pytest.approx(encoder)}


def test_the_sfu_is_told_and_not_counted() -> None:
    cost = Cost(
        60.0, 0.66, (Used("worker: voice", 15.0, 1.0, {}), Used("livekit-server", 3.0, 1.0, {})), {"a": 1e3}
    )
    cpu, share, memory = rows(cost)
    assert (cpu.p50, cpu.met) == (15.0, True)
    assert share.p50 == 66.0
    assert memory.met is False
    assert "livekit-server" in told(cost)


def test_the_share_is_of_the_frames_from_a_sample_on() -> None:
    heard = Heard()
    for level in (9000, 9000, 0, 9000):
        heard.add(np.full(FRAME_SAMPLES, level, np.int16), 0.0)
    assert speaking_share(heard, 2 * FRAME_SAMPLES) == 0.5
    assert speaking_share(heard, 4 * FRAME_SAMPLES) == 0.0
