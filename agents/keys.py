"""Give and read keys and links, on the server's side; a program's side is `exaim_live.keys`.

From the opener key are signed keys, and links, which a page exchanges for a key, once. Who holds the opener key
needs no server to sign one, and a server needs no store to read it.
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import hmac
import json
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from exaim_live.keys import (
    KEY_HEADER,
    KEY_VARIABLE,
    LOCAL,
    LONGEST_TEXT,
    OPENER_VARIABLE,
    PROGRAM_S,
    Kind,
    NoOpenerKey,
    headers,
    mac_of,
    opener_key_of,
    path_of,
    signed,
    state_folder,
)

__all__ = [
    "KEY_HEADER",
    "KEY_VARIABLE",
    "LINK_S",
    "LOCAL",
    "LONGEST_TEXT",
    "OPENER_CHARS_LEAST",
    "OPENER_VARIABLE",
    "PROGRAM_S",
    "Holder",
    "KeyRefused",
    "Kind",
    "NoOpenerKey",
    "drop",
    "headers",
    "holder",
    "keep",
    "link",
    "link_with",
    "new_opener_key",
    "opener_key_of",
    "path_of",
    "signed",
    "state_folder",
]

OPENER_CHARS_LEAST: Final = 43
"""32 random bytes as base64url; HMAC-SHA256 wants as many."""

LINK_S: Final = 24 * 3600


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


def new_opener_key() -> str:
    """Return 32 random bytes as text."""
    return secrets.token_urlsafe(32)


def holder(opener_key: str, kind: Kind, text: str, now_s: float) -> Holder:
    """Return who holds a key, or was given a link. Raises: KeyRefused."""
    shown, _, rest = text.partition(".")
    body, _, mac = rest.partition(".")
    if len(text) > LONGEST_TEXT or not text.isascii() or shown != kind:
        raise KeyRefused
    if not hmac.compare_digest(mac, mac_of(opener_key, kind, body)):
        raise KeyRefused
    try:
        found = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        read = Holder(str(found["p"]), str(found["t"]), int(found["u"]), str(found["n"]))
    except (binascii.Error, ValueError, KeyError, TypeError):
        raise KeyRefused from None
    if now_s >= read.until_s:
        raise KeyRefused(expired=True)
    return read


def link(api_url: str, environ: Mapping[str, str] = os.environ) -> str:
    """Return an address that opens the page, once, with a key for its tab. Raises: NoOpenerKey."""
    return link_with(opener_key_of(api_url, environ), api_url)


def link_with(opener_key: str, page_url: str) -> str:
    """Return such an address for who has the opener key."""
    return f"{page_url.rstrip('/')}/#open={signed(opener_key, 'link', until_s=time.time() + LINK_S)}"


def keep(port: int, opener_key: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Write an opener key (0600) where this user's programs find it. Raises: OSError, RuntimeError."""
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
