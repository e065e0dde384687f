"""Check every request before any route sees it, and add what every answer carries.

A page from elsewhere must not reach the API through the clinician's own browser, where it has more reach than
its maker:

* the Host header must name loopback or one of `allowed_hosts`, else 421. A DNS name that was rebound to
  127.0.0.1 still says its own name there;
* an Origin header must be of the same authority as Host, or name one of `allowed_hosts`, else 403. So a
  foreign page can't post, not even a form; "null" is foreign. There are no CORS headers at all;
* a Sec-Fetch-Site header, which browsers send and no script can write, must say that our own page asks, or
  the reader's own hand, else 403. Only the page itself may be opened from elsewhere, by a link. So no foreign
  page can have us work for it, not even by an image whose answer it can't read;
* who asks from another machine is refused with 403, unless TLS is served, or ends in front: the settings see
  to that, and this to a server that other hands have bound elsewhere;
* a body whose length is told in two ways is refused with 400: a proxy in front may read the other one;
* a body that is packed (Content-Encoding) is refused with 415 and never unpacked: 14 kB can be 189 MB;
* a body is at most 64 KiB (a live team's case paper and its events need most) and comes within 10 s.

The order is that of cost. Answers carry a strict content security policy, and are not cached unless a route
says so: some hold a token.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from infra.settings import LOOPBACK_HOSTS, is_loopback
from routes.errors import error_response

MAX_BODY_BYTES: Final = 64 * 1024
BODY_DEADLINE_S: Final = 10.0

OUR_OWN: Final = frozenset({"same-origin", "none"})
"""What Sec-Fetch-Site says of our page, and of an address that the reader typed, or a link of no page."""

CLOUD: Final = ".livekit.cloud"
"""There a client is sent on to a server of its region, by another name of this domain."""

STRICT: Final = {"Strict-Transport-Security": "max-age=31536000"}

SECURITY_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "microphone=(self), camera=(), geolocation=()",
    "Cache-Control": "no-store",
}


def content_security_policy(sfu_url: str) -> str:
    """Return the page's policy: it may talk to us, and to the one SFU by its name."""
    return "; ".join(
        (
            "default-src 'self'",
            f"connect-src 'self' {' '.join(_sources(sfu_url))}",
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


def _sources(sfu_url: str) -> list[str]:
    """Return the SFU as a policy names it: its client speaks WebSocket and HTTP to it."""
    url = urlsplit(sfu_url)
    schemes = ("wss", "https") if url.scheme in ("wss", "https") else ("ws", "http")
    hosts = [url.netloc.rpartition("@")[2]]
    if (url.hostname or "").endswith(CLOUD):
        hosts.append(f"*{CLOUD}")
    return [f"{scheme}://{host}" for host in hosts for scheme in schemes]


class AllowedHosts:
    """Which Host and Origin headers are ours. Entries are `name` or `name:port`.

    A bare name is served at any port, and its pages at the usual one are ours: another port may be anybody's.
    """

    def __init__(self, extra: Iterable[str] = ()) -> None:
        self._names = {name.lower() for name in extra} | LOOPBACK_HOSTS

    def host(self, header: str | None) -> bool:
        """Return whether a Host header is ours. A missing one is not."""
        authority = _authority(f"//{header}") if header else None
        if authority is None:
            return False
        name, port = authority
        return name in self._names or f"{name}:{port}" in self._names

    def origin(self, header: str, host: str) -> bool:
        """Return whether an Origin header is ours, given a Host header that is."""
        authority = _authority(header) if header.startswith(("http://", "https://")) else None
        if authority is None:
            return False
        name, port = authority
        if authority == _authority(f"//{host}") or f"{name}:{port}" in self._names:
            return True
        return port is None and name in self._names and name not in LOOPBACK_HOSTS


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

    def __init__(self, app: ASGIApp, allowed: AllowedHosts, sfu_url: str, *, secure: bool = False) -> None:
        self.app, self.allowed, self.secure = app, allowed, secure
        self.headers = {
            "Content-Security-Policy": content_security_policy(sfu_url),
            **SECURITY_HEADERS,
            **(STRICT if secure else {}),
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "websocket":  # there is no such route, and none would have been looked at here
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        send = _with(self.headers, send)
        headers = Headers(scope=scope)
        refused = self._in_the_clear(scope) or self._refusal(headers)
        refused = (
            refused or _fetched_from_elsewhere(scope, headers) or _two_lengths(headers) or _packed(headers)
        )
        if refused is None:
            try:
                async with asyncio.timeout(BODY_DEADLINE_S):
                    body = await _read_body(receive, headers)
            except ClientDisconnect:  # nobody is there to be answered
                return
            except TimeoutError:
                refused = 408, "too_slow", f"the body did not come within {BODY_DEADLINE_S:g} s"
            else:
                if body is not None:
                    await self.app(scope, _replay(body, receive), send)
                    return
                refused = 413, "too_large", f"a body holds at most {MAX_BODY_BYTES // 1024} KiB"
        closing = {"Connection": "close"} if refused[1] == "two_lengths" else None
        await error_response(*refused, closing)(scope, receive, send)

    def _in_the_clear(self, scope: Scope) -> tuple[int, str, str] | None:
        client = scope.get("client")
        if self.secure or client is None or is_loopback(client[0]):
            return None
        mend = "set EXAIM_TLS_CERT and EXAIM_TLS_KEY, or EXAIM_PUBLIC_URL if TLS ends in front of it"
        return 403, "in_the_clear", f"this server is for its own machine; to be reached from another, {mend}"

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


def _fetched_from_elsewhere(scope: Scope, headers: Headers) -> tuple[int, str, str] | None:
    """Refuse what a foreign page fetches. Of old browsers, which don't say so, Host and Origin are seen."""
    if all(site in OUR_OWN for site in headers.getlist("sec-fetch-site")):
        return None
    opens = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    if opens and scope["method"] == "GET" and scope["path"] in ("/", "/index.html"):
        return None
    return 403, "foreign_site", "a page from elsewhere asks; it may open this page by a link, and no more"


def _two_lengths(headers: Headers) -> tuple[int, str, str] | None:
    if "transfer-encoding" in headers and "content-length" in headers:
        return 400, "two_lengths", "send either Content-Length or Transfer-Encoding"
    return None


def _packed(headers: Headers) -> tuple[int, str, str] | None:
    codings = ",".join(headers.getlist("content-encoding")).lower().split(",")
    if all(coding.strip() in ("", "identity") for coding in codings):
        return None
    return 415, "packed_body", "nothing is unpacked here; send the body as it is, without Content-Encoding"


def _with(more: Mapping[str, str], send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in more.items():
                headers.setdefault(name, value)
        await send(message)

    return wrapped


async def _read_body(receive: Receive, headers: Headers) -> bytes | None:
    """Return the whole body, or None if it is larger than allowed. What follows the bound is not kept.

    Raises: ClientDisconnect: it came in part only.
    """
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > MAX_BODY_BYTES:
        return None
    body = bytearray()
    while len(body) <= MAX_BODY_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
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
