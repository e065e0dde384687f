"""A twin of Anthropic's Messages API: POST /v1/messages, streamed and whole.

Its events are built with `anthropic.types` (the client's own types, generated from Anthropic's OpenAPI
description). Thinking is a block of its own before the text, and the counts of `message_delta` are cumulative.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from anthropic import types as wire
from anthropic.types.message_create_params import MessageCreateParamsBase
from anthropic.types.raw_message_delta_event import Delta
from pydantic import BaseModel

from tests.twins.http import begun, body_of, break_off, serving
from tests.twins.openai_like import error_body
from tests.twins.script import (
    KEY,
    MODEL,
    USAGE,
    Answer,
    Cut,
    Refusal,
    Script,
    Stall,
    Status,
    is_cut,
    thought_of,
    words,
)

FIELDS = {*MessageCreateParamsBase.__annotations__, "stream"}
SIGNATURE = "twin-signature"


@asynccontextmanager
async def anthropic_twin(script: Script) -> AsyncIterator[str]:
    """Serve the twin; yields its base URL."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            body = await body_of(request, script)
            _check(request, body)
        except Refusal as refusal:
            script.refusals.append(refusal.message)
            return web.Response(
                status=refusal.code, text=error_body(refusal), content_type="application/json"
            )
        step = script.next()
        assert not isinstance(step, Status), "no test has it yet"
        if body.get("stream"):
            return await _stream(request, step)
        text = _message(step, ended=True).model_dump_json(exclude_unset=True)
        if isinstance(step, (Cut, Stall)):
            return await begun(request, step, text)
        return web.Response(text=text, content_type="application/json")

    async with serving("/v1/messages", answer) as address:
        yield address


def _check(request: web.Request, body: dict[str, Any]) -> None:
    key = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
    if key != KEY or not request.headers.get("anthropic-version"):
        raise Refusal(401, "authentication_error", "invalid x-api-key")
    if unknown := body.keys() - FIELDS:
        raise Refusal(400, "invalid_request_error", f"{sorted(unknown)[0]}: Extra inputs are not permitted")
    if body.get("model") != MODEL or not body.get("messages") or not body.get("max_tokens"):
        raise Refusal(400, "invalid_request_error", "model, messages and max_tokens are needed")
    if any(each.get("role") not in {"user", "assistant"} for each in body["messages"]):
        raise Refusal(400, "invalid_request_error", "a message is of user or assistant")


async def _stream(request: web.Request, step: Answer | Cut | Stall) -> web.StreamResponse:
    """Send named events, as this API does; `Cut` and `Stall` break off within the text."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for event in _events(step):
        kind = str(getattr(event, "type", ""))
        line = f"event: {kind}\ndata: {event.model_dump_json(exclude_unset=True)}\n\n"
        await response.write(line.encode())
        if isinstance(step, (Cut, Stall)) and kind == "content_block_delta":
            await break_off(request, response, step)
            return response
    await response.write_eof()
    return response


def _message(step: Answer | Cut | Stall, *, ended: bool) -> wire.Message:
    thought = wire.ThinkingBlock(type="thinking", thinking=thought_of(step), signature=SIGNATURE)
    text = wire.TextBlock(type="text", text=step.text, citations=None)
    content: list[Any] = [thought, text] if thought_of(step) else [text]
    return wire.Message(
        id="msg_twin",
        type="message",
        role="assistant",
        model=MODEL,
        content=content if ended else [],
        stop_reason=_finish(step) if ended else None,
        stop_sequence=None,
        usage=wire.Usage(input_tokens=USAGE[0], output_tokens=USAGE[1] if ended else 1),
    )


def _finish(step: Answer | Cut | Stall) -> Any:
    return "max_tokens" if is_cut(step) else "end_turn"


def _events(step: Answer | Cut | Stall) -> Iterator[BaseModel]:
    yield wire.RawMessageStartEvent(type="message_start", message=_message(step, ended=False))
    at = 0
    if thought_of(step):
        empty = wire.ThinkingBlock(type="thinking", thinking="", signature="")
        yield wire.RawContentBlockStartEvent(type="content_block_start", index=0, content_block=empty)
        for piece in words(thought_of(step)):
            delta = wire.ThinkingDelta(type="thinking_delta", thinking=piece)
            yield wire.RawContentBlockDeltaEvent(type="content_block_delta", index=0, delta=delta)
        signed = wire.SignatureDelta(type="signature_delta", signature=SIGNATURE)
        yield wire.RawContentBlockDeltaEvent(type="content_block_delta", index=0, delta=signed)
        yield wire.RawContentBlockStopEvent(type="content_block_stop", index=0)
        at = 1
    blank = wire.TextBlock(type="text", text="", citations=None)
    yield wire.RawContentBlockStartEvent(type="content_block_start", index=at, content_block=blank)
    for piece in words(step.text):
        text = wire.TextDelta(type="text_delta", text=piece)
        yield wire.RawContentBlockDeltaEvent(type="content_block_delta", index=at, delta=text)
    yield wire.RawContentBlockStopEvent(type="content_block_stop", index=at)
    yield wire.RawMessageDeltaEvent(
        type="message_delta",
        delta=Delta(stop_reason=_finish(step), stop_sequence=None),
        usage=wire.MessageDeltaUsage(input_tokens=USAGE[0], output_tokens=USAGE[1]),
    )
    yield wire.RawMessageStopEvent(type="message_stop")
