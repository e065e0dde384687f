"""Google's voice as in production: by TLS, and by a key or a service account's own credentials.

The account signs its tokens itself, as Google's client has it by default, so no token server is asked.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from tests.twins.google_tts_twin import Lock, google_tts_twin
from tests.twins.script import KEY

ACCOUNT = "voice@project.iam.gserviceaccount.com"


def certified(key: rsa.RSAPrivateKey) -> bytes:
    """Return a certificate of the loopback address, signed by its own key."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    built = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return built.public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def pair() -> tuple[bytes, bytes]:
    """A private key, and its certificate."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return private, certified(key)


async def said_by_child(environ: Mapping[str, str], *arguments: str) -> tuple[str, str]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.tts_queue.google_child", *arguments),
        env={**os.environ, **environ},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return out.decode().strip(), err.decode()


@pytest.mark.parametrize("by", ["key", "account"])
async def test_only_the_address_differs_from_the_real_service(
    by: str, pair: tuple[bytes, bytes], tmp_path: Path
) -> None:
    private, certificate = pair
    (tmp_path / "roots.pem").write_bytes(certificate)
    account = {
        "type": "service_account",
        "client_email": ACCOUNT,
        "private_key": private.decode(),
        "private_key_id": "1",
        "token_uri": "https://127.0.0.1:1/none",
        "project_id": "project",
    }
    (tmp_path / "account.json").write_text(json.dumps(account), encoding="utf-8")
    environ = {
        "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": str(tmp_path / "roots.pem"),
        "GOOGLE_APPLICATION_CREDENTIALS": str(tmp_path / "account.json"),
    }
    lock = Lock(grpc.ssl_server_credentials([(private, certificate)]), certificate)
    async with google_tts_twin(lock=lock) as twin:
        words, errors = await said_by_child(environ, twin.address, *([KEY] if by == "key" else []))
    assert words == "3", errors
    assert twin.texts == ["Potassium is high."]
    assert twin.refusals == []
