"""A question whose verbs are cut short gets the answer that it gets in full."""

from __future__ import annotations

import pytest

from agents.dialogue.words import written_out
from tests.dialogue.asking import at

SHORT = [
    ("what's going on", "what is going on", "summary"),
    ("what's new", "what is new", "changed"),
    ("what's wrong with her", "what is wrong with her", "view"),
    ("what's wrong with insulin", "what is wrong with insulin", "why"),
    ("what's decided", "what is decided", "decided"),
    ("what's been decided", "what has been decided", "decided"),
    ("what've they decided", "what have they decided", "decided"),
    ("what'd they decide", "what did they decide", "decided"),
    ("where's she going", "where is she going", "place"),
    ("wheres she going", "where is she going", "place"),
    ("where's the disagreement", "where is the disagreement", "open"),
    ("what're we doing", "what are we doing", "plan"),
    ("what's she got", "what has she got", "view"),
    ("what's been stopped", "what has been stopped", "done"),
    ("what's to be avoided", "what is to be avoided", "forbidden"),
    ("what can't she have", "what can she not have", "forbidden"),
    ("whos right", "who is right", "view"),
    ("couldn't we give insulin", "could we not give insulin", "cautions"),
]


@pytest.mark.parametrize(("short", "full", "kind"), SHORT)
async def test_a_question_cut_short_is_answered_as_in_full(short: str, full: str, kind: str) -> None:
    one, other = await (await at()).ask(f"{short}?"), await (await at()).ask(f"{full}?")
    assert one.text == other.text
    assert one.kind == other.kind == kind, one.text


@pytest.mark.parametrize(
    "text",
    ["Hartmann's is up", "her mother's allergy", "give it IM", "is it HES", "its dose", "the plan's author"],
)
def test_what_belongs_to_somebody_and_what_is_spelled_so_stays(text: str) -> None:
    assert written_out(text) == text
