"""What the twins of OpenAI and Groq have in common: checks of a chat completion request, and its errors.

Source of the request's fields: `openai.types.chat.completion_create_params` of the installed client; of the
rules on tool messages, stream_options and response_format: OpenAI's API reference, "Create chat completion".
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

from aiohttp import web

from tests.twins.http import begun, body_of, refusal_of, serving, streamed
from tests.twins.script import KEY, MODEL, Answer, Cut, Refusal, Script, Stall, Status

Turn: TypeAlias = Answer | Cut | Stall

ROLES = {"system", "developer", "user", "assistant", "tool", "function"}


@asynccontextmanager
async def chat_twin(
    script: Script,
    path: str,
    check_request: Callable[[dict[str, Any]], None],
    events: Callable[[Turn, dict[str, Any]], Iterator[str]],
    whole: Callable[[Turn, dict[str, Any]], str],
) -> AsyncIterator[str]:
    """Serve chat completions at `path` by the script; yields the server's address.

    `check_request` refuses a body that the service would; `events` and `whole` word an answer.
    """

    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            check_key(request.headers.get("authorization"))
            body = await body_of(request, script)
            check_request(body)
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
            return await streamed(request, step, events(step, body), end="[DONE]")
        if isinstance(step, (Cut, Stall)):
            return await begun(request, step, whole(step, body))
        return web.Response(text=whole(step, body), content_type="application/json")

    async with serving(path, answer) as address:
        yield address


def check_key(header: str | None) -> None:
    """Refuse a request without the key, as a bearer token."""
    if header != f"Bearer {KEY}":
        raise Refusal(401, "invalid_api_key", "Incorrect API key provided")


def check(body: Mapping[str, Any], fields: Collection[str]) -> None:
    """Refuse what the service refuses: fields, model, roles and their order, stream options, formats."""
    unknown = body.keys() - set(fields)
    if unknown:
        raise Refusal(400, "unknown_parameter", f"Unrecognized request argument supplied: {sorted(unknown)}")
    if body.get("model") != MODEL:
        raise Refusal(404, "model_not_found", f"The model {body.get('model')!r} does not exist")
    if body.get("stream_options") and not body.get("stream"):
        raise Refusal(400, "invalid_request", "stream_options is only allowed when stream is enabled")
    _check_messages(body.get("messages"))
    _check_format(body.get("response_format"))
    for tool in body.get("tools") or ():
        if tool.get("type") != "function" or not re.fullmatch(r"[\w-]{1,64}", tool["function"]["name"]):
            raise Refusal(400, "invalid_request", "a tool wants type function and a name")


def _check_messages(messages: Any) -> None:
    if not isinstance(messages, list) or not messages:
        raise Refusal(400, "invalid_request", "messages must not be empty")
    called: set[str] = set()
    for message in messages:
        role = message.get("role")
        if role not in ROLES:
            raise Refusal(400, "invalid_value", f"{role!r} is no role")
        if role == "tool" and message.get("tool_call_id") not in called:
            raise Refusal(400, "invalid_request", "a tool message must follow a call with its id")
        called = {call["id"] for call in message.get("tool_calls") or ()} if role != "tool" else called
        if role != "assistant" and not isinstance(message.get("content"), (str, list)):
            raise Refusal(400, "invalid_request", "content is missing")


def _check_format(found: Any) -> None:
    if found is None or found.get("type") in {"text", "json_object"}:
        return
    if found.get("type") != "json_schema":
        raise Refusal(400, "invalid_value", "response_format.type")
    named = found.get("json_schema") or {}
    if not re.fullmatch(r"[\w-]{1,64}", str(named.get("name"))):
        raise Refusal(400, "invalid_value", "response_format.json_schema.name")
    schema = named.get("schema") or {}
    if schema.get("type") != "object":
        raise Refusal(400, "invalid_json_schema", "schema must be an object")
    if named.get("strict"):
        _check_strict(schema, schema.get("$defs") or {})


def _check_strict(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> None:
    """Every property required and no others: strict mode's own rule."""
    for each in (schema, *definitions.values()):
        if each.get("type") != "object":
            continue
        if each.get("additionalProperties") is not False or set(each.get("required") or ()) != set(
            each.get("properties") or ()
        ):
            raise Refusal(400, "invalid_json_schema", "strict wants all properties required, no others")


def wanted_tool(body: Mapping[str, Any]) -> str | None:
    """Return the function that the model must call by the request; None: it may write."""
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        return str(choice["function"]["name"])
    tools = body.get("tools") or ()
    return str(tools[0]["function"]["name"]) if tools and choice in {"required", "any"} else None


def error_body(refusal: Refusal) -> str:
    """Return an error as both services write it."""
    return json.dumps({"error": {"message": refusal.message, "type": refusal.kind, "code": refusal.kind}})
