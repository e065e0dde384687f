"""The errors that a team gets when it can't be heard.

LiveError
├── Unreachable   no answer; trying again may help
└── Refused       the server says no, and why
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, TypeVar

import httpx

T = TypeVar("T")

SERVER_AWAY: Final = frozenset({408, 429, 500, 502, 503, 504})
LASTING: Final = frozenset({"log_full", "too_many_sessions"})
"""Refusals with a status of those that pass, which waiting does not mend."""

RETRY_AFTER_MOST_S: Final = 60.0  # whoever asks for more: words wait, and the team may end meanwhile


class LiveError(Exception):
    """Base of this package's failures. No message holds what an agent said."""


class Unreachable(LiveError):
    """The server gave no answer, or none that helps now."""

    def __init__(self, why: str, *, retry_after_s: float = 0.0) -> None:
        super().__init__(f"EXAIM Voice can't be reached ({why}); is `exaim up` running at this address?")
        self.retry_after_s = retry_after_s


class Refused(LiveError):
    """The server answered, and will not take this. `code` is stable; the message says what to do.

    `status` 0: this package itself has failed.
    """

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status, self.code = status, code


async def asked(http: httpx.AsyncClient, request: httpx.Request, read: Callable[[Any], T]) -> T:
    """Send a request and return what `read` finds in the JSON of its 2xx answer.

    Raises: Unreachable (also if `read` finds nothing: a proxy's page, a portal), Refused.
    """
    try:
        answer = await http.send(request)
    except httpx.UnsupportedProtocol as error:
        raise Unreachable("its address has to begin with http:// or https://") from error
    except httpx.RequestError as error:
        raise Unreachable(type(error).__name__) from error
    if answer.is_success:
        try:
            return read(answer.json())
        except (ValueError, LookupError, TypeError):
            raise Unreachable("the answer is none of its own") from None
    code, message = _told(answer)
    if answer.status_code in SERVER_AWAY and code not in LASTING:
        raise Unreachable(f"{answer.status_code} {code}", retry_after_s=_seconds(answer))
    raise Refused(answer.status_code, code, message)


def _told(answer: httpx.Response) -> tuple[str, str]:
    try:
        error = answer.json()["error"]
        return str(error["code"]), str(error["message"])
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError):
        return "refused", "the answer is none of EXAIM Voice's; is this its address?"


def _seconds(answer: httpx.Response) -> float:
    told = answer.headers.get("retry-after", "")
    return min(float(told), RETRY_AFTER_MOST_S) if told.isdecimal() else 0.0
