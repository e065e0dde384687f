"""A strict scripted SFU: it answers what the script says, in its order, and fails on anything else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from infra.sfu_port import (
    DEPARTURE_TIMEOUT_S,
    EMPTY_TIMEOUT_S,
    MAX_PARTICIPANTS,
    TOKEN_TTL_S,
    Dispatch,
    JoinToken,
    Participant,
    RoomState,
    SfuError,
)

FAR_AWAY_MS: Final = 4_102_444_800_000
"""When the fake's tokens expire: the year 2100."""


class UnexpectedSfuCall(BaseException):
    """A call came that the script does not have at this place. No loop's last resort catches it."""


class UnmadeSfuCalls(AssertionError):
    """The script has calls that never came."""


@dataclass(frozen=True, slots=True)
class Expect:
    """One call: its name, the room if that matters, and what it answers or raises."""

    call: str
    room: str | None = None
    answer: Any = None
    fails: SfuError | None = None


@dataclass(slots=True)
class ScriptedSfu:
    """`SfuPort` by script. `made` lists the calls that came: (name, arguments after the name)."""

    script: list[Expect] = field(default_factory=list)
    made: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    closed: bool = False

    def then(self, *steps: Expect) -> None:
        """Add steps to the end of the script."""
        self.script.extend(steps)

    def assert_finished(self) -> None:
        """Raise UnmadeSfuCalls if a step of the script is left."""
        if self.script:
            raise UnmadeSfuCalls(f"never called: {[step.call for step in self.script]}")

    async def create_room(self, room: str, metadata: str, dispatch: Dispatch) -> RoomState:
        """As the port; answers a room with the real time-outs unless the script has another answer."""
        answer = self._next("create_room", room, metadata, dispatch)
        return answer if isinstance(answer, RoomState) else room_state(room, metadata)

    async def dispatch(self, room: str, dispatch: Dispatch) -> None:
        """As the port."""
        self._next("dispatch", room, dispatch)

    async def jobs(self, room: str) -> int:
        """As the port; the script's answer is the number, 0 without one."""
        return int(self._next("jobs", room) or 0)

    async def agent_present(self, room: str, identity: str) -> bool:
        """As the port; the script's answer is the bool."""
        return bool(self._next("agent_present", room, identity))

    async def participants(self, room: str) -> tuple[Participant, ...]:
        """As the port; the script's answer is the tuple."""
        return tuple(self._next("participants", room) or ())

    async def evict(self, room: str, identity: str) -> None:
        """As the port."""
        self._next("evict", room, identity)

    async def delete_room(self, room: str) -> None:
        """As the port."""
        self._next("delete_room", room)

    async def check(self) -> None:
        """As the port."""
        self._next("check", "")

    def token(self, identity: str, room: str, ttl_s: int = TOKEN_TTL_S) -> JoinToken:
        """Return a readable token. Needs no step in the script: it asks nobody."""
        return JoinToken(jwt=f"token of {identity} for {room}, {ttl_s} s", expires_at_ms=FAR_AWAY_MS)

    async def aclose(self) -> None:
        """Close; a call after this is unexpected."""
        self.closed = True

    def _next(self, call: str, room: str, *more: Any) -> Any:
        step = self.script[0] if self.script and not self.closed else None
        if step is None or step.call != call or step.room not in {None, room}:
            raise UnexpectedSfuCall(f"{call}({room}) came, where the script has {step}")
        del self.script[0]
        self.made.append((call, (room, *more)))
        if step.fails is not None:
            raise step.fails
        return step.answer


def room_state(room: str, metadata: str = "{}") -> RoomState:
    """Return what the SFU says of a room that we made."""
    return RoomState(
        name=room,
        metadata=metadata,
        empty_timeout_s=EMPTY_TIMEOUT_S,
        departure_timeout_s=DEPARTURE_TIMEOUT_S,
        max_participants=MAX_PARTICIPANTS,
    )
