"""A twin of Google's Gemini API: generateContent and streamGenerateContent?alt=sse, by REST.

Its messages are built with, and requests checked against, `google.genai.types` (the installed client's own
types), parts flagged `thought` and their count among them; of the errors' shape and of the rules on roles:
Google's REST reference, "models.generateContent".
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from google.genai import types
from pydantic import ValidationError

from tests.twins.http import begun, body_of, refusal_of, serving, streamed
from tests.twins.script import (
    KEY,
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

FIELDS = {
    "contents",
    "systemInstruction",
    "tools",
    "toolConfig",
    "safetySettings",
    "generationConfig",
    "cachedContent",
}
WORDS = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}


@asynccontextmanager
async def google_twin(script: Script) -> AsyncIterator[str]:
    """Serve the twin; yields its base URL."""

    async def answer(request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        try:
            _check_call(request, method)
            body = await body_of(request, script)
            _check(body)
        except Refusal as refusal:
            script.refusals.append(refusal.message)
            return _error(refusal)
        step = script.next()
        if isinstance(step, Status):
            return _error(refusal_of(step), step.headers)
        if method == "streamGenerateContent":
            return await streamed(request, step, _events(step))
        refused = isinstance(step, Answer) and step.refused
        text = _json(_response(step.text, finish=_finish(step), refused=refused, thought=thought_of(step)))
        if isinstance(step, (Cut, Stall)):
            return await begun(request, step, text)
        return web.Response(text=text, content_type="application/json")

    async with serving("/v1beta/models/{model}:{method}", answer) as address:
        yield address


def _check_call(request: web.Request, method: str) -> None:
    if request.headers.get("x-goog-api-key") is None:
        raise Refusal(403, "PERMISSION_DENIED", "Method doesn't allow unregistered callers")
    if request.headers["x-goog-api-key"] != KEY:
        raise Refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
    if method not in {"generateContent", "streamGenerateContent"} or request.match_info["model"] != MODEL:
        raise Refusal(404, "NOT_FOUND", f"models/{request.match_info['model']} is not found for {method}")
    if method == "streamGenerateContent" and request.query.get("alt") != "sse":
        raise Refusal(400, "INVALID_ARGUMENT", "this twin streams server-sent events only")


def _check(body: Mapping[str, Any]) -> None:
    unknown = body.keys() - FIELDS
    if unknown:
        raise Refusal(400, "INVALID_ARGUMENT", f'Invalid JSON payload: Unknown name "{sorted(unknown)[0]}"')
    try:
        contents = [types.Content.model_validate(each) for each in body.get("contents") or ()]
        types.GenerationConfig.model_validate(body.get("generationConfig") or {})
        if body.get("systemInstruction"):
            types.Content.model_validate(body["systemInstruction"])
    except ValidationError as error:
        raise Refusal(400, "INVALID_ARGUMENT", f"Invalid JSON payload: {error.errors()[0]['loc']}") from None
    if not contents or any(not each.parts for each in contents):
        raise Refusal(400, "INVALID_ARGUMENT", "contents are not specified")
    if any(each.role not in {"user", "model"} for each in contents):
        raise Refusal(400, "INVALID_ARGUMENT", "Please use a valid role: user, model.")
    if contents[-1].role != "user":
        raise Refusal(400, "INVALID_ARGUMENT", "the last turn must be the user's")


def _error(refusal: Refusal, headers: Mapping[str, str] | None = None) -> web.Response:
    status = WORDS.get(refusal.code, "INTERNAL")
    body = {"error": {"code": refusal.code, "message": refusal.message, "status": status}}
    return web.Response(
        status=refusal.code, text=json.dumps(body), headers=headers, content_type="application/json"
    )


def _response(
    text: str, *, finish: str | None, refused: bool = False, thought: str = ""
) -> types.GenerateContentResponse:
    """`candidates_token_count` leaves out what was thought, which the client counts in."""
    of_it = THOUGHT_TOKENS if thought else 0
    usage = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=USAGE[0],
        candidates_token_count=USAGE[1] - of_it,
        thoughts_token_count=of_it or None,
        total_token_count=sum(USAGE),
    )
    if refused:
        feedback = types.GenerateContentResponsePromptFeedback(block_reason=types.BlockedReason.SAFETY)
        return types.GenerateContentResponse(
            prompt_feedback=feedback, usage_metadata=usage, model_version=MODEL
        )
    candidate = types.Candidate(
        index=0,
        content=types.Content(
            role="model",
            parts=[
                *([types.Part(text=thought, thought=True)] if thought else []),
                *([types.Part(text=text)] if text else []),
            ],
        ),
        finish_reason=types.FinishReason(finish) if finish else None,
    )
    return types.GenerateContentResponse(
        candidates=[candidate],
        usage_metadata=usage if finish else None,
        model_version=MODEL,
        response_id="twin",
    )


def _finish(step: Answer | Cut | Stall) -> str:
    return "MAX_TOKENS" if is_cut(step) else "STOP"


def _events(step: Answer | Cut | Stall) -> Iterator[str]:
    if isinstance(step, Answer) and step.refused:
        yield _json(_response("", finish=None, refused=True))
        return
    for piece in words(thought_of(step)) if thought_of(step) else ():
        yield _json(_response("", finish=None, thought=piece))
    pieces = words(step.text)
    *most, last = pieces
    for piece in most:
        yield _json(_response(piece, finish=None))
    ended = _response(last, finish=_finish(step), thought=thought_of(step))
    content = ended.candidates[0].content if ended.candidates else None
    if content is not None:
        content.parts = [types.Part(text=last)]
    yield _json(ended)


def _json(response: types.GenerateContentResponse) -> str:
    return response.model_dump_json(by_alias=True, exclude_none=True)
