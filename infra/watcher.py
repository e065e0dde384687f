"""Sees to it that every live session has its voice in its room, and asks again for it if not.

A dispatch is not a promise: livekit-server answers it with success and drops it when no worker is free at
that instant, and tells nobody when the worker that took it dies. So every API process looks, gently, and
asks again. It only dispatches, verifies and dispatches again; the job takes the lease, so a second job
is harmless. Between processes, one attempt at a time: whoever sets the session's claim makes it, and the
claim expires before the next is due.

A session whose room is gone is over (a room outlives its last human by more than the grace, so nobody is
left to be served): it is marked so, else it would count against the bound of sessions for ever.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol, assert_never

from infra.errors import StoreError
from infra.sfu_port import RoomGone, SfuError, SfuPort, agent_identity, voice_dispatch

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLimits:
    """How patient the watcher is, in seconds."""

    poll_s: float = 1.0  # a look costs 1-3 ms a session
    patience_s: float = 5.0  # dispatch to joined takes 0.35 s warm, about 3 s for a process that must start
    claim_s: float = 4.5  # below the patience, or a process would be kept out by its own former claim
    deadline_s: float = 60.0  # a worker that is restarting is back well before


class Sighting(StrEnum):
    """What a look into a session's room found."""

    PRESENT = "present"
    ABSENT = "absent"
    NO_ROOM = "no_room"


class Step(StrEnum):
    """What to do about it."""

    NOTHING = "nothing"
    DISPATCH = "dispatch"
    GIVE_UP = "give_up"
    ABANDON = "abandon"


@dataclass(frozen=True, slots=True)
class Watch:
    """What the watcher remembers of one session. Times are the loop's, in seconds."""

    missing_since_s: float | None = None
    attempted_at_s: float | None = None
    gave_up: bool = False


def look(watch: Watch, sighting: Sighting, now_s: float, limits: WatchLimits) -> tuple[Watch, Step]:
    """Return what to remember and what to do after a look at `now_s`.

    An agent that is missing gets `patience_s` from the first look that missed it, and from each attempt;
    after `deadline_s` the watcher gives up, once, until the agent was seen again.
    """
    if sighting is Sighting.PRESENT:
        return Watch(), Step.NOTHING
    since_s = now_s if watch.missing_since_s is None else watch.missing_since_s
    watch = replace(watch, missing_since_s=since_s)
    waited_s = now_s - (since_s if watch.attempted_at_s is None else watch.attempted_at_s)
    if watch.gave_up and sighting is Sighting.ABSENT:
        return watch, Step.NOTHING
    if waited_s < limits.patience_s:
        return watch, Step.NOTHING
    if sighting is Sighting.NO_ROOM:
        return watch, Step.ABANDON
    if now_s - since_s >= limits.deadline_s:
        return replace(watch, gave_up=True), Step.GIVE_UP
    return replace(watch, attempted_at_s=now_s), Step.DISPATCH


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSession:
    """What the watcher needs to know of a session that is not over."""

    session_id: str
    thread_id: str
    room: str


class LiveSessions(Protocol):
    """The store, as the watcher sees it. Every call may raise StoreError."""

    async def live(self) -> Sequence[LiveSession]:
        """Return the sessions that are not over."""
        ...

    async def claim_dispatch(self, session: LiveSession, for_s: float) -> bool:
        """Take the right to make the next attempt, for `for_s` seconds; False if another process has it."""
        ...

    async def abandon(self, session: LiveSession) -> None:
        """Mark the session as over. One that is over already, or is unknown, is no error."""
        ...


COUNTED: Final = (
    "rounds",
    "dispatched",
    "left_to_another",
    "gave_up",
    "abandoned",
    "store_failures",
    "sfu_failures",
)
"""Names of the counters; all start at 0. `/health` shows them."""


@dataclass(slots=True)
class Watcher:
    """The loop around `look`. One task runs it; it ends by being cancelled only."""

    sessions: LiveSessions
    sfu: SfuPort
    limits: WatchLimits = WatchLimits()
    clock: Callable[[], float] = field(default=lambda: asyncio.get_running_loop().time())
    _watches: dict[str, Watch] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _blind: bool = False  # the last round failed: said once, not every second

    @property
    def counts(self) -> Mapping[str, int]:
        """How often what happened, since this process started."""
        return {name: self._counts[name] for name in COUNTED}

    @property
    def voiceless(self) -> int:
        """How many live sessions it has given up."""
        return sum(watch.gave_up for watch in self._watches.values())

    async def run(self) -> None:
        """Look at every live session, over and over, `poll_s` between rounds.

        A store or SFU that fails ends the round, is counted, and the next one tries again.
        """
        while True:
            self._counts["rounds"] += 1
            try:
                await self.round()
            except StoreError as error:
                self._failed("store_failures", error)
            except SfuError as error:
                self._failed("sfu_failures", error)
            else:
                self._saw()
            await asyncio.sleep(self.limits.poll_s)

    async def round(self) -> None:
        """Look at every live session once. Raises: StoreError, SfuError."""
        live = await self.sessions.live()
        ids = {session.session_id for session in live}
        self._watches = {known: watch for known, watch in self._watches.items() if known in ids}
        for session in live:
            watch = self._watches.get(session.session_id, Watch())
            sighting = await self._sight(session)
            self._watches[session.session_id], step = look(watch, sighting, self.clock(), self.limits)
            await self._act(session, step)

    async def _sight(self, session: LiveSession) -> Sighting:
        try:
            present = await self.sfu.agent_present(session.room, agent_identity(session.session_id))
        except RoomGone:
            return Sighting.NO_ROOM
        return Sighting.PRESENT if present else Sighting.ABSENT

    async def _act(self, session: LiveSession, step: Step) -> None:
        match step:
            case Step.NOTHING:
                pass
            case Step.DISPATCH:
                await self._dispatch(session)
            case Step.GIVE_UP:
                self._counts["gave_up"] += 1
                log.error("session %s: no voice came in %g s", session.session_id, self.limits.deadline_s)
            case Step.ABANDON:
                self._counts["abandoned"] += 1
                log.warning("session %s: its room is gone, so it is over", session.session_id)
                await self.sessions.abandon(session)
            case _:
                assert_never(step)

    async def _dispatch(self, session: LiveSession) -> None:
        if not await self.sessions.claim_dispatch(session, self.limits.claim_s):
            self._counts["left_to_another"] += 1
            return
        self._counts["dispatched"] += 1
        log.warning("session %s: no voice in its room, asking again", session.session_id)
        try:
            await self.sfu.dispatch(session.room, voice_dispatch(session.session_id, session.thread_id))
        except RoomGone:
            return  # the next look sees that too, and marks it

    def _failed(self, counter: str, error: Exception) -> None:
        self._counts[counter] += 1
        if not self._blind:
            log.warning("the watcher can't look, and goes on trying: %s", error)
        self._blind = True

    def _saw(self) -> None:
        if self._blind:
            log.info("the watcher can look again")
        self._blind = False
