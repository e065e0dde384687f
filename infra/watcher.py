"""Watch that every live session has its voice in its room, and dispatch another if not.

A dispatch is not a promise: livekit-server answers it with success and drops it when no worker is free at
that instant, and tells nobody when the worker that took it dies. So every API process looks, gently, and
asks again. It only dispatches, verifies and dispatches again. A second job would do harm, though the first has
the lease: livekit-server keeps one job an identity. So while one is on its way none is asked for, and no worker
takes one (`infra.arrivals`). Between processes, one attempt at a time: whoever sets the session's claim makes
it, and the claim expires before the next is due.

Two witnesses. The SFU lists who is in the room, but a killed process for another 23 s. The store has the
`voice` lease: a voice that lives renews it each second, so one that is overdue has lost its process, or has
one that is stopped. Its successor is asked for while the lease still runs: it starts meanwhile, and takes the
lease when that has run out. A ghost that is still listed is put out first. Were it left to the successor's
join, which has the same identity, livekit-server would end the successor's job for it: it keeps one job an
identity, the newest, and ends that when the identity's participant goes.

A live session whose room is gone (its SFU was restarted) gets the room again, with a dispatch in it; one that
was left open by a stack that was stopped, gets it from the API once its client is back. The voice itself
ends a session to which nobody comes back; one without a voice for the whole grace is ended here.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final, Protocol, assert_never

from infra.errors import StoreError, StoreFull, StoreMisconfigured, StoreUnavailable
from infra.sfu_port import (
    GRACE_S,
    RoomGone,
    SfuError,
    SfuPort,
    agent_identity,
    room_metadata,
    voice_dispatch,
)
from infra.unexpected_errors import UnexpectedError, contained

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchLimits:
    """The watcher's limits and intervals, in seconds."""

    poll_s: float = 0.5  # a look costs 1-3 ms a session
    overdue_s: float = 1.5  # left of a 4 s lease, renewed each second: two and a half renewals were missed
    untaken_s: float = 1.5  # a worker takes a dispatch within 50 ms, or never
    retry_s: float = 0.9  # after an attempt that no worker took: the second look after it
    patience_s: float = 5.0  # dispatch to joined takes 0.35 s warm, about 3 s for a process that must start
    claim_s: float = 0.7  # shorter than `retry_s`, or its own old claim would keep a process out
    deadline_s: float = 60.0  # a restarting worker is back well before; then the loss is logged, once
    slow_s: float = 15.0  # between attempts after that
    abandon_s: float = float(GRACE_S)
    back_s: float = 3.0  # after an outage of the store the holders renew first: within 1.5 s


class Sighting(StrEnum):
    """What a look at a session found."""

    PRESENT = "present"  # in its room, its lease renewed in time
    UNHELD = "unheld"  # it had a voice, and the lease has run out or is about to
    ABSENT = "absent"  # not in its room
    NO_ROOM = "no_room"


class WatchStep(StrEnum):
    """What to do about it."""

    NOTHING = "nothing"
    DISPATCH = "dispatch"
    MAKE_ROOM = "make_room"
    GIVE_UP = "give_up"  # say so; attempts go on, slowly
    ABANDON = "abandon"


@dataclass(frozen=True, slots=True)
class RoomLook:
    """One look. `jobs`: how many workers have ever taken in this room; `listed`: the agent is in it.

    `held`: somebody holds the lease. `arriving`: a worker took a job that is on its way.
    """

    sighting: Sighting
    jobs: int = 0
    listed: bool = False
    held: bool = True
    arriving: bool = False


@dataclass(frozen=True, slots=True)
class Watch:
    """What the watcher remembers of one session. Times are the loop's, in seconds."""

    missing_since_s: float | None = None
    attempted_at_s: float | None = None
    jobs: int = 0  # taken by workers at the last attempt
    stood: bool = False  # its room was seen
    spoke: bool = False  # its voice was seen
    slept: bool = False  # it was seen without a room and a voice
    gave_up: bool = False


