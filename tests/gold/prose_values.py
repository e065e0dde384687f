"""Discussions in free prose: what is to be told as the patient's, and what is not the patient's at all.

It knows nothing of the code that is judged by it. What the rows mean: the header of `prose_values.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from lab.yamlfile import read_yaml
from tests.gold.acute import AGENTS, HERE, Delta, Event, TurnEnd
from tests.gold.terms import GoldError, Terms, met, pieces, strict, terms_of

FILE: Final = "prose_values.yaml"
GROUPS: Final = frozenset({"value", "dose", "side", "allergy"})
KINDS: Final = frozenset(
    {"literature", "hypothetical", "past", "family", "other", "negated", "asked", "changed"}
)
PIECE_S: Final = 0.1  # a piece of text is said in this time
PAUSE_S: Final = 2.0  # between two turns


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """What ought to be told."""

    id: str
    group: str
    terms: Terms

    def met_by(self, told: str) -> bool:
        """Say whether one update's text meets every entry."""
        return met(told, self.terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """What must not be told as the patient's own; `unless` is what makes it plain that it isn't."""

    id: str
    kind: str
    terms: Terms
    unless: tuple[str, ...]

    def broken_by(self, sentence: str) -> bool:
        """Say whether ONE sentence that was told tells it as the patient's own."""
        return met(sentence, self.terms) and not (self.unless and met(sentence, (self.unless,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Discussion:
    """What the agents say, one turn after the other, with its rows. `turns`: agent, text."""

    id: str
    turns: tuple[tuple[str, str], ...]
    points: tuple[Point, ...]
    never: tuple[Never, ...]

    def events(self) -> Iterator[Event]:
        """Yield the deltas and turn ends in order of time, which starts at 0 s."""
        at_s = 0.0
        for number, (agent, text) in enumerate(self.turns, 1):
            for piece in pieces(text):
                at_s += PIECE_S
                yield Delta(round(at_s, 3), number, agent, piece)
            yield TurnEnd(round(at_s, 3), number, agent)
            at_s += PAUSE_S


def discussions() -> tuple[Discussion, ...]:
    """Return the discussions, in the file's order."""
    path = HERE / FILE
    document = strict(FILE, read_yaml(path), "version discussions")
    return tuple(_discussion(made) for made in document["discussions"])


def _discussion(made: dict[str, Any]) -> Discussion:
    where = f"{FILE} {made.get('id')}"
    strict(where, made, "id turns points never")
    return Discussion(
        id=made["id"],
        turns=tuple(_turn(where, row) for row in made["turns"]),
        points=tuple(_point(where, row) for row in made["points"]),
        never=tuple(_never(where, row) for row in made["never"]),
    )


def _turn(where: str, row: dict[str, Any]) -> tuple[str, str]:
    strict(where, row, "agent text")
    if row["agent"] not in AGENTS:
        raise GoldError(f"{where}: no agent is called {row['agent']}")
    return row["agent"], row["text"].strip()


def _point(where: str, row: dict[str, Any]) -> Point:
    strict(where, row, "id group terms")
    if row["group"] not in GROUPS:
        raise GoldError(f"{where}: no group is called {row['group']}")
    return Point(id=row["id"], group=row["group"], terms=terms_of(where, row["terms"]))


def _never(where: str, row: dict[str, Any]) -> Never:
    strict(where, row, "id kind terms", "unless")
    if row["kind"] not in KINDS:
        raise GoldError(f"{where}: no kind is called {row['kind']}")
    unless = terms_of(where, [row["unless"]])[0] if "unless" in row else ()
    return Never(id=row["id"], kind=row["kind"], terms=terms_of(where, row["terms"]), unless=unless)
