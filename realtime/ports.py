"""The ports of a session's voice: its facts, and the streams that it reads."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Protocol

from exaim_core import spoken_name
from infra.sfu_port import GRACE_S, clinician_identity
from infra.streams import Command, Logged, LoggedCommand, LoggedUpdate
from realtime.protocol import Agent, Hello
from realtime.room.messages import reader_body
from realtime.speech.which_case import WhichCase
from tts_queue import SAMPLE_RATE_HZ

READ_BLOCK_MS: Final = 1_000  # a read of a stream waits so long, then asks again
READ_COUNT: Final = 256


class Streams(Protocol):
    """The readings that a voice needs; `infra.streams.SessionStreams` is the real one."""

    async def read_events(self, after_id: str, *, block_ms: int, count: int) -> list[Logged]:
        """Return the agents' events after `after_id`, waiting up to `block_ms` for the first."""
        ...

    async def read_updates(self, after_id: str, *, block_ms: int, count: int) -> list[LoggedUpdate]:
        """Return the engine's updates, likewise."""
        ...

    async def read_commands(self, after_id: str, *, block_ms: int, count: int) -> list[LoggedCommand]:
        """Return what was asked of the session, likewise."""
        ...

    async def team_silent_s(self) -> float | None:
        """Return how long ago a live team's program last gave a sign, a word or none; None: it never did."""
        ...

    async def append_command(self, command: Command) -> bool:
        """Ask something of the session; False if this very command is there already."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What does not change while a session lives."""

    session_id: str
    case_id: str
    title: str
    agents: tuple[str, ...]
    epoch: int
    grace_s: float = float(GRACE_S)  # how long it waits for the clinician
    has_paper: bool = False  # a case paper, against which numbers and orders are checked
    live: bool = False  # the agents think whether somebody listens or not
    silence_s: float = math.inf  # after so long without a word of theirs it is told that they are silent
    patient: str = ""  # by age and sex, as far as they are known
    reader: tuple[str, str, str] | None = None  # name, model and host of who reads; None: rules
    simulated: bool = False  # the patient is invented, and the case paper says so

    @property
    def clinician(self) -> str:
        """Return the one identity that is listened to."""
        return clinician_identity(self.session_id)

    @property
    def which_case(self) -> WhichCase:
        """Return which case this is, as it is told."""
        return WhichCase(title=self.title, patient=self.patient, live=self.live, simulated=self.simulated)

    def hello(self, track_sid: str) -> Hello:
        """Return what a client is told first; `track_sid` is that of our voice."""
        return Hello(
            session_id=self.session_id,
            case_id=self.case_id,
            title=self.title,
            which_case=self.which_case.sentences,
            reader=reader_body(self.reader),
            agents=tuple(Agent(id=agent, name=spoken_name(agent)) for agent in self.agents),
            sample_rate_hz=SAMPLE_RATE_HZ,
            track_sid=track_sid,
            has_paper=self.has_paper,
            grace_s=self.grace_s,
        )
