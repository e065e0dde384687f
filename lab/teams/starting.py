"""Starting a team by the API, as a page does, and what the voice told of a clause that is heard."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from lab.demo.listener import Grant, Listener, ListenerError, Received, end_session, listen, talking_to


@dataclass(frozen=True, slots=True)
class Started:
    """A team's session, and when it was asked for (monotonic seconds)."""

    grant: Grant
    thread_id: str
    asked_s: float


async def start(api_url: str, team: Mapping[str, Any], key: Mapping[str, str]) -> Started:
    """Start what the body `team` of `POST /teams` names. Raises: ListenerError: no answer, or it was refused."""
    async with talking_to(api_url, key) as http:
        asked_s = time.monotonic()
        answer = await http.post("/teams", json=dict(team))
    if answer.status_code != 201:
        raise ListenerError(f"the API started no team ({answer.status_code}): {answer.text}")
    body = answer.json()
    grant = Grant(body["session_id"], body["room"], body["livekit_url"], body["token"], body["client_secret"])
    return Started(grant, body["thread_id"], asked_s)


@asynccontextmanager
async def listening(api_url: str, grant: Grant) -> AsyncIterator[Listener]:
    """Listen to a session for as long as the block lasts, and end the session. Raises: ListenerError."""
    try:
        async with listen(grant) as listener:
            yield listener
    finally:
        await end_session(api_url, grant)


def told_of(messages: Sequence[Received], segment: Received) -> Mapping[str, Any]:
    """Return what was told first of the utterance that a clause belongs to; empty: nothing yet."""
    uid = segment.body["utterance_id"]
    told = (each.body for each in messages if each.type == "utterance")
    return next((each for each in told if each["utterance_id"] == uid), {})
