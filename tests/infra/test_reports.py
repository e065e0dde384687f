"""The report is a plain function of what the store had."""

from __future__ import annotations

from typing import Any

import pytest

from agents.stream import EventType, LLMMetadata, TokenType, TurnMark
from exaim_core import SpokenKind, Update
from infra.errors import CorruptSession
from infra.ledger import LedgerEntry
from infra.reports.build import build_report
from infra.reports.markdown import escape, to_markdown
from infra.reports.material import EventTally, MadeUpdate, Material
from infra.reports.model import CostReport, Report
from infra.sessions import Status
from infra.streams import LoggedCommand
from infra.unheard_count import _of_report
from tests.infra.making import events, session
from tests.infra.story import T0_MS, command, entry, item, turn, update
from tts_queue.model import Priority
from tts_queue.phases import Phase

CRITICAL: dict[str, Any] = {"priority": Priority.CRITICAL, "kind": "critical", "critical_key": "k"}


def report(
    *entries: LedgerEntry,
    updates: tuple[Update, ...] = (),
    commands: tuple[LoggedCommand, ...] = (),
    status: Status = Status.COMPLETED,
    tally: EventTally | None = None,
) -> Report:
    """Return the report of a session that ended 100 s after its beginning."""
    record = session().model_copy(
        update={"status": status, "ended_at_ms": T0_MS + 100_000, "title": "A case", "version": 3}
    )
    made = tuple(MadeUpdate(f"u-{each.number:04d}", T0_MS + 1_000, each) for each in updates)
    material = Material(record, tally or EventTally(), made, entries, commands)
    return build_report(material, generated_at_ms=T0_MS + 104_000)


def test_every_utterance_is_counted_in_one_place_and_the_places_add_up() -> None:
    found = report(
        entry("u-0001.1", Phase.SPOKEN, 2.0),
        entry("u-0001.2", Phase.SUPERSEDED),
        entry("u-0002.1", Phase.EXPIRED),
        entry("u-0002.2", Phase.CUT, 1.0),
        entry("u-0002.2.r1", Phase.CUT, 0.5, reason="takeover", replays="u-0002.2"),
        entry("u-0002.2.r2", Phase.SPOKEN, 3.0, replays="u-0002.2.r1"),
        entry("u-0003.1", Phase.CANCELLED),
        entry("u-0003.2", Phase.FAILED),
        entry("u-0003.3", Phase.HELD, 1.0),
        updates=(update(4, item("Never offered.")),),
    ).counts
    assert (found.heard, found.superseded, found.expired, found.cut, found.failed) == (2, 1, 1, 1, 1)
    assert (found.offered_again, found.waiting, found.unaccounted) == (2, 0, 2)
    assert found.unaccounted_ids == ("u-0003.3", "u-0004.1")
    assert found.total == 10
    assert found.total == sum(
        (found.heard, found.superseded, found.expired, found.cut, found.failed, found.offered_again)
    ) + (found.waiting + found.unaccounted)


def test_what_an_abandoned_session_still_has_to_say_waits_and_is_not_unaccounted() -> None:
    found = report(entry("u-1.1", Phase.HELD), entry("u-1.2", Phase.QUEUED), status=Status.ABANDONED).counts
    assert (found.waiting, found.unaccounted, found.total) == (2, 0, 2)


def test_a_summary_is_heard_in_part_if_one_item_of_two_was_and_says_why() -> None:
    found = report(
        entry("u-0001.1", Phase.SPOKEN, 2.0),
        entry("u-0001.2", Phase.EXPIRED, reason="too old"),
        updates=(update(1, item("K is 6.8."), item("Repeat it.")),),
    )
    (summary,) = found.summaries
    assert (summary.heard, summary.listening_s) == ("partly", 2.0)
    assert [each.heard for each in summary.items] == ["heard", "not_heard"]
    assert summary.items[1].why == "it was too old before its turn came"
    assert summary.fields["key_findings"] == "K is 6.8."


def test_an_item_that_was_cut_and_heard_when_offered_again_is_heard_and_both_times_count() -> None:
    found = report(
        entry("u-0001.1", Phase.CUT, 1.0, reason="takeover"),
        entry("u-0001.1.r1", Phase.SPOKEN, 2.5, replays="u-0001.1"),
        updates=(update(1, item("K is 6.8.")),),
    )
    (only,) = found.summaries[0].items
    assert (only.heard, only.why, only.listening_s, only.lag_s) == ("heard", "", 3.5, None)
    assert [each.utterance_id for each in only.offerings] == ["u-0001.1", "u-0001.1.r1"]


