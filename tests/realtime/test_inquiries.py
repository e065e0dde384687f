"""Which words of a team answer the clinician's question, and how they are told."""

from __future__ import annotations

import pytest

from agents.stream import EventType, StreamEvent, TokenType
from realtime.team.inquiries import MOST_WORDS, Inquiries, quoted
from realtime.testing import EPOCH_MS
from tests.realtime.making import question, reply


def test_an_answer_that_is_read_before_its_question_is_told_once_that_is_known() -> None:
    inquiries = Inquiries()
    assert inquiries.saw(reply("m", "doctor1", "No.")) == []
    assert [each.text for each in inquiries.sent(question())] == ["Doctor One answers: No."]
    assert inquiries.sent(question()) == []
    assert inquiries.overdue(EPOCH_MS + 100_000) == []


def test_an_answer_that_never_ends_is_told_at_the_end_of_all() -> None:
    inquiries = Inquiries()
    inquiries.sent(question())
    assert inquiries.saw(reply("m", "doctor1", "No.")[:1]) == []
    assert inquiries.overdue(EPOCH_MS + 100_000) == [], "it is being answered"
    end = replace_type(reply("m", "doctor1")[0], EventType.END)
    assert [each.text for each in inquiries.saw([end])] == ["Doctor One answers: No."]


def replace_type(event: StreamEvent, kind: EventType) -> StreamEvent:
    return StreamEvent(
        type=kind, seq=9, thread_id=event.thread_id, trace_id=event.trace_id, session_id=event.session_id
    )


def test_a_long_answer_is_quoted_in_whole_sentences_and_the_rest_is_on_the_page() -> None:
    sentence = "The potassium is 6.9 and rises. "
    told = quoted("cardiologist", sentence * 40)
    assert told.startswith("The cardiologist answers: The potassium is 6.9 and rises. The")
    assert told.endswith("rises. The rest is on the page.")
    assert len(told.split()) <= MOST_WORDS + 9
    endless = quoted("cardiologist", "and " * 200)
    assert endless == "The cardiologist has answered, at length: the answer is on the page."


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("<think>potassium 7.9</think>No.", "No."),
        ("potassium 7.9</think>No.", "No."),
        ("No.<think>potassium 7.9", "No."),
        ("<think>potassium 7.9", None),
        ("### View\n- **No** ST elevation\n", "View. No ST elevation."),
        (" \n ", None),
    ],
)
def test_thinking_and_markup_are_no_part_of_a_quotation(text: str, told: str | None) -> None:
    assert quoted("doctor1", text) == (f"Doctor One answers: {told}" if told else "")


def test_thought_tokens_are_no_answer() -> None:
    inquiries = Inquiries()
    inquiries.sent(question())
    events = [
        each.model_copy(update={"token_type": TokenType.AGENT_THOUGHT_LLM_THINKING})
        if each.type is EventType.TOKEN
        else each
        for each in reply("m", "doctor1", "Perhaps yes.")
    ]
    assert inquiries.saw(events) == []
