"""Who calls tells all who watch: sockets, observations, the whole message, and what it cost."""

from __future__ import annotations

import asyncio
from itertools import permutations
from typing import Any

import pytest

from agents.stream import EventType, StreamEvent, TokenContext, TokenType, TurnMark
from agents.streaming import CallOptions
from agents.streaming.core import Bubble, Bubbles, Core
from agents.streaming.observing import Observer
from agents.streaming.sockets import EventFilter, FinalMessage, ObservationType, Socket, Sockets, Subscription
from chat_models.errors import Unavailable
from tests.agents.models import Fault, ScriptedModel, Silence, ended

THOUGHT = "The potassium is 7.9 mmol/L."
SAID = "I agree."
OPTIONS = CallOptions(context=TokenContext.AGENT_THOUGHT)
ASK = [("human", "?")]
IDS: dict[str, Any] = {"thread_id": "t", "session_id": "s"}


def core(sockets: Sockets, **ids: str) -> Core:
    return Core(sockets, **{**IDS, **ids}, wall_ms=lambda: 1_000)


def event(kind: EventType, data: str = "", seq: int = 0, **ids: Any) -> StreamEvent:
    token = TokenType.LLM_RESPONSE if kind is EventType.TOKEN else None
    return StreamEvent(type=kind, data=data, seq=seq, token_type=token, **{**IDS, "trace_id": "c", **ids})


async def test_a_call_is_told_to_three_sockets_and_words_are_never_observed() -> None:
    sockets = Sockets()
    stream, observed, messages = (
        sockets.stream.subscribe(), sockets.observations.subscribe(), sockets.messages.subscribe(),
    )  # fmt: skip
    model = ScriptedModel(scripts=[[f"<think>{THOUGHT}</think>", SAID, ended(tokens=(31, 7), thinking=5)]])
    answer = await core(sockets).process(model, ASK, OPTIONS, agent_id="doctor0")
    told = stream.take()
    tokens = [each for each in told if each.type is EventType.TOKEN]
    assert {each.token_type for each in tokens} == {
        TokenType.AGENT_THOUGHT_LLM_THINKING, TokenType.AGENT_THOUGHT_LLM_RESPONSE,
    }  # fmt: skip
    assert [each.seq for each in told] == list(range(len(told)))
    assert [each.type for each in told].count(EventType.END) == 1
    found = observed.take()
    assert [each.type for each in found] == [
        ObservationType.LLM_STREAM_START, ObservationType.LLM_STREAM_METADATA, ObservationType.LLM_STREAM_END,
    ]  # fmt: skip
    assert THOUGHT not in repr(found)
    assert SAID not in repr(found)
    assert len({each.observation_id for each in found}) == len(found)
    [message] = messages.take()
    assert message.text == answer.text == SAID
    [streamed] = [each.llm for each in told if each.llm is not None]
    assert streamed == message.llm == answer.llm == found[1].llm
    of_whom = [*(each.trace_id for each in told), *(each.trace_id for each in found), message.trace_id]
    assert set(of_whom) == {answer.trace_id}


async def test_a_call_begins_before_its_first_token() -> None:
    sockets = Sockets()
    observed = sockets.observations.subscribe()
    begun: list[int] = []
    subscription = sockets.stream.subscribe(EventFilter(types={EventType.TOKEN}))
    model = ScriptedModel(scripts=[["One.", Silence(3_600.0), ended()]])
    call = asyncio.create_task(core(sockets).process(model, ASK, OPTIONS))
    async for token in subscription:
        begun.append(token.seq)
        break
    assert [each.type for each in observed.take()] == [ObservationType.LLM_STREAM_START]
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert begun == [1]


async def test_a_failure_is_told_observed_and_brings_no_message() -> None:
    sockets = Sockets()
    observed, messages = sockets.observations.subscribe(), sockets.messages.subscribe()
    model = ScriptedModel(scripts=[["Some. ", Fault(ConnectionError())]])
    answer = await core(sockets).process(model, ASK, OPTIONS)
    assert isinstance(answer.error, Unavailable)
    assert answer.text == "Some. "
    kinds = [each.type for each in observed.take()]
    assert kinds[-2:] == [ObservationType.LLM_STREAM_ERROR, ObservationType.LLM_STREAM_END]
    assert messages.take() == []


async def test_what_all_calls_cost_is_the_sum_of_what_was_told() -> None:
    sockets = Sockets()
    stream = sockets.stream.subscribe()
    scripts = [[SAID, ended(tokens=(10, 2))], [SAID, ended(tokens=(20, 3), thinking=1)], [SAID, ended()]]
    caller = core(sockets)
    for _ in range(3):
        await caller.process(ScriptedModel(scripts=[scripts.pop(0)]), ASK, OPTIONS)
    told = [each.llm for each in stream.take() if each.llm is not None]
    assert caller.llm_metadata.input_tokens == sum(each.input_tokens or 0 for each in told) == 30
    assert caller.llm_metadata.output_tokens == sum(each.output_tokens or 0 for each in told) == 5
    assert caller.llm_metadata.thinking_tokens == 1


