"""Tries to get in: without a key, with a forged one, from a foreign page, off loopback."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from agents.keys import KEY_HEADER, signed
from infra.settings import SettingsError, load_settings
from lab.tries.ground import Ground, Outcome, Try, got_in, held, judged, refused

Knock = Callable[[Ground], Awaitable[Outcome]]

NOBODY: Final = (401, "no_key")
WRONG: Final = (401, "wrong_key")
LIVE: Final = {"live": {"title": "x"}}
GUESSED: Final = "/sessions/s-aaaaaaaaaaaaaaaa"
FOREIGN: Final = "https://evil.example"


def knock(method: str, path: str, *expected: tuple[int, str], **more: Any) -> Knock:
    """Return a try that is one request."""

    async def make(on: Ground) -> Outcome:
        return judged(await on.ask(method, path, **more), *expected)

    return make


def with_key(forge: Callable[[Ground], str], *expected: tuple[int, str]) -> Knock:
    """Return a try to open a session by a key of one's own making."""

    async def make(on: Ground) -> Outcome:
        return judged(await on.ask("POST", "/sessions", key=forge(on), json=LIVE), *(expected or (WRONG,)))

    return make


def _packed(found: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(found).encode()).rstrip(b"=").decode()


def _rewritten(key: str, **changed: Any) -> str:
    """Return a key whose body says something else, under its old signature."""
    kind, body, mac = key.split(".")
    found = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return f"{kind}.{_packed(found | changed)}.{mac}"


def _flipped(key: str) -> str:
    return key[:-6] + ("B" if key[-6] != "B" else "C") + key[-5:]


def _jwt(on: Ground, algorithm: str) -> str:
    """Return a token of another kind, which a careless reader of `alg` believes."""
    head = _packed({"alg": algorithm, "typ": "JWT"})
    body = _packed({"p": "local", "t": "local", "u": 9e9, "sub": "local", "exp": 9e9})
    if algorithm == "none":
        return f"{head}.{body}."
    public = hashlib.sha256(on.base_url.encode()).digest()  # what everybody knows, taken as the secret
    mac = hmac.digest(public, f"{head}.{body}".encode(), hashlib.sha256)
    return f"{head}.{body}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"


async def cookie(on: Ground) -> Outcome:
    """Show a good key as a cookie, which a browser would send along with a foreign page's request."""
    return judged(await on.ask("GET", "/cases", headers={"Cookie": f"{KEY_HEADER}={on.key()}"}), NOBODY)


async def query(on: Ground) -> Outcome:
    """Show a good key in the address, where logs and histories keep it."""
    return judged(await on.ask("GET", "/cases", params={KEY_HEADER: on.key(), "key": on.key()}), NOBODY)


async def as_bearer(on: Ground) -> Outcome:
    """Show a good key where a session's secret belongs."""
    return judged(await on.ask("GET", "/cases", bearer=on.key()), NOBODY)


async def link_twice(on: Ground) -> Outcome:
    """Exchange a link that somebody else has exchanged already."""
    link = {"link": on.link(time.time() + 60)}
    first = await on.ask("POST", "/key", json=link)
    if not first.is_success:
        return Outcome(False, f"UNCLEAR (a good link was refused: {first.status_code})")
    return judged(await on.ask("POST", "/key", json=link), (410, "link_used"))


async def key_as_link(on: Ground) -> Outcome:
    """Exchange a key of five minutes for one of twelve hours."""
    return judged(await on.ask("POST", "/key", json={"link": on.key()}), (401, "wrong_link"))


async def old_link(on: Ground) -> Outcome:
    """Exchange a link that is too old."""
    return judged(await on.ask("POST", "/key", json={"link": on.link(1)}), (410, "link_expired"))


async def forged_link(on: Ground) -> Outcome:
    """Exchange a link that another server has signed."""
    link = signed("p" * 43, "link", until_s=time.time() + 60)
    return judged(await on.ask("POST", "/key", json={"link": link}), (401, "wrong_link"))


async def health(on: Ground) -> Outcome:
    """Learn from /health how the parts are, and how many sessions there are, without a key."""
    told = (await on.ask("GET", "/health")).json()
    return held("it says ok or failing, and no more") if set(told) == {"status"} else got_in("it tells all")


