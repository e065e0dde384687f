from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents.recorded import DueEvent, Trace, load_trace, replay, script
from agents.recorded.playing import BATCH_S, MAX_BATCH
from agents.stream import (
    EventType,
    StreamEvent,
    StreamFenced,
    StreamFull,
    StreamUnavailable,
    TokenType,
    TurnMark,
)
from agents.testing import ScriptedSink
from tests.agents.building import CASE, Turn, rows, write
from tts_queue.virtual_time import runner


def made(folder: Path, *turns: Turn) -> Trace:
    return load_trace(write(folder / "a.trace.jsonl.gz", rows(turns or CASE)))


async def play(trace: Trace, sink: ScriptedSink, speed: float = 1.0, after_seq: int = -1) -> None:
    await replay(
        trace,
        sink=sink,
        session_id="s-1",
        thread_id="t-1",
        trace_id="r-1",
        speed=speed,
        after_seq=after_seq,
    )


def whole_script(trace: Trace) -> tuple[DueEvent, ...]:
    return script(trace, session_id="s-1", thread_id="t-1", trace_id="r-1")


def said(events: list[StreamEvent]) -> str:
    return "".join(event.data for event in events)


def test_only_reasoning_is_played_with_marks_and_one_end(virtual: asyncio.Runner, tmp_path: Path) -> None:
    sink = ScriptedSink()
    virtual.run(play(made(tmp_path), sink))
    sink.assert_finished()
    assert said(sink.events) == "The potassium is 6.8. Ask Doctor1.I differ."
    assert [(event.agent_id, event.turn, event.mark) for event in sink.events if event.mark] == [
        ("doctor0", 2, TurnMark.TURN_START),
        ("doctor0", 2, TurnMark.TURN_END),
        ("doctor1", 4, TurnMark.TURN_START),
        ("doctor1", 4, TurnMark.TURN_END),
    ]
    assert [event.seq for event in sink.events] == list(range(11))
    assert [event.type for event in sink.events].count(EventType.END) == 1
    tokens = [event for event in sink.events if event.type is EventType.TOKEN]
    assert {event.token_type for event in tokens} == {TokenType.AGENT_THOUGHT_LLM_RESPONSE}
    assert [event.source_ms for event in tokens] == [1_000, 1_010, 1_020, 1_030, 4_000, 4_010]


def test_the_end_names_no_agent_and_comes_with_the_last_word(virtual: asyncio.Runner, tmp_path: Path) -> None:
    sink = ScriptedSink()
    virtual.run(play(made(tmp_path), sink))
    end = sink.events[-1]
    assert (end.type, end.agent_id, end.data) == (EventType.END, None, "")
    assert sink.appends[-1].at_s == pytest.approx(4.015)


@pytest.mark.parametrize("speed", [0.5, 1.0, 4.0, 100.0])
def test_every_event_comes_at_its_time_never_early_and_at_most_a_batch_late(
    virtual: asyncio.Runner, tmp_path: Path, speed: float
) -> None:
    trace, sink = made(tmp_path), ScriptedSink()
    virtual.run(play(trace, sink, speed))
    due = {each.event.seq: each.at_s / speed for each in whole_script(trace)}
    for append in sink.appends:
        for event in append.events:
            assert due[event.seq] <= append.at_s + 1e-9
            assert append.at_s <= due[event.seq] + BATCH_S + 1e-9


def test_the_time_of_turns_left_out_stays(virtual: asyncio.Runner, tmp_path: Path) -> None:
    sink = ScriptedSink()
    virtual.run(play(made(tmp_path), sink))
    first = {event.turn: append.at_s for append in reversed(sink.appends) for event in append.events}
    assert first[2] == pytest.approx(1.0, abs=BATCH_S)
    assert first[4] == pytest.approx(4.0, abs=BATCH_S)


