"""The names of a session's keys: all in one hash slot, so that one script may touch them."""

from __future__ import annotations

from dataclasses import dataclass

LIVE = "exaim:live"
"""Advisory sorted set: session ids by their last heartbeat, in ms since the epoch."""

ENDED = "exaim:ended"
"""Advisory sorted set: ids of sessions that are over and not recorded yet, by when to look, in ms."""

LOGS = "exaim:logs"
"""Hash: how many bytes of agents' words a session has, or may still get, by its id."""

TEAMS = "exaim:teams"
"""Hash: teams of ours that are asked for or run, as JSON, by their session's id."""

TEAM_STARTS = "exaim:team-starts"
"""Hash: how often each of them was begun of late."""

REPORTED = "exaim:reported"
"""Advisory sorted set: ids of sessions that are over for good and have their report, by when, in ms."""

_LASTING = (
    "record",  # hash: the session record and its version
    "events",  # stream: what the agents say
    "updates",  # stream: what exaim_core made of it
    "commands",  # stream: what the clinician asked for
    "heads",  # hash: event_seq, event_bytes, sealed, updates, commands, clause; held:*, vacant:* a lease;
    # inbox, inbox_taken, inbox_asked_ms, inbox:<message id>; tokens, tokens_seq,
    # tokens_in:<call>, tokens_out:<call>
    "seen",  # set: ids of updates and commands that are there
    "utterances",  # hash id -> what is to be said; never changed
    "phases",  # hash id -> how far it has come
    "versions",  # hash id -> what a compare-and-set compares
    "order",  # list of utterance ids, in order of creation
    "fence:voice",
    "fence:reason",  # string: token of the newest holder; outlives the lease
    "outbox",  # hash: what is still to be done about a session that is over
    "report",  # string: its report, as JSON
    "paper",  # string: case paper of a live team's case, as JSON
    "inbox",  # stream: what the clinician sends to a live team
    "fence:team",  # string: token of the newest process that runs a team of ours
)
_PASSING = (
    "lease:voice",
    "lease:reason",
    "lease:team",
    "arriving",  # string: the job that is on its way to be the voice; `-<job>`: that is there, or will not come
)  # expire by themselves, are never kept alive by a write


@dataclass(frozen=True, slots=True)
class SessionKeys:
    """Keys of one session: `exaim:{<thread_id>}:<session_id>:<name>`; the braces are the hash tag."""

    thread_id: str
    session_id: str

    def __post_init__(self) -> None:
        if not self.thread_id or not self.session_id or set("{}") & set(self.thread_id):
            raise ValueError("ids must not be empty, and a thread id holds no braces")

    def name(self, name: str) -> str:
        """Return the full key called `name`."""
        return f"exaim:{{{self.thread_id}}}:{self.session_id}:{name}"

    @property
    def lasting(self) -> tuple[str, ...]:
        """Keys that live as long as the session does; each write renews the time to live of all."""
        return tuple(map(self.name, _LASTING))

    @property
    def declared(self) -> tuple[str, ...]:
        """All keys, in the order in which `lua/prelude.lua` names them."""
        return tuple(map(self.name, _LASTING + _PASSING))

    @property
    def events(self) -> str:
        """Stream of the agents' events."""
        return self.name("events")

    @property
    def updates(self) -> str:
        """Stream of updates."""
        return self.name("updates")

    @property
    def inbox(self) -> str:
        """Stream of the clinician's messages to a live team."""
        return self.name("inbox")

    @property
    def commands(self) -> str:
        """Stream of commands."""
        return self.name("commands")
