"""The findings for the recorded traces are whole, and each is said where its row says. No code is judged."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from tests.gold.acute import Delta, Event, TurnEnd
from tests.gold.injected import Finding, findings, inject, recorded
from tests.gold.terms import GoldError, met, sentences

ROWS = findings()
CASES = sorted({row.case_id for row in ROWS})


def test_there_are_sixty_findings_of_the_stated_groups_spread_over_28_traces() -> None:
    assert len(ROWS) == len({row.id for row in ROWS}) == len({row.text for row in ROWS}) == 60
    assert Counter(row.group for row in ROWS) == {
        "critical": 20,
        "value": 15,
        "dose": 10,
        "side": 8,
        "allergy": 7,
    }
    assert len(CASES) == 28
    assert set(Counter(row.case_id for row in ROWS).values()) == {2, 3}


def test_what_is_critical_must_alarm_and_ten_others_must_not() -> None:
    assert {row.id for row in ROWS if row.critical} == {row.id for row in ROWS if row.group == "critical"}
    quiet = [row for row in ROWS if row.must_not_alarm]
    assert len(quiet) == 10 and not any(row.critical for row in quiet)
    assert {row.id for row in ROWS if row.variant} == {row.id for row in quiet}
    assert {row.variant for row in quiet} == {"negated", "family", "hypothetical", "past"}


def test_every_finding_is_met_by_its_own_sentence_and_by_no_other_finding_of_its_trace() -> None:
    for row in ROWS:
        assert len(sentences(row.text)) == 1, row.id
        for other in ROWS:
            if other.case_id == row.case_id:
                assert row.met_by(other.text) == (other is row), (row.id, other.id)


def test_a_sentence_is_said_after_the_next_sentence_that_ends_outside_a_list() -> None:
    made = inject(_trace("Now:\n- One thing. Two.\n\nThree is so. Four is so."), [_row(at=0.01)])
    assert (
        _text(made.events) == "Now:\n- One thing. Two.\n\nThree is so. Potassium is 7.2 mmol/L. Four is so."
    )


def test_where_no_sentence_ends_outside_a_list_it_is_said_at_the_end_of_the_turn() -> None:
    made = inject(_trace("### Plan\n1. Do one thing.\n2. Then one other."), [_row(at=0.01)])
    assert _text(made.events).endswith("2. Then one other.\n\nPotassium is 7.2 mmol/L.")
    assert isinstance(made.events[-1], TurnEnd)


def test_what_follows_is_later_by_as_long_as_the_sentence_takes_at_the_pace_of_its_turn() -> None:
    before = _trace("One is so here. Two is so here. Three is so here. ")
    made = inject(before, [_row(at=0.01), _row(at=0.6, id="second")])
    took_s = 4 * (before[-2].at_s - before[0].at_s) / 12
    assert made.events[-1].at_s == pytest.approx(before[-1].at_s + 2 * took_s, abs=0.01)
    assert [placed.finding.id for placed in made.placed] == ["x", "second"]
    for placed in made.placed:
        said = [event for event in made.events if isinstance(event, Delta) and event.at_s <= placed.at_s]
        assert "".join(event.text for event in said).rstrip().endswith("Potassium is 7.2 mmol/L.")


def test_an_agent_who_says_nothing_more_is_an_error() -> None:
    with pytest.raises(GoldError, match="says nothing more"):
        inject(_trace("One is so. Two is so."), [_row(at=0.5, agent="doctor1")])


@pytest.mark.shared
def test_each_finding_is_said_whole_by_its_agent_soon_after_its_share_and_is_news(shared: Path) -> None:
    for case_id in CASES:
        before = recorded(shared / "traces" / f"{case_id}.trace.jsonl.gz")
        mine = [row for row in ROWS if row.case_id == case_id]
        made = inject(before, mine)
        assert all(first.at_s <= then.at_s for first, then in pairwise(made.events)), case_id
        assert len(_text(made.events)) > len(_text(before))
        assert {placed.finding for placed in made.placed} == set(mine)
        for placed in made.placed:
            _is_said(placed.finding, placed.at_s, made.events, before)


def _is_said(row: Finding, at_s: float, events: tuple[Event, ...], before: tuple[Event, ...]) -> None:
    turns = {event.turn for event in events if event.agent == row.agent}
    (turn,) = [turn for turn in turns if row.text in _text(events, turn)]
    said = "".join(
        event.text
        for event in events
        if isinstance(event, Delta) and event.turn == turn and event.at_s <= at_s
    )
    assert row.text in said, row.id
    assert row.at * before[-1].at_s <= at_s <= (row.at + 0.25) * before[-1].at_s + 5, row.id
    for each in {event.turn for event in before}:
        assert not any(met(sentence, row.terms) for sentence in sentences(_text(before, each))), row.id


def _row(at: float, id: str = "x", agent: str = "doctor0") -> Finding:
    terms = (("potassium",), ("7.2",))
    text = "Potassium is 7.2 mmol/L."
    return Finding(id=id, case_id="c", at=at, agent=agent, group="critical", text=text, terms=terms)


def _trace(text: str) -> tuple[Event, ...]:
    """One turn of doctor0, a character a tenth of a second."""
    said = [Delta(n / 10, 1, "doctor0", character) for n, character in enumerate(text)]
    return (*said, TurnEnd(len(text) / 10, 1, "doctor0"))


def _text(events: tuple[Event, ...], turn: int | None = None) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta) and turn in {None, event.turn})
