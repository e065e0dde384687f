from __future__ import annotations

from dataclasses import replace

import pytest

from agents.costs import Costs
from agents.stream import THOUGHT, EventType, LLMMetadata, TokenType, TurnMark
from exaim_core import SpokenKind
from exaim_core.schema import Fallback
from realtime.protocol import ThoughtItem
from realtime.room import messages
from realtime.room.feed import in_batches
from realtime.speech.narrator import utterances
from realtime.testing import event
from tests.realtime.making import SUMMARY, spoken, update, update_id, utterance
from tts_queue import HoldCause, Phase, Priority, SegmentStarted, WordSpan


def test_the_items_of_an_update_bear_the_ids_of_their_utterances() -> None:
    one = update(4, spoken("A."), spoken("B.", SpokenKind.CRITICAL, topic="potassium", urgency="critical"))
    body = messages.update_body(one, update_id(4))
    said = utterances(one, update_id(4), now_s=0.0, emitted_at_s=0.0)
    assert [item.item_id for item in body.items] == [each.utterance_id for each in said]
    assert body.summary.model_dump() == SUMMARY
    assert (body.update_id, body.number, body.path) == (update_id(4), 4, "A")
    assert body.items[1].model_dump() == {
        "item_id": f"{update_id(4)}.2", "kind": "critical", "text": "B.", "topic": "potassium",
        "urgency": "critical",
    }  # fmt: skip


def test_an_update_says_who_wrote_it_and_what_went_amiss() -> None:
    by_rules = messages.update_body(update(1, spoken("A.")), update_id(1))
    assert (by_rules.engine, by_rules.model, by_rules.by_model) == ("lexical", "", ())
    made = {
        "engine": "llm",
        "model": "twin-1",
        "by_model": ("key_findings",),
        "fallbacks": (Fallback(part="judge", reason="breaker_open"),),
        "truncated": ("key_findings",),
    }
    body = messages.update_body(update(2, spoken("A.")).model_copy(update=made), update_id(2))
    assert body.model_dump(include=set(made)) == {
        **made,
        "fallbacks": ({"part": "judge", "reason": "breaker_open"},),
    }


def test_an_utterance_is_told_with_its_phase_and_why_it_is_held() -> None:
    said = utterance("u.1", priority=Priority.PRESSING, kind="correction", update_id="u")
    body = messages.utterance_body(said, Phase.HELD, cause=HoldCause.LISTENER)
    assert (body.phase, body.cause, body.reason) == ("held", "listener", "")
    assert (body.priority, body.kind, body.item_id, body.update_id) == (
        "pressing",
        "correction",
        "u.1",
        "u",
    )


def test_a_replay_names_the_item_and_a_fixed_phrase_has_none() -> None:
    replay = replace(utterance("u.1.r1", update_id="u"), replays="u.1")
    assert messages.utterance_body(replay, Phase.QUEUED).item_id == "u.1"
    again = replace(utterance("u.1.r2", update_id="u"), replays="u.1.r1")
    assert messages.utterance_body(again, Phase.QUEUED).item_id == "u.1"
    assert messages.utterance_body(utterance("s.notice.greeting"), Phase.QUEUED).item_id is None


def test_a_clause_is_told_with_the_times_of_its_words() -> None:
    started = SegmentStarted(
        "u.1", 1, 3, "High now.", 480, 960, (WordSpan("High", 480, 700), WordSpan("now.", 700, 1440))
    )
    body = messages.segment_body(started)
    assert (body.utterance_id, body.index, body.of, body.start_sample, body.samples) == (
        "u.1",
        1,
        3,
        480,
        960,
    )
    assert [(w.text, w.start_sample, w.end_sample) for w in body.words] == [
        ("High", 480, 700),
        ("now.", 700, 1440),
    ]


def test_the_raw_panel_gets_what_agents_say_and_nothing_else() -> None:
    events = [
        event(0, kind=EventType.METADATA, agent_id="doctor0"),
        event(1, data="Potassium", agent_id="doctor0", turn=2),
        event(2, data="", agent_id="doctor0"),
        event(3, data="nobody's"),
        event(4, data=" is high", agent_id="supervisor"),
        event(5, kind=EventType.END),
    ]
    said = {"doctor0": messages.WrittenSoFar(said=7)}
    assert [(i.agent_id, i.name, i.turn, i.text, i.start) for i in messages.trace_items(events, said)] == [
        ("doctor0", "Doctor Zero", 2, "Potassium", 7),
        ("supervisor", "The supervisor", 0, " is high", 0),
    ]
    assert {agent: own.said for agent, own in said.items()} == {"doctor0": 16, "supervisor": 8}


THOUGHT_OF = "The potassium is 7.9 mmol/L. Start alteplase 50 mg."


@pytest.mark.parametrize("thought", [kind for kind in TokenType if "THINKING" in kind])
def test_what_a_model_thinks_on_the_way_to_an_answer_is_nobodys_words(thought: TokenType) -> None:
    thinking = event(0, data=THOUGHT_OF, agent_id="doctor0").model_copy(update={"token_type": thought})
    said: dict[str, messages.WrittenSoFar] = {}
    [found] = messages.trace_items([thinking], said)
    assert isinstance(found, ThoughtItem)
    assert (found.text, found.start, said["doctor0"].said) == (THOUGHT_OF, 0, 0), (
        "the engine is not fed it either"
    )
    [message] = in_batches([found])
    assert (message.items, message.thoughts) == ((), (found,))
    assert thought in THOUGHT, "nor judged"


@pytest.mark.parametrize("size", [1, 3, 1_000])
def test_thinking_in_tags_is_told_apart_and_the_words_keep_their_places(size: int) -> None:
    text = f"Before. <think>{THOUGHT_OF}</think>After."
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    events = [event(n, data=piece, agent_id="doctor0", turn=1) for n, piece in enumerate(pieces)]
    said: dict[str, messages.WrittenSoFar] = {}
    batches = in_batches([item for each in events for item in messages.trace_items([each], said)])
    words = [item for batch in batches for item in batch.items]
    assert "".join(item.text for item in words) == "Before. After."
    assert all(text[item.start :].startswith(item.text) for item in words)
    assert "".join(item.text for batch in batches for item in batch.thoughts) == THOUGHT_OF


def test_a_tag_that_is_begun_and_none_is_shown_at_the_end_of_the_turn() -> None:
    said: dict[str, messages.WrittenSoFar] = {}
    assert [item.text for item in messages.trace_items([event(0, data="x <thi", agent_id="a")], said)] == [
        "x "
    ]
    end = event(1, kind=EventType.METADATA, agent_id="a").model_copy(update={"mark": TurnMark.TURN_END})
    assert [(item.text, item.start) for item in messages.trace_items([end], said)] == [("<thi", 2)]


def test_costs_are_told_by_agent_and_what_is_not_said_is_null() -> None:
    costs = Costs()
    for seq, (agent, tokens) in enumerate((("doctor0", 7), ("doctor0", 9), ("supervisor", None))):
        llm = LLMMetadata(output_tokens=tokens, trace_id=f"call-{seq}")
        costs.take(event(seq, kind=EventType.METADATA, agent_id=agent).model_copy(update={"llm": llm}))
    assert [(each.name, each.calls, each.output_tokens) for each in messages.costs_body(costs).agents] == [
        ("Doctor Zero", 2, 16),
        ("The supervisor", 1, None),
    ]
