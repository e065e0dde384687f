"""Settings and folders that are odd: they work, or a clear line says why not; there is never a traceback."""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import pytest

from app import launcher, preflight
from app.exits import CantStart, Exit
from app.preflight_remote import check_store
from infra.errors import StoreUnavailable
from infra.settings import Settings, SettingsError, load_settings, unknown_variables
from tests.conftest import ROOT
from tests.launcher.commands import Forks
from tests.launcher.starting import environ, forks, refused, without_ipv6

__all__ = ["environ", "forks"]  # the fixtures


@pytest.mark.parametrize(
    "url",
    [
        "redis://:hu/sh@127.0.0.1:1/0",
        "redis://:11/hush@127.0.0.1:1/0",
        "redis://:hush?x@127.0.0.1:1",
        "redis://:hush@127.0.0.1:sh",
        "redis://:hush@127.0.0.1:1/0?retries=3",
        "http://hush",
    ],
)
async def test_a_store_url_that_cannot_be_read_is_told_without_a_piece_of_it(url: str) -> None:
    with pytest.raises(CantStart, match=r"REDIS_URL can't be read.*redis://user:password@host") as refused_:
        await check_store(url)
    assert refused_.value.exit is Exit.STORE
    assert "hush" not in str(refused_.value)
    assert "'" not in str(refused_.value).replace("can't", "")  # nothing is quoted


@pytest.mark.parametrize("text", [b"# caf\xe9\nEXAIM_SPEED=2\n", b"EXAIM_SPEED=\xff\n"])
def test_a_dotenv_of_another_encoding_is_told(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_bytes(text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match="UTF-8"):
        load_settings()


def test_a_variable_that_nobody_reads_is_told_by_its_name() -> None:
    known = Settings().environment().keys() | {"EXAIM_KEY", "EXAIM_TESTS_UNTIL", "PATH", "LIVEKIT_URL"}
    assert unknown_variables(known) == ()
    assert unknown_variables(["EXAIM_GARCE_S", "exaim_zzz"]) == (
        "EXAIM_GARCE_S is no variable of EXAIM Voice, and changes nothing; EXAIM_GRACE_S is one",
        "EXAIM_ZZZ is no variable of EXAIM Voice, and changes nothing; .env.example has them all",
    )


@pytest.mark.parametrize("name", ["REDIS_URL", "LIVEKIT_URL", "DATABASE_URL", "CASES"])
def test_a_variable_that_has_no_prefix_is_named_without_it(name: str) -> None:
    assert unknown_variables([f"EXAIM_{name}"]) == (
        f"EXAIM_{name} is no variable of EXAIM Voice, and changes nothing; {name} is one",
    )


def test_every_variable_of_the_example_is_read() -> None:
    names = re.findall(
        r"^#?(EXAIM_[A-Z_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(names) > 30
    assert unknown_variables(names) == ()


@pytest.mark.parametrize("name", ["logs", "ready", "store", "livekit", "lock", "ports.json"])
def test_what_lies_where_the_stack_keeps_its_own_is_named(
    name: str, tmp_path: Path, environ: dict[str, str], forks: Forks
) -> None:
    in_the_way = tmp_path / "run" / name
    in_the_way.parent.mkdir(mode=0o700)
    if name in {"lock", "ports.json"}:
        in_the_way.mkdir()
    else:
        in_the_way.touch()
    code, message = refused(forks, tmp_path, environ, "--port", "0")
    assert code == Exit.SETTINGS
    assert f"{in_the_way} can't be used" in message
    assert "--run-dir" in message


@pytest.mark.skipif(without_ipv6(), reason="this machine has no ::1")
def test_an_ipv6_address_is_looked_at_and_its_taken_port_is_told() -> None:
    with socket.create_server(("::1", 0), family=socket.AF_INET6) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(CantStart, match=f"Port {port} is in use on ::1") as refused_:
            preflight.check_port("::1", port)
    assert refused_.value.exit is Exit.PORT_IN_USE
    preflight.check_port("::1", port)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("::1", "http://[::1]:8080/"),
        ("::", "http://[::1]:8080/"),
        ("0.0.0.0", "http://127.0.0.1:8080/"),
        ("localhost", "http://localhost:8080/"),
    ],
)
def test_the_pages_address_is_one_that_a_browser_takes(host: str, url: str) -> None:
    settings = Settings(_env_file=None, api_host=host, public_url="https://voice.example.org")
    assert plan(settings).page_url == url


@pytest.mark.parametrize(
    ("host", "code", "words"),
    [("[::1]", Exit.PORT_IN_USE, "EXAIM_API_HOST"), ("a..b", Exit.SETTINGS, "EXAIM_API_HOST is no host")],
)
def test_a_host_that_is_none_is_told_by_its_variable(host: str, code: Exit, words: str) -> None:
    with pytest.raises(CantStart, match=words) as refused_:
        preflight.check_port(host, 0)
    assert refused_.value.exit is code
    assert "Unknown error" not in str(refused_.value)


def plan(settings: Settings) -> launcher.Plan:
    found = preflight.PreflightResult(None, playable=1, broken=())
    return launcher.Plan(settings=settings, parts=(), sfu="", store="", found=found)


def test_a_note_that_cannot_be_written_is_told_and_nothing_ends(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "stack.json").mkdir()  # as good as a full disk
    launcher.note(tmp_path, plan(Settings(_env_file=None)), {"api": os.getpid()}, 1.0, said.append)
    assert len(said) == 1
    assert said[0].startswith("stack.json can't be written")


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("redis://me:secret@store.example:6379/0?password=secret", r"REDIS_URL \(store\.example:6379\)"),
        ("redis://127.0.0.1:1/0", r"REDIS_URL \(127\.0\.0\.1:1\)"),
        ("unix:///run/none.sock?password=secret", r"REDIS_URL \(/run/none\.sock\)"),
    ],
)
async def test_a_store_that_is_away_is_told_with_its_host_and_the_cause(
    url: str, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(_: object) -> None:
        raise StoreUnavailable("INFO", "connection refused")

    monkeypatch.setattr("infra.store.check", away)
    with pytest.raises(CantStart, match=f"{place}: .*connection refused") as refused:
        await check_store(url)
    assert "secret" not in str(refused.value)
