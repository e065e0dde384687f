"""The verdicts against turns that were judged by somebody who had not seen the rules."""

from __future__ import annotations

from typing import Any

from realtime.interruption import Verdict, classify_with_prosody
from tests.gold.corpus import Turn, turns
from tests.interruption.baseline import EFFECT_OF, kind_by_the_old_rules
from tests.interruption.rows import got, situation, turn


def verdict_on(row: Turn) -> Verdict:
    told: dict[str, Any] = {**row.context}
    for name in ("mode", "asked"):
        told[name] = told[name].lower() if told[name] is not None else None
    case_words = frozenset(told.pop("case_words"))
    metadata = turn(
        row.text,
        row.duration_ms,
        resumed=row.resumed,
        word=row.word,
        word_confidence=row.word_confidence,
        confidence=1.0 if row.text else 0.0,
    )
    return classify_with_prosody(row.text, metadata, situation(told, case_words))


def is_right(row: Turn, pair: tuple[str, str]) -> bool:
    return pair in {(kind.lower(), effect.lower()) for kind, effect in row.right}


def misses(*, held_out: bool) -> list[tuple[Turn, Verdict]]:
    judged = [(row, verdict_on(row)) for row in turns() if row.held_out is held_out]
    return [(row, verdict) for row, verdict in judged if not is_right(row, got(verdict))]


def old_rules_miss(*, held_out: bool) -> list[Turn]:
    return [
        row
        for row in turns()
        if row.held_out is held_out
        for kind in (kind_by_the_old_rules(row.text, row.duration_ms, resumed=row.resumed),)
        if not is_right(row, (kind, EFFECT_OF[kind]))
    ]
