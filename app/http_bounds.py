"""The bounds of the HTTP server itself, before any application sees a request.

uvicorn waits without end for a head that was begun, and for a client that does not read, and it takes
connections until the process has no files left; then nobody is answered, not even whoever watches over it.
Here every connection has a deadline at each moment, and there are so many of them at most: one more, and the
one that has kept us waiting longest goes. So whoever holds connections open loses them, and nobody else
notices; a client that sends its request is answered within milliseconds and is never the one.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from routes.errors import error_response

MANY_RETRY_S: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpLimits:
    """Bounds of connections and times of the HTTP server."""

    connections: int = 256  # of 1,024 files, the usual limit; a browser opens six, a team one
    head_s: float = 10.0  # from the connection, or the last answer, to the last line of a head
    request_s: float = 60.0  # from there until the answer has left; the page to a slow reader is the longest


def bounded(limits: HttpLimits | None = None) -> type[H11Protocol]:
    """Return uvicorn's protocol with these bounds, to be given as `http`."""
    given = limits or HttpLimits()

    class Bounded(_Bounded):
        limits = given

    return Bounded


class _Bounded(H11Protocol):
    """One connection."""

    limits: HttpLimits

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._deadline: asyncio.TimerHandle | None = None
        self._since_s = 0.0
        self._cycle: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, if need be in the place of another."""
        super().connection_made(transport)
        self._wait(None)
        if len(self.connections) > self.limits.connections and not self._drop_another():
            self._refuse(429, "too_many_connections", "there are too many connections; come again")

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._deadline is not None:
            self._deadline.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Take what has come. What comes of a head drop by drop moves no deadline."""
        super().handle_events()
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the client to hang up."""
        super().on_response_complete()
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, in the form of all refusals."""
        self._refuse(400, "bad_request", "this is no HTTP request that can be read")

    def _look(self) -> None:
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and cycle.response_complete:
            cycle = None
        if cycle is not self._cycle:
            self._wait(cycle)

    def _wait(self, cycle: RequestResponseCycle | None) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
        self._cycle, self._since_s = cycle, self.loop.time()
        patience_s = self.limits.head_s if cycle is None else self.limits.request_s
        self._deadline = self.loop.call_later(patience_s, self._expired)

    def _expired(self) -> None:
        if self._cycle is None and self.conn.trailing_data[0] and not self.transport.is_closing():
            self._refuse(408, "too_slow", f"the head did not come within {self.limits.head_s:g} s")
        else:
            self.transport.abort()  # what was to be read is not waited for

    @property
    def _waits_for_client(self) -> bool:
        """Whether it is the other side that has to do something: send, or read."""
        return self._cycle is None or self._cycle.more_body or self.flow.write_paused

    def _drop_another(self) -> bool:
        waiting = [
            each
            for each in self.connections
            if isinstance(each, _Bounded) and each is not self and each._waits_for_client
        ]
        if not waiting:
            return False
        longest = min(waiting, key=lambda each: each._since_s)
        self.connections.discard(longest)
        longest.transport.abort()
        return True

    def _refuse(self, status: int, code: str, message: str) -> None:
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.abort()
            return
        answer = error_response(
            status, code, message, {"Retry-After": str(MANY_RETRY_S)} if status == 429 else {}
        )
        headers = [*answer.raw_headers, (b"connection", b"close")]
        for event in (
            h11.Response(status_code=status, headers=headers),
            h11.Data(data=bytes(answer.body)),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
