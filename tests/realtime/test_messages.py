from __future__ import annotations

from dataclasses import replace

import pytest

from agents.stream import THOUGHT, EventType, TokenType
from exaim_core import SpokenKind
from exaim_core.schema import Fallback
from realtime import messages
from realtime.narrator import utterances
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
    said = {"doctor0": 7}
    assert [(i.agent_id, i.name, i.turn, i.text, i.start) for i in messages.trace_items(events, said)] == [
        ("doctor0", "Doctor Zero", 2, "Potassium", 7),
        ("supervisor", "The supervisor", 0, " is high", 0),
    ]
    assert said == {"doctor0": 16, "supervisor": 8}


@pytest.mark.parametrize("thought", [kind for kind in TokenType if "THINKING" in kind])
def test_what_a_model_thinks_on_the_way_to_an_answer_is_not_shown(thought: TokenType) -> None:
    thinking = event(0, data="Perhaps sepsis?", agent_id="doctor0").model_copy(update={"token_type": thought})
    said: dict[str, int] = {}
    assert messages.trace_items([thinking], said) == []
    assert said == {}, "the engine is not fed it either"
    assert thought in THOUGHT, "nor judged"
