"""Why there is no connection, in words. No address is in them, and no key."""

from __future__ import annotations

import os
import socket
import ssl
from collections.abc import Iterator
from typing import Final

NOT_TRUSTED: Final = "its certificate is not trusted"
NO_TLS: Final = "it does not speak TLS there"
TLS_REFUSED: Final = "it refuses the TLS connection"


def chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an exception and what it came of, each once."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def unconnected(error: BaseException | None) -> str:
    """Return why there is no connection; "" if neither an exception nor what it came of says so.

    A fault of TLS is an OSError too, whose number means nothing to the system: it is looked for first.
    """
    found = [*chain(error)]
    told = next((each for each in found if isinstance(each, ssl.SSLError)), None)
    if told is not None:
        return _of_tls(told)
    return next(filter(None, map(_of_system, found)), "")


def _of_tls(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return NOT_TRUSTED
    refused = isinstance(error, ssl.SSLEOFError) or "ALERT" in (getattr(error, "reason", None) or "")
    return TLS_REFUSED if refused else NO_TLS


def _of_system(error: BaseException) -> str:
    if isinstance(error, socket.gaierror):
        return "no host of that name"
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    return ""
