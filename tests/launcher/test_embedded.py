from __future__ import annotations

import json
import os
import socket
import stat
from pathlib import Path

import pytest

from infra.embedded import livekit, ports, valkey
from infra.embedded.locate import (
    LIVEKIT_VERSION,
    ServerMissing,
    built_livekit,
    cache_dir,
    find_livekit,
    parse_version,
)
from infra.team_log import BYTE_BOUND


def test_a_dozen_full_logs_of_live_teams_fit_into_the_store() -> None:
    assert valkey.MAX_MEMORY == "256mb"
    stream_overhead = 1.14  # measured with events of five characters
    assert 12 * BYTE_BOUND * stream_overhead < 256 * 2**20


def test_the_sfus_config_opens_loopback_only_and_no_tcp_for_media(tmp_path: Path) -> None:
    plan = livekit.plan(tmp_path)
    assert json.loads(plan.config.read_text(encoding="utf-8")) == {
        "port": plan.tcp_port,
        "bind_addresses": ["127.0.0.1"],
        "room": {"auto_create": False},
        "rtc": {
            "tcp_port": 0,
            "udp_port": plan.udp_port,
            "node_ip": "127.0.0.1",
            "enable_loopback_candidate": True,
            "interfaces": {"includes": ["lo"]},
        },
        "key_file": str(tmp_path / "keys.yaml"),
        "logging": {"level": "info", "json": True},
    }
    assert plan.url == f"ws://127.0.0.1:{plan.tcp_port}"


def test_the_key_is_long_kept_and_for_this_user_only(tmp_path: Path) -> None:
    before = os.umask(0o000)
    try:
        first = livekit.plan(tmp_path / "livekit")
    finally:
        os.umask(before)
    keys = tmp_path / "livekit" / "keys.yaml"
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.parent.stat().st_mode) == 0o700
    assert len(first.api_secret) >= 32
    assert keys.read_text(encoding="utf-8") == f"{first.api_key}: {first.api_secret}\n"
    assert first.api_secret not in repr(first)
    assert first.api_secret not in first.config.read_text(encoding="utf-8")
    again = livekit.plan(tmp_path / "livekit")
    assert (again.api_key, again.api_secret) == (first.api_key, first.api_secret)


@pytest.mark.parametrize("spoil", ["others may read it", "too short", "empty"])
def test_a_key_that_is_not_to_be_trusted_is_replaced(spoil: str, tmp_path: Path) -> None:
    first = livekit.plan(tmp_path)
    keys = tmp_path / "keys.yaml"
    if spoil == "others may read it":
        keys.chmod(0o644)
    else:
        keys.write_text("key: short\n" if spoil == "too short" else "", encoding="utf-8")
    again = livekit.plan(tmp_path)
    assert again.api_secret != first.api_secret
    assert len(again.api_secret) >= 32
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600


def test_ports_are_kept_from_one_start_to_the_next_unless_somebody_took_one(tmp_path: Path) -> None:
    kept, wanted = tmp_path / "ports.json", [("a", ports.Transport.TCP), ("b", ports.Transport.UDP)]
    first = ports.choose(kept, wanted)
    assert first["a"] != first["b"]
    assert ports.choose(kept, wanted) == first
    with socket.create_server(("127.0.0.1", first["a"])):
        moved = ports.choose(kept, wanted)
    assert moved["a"] != first["a"]
    assert moved["b"] == first["b"]


@pytest.mark.parametrize("content", ["", "[]", "not json", '{"a": "x", "b": 700000}'])
def test_a_spoilt_note_of_ports_is_ignored(content: str, tmp_path: Path) -> None:
    (tmp_path / "ports.json").write_text(content, encoding="utf-8")
    assert ports.choose(tmp_path / "ports.json", [("a", ports.Transport.TCP)])["a"] in ports.CANDIDATES


def test_the_store_is_started_without_a_tcp_port_append_only_and_never_evicting(tmp_path: Path) -> None:
    plan = valkey.plan(tmp_path / "data", tmp_path / "store.sock")
    words = plan.argv()[1:]
    options = dict(zip(words[::2], words[1::2], strict=True))
    assert options["--port"] == "0"
    assert options["--unixsocket"] == str(tmp_path / "store.sock")
    assert options["--unixsocketperm"] == "700"
    assert (options["--appendonly"], options["--appendfsync"]) == ("yes", "everysec")
    assert (options["--maxmemory-policy"], options["--maxmemory"]) == ("noeviction", "256mb")
    assert stat.S_IMODE(plan.data.stat().st_mode) == 0o700
    assert plan.url == f"unix://{tmp_path}/store.sock"


def fake_server(path: Path, says: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{says}'\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def test_the_server_named_by_the_environment_wins_then_path_then_the_cache(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin")}
    built = fake_server(built_livekit(environ), f"livekit-server version {LIVEKIT_VERSION}")
    assert find_livekit(environ) == built
    on_path = fake_server(tmp_path / "bin" / "livekit-server", "livekit-server version 1.14.0")
    assert find_livekit(environ) == on_path
    named = fake_server(tmp_path / "mine", "livekit-server version 1.13.9")
    assert find_livekit({**environ, "EXAIM_LIVEKIT_SERVER": str(named)}) == named


def test_a_server_on_path_that_is_too_old_is_passed_over(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path), "PATH": str(tmp_path / "bin")}
    fake_server(tmp_path / "bin" / "livekit-server", "livekit-server version 1.8.4")
    with pytest.raises(ServerMissing, match="make setup"):
        find_livekit(environ)


def test_a_named_server_that_is_not_there_is_an_error_and_not_passed_over(tmp_path: Path) -> None:
    with pytest.raises(ServerMissing, match="EXAIM_LIVEKIT_SERVER names"):
        find_livekit({"HOME": str(tmp_path), "PATH": "", "EXAIM_LIVEKIT_SERVER": str(tmp_path / "none")})


def test_the_cache_follows_xdg() -> None:
    assert cache_dir({"HOME": "/home/a"}) == Path("/home/a/.cache/exaim-voice")
    assert cache_dir({"HOME": "/home/a", "XDG_CACHE_HOME": "/big"}) == Path("/big/exaim-voice")


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("livekit-server version 1.13.5", (1, 13, 5)),
        ("go version go1.26.8 linux/amd64", (1, 26, 8)),
        ("v20.20.2\n", (20, 20, 2)),
        ("no number", None),
        ("", None),
    ],
)
def test_versions_are_read_from_what_tools_say(text: str, version: tuple[int, ...] | None) -> None:
    assert parse_version(text) == version
