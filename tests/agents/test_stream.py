from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from agents.stream import EventType, LLMMetadata, StreamEvent, TokenContext, TokenType, TurnMark

IDS = {"thread_id": "t-1", "trace_id": "r-1", "session_id": "s-1"}


@given(
    data=st.text(),
    token_type=st.sampled_from(TokenType),
    seq=st.integers(min_value=0, max_value=2**53),
    agent_id=st.none() | st.text(),
    turn=st.none() | st.integers(1, 1_000),
    source_ms=st.integers(-(10**6), 10**9),
)
def test_every_event_survives_the_wire(
    data: str, token_type: TokenType, seq: int, agent_id: str | None, turn: int | None, source_ms: int
) -> None:
    event = StreamEvent(
        type=EventType.TOKEN,
        data=data,
        token_type=token_type,
        seq=seq,
        agent_id=agent_id,
        turn=turn,
        source_ms=source_ms,
        **IDS,
    )
    assert StreamEvent.from_wire(event.to_wire()) == event
    assert "\n" not in event.to_wire()


def test_names_on_the_wire_are_camel_case() -> None:
    event = StreamEvent(type=EventType.METADATA, mark=TurnMark.TURN_END, seq=3, run_id="r", **IDS)
    assert json.loads(event.to_wire()) == {
        "v": 1,
        "type": "METADATA",
        "data": "",
        "threadId": "t-1",
        "traceId": "r-1",
        "sessionId": "s-1",
        "seq": 3,
        "runId": "r",
        "mark": "TURN_END",
        "sourceMs": 0,
    }


@pytest.mark.parametrize("lacking", ["threadId", "traceId", "sessionId", "seq", "type"])
def test_an_event_without_its_ids_is_refused(lacking: str) -> None:
    whole = json.loads(StreamEvent(type=EventType.END, seq=0, **IDS).to_wire())
    with pytest.raises(ValidationError):
        StreamEvent.model_validate({name: value for name, value in whole.items() if name != lacking})


@pytest.mark.parametrize(
    "changed",
    [
        {"thread_id": ""},
        {"seq": -1},
        {"v": 2},
        {"type": "SOMETHING"},
        {"mark": "TURN_END"},
        {"type": "END", "token_type": "LLM_RESPONSE"},
        {"surprise": 1},
    ],
)
def test_an_event_that_makes_no_sense_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        StreamEvent.model_validate({"type": "TOKEN", "seq": 0, **IDS, **changed})


def test_an_event_can_not_be_changed() -> None:
    event = StreamEvent(type=EventType.END, seq=0, **IDS)
    with pytest.raises(ValidationError):
        event.seq = 1  # type: ignore[misc]


def test_two_markers_in_three_contexts_are_the_six_token_types() -> None:
    found = {
        TokenType.of(context, thinking=thinking) for context in TokenContext for thinking in (True, False)
    }
    assert found == set(TokenType)
    assert TokenType.of(TokenContext.FINAL_SYNTHESIS, thinking=True) is TokenType.FINAL_SYNTHESIS_LLM_THINKING


def test_a_source_that_marks_nothing_writes_responses() -> None:
    assert TokenType.of() is TokenType.LLM_RESPONSE
    assert TokenType.of(TokenContext.AGENT_THOUGHT) is TokenType.AGENT_THOUGHT_LLM_RESPONSE


@pytest.mark.parametrize(
    ("name", "context"),
    [
        ("AGENT_THOUGHT", TokenContext.AGENT_THOUGHT),
        ("planning", TokenContext.AGENT_THOUGHT),
        ("Execution", TokenContext.AGENT_THOUGHT),
        ("synthesis", TokenContext.FINAL_SYNTHESIS),
        ("final_synthesis", TokenContext.FINAL_SYNTHESIS),
        ("something of its own", TokenContext.OTHER),
        ("", TokenContext.OTHER),
        (None, TokenContext.OTHER),
    ],
)
def test_a_context_is_known_by_its_later_names_too(name: str | None, context: TokenContext) -> None:
    assert TokenContext.named(name) is context


def test_what_a_provider_says_of_its_usage_is_bounded() -> None:
    assert LLMMetadata(provider_raw_usage={"x": "y" * 1_900}).provider_raw_usage
    with pytest.raises(ValidationError, match="at most 2000"):
        LLMMetadata(provider_raw_usage={"x": "y" * 2_000})
