from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from realtime import protocol
from realtime.protocol import (
    MAX_BEAT_BYTES,
    MAX_COMMAND_BYTES,
    MAX_COUNT,
    Agent,
    BadMessage,
    Beat,
    Body,
    ClientCommand,
    ClockBody,
    ClockKind,
    CommandAnswer,
    CommandError,
    Ended,
    Hello,
    ItemBody,
    NoticeBody,
    Reasoning,
    SegmentBody,
    Snapshot,
    StateMessage,
    SummaryBody,
    Trace,
    TraceItem,
    UpdateBody,
    UtteranceBody,
    Word,
    encode_state,
    parse_beat,
    parse_command,
)
from tests.realtime.making import utterance_body

words = st.text(max_size=20).filter(lambda text: text.isprintable())
numbers = st.integers(0, MAX_COUNT)
reasonings = st.builds(
    Reasoning, phase=st.sampled_from(["waiting", "thinking", "finished", "failed"]), detail=words
)
items = st.builds(
    ItemBody, item_id=words, kind=words, text=words, topic=st.none() | words, urgency=st.just("routine")
)
updates = st.builds(
    UpdateBody,
    update_id=words,
    number=numbers,
    path=st.sampled_from(["A", "B", "C", "end"]),
    summary=st.builds(SummaryBody, **dict.fromkeys(SummaryBody.model_fields, words)),
    items=st.lists(items, max_size=2).map(tuple),
)
utterances = st.builds(
    UtteranceBody,
    utterance_id=words,
    update_id=st.none() | words,
    item_id=st.none() | words,
    kind=words,
    priority=words,
    text=words,
    phase=words,
    cause=st.none() | words,
    reason=words,
)
traces = st.builds(TraceItem, agent_id=words, name=words, turn=numbers, text=words)
clocks = st.builds(ClockBody, clock=st.sampled_from(ClockKind), zero=st.integers(0, 2**32 - 1))
bodies: st.SearchStrategy[Body] = st.one_of(
    st.builds(
        Hello,
        session_id=words,
        case_id=words,
        title=words,
        agents=st.lists(st.builds(Agent, id=words, name=words), max_size=3).map(tuple),
        sample_rate_hz=st.just(48_000),
        track_sid=words,
        has_paper=st.booleans(),
        grace_s=st.floats(5.0, 300.0),
    ),
    st.builds(
        Snapshot,
        reasoning=reasonings,
        updates=st.lists(updates, max_size=2).map(tuple),
        utterances=st.lists(utterances, max_size=2).map(tuple),
        trace=st.lists(traces, max_size=2).map(tuple),
        clock=st.none() | clocks,
    ),
    reasonings,
    st.builds(Trace, items=st.lists(traces, max_size=3).map(tuple)),
    updates,
    utterances,
    st.builds(
        SegmentBody,
        utterance_id=words,
        index=numbers,
        of=numbers,
        start_sample=numbers,
        samples=numbers,
        words=st.lists(st.builds(Word, text=words, start_sample=numbers, end_sample=numbers), max_size=3).map(
            tuple
        ),
    ),
    clocks,
    st.builds(NoticeBody, code=words, text=words),
    st.builds(Ended, reason=st.sampled_from(["ended_by_clinician", "abandoned", "failed"])),
)


@given(body=bodies, seq=st.integers(1, MAX_COUNT), epoch=numbers, at_ms=numbers)
def test_every_state_message_comes_back_as_it_was_sent(body: Body, seq: int, epoch: int, at_ms: int) -> None:
    message = StateMessage.model_validate_json(encode_state(body, seq=seq, epoch=epoch, at_ms=at_ms))
    assert (message.v, message.seq, message.epoch, message.at_ms) == (1, seq, epoch, at_ms)
    assert message.type == protocol.TYPE_NAMES[type(body)]
    assert type(body).model_validate(message.body) == body


def test_the_types_of_messages_are_those_of_the_document_and_differ() -> None:
    assert sorted(protocol.TYPE_NAMES.values()) == [
        "answer", "clock", "costs", "ears", "ended", "hello", "mode", "notice", "past", "reasoning",
        "segment", "snapshot", "step", "trace", "turn", "update", "utterance",
    ]  # fmt: skip


@given(
    seq=st.integers(1, MAX_COUNT),
    kind=words,
    args=st.dictionaries(words, words | numbers | st.none(), max_size=3),
)
def test_a_command_comes_back_as_it_was_sent(seq: int, kind: str, args: dict[str, Any]) -> None:
    sent = ClientCommand(v=1, seq=seq, kind=kind, args=args)
    assert parse_command(sent.model_dump_json()) == sent


@given(
    seq=st.integers(1, MAX_COUNT),
    clock=st.sampled_from(ClockKind),
    track_sid=st.none() | st.just("TR_x"),
    position=st.none() | numbers,
    onset=st.none() | numbers,
    hidden=st.booleans(),
)
def test_a_beat_comes_back_as_it_was_sent(**fields: Any) -> None:
    sent = Beat(v=1, **fields)
    assert parse_beat(sent.model_dump_json().encode()) == sent


def test_an_answer_comes_back_as_it_was_sent() -> None:
    for answer in (
        CommandAnswer(ok=True),
        CommandAnswer(ok=False, error=CommandError(code="too_late", message="x")),
    ):
        assert CommandAnswer.model_validate_json(answer.model_dump_json(exclude_none=True)) == answer


def test_the_example_messages_of_the_document_are_taken() -> None:
    assert parse_command('{"v": 1, "seq": 3, "kind": "ready", "args": {}}').kind == "ready"
    beat = parse_beat(
        b'{"v": 1, "seq": 17, "track_sid": "TR_x", "clock": "rtp",'
        b' "position": 3141592653, "onset": 3141508221, "hidden": false}'
    )
    assert (beat.position, beat.onset) == (3141592653, 3141508221)


