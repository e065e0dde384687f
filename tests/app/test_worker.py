"""What a voice's end leaves in the log: why, and no word of the case."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import time
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from typing import cast

import pytest
from livekit.agents import AgentServer

from app.voice import NotOurs
from app.worker import FAILED, Seats, close, ended, hand_over
from infra.errors import StoreUnavailable

CASE_WORDS = "potassium 6.8"


async def voice(error: Exception | None = None) -> str:
    """Be a voice that ends so."""
    if error is not None:
        raise error
    return "completed"


async def test_a_voice_that_ends_well_says_why() -> None:
    assert await ended("s-1", voice()) == "completed"
    assert await ended("s-1", voice(NotOurs("another worker is its voice"))) == "another worker is its voice"


async def test_a_mistake_of_ours_is_logged_without_its_words(caplog: pytest.LogCaptureFixture) -> None:
    assert await ended("s-1", voice(KeyError(CASE_WORDS))) == FAILED
    assert "the voice of s-1 ends early" in caplog.text
    assert "KeyError at worker.py:" in caplog.text
    assert "test_worker.py:" in caplog.text
    assert CASE_WORDS not in caplog.text


async def test_a_failure_with_a_name_is_logged_as_what_it_is(caplog: pytest.LogCaptureFixture) -> None:
    grouped = ExceptionGroup("of the session", [StoreUnavailable("reading")])
    assert await ended("s-1", voice(ExceptionGroup("of the queue", [grouped]))) == FAILED
    assert "the store did not answer in time" in caplog.text
    assert "mistake" not in caplog.text


def late_to_listen() -> None:
    """Be a job that takes note of SIGTERM half a second after it began, and then ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    time.sleep(0.5)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    time.sleep(60.0)


@pytest.fixture
def job() -> Iterator[BaseProcess]:
    process = multiprocessing.get_context("fork").Process(target=late_to_listen, name="job_proc")
    process.start()
    yield process
    process.kill()
    process.join()


class OneJob:
    """A server with one process, whose job is yet to be launched; closed, it leaves the process."""

    active_jobs: tuple[str, ...] = ()

    def __init__(self, job: BaseProcess) -> None:
        self._job = job

    async def drain(self, timeout: float) -> None:
        async with asyncio.timeout(timeout):
            while self._job.is_alive():
                await asyncio.sleep(0.02)

    async def aclose(self) -> None:
        """Do as the framework does if it is cancelled while it starts."""


async def test_a_job_that_has_just_begun_or_is_on_its_way_is_told_that_the_worker_ends(
    job: BaseProcess,
) -> None:
    seats = Seats(1, tuple, taking=1)
    async with asyncio.timeout(3.0):
        await hand_over(cast("AgentServer", OneJob(job)), seats)
    assert job.exitcode == -signal.SIGTERM


async def test_a_process_that_waits_for_a_job_outlives_no_worker(job: BaseProcess) -> None:
    await close(cast("AgentServer", OneJob(job)))
    await asyncio.to_thread(job.join, 5.0)
    assert job.exitcode == -signal.SIGKILL
