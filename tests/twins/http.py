"""The HTTP side that the twins share: answers and streams that may break off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any

from aiohttp import web

from lab.loopback import serving as serving
from tests.twins.script import Cut, Refusal, Script, Stall, Status, Step


async def body_of(request: web.Request, script: Script) -> dict[str, Any]:
    """Return the request's JSON object, and note it."""
    body = json.loads(await request.read())
    assert isinstance(body, dict)
    script.requests.append(body)
    return body


async def break_off(request: web.Request, response: web.StreamResponse, step: Cut | Stall) -> None:
    """End a body that was begun: at once without its end, or when the test says so."""
    if isinstance(step, Stall):
        try:
            await step.over.wait()
        except asyncio.CancelledError:
            step.gone.set()
            raise
    if request.transport is not None:
        request.transport.abort()


async def begun(request: web.Request, step: Cut | Stall, text: str) -> web.StreamResponse:
    """Begin a whole answer that never ends."""
    headers = {"content-type": "application/json", "content-length": str(len(text.encode()) + 500)}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    await response.write(text.encode()[: len(text) // 2])
    await break_off(request, response, step)
    return response


async def streamed(
    request: web.Request, step: Step, events: Iterable[str], *, end: str = ""
) -> web.StreamResponse:
    """Send server-sent events; `Cut` breaks off after the first, `Stall` after as many as it says."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    most = step.after if isinstance(step, Stall) else 1
    for sent, event in enumerate(events, start=1):
        await response.write(f"data: {event}\n\n".encode())
        if isinstance(step, (Cut, Stall)) and sent >= most:
            await break_off(request, response, step)
            return response
    if end:
        await response.write(f"data: {end}\n\n".encode())
    await response.write_eof()
    return response


def refusal_of(step: Status) -> Refusal:
    """Return a scripted error as a refusal."""
    return Refusal(step.code, "scripted", f"scripted status {step.code}")
