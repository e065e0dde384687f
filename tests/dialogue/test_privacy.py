"""No word of a question leaves the machine, whatever the environment asks LangChain's libraries to do."""

from __future__ import annotations

import socket

import pytest

from agents.dialogue import Dialogue, Question


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> socket.socket:
    """A tracing service that the environment names, listening on loopback."""
    listening = socket.create_server(("127.0.0.1", 0))
    listening.settimeout(1.5)  # LangSmith sends its batches each second
    monkeypatch.setenv("LANGSMITH_TRACING", "true")
    monkeypatch.setenv("LANGCHAIN_TRACING_V2", "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "none")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{listening.getsockname()[1]}")
    return listening


async def test_a_question_is_traced_nowhere(service: socket.socket) -> None:
    question = Question("t-1", "Any allergies?", None, None, 0)
    answer = await Dialogue(thread_id="t", paper=None).answer(question)
    assert not answer.found
    with service, pytest.raises(TimeoutError):
        service.accept()
