"""One call of a model as events, by a model of LangChain's own kind that is told what to answer."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import aclosing
from itertools import count
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

from agents.stream import EventType, LLMMetadata, TokenContext, TokenType
from agents.streaming import CallEvent, CallOptions, stream_call
from chat_models.errors import CutShort, Overdue, Refused, Unavailable
from tests.agents.models import Fault, ScriptedModel, Silence, chunk, ended
from tests.conftest import ROOT

THOUGHT = "The potassium is 7.9 mmol/L. Start alteplase 50 mg."
SAID = "I agree with the cardiologist."
ASK = [("human", "What do you think?")]
THINKING, RESPONSE = TokenType.AGENT_THOUGHT_LLM_THINKING, TokenType.AGENT_THOUGHT_LLM_RESPONSE


async def called(
    *steps: Any, stream: bool = True, context: TokenContext = TokenContext.AGENT_THOUGHT, **options: Any
) -> list[CallEvent]:
    model = ScriptedModel(scripts=[list(steps)])
    found = CallOptions(stream=stream, context=context, **options)
    async with aclosing(stream_call(model, ASK, found)) as call:
        return [event async for event in call]


def text_of(events: Sequence[CallEvent], token_type: TokenType) -> str:
    return "".join(event.text for event in events if event.token_type is token_type)


def types(events: Sequence[CallEvent]) -> list[EventType]:
    return [event.type for event in events]


def metadata_of(events: Sequence[CallEvent]) -> LLMMetadata:
    [found] = [event.llm for event in events if event.llm is not None]
    return found


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    "steps",
    [
        [f"<think>{THOUGHT}</think>", SAID, ended()],
        [*f"<think>{THOUGHT}</think>{SAID}", ended()],
        [*f"<think>{THOUGHT[:28]}<think>{THOUGHT[28:]}</think></think>{SAID}", ended()],
        [SAID, "<thinking>", THOUGHT, ended()],
        [chunk(reasoning_content=THOUGHT), chunk(SAID), ended()],
        [chunk(reasoning=THOUGHT), chunk(SAID), ended()],
        [
            chunk([{"type": "thinking", "thinking": THOUGHT, "index": 0}]),
            chunk([{"type": "text", "text": SAID}]),
        ],
        [chunk([{"type": "reasoning", "reasoning": THOUGHT}]), chunk([{"type": "text", "text": SAID}])],
        [
            chunk([{"type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT}]}]),
            chunk([{"type": "text", "text": SAID}]),
        ],
    ],
    ids=[
        "tags",
        "each letter",
        "nested",
        "never closed",
        "reasoning_content",
        "reasoning",
        "thinking block",
        "reasoning block",
        "summary",
    ],
)
async def test_thinking_is_apart_from_response_in_each_form(steps: list[Any], stream: bool) -> None:
    events = await called(*steps, stream=stream)
    assert text_of(events, RESPONSE) == SAID
    assert text_of(events, THINKING) == THOUGHT
    assert types(events)[-1] is EventType.END
    assert EventType.ERROR not in types(events)


@pytest.mark.parametrize("context", list(TokenContext))
async def test_the_types_are_two_kinds_of_words_by_three_contexts(context: TokenContext) -> None:
    events = await called(f"<think>{THOUGHT}</think>{SAID}", ended(), context=context)
    found = {event.token_type for event in events if event.type is EventType.TOKEN}
    assert found == {TokenType.of(context, thinking=True), TokenType.of(context)}


async def test_a_model_that_marks_nothing_writes_responses() -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage(SAID)]))
    events = [event async for event in stream_call(model, ASK, CallOptions())]
    assert text_of(events, TokenType.LLM_RESPONSE) == SAID
    assert types(events)[-1] is EventType.END


@pytest.mark.parametrize("stream", [True, False])
async def test_the_end_comes_last_and_once_and_metadata_once(stream: bool) -> None:
    events = await called(SAID, ended(tokens=(31, 7), thinking=3), stream=stream)
    assert types(events)[-2:] == [EventType.METADATA, EventType.END]
    assert types(events).count(EventType.END) == types(events).count(EventType.METADATA) == 1
    told = metadata_of(events)
    assert (told.input_tokens, told.output_tokens, told.thinking_tokens) == (31, 7, 3)
    assert (told.stop_reason, told.model) == ("stop", "scripted-1")
    assert told.trace_id


async def test_a_whole_answer_is_one_token() -> None:
    events = await called("I ", "agree.", ended(), stream=False)
    assert [event.text for event in events if event.type is EventType.TOKEN] == ["I agree."]


async def test_what_nobody_says_is_absent_and_no_zero() -> None:
    told = metadata_of(await called(SAID, ended()))
    assert told.input_tokens is told.output_tokens is told.thinking_tokens is None


async def test_times_are_of_the_clock_that_is_given() -> None:
    ticks = count()
    model = ScriptedModel(scripts=[[SAID, ended()]])
    call = stream_call(model, ASK, CallOptions(), now_s=lambda: float(next(ticks)))
    told = metadata_of([event async for event in call])
    assert (told.time_to_first_token_ms, told.total_generation_time_ms) == (1_000, 2_000)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("at", [0, 1])
async def test_a_failure_is_one_error_before_the_end(at: int, stream: bool) -> None:
    events = await called(*["Some words. "][:at], Fault(ConnectionError("refused")), stream=stream)
    assert types(events)[-2:] == [EventType.ERROR, EventType.END]
    assert types(events).count(EventType.END) == types(events).count(EventType.ERROR) == 1
    assert isinstance(events[-2].error, Unavailable)
    assert text_of(events, RESPONSE) == ("Some words. " if at and stream else "")


async def test_a_stream_that_only_stops_is_cut_short() -> None:
    from langchain_core.messages import AIMessageChunk

    begun = AIMessageChunk(content="Start", response_metadata={"model_provider": "scripted"})
    events = await called(begun)
    assert isinstance(events[-2].error, CutShort)


async def test_a_filtered_answer_is_a_refusal() -> None:
    events = await called("I can", ended("content_filter"))
    assert isinstance(events[-2].error, Refused)


def test_silence_and_the_deadline_end_a_call(virtual: asyncio.Runner) -> None:
    silent = virtual.run(called("One. ", Silence(10.0), "Two.", ended(), silence_s=9.0))
    late = virtual.run(called(*["x", Silence(1.0)] * 10, ended(), deadline_s=5.0))
    for events, words in ((silent, "One. "), (late, "xxxxx")):
        assert isinstance(events[-2].error, Overdue)
        assert text_of(events, RESPONSE) == words
    assert EventType.ERROR not in types(
        virtual.run(called("One. ", Silence(8.0), "Two.", ended(), silence_s=9.0))
    )


async def test_thoughts_are_told_of_agents_only_and_a_listener_that_fails_harms_nothing() -> None:
    heard: list[str] = []
    await called(f"<think>{THOUGHT}</think>{SAID}", ended(), on_thought=heard.append)
    assert "".join(heard) == THOUGHT + SAID
    await called(SAID, ended(), context=TokenContext.FINAL_SYNTHESIS, on_thought=heard.append)
    await called(SAID, ended(), context=TokenContext.OTHER, on_thought=heard.append)
    assert "".join(heard) == THOUGHT + SAID

    def fails(_: str) -> None:
        raise RuntimeError("not ours")

    assert text_of(await called(SAID, ended(), on_thought=fails), RESPONSE) == SAID


async def test_who_leaves_a_call_closes_its_stream() -> None:
    model = ScriptedModel(scripts=[["One. ", Silence(3_600.0), "Two."]])
    async with aclosing(stream_call(model, ASK, CallOptions())) as call:
        assert (await anext(call)).text == "One. "
    await asyncio.sleep(0)
    assert model.closed == 1


async def test_a_cancelled_reader_closes_its_stream() -> None:
    model = ScriptedModel(scripts=[["One. ", Silence(3_600.0), "Two."]])
    begun = asyncio.Event()

    async def read() -> None:
        async with aclosing(stream_call(model, ASK, CallOptions())) as call:
            async for _ in call:
                begun.set()

    task = asyncio.create_task(read())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert model.closed == 1


async def test_calls_of_tools_are_no_words_and_come_with_the_end() -> None:
    from langchain_core.messages import AIMessageChunk
    from langchain_core.messages.tool import tool_call_chunk

    pieces = [
        AIMessageChunk(
            content="", tool_call_chunks=[tool_call_chunk(name="ask", args='{"who": ', id="1", index=0)]
        ),
        AIMessageChunk(content="", tool_call_chunks=[tool_call_chunk(args='"lab"}', index=0)]),
    ]
    events = await called(*pieces, ended("tool_calls"))
    assert EventType.TOKEN not in types(events)
    assert [(call["name"], call["args"]) for call in events[-1].tool_calls] == [("ask", {"who": "lab"})]


TRACED = """
import asyncio
from langsmith.utils import tracing_is_enabled
from agents.streaming import CallOptions, stream_call
from tests.agents.models import ScriptedModel, ended


class Told(ScriptedModel):
    async def _astream(self, messages, stop=None, run_manager=None, **kwargs):
        print("traced:", tracing_is_enabled())  # where LangChain has just chosen its tracers by it
        async for piece in super()._astream(messages):
            yield piece


async def main():
    async for _ in stream_call(Told(scripts=[["x", ended()]]), [("human", "?")], CallOptions()):
        pass


asyncio.run(main())
"""


def test_nothing_is_traced_to_a_third_party_whatever_the_environment_says() -> None:
    environ = {**os.environ, "LANGSMITH_TRACING": "true", "LANGSMITH_API_KEY": "no", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", TRACED], capture_output=True, text=True, check=False, timeout=60, env=environ
    )
    assert done.stdout == "traced: False\n", done.stderr
