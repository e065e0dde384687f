"""Why the store gave no answer: the cause is named, and nothing of an address or a password."""

from __future__ import annotations

import errno
import socket
import ssl

import pytest
from redis.exceptions import AuthenticationError
from redis.exceptions import ConnectionError as RedisConnectionError

from infra.errors import StoreUnavailable
from infra.scripts import answering


@pytest.mark.parametrize(
    ("cause", "told"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed"), "connection refused"),
        (socket.gaierror(-2, "Name or service not known"), "no host of that name"),
        (AuthenticationError("invalid secret"), "it refuses the user or the password"),
        (ssl.SSLCertVerificationError(1, "[SSL] self-signed certificate"), "its certificate is not trusted"),
        (ssl.SSLError(1, "[SSL: WRONG_VERSION_NUMBER] wrong version"), "it does not speak TLS there"),
        (TimeoutError(), "did not answer in time"),
    ],
)
async def test_the_cause_is_named(cause: Exception, told: str) -> None:
    with pytest.raises(StoreUnavailable, match=told) as away:
        async with answering("INFO"):
            raise RedisConnectionError("Error connecting to secret") from cause
    assert "secret" not in str(away.value)
