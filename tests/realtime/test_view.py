from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from realtime.protocol import (
    MAX_STATE_BYTES,
    Body,
    ClockBody,
    ClockKind,
    NoticeBody,
    Reasoning,
    Trace,
    encode_state,
)
from realtime.room.messages import pace_notice, store_notice
from realtime.room.view import View
from tests.realtime.making import trace_item, update_body, update_id, utterance_body
from tests.realtime.pages import Page, told_by

PHASES = ["queued", "speaking", "held", "spoken"]
small: st.SearchStrategy[Body] = st.one_of(
    st.builds(update_body, st.integers(1, 6), st.text(max_size=5)),
    st.builds(utterance_body, st.sampled_from("abcd"), st.sampled_from(PHASES)),
    st.lists(st.sampled_from("abc").map(trace_item), max_size=3).map(lambda items: Trace(items=tuple(items))),
    st.builds(Reasoning, phase=st.sampled_from(["thinking", "finished"])),
    st.builds(ClockBody, clock=st.just(ClockKind.RTP), zero=st.integers(0, 9)),
    st.just(NoticeBody(code="x", text="y")),
)


@given(st.lists(small, max_size=40))
def test_the_snapshot_is_what_a_page_has_that_took_every_message(bodies: list[Body]) -> None:
    view, page = View(), Page()
    for body in bodies:
        view.apply(body)
        page.take(body)
    snapshot = view.snapshot()
    assert snapshot.updates == tuple(page.of("update").values())
    assert snapshot.utterances == tuple(page.of("utterance").values())
    assert "".join(i.text for i in snapshot.trace) == "".join(i.text for i in page.trace)
    assert snapshot.reasoning == page.reasoning
    assert snapshot.clock == page.clock
    assert snapshot.parts == 1


huge = st.integers(0, 70_000)


@settings(max_examples=40, deadline=None)
@given(
    updates=st.lists(huge, max_size=5),
    utterances=st.lists(st.tuples(huge, st.booleans()), max_size=5),
    trace=st.lists(huge, max_size=5),
    detail=huge,
)
def test_a_snapshot_fits_into_a_message_however_much_there_is(
    updates: list[int], utterances: list[tuple[int, bool]], trace: list[int], detail: int
) -> None:
    view = View()
    view.apply(Reasoning(phase="failed", detail="é" * detail))
    for number, size in enumerate(updates):
        view.apply(update_body(number, "é" * size))
    for number, (size, of_update) in enumerate(utterances):
        view.apply(
            utterance_body(f"x{number}", text="\x00" * size, of=update_id(number) if of_update else None)
        )
    view.apply(Trace(items=tuple(trace_item("é" * size) for size in trace)))
    for body in told_by(view):
        assert len(encode_state(body, seq=2**40, epoch=2**40, at_ms=2**45).encode()) <= MAX_STATE_BYTES
    assert view.snapshot().reasoning.phase == "failed"


def test_the_agents_words_go_last_and_the_newest_updates_first_with_their_utterances() -> None:
    view = View()
    for number in range(1, 41):
        view.apply(update_body(number, "x" * 2000))
        view.apply(utterance_body(f"{update_id(number)}.1", "spoken", of=update_id(number)))
    view.apply(utterance_body("s.notice.greeting", "spoken"))
    view.apply(Trace(items=(trace_item("y" * 3000),)))
    first, parts = view.whole()
    assert first.trace == ()
    kept = [update.number for update in first.updates]
    assert kept == list(range(kept[0], 41)), "the newest are first"
    assert {said.update_id for said in first.utterances} == set(map(update_id, kept))
    assert [bool(part.trace) for part in parts] == [False] * (len(parts) - 1) + [True]


def test_an_utterance_keeps_its_place_when_its_phase_changes() -> None:
    view = View()
    for uid, phase in [("a", "queued"), ("b", "queued"), ("a", "spoken")]:
        view.apply(utterance_body(uid, phase))
    assert [(said.utterance_id, said.phase) for said in view.utterances()] == [
        ("a", "spoken"),
        ("b", "queued"),
    ]


def test_a_clock_that_was_forgotten_is_not_in_the_snapshot() -> None:
    view = View()
    view.apply(ClockBody(clock=ClockKind.RTP, zero=5))
    view.forget_clock()
    assert view.snapshot().clock is None


def test_a_snapshot_has_the_notices_that_are_still_true() -> None:
    view = View()
    for body in (store_notice(gone=True), pace_notice("read_late"), NoticeBody(code="crowded", text="a")):
        view.apply(body)
    assert [notice.code for notice in view.snapshot().notices] == ["store_gone", "read_late"]
    view.apply(store_notice(gone=False))
    assert [notice.code for notice in view.snapshot().notices] == ["read_late"]
    view.apply(pace_notice("read_in_time"))
    assert view.snapshot().notices == ()


def test_once_the_reasoning_is_over_nothing_is_read_late() -> None:
    view = View()
    for body in (pace_notice("read_late"), Reasoning(phase="finished")):
        view.apply(body)
    assert view.snapshot().notices == ()
