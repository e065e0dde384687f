"""List the runs of our own teams: the API adds them, the `teams` process makes them until their end.

A full list refuses one more. A run that is asked for twice is listed once. Each holds what its session has in the store
anyway, and the token by which its events are sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from redis.asyncio import Redis

from infra.errors import CorruptSession, TeamsFull
from infra.keys import TEAM_STARTS, TEAMS
from infra.scripts import SESSION_TTL_MS, answering

CLOSELY_MS: Final = 90_000  # starts of a run that are farther apart say nothing of its case
MOST_RUNS: Final = 32  # four times the sessions of a large machine; each has 64 KiB at most

_ASK: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[2]) then return 'FULL' end
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
end
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 'OK'
"""


class RunCase(BaseModel):
    """The case of a run, as its agents read it."""

    model_config = ConfigDict(frozen=True)

    case_id: str
    text: str = Field(repr=False)
    title: str = ""
    paper: Mapping[str, Any] | None = Field(default=None, repr=False)


class TeamRun(BaseModel):
    """One team on one case, in one session. `scripted` names a script, else `case` and `model` are given.

    `model` is a name among those that the operator configured: no address and no key is ever in here.
    `stays_here`: all that gets or keeps its words has to be on this machine, at each start.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    v: Literal[1] = 1
    session_id: str
    thread_id: str
    tenant: str = "local"
    opened_by: str = "local"
    team: str
    scripted: str = ""
    case: RunCase | None = Field(default=None, repr=False)
    model: str = ""
    stays_here: bool = False
    tokens: int | None = None
    team_token: str = Field(repr=False)
    at_ms: int

    @property
    def checkpoints(self) -> str:
        """The thread of its checkpoints: no other graph's, as the dialogue's is the session's own."""
        return f"team-{self.session_id}"


class TeamRuns:
    """The list of team runs. Each call has its deadline (StoreUnavailable)."""

    def __init__(self, client: Redis, *, most: int = MOST_RUNS) -> None:
        self._client, self._most = client, most

    async def ask(self, run: TeamRun) -> None:
        """Have a team run. Raises: TeamsFull."""
        args = (run.session_id, self._most, run.model_dump_json(), SESSION_TTL_MS)
        async with answering("a team"):
            word = await self._client.register_script(_ASK)([TEAMS], args)
        if word == "FULL":
            raise TeamsFull(self._most)

    async def asked(self) -> list[str]:
        """Return the sessions of those that wait or run."""
        async with answering("teams"):
            return sorted(str(each) for each in await self._client.hkeys(TEAMS))

    async def get(self, session_id: str) -> TeamRun | None:
        """Return a session's run, if it is not over. Raises: CorruptSession."""
        async with answering("a team"):
            text = await self._client.hget(TEAMS, session_id)
        if text is None:
            return None
        try:
            run = TeamRun.model_validate_json(str(text))
        except ValidationError as error:  # its text may quote the case
            raise CorruptSession(f"the team of session {session_id}", type(error).__name__) from None
        if run.session_id != session_id:
            raise CorruptSession(f"the team of session {session_id}", "it is another session's")
        return run

    async def begun(self, session_id: str) -> int:
        """Count one more start of a run, and return how many followed each other closely."""
        async with answering("a team"):
            pipe = self._client.pipeline(transaction=True)
            pipe.hincrby(TEAM_STARTS, session_id, 1)
            pipe.pexpire(TEAM_STARTS, CLOSELY_MS)
            return int((await pipe.execute())[0])

    async def over(self, session_id: str) -> None:
        """Take a run off the list: it will not be run any more."""
        async with answering("a team"):
            pipe = self._client.pipeline(transaction=True)
            pipe.hdel(TEAMS, session_id)
            pipe.hdel(TEAM_STARTS, session_id)
            await pipe.execute()
