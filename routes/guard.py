"""What every request passes before any route sees it, and what every answer carries.

The API has no login: whoever reaches it may open a session. So it is bound to loopback, and a page from
elsewhere must not reach it through the clinician's own browser:

* the Host header must name loopback or one of `allowed_hosts`, else 421. A DNS name that was rebound to
  127.0.0.1 still says its own name there;
* an Origin header must be of the same authority as Host, or name one of `allowed_hosts`, else 403. So a
  foreign page can't post, not even a form; "null" is foreign. There are no CORS headers at all;
* a body is at most 64 KiB (a live team's case paper and its events need most) and comes within 10 s.

The order is that of cost. Answers carry a strict content security policy, and are not cached unless a route
says so: some hold a token.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.settings import LOOPBACK_HOSTS
from routes.errors import error_response

MAX_BODY_BYTES: Final = 64 * 1024
BODY_DEADLINE_S: Final = 10.0

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        "connect-src 'self' ws: wss: http: https:",  # the SFU is wherever LIVEKIT_URL says
        "worker-src 'self' blob:",
        "media-src 'self' blob:",
        "img-src 'self' data:",
        "style-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

SECURITY_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "Cache-Control": "no-store",
}


class AllowedHosts:
    """Which Host and Origin headers are ours. Entries are `name` (any port) or `name:port`."""

    def __init__(self, extra: Iterable[str] = ()) -> None:
        self._names = {name.lower() for name in extra} | LOOPBACK_HOSTS

    def host(self, header: str | None) -> bool:
        """Tell whether a Host header is ours. A missing one is not."""
        authority = _authority(f"//{header}") if header else None
        return authority is not None and self._listed(authority)

    def origin(self, header: str, host: str) -> bool:
        """Tell whether an Origin header is ours, given a Host header that is."""
        authority = _authority(header) if header.startswith(("http://", "https://")) else None
        if authority is None:
            return False
        return authority == _authority(f"//{host}") or self._listed(authority, but=LOOPBACK_HOSTS)

    def _listed(self, authority: tuple[str, int | None], but: frozenset[str] = frozenset()) -> bool:
        name, port = authority
        return (name in self._names and name not in but) or f"{name}:{port}" in self._names


def _authority(url: str) -> tuple[str, int | None] | None:
    """Return (name in lower case, port or None), or None for what is no plain `scheme://name[:port]`."""
    try:
        parts = urlsplit(url)
        name, port = parts.hostname, parts.port
    except ValueError:
        return None
    if (
        not name
        or parts.path
        or parts.query
        or parts.fragment
        or "@" in parts.netloc
        or parts.netloc.endswith(":")
    ):
        return None
    return name.removesuffix("."), port


class Guard:
    """ASGI middleware: refuses as the module says, else passes on with the body read."""

    def __init__(self, app: ASGIApp, allowed: AllowedHosts) -> None:
        self.app, self.allowed = app, allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _with_security_headers(send)
        headers = Headers(scope=scope)
        refused = self._refusal(headers)
        if refused is None:
            try:
                async with asyncio.timeout(BODY_DEADLINE_S):
                    body = await _read_body(receive, headers)
            except TimeoutError:
                refused = 408, "too_slow", f"the body did not come within {BODY_DEADLINE_S:g} s"
            else:
                if body is not None:
                    await self.app(scope, _replay(body, receive), send)
                    return
                refused = 413, "too_large", f"a body holds at most {MAX_BODY_BYTES // 1024} KiB"
        await error_response(*refused)(scope, receive, send)

    def _refusal(self, headers: Headers) -> tuple[int, str, str] | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self.allowed.host(hosts[0]):
            mend = "open it as 127.0.0.1 or localhost, or name the host in EXAIM_ALLOWED_HOSTS"
            return 421, "foreign_host", f"this server does not go by that name; {mend}"
        if not all(self.allowed.origin(origin, hosts[0]) for origin in headers.getlist("origin")):
            return (
                403,
                "foreign_origin",
                "pages from elsewhere may not call this; EXAIM_ALLOWED_HOSTS lists who may",
            )
        return None


def _with_security_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return wrapped


async def _read_body(receive: Receive, headers: Headers) -> bytes | None:
    """Return the whole body, or None if it is larger than allowed. What follows the bound is not kept."""
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        return None
    body = bytearray()
    while len(body) <= MAX_BODY_BYTES:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body", False):
            return bytes(body) if len(body) <= MAX_BODY_BYTES else None
    return None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once, then whatever comes after it (the disconnect)."""
    given = False

    async def once() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return once
