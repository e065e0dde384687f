"""A twin of the OpenAI-compatible chat completions: POST /v1/chat/completions.

Its messages are built with `openai.types.chat` (the installed client's own types, generated from OpenAI's
OpenAPI description). Ollama and vLLM speak the same protocol.

OpenAI itself sends no thinking in chat completions. Compatible services do, in a field that the client's types
keep as an extra one: `reasoning_content` beside an empty `content` (DeepSeek: the page "Thinking Mode" and its
streaming example in api-docs.deepseek.com; vLLM up to 0.10), `reasoning` (vLLM: "Reasoning Outputs" in
docs.vllm.ai from 0.11, which then still sent both; Ollama's chat completions). vLLM with
`stream_options.continuous_usage_stats` counts the usage up in every chunk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import Choice as ChunkChoice
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.completion_usage import CompletionTokensDetails

from tests.twins.openai_like import Turn, chat_twin, check
from tests.twins.script import MODEL, THOUGHT_TOKENS, USAGE, Answer, Script, is_cut, thought_of, words

FIELDS = {*CompletionCreateParamsBase.__annotations__, "stream"}
MADE_AT = 1_767_225_600


@asynccontextmanager
async def openai_twin(
    script: Script, *, thought_in: tuple[str, ...] = ("reasoning_content",), counts_up: bool = False
) -> AsyncIterator[str]:
    """Serve the twin; yields its base URL. `thought_in`: the fields that thinking is sent in."""
    path = "/v1/chat/completions"
    events = partial(_events, thought_in, counts_up)
    whole = partial(_whole, thought_in)
    async with chat_twin(script, path, lambda body: check(body, FIELDS), events, whole) as address:
        yield f"{address}/v1"


def _usage(step: Turn, share: float = 1.0) -> CompletionUsage:
    written = round(USAGE[1] * share)
    details = CompletionTokensDetails(reasoning_tokens=THOUGHT_TOKENS) if thought_of(step) else None
    return CompletionUsage(
        prompt_tokens=USAGE[0],
        completion_tokens=written,
        total_tokens=USAGE[0] + written,
        completion_tokens_details=details,
    )


def _whole(thought_in: tuple[str, ...], step: Turn, _: Mapping[str, Any]) -> str:
    refused = isinstance(step, Answer) and step.refused
    thought: Any = dict.fromkeys(thought_in, thought_of(step)) if thought_of(step) else {}
    message = ChatCompletionMessage(
        role="assistant",
        content=None if refused else step.text,
        refusal=step.text if refused else None,
        **thought,
    )
    return ChatCompletion(
        id="chatcmpl-twin",
        object="chat.completion",
        created=MADE_AT,
        model=MODEL,
        choices=[Choice(index=0, message=message, finish_reason=_finish(step), logprobs=None)],
        usage=_usage(step),
    ).model_dump_json(exclude_unset=True)


def _events(
    thought_in: tuple[str, ...], counts_up: bool, step: Turn, body: Mapping[str, Any]
) -> Iterator[str]:
    refused = isinstance(step, Answer) and step.refused
    for piece in words(thought_of(step)) if thought_of(step) else ():
        thought: Any = dict.fromkeys(thought_in, piece)
        delta = ChoiceDelta(role="assistant", content=None, **thought)
        yield _event([ChunkChoice(index=0, delta=delta, finish_reason=None)])
    pieces = words(step.text)
    for number, piece in enumerate(pieces, start=1):
        delta = ChoiceDelta(refusal=piece) if refused else ChoiceDelta(role="assistant", content=piece)
        usage = _usage(step, number / len(pieces)) if counts_up else None
        yield _event([ChunkChoice(index=0, delta=delta, finish_reason=None)], usage=usage)
    finish: Any = "content_filter" if refused else _finish(step)
    yield _event([ChunkChoice(index=0, delta=ChoiceDelta(), finish_reason=finish)])
    if (body.get("stream_options") or {}).get("include_usage"):
        yield _event([], usage=_usage(step))


def _finish(step: Turn) -> Any:
    return "length" if is_cut(step) else "stop"


def _event(choices: list[ChunkChoice], usage: CompletionUsage | None = None) -> str:
    return ChatCompletionChunk(
        id="chatcmpl-twin",
        object="chat.completion.chunk",
        created=MADE_AT,
        model=MODEL,
        choices=choices,
        usage=usage,
    ).model_dump_json(exclude_unset=True)
