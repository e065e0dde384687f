"""Acute cases as values: discussions with times, and what ought and ought not to be told of them.

It knows nothing of the code that they judge. A case is one file of `acute/`; here it gets its seconds. A
place is given as a turn (from 1) and a phrase of its text; it is complete at the second at which the phrase's
last character has been streamed. A key that is not known, a phrase that is not found exactly once, or a term
that is not a lower-case string raises `GoldError`, which names file and row.

Rows of a case:
  points     what the written updates ought to hold: ONE update, made at or after `at_s`, meets `terms`
  spoken     what ought to be said aloud: ONE spoken item, in its written form, meets `terms` from `at_s` on
  critical   what must alarm; it ought to be spoken too and is not repeated under `spoken`. It has been said
             in full at `at_s`; who knows the paper may rightly alarm from `early_s` on, at an order that the
             paper forbids or at a value that stands in the paper (`early: paper`, second 0)
  never      what must not be said as true, from `since_s` on (absent: at any time): see `Never.broken_by`
  also_fair  what may be spoken or alarm and counts neither for nor against

How a term is met: see `met`. Numbers are terms as they are written; no number is given in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, TypeAlias

from lab.yamlfile import read_yaml
from tests.gold.terms import GoldError, Terms, met, pieces, strict, terms_of, words

HERE: Final = Path(__file__).parent
AGENTS: Final = frozenset({"doctor0", "doctor1", "doctor2", "supervisor"})
POINT_KINDS: Final = frozenset(
    {"number", "dose", "side", "allergy", "condition", "negation", "leading", "changed", "action", "closing"}
)
SPOKEN_KINDS: Final = frozenset(
    {"leading", "disagreement", "agreement", "changed", "settled", "finding", "action", "caution", "allergy"}
    | {"closing"}
)
DENIALS: Final = (
    " not ", "n't ", " no ", " nor ", " never ", "without", "withdr", "instead of", "in place of",
    "rather than", "incorrect", "corrected", "retract", "revoke", "cancel", "took back", "takes back",
    "taken back", "avoid", "stop", "contraindicat", "ruled out", "exclud", "artefact", "artifact",
    " none", " nobody ", "negative", "absen", "denie", "hold", " held",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of text of about one token. `at_s`: seconds from the start; `turn` counts from 1."""

    at_s: float
    turn: int
    agent: str
    text: str


@dataclass(frozen=True, slots=True)
class TurnEnd:
    """An agent's turn is over, at or after its last delta."""

    at_s: float
    turn: int
    agent: str


