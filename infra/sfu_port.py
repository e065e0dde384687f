"""The port to an SFU: its values, names, limits and errors. `infra.sfu` is the adapter.

An agent is told apart by the kind in its token, which only the SFU sets for a job it assigned; a clinician
who takes an agent's name is still a clinician.

Errors, the only ones that leave the port::

    SfuError
    ├── SfuMisconfigured   the URL, key or secret can't be right; raised before anything is asked
    ├── SfuUnavailable     no answer, or none of use, within the deadline; trying again may help
    ├── SfuRefused         the SFU does not accept our key and secret, or what we asked for
    └── RoomGone           there is no such room (any more)
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, Protocol
from urllib.parse import urlsplit

AGENT_NAME: Final = "exaim-voice"
"""The name under which voice workers register and are dispatched."""

GRACE_S: Final = 300
"""How long a session waits for a listener who went away: five minutes."""

DEPARTURE_TIMEOUT_S: Final = GRACE_S + 60
"""How long the SFU keeps a room after the last human left. Its default of 20 s is far below the grace."""

EMPTY_TIMEOUT_S: Final = GRACE_S + 60
"""How long the SFU keeps a room that nobody has joined yet."""

MAX_PARTICIPANTS: Final = 4
"""Humans in one room: the clinician, and three to spare. The SFU counts no agents."""

TOKEN_TTL_S: Final = 600
"""How long a token lets somebody join: who has joined is given fresh ones by the SFU, every five minutes, and
who comes back asks for one by the session's secret. So what is revoked is soon of no use."""

CALL_DEADLINE_S: Final = 5.0
"""For one call, retries included. A healthy local answer takes 1-3 ms; the server's own give-up is 3 s."""

MIN_SECRET_CHARS: Final = 32
"""HMAC-SHA256 wants a key of 256 bits; livekit-server warns below it, newer ones refuse."""


def is_address(url: str) -> bool:
    """Return whether `url` can be a server's: ws, wss, http or https, and a host."""
    try:
        parts = urlsplit(url)
        return parts.scheme in {"ws", "wss", "http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # half an IPv6 address, or a port that is no number
        return False


class SfuError(Exception):
    """Something between us and the SFU failed. See the tree in the module's docstring."""


class SfuMisconfigured(SfuError):
    """The settings can't be right; the message names the setting and the mend."""


class SfuUnavailable(SfuError):
    """The SFU gave no usable answer in time; trying again may help."""

    def __init__(self, call: str, detail: str) -> None:
        super().__init__(f"the SFU did not answer {call}: {detail}. Is LIVEKIT_URL right, and its server up?")
        self.call, self.detail = call, detail


class SfuRefused(SfuError):
    """The SFU answered, and said no; asking again without a change is of no use."""

    def __init__(self, call: str, status: int, detail: str) -> None:
        mend = (
            "LIVEKIT_API_KEY and LIVEKIT_API_SECRET are not a pair that this server knows"
            if status == 401
            else detail or "no reason was given"
        )
        super().__init__(f"the SFU refused {call} (HTTP {status}): {mend}")
        self.call, self.status = call, status


class RoomGone(SfuError):
    """There is no such room: it was deleted, or closed by its time-outs."""

    def __init__(self, room: str) -> None:
        super().__init__(f"the room {room} does not exist")
        self.room = room


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """A request for one agent job in a room. `metadata` reaches the job as it is: JSON, no clinical text."""

    metadata: str
    agent_name: str = AGENT_NAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """Somebody whom the SFU lists in a room. A killed one is still listed for about 22 s."""

    identity: str
    is_agent: bool
    active: bool  # media is connected; False while joining


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomState:
    """What the SFU says about a room, as far as we rely on it."""

    name: str
    metadata: str
    empty_timeout_s: int
    departure_timeout_s: int
    max_participants: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinToken:
    """A signed token that lets one identity join one room, and the moment (Unix ms) at which it expires."""

    jwt: str
    expires_at_ms: int


def room_of(session_id: str) -> str:
    """Return the room of a session. Unguessable, because the session's id is."""
    return f"case-{session_id}"


def agent_identity(session_id: str) -> str:
    """Return the voice's identity in a session's room; a successor has the same, and evicts a ghost."""
    return f"agent-{session_id}"


def clinician_identity(session_id: str) -> str:
    """Return the identity of the clinician in a session's room."""
    return f"clinician-{session_id}"


def voice_dispatch(session_id: str, thread_id: str) -> Dispatch:
    """Return the dispatch of a session's voice."""
    return Dispatch(metadata=json.dumps({"v": 1, "session_id": session_id, "thread_id": thread_id}))


def room_metadata(session_id: str) -> str:
    """Return what a session's room says about itself."""
    return json.dumps({"v": 1, "session_id": session_id})


class SfuPort(Protocol):
    """What the API and the watcher ask of an SFU. Every call ends within `CALL_DEADLINE_S`.

    Raises, each call: SfuUnavailable, SfuRefused; those about a room that must exist: RoomGone.
    """

    async def create_room(self, room: str, metadata: str, dispatch: Dispatch) -> RoomState:
        """Make the room, with the dispatch in it. An existing room is returned, and no dispatch added."""
        ...

    async def dispatch(self, room: str, dispatch: Dispatch) -> None:
        """Ask for one more agent job in an existing room. Success does not mean that a worker took it."""
        ...

    async def jobs(self, room: str) -> int:
        """Return how many jobs workers have ever taken in an existing room; a dropped dispatch is none."""
        ...

    async def agent_present(self, room: str, identity: str) -> bool:
        """Return whether the agent of that identity is in the room, or joining it."""
        ...

    async def participants(self, room: str) -> tuple[Participant, ...]:
        """Return who is in an existing room."""
        ...

    async def evict(self, room: str, identity: str) -> None:
        """Put a participant out of a room. One that is gone already, or a room that is, is no error."""
        ...

    async def delete_room(self, room: str) -> None:
        """Delete the room and disconnect all in it. One that is gone already is no error."""
        ...

    async def check(self) -> None:
        """Raise what any call would raise now, or return."""
        ...

    def token(self, identity: str, room: str, ttl_s: int = TOKEN_TTL_S) -> JoinToken:
        """Return a clinician's token for one room. Asks nobody and does not fail."""
        ...

    async def aclose(self) -> None:
        """Close the connections. May be called twice."""
        ...
