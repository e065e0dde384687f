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
    TraceItem,
    UpdateBody,
    UtteranceBody,
    encode_state,
)
from realtime.room.view import KEPT_UPDATES, KEPT_UTTERANCES, TRACE_ITEMS, View
from tests.realtime.making import trace_item, update_body, update_id, utterance_body

PHASES = ["queued", "speaking", "held", "spoken"]
small: st.SearchStrategy[Body] = st.one_of(
    st.builds(update_body, st.integers(1, 6), st.text(max_size=5)),
    st.builds(utterance_body, st.sampled_from("abcd"), st.sampled_from(PHASES)),
    st.lists(st.sampled_from("abc").map(trace_item), max_size=3).map(lambda items: Trace(items=tuple(items))),
    st.builds(Reasoning, phase=st.sampled_from(["thinking", "finished"])),
    st.builds(ClockBody, clock=st.just(ClockKind.RTP), zero=st.integers(0, 9)),
    st.just(NoticeBody(code="x", text="y")),
)


class Page:
    """A client, as the document describes it, written again."""

    def __init__(self) -> None:
        self.updates: dict[str, UpdateBody] = {}
        self.utterances: dict[str, UtteranceBody] = {}
        self.trace: list[TraceItem] = []
        self.reasoning = Reasoning(phase="waiting")
        self.clock: ClockBody | None = None

    def take(self, body: Body) -> None:
        if isinstance(body, UpdateBody):
            self.updates[body.update_id] = body
        elif isinstance(body, UtteranceBody):
            self.utterances[body.utterance_id] = body
        elif isinstance(body, Trace):
            self.trace.extend(body.items)
        elif isinstance(body, Reasoning):
            self.reasoning = body
        elif isinstance(body, ClockBody):
            self.clock = body


@given(st.lists(small, max_size=40))
def test_the_snapshot_is_what_a_page_has_that_took_every_message(bodies: list[Body]) -> None:
    view, page = View(), Page()
    for body in bodies:
        view.apply(body)
        page.take(body)
    snapshot = view.snapshot()
    assert snapshot.updates == tuple(page.updates.values())
    assert snapshot.utterances == tuple(page.utterances.values())
    assert snapshot.trace == tuple(page.trace)
    assert snapshot.reasoning == page.reasoning
    assert snapshot.clock == page.clock


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
    text = encode_state(view.snapshot(), seq=2**40, epoch=2**40, at_ms=2**45)
    assert len(text.encode()) <= MAX_STATE_BYTES
    assert view.snapshot().reasoning.phase == "failed"


def test_the_agents_words_go_first_then_the_oldest_updates_with_their_utterances() -> None:
    view = View()
    for number in range(1, 41):
        view.apply(update_body(number, "x" * 2000))
        view.apply(utterance_body(f"{update_id(number)}.1", of=update_id(number)))
    view.apply(utterance_body("s.notice.greeting"))
    view.apply(Trace(items=(trace_item("y" * 3000),)))
    snapshot = view.snapshot()
    assert snapshot.trace == ()
    kept = [update.number for update in snapshot.updates]
    assert kept == list(range(kept[0], 41)), "the newest are kept"
    assert {said.update_id for said in snapshot.utterances} == {None, *map(update_id, kept)}


def test_no_more_is_remembered_than_a_session_needs() -> None:
    view = View()
    for number in range(KEPT_UTTERANCES + 10):
        view.apply(update_body(number))
        view.apply(utterance_body(str(number)))
        view.apply(Trace(items=(trace_item("x"), trace_item("y"))))
    assert len(view.utterances()) == KEPT_UTTERANCES
    snapshot = view.snapshot()
    assert len(snapshot.updates) <= KEPT_UPDATES
    assert len(snapshot.trace) <= TRACE_ITEMS


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
