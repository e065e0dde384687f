"""Keys: how a program shows that it may open sessions.

`exaim up` makes an opener key, which goes nowhere: a file that this user alone can read holds it. From it a program
signs keys, which are sent with each call and expire.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import json
import os
import secrets
import socket
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

KEY_HEADER: Final = "Exaim-Key"
OPENER_VARIABLE: Final = "EXAIM_OPENER_KEY"
KEY_VARIABLE: Final = "EXAIM_KEY"
"""A key for a program that can't read the file: on another machine, of another user, in a container."""

PROGRAM_S: Final = 300
"""A program signs a key for each call: whatever else listens at that address could use it no longer."""

LONGEST_TEXT: Final = 1024
LOCAL: Final = "local"
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})

Kind = Literal["key", "link"]


class NoOpenerKey(Exception):
    """A program finds no opener key for an address."""

    def __init__(self, api_url: str) -> None:
        super().__init__(
            f"there is no key for {api_url} that this user may read; is `exaim up` running there, started by "
            f"this user? Else set {KEY_VARIABLE} to what `exaim key` prints where it runs"
        )


def signed(
    opener_key: str, kind: Kind, *, until_s: float, principal: str = LOCAL, tenant: str = LOCAL
) -> str:
    """Return a key, or the code of a link, that is good until then (seconds since the epoch)."""
    found = {"p": principal, "t": tenant, "u": int(until_s), "n": secrets.token_urlsafe(12)}
    body = _packed(json.dumps(found, separators=(",", ":")).encode())
    return f"{kind}.{body}.{mac_of(opener_key, kind, body)}"


def headers(api_url: str, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the header that lets this program open sessions at an address.

    A key that is given in the environment goes first; else one is signed with the opener key, if this user
    has it. Without either there is none, and the server says what to do.
    """
    if given := environ.get(KEY_VARIABLE):
        return {KEY_HEADER: given}
    try:
        opener_key = opener_key_of(api_url, environ)
    except NoOpenerKey:
        return {}
    return {KEY_HEADER: signed(opener_key, "key", until_s=time.time() + PROGRAM_S)}


def opener_key_of(api_url: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return the opener key of what this user runs at an address of this machine. Raises: NoOpenerKey."""
    if given := environ.get(OPENER_VARIABLE):
        return given
    address = urlsplit(api_url)
    try:
        port = address.port or (443 if address.scheme == "https" else 80)
        path = path_of(port, environ) if address.hostname in _LOOPBACK else None
        with contextlib.ExitStack() as stack:
            if path is None:
                raise NoOpenerKey(api_url)
            file = stack.enter_context(path.open(encoding="ascii"))
            status = os.fstat(file.fileno())
            if status.st_uid != os.geteuid() or status.st_mode & 0o077:
                raise NoOpenerKey(api_url)
            return file.read(LONGEST_TEXT).strip()
    except (OSError, ValueError, RuntimeError):
        raise NoOpenerKey(api_url) from None


def path_of(port: int, environ: Mapping[str, str] = os.environ) -> Path:
    """Return the file of the opener key for a port of this machine; machines may share a home.

    Raises: RuntimeError: this user has no home.
    """
    return state_folder(environ) / "openers" / f"{socket.gethostname()}-{port}"


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where this user's programs keep what is theirs. Raises: RuntimeError: this user has no home."""
    state = environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "exaim-voice"


def mac_of(opener_key: str, kind: Kind, body: str) -> str:
    """Return what shows that who wrote `body` has the opener key."""
    return _packed(hmac.digest(opener_key.encode(), f"{kind}.{body}".encode(), hashlib.sha256))


def _packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
