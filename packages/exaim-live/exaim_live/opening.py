"""Opens a session for a case that no recording holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from exaim_live.errors import asked
from exaim_live.keys import KEY_HEADER, headers

OPEN_WITHIN_S: Final = 20.0


@dataclass(frozen=True, slots=True)
class Opened:
    """A session for a live team: the token for its events, and a link that invites its clinician once.

    `answer` is all that POST /sessions answered: docs/protocol.md. Who only sends needs the first two.
    """

    events_url: str
    team_token: str = field(repr=False)
    page_url: str = field(default="", repr=False)
    answer: Mapping[str, Any] = field(default_factory=dict, repr=False)


async def open_session(
    api_url: str,
    *,
    title: str,
    paper: Mapping[str, Any] | None = None,
    agents: Sequence[str] = (),
    silence_s: float | None = None,
    max_tokens: int | None = None,
    reader: str | None = None,
    key: str | None = None,
    http: httpx.AsyncClient | None = None,
) -> Opened:
    """Open a session at a running EXAIM Voice.

    Args:
        api_url: its address, as the page's.
        title: of the case; it is on the page, and said when there is time for it.
        paper: what is on record of the patient; docs/case-paper.md lists its fields, and no other is taken.
        agents: who will speak; others may join in.
        silence_s: after so long without a word the team is told as silent; it may go on. By default 5 minutes.
        max_tokens: that its models may take, by the costs that are sent; its inbox tells at 80 % and at 100 %.
        reader: which of the operator's models reads the team's words, by its name; by default the usual one.
        key: as `exaim key` prints it, where EXAIM Voice runs on another machine, or as another user; by
            default EXAIM_KEY, or a key that this program signs itself.
        http: a client of one's own; it is not closed.

    Raises: Unreachable, Refused; TypeError: `agents` is one name and no list of names.
    """
    if isinstance(agents, str):
        raise TypeError('agents has to be a list of names, such as ["Cardiologist"]')
    case: dict[str, Any] = {
        "title": title,
        "paper": paper,
        "agents": list(agents),
        "silence_s": silence_s,
        "max_tokens": max_tokens,
        "reader": reader,
    }
    body = {"live": {name: value for name, value in case.items() if value is not None}}
    async with AsyncExitStack() as stack:
        if http is None:
            http = await stack.enter_async_context(httpx.AsyncClient(timeout=OPEN_WITHIN_S))
        sessions_url = f"{api_url.rstrip('/')}/sessions"
        shown = {KEY_HEADER: key} if key else headers(api_url)
        request = http.build_request("POST", sessions_url, json=body, headers=shown)
        return await asked(http, request, lambda answer: _opened(sessions_url, answer))


def _opened(sessions_url: str, answer: Mapping[str, Any]) -> Opened:
    live = answer["live"]
    return Opened(
        events_url=f"{sessions_url}/{answer['session_id']}/events",
        team_token=live["team_token"],
        page_url=live["page_url"],
        answer=answer,
    )
