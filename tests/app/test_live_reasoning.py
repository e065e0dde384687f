"""A live team's reasoning on a real store: its events come from elsewhere, and whoever takes over goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from redis.asyncio import Redis

from agents.recorded import Catalogue
from agents.stream import Decision, DecisionKind, EventType, LLMMetadata, StreamEvent, TurnMark
from app.reasoning import Cases, SessionReasoning, feed
from exaim_core import EXAIM, CasePaper, Update
from infra.errors import LogSealed
from infra.leases import Lease
from infra.papers import keep_paper
from infra.session_backup import read_backup, restore
from infra.sessions import SessionRecord, SessionStore, Status
from infra.streams import Command, Logged, LoggedUpdate, SessionStreams
from infra.team_log import TeamLog

pytestmark = pytest.mark.real

CASES = Cases(Catalogue({}, {}))
FIRST = "### Most Likely Diagnosis:\n**Pericarditis** - given diffuse ST elevation and a friction rub.\n"
SECOND = "The potassium is 6.9 mmol/L and must be treated now.\n"
THIRD = "I agree with pericarditis. Give colchicine 0.5 mg twice daily for three months.\n"


def record_of(**more: Any) -> SessionRecord:
    given: dict[str, Any] = {
        "session_id": "s-1",
        "thread_id": "s-1",
        "case_id": "live",
        "room": "case-s-1",
        "secret_sha256": "0" * 64,
        "team_sha256": "1" * 64,
        "created_at_ms": 0,
    }
    return SessionRecord(**given | more)


class Team:
    """Sends what agents say, as the API would."""

    def __init__(self, store: Redis, record: SessionRecord) -> None:
        self.log, self.seq = TeamLog(store, record.keys), 0

    async def send(self, type_: EventType, **fields: Any) -> None:
        ids = {"thread_id": "s-1", "trace_id": "live", "session_id": "s-1"}
        await self.log.take([StreamEvent(type=type_, seq=self.seq, **ids, **fields)])
        self.seq += 1

    async def turn(self, agent_id: str, text: str, decision: Decision | None = None) -> None:
        for word in text.split(" "):
            await self.send(EventType.TOKEN, agent_id=agent_id, data=f"{word} ")
        if decision is not None:
            await self.send(EventType.METADATA, agent_id=agent_id, decision=decision)
        await self.send(EventType.METADATA, agent_id=agent_id, mark=TurnMark.TURN_END)


def reasoning(store: Redis, record: SessionRecord, lease: Lease) -> SessionReasoning:
    return SessionReasoning(store, record, CASES, lease)


async def reason(store: Redis, record: SessionRecord) -> None:
    lease = Lease(store, record.keys, "reason")
    assert await lease.acquire() is not None
    await reasoning(store, record, lease).run()
    await lease.release()


async def updates_of(store: Redis, record: SessionRecord) -> Sequence[LoggedUpdate]:
    return await SessionStreams(store, record.keys).read_updates(count=1_000)


async def until_updates(store: Redis, record: SessionRecord, number: int) -> None:
    async with asyncio.timeout(20.0):
        while len(await updates_of(store, record)) < number:
            await asyncio.sleep(0.02)


async def phase(store: Redis) -> str:
    return (await SessionStore(store).get("s-1")).reasoning


async def test_a_teams_events_are_judged_without_a_listener_and_end_with_the_team(store: Redis) -> None:
    record = await SessionStore(store).create(record_of())
    team = Team(store, record)
    running = asyncio.create_task(reason(store, record))
    await team.turn("Doctor Zero", FIRST)
    await until_updates(store, record, 1)
    assert await phase(store) == "thinking"
    await team.turn("Doctor One", SECOND)
    await team.send(EventType.END)
    await asyncio.wait_for(running, 20.0)
    found = await updates_of(store, record)
    said = " ".join(item["text"] for each in found for item in each.update["items"])
    assert "Doctor Zero leads with pericarditis" in said
    assert "potassium 6.9 mmol/L" in said
    assert found[-1].update["path"] == "end"
    assert await phase(store) == "finished"


async def test_who_takes_over_from_a_killed_reasoner_loses_nothing_and_makes_nothing_twice(
    store: Redis,
) -> None:
    record = await SessionStore(store).create(record_of())
    team = Team(store, record)
    killed = asyncio.create_task(reason(store, record))
    await team.turn("Doctor Zero", FIRST)
    await until_updates(store, record, 1)
    killed.cancel()
    await asyncio.wait({killed})
    first = await updates_of(store, record)
    await team.turn("Doctor One", SECOND)  # while nobody reasons
    await store.delete(record.keys.name("lease:reason"))
    await reasoned_to_the_end(store, record, team, first)


async def reasoned_to_the_end(
    store: Redis, record: SessionRecord, team: Team, first: Sequence[LoggedUpdate]
) -> None:
    """Have a successor reason and the third doctor speak; see that all that the three said is told.

    Nothing of it twice, and nothing of `first` otherwise.
    """
    running = asyncio.create_task(reason(store, record))
    await until_updates(store, record, len(first) + 1)
    await team.turn("Doctor Two", THIRD)
    await team.send(EventType.END)
    await asyncio.wait_for(running, 20.0)
    found = await updates_of(store, record)
    assert found[: len(first)] == first
    assert [each.update["number"] for each in found] == list(range(1, len(found) + 1))
    covers = [cover for each in found for cover in each.update["covers"]]
    for agent in ("Doctor Zero", "Doctor One", "Doctor Two"):
        spans = [(each["first_seq"], each["last_seq"]) for each in covers if each["agent_id"] == agent]
        assert spans and all(before[1] < after[0] for before, after in pairwise(spans))
    assert await phase(store) == "finished"


async def test_an_abandoned_session_lets_its_reasoning_go_and_opened_again_loses_and_doubles_nothing(
    store: Redis,
) -> None:
    sessions = SessionStore(store)
    record = await sessions.create(record_of())
    team = Team(store, record)
    running = asyncio.create_task(reason(store, record))
    await team.turn("Doctor Zero", FIRST)
    await until_updates(store, record, 1)
    await sessions.end("s-1", Status.ABANDONED)
    await asyncio.wait_for(running, 10.0)
    first = await updates_of(store, record)
    await team.turn("Doctor One", SECOND)  # to nobody
    assert await updates_of(store, record) == first

    record = await sessions.change("s-1", lambda now: now.model_copy(update={"status": Status.IN_PROGRESS}))
    await reasoned_to_the_end(store, record, team, first)


async def test_a_team_that_falls_silent_is_summed_up_and_goes_on_and_a_successor_makes_the_same(
    store: Redis,
) -> None:
    record = await SessionStore(store).create(record_of(team_silence_s=1.0))
    team = Team(store, record)
    running = asyncio.create_task(reason(store, record))
    await team.turn("Doctor Zero", FIRST)
    await team.turn("Doctor One", "I still think this is renal failure. Insulin 10 units with 25 g glucose.")
    async with asyncio.timeout(10.0):
        while "Insulin 10 units" not in str([each.update for each in await updates_of(store, record)]):
            await asyncio.sleep(0.1)  # nothing else comes: it was read, and told for the silence alone
    assert await phase(store) == "thinking"
    running.cancel()
    await asyncio.wait({running})
    told = await updates_of(store, record)
    await team.turn("Doctor One", SECOND)  # it goes on
    await store.delete(record.keys.name("lease:reason"))
    await reasoned_to_the_end(store, record, team, told)


async def test_a_team_that_never_speaks_is_waited_for(store: Redis) -> None:
    record = await SessionStore(store).create(record_of(team_silence_s=0.2))
    running = asyncio.create_task(reason(store, record))
    await asyncio.sleep(1.0)
    assert await phase(store) == "waiting"
    assert await updates_of(store, record) == []
    running.cancel()
    await asyncio.wait({running})


async def test_the_seal_gives_way_to_a_word_that_came_first(store: Redis) -> None:
    record = await SessionStore(store).create(record_of())
    team = Team(store, record)
    lease = Lease(store, record.keys, "reason")
    fence = await lease.acquire()
    assert fence is not None
    await team.turn("Doctor Zero", "Still here.")
    ids = {"thread_id": "s-1", "trace_id": "live", "session_id": "s-1"}
    late = [StreamEvent(type=EventType.END, seq=0, **ids)]
    assert not await team.log.seal(late, fence)
    await team.turn("Doctor Zero", "And again.")
    assert await team.log.seal([StreamEvent(type=EventType.END, seq=team.seq, **ids)], fence)
    assert await team.log.take([]) == team.seq - 1


async def test_the_end_command_ends_a_live_reasoning(store: Redis) -> None:
    record = await SessionStore(store).create(record_of())
    running = asyncio.create_task(reason(store, record))
    await SessionStreams(store, record.keys).append_command(Command(kind="end", by="api", at_ms=0))
    await asyncio.wait_for(running, 10.0)


async def test_numbers_are_held_against_the_paper_that_the_session_came_with(store: Redis) -> None:
    record = record_of()
    labs = [{"analyte": "potassium", "value": 6.2, "unit": "mmol/L"}]
    await keep_paper(store, record.keys, CasePaper.model_validate({"case_id": "live", "labs": labs}))
    record = await SessionStore(store).create(record)
    team = Team(store, record)
    await team.turn("Doctor One", "The potassium is 2.6 mmol/L and must be replaced now.\n")
    await team.send(EventType.END)
    await asyncio.wait_for(reason(store, record), 20.0)
    said = " ".join(str(each.update) for each in await updates_of(store, record))
    assert "6.2" in said


async def test_a_live_session_that_expired_keeps_its_paper_and_its_reasoning_is_over(store: Redis) -> None:
    record = record_of()
    await keep_paper(store, record.keys, CasePaper(case_id="live", age=61))
    record = await SessionStore(store).create(record)
    team = Team(store, record)
    await team.turn("Doctor Zero", FIRST)
    text = await read_backup(store, record.keys)
    await store.flushall()
    again = await restore(store, record.keys, text)
    paper = await CASES.paper(store, again)
    assert paper is not None and paper.age == 61
    with pytest.raises(LogSealed):
        await team.turn("Doctor One", SECOND)
    await asyncio.wait_for(reason(store, again), 10.0)
    assert await phase(store) == "failed"


async def test_what_a_team_decides_is_told_and_whoever_takes_over_tells_the_same(store: Redis) -> None:
    record = await SessionStore(store).create(record_of())
    team = Team(store, record)
    words = "Giant cell arteritis it is, and that goes into the letter."
    final = Decision(kind=DecisionKind.FINAL, text="giant cell arteritis", rests_on=words)
    await team.turn("cardiologist", FIRST)
    first = asyncio.create_task(reason(store, record))
    await until_updates(store, record, 1)
    first.cancel()
    await asyncio.wait({first})
    await store.delete(record.keys.name("lease:reason"))
    before = await updates_of(store, record)
    await team.turn("moderator", words, final)
    await team.send(EventType.END)
    await reason(store, record)

    updates = await updates_of(store, record)
    told = [item["text"] for each in updates for item in each.update["items"]]
    assert updates[: len(before)] == before
    assert len([text for text in told if "giant cell" in text]) == 1  # "rules for", by the rules' own reading
    assert told[-1].startswith("Finished. Giant cell arteritis, the decision by the moderator")


async def test_a_turn_that_broke_off_is_over_and_joins_nothing_that_follows() -> None:
    exaim = EXAIM()
    said = ("Give alteplase", " 50 mg now.")
    ids = {"thread_id": "s-1", "trace_id": "live", "session_id": "s-1", "agent_id": "cardiology"}
    events = [
        StreamEvent(type=EventType.TOKEN, seq=0, data=said[0], turn=1, **ids),
        StreamEvent(type=EventType.METADATA, seq=1, mark=TurnMark.TURN_ABORTED, turn=1, **ids),
        StreamEvent(type=EventType.TOKEN, seq=2, data=said[1], turn=2, **ids),
    ]
    updates = [
        update for each in events for update in await feed(exaim, Logged(f"{each.seq}-0", each.seq, each, 1))
    ]
    updates += await exaim.finish(3.0)
    assert "alteplase 50 mg" not in " ".join(each.text for update in updates for each in update.items)


async def told_of(*events: dict[str, Any]) -> list[Update]:
    """Return what the engine makes of a session's events, fed as the log has them."""
    exaim, updates = EXAIM(), list[Update]()
    ids = {"thread_id": "s-1", "trace_id": "live", "session_id": "s-1", "agent_id": "cardiology", "turn": 1}
    for seq, fields in enumerate(events):
        event = StreamEvent(**{"type": EventType.METADATA, "seq": seq, **ids, **fields})
        updates += await feed(exaim, Logged(f"{seq}-0", seq, event, 1_000 * seq))
    return [*updates, *await exaim.finish(float(len(events)))]


