"""Free loopback ports for embedded servers, kept from one start to the next.

A kept port lets a page that is open while the stack restarts find it again.
"""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Final

LOOPBACK: Final = "127.0.0.1"
CANDIDATES: Final = range(20_000, 30_000)
"""Below the range that Linux takes outgoing ports from (32768 and up), so that none is lost between the
choice and the server's bind."""
_TRIES = 200


class Transport(Enum):
    """What a port is for."""

    TCP = socket.SOCK_STREAM
    UDP = socket.SOCK_DGRAM


class NoFreePort(Exception):
    """No free port was found in CANDIDATES."""


def is_free(port: int, transport: Transport = Transport.TCP, host: str = LOOPBACK) -> bool:
    """Return whether a server could bind `port` now."""
    with socket.socket(socket.AF_INET, transport.value) as probe:
        if transport is Transport.TCP:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do: TIME_WAIT is free
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def choose(kept: Path, wanted: Iterable[tuple[str, Transport]]) -> dict[str, int]:
    """Return a free port for each name: the one in file `kept` if still free, else a new one; keep them.

    Raises: NoFreePort.
    """
    before = _read(kept)
    chosen: dict[str, int] = {}
    for name, transport in wanted:
        port = before.get(name)
        if port is None or port in chosen.values() or not is_free(port, transport):
            port = _pick(transport, taken=set(chosen.values()))
        chosen[name] = port
    if chosen != before:
        kept.write_text(json.dumps(chosen) + "\n", encoding="utf-8")
    return chosen


def _pick(transport: Transport, taken: set[int]) -> int:
    for port in random.sample(CANDIDATES, _TRIES):
        if port not in taken and is_free(port, transport):
            return port
    raise NoFreePort(f"none of {_TRIES} ports tried from {CANDIDATES.start} to {CANDIDATES.stop - 1} is free")


def _read(kept: Path) -> dict[str, int]:
    try:
        found = json.loads(kept.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict):
        return {}
    return {name: port for name, port in found.items() if isinstance(port, int) and 0 < port < 65_536}
