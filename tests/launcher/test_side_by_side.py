"""What `make test` and `make check` run side by side: checks, lanes of tests, and one stack for all of them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import lanes
from tests.background import NICENESS
from tests.e2e.sharing import UpStack, shared_stack
from tests.launcher.processes import eventually, lives, scripted
from tools.beside import Check, beside, run

ROOT = Path(__file__).resolve().parent.parent.parent


# --- checks beside


def is_over(pipe: int) -> bool:
    """Wait until nobody holds the other end, as pytest does before its closing line."""
    return os.read(pipe, 1) == b""


def test_checks_run_one_after_the_other_beside_and_what_a_failed_one_said_is_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    go, bad = tmp_path / "go", tmp_path / "bad"
    found = [
        Check("waits", scripted(f"wait={go}", "say=nobody reads this"), tmp_path),
        Check("fails", scripted(f"touch={bad}", "say=line 7 is wrong", "exit=3"), tmp_path),
    ]
    with beside(found, os.environ) as row:
        assert not bad.exists()
        go.touch()
        assert is_over(row.over)
        assert row.failed == ["fails"]
    said = capfd.readouterr().out
    assert re.search(r"== waits: ok in \d+\.\d s\n== fails: FAILED \(3\) in .* s\nline 7 is wrong\n", said)
    assert said.endswith("== FAILED beside pytest: fails\n")
    assert "nobody reads this" not in said


def test_a_check_that_outlasts_what_it_runs_beside_is_waited_for(tmp_path: Path) -> None:
    go = tmp_path / "go"
    with beside([Check("slow", scripted(f"wait={go}", "exit=1"), tmp_path)], os.environ) as row:
        threading.Timer(0.2, go.touch).start()
    assert row.failed == ["slow"]


def test_who_is_stopped_ends_the_check_that_runs_and_begins_no_other(tmp_path: Path) -> None:
    pid, later = tmp_path / "pid", tmp_path / "later"
    found = [
        Check("long", scripted(f"child={pid}", "stay"), tmp_path),
        Check("later", scripted(f"touch={later}"), tmp_path),
    ]
    with pytest.raises(KeyboardInterrupt), beside(found, os.environ):
        assert eventually(pid.exists)
        raise KeyboardInterrupt
    assert eventually(lambda: not lives(int(pid.read_text(encoding="utf-8"))))
    assert not later.exists()


def test_a_tool_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    assert run(scripted(f"child={pid}", "stay"), tmp_path, os.environ, within_s=1.0) == 124
    assert eventually(lambda: not lives(int(pid.read_text(encoding="utf-8"))))


def test_pytests_closing_line_comes_after_what_it_is_to_wait_for(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text("def test_one() -> None: pass\n", encoding="utf-8")
    over, not_over = os.pipe()
    said = b""
    with subprocess.Popen(
        [sys.executable, "-m", "tests", "-q", "-p", "no:cacheprovider", str(tmp_path / "test_one.py")],
        cwd=ROOT,
        env={**os.environ, "EXAIM_TESTS_WAIT_FOR": str(over), "EXAIM_TESTS_UNTIL": "inf"},
        pass_fds=(over,),
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        os.close(over)
        while b"[100%]" not in said:
            said += os.read(process.stdout.fileno(), 1_000)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        os.close(not_over)
        assert process.wait(60) == 0
        assert process.stdout.read().decode().splitlines()[-1].startswith("1 passed in ")


# --- lanes


class Node:
    """A process of pytest-xdist, as far as dealing needs it."""

    shutting_down = False

    def __init__(self, number: int) -> None:
        self.gateway = SimpleNamespace(id=f"gw{number}")
        self.given: list[int] = []

    def send_runtest_some(self, indices: list[int]) -> None:
        self.given += indices

    def shutdown(self) -> None:
        self.shutting_down = True


class Deal:
    """A whole deal to some processes, each of which does one test at a time."""

    def __init__(self, nodeids: list[str], processes: int) -> None:
        config: Any = SimpleNamespace(
            option=SimpleNamespace(loadscopereorder=False),
            stash=pytest.Stash(),
            getvalue=lambda _: [f"{processes}*popen"],
        )
        self.ids = sorted(nodeids, key=lanes.order)
        self.lanes = lanes.Lanes(config)
        self.nodes = [Node(number) for number in range(processes)]
        for node in self.nodes:
            self.lanes.add_node(node)
        for node in self.nodes:
            self.lanes.add_node_collection(node, self.ids)
        self.lanes.schedule()

    def rounds(self) -> Iterator[list[str]]:
        """Yield what the processes do at the same time, until all is done."""
        while any(node.given for node in self.nodes):
            yield [self.ids[node.given[0]] for node in self.nodes if node.given]
            for node in self.nodes:
                if node.given:
                    self.lanes.mark_test_complete(node, node.given.pop(0))


@pytest.mark.parametrize("processes", [1, 2, 3, 4, 6])
def test_at_most_two_files_use_the_shared_stack_at_once_and_one_a_stack_of_its_own(processes: int) -> None:
    nodeids = [f"{file}::test_{n}" for file in lanes.OWN_STACKS for n in range(2)]
    nodeids += [f"tests/e2e/test_shared_{file}.py::test_{n}" for file in range(5) for n in range(3)]
    nodeids += [f"tests/room/test_{file}.py::test_{n}" for file in range(40) for n in range(4)]
    done: list[str] = []
    for at_once in Deal(nodeids, processes).rounds():
        files = [nodeid.partition("::")[0] for nodeid in at_once]
        assert len([file for file in files if file in lanes.OWN_STACKS]) <= 1
        assert len([file for file in files if "test_shared" in file]) <= lanes.LISTENERS
        done += at_once
    assert sorted(done) == sorted(nodeids)
    assert {lanes.unit_of(nodeid) for nodeid in done[:2]} & {lanes.CHAIN}


def test_of_three_processes_the_last_computes_while_the_others_listen_and_then_leaves_the_rest_to_them() -> (
    None
):
    long = [unit for unit in lanes.LONG if not lanes.is_shared(unit)]
    files = [*lanes.OWN_STACKS, *(f"tests/e2e/test_shared_{n}.py" for n in range(5)), *long]
    files += [f"tests/room/test_{n}.py" for n in range(200)]
    deal = Deal([f"{file}::test_{n}" for file in files for n in range(3)], 3)
    first, second, background = deal.nodes
    begins = [lanes.unit_of(deal.ids[node.given[0]]) for node in deal.nodes]
    assert lanes.CHAIN in begins[:2] and [lanes.is_shared(unit) for unit in begins].count(True) == 1
    assert begins[2] == next(unit for unit in long if not lanes.is_real(unit))
    for _ in deal.rounds():
        units = {lanes.unit_of(deal.ids[index]) for index in background.given}
        assert not any(lanes.has_stack(unit) or lanes.is_real(unit) for unit in units)
        listening = any(lanes.has_stack(lanes.unit_of(deal.ids[i])) for i in (*first.given, *second.given))
        assert listening or background.shutting_down
    assert first.shutting_down and second.shutting_down


def test_what_plays_in_real_time_or_starts_servers_is_real() -> None:
    assert lanes.is_real("tests/tts_queue/test_engines.py") and lanes.is_real("tests/tts_queue/test_piper.py")
    assert not lanes.is_real("tests/exaim_core/test_bounded.py") and not lanes.is_real(lanes.CHAIN)


def test_of_three_processes_the_last_is_dealt_no_stack_where_all_tests_listen_to_one() -> None:
    files = [f"tests/e2e/test_shared_{n}.py" for n in range(4)]
    deal = Deal([f"{file}::test_{n}" for file in files for n in range(3)], 3)
    background = deal.nodes[-1]
    assert background.shutting_down and not background.given
    assert sorted(each for at_once in deal.rounds() for each in at_once) == sorted(deal.ids)


def test_who_computes_in_the_background_is_a_session_of_its_own_and_nice() -> None:
    program = (
        "import os; from tests.background import step_back;"
        "step_back({'workerid': 'gw1', 'workercount': 3}); first = os.getsid(0), os.nice(0);"
        "step_back({'workerid': 'gw2', 'workercount': 3}); print(*first, os.getpid(), os.getsid(0), os.nice(0))"
    )
    said = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=True).stdout
    session, nice, pid, own, nicer = map(int, said.split())
    assert (session, own) == (os.getsid(0), pid)
    assert nicer == min(19, nice + NICENESS)


def test_long_files_without_a_stack_go_first_then_stacks_then_the_rest() -> None:
    files = ["tests/a/test_a.py", "tests/e2e/test_chat.py", *lanes.OWN_STACKS[:1], "tests/ears/test_real.py"]
    dealt = sorted((f"{file}::test_it" for file in files), key=lanes.order)
    assert [nodeid.partition("::")[0] for nodeid in dealt] == [files[3], files[2], files[1], files[0]]


def test_files_that_ask_the_same_are_one_unit_and_long() -> None:
    for file, other in lanes.ALIKE.items():
        assert lanes.unit_of(f"{file}::test_it") == lanes.unit_of(f"{other}::test_it") == other
        assert other in lanes.LONG


def test_what_is_heard_side_by_side_is_one_unit_and_comes_to_a_warm_stack() -> None:
    files = ["tests/e2e/heard/test_team.py", "tests/e2e/heard/test_chat.py", "tests/e2e/test_talking.py"]
    dealt = sorted((f"{file}::test_it" for file in files), key=lanes.order)
    assert [lanes.unit_of(nodeid) for nodeid in dealt] == [files[2], lanes.HEARD, lanes.HEARD]
    assert lanes.is_shared(lanes.HEARD)


def test_files_for_which_there_is_no_time_are_not_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    deal = Deal([f"tests/room/test_{file}.py::test_{n}" for file in range(9) for n in range(4)], 2)
    rounds = deal.rounds()
    for _ in range(4):
        next(rounds)
    monkeypatch.setattr(lanes, "UNTIL_S", 0.0)
    assert len(list(rounds)) == 4, "what was dealt is done"
    assert deal.lanes.left_out == {f"tests/room/test_{file}.py" for file in range(4, 9)}
    assert all(node.shutting_down for node in deal.nodes)


def test_the_lanes_name_every_file_whose_tests_start_a_stack_of_their_own() -> None:
    starts = re.compile(r"(?<!\.)\bstack\(|\brunning\(tmp_path, environ|\bown: UpStack")
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("e2e", "launcher", "app", "api")
        for path in (ROOT / "tests" / folder).rglob("test_*.py")
        if starts.search(path.read_text(encoding="utf-8")) and path != Path(__file__)
    }
    assert found == set(lanes.OWN_STACKS)
    assert all((ROOT / file).exists() for file in (*lanes.LONG, *lanes.ALIKE, *lanes.ALIKE.values()))


# --- one stack for all


class Stacks:
    """Starts stacks that are none, and counts how many run."""

    def __init__(self) -> None:
        self.started = self.run = 0

    @contextmanager
    def start(self, folder: Path) -> Iterator[UpStack]:
        self.started, self.run = self.started + 1, self.run + 1
        yield UpStack("http://x", "unix://y", folder, folder / "sent", {"api": 1}, 2, folder / "s")
        self.run -= 1


def in_thread(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_stack_is_started_once_and_ended_when_nobody_uses_it(tmp_path: Path) -> None:
    stacks, second, third = Stacks(), shared_stack(tmp_path / "s", Stacks().start), threading.Event()
    with shared_stack(tmp_path / "s", stacks.start) as started:
        noted = second.__enter__()
        assert noted == started
        leaving = in_thread(lambda: third.wait(30) and second.__exit__(None, None, None))
        threading.Timer(0.3, third.set).start()
    assert third.is_set(), "who started it waited for the other"
    assert (stacks.started, stacks.run) == (1, 0)
    leaving.join()
    with shared_stack(tmp_path / "s", stacks.start):
        assert (stacks.started, stacks.run) == (2, 1)
