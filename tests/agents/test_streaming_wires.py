"""What services send, read by the real clients from strict twins of their wires, as one call's events."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

from agents.stream import EventType, TokenContext, TokenType
from agents.streaming import CallEvent, CallOptions, ChatModel, stream_call
from chat_models import (
    CutShort,
    LLMRole,
    Provider,
    Registry,
    Unavailable,
    read_models,
)
from chat_models.config import KEY_VARIABLE, MODEL_VARIABLE
from tests.twins.anthropic_twin import anthropic_twin
from tests.twins.google_twin import google_twin
from tests.twins.groq_twin import groq_twin
from tests.twins.openai_twin import openai_twin
from tests.twins.responses_twin import responses_twin
from tests.twins.script import KEY, MODEL, THOUGHT_TOKENS, USAGE, Answer, Cut, Script, Stall

pytestmark = [
    # As in tests/exaim_core/test_llm_wire.py: Google's client derives from aiohttp's session.
    pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:coroutine 'ClientResponse.json':RuntimeWarning"),
    pytest.mark.filterwarnings("ignore:.*ClientResponse.json:pytest.PytestUnraisableExceptionWarning"),
]
THOUGHT = "The potassium is 7.9 mmol/L. Start alteplase 50 mg."
SAID = "I agree with the cardiologist."
ASK = [("system", "You are a doctor."), ("human", "What do you think?")]
OPTIONS = CallOptions(context=TokenContext.AGENT_THOUGHT)

Twin = Callable[[Script], AbstractAsyncContextManager[str]]


@dataclass(frozen=True)
class Wire:
    """One service: its twin, its client, and where its thinking goes."""

    twin: Twin
    provider: Provider | None = None
    thinks: str = "apart"  # or "tags", or "never"
    counts_thinking: bool = True
    begins_with_words: bool = True


WIRES = {
    "openai chat": Wire(openai_twin, Provider.OPENAI, thinks="never"),
    "openai responses": Wire(responses_twin, begins_with_words=False),
    "anthropic": Wire(anthropic_twin, counts_thinking=False),
    "gemini": Wire(google_twin, Provider.GOOGLE),
    "groq": Wire(groq_twin, Provider.GROQ),
    "groq, raw": Wire(groq_twin, Provider.GROQ, thinks="tags", counts_thinking=False),
    "deepseek": Wire(partial(openai_twin, thought_in=("reasoning_content",)), Provider.OPENAI),
    "vllm": Wire(partial(openai_twin, thought_in=("reasoning", "reasoning_content")), Provider.OPENAI),
    "vllm, counting up": Wire(
        partial(openai_twin, thought_in=("reasoning",), counts_up=True), Provider.OPENAI
    ),
    "vllm, no parser": Wire(openai_twin, Provider.OPENAI, thinks="tags", counts_thinking=False),
    "ollama": Wire(partial(openai_twin, thought_in=("reasoning",)), Provider.OPENAI),
}


@dataclass(frozen=True)
class Service:
    """A wire with its twin at work."""

    wire: Wire
    script: Script
    model: ChatModel

    def expect(self) -> None:
        match self.wire.thinks:
            case "apart":
                self.script.add(Answer(SAID, thought=THOUGHT))
            case "tags":
                self.script.add(Answer(f"<think>{THOUGHT}</think>{SAID}"))
            case _:
                self.script.add(Answer(SAID))


@asynccontextmanager
async def client_of(name: str, wire: Wire, address: str) -> AsyncIterator[ChatModel]:
    if name == "openai responses":
        own = ChatOpenAI(
            model=MODEL, api_key=KEY, base_url=address, use_responses_api=True, max_retries=0,
            reasoning={"summary": "auto"},
            stream_chunk_timeout=None,  # as our registry: with it, Python 3.11 may lose a cancellation (gh-86296)
        )  # fmt: skip
        yield own
        await own.root_async_client.close()
    elif name == "anthropic":
        thinking: Any = {"type": "enabled", "budget_tokens": 1_024}
        yield ChatAnthropic(
            model=MODEL, api_key=KEY, base_url=address, max_retries=0, thinking=thinking, max_tokens=2_048,
            timeout=None, stop=None,
        )  # fmt: skip
    else:
        assert wire.provider is not None
        environ = {
            "MAS_LLM_PROVIDER": wire.provider.value,
            f"{wire.provider.name}_BASE_URL": address,
            KEY_VARIABLE[wire.provider]: KEY,
            MODEL_VARIABLE[wire.provider]: MODEL,
        }
        registry = Registry(read_models(environ), environ)
        yield registry.get(LLMRole.MAS)
        await registry.aclose()


@pytest_asyncio.fixture(params=list(WIRES))
async def service(request: pytest.FixtureRequest) -> AsyncIterator[Service]:
    wire, script = WIRES[request.param], Script()
    async with wire.twin(script) as address, client_of(request.param, wire, address) as model:
        yield Service(wire, script, model)
        script.assert_finished()
    gc.collect()  # what the clients left to it warns here, not in another test


async def events_of(model: ChatModel, options: CallOptions = OPTIONS) -> list[CallEvent]:
    async with aclosing(stream_call(model, ASK, options)) as call:
        return [event async for event in call]


def text_of(events: list[CallEvent], *, thinking: bool) -> str:
    wanted = TokenType.of(TokenContext.AGENT_THOUGHT, thinking=thinking)
    return "".join(event.text for event in events if event.token_type is wanted)


@pytest.mark.parametrize("stream", [True, False])
async def test_thinking_is_apart_and_the_usage_is_counted_once(service: Service, stream: bool) -> None:
    service.expect()
    events = await events_of(service.model, CallOptions(context=TokenContext.AGENT_THOUGHT, stream=stream))
    assert [event.error for event in events if event.error] == []
    assert text_of(events, thinking=False).strip() == SAID
    assert text_of(events, thinking=True).strip() == ("" if service.wire.thinks == "never" else THOUGHT)
    [told] = [event.llm for event in events if event.llm is not None]
    assert (told.input_tokens, told.output_tokens) == USAGE
    counted = service.wire.counts_thinking and service.wire.thinks == "apart"
    assert told.thinking_tokens in ({THOUGHT_TOKENS} if counted else {None, 0})
    assert (told.stop_reason or "").lower() in {"stop", "end_turn", "completed"}
    assert [event.type for event in events].count(EventType.END) == 1
    assert events[-1].type is EventType.END


async def test_an_answer_that_a_limit_has_ended_is_known_as_cut(service: Service) -> None:
    service.script.add(Answer(SAID, cut=True))
    events = await events_of(service.model)
    [told] = [event.llm for event in events if event.llm is not None]
    assert told.is_cut and not [event for event in events if event.error]


async def test_words_come_as_they_are_written(service: Service) -> None:
    service.expect()
    events = await events_of(service.model)
    assert len([event for event in events if event.type is EventType.TOKEN]) >= len(SAID.split())


async def test_a_stream_that_breaks_off_is_one_error_and_the_end(service: Service) -> None:
    service.script.add(Cut("One two three"))
    events = await events_of(service.model)
    assert [event.type for event in events][-2:] == [EventType.ERROR, EventType.END]
    assert isinstance(events[-2].error, (CutShort, Unavailable))
    assert not text_of(events, thinking=True)


async def test_who_leaves_closes_the_services_connection(service: Service) -> None:
    stalled = Stall("One two three", asyncio.Event())
    service.script.add(stalled)
    async with asyncio.timeout(5.0), aclosing(stream_call(service.model, ASK, OPTIONS)) as call:
        if service.wire.begins_with_words:
            assert (await anext(call)).text == "One"
        else:
            reading = asyncio.create_task(anext(call))
            while not service.script.requests:
                await asyncio.sleep(0.01)
            reading.cancel()
            await asyncio.wait({reading})
    async with asyncio.timeout(5.0):  # and not only at the end of its own deadline
        await stalled.gone.wait()