def test_an_item_that_never_came_to_the_voice_says_so_and_one_for_the_page_only_is_no_loss() -> None:
    found = report(updates=(update(1, item("K is 6.8.")), update(2)))
    assert found.summaries[0].items[0].why == "it never came to the voice"
    assert [each.heard for each in found.summaries] == ["not_heard", "page_only"]


def test_the_lag_is_from_the_agents_last_word_to_the_end_at_the_ear_where_both_are_known() -> None:
    updates = tuple(
        update(n, item("K.", urgency="critical" if n == 1 else "routine"), at_s=T0_MS / 1000)
        for n in (1, 2, 3)
    )
    found = report(
        entry("u-0001.1", Phase.SPOKEN, 2.0, at_ms=4_000),
        entry("u-0002.1", Phase.SPOKEN, 2.0, at_ms=9_000),
        entry("u-0003.1", Phase.EXPIRED, at_ms=12_000),
        updates=updates,
    ).latency
    assert (found.ear.count, found.ear.p50_s, found.ear.p95_s, found.ear.max_s) == (2, 4.0, 9.0, 9.0)
    assert (found.critical.count, found.critical.max_s) == (1, 4.0)
    assert (found.summary.count, found.summary.p50_s) == (3, 1.0)


def test_a_session_without_speech_has_figures_without_values() -> None:
    found = report(commands=(command("ready"),)).latency
    assert (found.ear.count, found.ear.p50_s, found.ear.max_s) == (0, None, None)


def test_a_critical_finding_that_never_came_to_the_voice_is_one_of_those() -> None:
    made = update(
        1, item("K is 6.9.", SpokenKind.CRITICAL, critical_key="k", urgency="critical"), item("Rest.")
    )
    found = report(updates=(made,), commands=(command("ready"),))
    (critical,) = found.critical
    assert (critical.critical_key, critical.text, critical.heard) == ("k", "K is 6.9.", "not_heard")
    assert (critical.times_told, critical.heard_at_ms, critical.acknowledged_at_ms) == (0, None, None)
    assert "- K is 6.9. — not heard; **not acknowledged**" in to_markdown(found)


def test_critical_findings_that_nobody_took_note_of_come_first() -> None:
    other = {**CRITICAL, "critical_key": "other"}
    found = report(
        entry("u-0001.1", Phase.SPOKEN, 2.0, at_ms=5_000, text="Potassium 6.8.", **CRITICAL),
        entry("u-0001.1.r1", Phase.SPOKEN, 2.0, replays="u-0001.1", text="Potassium 6.8.", **CRITICAL),
        entry("u-0002.1", Phase.CUT, 0.4, text="Lactate 9.", **other),
        updates=(update(1, item("K", SpokenKind.CRITICAL, critical_key="k", urgency="critical")),),
        commands=(command("acknowledge", 7_000, {"critical_key": "k"}),),
    ).critical
    assert [each.critical_key for each in found] == ["other", "k"]
    lactate, potassium = found
    assert (lactate.heard, lactate.acknowledged_at_ms, lactate.heard_at_ms) == ("partly", None, None)
    assert (potassium.times_told, potassium.agents) == (2, ("doctor0",))
    assert (potassium.heard_at_ms, potassium.acknowledged_at_ms) == (T0_MS + 5_000, T0_MS + 7_000)


def test_a_question_is_shown_with_its_answer_and_where_that_is_from() -> None:
    answer = {
        "turn_id": "t-1",
        "utterance_id": "s-1.answer.t-1",
        "question": "What is the potassium?",
        "found": True,
        "topic": None,
        "sentences": [{"text": "It is 6.8.", "source": "case paper, labs"}],
    }
    found = report(
        entry("s-1.answer.t-1", Phase.SPOKEN, 1.0, text="It is 6.8.", kind="answer"),
        commands=(
            command("turn", 1, turn("t-1", "What is the potassium?", "answer", kind="new_input")),
            command("answer", 2, answer),
        ),
    ).questions
    (asked,) = found
    assert (asked.answer, asked.found, asked.heard, asked.open) == ("It is 6.8.", True, "heard", False)
    assert [each.source for each in asked.sentences] == ["case paper, labs"]