def look(watch: Watch, seen: RoomLook, now_s: float, limits: WatchLimits) -> tuple[Watch, WatchStep]:
    """Return what to remember and what to do after a look at `now_s`.

    * A session without a voice and, from the first look on, without a room was left open by a stopped stack. It
      sleeps: a clinician who comes back gets the room with the token, and after the grace it is over.
    * A voice whose lease is overdue is replaced at once. Any other missing voice gets some time from the first look
      that missed it, and from each attempt; less if no worker took the attempt.
    * While a job is on its way (`infra.arrivals`) no other is asked for, however long it takes.
    * After `deadline_s` without a voice `GIVE_UP` is returned once, and attempts become rare; after `abandon_s` the
      session is over.
    """
    if seen.sighting is Sighting.PRESENT:
        return Watch(stood=True, spoke=True), WatchStep.NOTHING
    watch = replace(watch, stood=watch.stood or seen.sighting is not Sighting.NO_ROOM)
    left = not watch.stood and not seen.held
    if watch.slept and not left:
        watch = Watch(stood=watch.stood)  # somebody came back, and all times begin anew
    since_s = now_s if watch.missing_since_s is None else watch.missing_since_s
    watch = replace(watch, missing_since_s=since_s)
    if now_s - since_s >= limits.abandon_s:
        return watch, WatchStep.ABANDON
    if left:
        return replace(watch, slept=True), WatchStep.NOTHING
    if now_s - since_s >= limits.deadline_s and not watch.gave_up:
        return replace(watch, gave_up=True), WatchStep.GIVE_UP
    if seen.arriving or now_s < _due_s(watch, since_s, seen, limits):
        return watch, WatchStep.NOTHING
    if seen.sighting is Sighting.NO_ROOM:
        return replace(watch, attempted_at_s=now_s, jobs=0), WatchStep.MAKE_ROOM
    return replace(watch, attempted_at_s=now_s, jobs=seen.jobs), WatchStep.DISPATCH


