"""Make your own team heard: open a session, and stream to it what the agents say.

    opened = await open_session("http://127.0.0.1:8080", title="Chest pain after a flight")
    print(opened.page_url)
    async with LiveTeam(opened) as team:
        async with team.agent("Doctor Zero") as turn:
            await turn.say("I think of an embolism first.")

Needs httpx and pydantic; `exaim_live.langchain` needs langchain-core too. Names are imported when first used, so
that who wants a part of it alone loads no more.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from exaim_live.errors import LiveError, Refused, Unreachable
    from exaim_live.events import Decision, DecisionKind, ProgressKind
    from exaim_live.inbox import MessageKind, TeamMessage
    from exaim_live.opening import Opened, open_session
    from exaim_live.team import LiveTeam, Turn

_HOMES: Final = {
    "Decision": "events",
    "DecisionKind": "events",
    "LiveError": "errors",
    "LiveTeam": "team",
    "MessageKind": "inbox",
    "Opened": "opening",
    "ProgressKind": "events",
    "Refused": "errors",
    "TeamMessage": "inbox",
    "Turn": "team",
    "Unreachable": "errors",
    "open_session": "opening",
}

__all__ = [
    "Decision",
    "DecisionKind",
    "LiveError",
    "LiveTeam",
    "MessageKind",
    "Opened",
    "ProgressKind",
    "Refused",
    "TeamMessage",
    "Turn",
    "Unreachable",
    "open_session",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(name)
    return getattr(import_module(f"exaim_live.{_HOMES[name]}"), name)
