"""What a team has said and nobody has taken yet."""

from __future__ import annotations

from typing import Any

import pytest

from agents.stream import (
    Decision,
    DecisionKind,
    EventType,
    LLMMetadata,
    Progress,
    ProgressKind,
    TeamEvent,
    TokenType,
    TurnMark,
)
from exaim_live.events import SentEvent
from exaim_live.outbox import BATCH_BYTES, PIECE_CHARS, Outbox


def told(batch: list[TeamEvent]) -> list[tuple[int, str, str | None, int | None]]:
    return [(each.seq, each.mark or each.data or each.type, each.agent_id, each.turn) for each in batch]


def test_neighbouring_words_of_a_turn_are_one_event_and_the_order_over_agents_is_kept() -> None:
    outbox = Outbox()
    for agent, text in (("zero", "Cold "), ("zero", "hands."), ("one", "Raynaud."), ("zero", " Blue.")):
        assert outbox.offer(agent, text)
    outbox.end_turn("zero")
    outbox.offer("zero", "Again.")
    assert told(outbox.take()) == [
        (0, "TURN_START", "zero", 1),
        (1, "Cold hands.", "zero", 1),
        (2, "TURN_START", "one", 2),
        (3, "Raynaud.", "one", 2),
        (4, " Blue.", "zero", 1),
        (5, "TURN_END", "zero", 1),
        (6, "TURN_START", "zero", 3),
        (7, "Again.", "zero", 3),
    ]
    assert outbox.take() == []


def test_the_end_closes_all_turns_and_nothing_follows_it() -> None:
    outbox = Outbox()
    outbox.offer("zero", "Cold.")
    outbox.end("the team broke off")
    outbox.end()
    outbox.end_turn("zero")
    assert not outbox.offer("zero", "late")
    batch = outbox.take()
    assert [each.mark or each.type for each in batch] == [
        TurnMark.TURN_START, EventType.TOKEN, TurnMark.TURN_END, EventType.ERROR, EventType.END,
    ]  # fmt: skip
    assert outbox.lost_chars == len("late")


def test_what_does_not_fit_is_refused_and_counted_until_there_is_room() -> None:
    outbox = Outbox(most_chars=10)
    assert outbox.offer("zero", "0123456789")
    assert not outbox.offer("zero", "ab")
    outbox.end_turn("zero")
    assert outbox.lost_chars == 2
    assert [each.mark or each.type for each in outbox.take()][-1] is TurnMark.TURN_END
    assert outbox.offer("zero", "0123456789")


def test_long_text_leaves_in_pieces_and_batches_within_the_servers_bound() -> None:
    outbox = Outbox()
    text = "\x01é" * 30_000  # six bytes and two in JSON
    outbox.offer("zero", text)
    batches = []
    while batch := outbox.take():
        batches.append(batch)
    events = [event for batch in batches for event in batch]
    assert "".join(event.data for event in events) == text
    assert [event.seq for event in events] == list(range(len(events)))
    assert max(len(event.data) for event in events) == PIECE_CHARS
    sizes = [sum(len(event.to_wire().encode()) for event in batch) for batch in batches]
    assert max(sizes) < BATCH_BYTES + 8 * PIECE_CHARS < 60_000


def test_a_refused_batch_is_let_go_with_all_text_and_only_the_end_goes_out_under_its_numbers() -> None:
    outbox = Outbox()
    outbox.offer("zero", "first")
    first = outbox.take()
    outbox.offer("zero", "second")
    second = outbox.take()
    outbox.offer("zero", "third")
    outbox.drop_text(second)
    assert not outbox.offer("zero", "fourth")
    outbox.end()
    assert told(outbox.take()) == [(first[-1].seq + 1, "END", None, None)]
    assert outbox.lost_chars == len("secondthirdfourth")


def test_a_batch_is_numbered_again_where_the_server_has_lost_some() -> None:
    outbox = Outbox()
    outbox.offer("zero", "first")
    outbox.take()
    outbox.offer("zero", "second")
    batch = outbox.take()
    outbox.begin_at(1)
    assert [each.seq for each in outbox.numbered_again(batch)] == [1]
    outbox.end_turn("zero")
    assert [each.seq for each in outbox.take()] == [2]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("Doctor\nZero\t", "Doctor Zero"),
        ("n" * 65, "n" * 64),
        ("n" * 63 + " Zero", "n" * 63),
        ("", "agent"),
        (" \x00 ", "agent"),
        ("Doctor \ud83d", "Doctor ?"),
        ("Doctor\x85Zero", "Doctor Zero"),
        ("Zero \u202e", "Zero"),
        ("\u2066\u2069", "agent"),
    ],
)
def test_an_agents_name_is_made_to_fit_in_its_words_and_at_its_end(given: str, sent: str) -> None:
    outbox = Outbox()
    outbox.offer(given, "Cold.")
    outbox.end_turn(given)
    batch = outbox.take()
    assert [each.agent_id for each in batch] == [sent] * 3
    for each in batch:
        SentEvent.model_validate(each.model_dump())


