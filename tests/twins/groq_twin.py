"""A twin of Groq's chat completions: POST /openai/v1/chat/completions.

Its messages are built with `groq.types.chat` (the installed client's own types, generated from Groq's OpenAPI
description). Unlike OpenAI's, the usage of a stream comes under `x_groq` with the last chunk, and structured
answers come as a call of a function. Thinking comes in `reasoning` where the request asks for it parsed.
Source of the fields that Groq refuses: its page "OpenAI compatibility".
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from groq.types import CompletionUsage
from groq.types.chat import (
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionMessage,
    ChatCompletionMessageToolCall,
)
from groq.types.chat.chat_completion import Choice
from groq.types.chat.chat_completion_chunk import Choice as ChunkChoice
from groq.types.chat.chat_completion_chunk import ChoiceDelta, XGroq
from groq.types.chat.chat_completion_message_tool_call import Function
from groq.types.chat.completion_create_params import CompletionCreateParams
from groq.types.completion_usage import CompletionTokensDetails

from tests.twins.openai_like import Turn, chat_twin, check, wanted_tool
from tests.twins.script import (
    MODEL,
    THOUGHT_TOKENS,
    USAGE,
    Answer,
    Refusal,
    Script,
    is_cut,
    thought_of,
    words,
)

REFUSED_FIELDS = {"logprobs", "logit_bias", "top_logprobs"}
FIELDS = set(CompletionCreateParams.__annotations__) - REFUSED_FIELDS
MADE_AT = 1_767_225_600


@asynccontextmanager
async def groq_twin(script: Script) -> AsyncIterator[str]:
    """Serve the twin; yields its base URL."""

    def check_request(body: dict[str, Any]) -> None:
        check(body, FIELDS)
        if any("name" in message for message in body["messages"]):
            raise Refusal(400, "invalid_request_error", "messages[].name is not supported")

    path = "/openai/v1/chat/completions"
    async with chat_twin(script, path, check_request, lambda step, _: _events(step), _whole) as address:
        yield address


def _usage(step: Turn) -> CompletionUsage:
    details = CompletionTokensDetails(reasoning_tokens=THOUGHT_TOKENS) if thought_of(step) else None
    return CompletionUsage(
        prompt_tokens=USAGE[0],
        completion_tokens=USAGE[1],
        total_tokens=sum(USAGE),
        completion_tokens_details=details,
    )


def _whole(step: Turn, body: Mapping[str, Any]) -> str:
    tool = wanted_tool(body)
    refused = isinstance(step, Answer) and step.refused
    if tool is not None and not refused:
        function = Function(name=tool, arguments=step.text)
        call = ChatCompletionMessageToolCall(id="call_twin", type="function", function=function)
        message = ChatCompletionMessage(role="assistant", content=None, tool_calls=[call])
    else:
        message = ChatCompletionMessage(
            role="assistant", content=step.text, reasoning=thought_of(step) or None
        )
    return ChatCompletion(
        id="chatcmpl-twin",
        object="chat.completion",
        created=MADE_AT,
        model=MODEL,
        choices=[Choice(index=0, message=message, finish_reason=_finish(step, tool), logprobs=None)],
        usage=_usage(step),
    ).model_dump_json(exclude_unset=True)


def _events(step: Turn) -> Iterator[str]:
    for piece in words(thought_of(step)) if thought_of(step) else ():
        yield _event(ChoiceDelta(role="assistant", reasoning=piece), None, step)
    for piece in words(step.text):
        yield _event(ChoiceDelta(role="assistant", content=piece), None, step)
    yield _event(ChoiceDelta(), _finish(step, None), step)


def _finish(step: Turn, tool: str | None) -> Any:
    return "length" if is_cut(step) else "tool_calls" if tool else "stop"


def _event(delta: ChoiceDelta, finish: Any, step: Turn) -> str:
    return ChatCompletionChunk(
        id="chatcmpl-twin",
        object="chat.completion.chunk",
        created=MADE_AT,
        model=MODEL,
        choices=[ChunkChoice(index=0, delta=delta, finish_reason=finish)],
        x_groq=XGroq(id="req_twin", usage=_usage(step)) if finish else None,
    ).model_dump_json(exclude_unset=True)
