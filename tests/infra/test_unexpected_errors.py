"""A mistake of this program is told by its type, stays where it came up, and ends no loop for good."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re

import pytest

from infra.errors import CorruptSession, StoreError, StoreUnavailable
from infra.unexpected_errors import RestartedLoop, UnexpectedError, contained

CASE_WORDS = "potassium 6.8"


def test_what_is_expected_passes_as_it_is() -> None:
    with pytest.raises(StoreUnavailable), contained(StoreError):
        raise StoreUnavailable("a test")
    grouped = ExceptionGroup("a test", [StoreUnavailable("a test"), CorruptSession("a key", "a test")])
    with pytest.raises(ExceptionGroup) as passed, contained(StoreError):
        raise grouped
    assert passed.value is grouped


def test_anything_else_is_told_by_type_and_place_alone() -> None:
    with (
        pytest.raises(UnexpectedError, match=r"KeyError at test_unexpected_errors\.py:\d+") as told,
        contained(StoreError),
    ):
        raise KeyError(CASE_WORDS)
    assert told.value.kind == "KeyError"
    assert CASE_WORDS not in str(told.value)


def test_the_place_is_in_our_code_however_deep_in_a_library_it_came_up() -> None:
    def bad(_: object) -> None:
        raise KeyError(CASE_WORDS)

    with pytest.raises(UnexpectedError) as told, contained(StoreError):
        json.loads("[" * 3 + "{}" + "]" * 3, object_hook=bad)
    assert re.search(
        r"KeyError at test_unexpected_errors\.py:\d+ > test_unexpected_errors\.py:\d+$", str(told.value)
    )


def test_of_a_group_what_was_not_expected_is_told() -> None:
    with pytest.raises(UnexpectedError, match="ZeroDivisionError") as told, contained(StoreError):
        raise ExceptionGroup(CASE_WORDS, [StoreUnavailable("a test"), ZeroDivisionError(CASE_WORDS)])
    assert CASE_WORDS not in str(told.value)


def test_a_cancellation_is_no_mistake() -> None:
    with pytest.raises(asyncio.CancelledError), contained():
        raise asyncio.CancelledError


def test_a_loop_begins_again_after_longer_and_longer_pauses_and_says_why_meanwhile(
    virtual: asyncio.Runner, caplog: pytest.LogCaptureFixture
) -> None:
    begun_s: list[float] = []

    async def mistaken() -> None:
        begun_s.append(asyncio.get_running_loop().time())
        if len(begun_s) == 5:  # well for so long that the row is over
            await asyncio.sleep(60.0)
        raise KeyError(CASE_WORDS)

    async def scene() -> list[str | None]:
        loop = RestartedLoop("watcher", mistaken)
        told = [loop.problem]
        task = asyncio.create_task(loop.forever())
        for at_s in (0.5, 20.0, 74.5, 76.5):
            await asyncio.sleep(at_s - asyncio.get_running_loop().time())
            told.append(loop.problem)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        return told

    told = virtual.run(scene())
    assert begun_s == [0.0, 1.0, 3.0, 7.0, 15.0, 76.0]
    assert [each is None for each in told] == [True, False, True, True, False]
    assert "KeyError" in str(told[1]) and "1 s" in str(told[1]) and "2 s" in str(told[4])
    assert "the watcher begins again in 8 s" in caplog.text
    assert CASE_WORDS not in caplog.text