async def cases_path(on: Ground) -> Outcome:
    """Open a file of the server's as a case."""
    answer = await on.ask("POST", "/sessions", key=on.key(), json={"case_id": "../../../../etc/passwd"})
    return judged(answer, (404, "unknown_case"))


async def off_loopback(on: Ground) -> Outcome:
    """Start on all addresses of a machine, without TLS."""
    try:
        load_settings(_env_file=None, api_host="0.0.0.0", tls_cert=None, tls_key=None, public_url="")
    except SettingsError:
        return held("it does not start")
    return got_in("it would start")


async def said_raw(on: Ground, request: bytes) -> bytes:
    """Return the first line of the answer to bytes that no client library sends."""
    reader, writer = await on.dial()
    try:
        writer.write(request)
        await writer.drain()
        return await reader.readline()
    finally:
        writer.close()


def raw(*lines: str, fine: tuple[int, ...]) -> Knock:
    """Return a try of one request, written by hand; `HOST` in it is the server's own."""

    async def make(on: Ground) -> Outcome:
        text = "\r\n".join((*lines, "Connection: close", "", "")).replace("HOST", on.authority)
        status = int((await said_raw(on, text.encode())).split()[1])
        return refused(status, "by hand") if status in fine else got_in(str(status))

    return make


async def preflight(on: Ground) -> Outcome:
    """Ask leave as a foreign page's script does (CORS)."""
    headers = {"Origin": FOREIGN, "Access-Control-Request-Method": "GET", "Sec-Fetch-Site": "cross-site"}
    answer = await on.ask("OPTIONS", "/cases", headers=headers)
    if "access-control-allow-origin" in answer.headers:
        return got_in("CORS lets it read")
    return judged(answer, (403, "foreign_origin"), (403, "foreign_site"))


def from_page(site: str, mode: str, dest: str, path: str = "/health") -> Knock:
    """Return a try to have something fetched by a page of another site."""
    headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
    return knock("GET", path, (403, "foreign_site"), headers=headers)


def posted_from(origin: str) -> Knock:
    """Return a try to post from a page of another origin, as a form may."""
    headers = {"Origin": origin, "Content-Type": "text/plain"}
    return knock("POST", "/sessions", (403, "foreign_origin"), headers=headers, content=b"{}")


def as_opener(path: str, body: dict[str, Any], *expected: tuple[int, str]) -> Knock:
    """Return a try with a good key, to have a server do what no key may ask for."""

    async def make(on: Ground) -> Outcome:
        return judged(await on.ask("POST", path, key=on.key(), json=body), *expected)

    return make


