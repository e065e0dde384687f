"""Connect to the store at little more than half the CPU that redis-py's own connections take.

Its asynchronous client packs commands in Python, starts a task with a timer for every write, sets one more
for every reply, and tells meters of every loan of a connection, which nobody reads here. Retries and signs
of life are redis-py's.
"""

from __future__ import annotations

import math
from builtins import TimeoutError as BuiltinTimeoutError
from collections.abc import Iterable
from typing import Any, Final, cast

import hiredis
from redis.asyncio.connection import (
    AbstractConnection,
    Connection,
    ConnectionPool,
    SSLConnection,
    UnixDomainSocketConnection,
    parse_url,
)
from redis.exceptions import TimeoutError

from infra.deadlines import Deadline


class _Direct(AbstractConnection):
    """What is alike on every kind of socket."""

    async def connect(self) -> None:
        """Connect, unless it is done. Raises: ConnectionError, TimeoutError."""
        if not self.is_connected:
            await super().connect()  # type: ignore[no-untyped-call]

    def pack_command(self, *args: Any) -> list[bytes]:
        """Return the command as it is sent. Raises: DataError."""
        try:
            return [cast("bytes", hiredis.pack_command((*args[0].split(), *args[1:])))]
        except TypeError:  # what redis-py alone can pack, or refuses with its own error
            return super().pack_command(*args)

    async def send_packed_command(
        self, command: bytes | str | Iterable[bytes], check_health: bool = True
    ) -> None:
        """Send a command; what the socket does not take at once, redis-py waits for under its deadline.

        Raises: ConnectionError, TimeoutError.
        """
        if check_health and self.is_connected:
            await self.check_health()  # type: ignore[no-untyped-call]
        writer = self._writer
        if writer and not writer.is_closing() and isinstance(command, list):
            writer.writelines(command)
            if not writer.transport.get_write_buffer_size():
                return
            command = []
        await super().send_packed_command(command, check_health=False)

    async def read_response(
        self,
        disable_decoding: bool = False,
        timeout: float | None = None,
        *,
        disconnect_on_error: bool = True,
        push_request: bool | None = False,
    ) -> Any:
        """Return the next reply, waiting `timeout` s for it, else as long as the connection is set to wait.

        Raises: ConnectionError, TimeoutError, ResponseError.
        """
        how: dict[str, Any] = {"disconnect_on_error": disconnect_on_error, "push_request": push_request}
        if timeout is not None or self.socket_timeout is None:
            return await super().read_response(disable_decoding, timeout, **how)
        try:
            with Deadline(self.socket_timeout):
                return await super().read_response(disable_decoding, math.inf, **how)
        except BuiltinTimeoutError as late:
            raise TimeoutError(f"no reply within {self.socket_timeout:g} s") from late


class DirectConnection(_Direct, Connection):
    """On TCP."""


class DirectSSLConnection(_Direct, SSLConnection):
    """On TLS."""


class DirectUnixConnection(_Direct, UnixDomainSocketConnection):
    """On a Unix socket."""


_DIRECT: Final = {
    Connection: DirectConnection,
    SSLConnection: DirectSSLConnection,
    UnixDomainSocketConnection: DirectUnixConnection,
}


class DirectPool(ConnectionPool):
    """Lends connections; there are no meters, and no credentials that change while one is lent."""

    async def get_connection(
        self, command_name: str | None = None, *keys: Any, **options: Any
    ) -> AbstractConnection:
        """Return a connection that is ready for a command. Raises: ConnectionError, TimeoutError."""
        connection = cast("AbstractConnection", self.get_available_connection())  # type: ignore[no-untyped-call]
        try:
            await self.ensure_connection(connection)
        except BaseException:
            await self.release(connection)
            raise
        return connection

    async def release(self, connection: AbstractConnection) -> None:
        """Take a connection back."""
        self._in_use_connections.remove(connection)
        if connection.should_reconnect():  # type: ignore[no-untyped-call]
            await connection.disconnect()
        self._available_connections.append(connection)


def pool(url: str, **options: Any) -> DirectPool:
    """Return a pool of connections to `url`, whose own settings go before `options`. Raises: ValueError."""
    asked: dict[str, Any] = {**options, **parse_url(url)}
    return DirectPool(connection_class=_DIRECT[asked.pop("connection_class", Connection)], **asked)
