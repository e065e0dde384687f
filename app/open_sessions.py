"""`exaim sessions` and `exaim end`: which sessions of a running EXAIM Voice are open, and the end of some."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import httpx

from agents.keys import KEY_HEADER, signed

WITHIN_S: Final = 20.0
KEY_S: Final = 60.0


class NotTaken(Exception):
    """The server gave no answer, or refused; the message says what to do."""


def list_them(opener_key: str, address: str, name: str, say: Callable[[str], None]) -> None:
    """Print the open sessions of `name`. Raises: NotTaken."""
    with _client(opener_key, address, name) as http:
        found = _asked(http, "GET", "/sessions")["sessions"]
    for each in found:
        kind = "live" if each["live"] else "recorded"
        say(f"{each['session_id']}  {each['status']:<11}  {each['opened_at']}  {kind:<8}  {each['title']}")
    if not found:
        say("no session is open")


def end_them(
    opener_key: str, address: str, name: str, ids: Sequence[str] | None, say: Callable[[str], None]
) -> None:
    """End the sessions `ids`, None: all of `name`. Raises: NotTaken."""
    with _client(opener_key, address, name) as http:
        if ids is None:
            ids = [each["session_id"] for each in _asked(http, "GET", "/sessions")["sessions"]]
        if not ids:
            say("there is none to end; `exaim sessions` lists those that are open")
        for session_id in ids:
            say(f"{session_id}  {_asked(http, 'POST', f'/sessions/{session_id}/end')['status']}")


def _client(opener_key: str, address: str, name: str) -> httpx.Client:
    key = signed(opener_key, "key", until_s=time.time() + KEY_S, principal=name[:64])
    return httpx.Client(base_url=address, headers={KEY_HEADER: key}, timeout=WITHIN_S)


def _asked(http: httpx.Client, method: str, path: str) -> Any:
    try:
        answer = http.request(method, path)
        body = answer.json()
        if answer.is_success:
            return body
        code, told = body["error"]["code"], body["error"]["message"]
    except (httpx.RequestError, ValueError, KeyError, TypeError) as error:
        raise NotTaken(f"no answer of EXAIM Voice ({type(error).__name__}); does it run there?") from None
    if code == "wrong_secret":  # it answers alike whether there is none, or it is another's
        told = "no session of this id was opened under this name; `exaim sessions` lists those that are open"
    raise NotTaken(told)
