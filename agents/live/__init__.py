"""A team of one's own, heard in a session: opens it, and streams to it what the agents say.

    opened = await open_session("http://127.0.0.1:8080", title="Chest pain after a flight")
    print(opened.page_url)
    async with LiveTeam(opened) as team:
        async with team.agent("Doctor Zero") as turn:
            await turn.say("I think of an embolism first.")

Needs httpx and pydantic; `agents.live.langchain` needs langchain-core too. docs/live.md tells the rest.
"""

from agents.inbox import MessageKind, TeamMessage
from agents.live.errors import LiveError, Refused, Unreachable
from agents.live.opening import Opened, open_session
from agents.live.team import LiveTeam, Turn

__all__ = [
    "LiveError",
    "LiveTeam",
    "MessageKind",
    "Opened",
    "Refused",
    "TeamMessage",
    "Turn",
    "Unreachable",
    "open_session",
]
