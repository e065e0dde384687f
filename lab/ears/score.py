"""Right effects of what was heard, by intent and room: `python -m lab.ears.score develop [more parts]`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Final, TypeAlias

from agents.shares import wilson
from lab.console import argument
from lab.ears.hear import OUT
from lab.ears.matrix import NOTHING
from lab.ears.voices import Sound
from lab.yamlfile import read_yaml
from realtime.ears import TurnMetadata
from realtime.ears.second import SecondOpinion, taken
from realtime.interruption import Context, Verdict, classify_with_prosody, is_made_out
from tts_queue import Opinion, Recognised

Row: TypeAlias = Mapping[str, Any]
Heard: TypeAlias = Callable[[Row], tuple[str, str | None, float]]
"""Of a row: the text, the closed word and its confidence."""

_TURNS: Final = Path(__file__).parents[2] / "tests" / "gold" / "turns.yaml"


@cache
def case_words() -> frozenset[str]:
    """Return the words of the case in which all is said."""
    defaults = read_yaml(_TURNS)["defaults"]
    return frozenset(defaults["context"]["case_words"])


def rows(name: str) -> list[Row]:
    """Return what was said and heard of a part, or of one without its far talk (`<part>-near`)."""
    found: list[Row] = json.loads((OUT / f"{name}.json").read_text(encoding="utf-8"))
    return found


def verdict_of(text: str, word: str | None, confidence: float, ms: int) -> Verdict:
    """Return what a turn heard while the voice speaks is taken for."""
    metadata = TurnMetadata(
        turn=1, began_s=1.0, ended_s=1.0 + ms / 1000, duration_ms=ms, word_count=len(text.split()),
        had_eager_eot=False, had_turn_resumed=False, confidence=1.0 if text else 0.0,
        word=word, word_confidence=confidence, trigger="silence",
    )  # fmt: skip
    return classify_with_prosody(text, metadata, Context(speaking=True, case_words=case_words()))


def effect_of(text: str, word: str | None, confidence: float, ms: int) -> str:
    """Return its kind/effect."""
    verdict = verdict_of(text, word, confidence, ms)
    return f"{verdict.kind.value}/{verdict.effect.value}"


def effect(row: Row, heard: Heard) -> str | None:
    """Return kind/effect of what was heard, or None: there was no turn."""
    return effect_of(*heard(row), row["ms"]) if row["turn"] else None


def right(row: Row, found: str | None) -> bool:
    """Return whether that is right; no turn at all is right where nothing was wanted."""
    return row["family"] in ("hum", "talk") if found is None else found in row["want"]


def first(row: Row) -> tuple[str, str | None, float]:
    """Return what the recogniser and the closed words' vote heard."""
    return row["text"], row["word"], row["word_confidence"]


def as_said(row: Row) -> tuple[str, str | None, float]:
    """Return what was said: what rules can make of it at best."""
    return (row["said"], None, 0.0) if row["said"] else ("", "mm-hm", 0.9)


def asked_of(row: Row) -> bool:
    """Return whether the second recogniser is asked of a turn."""
    return _second().wanted(_first_heard(row))


def with_second(row: Row, opinion: Opinion) -> tuple[str, str | None, float]:
    """Return what is taken, once the second recogniser was asked where it is wanted."""
    heard = _first_heard(row)
    final = taken(heard, opinion) if asked_of(row) else heard
    return final.text, final.word, final.word_confidence


def _first_heard(row: Row) -> Recognised:
    return Recognised(row["text"], 1.0 if row["text"] else 0.0, row["word"], row["word_confidence"])


@cache
def _second() -> SecondOpinion:
    return SecondOpinion(_Nobody(), known=lambda text: is_made_out(text, case_words()), hints="")


def effects(part: str) -> dict[str, list[str | None]]:
    """Return the effects of a part's clips: of the text as said, and of the ears in three stages.

    A stage is left out where the part was not heard so.
    """
    near = rows(f"{part}-near")
    whole = rows(part) if (OUT / f"{part}.json").exists() else None
    return {
        "text as said": [effect_of(*as_said(row), row.get("ms", 0)) for row in whole or near],
        **({} if whole is None else {"before": [effect(row, first) for row in whole]}),
        "own part": [effect(row, first) for row in near],
        **_with_second(part, near, "hints", "and the second"),
        **_with_second(part, near, "commands", "held against commands"),
    }


def _with_second(part: str, near: Sequence[Row], way: str, name: str) -> dict[str, list[str | None]]:
    """Return the effects with the second recogniser's texts, if it was asked in that way."""
    texts = OUT / f"{part}-near.{way}.json"
    if not texts.exists():
        return {}
    raw = json.loads(texts.read_text(encoding="utf-8"))
    opinions = [Opinion(*raw.get(str(number), ())[:3]) for number in range(len(near))]
    return {
        name: [
            effect(row, partial(with_second, opinion=each)) for row, each in zip(near, opinions, strict=True)
        ]
    }


class _Nobody:
    async def opinion(self, pcm: Sound, hints: str) -> Opinion:
        raise NotImplementedError


def interval(good: int, of: int) -> str:
    """Return a share with its 95 % Wilson interval."""
    if not of:
        return "–"
    low, high = wilson(good, of)
    return f"{100 * good / of:.1f} [{100 * low:.1f}–{100 * high:.1f}] ({good} of {of})"


def table(chosen: Sequence[Row], ways: Mapping[str, Sequence[str | None]], by: str) -> str:
    """Return a table of right effects, a row for each value of `by` and room."""
    lines = [f"| {by} | room | {' | '.join(ways)} |", "|---|---|" + "---|" * len(ways)]
    for value in [*dict.fromkeys(row[by] for row in chosen), "all"]:
        for room in dict.fromkeys(row["room"] for row in chosen):
            at = [n for n, row in enumerate(chosen) if row["room"] == room and value in (row[by], "all")]
            cells = [interval(sum(right(chosen[n], way[n]) for n in at), len(at)) for way in ways.values()]
            lines.append(f"| {value} | {room} | {' | '.join(cells)} |")
    return "\n".join(lines)


def false_steers(chosen: Sequence[Row], ways: Mapping[str, Sequence[str | None]]) -> str:
    """Return how often talk, a question, an order or a sign of listening steered or silenced us."""
    lines = [f"| nobody asked for it | room | {' | '.join(ways)} |", "|---|---|" + "---|" * len(ways)]
    for families in (("talk", "hum", "ack"), ("question", "order")):
        for room in dict.fromkeys(row["room"] for row in chosen):
            at = [n for n, row in enumerate(chosen) if row["room"] == room and row["family"] in families]
            cells = [interval(sum(steers(way[n]) for n in at), len(at)) for way in ways.values()]
            lines.append(f"| {', '.join(families)} | {room} | {' | '.join(cells)} |")
    return "\n".join(lines)


def steers(found: str | None) -> bool:
    """Tell whether a verdict does anything to our voice but answer."""
    return found is not None and found not in (*NOTHING, "new_input/answer", "new_input/refuse_order")


def main(part: str) -> None:
    """Print the tables of a part."""
    found, ways = rows(f"{part}-near"), effects(part)
    tables = [table(found, ways, by) for by in ("family", "voice", "intent")]
    sys.stdout.write("\n\n".join([*tables, false_steers(found, ways)]) + "\n")


if __name__ == "__main__":
    try:
        main(argument("lab.ears.score", "PART"))
    except FileNotFoundError as error:
        sys.exit(f"{error.filename} is not there: hear the part first (docs/ears.md)")
