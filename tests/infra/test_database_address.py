"""DATABASE_URL as people and hosting vendors write it: used, or refused by the name of what can't be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.exits import CantStart, Exit
from app.preflight_remote import check_database
from infra.database import DatabaseMisconfigured, DatabaseUnavailable
from infra.database.address import SSL_MODES, driver
from infra.database.engine import parsed
from infra.database.records import SqlRecords
from tests.infra.postgres import postgresql

LOGIN = "postgresql://exaim:s3cret@127.0.0.1:1/exaim"


@pytest.mark.parametrize("mode", SSL_MODES)
def test_the_way_of_tls_is_passed_on_under_the_drivers_name(mode: str) -> None:
    for name in ("sslmode", "ssl"):
        assert dict(parsed(f"{LOGIN}?{name}={mode}").query) == {"ssl": mode}


def test_what_is_of_no_account_is_left_out_and_what_the_driver_knows_stays() -> None:
    vendors = "sslmode=require&connect_timeout=10&application_name=x&channel_binding=prefer"
    assert dict(parsed(f"{LOGIN}?{vendors}").query) == {"ssl": "require"}
    known = {"host": "/run/postgresql", "port": "5433", "prepared_statement_cache_size": "0"}
    at = parsed("postgresql:///exaim?" + "&".join(f"{name}={value}" for name, value in known.items()))
    assert dict(at.query) == known


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ("sslmode=sometimes", "sslmode has to be one of disable,"),
        ("ssl=true", "ssl has to be one of disable,"),
        ("sslmode=require&ssl=disable", "says twice"),
        ("sslmode=require&sslmode=disable", "says twice"),
        ("pgbouncer=true", "its option pgbouncer can't be used; take it out"),
        ("channel_binding=require", "its option channel_binding can't"),
        ("sslrootcert=/a/root.crt", "set PGSSLROOTCERT in the environment"),
    ],
)
async def test_an_option_that_cannot_be_used_is_named_and_the_password_is_not(
    options: str, named: str
) -> None:
    url = f"{LOGIN}?{options}"
    for made in (driver, SqlRecords):  # the API judges it by the first, without a driver
        with pytest.raises(DatabaseMisconfigured, match=named) as refused:
            made(url)
        assert "s3cret" not in str(refused.value)
    with pytest.raises(CantStart, match=named) as start:
        await check_database(url)
    assert start.value.exit is Exit.DATABASE


@pytest.mark.parametrize(
    "login", ["12?s3cret=x", "p@x?s3cret=y", "p@x?s3cret&z", "s3cret", "12/s3cret?sslmode=s3cret"]
)
def test_a_password_with_bare_marks_in_it_is_not_told(login: str) -> None:
    with pytest.raises(DatabaseMisconfigured) as refused:
        SqlRecords(f"postgresql://exaim:{login}@host/exaim?pgbouncer=true")
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize("host", ["a..b", "a" * 70 + ".example"])
async def test_a_host_that_is_no_name_is_told(host: str) -> None:
    with pytest.raises(DatabaseMisconfigured, match="postgresql://user") as refused:
        await SqlRecords(f"postgresql://exaim:s3cret@{host}/exaim").check()
    assert "s3cret" not in str(refused.value)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql:///exaim?host=a:1&host=b",
        "postgresql:///exaim?host=127.0.0.1&prepared_statement_cache_size=few",
        "sqlite:////nowhere/a\0b.db",
    ],
    ids=ascii,
)
async def test_hosts_numbers_and_paths_that_cannot_be_read_are_told(url: str) -> None:
    with pytest.raises(DatabaseMisconfigured):
        await SqlRecords(url).check()


async def test_a_certificate_that_cannot_be_looked_at_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("PGSSLROOTCERT", raising=False)
    with pytest.raises(DatabaseMisconfigured, match="root certificate file"):
        await SqlRecords(f"{LOGIN}?sslmode=verify-full").check()


async def test_a_server_that_is_away_is_away_also_with_tls_asked_for() -> None:
    with pytest.raises(DatabaseUnavailable):
        await SqlRecords(f"{LOGIN}?sslmode=require").check()


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with postgresql() as url:
        yield url


@pytest.mark.real
@pytest.mark.parametrize("options", ["sslmode=require", "sslmode=disable", "connect_timeout=5"])
async def test_a_real_server_takes_the_options_of_vendors(server: str, options: str) -> None:
    records = SqlRecords(f"{server}&{options}")
    await records.check()
    await records.aclose()
