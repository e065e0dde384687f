"""Anthropic by the registry: asked as its service wants it, and let go of with its own connections only."""

from __future__ import annotations

import asyncio

import pytest

from chat_models import (
    CallLimits,
    LLMRole,
    MissingKey,
    ModelCaller,
    Registry,
    lacks,
    read_models,
    read_teams,
)
from tests.twins.anthropic_twin import anthropic_twin
from tests.twins.script import KEY, MODEL, Answer, Script, Stall

ASK = [("system", "Answer."), ("human", "ready?")]


def environ(address: str) -> dict[str, str]:
    return {
        "MAS_LLM_PROVIDER": "anthropic",
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_MODEL": MODEL,
    }


async def test_a_model_of_anthropics_answers_and_its_socket_is_closed_when_left() -> None:
    stalled = Stall("ready to go", asyncio.Event())
    script = Script(Answer("ready"), stalled)
    async with anthropic_twin(script) as address:
        known = environ(address)
        registry = Registry(read_models(known), known)
        model = registry.get(LLMRole.MAS)
        caller = ModelCaller(model, limits=CallLimits(deadline_s=20.0, tries=1))
        assert await caller.text(ASK) == "ready"
        left = asyncio.create_task(caller.text(ASK))
        while len(script.requests) < 2:
            await asyncio.sleep(0.01)
        left.cancel()
        async with asyncio.timeout(5.0):
            await stalled.gone.wait()
        await asyncio.wait({left})
        await registry.aclose()
    script.assert_finished()
    assert script.requests[0]["system"] == "Answer."


async def test_closing_one_registry_leaves_the_models_of_another() -> None:
    script = Script(Answer("one"), Answer("two"))
    async with anthropic_twin(script) as address:
        known = environ(address)
        first, second = (Registry(read_models(known), known) for _ in range(2))
        for registry, said in ((first, "one"), (second, "two")):
            caller = ModelCaller(registry.get(LLMRole.MAS), limits=CallLimits(deadline_s=20.0, tries=1))
            assert await caller.text(ASK) == said
            await registry.aclose()


def test_without_a_key_it_is_named_and_not_offered() -> None:
    known = {"MAS_LLM_PROVIDER": "anthropic"}
    with pytest.raises(MissingKey, match="ANTHROPIC_API_KEY"):
        Registry(read_models(known), known).get(LLMRole.MAS)
    [spec] = read_teams(known).values()
    assert (lacks(spec, known), spec.host) == ("ANTHROPIC_API_KEY", "api.anthropic.com")
    assert read_teams({}) == {}, "what nobody has configured is not offered"
