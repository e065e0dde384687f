from __future__ import annotations

import pytest
from redis.asyncio import Redis

from agents.stream import EventType, LLMMetadata, Progress, ProgressKind, StreamEvent, TokenType, TurnMark
from agents.streaming.sockets import ObservationType
from infra.keys import SessionKeys
from infra.observations import read_observations
from infra.streams import SessionStreams
from tests.infra.making import taken

pytestmark = pytest.mark.real

SAID = "The potassium is 6.9 mmol/L."


def event(seq: int, kind: EventType, **fields: object) -> StreamEvent:
    ids = {"thread_id": "t", "trace_id": "case", "session_id": "s", "agent_id": "doctor0", "turn": 1}
    return StreamEvent.model_validate({**ids, "type": kind, "seq": seq, **fields})


async def test_what_was_observed_is_read_from_the_log_by_whoever_comes_later(
    store: Redis, keys: SessionKeys
) -> None:
    streams, fence = SessionStreams(store, keys), await taken(store, keys, "reason")
    cost = LLMMetadata(output_tokens=7, trace_id="call-1")
    failed = Progress(kind=ProgressKind.FAILED, agents=("doctor0",), text="rate_limited")
    words = [
        event(seq, EventType.TOKEN, data=SAID, token_type=TokenType.AGENT_THOUGHT_LLM_RESPONSE)
        for seq in range(1, 1_200)
    ]
    rest = [
        event(1_200, EventType.METADATA, llm=cost),
        event(1_201, EventType.METADATA, progress=failed),
        event(1_202, EventType.METADATA, mark=TurnMark.TURN_END),
        event(1_203, EventType.END, agent_id=None, turn=None),
    ]
    await streams.append_events(
        [event(0, EventType.METADATA, mark=TurnMark.TURN_START), *words, *rest], fence
    )
    logged = await streams.read_events(count=2_000)
    found = await read_observations(SessionStreams(store, keys))
    assert [each.type for each in found] == [
        ObservationType.LLM_STREAM_START,
        ObservationType.LLM_STREAM_METADATA,
        ObservationType.LLM_STREAM_ERROR,
        ObservationType.LLM_STREAM_END,
    ]
    assert (found[1].llm, found[1].trace_id, found[2].text) == (cost, "call-1", "rate_limited")
    assert [each.at_ms for each in found[-2:]] == [entry.at_ms for entry in logged[-3:-1]]
    assert len({each.observation_id for each in found}) == len(found)
    assert SAID not in repr(found)
    assert await read_observations(SessionStreams(store, keys)) == found
    assert await read_observations(SessionStreams(store, keys), most=2) == found[-2:]
