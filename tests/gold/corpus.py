"""The gold corpora as values. It knows nothing of the code that they judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from lab.yamlfile import read_yaml

HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One row of `turns.yaml`: what was heard, in which context, and what is right."""

    id: str
    group: str
    text: str
    duration_ms: int
    resumed: bool = False
    word: str | None = None
    word_confidence: float = 0.0
    context: dict[str, Any]
    kind: str
    effect: str
    also_right: tuple[str, ...] = ()
    note: str = ""
    held_out: bool = False

    @property
    def right(self) -> frozenset[tuple[str, str]]:
        """Every pair of kind and effect that is right."""
        pairs = (pair.partition("/") for pair in self.also_right)
        return frozenset({(self.kind, self.effect), *((kind, effect) for kind, _, effect in pairs)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a right answer holds; all terms are lower case and match as parts of it."""

    kind: str
    kind_also_right: tuple[str, ...] = ()
    must_terms: tuple[tuple[str, ...], ...]
    must_not_terms: tuple[str, ...] = ()
    source: str
    topic_terms: tuple[str, ...] = ()

    def faults(self, answer: str) -> tuple[str, ...]:
        """Return what an answer lacks or holds wrongly; none: it is right."""
        said = answer.lower()
        lacks = (
            "lacks " + " | ".join(entry)
            for entry in self.must_terms
            if not any(term in said for term in entry)
        )
        return (*lacks, *(f"holds {term}" for term in self.must_not_terms if term in said))


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One row of `questions-*.yaml`. `asked_at_s`: seconds into the trace's own time."""

    id: str
    group: str
    text: str
    asked_at_s: float
    focus: dict[str, Any] | None
    expected: Expected
    note: str = ""
    held_out: bool = field(default=False)


def turns() -> tuple[Turn, ...]:
    """Return every row of `turns.yaml`, with the file's defaults in its context."""
    document = read_yaml(HERE / "turns.yaml")
    usual = document["defaults"]["context"]
    return tuple(
        Turn(
            **{
                **row,
                "context": {**usual, **row.get("context", {})},
                "also_right": tuple(row.get("also_right", ())),
            }
        )
        for row in document["rows"]
    )


def questions(case: str = "hyperkalaemia") -> tuple[Question, ...]:
    """Return every row of the questions on a case."""
    document = read_yaml(HERE / f"questions-{case}.yaml")
    return tuple(Question(**{**row, "expected": _expected(row["expected"])}) for row in document["rows"])


def _expected(made: dict[str, Any]) -> Expected:
    lists = {key: tuple(made[key]) for key in ("must_not_terms", "topic_terms")}
    return Expected(
        kind=made["kind"],
        kind_also_right=tuple(made.get("kind_also_right", ())),
        must_terms=tuple(tuple(entry) for entry in made["must_terms"]),
        source=made["source"],
        **lists,
    )
