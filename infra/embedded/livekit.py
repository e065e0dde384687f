"""The embedded SFU: livekit-server with a config that binds loopback only.

`--dev --bind 127.0.0.1 --node-ip 127.0.0.1` is not enough: it still opens UDP on the LAN's addresses and
TCP on all of them (measured). This config opens one TCP and one UDP port, both on 127.0.0.1;
tests/launcher reads the listening sockets of the real server.
"""

from __future__ import annotations

import json
import os
import secrets
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.embedded.ports import LOOPBACK, Transport, choose

SECRET_BYTES: Final = 32  # 43 characters; livekit-server asks for 32 at least
_WANTED: Final = (("livekit_tcp", Transport.TCP), ("livekit_udp", Transport.UDP))


@dataclass(frozen=True, slots=True, kw_only=True)
class LivekitPlan:
    """How the server is started and reached."""

    config: Path
    tcp_port: int
    udp_port: int
    api_key: str
    api_secret: str = field(repr=False)

    @property
    def url(self) -> str:
        """What clients connect to."""
        return f"ws://{LOOPBACK}:{self.tcp_port}"

    @property
    def http_url(self) -> str:
        """Answers 200 to a GET once the server is ready."""
        return f"http://{LOOPBACK}:{self.tcp_port}/"

    def argv(self, binary: Path) -> tuple[str, ...]:
        """Return the command that starts `binary` on this plan."""
        return (str(binary), "--config", str(self.config))


def plan(folder: Path) -> LivekitPlan:
    """Choose free ports and a key, write both and the config into `folder` (made 0700), return the plan.

    The key and its secret are generated once and kept in a 0600 file; a file that others could have read
    is replaced. Raises: NoFreePort, OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    ports = choose(folder / "ports.json", _WANTED)
    keys = folder / "keys.yaml"
    api_key, api_secret = _kept_key(keys) or _new_key(keys)
    settings = config(tcp_port=ports["livekit_tcp"], udp_port=ports["livekit_udp"], key_file=keys)
    path = folder / "config.yaml"
    path.write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")  # JSON is YAML
    return LivekitPlan(
        config=path,
        tcp_port=ports["livekit_tcp"],
        udp_port=ports["livekit_udp"],
        api_key=api_key,
        api_secret=api_secret,
    )


def config(*, tcp_port: int, udp_port: int, key_file: Path) -> dict[str, Any]:
    """Return the server's config: loopback only, one UDP port for all media, no TCP media."""
    return {
        "port": tcp_port,
        "bind_addresses": [LOOPBACK],
        "room": {"auto_create": False},  # else an old token opens a dead room again, with no voice in it
        "rtc": {
            "tcp_port": 0,
            "udp_port": udp_port,
            "node_ip": LOOPBACK,
            "enable_loopback_candidate": True,
            "interfaces": {"includes": ["lo"]},
        },
        "key_file": str(key_file.absolute()),
        "logging": {"level": "info", "json": True},
    }


def _kept_key(path: Path) -> tuple[str, str] | None:
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            return None
        key, _, secret = path.read_text(encoding="utf-8").strip().partition(": ")
    except OSError:
        return None
    return (key, secret) if key and len(secret) >= SECRET_BYTES else None


def _new_key(path: Path) -> tuple[str, str]:
    key, secret = f"exaim{secrets.token_hex(6)}", secrets.token_urlsafe(SECRET_BYTES)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{key}: {secret}\n")
    return key, secret
