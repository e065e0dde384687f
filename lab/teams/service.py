"""A model's service on loopback that answers a team by a script, and keeps when each question came and was answered.

It speaks OpenAI's chat completions, streamed. A question is known by its messages: the same one that comes twice
is a call that was made again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from agents.teams.script_files import Script, ScriptLine
from lab import loopback

MODEL: Final = "lab-1"
TEAM: Final = "cdss"
FIRST_S: Final = 0.3  # before the first word
WORDS_PER_S: Final = 40.0
_SPECIALTY: Final = re.compile(r"the team's specialist for ([a-z ]+)\.")


@dataclass(slots=True)
class Call:
    """One question as it came; times of the monotonic clock. `gone_s`: when the client had gone before the end."""

    question: str
    began_s: float
    ended_s: float | None = None
    gone_s: float | None = None


@dataclass(slots=True)
class Service:
    """Answers by a script, so many words a second, and counts. `now_s`: the monotonic clock, or a test's."""

    script: Script
    words_per_s: float = WORDS_PER_S
    now_s: Callable[[], float] = time.monotonic
    calls: list[Call] = field(default_factory=list)

    def line(self, messages: list[Mapping[str, Any]]) -> ScriptLine:
        """Return what is answered. Raises: LookupError, ValueError: it is no question of this team's."""
        asked = json.loads(str(messages[-1]["content"]))
        found = _SPECIALTY.search(str(messages[0]["content"]))
        role = found[1].replace(" ", "_") if found else "orchestrator"
        lines = self.script.lines[TEAM][role][str(asked["kind"])]
        return lines.get(int(asked["round"])) or lines[max(lines)]

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a request, word by word."""
        body = await request.json()
        call = Call(hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest(), self.now_s())
        self.calls.append(call)
        try:
            return await self._answered(request, body, call)
        except (asyncio.CancelledError, ConnectionError):
            call.gone_s = self.now_s()
            raise

    async def _answered(
        self, request: web.Request, body: Mapping[str, Any], call: Call
    ) -> web.StreamResponse:
        line = self.line(body["messages"])
        text = line.text if line.form is None else json.dumps(line.form)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await asyncio.sleep(FIRST_S)
        for word in re.findall(r"\s*\S+\s*", text):
            await response.write(_chunk({"role": "assistant", "content": word}))
            await asyncio.sleep(1 / self.words_per_s)
        await response.write(_chunk({}, "stop") + b"data: [DONE]\n\n")
        call.ended_s = self.now_s()
        await response.write_eof()
        return response


@asynccontextmanager
async def serving(service: Service) -> AsyncIterator[str]:
    """Serve on a free port of loopback; yields the base URL."""
    async with loopback.serving("/v1/chat/completions", service.answer) as address:
        yield f"{address}/v1"


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}
    whole = {
        "id": "chatcmpl-lab",
        "object": "chat.completion.chunk",
        "created": 1_767_225_600,
        "model": MODEL,
        "choices": [choice],
    }
    return b"data: " + json.dumps(whole).encode() + b"\n\n"
