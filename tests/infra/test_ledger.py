from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import pairwise

import pytest
from redis.asyncio import Redis

from infra.errors import Fenced, NewerSchema, StaleVersion, StoreUnavailable, TornSession
from infra.keys import SessionKeys
from infra.ledger import Reached, SpeechLedger, UnknownUtterance
from infra.store import connect
from tests.infra.making import taken, taken_over
from tests.servers import valkey
from tts_queue.model import Move, Priority, Prosody, SegmentMark, Utterance
from tts_queue.phases import NEXT, HoldCause, IllegalTransition, Phase
from tts_queue.ports import LogUnavailable

pytestmark = pytest.mark.real

HELLO = Utterance("u-1", "Hello.", Priority.NOTICE, "notice", queued_at_s=1.5)
RICH = Utterance(
    "u-s-1-0001.1",
    "Ramipril stopped: “80 %” of 5 mg\n\\",
    Priority.CRITICAL,
    "critical",
    topic="hyperkalaemia",
    prosody=Prosody(rate=1.1, pitch_semitones=-0.5, emphasis=("stopped",)),
    update_id="u-s-1-0001",
    protects=True,
    critical_key="k",
    expires_after_s=30.25,
    replays="u-0",
    queued_at_s=12.345,
    lag_from_s=11.0,
)


def move(number: int, before: Phase, after: Phase, at_s: float = 2.0, utterance_id: str = "u-1") -> Move:
    return Move(utterance_id, number, before, after, at_s)


START = move(1, Phase.QUEUED, Phase.SPEAKING)


async def test_entries_come_back_whole_in_order_of_creation(store: Redis, keys: SessionKeys) -> None:
    fence = await taken(store, keys, "voice")
    ledger = SpeechLedger(store, keys, fence)
    await ledger.create(RICH)
    await ledger.create(HELLO)
    rich, hello = await SpeechLedger(store, keys).entries()
    assert (rich.utterance, hello.utterance) == (RICH, HELLO)
    assert (rich.seq, hello.seq) == (1, 2)
    assert (rich.phase, rich.version, rich.move, rich.epoch) == (Phase.QUEUED, 0, None, fence.epoch)
    assert rich.created_at_ms <= hello.created_at_ms