def _due_s(watch: Watch, since_s: float, seen: RoomLook, limits: WatchLimits) -> float:
    """Return when the next attempt is due."""
    if watch.attempted_at_s is not None:
        if watch.gave_up:
            return watch.attempted_at_s + limits.slow_s
        taken = seen.jobs > watch.jobs
        return watch.attempted_at_s + (limits.patience_s if taken else limits.retry_s)
    if watch.spoke and seen.sighting is not Sighting.ABSENT:
        return since_s  # with its room gone too: the room of a live session is never deleted
    return since_s + (limits.patience_s if seen.jobs else limits.untaken_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveSession:
    """What the watcher needs to know of a session that is not over."""

    session_id: str
    thread_id: str
    room: str
    joined: bool = False  # a voice has been there
    lease_s: float = 0.0  # what is left of the `voice` lease; 0: nobody holds it
    arriving: bool = False  # a job is on its way to be the voice


class LiveSessions(Protocol):
    """The store, as the watcher sees it. Every call may raise StoreError."""

    async def live(self) -> Sequence[LiveSession]:
        """Return the sessions that are not over."""
        ...

    async def claim_dispatch(self, session: LiveSession, for_s: float) -> bool:
        """Take the right to make the next attempt, for `for_s` seconds.

        False if another process has it, if the session is over by now, or its lease was renewed since.
        """
        ...

    async def abandon(self, session: LiveSession) -> None:
        """Mark the session as over. One that is over already, or is unknown, is no error."""
        ...


COUNTED: Final = (
    "rounds",
    "dispatched",
    "untaken",
    "overdue",
    "ghosts",
    "rooms_made",
    "left_to_another",
    "gave_up",
    "abandoned",
    "passed_over",
    "store_failures",
    "sfu_failures",
)
"""Names of the counters; all start at 0. `/health` shows them. `overdue`: leases found so; `untaken`:
attempts made because no worker took the one before; `ghosts`: lost voices that were put out; `passed_over`:
looks at a session that failed by what is wrong with it alone, or by a store that is full."""


@dataclass(slots=True)
class Watcher:
    """Looks at all live sessions in a loop. One task runs it, until it is cancelled."""

    sessions: LiveSessions
    sfu: SfuPort
    limits: WatchLimits = WatchLimits()
    clock: Callable[[], float] = field(default=lambda: asyncio.get_running_loop().time())
    _watches: dict[str, Watch] = field(default_factory=dict)
    _counts: Counter[str] = field(default_factory=Counter)
    _blind: bool = False  # the last round failed, which was logged
    _passed_over: set[str] = field(default_factory=set)  # ids of the skipped sessions that were logged
    _store_back_s: float = float("-inf")  # when the store answered again after an outage

    @property
    def counts(self) -> Mapping[str, int]:
        """Return the counters by name, since this process started."""
        return {name: self._counts[name] for name in COUNTED}

    @property
    def voiceless(self) -> int:
        """Return how many live sessions have been without a voice for long enough to be logged."""
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
                self._store_back_s = float("inf")
                self._failed("store_failures", error)
            except SfuError as error:
                self._failed("sfu_failures", error)
            else:
                self._saw()
            await asyncio.sleep(self.limits.poll_s)

    async def round(self) -> None:
        """Look at every live session once. Raises: StoreError, SfuError."""
        asked_s = self.clock()
        live = await self.sessions.live()
        self._mind_outage(asked_s)
        ids = {session.session_id for session in live}
        self._watches = {known: watch for known, watch in self._watches.items() if known in ids}
        self._passed_over &= ids
        unseen: list[SfuError] = []
        for session in live:
            try:
                with contained(StoreError, SfuError):
                    await self._look_at(session)
            except SfuError as error:  # a failure for one room must not keep us from the others
                unseen.append(error)
            except StoreFull as error:  # no voice can be asked for; others may have to be ended
                self._pass_over(session, error)
            except (StoreUnavailable, StoreMisconfigured):
                raise
            except (StoreError, UnexpectedError) as error:
                self._pass_over(session, error)
        if unseen and len(unseen) == len(live):
            raise unseen[-1]
        self._counts["sfu_failures"] += len(unseen)

    async def _look_at(self, session: LiveSession) -> None:
        """Look at one session, and act on it."""
        before = self._watches.get(session.session_id, Watch())
        seen = await self._see(session)
        after, step = look(before, seen, self.clock(), self.limits)
        self._watches[session.session_id] = after
        if seen.sighting is Sighting.UNHELD and before.missing_since_s is None:
            self._counts["overdue"] += 1
        await self._act(session, step, before, seen)

    def _mind_outage(self, asked_s: float) -> None:
        """Record the end of an outage, which may have lasted as long as the client retries by itself."""
        now_s = self.clock()
        if self._store_back_s == float("inf") or now_s - asked_s > self.limits.overdue_s / 2:
            self._store_back_s = now_s

    async def _see(self, session: LiveSession) -> RoomLook:
        overdue = session.joined and session.lease_s < self.limits.overdue_s
        if self.clock() - self._store_back_s < self.limits.back_s:
            overdue = False
        try:
            listed = await self.sfu.agent_present(session.room, agent_identity(session.session_id))
            if listed and not overdue:
                return RoomLook(Sighting.PRESENT, listed=True)
            jobs = await self.sfu.jobs(session.room)
        except RoomGone:
            return RoomLook(Sighting.NO_ROOM, held=session.lease_s > 0.0)
        return RoomLook(
            Sighting.UNHELD if overdue else Sighting.ABSENT, jobs, listed, arriving=session.arriving
        )

    async def _act(self, session: LiveSession, step: WatchStep, before: Watch, seen: RoomLook) -> None:
        match step:
            case WatchStep.NOTHING:
                pass
            case WatchStep.DISPATCH | WatchStep.MAKE_ROOM:
                if await self.sessions.claim_dispatch(session, self.limits.claim_s):
                    self._count_attempt(step, before, seen)
                    await self._attempt(session, step, ghost=seen.listed)
                else:
                    self._counts["left_to_another"] += 1
            case WatchStep.GIVE_UP:
                self._counts["gave_up"] += 1
                log.error("session %s: no voice came in %g s", session.session_id, self.limits.deadline_s)
            case WatchStep.ABANDON:
                self._counts["abandoned"] += 1
                log.error(
                    "session %s: no voice for %g s, it is over", session.session_id, self.limits.abandon_s
                )
                await self.sessions.abandon(session)
                await self.sfu.delete_room(session.room)
            case _:
                assert_never(step)

    def _count_attempt(self, step: WatchStep, before: Watch, seen: RoomLook) -> None:
        self._counts["rooms_made" if step is WatchStep.MAKE_ROOM else "dispatched"] += 1
        self._counts["untaken"] += before.attempted_at_s is not None and seen.jobs <= before.jobs
        self._counts["ghosts"] += seen.listed

    async def _attempt(self, session: LiveSession, step: WatchStep, *, ghost: bool) -> None:
        """Dispatch a voice. An SFU that refuses, or is slow, fails this session alone."""
        asked_for = voice_dispatch(session.session_id, session.thread_id)
        try:
            if step is WatchStep.MAKE_ROOM:
                log.warning("session %s: its room is gone, making it again", session.session_id)
                await self.sfu.create_room(session.room, room_metadata(session.session_id), asked_for)
            else:
                log.warning("session %s: no voice in its room, asking again", session.session_id)
                if ghost:
                    await self.sfu.evict(session.room, agent_identity(session.session_id))
                await self.sfu.dispatch(session.room, asked_for)
        except RoomGone:
            return  # the next look sees that too, and makes it again
        except SfuError as error:
            self._counts["sfu_failures"] += 1
            log.warning("session %s: %s", session.session_id, error)

    def _pass_over(self, session: LiveSession, error: Exception) -> None:
        """Skip a session that can't be helped, and log that once."""
        self._counts["passed_over"] += 1
        if session.session_id not in self._passed_over:
            log.warning("session %s is passed over: %s", session.session_id, error)
        self._passed_over.add(session.session_id)

    def _failed(self, counter: str, error: Exception) -> None:
        self._counts[counter] += 1
        if not self._blind:
            log.warning("the watcher can't look, and goes on trying: %s", error)
        self._blind = True

    def _saw(self) -> None:
        if self._blind:
            log.info("the watcher can look again")
        self._blind = False
