from __future__ import annotations

import re
import traceback
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from infra.errors import NewerSchema, StoreMisconfigured, StoreUnavailable
from infra.keys import SessionKeys
from infra.store import check, connect, judge, readable

GOOD: dict[str, Any] = {"redis_version": "7.2.4", "maxmemory_policy": "noeviction", "maxmemory": 1}


@pytest.mark.real
async def test_the_embedded_store_may_be_trusted_with_a_session(store: Redis) -> None:
    found = await check(store)
    assert (found.server, found.eviction, found.warnings) == ("valkey", "noeviction", ())
    assert found.version.startswith("9."), "the server's own version, not the Redis that it resembles"


async def test_a_store_that_is_not_there_is_unavailable_within_seconds(tmp_path: Path) -> None:
    client = connect(f"unix://{tmp_path}/none.sock")
    with pytest.raises(StoreUnavailable, match="REDIS_URL"):
        await check(client)
    await client.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "redis://:hu/sh@127.0.0.1:1/0",
        "redis://:11/hush@127.0.0.1:1/0",
        "redis://:hush?x@127.0.0.1:1",
        "redis://:hush[@127.0.0.1:1/0",
        "redis://:hush@127.0.0.1:sh",
        "redis://:hush@127.0.0.1:1/0?retries=3",
        "redis://:hush@127.0.0.1:1/0?socket_timeout=hush",
        "http://hush",
        "hush",
    ],
)
def test_an_address_that_cannot_be_read_is_told_without_a_piece_of_it(url: str) -> None:
    with pytest.raises(StoreMisconfigured, match="REDIS_URL can't be read: give redis://user:") as refused:
        connect(url)
    assert "hush" not in "".join(traceback.format_exception(refused.value))


def test_a_store_that_may_drop_parts_of_a_session_is_refused() -> None:
    with pytest.raises(StoreMisconfigured, match="maxmemory-policy noeviction"):
        judge({**GOOD, "maxmemory_policy": "volatile-lru"})
    assert judge({**GOOD, "maxmemory_policy": "volatile-lru", "maxmemory": 0}).eviction == "volatile-lru"


def test_a_store_that_hides_its_policy_is_taken_with_a_warning() -> None:
    found = judge({"redis_version": "7.4.0"})
    assert found.server == "redis"
    assert len(found.warnings) == 1


@pytest.mark.parametrize(
    ("used", "not_counted", "full"), [(99, 0, False), (100, 0, True), (120, 20, True), (119, 20, False)]
)
def test_a_store_without_memory_is_told_with_its_mend(used: int, not_counted: int, full: bool) -> None:
    memory = {"maxmemory": 100, "used_memory": used, "mem_not_counted_for_evict": not_counted}
    found = judge(GOOD | memory)
    assert (found.full, ["maxmemory" in each for each in found.warnings]) == (full, [True] * full)
    assert not judge(GOOD | memory | {"maxmemory": 0}).full


def test_a_store_that_is_too_old_is_refused() -> None:
    with pytest.raises(StoreMisconfigured, match=re.escape("5.0.14")):
        judge({**GOOD, "redis_version": "5.0.14"})


@pytest.mark.parametrize("found", [2, "2", "x", None, 0, -1, ""])
def test_a_version_that_is_not_known_is_refused(found: object) -> None:
    readable("a thing", 1, 1)
    with pytest.raises(NewerSchema):
        readable("a thing", found, 1)


def test_all_keys_of_a_session_share_one_hash_tag() -> None:
    keys = SessionKeys("t-1", "s-1")
    assert {re.findall(r"\{(.*?)\}", key)[0] for key in keys.declared} == {"t-1"}
    assert len(set(keys.declared)) == len(keys.declared)
    assert keys.declared[: len(keys.lasting)] == keys.lasting, "the leases come last and are not kept alive"


@pytest.mark.parametrize(("thread_id", "session_id"), [("", "s"), ("t", ""), ("a}b", "s"), ("{", "s")])
def test_ids_that_would_break_the_hash_tag_are_refused(thread_id: str, session_id: str) -> None:
    with pytest.raises(ValueError, match="ids"):
        SessionKeys(thread_id, session_id)


def test_no_script_names_a_key_that_it_did_not_declare() -> None:
    folder = files("infra") / "lua"
    scripts = [each for each in folder.iterdir() if each.name.endswith(".lua")]
    assert len(scripts) > 8
    named = {"RECORD", "EVENTS", "UPDATES", "COMMANDS", "COVERED", "HEADS", "SEEN", "UTTERANCES"}
    named |= {
        "PHASES",
        "VERSIONS",
        "ORDER",
        "FENCE",
        "LEASE",
        "OUTBOX",
        "REPORT",
        "PAPER",
        "INBOX",
        "KEYS",
        "ARRIVING",
    }
    named |= {"key"}  # what a loop over some of these names calls each
    for script in scripts:
        calls = re.findall(r"redis\.call\('(\w+)'(?:, (\w+))?", script.read_text("utf-8"))
        assert all(command == "TIME" or first in named for command, first in calls), script.name


def test_the_prelude_names_as_many_keys_as_are_declared() -> None:
    prelude = (files("infra") / "lua" / "prelude.lua").read_text("utf-8")
    keys = SessionKeys("t", "s")
    assert max(map(int, re.findall(r"KEYS\[(\d+)\]", prelude))) == len(keys.declared)
    assert f"LASTING = {len(keys.lasting)}" in prelude
