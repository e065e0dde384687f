"""Scores, intervals, comparisons; the report."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from agents.shares import Share
from agents.teams.mdagents.answers import answer_of
from agents.teams.mdagents.dataset import Question
from agents.teams.mdagents.errors import RunDiffers
from agents.teams.mdagents.ledger import Ledger
from agents.teams.mdagents.outcome import Outcome
from agents.teams.mdagents.report import markdown, page
from agents.teams.mdagents.results import read_rows, row_of
from agents.teams.mdagents.scoring import Compared, compared, score_lines, scored
from agents.teams.mdagents.settings import Tier
from tests.mdagents.rehearsed import Call, Rehearsed
from tests.mdagents.runs import described, done


def row(question_id: str, correct: bool, status: str = "answered", tier: str = "basic") -> dict[str, Any]:
    return {
        "question_id": question_id,
        "correct": correct,
        "status": status,
        "difficulty": tier,
        "token_usage": {"calls": 1, "input_tokens": 10, "output_tokens": 2, "unmetered": 1},
    }


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (0, 0, 0.0, 1.0),
        (81, 263, 0.2553, 0.3662),
    ],
)
def test_the_interval_is_wilsons(part: int, whole: int, low: float, high: float) -> None:
    assert Share(part, whole).interval == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("b", "c", "p"), [(5, 5, 1.0), (0, 6, 0.03125), (1, 9, 0.021484375), (0, 0, 1.0)])
def test_mcnemar_is_exact(b: int, c: int, p: float) -> None:
    assert Compared(20, 5, b, c, 5).p == pytest.approx(p)


def test_what_was_not_answered_is_wrong_and_listed() -> None:
    rows = [row("a", True), row("b", False, "unparsed"), row("c", False, "failed", "")]
    found = scored(rows)
    assert (found.all.part, found.all.whole) == (1, 3)
    assert (found.unparsed, found.failed) == (("b",), ("c",))
    assert (found.spent.input_tokens, found.spent.unmetered) == (30, 3)
    lines = "\n".join(score_lines(found))
    assert "unparsed, counted as wrong: 1 (b)" in lines and "3 answers without a count" in lines


def test_two_runs_are_compared_on_what_both_have() -> None:
    first = [row("a", True), row("b", True), row("c", False), row("x", True)]
    second = [row("a", True), row("b", False), row("c", False)]
    assert compared(first, second) == Compared(3, 1, 1, 0, 1)
    with pytest.raises(RunDiffers):
        compared(first, [row("z", True)])


def test_the_report_shows_each_debate_and_nothing_in_it_is_markup(
    virtual: asyncio.Runner, tmp_path: Path
) -> None:
    def reply(call: Call) -> Any:
        if call.kind == "key_knowledge":
            return {"key_knowledge": "<script>alert(1)</script> | ```", "total_analysis": "</details>"}
        return None

    _, results = done(virtual, tmp_path, Rehearsed(reply=reply), described(12))
    rows = read_rows(results.path)
    for text in ("".join(markdown("t", scored(rows), rows)), "".join(page("t", scored(rows), rows))):
        for part in ("Hierarchy", "Who wrote to whom", "Opinions by round", "The debate", "Tokens", "Votes"):
            assert part in text
        assert "<script>" not in text
        assert text.count("<details>") == text.count("</details>")
    assert not re.search(r"https?://", text)


def test_an_answer_that_is_the_label_word_for_word_is_right() -> None:
    label = "Guillain–Barré syndrome"
    question = Question(0, "q", "Which?", {}, "", label)
    outcome = Outcome(Tier.BASIC, {})
    outcome.answer = answer_of(label, {})
    assert row_of(question, outcome, Ledger())["correct"] is True
