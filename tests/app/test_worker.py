"""What a voice's end leaves in the log: why, and no word of the case."""

from __future__ import annotations

import pytest

from app.voice import NotOurs
from app.worker import FAILED, ended
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
