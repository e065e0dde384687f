"""What the tries are made on: a running server, and two sessions of different openers in it."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx

from agents.keys import KEY_HEADER, signed
from infra.access import new_secret

ANSWER_S: Final = 20.0  # for one answer; the longest wait of the server's own is the 10 s of a body
VICTIM, OTHER = "tries-victim", "tries-other"


class NoGround(Exception):
    """The tries can't be made; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a try ended. `clear`: it was refused as it should be."""

    clear: bool
    what: str


def refused(status: int, code: str) -> Outcome:
    """Return the outcome of a try that was turned away."""
    return Outcome(clear=True, what=f"refused ({status}, {code})")


def held(what: str) -> Outcome:
    """Return the outcome of a try that met no answer, or a good one, and did no harm."""
    return Outcome(clear=True, what=f"refused ({what})")


def got_in(what: str) -> Outcome:
    """Return the outcome of a try that had what it wanted."""
    return Outcome(clear=False, what=f"GOT IN ({what})")


def judged(answer: httpx.Response, *expected: tuple[int, str]) -> Outcome:
    """Judge an answer by the refusals that it should be one of. Another refusal proves nothing."""
    if answer.is_success or answer.is_redirect:
        return got_in(str(answer.status_code))
    try:
        found = answer.status_code, str(answer.json()["error"]["code"])
    except (ValueError, LookupError, TypeError):
        found = answer.status_code, "no code"
    return refused(*found) if found in expected else Outcome(False, f"UNCLEAR ({found[0]}, {found[1]})")


@dataclass(frozen=True, slots=True)
class Session:
    """A live session that was opened and entered as it should be."""

    session_id: str
    opened: dict[str, Any]
    team_token: str
    former_code: str
    """An invitation in whose place another was made."""
    code: str
    """The invitation that was redeemed."""
    secret: str
    """Its clinician's."""

    @property
    def path(self) -> str:
        """Where it is."""
        return f"/sessions/{self.session_id}"


@dataclass(frozen=True, slots=True)
class Ground:
    """A server, a client that shows no key, and two sessions."""

    base_url: str
    http: httpx.AsyncClient
    opener_key: str
    victim: Session
    other: Session

    def key(self, *, until_s: float | None = None, principal: str = VICTIM, tenant: str = "local") -> str:
        """Return a key of this server's, by default a good one of the victim's opener."""
        until_s = time.time() + 600 if until_s is None else until_s
        return signed(self.opener_key, "key", until_s=until_s, principal=principal, tenant=tenant)

    def link(self, until_s: float) -> str:
        """Return the code of a link."""
        return signed(self.opener_key, "link", until_s=until_s)

    async def ask(
        self, method: str, path: str, *, bearer: str = "", key: str = "", **more: Any
    ) -> httpx.Response:
        """Send a request, with a bearer's token and a key if they are given."""
        return await asked(self.http, method, path, bearer=bearer, key=key, **more)

    async def dial(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection of one's own to the server."""
        url = urlsplit(self.base_url)
        tls = unasked() if url.scheme == "https" else None
        return await asyncio.open_connection(url.hostname, url.port, ssl=tls)

    @property
    def authority(self) -> str:
        """The server's Host."""
        return urlsplit(self.base_url).netloc


@dataclass(frozen=True, slots=True)
class Try:
    """One try: its name, which is a sentence without a subject, and how it is made."""

    name: str
    make: Callable[[Ground], Awaitable[Outcome]]
    slow: bool = False
    """It waits for the server to lose patience; all of these are made at once."""


async def asked(
    http: httpx.AsyncClient, method: str, path: str, *, bearer: str = "", key: str = "", **more: Any
) -> httpx.Response:
    """Send a request, with a bearer's token and a key if they are given."""
    headers = dict(more.pop("headers", {}))
    if bearer:
        headers["Authorization"] = f"Bearer {bearer}"
    if key:
        headers[KEY_HEADER] = key
    return await http.request(method, path, headers=headers, **more)


@asynccontextmanager
async def ground(base_url: str, opener_key: str) -> AsyncIterator[Ground]:
    """Open the two sessions, and end them afterwards. Raises: NoGround."""
    if urlsplit(base_url).hostname not in {"127.0.0.1", "::1", "localhost"}:
        raise NoGround(f"{base_url} is another machine; these tries are for a stack of one's own")
    client = httpx.AsyncClient(
        base_url=base_url.rstrip("/"), timeout=ANSWER_S, trust_env=False, verify=unasked()
    )
    async with client as http, contextlib.AsyncExitStack() as stack:
        sessions = []
        for principal in (VICTIM, OTHER):
            try:
                session = await _opened(http, opener_key, principal)
            except (httpx.HTTPError, KeyError) as error:
                raise NoGround(f"{base_url} does not answer as EXAIM Voice does: {error!r}") from None
            stack.push_async_callback(_ended, http, session)
            sessions.append(session)
        yield Ground(base_url, http, opener_key, *sessions)


async def _opened(http: httpx.AsyncClient, opener_key: str, principal: str) -> Session:
    """Open a live session, invite twice, look at the second invitation, redeem it."""
    key = signed(opener_key, "key", until_s=time.time() + 600, principal=principal)
    opened = await asked(http, "POST", "/sessions", key=key, json={"live": {"title": f"Tries: {principal}"}})
    if opened.status_code != 201:
        raise NoGround(f"no session could be opened for the tries: {opened.status_code} {opened.text[:300]}")
    body = opened.json()
    if "client_secret" in body:  # a server that gives the opener the clinician's secret: all else is tried
        return Session(body["session_id"], body, body["live"]["team_token"], "", "", body["client_secret"])
    path = f"/sessions/{body['session_id']}"
    again = await asked(http, "POST", f"{path}/invitations", key=key)
    former, code = code_in(body["live"]["page_url"]), code_in(again.json()["page_url"])
    secret = new_secret()
    looked = await asked(http, "GET", f"{path}/invitation", bearer=code)
    entered = await asked(http, "POST", f"{path}/invitation", bearer=code, json={"client_secret": secret})
    if (looked.status_code, entered.status_code) != (200, 200):
        raise NoGround(f"an invitation could not be redeemed: {entered.status_code} {entered.text[:300]}")
    return Session(body["session_id"], body, body["live"]["team_token"], former, code, secret)


def code_in(page_url: str) -> str:
    """Return the invitation in a link."""
    return parse_qs(urlsplit(page_url).fragment).get("invitation", [""])[0]


async def _ended(http: httpx.AsyncClient, session: Session) -> None:
    with contextlib.suppress(httpx.HTTPError):
        await asked(http, "POST", f"{session.path}/end", bearer=session.secret)


def unasked() -> ssl.SSLContext:
    """Return a context that takes any certificate: the server is this machine's own."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context
