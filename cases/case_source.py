"""Read a case from its YAML source, and check that it is one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

AGENTS = ("doctor0", "doctor1", "doctor2", "supervisor")
END_MARK = "TERMINATE"
PAPER_KEYS = (
    "age", "age_unit", "sex", "weight_kg", "presenting_complaint", "history", "medication",
    "allergies", "observations", "labs", "imaging", "notes",
)  # fmt: skip

MAX_CASE_WORDS = 1500
"""Most words allowed in all content turns together, unless the source gives ``max_words``."""
DURATION_RANGE_S = (85, 95)
"""Allowed time from the first delta to the last, in seconds, unless the source gives ``duration_s``."""


class CaseError(Exception):
    """The source, or a trace built from it, is not valid."""


@dataclass(frozen=True)
class Turn:
    """One turn: silence before it in seconds, pace in words per second (0 for a control turn)."""

    agent: str
    text: str
    gap_s: float
    pace_words_per_s: float

    @property
    def is_control(self) -> bool:
        """True when the turn only names the next speaker."""
        return self.text.lower() in AGENTS


@dataclass(frozen=True)
class Case:
    """A case as read from its source.

    ``t0_ms`` is the first delta in epoch milliseconds, ``duration_range_ms`` the allowed time from it
    to the last one, both ends included.
    """

    case_id: str
    title: str
    summary: str
    created_at: str
    t0_ms: int
    seed: int
    duration_range_ms: tuple[int, int]
    turns: tuple[Turn, ...]
    paper: Mapping[str, Any]


def require(condition: bool, message: str) -> None:
    """Raise CaseError with ``message`` unless ``condition`` holds."""
    if not condition:
        raise CaseError(message)


def field(source: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return the value ``name`` of ``source``, which must be there and be of type ``kind``."""
    require(name in source, f"missing field: {name}")
    value = source[name]
    require(
        isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool),
        f"field {name}: expected {kind.__name__}, found {type(value).__name__}",
    )
    return value


def positive(source: Mapping[str, Any], name: str, default: float | None = None) -> float:
    """Return the number ``name`` of ``source`` (or ``default``), which must be above zero."""
    value = source.get(name, default)
    require(
        isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0,
        f"{name}: expected a number above 0, found {value!r}",
    )
    return float(value)


def read_turn(number: int, raw: object) -> Turn:
    """Turn ``number`` (from 1) from its YAML mapping."""
    try:
        require(isinstance(raw, dict), "expected a mapping")
        assert isinstance(raw, dict)
        agent = str(field(raw, "agent", str))
        require(agent in AGENTS, f"unknown agent {agent!r}")
        text = str(field(raw, "text", str)).strip()
        require(bool(text), "empty text")
        control = text.lower() in AGENTS
        pace = 0.0 if control else positive(raw, "pace_words_per_s")
        return Turn(agent, text, positive(raw, "gap_s"), pace)
    except CaseError as error:
        raise CaseError(f"turn {number}: {error}") from None


def duration_range(raw: Mapping[str, Any]) -> tuple[int, int]:
    """Shortest and longest stream allowed by ``duration_s: [low, high]`` of the source, in milliseconds."""
    given = raw.get("duration_s", list(DURATION_RANGE_S))
    fits = isinstance(given, list) and len(given) == 2 and all(type(end) is int for end in given)
    require(fits and 0 < given[0] <= given[1], "duration_s: expected [low, high] in whole seconds")
    return 1000 * given[0], 1000 * given[1]


def check_turns(turns: Sequence[Turn], max_words: int) -> None:
    """Control turns must name the next content agent; the last content turn must end with the mark."""
    require(bool(turns), "no turns")
    for number, (turn, following) in enumerate(pairwise(turns), start=1):
        if turn.is_control:
            named = turn.text.lower()
            require(following.agent == named, f"turn {number} names {named}, not the next speaker")
            require(not following.is_control, f"turn {number} is followed by a control turn")
    last = turns[-1]
    require(not last.is_control, "the last turn must have content")
    require(last.text.rstrip("*. ").endswith(END_MARK), f"the last turn must end with {END_MARK}")
    words = sum(len(turn.text.split()) for turn in turns if not turn.is_control)
    require(words <= max_words, f"{words} content words, more than {max_words}")


def read_case(path: Path) -> Case:
    """Read and check the YAML source at ``path``."""
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise CaseError(f"cannot read the source: {error}") from None
    require(isinstance(raw, dict), "the source must be a mapping")
    case_id = str(field(raw, "case_id", str))
    require(re.fullmatch(r"case-[a-zA-Z0-9-]+", case_id) is not None, f"bad case_id {case_id!r}")
    created_at = str(field(raw, "created_at", str))
    turns = tuple(read_turn(n, t) for n, t in enumerate(field(raw, "turns", list), start=1))
    check_turns(turns, int(positive(raw, "max_words", MAX_CASE_WORDS)))
    paper: Mapping[str, Any] = field(raw, "paper", dict)
    missing = [key for key in PAPER_KEYS if key not in paper]
    require(not missing, f"paper lacks {', '.join(missing)}")
    return Case(
        case_id=case_id,
        title=str(field(raw, "title", str)).strip(),
        summary=str(field(raw, "summary", str)).strip(),
        created_at=created_at,
        t0_ms=epoch_ms(created_at),
        seed=int(field(raw, "seed", int)),
        duration_range_ms=duration_range(raw),
        turns=turns,
        paper=paper,
    )


def epoch_ms(stamp: str) -> int:
    """Turn an ISO date-time with a zone into epoch milliseconds."""
    try:
        moment = datetime.fromisoformat(stamp)
    except ValueError:
        raise CaseError(f"created_at is not an ISO date-time: {stamp!r}") from None
    require(moment.tzinfo is not None, "created_at needs a time zone")
    return round(moment.timestamp() * 1000)
