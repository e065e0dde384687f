"""A session that has expired in the store goes on from what was kept of it."""

from __future__ import annotations

import json

import pytest
from redis.asyncio import Redis

from infra.errors import CorruptSession, NewerSchema, UnknownSession
from infra.ledger import SpeechLedger
from infra.session_backup import read_backup, restore
from infra.sessions import SessionStore, Status
from infra.streams import SessionStreams
from realtime.speech.takeover import take_over
from tests.infra.making import taken
from tests.infra.story import item, lived, update
from tts_queue.phases import Phase

pytestmark = pytest.mark.real


@pytest.mark.parametrize("thread_id", ["s-1", "s-0"])
async def test_all_but_the_events_is_there_again_as_it_was(store: Redis, thread_id: str) -> None:
    await lived(store, "s-1", thread_id)
    before = await SessionStore(store).end("s-1", Status.ABANDONED)
    streams, ledger = SessionStreams(store, before.keys), SpeechLedger(store, before.keys)
    was = (await streams.read_updates(), await streams.read_commands(), await ledger.entries())
    text = await read_backup(store, before.keys)
    await store.flushall()
    with pytest.raises(UnknownSession):
        await SessionStore(store).get("s-1")
    assert await restore(store, before.keys, text) == before
    assert (await streams.read_updates(), await streams.read_commands(), await ledger.entries()) == was
    assert await streams.read_events() == []
    assert await streams.last_event_seq() == -1
    assert await SessionStore(store).live() == []


async def test_what_was_there_before_is_still_known_by_its_id_and_epochs_go_on(store: Redis) -> None:
    before = await lived(store)
    text = await read_backup(store, before.keys)
    await store.flushall()
    await restore(store, before.keys, text)
    streams = SessionStreams(store, before.keys)
    (asked, _) = await streams.read_commands()
    assert not await streams.append_command(asked.command)
    reason, voice = await taken(store, before.keys, "reason"), await taken(store, before.keys, "voice")
    assert (reason.epoch, voice.epoch) == (2, 2)
    assert not await streams.commit_update(update(1, item("K")), "u-s-1-0001", reason)
    assert await streams.commit_update(update(2, item("K")), "u-s-1-0002", reason)
    assert [each.seq for each in await streams.read_updates()] == [1, 2]


async def test_a_voice_goes_on_from_what_came_back_with_what_was_not_heard(store: Redis) -> None:
    before = await lived(store)
    text = await read_backup(store, before.keys)
    await store.flushall()
    await restore(store, before.keys, text)
    ledger = SpeechLedger(store, before.keys, await taken(store, before.keys, "voice"))
    left = take_over(await ledger.entries(), now_s=0.0, reached=await ledger.clause())
    for move in left.cut:
        await ledger.move(move)
    for utterance in left.again:
        await ledger.create(utterance)
    heard, cut, again = await ledger.entries()
    assert [each.phase for each in (heard, cut, again)] == [Phase.SPOKEN, Phase.CUT, Phase.QUEUED]
    assert again.utterance.replays == cut.utterance.utterance_id == "u-s-1-0001.2"


async def test_every_key_that_comes_back_expires_with_the_session(store: Redis) -> None:
    before = await lived(store)
    text = await read_backup(store, before.keys)
    await store.flushall()
    await restore(store, before.keys, text)
    for key in await store.keys():
        assert 3 * 3_600_000 < await store.pttl(key) <= 4 * 3_600_000, key


async def test_a_session_that_is_there_stays_as_it_is(store: Redis) -> None:
    before = await lived(store)
    text = await read_backup(store, before.keys)
    ended = await SessionStore(store).end("s-1", Status.ABANDONED)
    assert await restore(store, before.keys, text) == ended


async def test_a_key_that_outlived_its_session_does_not_spoil_it(store: Redis) -> None:
    before = await lived(store)
    text = await read_backup(store, before.keys)
    entries = await SpeechLedger(store, before.keys).entries()
    await store.delete(before.keys.name("record"))
    await restore(store, before.keys, text)
    assert await SpeechLedger(store, before.keys).entries() == entries
    assert [entry.phase for entry in entries] == [Phase.SPOKEN, Phase.HELD]


@pytest.mark.parametrize("text", ["", "[]", "{", '{"v": 1}', '{"v": 1, "record": 7}'])
async def test_a_backup_that_cannot_be_read_is_told_and_nothing_is_written(store: Redis, text: str) -> None:
    before = await lived(store)
    await store.flushall()
    with pytest.raises(CorruptSession, match="the backup of session s-1"):
        await restore(store, before.keys, text)
    assert await store.keys() == []


async def test_a_backup_that_holds_what_nobody_reads_any_more_is_read(store: Redis) -> None:
    before = await lived(store)
    kept = json.loads(await read_backup(store, before.keys)) | {"covered": {"doctor0": "9"}}
    await store.flushall()
    assert (await restore(store, before.keys, json.dumps(kept))).session_id == "s-1"
    assert len(await SessionStreams(store, before.keys).read_updates()) == 1


async def test_a_backup_of_a_later_version_is_refused(store: Redis) -> None:
    before = await lived(store)
    text = json.dumps({**json.loads(await read_backup(store, before.keys)), "v": 2})
    await store.flushall()
    with pytest.raises(NewerSchema, match="update the program"):
        await restore(store, before.keys, text)
    assert await store.keys() == []
