"""Why there is no connection: a fault of TLS is named as one, and no number of the system's is read out of it."""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl

import httpx
import pytest

from chat_models.errors import Unavailable, translated
from chat_models.unconnected import NO_TLS, NOT_TRUSTED, TLS_REFUSED


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def refused_by_alert() -> ssl.SSLError:
    error = ssl.SSLError(1, "[SSL: TLSV1_ALERT_PROTOCOL_VERSION] alert")
    error.reason = "TLSV1_ALERT_PROTOCOL_VERSION"
    return error


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (ssl.SSLCertVerificationError(1, "self-signed certificate"), NOT_TRUSTED),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version number"), NO_TLS),
        (caused(OSError(errno.EPERM, "x"), ssl.SSLCertVerificationError(1, "expired")), NOT_TRUSTED),
        (refused_by_alert(), TLS_REFUSED),
        (ssl.SSLEOFError(8, "EOF occurred in violation of protocol"), TLS_REFUSED),
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed"), "connection refused"),
        (socket.gaierror(-2, "Name or service not known"), "no host of that name"),
        (PermissionError(errno.EPERM, "x"), "operation not permitted"),
    ],
)
def test_the_cause_is_named(cause: Exception, told: str) -> None:
    failed = translated(caused(httpx.ConnectError("failed"), cause))
    assert isinstance(failed, Unavailable)
    assert failed.because == told


async def test_a_server_without_tls_is_told_as_that() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with server, httpx.AsyncClient(trust_env=False) as client:
        with pytest.raises(httpx.ConnectError) as failed:
            await client.get(f"https://{host}:{port}/")
    found = translated(failed.value)
    assert isinstance(found, Unavailable)
    assert found.because == NO_TLS