@pytest.mark.parametrize(
    ("phase", "found", "why"),
    [
        (None, None, "it was not answered"),
        (Phase.CUT, True, "the answer was not heard whole"),
        (Phase.SPOKEN, False, "nothing was found"),
    ],
)
def test_a_question_stays_open_until_something_was_found_and_heard(
    phase: Phase | None, found: bool | None, why: str
) -> None:
    said = () if phase is None else (entry("s-1.answer.t-1", phase, 0.5, kind="answer"),)
    told = {"turn_id": "t-1", "utterance_id": "s-1.answer.t-1", "found": found}
    answered = () if found is None else (command("answer", 2, told),)
    (asked,) = report(
        *said, commands=(command("turn", 1, turn("t-1", "Why?", "answer")), *answered)
    ).questions
    assert (asked.open, asked.why_open) == (True, why)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [("not_in_time", "not answered in time"), ("gone_on", "it was let go of before it was answered")],
)
def test_a_question_without_an_answer_says_why_and_not_that_nothing_was_found(outcome: str, why: str) -> None:
    told = {"turn_id": "t-1", "utterance_id": "", "found": False, "outcome": outcome}
    (asked,) = report(
        commands=(command("turn", 1, turn("t-1", "Why?", "answer")), command("answer", 2, told))
    ).questions
    assert (asked.open, asked.why_open) == (True, why)


def test_every_decision_is_shown_with_its_reason_and_only_questions_are_questions() -> None:
    found = report(
        commands=(
            command("turn", 1, turn("t-1", "Stop.", "quiet", why="stop_words", confidence=0.95)),
            command("turn", 2, turn("b-1", "", "resume", via="button")),
        )
    )
    assert [(each.text, each.effect, each.why, each.via) for each in found.decisions] == [
        ("Stop.", "quiet", "stop_words", "voice"),
        ("", "resume", "", "button"),
    ]
    assert found.questions == ()


def test_words_that_were_not_kept_are_called_so() -> None:
    found = report(
        commands=(
            command("turn", 1, turn("t-1", "", "go_on", why="side_talk")),
            command("turn", 2, turn("t-2", "", "go_on", why="no_words")),
        )
    )
    text = to_markdown(found)
    assert "(words not kept) → go" in text
    assert "(no words) → go" in text


def test_agents_are_counted_by_turns_and_whole_words() -> None:
    tally = EventTally()
    for event, data in zip(events(0, 4), ("Potas", "sium is", " 6.8", ". ", "High"), strict=True):
        tally.add(T0_MS + event.seq, event.model_copy(update={"data": data}))
    (agent,) = report(tally=tally, commands=(command("ready"),)).agents
    assert (agent.name, agent.turns, agent.words) == ("Doctor Zero", 1, 4)
    assert (agent.first_at_ms, agent.last_at_ms) == (T0_MS, T0_MS + 4)


def test_a_turn_that_was_withdrawn_is_none_and_its_words_are_none() -> None:
    tally = EventTally()
    started, aborted = TurnMark.TURN_START, TurnMark.TURN_ABORTED
    steps: tuple[tuple[TurnMark | None, str], ...] = (
        (started, ""), (None, "High "), (TurnMark.TURN_END, ""),
        (started, ""), (None, "Potassium is <think>hm"), (aborted, ""), (started, ""), (None, "Potassium is 6.8."),
    )  # fmt: skip
    for event, (mark, data) in zip(events(0, len(steps) - 1), steps, strict=True):
        kind = EventType.METADATA if mark else EventType.TOKEN
        tally.add(T0_MS, event.model_copy(update={"type": kind, "mark": mark, "data": data}))
    (agent,) = report(tally=tally, commands=(command("ready"),)).agents
    assert (agent.turns, agent.words) == (2, 4)


def test_thinking_is_no_word_of_an_agents_and_what_models_cost_is_told_by_agent() -> None:
    tally = EventTally()
    thinking = {"data": "The potassium is 7.9.", "token_type": TokenType.AGENT_THOUGHT_LLM_THINKING}
    first, second, third, fourth = events(0, 3)
    tally.add(T0_MS, first.model_copy(update=thinking))
    tally.add(T0_MS, second.model_copy(update={"data": "<think>Start alteplase.</think>I agree."}))
    for event, tokens in ((third, 5), (fourth, 9)):  # of one call, twice
        llm = LLMMetadata(output_tokens=tokens, thinking_tokens=2, trace_id="call-1")
        tally.add(T0_MS, event.model_copy(update={"type": EventType.METADATA, "data": "", "llm": llm}))
    found = report(tally=tally, commands=(command("ready"),))
    (agent,) = found.agents
    assert (agent.words, agent.cost) == (2, CostReport(calls=1, output_tokens=9, thinking_tokens=2))
    assert found.cost == agent.cost
    text = to_markdown(found)
    assert "Doctor Zero: 1 turns, 2 words, 1 call of a model; tokens: 9 out, 2 of them thinking" in text
    assert "7.9" not in text


