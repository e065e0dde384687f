"""A twin of OpenAI's Responses API: POST /v1/responses, streamed and whole.

Its events are built with `openai.types.responses` (the installed client's own types, generated from OpenAI's
OpenAPI description). What was thought comes as summaries of reasoning; the usage comes with the last event.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from aiohttp import web
from openai.types import responses as wire
from openai.types.responses.response import IncompleteDetails
from openai.types.responses.response_reasoning_item import Summary
from openai.types.responses.response_reasoning_summary_part_added_event import Part
from openai.types.responses.response_usage import InputTokensDetails, OutputTokensDetails
from pydantic import BaseModel

from tests.twins.http import begun, body_of, serving, streamed
from tests.twins.openai_like import check_key, error_body
from tests.twins.script import (
    MODEL,
    THOUGHT_TOKENS,
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

FIELDS = {*wire.response_create_params.ResponseCreateParamsBase.__annotations__, "stream"}
MADE_AT = 1_767_225_600


@asynccontextmanager
async def responses_twin(script: Script) -> AsyncIterator[str]:
    """Serve the twin; yields its base URL."""

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            check_key(request.headers.get("authorization"))
            body = await body_of(request, script)
            _check(body)
        except Refusal as refusal:
            script.refusals.append(refusal.message)
            return web.Response(
                status=refusal.code, text=error_body(refusal), content_type="application/json"
            )
        step = script.next()
        assert not isinstance(step, Status), "no test has it yet"
        if body.get("stream"):
            return await streamed(request, step, _events(step))
        if isinstance(step, (Cut, Stall)):
            return await begun(request, step, _json(_response(step, done=True)))
        return web.Response(text=_json(_response(step, done=True)), content_type="application/json")

    async with serving("/v1/responses", answer) as address:
        yield f"{address}/v1"


def _check(body: Mapping[str, Any]) -> None:
    if unknown := body.keys() - FIELDS:
        raise Refusal(400, "unknown_parameter", f"Unknown parameter: {sorted(unknown)[0]}")
    if body.get("model") != MODEL or not body.get("input"):
        raise Refusal(400, "invalid_request", "model and input are needed")


def _reasoning(step: Answer | Cut | Stall, *, done: bool) -> wire.ResponseReasoningItem:
    summary = [Summary(type="summary_text", text=thought_of(step))] if done else []
    return wire.ResponseReasoningItem(id="rs_twin", type="reasoning", summary=summary)


def _message(step: Answer | Cut | Stall, *, done: bool) -> wire.ResponseOutputMessage:
    text = wire.ResponseOutputText(type="output_text", text=step.text, annotations=[])
    return wire.ResponseOutputMessage(
        id="msg_twin",
        type="message",
        role="assistant",
        status="completed" if done else "in_progress",
        content=[text] if done else [],
    )


def _response(step: Answer | Cut | Stall, *, done: bool) -> wire.Response:
    items: list[Any] = [_reasoning(step, done=True)] if thought_of(step) else []
    usage = wire.ResponseUsage(
        input_tokens=USAGE[0],
        input_tokens_details=InputTokensDetails(cached_tokens=0, cache_write_tokens=0),
        output_tokens=USAGE[1],
        output_tokens_details=OutputTokensDetails(reasoning_tokens=THOUGHT_TOKENS if thought_of(step) else 0),
        total_tokens=sum(USAGE),
    )
    return wire.Response(
        id="resp_twin",
        object="response",
        created_at=MADE_AT,
        model=MODEL,
        status=_status(step) if done else "in_progress",
        incomplete_details=IncompleteDetails(reason="max_output_tokens") if is_cut(step) and done else None,
        output=[*items, _message(step, done=True)] if done else [],
        parallel_tool_calls=True,
        tool_choice="auto",
        tools=[],
        usage=usage if done else None,
    )


def _events(step: Answer | Cut | Stall) -> Iterator[str]:
    for number, event in zip(count(), _each(step), strict=False):
        yield _json(event.model_copy(update={"sequence_number": number}))


def _each(step: Answer | Cut | Stall) -> Iterator[BaseModel]:
    none: Any = {"sequence_number": 0}
    begun_as = _response(step, done=False)
    yield wire.ResponseCreatedEvent(type="response.created", response=begun_as, **none)
    at = 0
    if thought_of(step):
        place: Any = {"item_id": "rs_twin", "output_index": 0, "summary_index": 0, **none}
        item = _reasoning(step, done=False)
        yield wire.ResponseOutputItemAddedEvent(
            type="response.output_item.added", item=item, output_index=0, **none
        )
        yield wire.ResponseReasoningSummaryPartAddedEvent(
            type="response.reasoning_summary_part.added", part=Part(type="summary_text", text=""), **place
        )
        for piece in words(thought_of(step)):
            yield wire.ResponseReasoningSummaryTextDeltaEvent(
                type="response.reasoning_summary_text.delta", delta=piece, **place
            )
        yield wire.ResponseReasoningSummaryTextDoneEvent(
            type="response.reasoning_summary_text.done", text=thought_of(step), **place
        )
        yield wire.ResponseOutputItemDoneEvent(
            type="response.output_item.done", item=_reasoning(step, done=True), output_index=0, **none
        )
        at = 1
    yield wire.ResponseOutputItemAddedEvent(
        type="response.output_item.added", item=_message(step, done=False), output_index=at, **none
    )
    place = {"item_id": "msg_twin", "output_index": at, "content_index": 0, **none}
    for piece in words(step.text):
        yield wire.ResponseTextDeltaEvent(
            type="response.output_text.delta", delta=piece, logprobs=[], **place
        )
    yield wire.ResponseTextDoneEvent(type="response.output_text.done", text=step.text, logprobs=[], **place)
    yield wire.ResponseOutputItemDoneEvent(
        type="response.output_item.done", item=_message(step, done=True), output_index=at, **none
    )
    ended = _response(step, done=True)
    if is_cut(step):
        yield wire.ResponseIncompleteEvent(type="response.incomplete", response=ended, **none)
        return
    yield wire.ResponseCompletedEvent(type="response.completed", response=ended, **none)


def _status(step: Answer | Cut | Stall) -> Any:
    return "incomplete" if is_cut(step) else "completed"


def _json(event: BaseModel) -> str:
    return event.model_dump_json(exclude_unset=True)