def test_a_teams_own_events_keep_what_they_carry_and_get_their_numbers_here() -> None:
    outbox = Outbox()
    outbox.begin_at(40)
    told = Decision(kind=DecisionKind.FINAL, text="Low sodium", rests_on="Low sodium")
    same: dict[str, Any] = {"agent_id": "supervisor", "turn": 3, "round": 2, "in_reply_to": "m1"}
    typed = TokenType.FINAL_SYNTHESIS_LLM_RESPONSE
    events = [
        TeamEvent(type=EventType.METADATA, seq=0, mark=TurnMark.TURN_START, **same),
        TeamEvent(type=EventType.TOKEN, seq=1, data="Low ", token_type=typed, **same),
        TeamEvent(type=EventType.TOKEN, seq=2, data="sodium", token_type=typed, **same),
        TeamEvent(type=EventType.METADATA, seq=3, decision=told, **same),
        TeamEvent(type=EventType.METADATA, seq=4, mark=TurnMark.TURN_ABORTED, **same),
        TeamEvent(type=EventType.END, seq=5),
    ]
    assert all(outbox.tell(event) for event in events)
    outbox.end()
    sent = outbox.take()
    assert [event.seq for event in sent] == [40, 41, 42, 43, 44]
    assert sent[1].data == "Low sodium", "words of one turn go together"
    assert (sent[1].token_type, sent[1].turn, sent[1].round, sent[1].in_reply_to) == (typed, 3, 2, "m1")
    assert sent[2].decision == told
    assert [event.mark for event in sent if event.mark] == [TurnMark.TURN_START, TurnMark.TURN_ABORTED]
    assert sent[-1].type is EventType.END, "once, and the outbox's own"


def test_a_teams_words_beyond_the_bound_are_lost_and_counted_and_its_marks_are_not() -> None:
    outbox = Outbox(most_chars=5)
    word = TeamEvent(type=EventType.TOKEN, seq=0, agent_id="a", turn=1, data="12345")
    assert [outbox.tell(word), outbox.tell(word)] == [True, False]
    assert outbox.tell(
        TeamEvent(type=EventType.METADATA, seq=1, agent_id="a", turn=1, mark=TurnMark.TURN_END)
    )
    assert outbox.lost_chars == 5
    assert [event.data for event in outbox.take()] == ["12345", ""]


def test_whatever_stands_in_a_name_the_server_takes_it() -> None:
    outbox = Outbox()
    for number in (*range(0x3000), 0xD800, 0xFEFF, 0xFFFF, 0x1F600):
        outbox.offer(f"{chr(number)}x{chr(number)}", ".")
    while batch := outbox.take():
        for each in batch:
            SentEvent.model_validate_json(each.to_wire())


def test_half_a_surrogate_pair_in_anything_stated_leaves_as_a_question_mark() -> None:
    outbox, half = Outbox(), "a \ud800"
    outbox.offer("zero", "Cold.", in_reply_to=half)
    outbox.cost("zero", LLMMetadata(provider_raw_usage={half: [half]}))
    assert not outbox.step(Progress(kind=ProgressKind.RECRUITED, agents=(half,)))
    outbox.tell(TeamEvent(type=EventType.METADATA, seq=0, progress=Progress(kind="round", agents=(half,))))
    outbox.tell(TeamEvent(type=EventType.TOKEN, seq=0, agent_id=half, run_id=half, data=half))
    outbox.end(half)
    for each in outbox.take():
        SentEvent.model_validate_json(each.to_wire())
        assert "\ud800" not in str(each)
        assert each.mark or each.type is EventType.END or "?" in str(each) or each.data == "Cold."


def test_a_reason_for_breaking_off_and_an_id_are_cut_to_what_the_server_takes() -> None:
    outbox = Outbox()
    outbox.offer("zero", "Cold.", in_reply_to="i" * 200)
    outbox.end("x" * 9_000)
    batch = outbox.take()
    for each in batch:
        SentEvent.model_validate_json(each.to_wire())
    assert batch[-1].type is EventType.END
