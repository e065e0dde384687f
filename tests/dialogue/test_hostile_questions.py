"""Questions of a size at which a pattern that looks for three words one after another would take hours."""

from __future__ import annotations

import pytest

from agents.dialogue.intents import asks_if_in, of_all, wanted
from agents.dialogue.values import Intent

SIZE = 28_000
PARTS = (
    "what is us me ",
    "what are not is ",
    "which drugs to do i we ",
    "everything is leaving ",
    "and so ok now then ",
    "has was is did ",
    "is the tube ",
    "a-",
    "no ",
)


@pytest.mark.parametrize("part", PARTS)
def test_a_long_question_is_read_to_an_end(part: str) -> None:
    text = part * (SIZE // len(part))
    of_all(text)
    wanted(text, asks=True)
    asks_if_in(text)


@pytest.mark.parametrize(
    ("words", "intent"),
    [
        ("what must not be given", Intent.FORBIDDEN),
        ("what is the plan", Intent.PLAN),
        (
            "which of the drugs that were talked about this morning at the round must she not have",
            Intent.FORBIDDEN,
        ),
        ("where is she", Intent.PLACE),
    ],
)
def test_its_beginning_is_heard(words: str, intent: Intent) -> None:
    assert of_all(words) is intent
    assert of_all(words + " please" * 4_000) is intent
