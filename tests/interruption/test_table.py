from __future__ import annotations

import pytest

from realtime.interruption import Context, Effect, Kind, classify_with_prosody
from tests.interruption.rows import Row, got, our_table, turn


@pytest.mark.parametrize("row", our_table(), ids=lambda row: f"{row.text[:40]!r} ({row.about})")
def test_every_row_of_the_decision_table_gets_its_verdict(row: Row) -> None:
    verdict = classify_with_prosody(row.text, row.metadata, row.context)
    assert got(verdict) == row.want, verdict.why


@pytest.mark.parametrize("text", ["Step.", "Stone"])
def test_a_short_word_of_the_case_that_sounds_like_stop_stops_us_while_we_speak(text: str) -> None:
    metadata = turn(text, 420)
    case_words = frozenset({"stone", "step"})
    speaking = classify_with_prosody(text, metadata, Context(speaking=True, case_words=case_words))
    silent = classify_with_prosody(text, metadata, Context(case_words=case_words))
    assert (speaking.kind, speaking.effect) == (Kind.CANCEL, Effect.QUIET)
    assert silent.kind is not Kind.CANCEL


def test_more_than_that_one_word_is_what_it_says() -> None:
    context = Context(speaking=True, case_words=frozenset({"stone"}))
    verdict = classify_with_prosody("The stone.", turn("The stone.", 700), context)
    assert verdict.effect is Effect.ANSWER