def test_a_page_with_nothing_attached_says_so_by_nulls() -> None:
    beat = parse_beat(b'{"v":1,"seq":1,"track_sid":null,"clock":"rtp","position":null,"onset":null}')
    assert beat.position is None


def test_fields_of_a_later_version_are_ignored() -> None:
    assert parse_command('{"v":1,"seq":1,"kind":"ready","later":[1]}').seq == 1
    assert parse_beat(b'{"v":1,"seq":1,"clock":"samples","later":{}}').seq == 1


BAD_BEATS = [
    (b"", "JSON"),
    (b"\xff\xfe", "JSON"),
    (b"null", "message"),
    (b"[" * 400, "JSON"),
    (b'{"v":2,"seq":1,"clock":"rtp"}', "v: "),
    (b'{"seq":1,"clock":"rtp"}', "v: "),
    (b'{"v":1,"seq":0,"clock":"rtp"}', "seq: "),
    (b'{"v":1,"seq":-1,"clock":"rtp"}', "seq: "),
    (b'{"v":1,"seq":NaN,"clock":"rtp"}', "seq: "),
    (b'{"v":1,"seq":1e400,"clock":"rtp"}', "seq: "),
    (b'{"v":1,"seq":%d,"clock":"rtp"}' % 10**300, "seq: "),
    (b'{"v":1,"seq":1,"clock":"sun"}', "clock: "),
    (b'{"v":1,"seq":1,"clock":"rtp","position":-1}', "position: "),
    (b'{"v":1,"seq":1,"clock":"rtp","position":1.5}', "position: "),
    (b'{"v":1,"seq":1,"clock":"rtp","position":%d}' % 2**64, "position: "),
    (b'{"v":1,"seq":1,"clock":"rtp","onset":-Infinity}', "onset: "),
    (b'{"v":1,"seq":1,"clock":"rtp","track_sid":"%s"}' % (b"x" * 65), "track_sid: "),
    (b'{"v":1,"seq":1,"clock":"rtp"}' + b" " * MAX_BEAT_BYTES, str(MAX_BEAT_BYTES)),
]


@pytest.mark.parametrize(("payload", "told"), BAD_BEATS)
def test_a_bad_beat_is_refused_and_the_fault_is_named(payload: bytes, told: str) -> None:
    with pytest.raises(BadMessage) as refused:
        parse_beat(payload)
    assert told in str(refused.value)
    assert refused.value.code == "bad_message"


BAD_COMMANDS = [
    ("", "JSON"),
    ("ready", "JSON"),
    ("\ud800", "message"),
    ('{"v":1,"seq":1,"kind":"\ud800"}', "message"),
    ('{"v":1,"seq":1,"kind":"\\ud800"}', "JSON"),
    ("[" * 3000, "JSON"),
    ('{"v":"one","seq":1,"kind":"ready"}', "v: "),
    ('{"v":1,"seq":0,"kind":"ready"}', "seq: "),
    ('{"v":1,"seq":' + "9" * 3900 + ',"kind":"ready"}', "seq: "),
    ('{"v":1,"seq":1,"kind":7}', "kind: "),
    ('{"v":1,"seq":1}', "kind: "),
    ('{"v":1,"seq":1,"kind":"ready","args":[]}', "args: "),
    ('{"v":1,"seq":1,"kind":"' + "é" * (MAX_COMMAND_BYTES // 2) + '"}', str(MAX_COMMAND_BYTES)),
]


@pytest.mark.parametrize(("payload", "told"), BAD_COMMANDS)
def test_a_bad_command_is_refused_and_the_fault_is_named(payload: str, told: str) -> None:
    with pytest.raises(BadMessage) as refused:
        parse_command(payload)
    assert told in str(refused.value)


def test_a_refusal_does_not_repeat_what_was_sent() -> None:
    with pytest.raises(BadMessage) as refused:
        parse_command('{"v":1,"seq":"Mrs Miller","kind":"ready"}')
    assert "Miller" not in str(refused.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(alphabet=st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
nearly = st.fixed_dictionaries(
    {},
    optional={
        "v": st.just(1) | json_values,
        "seq": st.integers(-3, 2**70) | json_values,
        "kind": st.sampled_from(["ready", "end"]) | json_values,
        "args": json_values,
        "clock": st.sampled_from(["rtp", "samples"]) | json_values,
        "track_sid": json_values,
        "position": st.integers() | json_values,
        "onset": st.integers() | json_values,
        "hidden": json_values,
    },
)


@given(st.text(alphabet=st.characters(exclude_categories=())) | (json_values | nearly).map(json.dumps))
def test_whatever_a_client_calls_it_is_a_command_or_a_bad_message(payload: str) -> None:
    try:
        command = parse_command(payload)
    except BadMessage as refused:
        assert str(refused)
    else:
        assert 1 <= command.seq <= MAX_COUNT


@given(st.binary() | (json_values | nearly).map(json.dumps).map(str.encode))
def test_whatever_a_client_sends_it_is_a_beat_or_a_bad_message(payload: bytes) -> None:
    try:
        beat = parse_beat(payload)
    except BadMessage as refused:
        assert str(refused)
    else:
        assert beat.position is None or 0 <= beat.position <= MAX_COUNT


def test_a_message_that_no_text_stream_should_carry_is_not_made() -> None:
    with pytest.raises(ValueError, match=r"utterance message .* over 61440 bytes"):
        encode_state(utterance_body("x", text="é" * 31_000), seq=1, epoch=1, at_ms=0)
