"""The parts that all requests share, made and closed by the application's lifespan."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Protocol

from fastapi import Depends, Request
from redis.asyncio import Redis

from chat_models.config import ModelSpec
from infra.database import Records
from infra.outbox import Outbox
from infra.reports.recorder import Recorder
from infra.sessions import SessionStore
from infra.settings import Settings
from infra.sfu_port import SfuPort
from infra.unexpected_errors import RestartedLoop
from infra.watcher import Watcher
from routes.quotas import Quotas


class CaseEntry(Protocol):
    """A case as the catalogue lists it. `problem` says why it can't be played, or is None."""

    @property
    def case_id(self) -> str:
        """What a session is opened with."""
        ...

    @property
    def title(self) -> str:
        """For people."""
        ...

    @property
    def words(self) -> int:
        """Words that the agents say in it."""
        ...

    @property
    def duration_s(self) -> float:
        """How long they take, at speed 1."""
        ...

    @property
    def agents(self) -> Sequence[str]:
        """Ids of the agents in it."""
        ...

    @property
    def problem(self) -> str | None:
        """Why it can't be played."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one application."""

    settings: Settings
    client: Redis
    sessions: SessionStore
    sfu: SfuPort
    cases: Mapping[
        str, CaseEntry
    ]  # the catalogue, by id: those of the start; a paper that was mended is read again
    watcher: Watcher | None
    watching: RestartedLoop | None
    opening: asyncio.Lock  # held while sessions are counted and one is added
    outbox: Outbox
    records: Records | None  # what is kept of sessions that are over; None: nothing is
    recorder: Recorder | None  # makes reports in this process, if it does
    recording: RestartedLoop | None
    quotas: Quotas
    readers: Mapping[str, ModelSpec] = field(default_factory=dict)  # models that may read, by name
    team_models: Mapping[str, ModelSpec] = field(
        default_factory=dict
    )  # that teams may be started with, by name

    @property
    def livekit_url(self) -> str:
        """The SFU as a clinician's program reaches it."""
        return self.settings.livekit_public_url or self.settings.livekit_url


def parts_of(request: Request) -> Parts:
    """Return the running application's parts."""
    parts: Parts = request.app.state.parts
    return parts


PartsHere = Annotated[Parts, Depends(parts_of)]
