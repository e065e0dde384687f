"""Records that are gone, foreign, or too new: a named error, and the other threads untouched."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

import ormsgpack
import pytest
from langgraph.checkpoint.serde.base import CipherProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from redis.asyncio import Redis

from infra.checkpoints import CorruptRecord, RedisSaver
from infra.checkpoints.keys import ThreadKeys
from infra.errors import NewerSchema, StoreError, TornSession
from tests.checkpoints.making import THREAD, chain, config, following, put, steps, there

KEYS = dict(
    zip(("heads", "bodies", "blobs", "writes", "ids", "pending"), ThreadKeys(THREAD).declared, strict=True)
)
HASHES = ("heads", "bodies", "blobs", "writes")


async def whole(saver: RedisSaver) -> None:
    """Make a thread with something of every kind, and a neighbour."""
    last = await chain(saver, 2)
    await saver.aput_writes(last.config, [("c", 1)], "task")
    await chain(saver, 2, at=config("t-2"))


async def refused(saver: RedisSaver, error: type[StoreError], match: str) -> None:
    """Check that nothing can be read or written, that the neighbour can, and that deleting mends it."""
    with pytest.raises(error, match=match):
        await there(saver, config())
    with pytest.raises(error, match=match):
        await steps(saver)
    await mended(saver)


async def mended(saver: RedisSaver) -> None:
    """Check that the neighbour is as it was, and that the thread can begin anew."""
    assert await steps(saver, config("t-2")) == [2, 1]
    await saver.adelete_thread(THREAD)
    assert await saver.aget_tuple(config()) is None
    await chain(saver, 1)
    assert await steps(saver) == [1]


@pytest.mark.parametrize("name", KEYS)
async def test_a_key_that_the_store_dropped_is_never_a_thread_without_a_past(
    saver: RedisSaver, store: Redis, name: str
) -> None:
    await whole(saver)
    await store.delete(KEYS[name])
    with pytest.raises(TornSession, match="adelete_thread"):
        await chain(saver, 1)
    with pytest.raises(TornSession, match="adelete_thread"):
        await saver.aput_writes(config(checkpoint_id="c"), [("c", 1)], "task")
    await refused(saver, TornSession, "adelete_thread")


@pytest.mark.parametrize("name", HASHES)
async def test_an_entry_that_is_gone_is_missed(saver: RedisSaver, store: Redis, name: str) -> None:
    await whole(saver)
    await store.hdel(KEYS[name], *[field for field in await store.hkeys(KEYS[name]) if field])
    await refused(saver, TornSession, "gone")


@pytest.mark.parametrize("name", KEYS)
async def test_a_key_of_another_type_is_corrupt(saver: RedisSaver, store: Redis, name: str) -> None:
    await whole(saver)
    await store.set(KEYS[name], "not ours")
    if name in {"blobs", "writes", "bodies", "pending"}:  # not looked into by a list of names
        with pytest.raises(CorruptRecord, match="another type"):
            await there(saver, config())
        await mended(saver)
    else:
        await refused(saver, CorruptRecord, "another type")


@pytest.mark.parametrize("name", HASHES)
@pytest.mark.parametrize(
    "junk",
    [b"", b"junk", b"\xc1", ormsgpack.packb([]), ormsgpack.packb(["1", 2]), ormsgpack.packb([1, 2, [3]])],
)
async def test_junk_in_a_record_is_corrupt(saver: RedisSaver, store: Redis, name: str, junk: bytes) -> None:
    await whole(saver)
    for field in await store.hkeys(KEYS[name]):
        await store.hset(KEYS[name], field, junk if field else "1")
    await refused(saver, CorruptRecord, "adelete_thread")


@pytest.mark.parametrize("name", HASHES)
async def test_a_record_of_a_newer_program_asks_for_it(saver: RedisSaver, store: Redis, name: str) -> None:
    await whole(saver)
    newer = [2, 0, "", "", []] if name == "heads" else [2, "what", "else"]
    for field in await store.hkeys(KEYS[name]):
        await store.hset(KEYS[name], field, ormsgpack.packb(newer) if field else "1")
    await refused(saver, NewerSchema, "update the program")


@pytest.mark.parametrize(("marker", "error"), [("2", NewerSchema), ("x", CorruptRecord), ("", CorruptRecord)])
async def test_a_threads_own_marker_is_judged_before_anything_is_written(
    saver: RedisSaver, store: Redis, marker: str, error: type[StoreError]
) -> None:
    await whole(saver)
    await store.hset(KEYS["heads"], "", marker)
    with pytest.raises(error):
        await chain(saver, 1)
    await refused(saver, error, "update the program|adelete_thread")


@dataclass(frozen=True)
class Keystream(CipherProtocol):
    """Enough of a cipher for a test: a keyed stream of bytes, and a tag."""

    key: bytes

    def encrypt(self, plaintext: bytes) -> tuple[str, bytes]:
        hidden = self._mixed(plaintext)
        return "test", hmac.digest(self.key, hidden, "sha256") + hidden

    def decrypt(self, ciphername: str, ciphertext: bytes) -> bytes:
        tag, hidden = ciphertext[:32], ciphertext[32:]
        if not hmac.compare_digest(tag, hmac.digest(self.key, hidden, "sha256")):
            raise ZeroDivisionError("the tag is wrong")  # ciphers raise what they like
        return self._mixed(hidden)

    def _mixed(self, data: bytes) -> bytes:
        stream = hashlib.shake_256(self.key).digest(len(data))
        return bytes(a ^ b for a, b in zip(data, stream, strict=True))


async def test_what_a_serializer_encrypts_is_nowhere_in_the_clear(store: Redis) -> None:
    secret = RedisSaver(store, serde=EncryptedSerializer(Keystream(b"key")))
    last = await put(secret, {"step": 1, "finding": "potassium 6.8"}, note="potassium 6.8")
    await secret.aput_writes(last.config, [("c", "potassium 6.8")], "task")
    again = await there(secret, config())
    assert again.checkpoint["channel_values"]["finding"] == "potassium 6.8"
    assert again.pending_writes == [("task", "c", "potassium 6.8")]
    for key in HASHES:
        found = await store.execute_command("HGETALL", KEYS[key], NEVER_DECODE=True)  # type: ignore[no-untyped-call]
        assert b"potassium" not in b"".join(found)


async def test_another_key_is_told_and_not_taken_for_an_empty_thread(store: Redis) -> None:
    await whole(RedisSaver(store, serde=EncryptedSerializer(Keystream(b"key"))))
    other = RedisSaver(store, serde=EncryptedSerializer(Keystream(b"other")))
    with pytest.raises(CorruptRecord, match="ZeroDivisionError"):
        await there(other, config())


@dataclass(frozen=True)
class Finding:
    text: str


async def test_only_the_states_own_classes_are_made_from_what_the_store_holds(store: Redis) -> None:
    await put(RedisSaver(store, types=[Finding]), {"step": 1, "finding": Finding("a")})
    knowing = await there(RedisSaver(store, types=[Finding]), config())
    assert knowing.checkpoint["channel_values"]["finding"] == Finding("a")
    strict = await there(RedisSaver(store), config())
    assert strict.checkpoint["channel_values"]["finding"] == {"text": "a"}


async def test_a_graph_may_name_more_classes_of_its_own(store: Redis) -> None:
    knowing = RedisSaver(store).with_allowlist([(Finding.__module__, Finding.__qualname__)])
    await knowing.aput(*following(RedisSaver(store), {"finding": Finding("a")}))
    found = await knowing.aget_tuple(config())
    assert found is not None
    assert found.checkpoint["channel_values"]["finding"] == Finding("a")


async def test_a_record_of_ours_with_something_else_in_it_is_corrupt(saver: RedisSaver, store: Redis) -> None:
    await whole(saver)
    other = ormsgpack.packb([1, "msgpack", ormsgpack.packb(5), "msgpack", ormsgpack.packb({})])
    for field in await store.hkeys(KEYS["bodies"]):
        await store.hset(KEYS["bodies"], field, other)
    await refused(saver, CorruptRecord, "no mapping")


async def test_a_damaged_thread_keeps_no_other_from_having_its_runs_deleted(
    saver: RedisSaver, store: Redis
) -> None:
    for thread in ("t-0", THREAD, "t-2"):
        await put(saver, {"step": 1}, at=config(thread), run_id="run")
    await store.delete(KEYS["blobs"])
    with pytest.raises(TornSession):
        await saver.adelete_for_runs(["run"])
    assert [await saver.aget_tuple(config(thread)) for thread in ("t-0", "t-2")] == [None, None]


async def test_a_value_that_cannot_be_stored_stops_the_put_and_not_the_thread(saver: RedisSaver) -> None:
    last = await chain(saver, 1)
    with pytest.raises(TypeError):
        await put(saver, {"step": object()}, after=last)
    assert await steps(saver) == [1]
