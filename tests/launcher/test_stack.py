"""The supervisor over tiny real processes: waits are for what can be seen, never for time to pass."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import stat
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from app.exits import MEANING, CantStart, Exit
from app.probes import Probe, beats, is_there
from app.restarts import RestartLimits
from app.stack import Stack, StackProcess, StopAsked
from infra.embedded.template import Template
from tests.launcher import forked
from tests.launcher.processes import eventually, lives, scripted


class Scene:
    """A stack of scripted parts in `folder`; collects what it says and the pids it announces."""

    def __init__(self, folder: Path) -> None:
        self.folder = self.logs = folder
        self.stop, self.hurry = asyncio.Event(), asyncio.Event()
        self.up = asyncio.Event()
        self.told: list[dict[str, int]] = []
        self.said: list[str] = []
        self.template: Template | None = None
        self.limits = RestartLimits(most=2, first_wait_s=0.01, look_every_s=0.1, missed_looks=3)

    @property
    def pids(self) -> dict[str, int]:
        return self.told[-1]

    async def until_told(self, times: int) -> None:
        """Wait until pids were told so often."""
        async with asyncio.timeout(20.0):
            while len(self.told) < times:
                await asyncio.sleep(0.01)

    def part(
        self,
        name: str,
        *actions: str,
        needs: tuple[str, ...] = (),
        died: Exit = Exit.API_DIED,
        within_s: float = 20.0,
        grace_s: float = 20.0,
        alive: Probe | None = None,
    ) -> StackProcess:
        return StackProcess(
            name=name,
            argv=scripted(*actions),
            environ=os.environ,
            ready=is_there(self.folder / name),
            alive=alive,
            before=lambda: (self.folder / name).unlink(missing_ok=True),
            died=died,
            needs=needs,
            within_s=within_s,
            grace_s=grace_s,
        )

    def sign(self, name: str) -> str:
        return f"touch={self.folder / name}"

    async def run(self, *parts: StackProcess) -> None:
        def on_pids(pids: Mapping[str, int]) -> None:
            self.told.append(dict(pids))
            self.up.set()

        stack = Stack(parts, logs=self.logs, say=self.said.append, limits=self.limits, template=self.template)
        await stack.run(stop=self.stop, hurry=self.hurry, on_pids=on_pids)

    def forked(self, name: str, *actions: str, died: Exit = Exit.API_DIED) -> StackProcess:
        """Return a part that is a fork of the template, which there is then."""
        self.template = self.template or forked.template(self.folder)
        return replace(self.part(name, died=died), fork=(forked.NAME, *actions))

    def noted(self) -> list[str]:
        return (self.folder / "notes").read_text(encoding="utf-8").split()

    def note(self, word: str, action: str = "note") -> str:
        return f"{action}={self.folder / 'notes'},{word}"


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return Scene(tmp_path)


async def test_a_part_starts_when_what_it_needs_is_ready_and_all_end_in_the_reverse_order(
    scene: Scene,
) -> None:
    def notes(name: str) -> tuple[str, ...]:
        return (scene.note(name), scene.note(f"-{name}", "note_end"), scene.sign(name), "stay")

    web = scene.part("web", *notes("web"), needs=("db",))
    task = asyncio.create_task(scene.run(web, scene.part("db", *notes("db"))))
    await scene.up.wait()
    assert scene.noted() == ["db", "web"]
    assert all(lives(pid) for pid in scene.pids.values())
    scene.stop.set()
    with pytest.raises(StopAsked):
        await task
    assert scene.noted() == ["db", "web", "-web", "-db"]
    assert not any(lives(pid) for pid in scene.pids.values())


async def test_parts_that_need_nothing_start_side_by_side(scene: Scene) -> None:
    task = asyncio.create_task(
        scene.run(
            scene.part(
                "one",
                f"touch={scene.folder / 'one-began'}",
                f"wait={scene.folder / 'two-began'}",
                scene.sign("one"),
                "stay",
            ),
            scene.part(
                "two",
                f"touch={scene.folder / 'two-began'}",
                f"wait={scene.folder / 'one-began'}",
                scene.sign("two"),
                "stay",
            ),
        )
    )
    await scene.up.wait()
    scene.stop.set()
    with pytest.raises(StopAsked):
        await task


@asynccontextmanager
async def running(scene: Scene, *parts: StackProcess) -> AsyncIterator[None]:
    """Run a stack while the block lasts, from when all is ready."""
    task = asyncio.create_task(scene.run(*parts))
    try:
        await scene.until_told(1)
        yield
    finally:
        scene.stop.set()
        with contextlib.suppress(StopAsked):
            await task


async def test_a_part_that_dies_is_started_again_at_once_and_the_others_stay(scene: Scene) -> None:
    store = scene.part("store", scene.sign("store"), "stay")
    reasoner = scene.part("reasoner", "say=I was there", scene.sign("reasoner"), "stay")
    async with running(scene, store, reasoner):
        before = scene.pids
        os.kill(before["reasoner"], signal.SIGKILL)
        await scene.until_told(2)
        assert scene.pids["store"] == before["store"]
        assert scene.pids["reasoner"] != before["reasoner"]
        assert lives(scene.pids["reasoner"])
        told = [line for line in scene.said if line.startswith("reasoner")][1:]
        assert told[0].startswith("reasoner: ended by itself (signal 9)")
        assert told[1] == "reasoner: starting again at once"
        assert told[2].startswith("reasoner: back in ")
        assert (scene.folder / "reasoner.log.before").read_text(encoding="utf-8") == "I was there\n"


async def test_what_a_dead_part_had_started_dies_before_the_next_one_comes(scene: Scene) -> None:
    pid_file = scene.folder / "job"
    worker = scene.part("worker", f"child={pid_file}", scene.sign("worker"), "stay")
    async with running(scene, worker):
        job = int(pid_file.read_text(encoding="utf-8"))
        os.kill(scene.pids["worker"], signal.SIGKILL)
        await scene.until_told(2)
        assert eventually(lambda: not lives(job))


async def test_a_fork_that_died_is_followed_by_another_of_the_same_template(scene: Scene) -> None:
    worker = scene.forked("worker", "say=on duty", scene.sign("worker"), "stay")
    async with running(scene, worker):
        assert scene.template is not None
        template, first = scene.template.pid, scene.pids["worker"]
        assert os.getpgid(first) == first
        os.kill(first, signal.SIGKILL)
        await scene.until_told(2)
        assert not lives(first)
        assert scene.template.pid == template
        assert (scene.folder / "worker.log").read_text(encoding="utf-8") == "on duty\n"
        assert stat.S_IMODE((scene.folder / "worker.log").stat().st_mode) == 0o600
        second = scene.pids["worker"]
    assert template is not None
    assert not lives(template)
    assert not lives(second)


async def test_a_template_that_died_takes_its_forks_along_and_all_come_back(scene: Scene) -> None:
    parts = [scene.forked(name, scene.sign(name), "stay") for name in ("engines", "worker")]
    async with running(scene, *parts, scene.part("api", scene.sign("api"), "stay")):
        assert scene.template is not None
        assert scene.template.pid is not None
        before = dict(scene.pids)
        os.kill(scene.template.pid, signal.SIGKILL)
        await scene.until_told(3)
        assert {name for name, pid in scene.pids.items() if pid != before[name]} == {"engines", "worker"}
        assert not any(lives(before[name]) for name in ("engines", "worker"))


async def test_a_template_that_cannot_load_ends_the_start_with_its_last_words(scene: Scene) -> None:
    worker = scene.forked("worker", "stay", died=Exit.WORKER_DIED)
    command = (sys.executable, "-c", "raise SystemExit('no such model')")
    scene.template = forked.template(scene.folder, command=command)
    with pytest.raises(
        CantStart, match=r"(?s)worker can't be started: the template ended.*no such model"
    ) as died:
        await scene.run(worker)
    assert died.value.exit is Exit.WORKER_DIED


async def test_a_fork_ends_as_a_program_would(scene: Scene) -> None:
    scene.template = forked.template(scene.folder)
    job = scene.folder / "job"
    try:
        failed = await scene.template.start(
            "failed", forked.NAME, ("nonsense",), environ={"A": "b"}, log=scene.folder / "failed.log"
        )
        quick = await scene.template.start(
            "quick", forked.NAME, ("exit=7",), environ={}, log=scene.folder / "quick.log"
        )
        parent = await scene.template.start(
            "parent", forked.NAME, (f"child={job}", "stay"), environ={}, log=scene.folder / "parent.log"
        )
        async with asyncio.timeout(20.0):
            while quick.exit_status() is None or failed.exit_status() is None or not job.exists():
                await asyncio.sleep(0.01)
        assert (failed.exit_status(), quick.exit_status()) == (0, 7)
        parent.kill_group()
        assert parent.exit_status() == -signal.SIGKILL
        assert eventually(lambda: not lives(int(job.read_text(encoding="utf-8"))))
    finally:
        scene.template.end()


async def test_an_asker_that_gave_up_leaves_no_fork_behind(scene: Scene) -> None:
    scene.template = forked.template(scene.folder)
    pids = scene.folder / "pids"
    asked = asyncio.create_task(
        scene.template.start(
            "late", forked.NAME, (f"pid={pids}", "stay"), environ={}, log=scene.folder / "late.log"
        )
    )
    await asyncio.sleep(0)  # the order is sent; the template is not there yet
    asked.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await asked
    try:
        after = await scene.template.start(
            "after", forked.NAME, ("exit=0",), environ={}, log=scene.folder / "after.log"
        )
        async with asyncio.timeout(20.0):
            while after.exit_status() is None:
                await asyncio.sleep(0.01)
        await asyncio.to_thread(
            eventually, lambda: not pids.exists() or not lives(int(pids.read_text(encoding="utf-8")))
        )
        assert not pids.exists() or not lives(int(pids.read_text(encoding="utf-8")))
    finally:
        scene.template.end()


async def test_a_part_that_is_stuck_is_found_and_started_again(scene: Scene) -> None:
    beat = scene.folder / "beat"
    engines = scene.part("engines", scene.sign("engines"), f"beat={beat}", alive=beats(beat))
    async with running(scene, engines):
        stuck = scene.pids["engines"]
        os.kill(stuck, signal.SIGSTOP)
        await scene.until_told(2)
        assert not lives(stuck)
        assert any("gave no answer at 3 looks in a row and was ended" in line for line in scene.said)


async def test_a_part_that_is_stuck_after_each_start_ends_the_stack_though_each_life_is_long(
    scene: Scene,
) -> None:
    scene.limits = replace(scene.limits, settled_s=0.2, look_every_s=0.1)  # three looks are longer
    never_beats = beats(scene.folder / "beat")
    engines = scene.part("engines", scene.sign("engines"), "stay", alive=never_beats, died=Exit.ENGINES_DIED)
    words = r"(?s)gave no answer at 3 looks.*more than 2 times in 60 s without the time that it was stuck"
    with pytest.raises(CantStart, match=words) as died:
        await scene.run(engines)
    assert died.value.exit is Exit.ENGINES_DIED
    again = [line for line in scene.said if "starting again" in line]
    assert again == ["engines: starting again at once", "engines: starting again in 0.01 s"]


async def test_logs_that_were_tidied_away_keep_no_part_from_being_started_again(scene: Scene) -> None:
    scene.logs = scene.folder / "logs"
    scene.logs.mkdir()
    store = scene.part("store", scene.sign("store"), "stay")
    worker = scene.forked("worker", scene.sign("worker"), "stay")
    async with running(scene, store, worker):
        shutil.rmtree(scene.logs)
        os.kill(scene.pids["store"], signal.SIGKILL)
        await scene.until_told(2)
        shutil.rmtree(scene.logs)
        os.kill(scene.pids["worker"], signal.SIGKILL)
        await scene.until_told(3)
        assert all(lives(pid) for pid in scene.pids.values())
        assert scene.logs.is_dir()


async def test_logs_that_cannot_be_written_end_the_stack_with_the_parts_own_exit_code(scene: Scene) -> None:
    scene.logs = scene.folder / "logs"
    scene.logs.mkdir()
    store = scene.part("store", scene.sign("store"), "stay", died=Exit.STORE_DIED)
    task = asyncio.create_task(scene.run(store))
    await scene.until_told(1)
    shutil.rmtree(scene.logs)
    scene.logs.touch()
    os.kill(scene.pids["store"], signal.SIGKILL)
    with pytest.raises(CantStart, match=r"store can't be started \(.*logs: File exists\)") as died:
        await task
    assert died.value.exit is Exit.STORE_DIED


async def test_a_part_that_answers_is_left_alone(scene: Scene) -> None:
    beat = scene.folder / "beat"
    answers: list[bool] = []
    ask = beats(beat)

    async def asked() -> bool:
        answers.append(await ask())
        return answers[-1]

    part = scene.part("engines", scene.sign("engines"), f"beat={beat}", alive=asked)
    async with running(scene, part), asyncio.timeout(20.0):
        while len(answers) < 2 * scene.limits.missed_looks:
            await asyncio.sleep(0.01)
        assert len(scene.told) == 1


async def test_a_part_that_dies_too_often_ends_the_stack_with_its_own_exit_code_and_last_words(
    scene: Scene,
) -> None:
    words = r"(?s)reasoner ended by itself \(exit code 7\).*no memory left.*more than 2 times in 60 s"
    go = scene.folder / "store"
    dies = scene.part(
        "reasoner",
        *(scene.sign("reasoner"), "say=no memory left", f"wait={scene.folder / 'go'}", "exit=7"),
        died=Exit.REASONER_DIED,
    )
    task = asyncio.create_task(scene.run(scene.part("store", f"touch={go}", "stay"), dies))
    await scene.until_told(1)
    (scene.folder / "go").touch()
    with pytest.raises(CantStart, match=words) as died:
        await task
    assert died.value.exit is Exit.REASONER_DIED
    assert not lives(scene.told[0]["store"])
    assert any(line == "reasoner: starting again in 0.01 s" for line in scene.said)


async def test_a_part_that_has_run_well_each_time_is_started_again_at_once_however_often(
    scene: Scene,
) -> None:
    scene.limits = replace(scene.limits, settled_s=0.0)
    worker = scene.part("worker", scene.sign("worker"), "stay")
    async with running(scene, worker):
        for times in range(2, 3 + scene.limits.most):
            os.kill(scene.pids["worker"], signal.SIGKILL)
            await scene.until_told(times)
        again = [line for line in scene.said if "starting again" in line]
        assert again == ["worker: starting again at once"] * (scene.limits.most + 1)


async def test_a_part_that_dies_while_it_starts_again_is_tried_once_more(scene: Scene) -> None:
    died = scene.folder / "has-died"
    worker = scene.part("worker", f"die_once={died}", scene.sign("worker"), "stay")
    died.touch()
    async with running(scene, worker):
        died.unlink()  # the next start fails, the one after it does not
        os.kill(scene.pids["worker"], signal.SIGKILL)
        await scene.until_told(2)
        assert sum("ended by itself" in line for line in scene.said) == 2


async def test_a_part_killed_by_a_signal_at_start_up_says_which(scene: Scene) -> None:
    with pytest.raises(CantStart, match=r"worker ended by itself \(signal 9\)") as died:
        await scene.run(
            scene.part("worker", scene.sign("worker"), "kill=9", died=Exit.WORKER_DIED),
            scene.part("late", f"wait={scene.folder / 'never'}"),
        )
    assert died.value.exit is Exit.WORKER_DIED


async def test_a_part_that_dies_before_it_is_ready_takes_the_others_with_it(scene: Scene) -> None:
    pid_file = scene.folder / "grandchild"
    with pytest.raises(CantStart) as died:
        await scene.run(
            scene.part("store", f"child={pid_file}", scene.sign("store"), "stay"),
            scene.part("api", f"wait={scene.folder / 'store'}", "exit=1", died=Exit.API_DIED),
            scene.part("web", "stay", needs=("api",)),
        )
    assert died.value.exit is Exit.API_DIED
    grandchild = int(pid_file.read_text(encoding="utf-8"))
    assert eventually(lambda: not lives(grandchild))
    assert not scene.up.is_set()


async def test_a_part_that_is_not_ready_in_time_is_named(scene: Scene) -> None:
    with pytest.raises(CantStart, match=r"engines was not ready within 0\.3 s") as late:
        await scene.run(scene.part("engines", "stay", within_s=0.3, grace_s=0.2))
    assert late.value.exit is Exit.NOT_READY


async def test_a_program_that_is_not_there_is_a_part_that_died(scene: Scene) -> None:
    part = StackProcess(
        name="sfu",
        argv=("/nowhere/livekit-server",),
        environ=os.environ,
        ready=is_there(scene.folder / "sfu"),
        died=Exit.SFU_DIED,
    )
    with pytest.raises(CantStart, match=r"exit code 127.*(?s:.)*No such file"):
        await scene.run(part)


async def test_a_part_that_does_not_hear_sigterm_is_killed_after_its_grace(scene: Scene) -> None:
    task = asyncio.create_task(scene.run(scene.part("deaf", "deaf", scene.sign("deaf"), "stay", grace_s=0.2)))
    await scene.up.wait()
    scene.stop.set()
    with pytest.raises(StopAsked):
        await task
    assert not lives(scene.pids["deaf"])


async def test_a_second_signal_ends_the_grace(scene: Scene) -> None:
    task = asyncio.create_task(
        scene.run(scene.part("deaf", "deaf", scene.sign("deaf"), "stay", grace_s=600.0))
    )
    await scene.up.wait()
    scene.stop.set()
    scene.hurry.set()
    with pytest.raises(StopAsked):
        await asyncio.wait_for(task, timeout=20.0)
    assert not lives(scene.pids["deaf"])


async def test_a_cancelled_stack_leaves_nothing(scene: Scene) -> None:
    task = asyncio.create_task(scene.run(scene.part("api", scene.sign("api"), "stay")))
    await scene.up.wait()
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    assert not lives(scene.pids["api"])


def test_every_exit_code_is_its_own_and_explained() -> None:
    assert set(MEANING) == set(Exit)
    assert len({code.value for code in Exit}) == len(Exit)
    assert all(0 <= code.value < 126 for code in Exit)
