"""A twin of the OpenAI-compatible chat completions: POST /v1/chat/completions.

Its messages are built with `openai.types.chat` (the installed client's own types, generated from OpenAI's
OpenAPI description). Ollama and vLLM speak the same protocol.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletion, ChatCompletionChunk, ChatCompletionMessage
from openai.types.chat.chat_completion import Choice
from openai.types.chat.chat_completion_chunk import Choice as ChunkChoice
from openai.types.chat.chat_completion_chunk import ChoiceDelta
from openai.types.chat.completion_create_params import CompletionCreateParamsBase

from tests.twins.http import begun, body_of, refusal_of, serving, streamed
from tests.twins.openai_like import check, check_key, error_body
from tests.twins.script import MODEL, USAGE, Answer, Cut, Refusal, Script, Stall, Status, words

FIELDS = {*CompletionCreateParamsBase.__annotations__, "stream"}
MADE_AT = 1_767_225_600


@asynccontextmanager
async def openai_twin(script: Script) -> AsyncIterator[str]:
    """Serve the twin; yields its base URL."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            check_key(request.headers.get("authorization"))
            body = await body_of(request, script)
            check(body, FIELDS)
        except Refusal as refusal:
            script.refusals.append(refusal.message)
            return web.Response(
                status=refusal.code, text=error_body(refusal), content_type="application/json"
            )
        step = script.next()
        if isinstance(step, Status):
            text = error_body(refusal_of(step))
            return web.Response(
                status=step.code, text=text, headers=step.headers, content_type="application/json"
            )
        if body.get("stream"):
            usage = bool((body.get("stream_options") or {}).get("include_usage"))
            return await streamed(request, step, _events(step, usage=usage), end="[DONE]")
        text = _whole(step).model_dump_json(exclude_unset=True)
        if isinstance(step, (Cut, Stall)):
            return await begun(request, step, text)
        return web.Response(text=text, content_type="application/json")

    async with serving("/v1/chat/completions", answer) as address:
        yield f"{address}/v1"


def _usage() -> CompletionUsage:
    return CompletionUsage(prompt_tokens=USAGE[0], completion_tokens=USAGE[1], total_tokens=sum(USAGE))


def _whole(step: Answer | Cut | Stall) -> ChatCompletion:
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
    )


def _events(step: Answer | Cut | Stall, *, usage: bool) -> Iterator[str]:
    refused = isinstance(step, Answer) and step.refused
    for piece in words(step.text):
        delta = ChoiceDelta(refusal=piece) if refused else ChoiceDelta(role="assistant", content=piece)
        yield _event([ChunkChoice(index=0, delta=delta, finish_reason=None)])
    finish: Any = "content_filter" if refused else "stop"
    yield _event([ChunkChoice(index=0, delta=ChoiceDelta(), finish_reason=finish)])
    if usage:
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
