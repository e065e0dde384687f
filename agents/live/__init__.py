"""The client of live teams by its first name: `exaim_live` is a package of its own now."""

from exaim_live import (
    LiveError,
    LiveTeam,
    MessageKind,
    Opened,
    Refused,
    TeamMessage,
    Turn,
    Unreachable,
    open_session,
)

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
