"""`lab.debates`: what counts as a debate's first word at the ear."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lab.bench.loudness import Loudness
from lab.debates import Begun, begins, begun, reasons, rows, shown
from lab.demo.listener import Received


def told(uid: str, kind: str, text: str, update: str | None = None) -> Received:
    body = {"utterance_id": uid, "kind": kind, "text": text, "update_id": update, "phase": "queued"}
    return Received("utterance", 0, 0.0, 0, body)


def clause(uid: str, at_s: float, index: int = 0) -> Received:
    body: dict[str, Any] = {"utterance_id": uid, "index": index}
    return Received("segment", 0, at_s, 0, body)


MESSAGES = (
    clause("g", 2.0),
    told("g", "greeting", "I speak for the team."),
    clause("s", 5.0),
    told("s", "progress", "Recruiting."),
    clause("s", 6.0, index=1),
    told("u", "key_findings", "Sodium 112.", "u1"),
    clause("u", 9.0),
)


def sound() -> Loudness:
    """From 2 to 4 s, and from 5.5 s on."""
    at_s = np.arange(0.0, 12.0, 0.01)
    return Loudness(((at_s >= 2.0) & (at_s < 4.0)) | (at_s >= 5.5), at_s)


def test_the_greeting_is_no_stage_and_a_stage_is_not_yet_the_reasoning() -> None:
    first, reasoning = begins(MESSAGES), reasons(MESSAGES)
    assert first is not None and first.at_s == 5.0
    assert reasoning is not None and reasoning.at_s == 9.0


def test_the_first_word_is_its_sound_and_not_its_message() -> None:
    found = begun("low-sodium", 1.0, MESSAGES, sound(), 12.0)
    assert found.said == "Recruiting."
    assert found.first_s == pytest.approx(4.5, abs=0.02) and found.reasoning_s == pytest.approx(8.0, abs=0.02)
    assert found.in_time


def test_what_was_told_after_its_first_clause_counts_from_the_clause() -> None:
    late = (clause("s", 5.0), told("s", "progress", "Recruiting."))
    found = begins(late)
    assert found is not None and found.at_s == 5.0
    assert begins(late[:1]) is None, "what is not known may be the greeting"


def test_a_debate_of_which_nothing_was_heard_is_not_in_time() -> None:
    silent = begun("low-sodium", 1.0, MESSAGES[:2], sound(), 12.0)
    assert (silent.first_s, silent.in_time) == (None, False)
    assert shown([silent]) == "nothing was heard"
    assert not Begun("low-sodium", "Recruiting.", 10.1, None).in_time


def test_the_latest_first_word_is_held_against_ten_seconds() -> None:
    first, reasoning = rows([Begun("a", "", 2.0, 8.0), Begun("b", "", 11.0, 12.0)])
    assert (first.n, first.met, reasoning.met) == (2, False, None)
    assert rows([Begun("a", "", 2.0, 8.0)])[0].met
