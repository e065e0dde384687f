"""A twin of the OpenAI-compatible chat completions: POST /v1/chat/completions.

Its messages are built with `openai.types.chat` (the installed client's own types, generated from OpenAI's
OpenAPI description). Ollama and vLLM speak the same protocol.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import Choice as ChunkChoice
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.chat.completion_create_params import CompletionCreateParamsBase

from tests.twins.openai_like import Turn, chat_twin, check
from tests.twins.script import MODEL, USAGE, Answer, Script, words

FIELDS = {*CompletionCreateParamsBase.__annotations__, "stream"}
MADE_AT = 1_767_225_600


@asynccontextmanager
async def openai_twin(script: Script) -> AsyncIterator[str]:
    """Serve the twin; yields its base URL."""
    path = "/v1/chat/completions"
    async with chat_twin(script, path, lambda body: check(body, FIELDS), _events, _whole) as address:
        yield f"{address}/v1"


def _usage() -> CompletionUsage:
    return CompletionUsage(prompt_tokens=USAGE[0], completion_tokens=USAGE[1], total_tokens=sum(USAGE))


def _whole(step: Turn, _: Mapping[str, Any]) -> str:
    refused = isinstance(step, Answer) and step.refused
    message = ChatCompletionMessage(
        role="assistant",
        content=None if refused else step.text,
        refusal=step.text if refused else None,
    )
    return ChatCompletion(
        id="chatcmpl-twin",
        object="chat.completion",
        created=MADE_AT,
        model=MODEL,
        choices=[Choice(index=0, message=message, finish_reason="stop", logprobs=None)],
        usage=_usage(),
    ).model_dump_json(exclude_unset=True)


def _events(step: Turn, body: Mapping[str, Any]) -> Iterator[str]:
    refused = isinstance(step, Answer) and step.refused
    for piece in words(step.text):
        delta = ChoiceDelta(refusal=piece) if refused else ChoiceDelta(role="assistant", content=piece)
        yield _event([ChunkChoice(index=0, delta=delta, finish_reason=None)])
    finish: Any = "content_filter" if refused else "stop"
    yield _event([ChunkChoice(index=0, delta=ChoiceDelta(), finish_reason=finish)])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _event([], usage=_usage())


def _event(choices: list[ChunkChoice], usage: CompletionUsage | None = None) -> str:
    return ChatCompletionChunk(
        id="chatcmpl-twin",
        object="chat.completion.chunk",
        created=MADE_AT,
        model=MODEL,
        choices=choices,
        usage=usage,
    ).model_dump_json(exclude_unset=True)
