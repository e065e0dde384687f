"""The gold table of whole commands as values."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from lab.yamlfile import read_yaml
from realtime.interruption import Verdict, classify_with_prosody
from tests.gold.corpus import turns
from tests.interruption.rows import got, situation, turn

_HERE: Final = Path(__file__).parents[1] / "gold"
_CASE_WORDS: Final = frozenset(turns()[0].context["case_words"])
MS_A_WORD: Final = 300
_SHORT: Final = {
    "ack": ("acknowledgment/go_on",),
    "answer": ("new_input/answer",),
    "nothing": ("ignore/go_on", "acknowledgment/go_on", "new_input/go_on", "new_input/not_acted_on"),
}


@dataclass(frozen=True)
class Whole:
    """One turn, and the pairs of kind and effect that are right."""

    text: str
    ms: int
    context: dict[str, Any]
    want: frozenset[tuple[str, str]]
    part: str

    def verdict(self) -> Verdict:
        return classify_with_prosody(
            self.text, turn(self.text, self.ms), situation(self.context, _CASE_WORDS)
        )

    @property
    def right(self) -> bool:
        return got(self.verdict()) in self.want


def whole_commands(name: str = "whole_commands") -> list[Whole]:
    raw = read_yaml(_HERE / f"{name}.yaml")
    return [
        Whole(
            text=row["text"],
            ms=row.get("ms", MS_A_WORD * len(row["text"].split())),
            context=row.get("ctx", {}),
            want=frozenset(
                (pair.partition("/")[0], pair.partition("/")[2])
                for name in row["want"]
                for pair in _SHORT.get(name, (name,))
            ),
            part=part,
        )
        for part in ("commands", "lookalikes")
        for row in raw[part]
    ]