# --- sockets ----------------------------------------------------------------------------------------


async def test_one_that_never_reads_stalls_nobody_and_what_it_loses_is_counted() -> None:
    socket: Socket[StreamEvent] = Socket()
    stalled = socket.subscribe(most=100)
    heard: list[str] = []

    async def listen(subscription: Subscription[StreamEvent]) -> None:
        heard.extend([item.data async for item in subscription])

    reader = socket.subscribe()
    listening = asyncio.create_task(listen(reader))
    for number in range(10_000):
        socket.notify(event(EventType.TOKEN, f"{number} ", number))
        if number % 100 == 0:
            await asyncio.sleep(0)
    socket.unsubscribe(reader)
    await listening
    assert len(heard) == 10_000
    assert (reader.dropped, stalled.dropped, socket.dropped) == (0, 9_900, 9_900)
    assert [each.data for each in stalled.take()] == [f"{number} " for number in range(9_900, 10_000)]


@pytest.mark.parametrize(
    ("wanted", "heard"),
    [
        (EventFilter(), 3),
        (EventFilter(thread_id="t"), 2),
        (EventFilter(session_id="other"), 1),
        (EventFilter(types={EventType.END}), 1),
        (EventFilter(thread_id="t", types={EventType.TOKEN}), 1),
    ],
)
def test_a_subscriber_hears_of_what_it_wants(wanted: EventFilter, heard: int) -> None:
    socket: Socket[StreamEvent] = Socket()
    subscription = socket.subscribe(wanted)
    socket.notify(event(EventType.TOKEN, "x"))
    socket.notify(event(EventType.END))
    socket.notify(event(EventType.TOKEN, "x", thread_id="else", session_id="other"))
    assert len(subscription.take()) == heard


def test_who_has_unsubscribed_hears_nothing_and_too_many_are_refused() -> None:
    socket: Socket[StreamEvent] = Socket()
    with socket.listening() as subscription:
        socket.notify(event(EventType.END))
    socket.notify(event(EventType.END))
    socket.unsubscribe(subscription)
    assert len(subscription.take()) == 1
    for _ in range(64):
        socket.subscribe()
    with pytest.raises(ValueError, match="at most 64"):
        socket.subscribe()


# --- the final message ------------------------------------------------------------------------------


def test_the_final_message_replaces_what_was_streamed_in_any_order() -> None:
    tokens = event(EventType.TOKEN, "I agr", 1)
    end = event(EventType.END, seq=2)
    final = FinalMessage("t", "s", "c", SAID)
    items: list[StreamEvent | FinalMessage] = [tokens, end, final]
    for order in permutations(items):
        bubbles = Bubbles()
        for item in order:
            bubbles.saw(item)
        assert bubbles.of("c") == Bubble(text=SAID, ended=True, whole=True)


def test_a_reader_that_has_only_the_final_message_shows_it_and_a_failed_call_is_marked() -> None:
    bubbles = Bubbles()
    bubbles.saw(FinalMessage("t", "s", "late", SAID))
    assert bubbles.of("late").text == SAID
    bubbles.saw(event(EventType.TOKEN, "Some"))
    bubbles.saw(event(EventType.ERROR))
    assert bubbles.of("c") == Bubble(text="Some", failed=True)


async def test_a_cancelled_call_ends_for_all_who_watch() -> None:
    sockets = Sockets()
    stream, observed = sockets.stream.subscribe(), sockets.observations.subscribe()
    model = ScriptedModel(scripts=[["One.", Silence(3_600.0), ended()]])
    call = asyncio.create_task(core(sockets).process(model, ASK, OPTIONS))
    async for each in sockets.stream.subscribe(EventFilter(types={EventType.TOKEN})):
        assert each.data == "One."
        break
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    bubbles = Bubbles()
    told = stream.take()
    for each in told:
        bubbles.saw(each)
    assert bubbles.of(told[0].trace_id).ended
    assert [each.type for each in observed.take()] == [
        ObservationType.LLM_STREAM_START, ObservationType.LLM_STREAM_END,
    ]  # fmt: skip


@pytest.mark.parametrize("mark", [TurnMark.TURN_END, TurnMark.TURN_ABORTED])
def test_a_turn_that_broke_off_has_ended_and_a_sessions_end_ends_no_call(mark: TurnMark) -> None:
    observer = Observer()
    events = [
        event(EventType.METADATA, mark=TurnMark.TURN_START, agent_id="a", turn=1),
        event(EventType.METADATA, mark=mark, agent_id="a", turn=1),
        event(EventType.END),
    ]
    found = [each for told in events for each in observer.saw(told, event_id="1", at_ms=0)]
    assert [each.type for each in found] == [
        ObservationType.LLM_STREAM_START, ObservationType.LLM_STREAM_END,
    ]  # fmt: skip