def texts_of(updates: Sequence[Update]) -> str:
    fields = [value for each in updates for value in each.summary.model_dump().values()]
    return " ".join([*fields, *(item.text for each in updates for item in each.items)])


ALARM = "The potassium is 7.9 mmol/L. My leading diagnosis is adrenal crisis.\n"


async def test_what_was_told_of_a_turn_that_broke_off_is_withdrawn() -> None:
    updates = await told_of({"type": EventType.TOKEN, "data": ALARM}, {"mark": TurnMark.TURN_ABORTED})
    told = [item.text for each in updates for item in each.items]
    assert any("7.9" in text for text in told)
    assert any("broke off, and is withdrawn" in text for text in told)
    assert [each for each in updates if each.withdraws]


@pytest.mark.parametrize("why", ["length", "max_tokens", "MAX_TOKENS", "loop"])
async def test_of_an_answer_that_was_cut_the_half_sentence_is_left_out_and_the_rest_stands(why: str) -> None:
    said = {"type": EventType.TOKEN, "data": f"{ALARM}- Give alteplase 50"}
    updates = await told_of(said, {"llm": LLMMetadata(stop_reason=why)}, {"mark": TurnMark.TURN_END})
    assert "7.9" in texts_of(updates) and "alteplase" not in texts_of(updates)
    assert not [each for each in updates if each.withdraws]


async def test_an_answer_that_came_to_its_end_is_read_to_its_end() -> None:
    said = {"type": EventType.TOKEN, "data": f"{ALARM}- Give alteplase 50 mg"}
    whole = {"llm": LLMMetadata(stop_reason="stop")}
    assert "alteplase 50 mg" in texts_of(await told_of(said, whole, {"mark": TurnMark.TURN_END}))
    more = {"type": EventType.TOKEN, "data": " mg now."}
    begun = {"type": EventType.TOKEN, "data": f"{ALARM}Give alteplase 50"}
    cut = {"llm": LLMMetadata(stop_reason="length")}
    updates = await told_of(begun, cut, more, {"mark": TurnMark.TURN_END})
    assert "alteplase 50 mg" in texts_of(updates), "words that came behind it made it whole"