def test_the_timeline_is_in_order_from_the_opening_to_the_end() -> None:
    found = report(
        entry("u-0001.1", Phase.SPOKEN, 2.0, at_ms=5_000, text="K is 6.8."),
        updates=(update(1, item("K is 6.8.")),),
        commands=(command("listener", 9_000, {"here": False}), command("ready", 100)),
    ).timeline
    assert [moment.at_ms for moment in found] == sorted(moment.at_ms for moment in found)
    assert [moment.what for moment in found] == [
        "opened", "the clinician is ready", "summary 1", "heard", "the listener is gone", "completed",
    ]  # fmt: skip


def test_the_same_material_gives_the_same_report_and_it_survives_json() -> None:
    told = (entry("u-0001.1", Phase.SPOKEN, 2.0),)
    one, two = (
        report(
            *told,
            updates=(update(1, item("K.")),),
        )
        for _ in range(2)
    )
    assert one == two
    assert Report.model_validate_json(one.model_dump_json()) == one


def test_a_turn_that_cannot_be_read_is_told_without_its_words() -> None:
    with pytest.raises(CorruptSession) as corrupt:
        report(commands=(command("turn", 1, {"text": "she has HIV", "effect": ["x"]}),))
    assert "HIV" not in str(corrupt.value)


HOSTILE = (
    "<script>alert(1)</script>",
    "[press](javascript:alert(1))",
    "![x](http://evil.example/?k)",
    "line\n\n# A heading\n- a list",
    "- a list",
    "1. a list",
    "> a quote",
    "```\ncode",
    "| a | table |",
    "https://evil.example and www.evil.example",
    "a\u202eb\u0000c\x1b[31m",
    "***bold*** __it__ ~~gone~~ `code` &lt; &amp;",
)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_others_wrote_is_one_line_without_markup(text: str) -> None:
    line = escape(text)
    assert "\n" not in line
    assert not any(ord(each) < 32 or each in "\u202e" for each in line)
    for mark in "<>":
        assert mark not in line
    plain = line.replace("\\\\", "")
    for mark in "`*_[]|~#":
        assert plain.count(mark) == plain.count(f"\\{mark}")
    assert "://" not in line.replace("\\://", "")
    assert not line.startswith(("- ", "> ", "1. ", "# ", "+ "))


def test_hostile_words_from_everywhere_stay_words_in_markdown() -> None:
    hostile = "<img src=x onerror=alert(1)> [x](http://e.example) \n# h"
    found = report(
        entry("u-0001.1", Phase.SPOKEN, 2.0, text=hostile, **CRITICAL),
        updates=(update(1, item(hostile), key=hostile),),
        commands=(command("turn", 1, turn("t-1", hostile, "answer", why=hostile)),),
    )
    text = to_markdown(found)
    assert "<img" not in text
    assert "](" not in text.replace("\\](", "")
    assert "\n# h" not in text


def test_the_markdown_says_what_matters_first() -> None:
    found = report(
        entry("u-0001.1", Phase.SPOKEN, 2.0, text="Potassium 6.8.", **CRITICAL),
        entry("u-0001.2", Phase.EXPIRED, reason="too old"),
        updates=(update(1, item("Potassium 6.8."), item("Repeat it.")),),
    )
    text = to_markdown(found)
    assert text.startswith("# A case\n\nDecision support and not a decision.")
    assert "1 heard + 0 superseded + 1 expired" in text
    assert text.index("**not acknowledged**") < text.index("## Summaries") < text.index("## Timeline")
    assert "not heard: it was too old before its turn came" in text


def test_what_was_not_heard_is_counted_alike_from_the_ledger_and_from_the_report() -> None:
    ended = [
        entry(f"u-0001.{number}", Phase.CANCELLED, reason="session ended", update_id="u-0001")
        for number in (1, 2, 3)
    ]
    assert report(*ended, updates=(update(1, item("A."), item("B."), item("C.")),)).unheard == 3
    left = report(
        entry("u-0001.1", Phase.HELD, update_id="u-0001"),
        entry("greeting", Phase.HELD),
        status=Status.ABANDONED,
        updates=(update(1, item("A.")),),
    )
    assert left.unheard == 1


def test_of_a_report_that_does_not_count_what_was_not_heard_it_is_what_waits() -> None:
    older = report(entry("u-0001.1", Phase.HELD, update_id="u-0001"), status=Status.ABANDONED)
    assert _of_report(older.model_copy(update={"unheard": None}).model_dump_json()) == 1


def test_a_report_made_after_the_words_are_gone_does_not_say_that_nobody_spoke() -> None:
    assert "None spoke." in to_markdown(report())
    assert "Their words are no longer kept." in to_markdown(report(updates=(update(1, item("K is 6.8.")),)))