UNKNOWN: Final = (422, "invalid_request")
OWN_SERVER: Final = {"base_url": FOREIGN, "api_key": "x"}
HOST_IS_FOREIGN: Final = (421, "foreign_host")
EVERY: Final = (
    Try("open a session without a key", knock("POST", "/sessions", NOBODY, json=LIVE)),
    Try("list the cases without a key", knock("GET", "/cases", NOBODY)),
    Try("invite anew without a key", knock("POST", f"{GUESSED}/invitations", NOBODY)),
    Try("start a team without a key", knock("POST", "/teams", NOBODY, json={"scripted": "low-sodium"})),
    Try("see which models there are without a key", knock("GET", "/teams", NOBODY)),
    Try("have a paper made without a key", knock("POST", "/papers/draft", NOBODY, json={"scripted": "x"})),
    Try(
        "see what a guessed session's calls cost",
        knock("GET", f"{GUESSED}/calls", (401, "wrong_token"), bearer="A" * 43),
    ),
    Try("have a team ask a server of one's own", as_opener("/teams", {"case": "x", **OWN_SERVER}, UNKNOWN)),
    Try(
        "have a paper made by a server of one's own",
        as_opener("/papers/draft", {"text": "x", **OWN_SERVER}, UNKNOWN),
    ),
    Try(
        "open a file of the server's as a script",
        as_opener("/teams", {"scripted": "../../../../etc/passwd"}, (404, "unknown_script")),
    ),
    Try(
        "open a file of the server's as a paper's script",
        as_opener("/papers/draft", {"scripted": "../../../../etc/passwd"}, (404, "unknown_script")),
    ),
    Try("show a key as a cookie", cookie),
    Try("show a key in the query", query),
    Try("show a key as a bearer's token", as_bearer),
    Try("show the opener key itself", with_key(lambda on: on.opener_key)),
    Try("show a key that another server signed", with_key(lambda on: signed("p" * 43, "key", until_s=9e9))),
    Try("show a key without its signature", with_key(lambda on: on.key().rpartition(".")[0] + ".")),
    Try("show a key with one character of its signature changed", with_key(lambda on: _flipped(on.key()))),
    Try("show half a signature", with_key(lambda on: on.key()[:-20])),
    Try("lengthen a key's life under its old signature", with_key(lambda on: _rewritten(on.key(), u=9e9))),
    Try("rename a key's holder under its old signature", with_key(lambda on: _rewritten(on.key(), p="x"))),
    Try("move a key to another tenant", with_key(lambda on: _rewritten(on.key(), t="north"))),
    Try("show a key that has expired", with_key(lambda on: on.key(until_s=1), (401, "key_expired"))),
    Try("show a link as a key", with_key(lambda on: on.link(time.time() + 60))),
    Try("show a JWT with alg none", with_key(lambda on: _jwt(on, "none"))),
    Try("show a JWT signed with what is public", with_key(lambda on: _jwt(on, "HS256"))),
    Try("exchange a link twice", link_twice),
    Try("exchange a key as a link", key_as_link),
    Try("exchange an old link", old_link),
    Try("exchange a forged link", forged_link),
    Try("learn how the parts are without a key", health),
    Try("guess a session and its secret", knock("GET", GUESSED, (401, "wrong_secret"), bearer="A" * 43)),
    Try(
        "read a report by guessing", knock("GET", f"{GUESSED}/report", (401, "wrong_secret"), bearer="A" * 43)
    ),
    Try("open a file of the server's as a case", cases_path),
    Try(
        "climb out of the page's folder", raw("GET /assets/../../api.py HTTP/1.1", "Host: HOST", fine=(404,))
    ),
    Try("climb out of it by percent signs", knock("GET", "/%2e%2e/%2e%2e/etc/passwd", (404, "not_found"))),
    Try("delete a session", knock("DELETE", GUESSED, (405, "method_not_allowed"))),
    Try(
        "smuggle a request in another's body",
        raw(
            "POST /key HTTP/1.1", "Host: HOST", "Content-Length: 4", "Transfer-Encoding: chunked", fine=(400,)
        ),
    ),
    Try("start off loopback without TLS", off_loopback),
    Try(
        "ask by a name that was rebound", knock("GET", "/", HOST_IS_FOREIGN, headers={"Host": "evil.example"})
    ),
    Try(
        "ask by a name that begins as ours does",
        knock("GET", "/", HOST_IS_FOREIGN, headers={"Host": "127.0.0.1.evil.example"}),
    ),
    Try(
        "ask by a name that holds ours as a user's",
        knock("GET", "/", HOST_IS_FOREIGN, headers={"Host": "127.0.0.1@evil.example"}),
    ),
    Try(
        "ask by two names at once", raw("GET / HTTP/1.1", "Host: HOST", "Host: evil.example", fine=(400, 421))
    ),
    Try("ask by no name", raw("GET / HTTP/1.0", fine=(400, 421))),
    Try("post from a foreign page", posted_from(FOREIGN)),
    Try("post from a page without an origin", posted_from("null")),
    Try("post from another port of this machine", posted_from("http://127.0.0.1:9")),
    Try("have an image fetched by a foreign page", from_page("cross-site", "no-cors", "image")),
    Try("have a script fetched by another port's page", from_page("same-site", "no-cors", "script")),
    Try("show the page in a foreign frame", from_page("cross-site", "navigate", "iframe", "/")),
    Try("ask leave for a foreign page's script", preflight),
    Try(
        "open a WebSocket, which no guard of HTTP looks at",
        raw(
            *("GET /sessions HTTP/1.1", "Host: HOST", "Upgrade: websocket", "Connection: Upgrade"),
            *("Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
            fine=(400, 403, 404, 405),
        ),
    ),
)
