"""Bound what one team, and one opener, may ask for, so that others do not notice.

Rates are counted in this process and start full with it; bytes are counted in the store, for all processes.
Over a rate or a bound: 429, a code that says which, and after how many seconds to come again.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Self

from redis.asyncio import Redis

from agents.stream import EventType, TeamEvent
from infra.buckets import Buckets, Pace
from infra.log_bytes import MIB, LogBytes, StoreRoom, share_of
from infra.sessions import SessionRecord, SessionStore
from infra.settings import Settings
from routes.errors import ApiError

EVENTS: Final = Pace(burst=5_000, per_s=500)
"""Of one team. Five models at a hundred tokens a second each, every token an event; and the largest recorded
case (7,297 events) within seconds, for a team that comes late."""

BYTES: Final = Pace(burst=2 * MIB, per_s=128 * 1024)
"""Of one team's text. 20,000 words a second are more than any team says or anybody hears, and less than takes
the reasoner's time from others for long; the burst is twice the text of the largest recorded case."""

OPENINGS: Final = Pace(burst=30, per_s=1 / 3)
"""Of one opener: each leaves a record and a report for hours. A ward opens a few in a minute, a bench dozens."""

ASKS: Final = Pace(burst=10, per_s=1 / 6)
"""Of one clinician to a team: ten in a minute are a conversation; each may cost the team a call of a model."""

DRAFTS: Final = Pace(burst=6, per_s=1 / 20)
"""Of one opener: each asks a model with a whole case. Three in a minute are more than anybody corrects."""

LOOKS: Final = Pace(burst=20, per_s=1)
"""Of one team at its inbox: a call waits for 25 s, unless something comes."""

TEAMS: Final = Pace(burst=6, per_s=1 / 60)
"""Teams of ours that one opener starts: each may ask a model that is paid for some thirty times."""

LOG_FULL_RETRY_S: Final = 5
"""A session that has ended gives its words back with its report, some 3 s later."""
STORE_LOW_RETRY_S: Final = 30
_ENDING: Final = frozenset({EventType.ERROR, EventType.END})


@dataclass(frozen=True, slots=True)
class Quotas:
    """The bounds of one process, with the present use of each by team and opener."""

    logs: LogBytes
    room: StoreRoom
    team_events: Buckets
    team_bytes: Buckets
    opener_events: Buckets
    opener_bytes: Buckets
    openings: Buckets
    teams: Buckets
    asks: Buckets
    looks: Buckets
    drafts: Buckets

    @classmethod
    def of(
        cls,
        client: Redis,
        sessions: SessionStore,
        settings: Settings,
        *,
        now_s: Callable[[], float] = time.monotonic,
    ) -> Self:
        """Return the quotas of the settings. An opener's bound is that of all its teams together."""
        total, most = settings.log_mib * MIB, settings.max_sessions
        return cls(
            logs=LogBytes(client, sessions, total=total, share=share_of(total, most)),
            room=StoreRoom(client, sessions, now_s=now_s),
            team_events=Buckets(EVENTS, now_s=now_s),
            team_bytes=Buckets(BYTES, now_s=now_s),
            opener_events=Buckets(EVENTS.times(most), now_s=now_s),
            opener_bytes=Buckets(BYTES.times(most), now_s=now_s),
            openings=Buckets(OPENINGS, now_s=now_s),
            teams=Buckets(TEAMS, now_s=now_s),
            asks=Buckets(ASKS, now_s=now_s),
            looks=Buckets(LOOKS, now_s=now_s),
            drafts=Buckets(DRAFTS, now_s=now_s),
        )

    def count_ask(self, session_id: str) -> None:
        """Count one more message to a team. Raises: ApiError 429: it is not to be sent."""
        message = "the team was asked often lately; nothing was sent, wait"
        _count(self.asks, session_id, "too_many_asks", message)

    def count_look(self, session_id: str) -> None:
        """Count one more look of a team into its inbox. Raises: ApiError 429."""
        message = "ask less often; an inbox with wait_s=25 answers as soon as something comes"
        _count(self.looks, session_id, "too_fast", message)

    def count_opening(self, tenant: str, principal: str) -> None:
        """Count one more session of an opener. Raises: ApiError 429."""
        message = "this key has opened many sessions lately; wait, or end one and go on in another"
        _count(self.openings, f"{tenant}/{principal}", "too_many_openings", message)

    def count_draft(self, tenant: str, principal: str) -> None:
        """Count one more paper that is asked for, of a model or a script. Raises: ApiError 429: none is made."""
        message = "this key has asked for many papers lately; wait"
        _count(self.drafts, f"{tenant}/{principal}", "too_many_drafts", message)

    def count_team(self, tenant: str, principal: str) -> None:
        """Count one more team of ours that an opener starts. Raises: ApiError 429."""
        message = "this key has started many teams lately; nothing was started, wait"
        _count(self.teams, f"{tenant}/{principal}", "too_many_teams", message)

    async def room_for(self, session_id: str) -> None:
        """Set a session's bytes aside. Raises: ApiError 429; StoreError."""
        if await self.room.low():
            raise store_low()
        if not await self.logs.set_aside(session_id):
            message = (
                "the words of other sessions fill what there is for them; end one, wait for its report, or "
                "raise EXAIM_LOG_MIB and the store's maxmemory"
            )
            raise over("logs_full", message, LOG_FULL_RETRY_S)

    async def count_events(self, record: SessionRecord, events: Sequence[TeamEvent]) -> None:
        """Count a batch of a team's. Raises: ApiError 429: nothing of it is to be taken; StoreError."""
        size = sum(len(event.data.encode()) for event in events)
        opener = f"{record.tenant}/{record.opened_by}"
        asked = (
            (self.team_events, record.session_id, max(1, len(events))),
            (self.team_bytes, record.session_id, size),
            (self.opener_events, opener, max(1, len(events))),
            (self.opener_bytes, opener, size),
        )
        wait_s = max(buckets.short_s(name, cost) for buckets, name, cost in asked)
        if wait_s > 0:
            message = (
                f"at most {EVENTS.per_s:g} events and {BYTES.per_s / 1024:g} KiB of text a second; send this "
                "batch again after Retry-After, and join neighbouring tokens"
            )
            raise over("too_fast", message, wait_s)
        if any(event.type not in _ENDING for event in events) and await self.room.low():
            raise store_low()
        for buckets, name, cost in asked:
            buckets.take(name, cost)


def _count(buckets: Buckets, name: str, code: str, message: str) -> None:
    wait_s = buckets.short_s(name, 1)
    if wait_s > 0:
        raise over(code, message, wait_s)
    buckets.take(name, 1)


def over(code: str, message: str, wait_s: float) -> ApiError:
    """Return the 429 answer for a request over a quota."""
    return ApiError(429, code, message, headers={"Retry-After": str(max(1, math.ceil(wait_s)))})


def store_low() -> ApiError:
    """Return the 429 answer for a request that would use the reserve of the sessions under way."""
    message = (
        "the store has only its reserve left, which is for sessions under way; end some, or raise maxmemory"
    )
    return over("store_low", message, STORE_LOW_RETRY_S)