def test_what_is_due_within_20_ms_goes_in_one_append(virtual: asyncio.Runner, tmp_path: Path) -> None:
    sink = ScriptedSink()
    virtual.run(play(made(tmp_path, Turn("doctor0", 0, tuple("abcdefghi"), gap_ms=8)), sink))
    sizes = [len(append.events) for append in sink.appends]
    assert sum(sizes) == 12
    assert len(sizes) == 4


def test_a_turn_that_starts_before_the_first_delta_starts_at_once(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    sink = ScriptedSink()
    virtual.run(play(made(tmp_path, Turn("doctor0", 0, ("a",))), sink))
    assert sink.events[0].source_ms == -5
    assert sink.appends[0].at_s == pytest.approx(0.010), "start, delta and end, within one batch"


@pytest.mark.parametrize("after_seq", range(-1, 11))
def test_a_successor_adds_exactly_what_is_missing(
    virtual: asyncio.Runner, tmp_path: Path, after_seq: int
) -> None:
    trace, whole, sink = made(tmp_path), ScriptedSink(), ScriptedSink()
    virtual.run(play(trace, whole))

    async def taken_over() -> None:
        if after_seq >= 0:
            await sink.append(whole.events[: after_seq + 1])
        await play(trace, sink, after_seq=after_seq)

    virtual.run(taken_over())
    assert sink.events == whole.events


def test_a_successor_goes_on_as_if_the_last_event_had_just_come(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    trace, sink = made(tmp_path), ScriptedSink()
    seen = whole_script(trace)[:6]  # turn 2 up to its end, at 1.035 s

    async def taken_over() -> float:
        await sink.append([each.event for each in seen])
        await play(trace, sink, after_seq=5)
        return sink.appends[1].at_s

    assert virtual.run(taken_over()) == pytest.approx(4.015 - 1.035), "the batch's last event"


def test_a_successor_that_knows_too_little_does_no_harm(virtual: asyncio.Runner, tmp_path: Path) -> None:
    trace, sink = made(tmp_path), ScriptedSink()
    virtual.run(play(trace, sink))
    whole = list(sink.events)
    virtual.run(play(trace, sink, after_seq=3))
    assert sink.events == whole


@pytest.mark.parametrize("after_seq", [10, 11, 10_000])
def test_behind_the_end_there_is_nothing_to_do(
    virtual: asyncio.Runner, tmp_path: Path, after_seq: int
) -> None:
    sink = ScriptedSink()
    virtual.run(play(made(tmp_path), sink, after_seq=after_seq))
    assert sink.events == []


def test_a_slow_log_delays_and_does_not_shift_the_rest(virtual: asyncio.Runner, tmp_path: Path) -> None:
    early = Turn("doctor0", 0, tuple("word " for _ in range(50)), gap_ms=10)
    trace, sink = made(tmp_path, early, Turn("doctor1", 10_000, ("late",))), ScriptedSink(slow_s=0.3)
    virtual.run(play(trace, sink))
    late = next(append for append in sink.appends if append.events[0].turn == 2)
    assert late.at_s == pytest.approx(10.0 + 0.3, abs=0.02)
    assert len(sink.appends) < 6, "what is overdue goes together"


def test_what_is_overdue_goes_in_appends_of_bounded_size(virtual: asyncio.Runner, tmp_path: Path) -> None:
    turn = Turn("doctor0", 0, tuple("x" for _ in range(1_000)), gap_ms=1)
    sink = ScriptedSink(slow_s=2.0)
    virtual.run(play(made(tmp_path, turn), sink))
    assert max(len(append.events) for append in sink.appends) == MAX_BATCH


@pytest.mark.parametrize("at_s", [0.0, 0.9, 1.02, 3.0, 4.01])
def test_cancelling_at_any_time_stops_it_and_the_rest_can_follow(
    virtual: asyncio.Runner, tmp_path: Path, at_s: float
) -> None:
    trace, sink = made(tmp_path), ScriptedSink(slow_s=0.01)

    async def cut_short() -> int:
        playing = asyncio.create_task(play(trace, sink), name="replay")
        await asyncio.sleep(at_s)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        return len(sink.events)

    came = virtual.run(cut_short())
    assert came < 11
    virtual.run(play(trace, sink, after_seq=came - 1))
    sink.assert_finished()


def test_a_full_or_fenced_log_ends_the_replay_with_its_error(virtual: asyncio.Runner, tmp_path: Path) -> None:
    trace = made(tmp_path)
    with pytest.raises(StreamFull):
        virtual.run(play(trace, ScriptedSink(bound=4)))
    fenced = ScriptedSink(fenced_at=6)
    with pytest.raises(StreamFenced):
        virtual.run(play(trace, fenced))
    assert said(fenced.events) == "The potassium is 6.8. Ask Doctor1."


def test_a_log_that_is_gone_for_a_while_delays_the_case_and_loses_nothing(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    trace, sink = made(tmp_path), ScriptedSink(gone_s=(0.5, 3.9))
    virtual.run(play(trace, sink))
    assert sink.events == [each.event for each in whole_script(trace)]
    assert sink.appends[-1].at_s == pytest.approx(4.015), "what was not due in between keeps its time"


def test_a_log_that_is_gone_for_longer_than_the_grace_ends_the_replay(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    with pytest.raises(StreamUnavailable):
        virtual.run(play(made(tmp_path), ScriptedSink(gone_s=(0.0, float("inf")))))
    assert 300 <= virtual.get_loop().time() <= 303


@pytest.mark.parametrize("speed", [0.0, -1.0, float("nan")])
def test_a_speed_that_leads_nowhere_is_refused(virtual: asyncio.Runner, tmp_path: Path, speed: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        virtual.run(play(made(tmp_path), ScriptedSink(), speed))


def test_a_turns_last_words_come_before_its_end_even_if_filed_behind_it(tmp_path: Path) -> None:
    records = rows([Turn("doctor0", 0, ("It is ", "lupus"))])
    last, end = records[3], records[4]
    last["seq"], end["seq"] = end["seq"], last["seq"]
    end["t_ms"] -= 6
    end["t_rel_ms"] -= 6
    trace = load_trace(write(tmp_path / "a.jsonl", [*records[:3], end, last]))
    assert [issue.code for issue in trace.warnings] == ["outside"]
    played = whole_script(trace)
    assert [each.event.mark or each.event.data for each in played] == [
        "TURN_START",
        "It is ",
        "lupus",
        "TURN_END",
        "",
    ]
    assert [each.at_s for each in played] == sorted(each.at_s for each in played)


turns = st.lists(
    st.builds(
        Turn,
        agent_id=st.sampled_from(["doctor0", "doctor1", "unknown"]),
        at_ms=st.just(0),
        pieces=st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=12).map(tuple),
        gap_ms=st.integers(0, 40),
    ),
    min_size=1,
    max_size=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(turns=turns, speed=st.floats(0.25, 50), cut=st.integers(0, 80))
def test_any_case_is_played_whole_once_and_in_order_also_by_two(
    tmp_path: Path, turns: list[Turn], speed: float, cut: int
) -> None:
    start_ms, following = 0, []
    for turn in turns:
        placed = Turn(turn.agent_id, start_ms, (*turn.pieces, " and more."), turn.gap_ms)
        following.append(placed)
        start_ms = placed.last_ms + 500
    trace, sink = made(tmp_path, *following), ScriptedSink()
    whole = [each.event for each in whole_script(trace)]
    first = whole[: cut % (len(whole) + 1)]
    with runner() as virtual:
        if first:
            virtual.run(sink.append(first))
        virtual.run(play(trace, sink, speed, after_seq=len(first) - 1))
    assert sink.events == whole
    assert said(sink.events) == trace.text == "".join("".join(turn.pieces) for turn in following)
    sink.assert_finished()