async def test_an_utterance_created_again_stays_as_it_is(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    await ledger.move(START)
    before = await ledger.entries()
    await ledger.create(replace(HELLO, text="Something else."))
    assert await ledger.entries() == before


async def test_a_move_is_kept_with_its_cause_and_positions(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    await ledger.move(START)
    held = Move(
        "u-1", 2, Phase.SPEAKING, Phase.HELD, 3.25, HoldCause.LISTENER, "no beat for 1.5 s",
        sent=4_800, played=960, heard=960, total=96_000, complete=True, start_sample=7,
        segments=(SegmentMark(0, 7, 48_000), SegmentMark(1, 48_007, 48_000)),
    )  # fmt: skip
    await ledger.move(held)
    [entry] = await ledger.entries()
    assert entry.move == held
    assert (entry.phase, entry.version) == (Phase.HELD, 2)
    assert (entry.cause, entry.reason) == (HoldCause.LISTENER, "no beat for 1.5 s")
    assert entry.moved_at_ms >= entry.created_at_ms


async def test_an_utterance_has_the_words_in_which_it_last_moved(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    await ledger.move(replace(START, text="Other words."))
    [entry] = await ledger.entries()
    assert entry.utterance == replace(HELLO, text="Other words.")


async def test_a_move_whose_answer_was_lost_may_be_sent_again(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    await ledger.move(START)
    before = await ledger.entries()
    await ledger.move(START)
    assert await ledger.entries() == before


async def test_of_twenty_racing_moves_one_wins(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    racing = [move(1, Phase.QUEUED, Phase.SPEAKING, at_s=float(n)) for n in range(20)]
    ended = await asyncio.gather(*map(ledger.move, racing), return_exceptions=True)
    won = [each for each, result in zip(racing, ended, strict=True) if result is None]
    assert len(won) == 1
    assert all(isinstance(result, StaleVersion) for result in ended if result is not None)
    assert [entry.move for entry in await ledger.entries()] == won


@pytest.mark.parametrize("before", list(Phase))
async def test_no_move_that_the_table_lacks_is_recorded(
    store: Redis, keys: SessionKeys, before: Phase
) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    for after in set(Phase) - NEXT[before]:
        with pytest.raises(IllegalTransition):
            await ledger.move(move(1, before, after))
    assert [entry.version for entry in await ledger.entries()] == [0]


async def test_every_walk_through_the_table_is_recorded(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    walks = [
        (*path, last)
        for path in [
            (Phase.QUEUED,),
            (Phase.QUEUED, Phase.SPEAKING),
            (Phase.QUEUED, Phase.SPEAKING, Phase.HELD),
        ]
        for last in sorted(NEXT[path[-1]])
    ]
    for index, walk in enumerate(walks):
        name = f"u-{index}"
        await ledger.create(replace(HELLO, utterance_id=name))
        for number, (before, after) in enumerate(pairwise(walk), start=1):
            await ledger.move(move(number, before, after, utterance_id=name))
    assert [entry.phase for entry in await ledger.entries()] == [walk[-1] for walk in walks]


async def test_a_move_from_a_phase_that_the_entry_is_not_in_is_refused(
    store: Redis, keys: SessionKeys
) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    with pytest.raises(IllegalTransition) as refused:
        await ledger.move(move(1, Phase.HELD, Phase.SPEAKING))
    assert refused.value.phase_from is Phase.QUEUED


async def test_a_move_that_was_overtaken_or_runs_ahead_is_refused(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    with pytest.raises(StaleVersion):
        await ledger.move(move(2, Phase.SPEAKING, Phase.SPOKEN))
    await ledger.move(START)
    with pytest.raises(StaleVersion) as stale:
        await ledger.move(move(1, Phase.QUEUED, Phase.CANCELLED))
    assert (stale.value.expected, stale.value.found) == (0, 1)


async def test_a_move_of_an_utterance_that_is_not_there_is_refused(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    with pytest.raises(UnknownUtterance):
        await ledger.move(START)


async def test_who_was_taken_over_and_who_only_reads_write_nothing(store: Redis, keys: SessionKeys) -> None:
    stale, fence = await taken_over(store, keys, "voice")
    await SpeechLedger(store, keys, fence).create(HELLO)
    for ledger in (SpeechLedger(store, keys, stale), SpeechLedger(store, keys)):
        with pytest.raises(Fenced):
            await ledger.create(RICH)
        with pytest.raises(Fenced):
            await ledger.move(START)
    assert [entry.version for entry in await SpeechLedger(store, keys).entries()] == [0]


async def test_a_successor_goes_on_from_what_was_recorded(store: Redis, keys: SessionKeys) -> None:
    first = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await first.create(HELLO)
    await first.move(START)
    await store.delete(keys.name("lease:voice"))
    second = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    [entry] = await second.entries()
    held = Move("u-1", entry.version + 1, entry.phase, Phase.HELD, 0.1, HoldCause.TAKEOVER)
    await second.move(held)
    [entry] = await second.entries()
    assert (entry.move, entry.epoch) == (held, 2)


async def test_an_entry_of_a_later_version_is_refused_and_not_misread(
    store: Redis, keys: SessionKeys
) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    await store.hset(keys.name("utterances"), "u-1", '{"v":2,"shape":"other"}')
    with pytest.raises(NewerSchema):
        await ledger.entries()


async def test_a_ledger_that_lost_an_entry_says_so(store: Redis, keys: SessionKeys) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    await ledger.create(HELLO)
    await store.delete(keys.name("utterances"))
    with pytest.raises(TornSession):
        await ledger.entries()


async def test_without_a_store_the_log_is_unavailable_and_may_be_tried_again(
    tmp_path_factory: pytest.TempPathFactory, keys: SessionKeys
) -> None:
    with valkey(tmp_path_factory.mktemp("crash")) as server:
        client = connect(server.url)
        ledger = SpeechLedger(client, keys, await taken(client, keys, "voice"))
        await ledger.create(HELLO)
        server.crash()
        with pytest.raises(LogUnavailable):
            await ledger.move(START)
        with pytest.raises(StoreUnavailable):
            await ledger.entries()
        server.start()
        await ledger.move(START)
        assert [entry.phase for entry in await ledger.entries()] == [Phase.SPEAKING]
        await client.aclose()


async def test_the_clause_that_began_to_sound_last_is_kept_for_a_successor(
    store: Redis, keys: SessionKeys
) -> None:
    ledger = SpeechLedger(store, keys, await taken(store, keys, "voice"))
    assert await ledger.clause() is None
    await ledger.reached("a:b", 1, 0)
    await ledger.reached("a:b", 3, 2)
    assert await SpeechLedger(store, keys).clause() == Reached("a:b", 3, 2)
    with pytest.raises(Fenced):
        await SpeechLedger(store, keys).reached("a:b", 4, 3)
