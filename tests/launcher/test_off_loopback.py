"""Off loopback only with TLS: else nothing starts, and the line says what to set."""

from __future__ import annotations

import asyncio
import datetime
import os
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from app import launcher, preflight, probes
from app.exits import CantStart, Exit
from infra.embedded import ports
from infra.embedded.child import spawn
from infra.settings import Settings, SettingsError, load_settings
from infra.sfu_testing import ScriptedSfu
from tests.api.serving import OPENER_KEY, a_key, refusal, settings_for
from tests.conftest import ROOT
from tests.launcher.processes import eventually

ELSEWHERE = ["0.0.0.0", "::", "192.168.1.7", "fe80::1", "voice.example.org", "127.0.0.1.example"]
PUBLIC = "https://voice.example.org"


@pytest.fixture
def pem(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "voice.example.org")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .sign(key, hashes.SHA256())
    )
    cert, secret = tmp_path / "cert.pem", tmp_path / "key.pem"
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return cert, secret


def settings(**given: object) -> Settings:
    return load_settings(_env_file=None, **given)


@pytest.mark.parametrize("host", ELSEWHERE)
def test_off_loopback_in_the_clear_is_refused_with_what_to_set(host: str) -> None:
    with pytest.raises(SettingsError, match=r"^EXAIM_API_HOST: .*EXAIM_TLS_CERT.*EXAIM_PUBLIC_URL"):
        settings(api_host=host)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost"])
def test_loopback_needs_no_tls(host: str) -> None:
    assert not settings(api_host=host).secure


@pytest.mark.parametrize("host", ELSEWHERE)
def test_with_tls_or_tls_in_front_any_address_may_be_bound(host: str, tmp_path: Path) -> None:
    assert settings(api_host=host, public_url=PUBLIC).secure
    assert settings(api_host=host, tls_cert=tmp_path / "c", tls_key=tmp_path / "k").secure


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"tls_cert": "/c"}, "EXAIM_TLS_KEY"),
        ({"tls_key": "/k"}, "EXAIM_TLS_KEY"),
        ({"public_url": "http://voice.example.org"}, "EXAIM_PUBLIC_URL"),
        ({"public_url": "https://voice.example.org/path"}, "EXAIM_PUBLIC_URL"),
        ({"public_url": "voice.example.org"}, "EXAIM_PUBLIC_URL"),
    ],
)
def test_half_a_setting_is_none(given: dict[str, str], named: str) -> None:
    with pytest.raises(SettingsError, match=f"^{named}: "):
        settings(**given)


def test_exaim_up_refuses_to_start_and_says_why() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli", "up", "--until-ready"],
        env={**os.environ, "EXAIM_API_HOST": "0.0.0.0"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert done.returncode == Exit.SETTINGS
    assert "EXAIM_TLS_CERT" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_certificate_that_cannot_be_used_is_told_before_anything_starts(
    pem: tuple[Path, Path], tmp_path: Path
) -> None:
    cert, key = pem
    preflight.check_tls(cert, key)
    (tmp_path / "empty").touch()
    for pair in ((cert, tmp_path / "empty"), (key, key), (cert, tmp_path / "nowhere"), (cert, cert)):
        with pytest.raises(CantStart, match="EXAIM_TLS_CERT") as refused:
            preflight.check_tls(*pair)
        assert refused.value.exit is Exit.SETTINGS


async def test_another_machine_is_refused_by_a_server_that_other_hands_have_bound(tmp_path: Path) -> None:
    from api import create_app

    for secure, expected in (({}, (403, "in_the_clear")), ({"public_url": PUBLIC}, None)):
        app = create_app(settings_for(tmp_path, **secure), sfu=ScriptedSfu(), watch=None, recording=None)
        transport = httpx.ASGITransport(app, client=("192.168.1.9", 50_000))
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client,
        ):
            answer = await client.get("/cases", headers={"Exaim-Key": a_key()})
        assert (refusal(answer) if expected else None) == expected
        assert ("strict-transport-security" in answer.headers) == (expected is None)


async def test_links_are_made_of_the_public_address_and_its_host_is_ours(tmp_path: Path) -> None:
    found = settings_for(tmp_path, api_host="192.168.1.7", public_url=f"{PUBLIC}:8443/")
    assert found.public_url == f"{PUBLIC}:8443"
    assert set(found.hosts) == {"192.168.1.7", "voice.example.org:8443"}
    plan = launcher.Plan(
        settings=found,
        parts=(),
        sfu="SFU",
        store="",
        found=preflight.PreflightResult(None, playable=1, broken=()),
    )
    told = launcher.banner(plan, 1.0)
    assert f"{PUBLIC}:8443/#open=link." in told
    assert "EXAIM_LIVEKIT_PUBLIC_URL" in told  # the page would be heard of nothing


@pytest.mark.real
async def test_the_api_serves_tls_itself(pem: tuple[Path, Path], tmp_path: Path) -> None:
    port = ports.choose(tmp_path / "ports.json", [("api", ports.Transport.TCP)])["api"]
    cert, key = pem
    given = settings_for(tmp_path, api_port=port, tls_cert=cert, tls_key=key, livekit_url="ws://127.0.0.1:1")
    environ = {**os.environ, **given.environment(), "EXAIM_OPENER_KEY": OPENER_KEY}
    log = tmp_path / "api.log"
    child = spawn("api", (sys.executable, "-m", "app.serve_api"), environ=environ, log=log)
    url = f"{launcher.page_address(given)}health/live"
    trusted = ssl.create_default_context()
    trusted.check_hostname, trusted.verify_mode = False, ssl.CERT_NONE
    try:
        assert eventually(lambda: _answers(url, trusted), 60.0), log.read_text(encoding="utf-8")
        assert url.startswith("https://")
        assert await probes.answers_http(url)()
        assert not await asyncio.to_thread(_answers, url.replace("https", "http"), trusted)
    finally:
        child.stop()


def _answers(url: str, trusted: ssl.SSLContext) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5, context=trusted) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
