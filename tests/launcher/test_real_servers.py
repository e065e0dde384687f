from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path

import pytest

from app.probes import pings
from infra.embedded import valkey
from infra.embedded.child import spawn
from tests.launcher.processes import LOOPBACK_HEX, eventually, listening, lives
from tests.sfu_server import livekit_server

pytestmark = pytest.mark.real


def test_the_sfu_listens_on_one_tcp_and_one_udp_address_both_loopback(tmp_path: Path) -> None:
    with livekit_server(tmp_path) as sfu:
        assert listening(sfu.pid) == {"tcp": LOOPBACK_HEX, "udp": LOOPBACK_HEX}
    assert not lives(sfu.pid)


def test_two_servers_run_beside_each_other(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    with livekit_server(tmp_path / "one") as one, livekit_server(tmp_path / "two") as two:
        assert one.url != two.url
        assert one.api_secret != two.api_secret


async def test_the_store_listens_on_a_socket_of_this_user_and_nowhere_else(tmp_path: Path) -> None:
    plan = valkey.plan(tmp_path / "data", tmp_path / "s")
    child = spawn("store", plan.argv(), environ=os.environ, log=tmp_path / "store.log")
    try:
        assert eventually(plan.socket.exists), child.last_words()
        async with asyncio.timeout(5.0):  # the socket is there a moment before it answers
            while not await pings(plan.socket)():
                await asyncio.sleep(0.02)
        assert listening(child.pid) == {"unix": {str(plan.socket)}}
        assert stat.S_IMODE(plan.socket.stat().st_mode) == 0o700
    finally:
        child.stop()
    assert not await pings(plan.socket)()


async def test_a_socket_left_by_a_killed_store_is_in_nobodys_way(tmp_path: Path) -> None:
    for _ in range(2):
        plan = valkey.plan(tmp_path / "data", tmp_path / "s")
        child = spawn("store", plan.argv(), environ=os.environ, log=tmp_path / "store.log")
        try:
            assert eventually(plan.socket.exists), child.last_words()
        finally:
            child.kill_group()
        assert plan.socket.exists()
