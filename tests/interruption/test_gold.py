"""The verdicts against turns that were judged by somebody who had not seen the rules."""

from __future__ import annotations

from pathlib import Path
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


def share_right(missed: int, *, held_out: bool) -> float:
    of = sum(1 for row in turns() if row.held_out is held_out)
    return 1 - missed / of


def test_the_turns_that_the_rules_were_mended_on_are_decided_right() -> None:
    missed = misses(held_out=False)
    assert share_right(len(missed), held_out=False) >= 0.97, [row.id for row, _ in missed]


def test_the_turns_that_were_held_back_until_the_rules_were_done_are_decided_right() -> None:
    missed = misses(held_out=True)
    assert share_right(len(missed), held_out=True) >= 0.94, [row.id for row, _ in missed]


def test_the_known_misses_are_the_ones_on_record() -> None:
    record = (Path(__file__).parents[2] / "docs/decisions/010-verdicts.md").read_text(encoding="utf-8")
    missed = [row.id for held_out in (False, True) for row, _ in misses(held_out=held_out)]
    assert [each for each in missed if f"| {each} |" not in record] == []


def test_the_old_rules_decide_fewer_than_half_of_the_same_turns_right() -> None:
    for held_out in (False, True):
        assert share_right(len(old_rules_miss(held_out=held_out)), held_out=held_out) < 0.5


def test_no_stop_goes_unheard_and_no_order_is_ever_taken_for_a_command_to_the_voice() -> None:
    for row in turns():
        verdict = verdict_on(row)
        if row.effect == "QUIET":
            assert verdict.effect.value in {"quiet", "wait"}, row.id
        if row.effect in {"NOT_ACTED_ON", "REFUSE_ORDER"}:
            assert verdict.kind.value == "new_input", row.id