Event: TypeAlias = Delta | TurnEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What an agent says in one go; `pace_words_per_s` holds for the whole of it."""

    agent: str
    start_s: float
    pace_words_per_s: float
    text: str

    @property
    def end_s(self) -> float:
        """The second of the last character."""
        return round(self.start_s + words(self.text) / self.pace_words_per_s, 3)

    def at_s(self, characters: int) -> float:
        """Return the second at which so many characters have been said, each as fast as the next."""
        share = characters / len(self.text)
        return round(self.start_s + share * (self.end_s - self.start_s), 3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A point, a spoken item or a critical finding; `kind` is "critical" for the last.

    `early_s`: the first second at which it may be told by one who knows the paper; else it is `at_s`.
    """

    id: str
    kind: str
    turn: int
    after: str
    at_s: float
    early_s: float
    text: str
    terms: Terms

    def met_by(self, told: str) -> bool:
        """Say whether one update's or one spoken item's text meets every entry."""
        return met(told, self.terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Never:
    """What must not be told as true from `since_s` on. `text` says what it would be."""

    id: str
    since_s: float
    since: tuple[int, str] | None
    text: str
    terms: Terms
    unless: tuple[str, ...]

    def broken_by(self, sentence: str) -> bool:
        """Say whether ONE sentence that was told tells it as true: every entry, and no denial.

        A denial is one of `DENIALS` or of the row's `unless`, anywhere in the sentence: this finds what is
        surely wrong and lets the doubtful pass.
        """
        return met(sentence, self.terms) and not met(sentence, ((*DENIALS, *self.unless),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fair:
    """What may be spoken or alarm and counts neither for nor against."""

    id: str
    text: str
    terms: Terms

    def met_by(self, told: str) -> bool:
        """Say whether one spoken item's text meets every entry."""
        return met(told, self.terms)


@dataclass(frozen=True, slots=True, kw_only=True)
class AcuteCase:
    """One file of `acute/`. `paper`: the facts on record, as section: lines."""

    case_id: str
    title: str
    why: str
    paper: Mapping[str, tuple[str, ...]]
    turns: tuple[Turn, ...]
    points: tuple[Row, ...]
    spoken: tuple[Row, ...]
    critical: tuple[Row, ...]
    never: tuple[Never, ...]
    also_fair: tuple[Fair, ...]

    @property
    def ends_s(self) -> float:
        """The second of the last character."""
        return self.turns[-1].end_s

    def events(self) -> tuple[Event, ...]:
        """Return the discussion as deltas and turn ends, in order of time."""
        return tuple(event for number, turn in enumerate(self.turns, 1) for event in _events(number, turn))


def acute_cases() -> tuple[AcuteCase, ...]:
    """Return the six cases, by file name."""
    return tuple(_case(path) for path in sorted((HERE / "acute").glob("*.yaml")))


def _events(number: int, turn: Turn) -> Iterable[Event]:
    said = 0
    for piece in pieces(turn.text):
        said += len(piece)
        yield Delta(turn.at_s(said), number, turn.agent, piece)
    yield TurnEnd(turn.end_s, number, turn.agent)


def _case(path: Path) -> AcuteCase:
    where = path.name
    made = strict(
        where,
        read_yaml(path),
        "version case_id title why paper turns points spoken critical never also_fair",
    )
    turns = tuple(_turn(where, row) for row in made["turns"])
    for before, after in pairwise(turns):
        if after.start_s < before.end_s:
            raise GoldError(
                f"{where}: a turn starts at {after.start_s}, its forerunner ends at {before.end_s}"
            )
    return AcuteCase(
        case_id=made["case_id"],
        title=made["title"],
        why=made["why"],
        paper={section: tuple(lines) for section, lines in made["paper"].items()},
        turns=turns,
        points=tuple(_row(where, row, turns, POINT_KINDS) for row in made["points"]),
        spoken=tuple(_row(where, row, turns, SPOKEN_KINDS) for row in made["spoken"]),
        critical=tuple(
            _row(where, {"kind": "critical", **row}, turns, {"critical"}) for row in made["critical"]
        ),
        never=tuple(_never(where, row, turns) for row in made["never"]),
        also_fair=tuple(_fair(where, row) for row in made["also_fair"]),
    )


def _turn(where: str, row: dict[str, Any]) -> Turn:
    strict(where, row, "agent start_s pace_words_per_s text")
    if row["agent"] not in AGENTS:
        raise GoldError(f"{where}: no agent is called {row['agent']}")
    return Turn(**{**row, "text": row["text"].strip()})


def _row(where: str, row: dict[str, Any], turns: tuple[Turn, ...], kinds: Iterable[str]) -> Row:
    where = f"{where} {row.get('id')}"
    strict(where, row, "id kind at text terms", "early")
    if row["kind"] not in kinds:
        raise GoldError(f"{where}: no kind is called {row['kind']}")
    turn, after, at_s = _place(where, row["at"], turns)
    return Row(
        id=row["id"],
        kind=row["kind"],
        turn=turn,
        after=after,
        at_s=at_s,
        early_s=_early_s(where, row["early"], turns) if "early" in row else at_s,
        text=row["text"],
        terms=terms_of(where, row["terms"]),
    )


def _early_s(where: str, early: Any, turns: tuple[Turn, ...]) -> float:
    return 0.0 if early == "paper" else _place(where, early, turns)[2]


def _fair(where: str, row: dict[str, Any]) -> Fair:
    where = f"{where} {row.get('id')}"
    strict(where, row, "id text terms")
    return Fair(id=row["id"], text=row["text"], terms=terms_of(where, row["terms"]))


def _never(where: str, row: dict[str, Any], turns: tuple[Turn, ...]) -> Never:
    where = f"{where} {row.get('id')}"
    strict(where, row, "id text terms", "since unless")
    turn, after, since_s = _place(where, row["since"], turns) if "since" in row else (0, "", 0.0)
    return Never(
        id=row["id"],
        since_s=since_s,
        since=(turn, after) if turn else None,
        text=row["text"],
        terms=terms_of(where, row["terms"]),
        unless=terms_of(where, [row["unless"]])[0] if "unless" in row else (),
    )


def _place(where: str, place: dict[str, Any], turns: tuple[Turn, ...]) -> tuple[int, str, float]:
    strict(where, place, "turn after")
    if not 1 <= place["turn"] <= len(turns):
        raise GoldError(f"{where}: there is no turn {place['turn']}")
    turn = turns[place["turn"] - 1]
    if turn.text.count(place["after"]) != 1:
        raise GoldError(f"{where}: not found exactly once in turn {place['turn']}: {place['after']!r}")
    return place["turn"], place["after"], turn.at_s(turn.text.index(place["after"]) + len(place["after"]))
