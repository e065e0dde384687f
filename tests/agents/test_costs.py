"""What models cost, counted once whichever way it is told."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessageChunk

from agents.costs import MOST_AGENTS, MOST_CALLS, OTHERS, Costs, Spent, merged
from agents.stream import EventType, LLMMetadata, TeamEvent
from exaim_live.usage import Usage


def told(seq: int, agent: str = "a", **llm: object) -> TeamEvent:
    metadata = LLMMetadata.model_validate(llm)
    return TeamEvent(type=EventType.METADATA, seq=seq, agent_id=agent, llm=metadata)


def piece(tokens: tuple[int, int] | None, reasoning: int | None = None) -> AIMessageChunk:
    if tokens is None:
        return AIMessageChunk(content="x")
    details = {} if reasoning is None else {"reasoning": reasoning}
    usage = {
        "input_tokens": tokens[0],
        "output_tokens": tokens[1],
        "total_tokens": sum(tokens),
        "output_token_details": details,
    }
    return AIMessageChunk(content="x", usage_metadata=usage)


@pytest.mark.parametrize(
    "pieces",
    [
        [None, None, (31, 7)],
        [(31, 1), (31, 4), (31, 7)],
        [(31, 1), (0, 3), (0, 3)],
        [(31, 0), (0, 7)],
        [(31, 7), (31, 7)],
    ],
    ids=["once", "counting up", "what is new", "in and out apart", "the same twice"],
)
def test_the_usage_of_a_stream_is_merged_and_never_summed_twice(pieces: list[tuple[int, int] | None]) -> None:
    usage = Usage()
    for each in pieces:
        usage = usage.after(piece(each))
    assert (usage.counts.input, usage.counts.output, usage.counts.thinking) == (31, 7, None)


def test_several_metadata_of_one_call_take_each_others_place() -> None:
    costs = Costs()
    assert costs.take(told(0, trace_id="c1", input_tokens=31, output_tokens=2, time_to_first_token_ms=90))
    assert costs.take(told(1, trace_id="c1", output_tokens=7, time_to_first_token_ms=400))
    assert costs.take(told(2, trace_id="c2", output_tokens=1))
    assert not costs.take(TeamEvent(type=EventType.TOKEN, data="x", seq=3))
    assert costs.by_agent() == {"a": Spent(2, 31, 8, None, None)}


def test_merging_keeps_the_first_time_and_the_last_counts() -> None:
    found = merged(
        [
            LLMMetadata(time_to_first_token_ms=90, output_tokens=2),
            LLMMetadata(time_to_first_token_ms=400, output_tokens=7, stop_reason="stop"),
            LLMMetadata(),
        ]
    )
    assert found == LLMMetadata(time_to_first_token_ms=90, output_tokens=7, stop_reason="stop")


def test_what_nobody_said_is_no_zero_and_calls_without_an_id_are_calls_of_their_own() -> None:
    costs = Costs()
    costs.take(told(0, stop_reason="stop"))
    costs.take(told(1, output_tokens=3))
    assert costs.total() == Spent(2, None, 3, None, None)


def test_old_calls_are_folded_and_many_agents_share_a_place() -> None:
    costs = Costs()
    for seq in range(MOST_CALLS + 50):
        costs.take(told(seq, f"agent {seq % (MOST_AGENTS + 9)}", trace_id=f"c{seq}", output_tokens=1))
    assert costs.total() == Spent(MOST_CALLS + 50, None, MOST_CALLS + 50, None, None)
    assert len(costs.by_agent()) <= MOST_AGENTS + 1
    assert OTHERS in costs.by_agent()
