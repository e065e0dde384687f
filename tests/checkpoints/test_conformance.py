from __future__ import annotations

from collections.abc import AsyncGenerator

from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.checkpoint.conformance.capabilities import Capability
from redis.asyncio import Redis

from infra.checkpoints import RedisSaver
from infra.checkpoints.scripts import Client

ALL_TESTS = 81  # of langgraph-checkpoint-conformance 0.0.2, in 8 capabilities


async def conforms(client: Client) -> None:
    """Run LangGraph's own suite: what is not detected is skipped by it, and must not be."""

    @checkpointer_test(name="RedisSaver")
    async def fresh() -> AsyncGenerator[RedisSaver, None]:
        yield RedisSaver(client)

    report = await validate(fresh)
    assert [failure for result in report.results.values() for failure in result.failures] == []
    assert {name for name, result in report.results.items() if result.detected} == set(Capability)
    assert sum(result.tests_passed for result in report.results.values()) == ALL_TESTS


async def test_langgraphs_suite_passes_whole_on_the_embedded_store(store: Redis) -> None:
    await conforms(store)
