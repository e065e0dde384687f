"""Keys: how a program, or a tab of a browser, shows that it may open sessions.

`exaim up` makes an opener key, which goes nowhere: a file that this user alone can read holds it. From it are
signed keys, which are sent with each call and expire, and links, which a page exchanges for a key, once. Who
holds the opener key needs no server to sign one, and a server needs no store to read it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hashlib
import hmac
import json
import os
import secrets
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

KEY_HEADER: Final = "Exaim-Key"
OPENER_VARIABLE: Final = "EXAIM_OPENER_KEY"
KEY_VARIABLE: Final = "EXAIM_KEY"
"""A key for a program that can't read the file: on another machine, of another user, in a container."""

OPENER_CHARS_LEAST: Final = 43
"""32 random bytes as base64url; HMAC-SHA256 wants as many."""

PROGRAM_S: Final = 300
"""A program signs a key for each call: whatever else listens at that address could use it no longer."""

LINK_S: Final = 24 * 3600
LONGEST_TEXT: Final = 1024
LOCAL: Final = "local"
_LOOPBACK: Final = frozenset({"127.0.0.1", "::1", "localhost"})

Kind = Literal["key", "link"]


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a key. `nonce` names the key itself, `until_s` is its end in seconds since the epoch."""

    principal: str
    tenant: str
    until_s: int
    nonce: str


class KeyRefused(Exception):
    """A key or a link is none of ours; or, if `expired`, is one no more."""

    def __init__(self, *, expired: bool = False) -> None:
        super().__init__("it has expired" if expired else "it is not signed by this server's opener key")
        self.expired = expired


class NoOpenerKey(Exception):
    """A program finds no opener key for an address."""

    def __init__(self, api_url: str) -> None:
        super().__init__(
            f"there is no key for {api_url} that this user may read; is `exaim up` running there, started by "
            f"this user? Else set {KEY_VARIABLE} to what `exaim key` prints where it runs"
        )


def new_opener_key() -> str:
    """Return 32 random bytes as text."""
    return secrets.token_urlsafe(32)


def signed(
    opener_key: str, kind: Kind, *, until_s: float, principal: str = LOCAL, tenant: str = LOCAL
) -> str:
    """Return a key, or the code of a link, that is good until then (seconds since the epoch)."""
    found = {"p": principal, "t": tenant, "u": int(until_s), "n": secrets.token_urlsafe(12)}
    body = _packed(json.dumps(found, separators=(",", ":")).encode())
    return f"{kind}.{body}.{_mac(opener_key, kind, body)}"


def holder(opener_key: str, kind: Kind, text: str, now_s: float) -> Holder:
    """Return who holds a key, or was given a link. Raises: KeyRefused."""
    shown, _, rest = text.partition(".")
    body, _, mac = rest.partition(".")
    if len(text) > LONGEST_TEXT or not text.isascii() or shown != kind:
        raise KeyRefused
    if not hmac.compare_digest(mac, _mac(opener_key, kind, body)):
        raise KeyRefused
    try:
        found = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        read = Holder(str(found["p"]), str(found["t"]), int(found["u"]), str(found["n"]))
    except (binascii.Error, ValueError, KeyError, TypeError):
        raise KeyRefused from None
    if now_s >= read.until_s:
        raise KeyRefused(expired=True)
    return read


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


def link(api_url: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return an address that opens the page, once, with a key for its tab. Raises: NoOpenerKey."""
    return link_with(opener_key_of(api_url, environ), api_url)


def link_with(opener_key: str, page_url: str) -> str:
    """Return such an address for who has the opener key."""
    return f"{page_url.rstrip('/')}/#open={signed(opener_key, 'link', until_s=time.time() + LINK_S)}"


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


def keep(port: int, opener_key: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Write an opener key (0600) to where this user's programs look for it. Raises: OSError, RuntimeError."""
    path = path_of(port, environ)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    whole = path.with_suffix(".new")  # who looks finds all of it or none
    whole.unlink(missing_ok=True)
    with os.fdopen(os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{opener_key}\n")
    whole.replace(path)
    return path


def drop(path: Path) -> None:
    """Take away what `keep` wrote, if it can be."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def path_of(port: int, environ: Mapping[str, str] = os.environ) -> Path:
    """Return where the opener key of a port of this machine lies; a home may be shared by several machines.

    Raises: RuntimeError: this user has no home.
    """
    return state_folder(environ) / "openers" / f"{socket.gethostname()}-{port}"


def state_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Return where this user's programs keep what is theirs. Raises: RuntimeError: this user has no home."""
    state = environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "exaim-voice"


def _mac(opener_key: str, kind: Kind, body: str) -> str:
    return _packed(hmac.digest(opener_key.encode(), f"{kind}.{body}".encode(), hashlib.sha256))


def _packed(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode("ascii")
