"""Fixtures that every test may use, and the check that no test leaves a task behind."""

from __future__ import annotations

import asyncio
import atexit
import gc
import inspect
import os
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import execnet
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings
from redis.asyncio import Redis
from xdist.remote import Producer

import app  # noqa: F401  # keeps onnxruntime from reporting, before a test imports it
from infra.store import connect
from tests.background import step_back
from tests.forks import Forks
from tests.lanes import LEFT_OUT, UNTIL_S, Lanes, deal_in_order
from tests.servers import StoreServer, valkey
from tests.workers import fork_from_template
from tts_queue.virtual_time import runner

settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")  # a test is not timed: the machine may be busy

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


def pytest_configure(config: pytest.Config) -> None:
    """End a process that runs beside others without the interpreter's own end, as tests/__main__.py does."""
    if hasattr(config, "workerinput"):
        atexit.register(os._exit, 0)  # registered first, so done last


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Skip what `make check` has no time for."""
    if time.time() > UNTIL_S:
        pytest.skip("the time of `make check` is over: `make test` runs this one")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if hasattr(config, "workerinput") and UNTIL_S == float("inf"):
        deal_in_order(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config, specs: Sequence[execnet.XSpec]) -> None:
    fork_from_template(config, specs)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Lanes:
    config.option.loadscopereorder = False
    return Lanes(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Spare the collector what was imported: a look at all of it takes half a second, and tests ask for one.

    Who computes in the background steps back from here on: all wait for each other's list of tests.
    """
    gc.collect()
    gc.freeze()
    if hasattr(session.config, "workerinput"):
        step_back(session.config.workerinput)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    left_out = config.stash.get(LEFT_OUT, set())
    if left_out:
        terminalreporter.write_line(
            f"{len(left_out)} test files were not begun in time: `make test` runs them"
        )


@pytest.fixture
def virtual() -> Iterator[asyncio.Runner]:
    """Yield a runner whose clock jumps; fail if the scene left a task behind."""
    with runner() as on_virtual_time:
        yield on_virtual_time
        left = asyncio.all_tasks(on_virtual_time.get_loop())
        assert not left, f"tasks left behind: {[task.get_name() for task in left]}"


@pytest_asyncio.fixture
async def task_watch() -> AsyncIterator[None]:
    """Fail an async test that ends while a task of its own still runs."""
    before = asyncio.all_tasks()
    yield
    left = [task for task in asyncio.all_tasks() - before if task is not asyncio.current_task()]
    names = [task.get_name() for task in left if not task.done()]
    assert not names, f"tasks left behind: {names}"


@pytest.fixture(autouse=True)
def no_task_left_behind(request: pytest.FixtureRequest) -> None:
    """Watch every async test; a sync one has no loop, or (with a browser) one that is not ours."""
    if inspect.iscoroutinefunction(getattr(request, "function", None)):
        request.getfixturevalue("task_watch")


@pytest.fixture
def shared() -> Path:
    """Return the folder of shared reference data, or skip where a checkout has none."""
    if not SHARED.is_dir():
        pytest.skip("the reference data folder beside the checkout is absent")
    return SHARED


@pytest.fixture(scope="session")
def forks() -> Iterator[Forks]:
    """What runs `python -m …` without importing it anew each time."""
    running = Forks()
    yield running
    running.end()


@pytest.fixture(scope="session")
def store_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoreServer]:
    """One store for all tests that do not stop it."""
    with valkey(tmp_path_factory.mktemp("store")) as server:
        yield server


@pytest_asyncio.fixture
async def store(store_server: StoreServer) -> AsyncIterator[Redis]:
    """A client of an empty store."""
    client = connect(store_server.url)
    await client.flushall()
    yield client
    await client.aclose()
