"""Rows of decision tables: what was said, how, in which situation, and what should follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.yamlfile import read_yaml
from realtime.ears.model import TurnMetadata
from realtime.interruption import Context, Mode, PendingQuestion, Verdict

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Row:
    text: str
    metadata: TurnMetadata
    context: Context
    want: tuple[str, str]
    about: str


def turn(text: str, ms: int = 600, **told: Any) -> TurnMetadata:
    return TurnMetadata(
        turn=1,
        began_s=1.0,
        ended_s=1.0 + ms / 1000,
        duration_ms=ms,
        word_count=len(text.split()),
        had_eager_eot=bool(told.get("resumed", False)),
        had_turn_resumed=bool(told.get("resumed", False)),
        confidence=told.get("confidence", 0.9 if text else 0.0),
        word=told.get("word"),
        word_confidence=told.get("word_confidence", 0.0),
        trigger=told.get("trigger", "silence"),
    )


def situation(told: Mapping[str, Any], case_words: frozenset[str]) -> Context:
    values: dict[str, Any] = {"speaking": True, "case_words": case_words, **told}
    if values.get("mode") is not None:
        values["mode"] = Mode(values["mode"])
    if values.get("asked") is not None:
        values["asked"] = PendingQuestion(values["asked"])
    return Context(**values)


def our_table() -> list[Row]:
    raw = read_yaml(HERE / "table.yaml")
    case_words = frozenset(raw["case_words"])
    return [
        Row(
            text=row["text"],
            metadata=turn(
                row["text"],
                row.get("ms", 600),
                **{
                    key: row[key]
                    for key in row.keys() & {"resumed", "confidence", "word", "word_confidence", "trigger"}
                },
            ),
            context=situation(row.get("ctx", {}), case_words),
            want=(row["want"][0], row["want"][1]),
            about=str(row["from"]),
        )
        for row in raw["rows"]
    ]


def got(verdict: Verdict) -> tuple[str, str]:
    return verdict.kind.value, verdict.effect.value
