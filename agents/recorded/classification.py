"""Classify turns: reasoning (content plane), or only its routing (control plane).

About half of the recorded turns hold nothing but the next speaker's name; read aloud, the voice would
say "Doctor0".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agents.recorded.records import Boundary, Delta, Record

Plane = Literal["content", "control"]

NO_LABELS: Final = frozenset({"", "unknown", "null", "none", "empty"})
SENTINEL: Final = "terminate"
_LABEL_LIKE: Final = re.compile(r"(?=.*[^\W\d_])\w+")  # one word, letters in it, no punctuation
SUSPICIOUS: Final = "suspicious_label_like_unmatched"


@dataclass(frozen=True, slots=True)
class TurnClassification:
    """What a turn is, and by which rule; `flags` are for the audit and change nothing."""

    turn_id: int
    agent_id: str
    plane: Plane
    reason: str
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditFlag:
    """A content turn that looks like a label and is none."""

    turn_id: int
    agent_id: str
    flag: str


def agent_labels(records: Iterable[Record]) -> frozenset[str]:
    """Return the agents' names, lower case, as the turn boundaries alone have them."""
    names = {each.agent_id.strip().lower() for each in records if isinstance(each, Boundary)}
    return frozenset(names - NO_LABELS)


def classify(text: str, labels: frozenset[str]) -> tuple[Plane, str, tuple[str, ...]]:
    """Classify a whole turn's text: plane, the rule that decided, audit flags."""
    bare = text.strip()
    word = bare.lower()
    if word in labels:
        return "control", f"exact_label_match:{word}", ()
    if word == SENTINEL:
        return "control", "terminate_sentinel", ()
    if not bare:
        return "control", "empty_turn", ()
    return "content", "default_content", (SUSPICIOUS,) if _LABEL_LIKE.fullmatch(bare) else ()


def classify_turns(records: Sequence[Record]) -> tuple[TurnClassification, ...]:
    """Classify every turn, in order of its first record."""
    labels = agent_labels(records)
    agents: dict[int, str] = {}
    texts: dict[int, list[str]] = {}
    for each in records:
        agents.setdefault(each.turn_id, each.agent_id)
        pieces = texts.setdefault(each.turn_id, [])
        if isinstance(each, Delta):
            pieces.append(each.text)
    return tuple(
        TurnClassification(turn_id, agent_id, *classify("".join(texts[turn_id]), labels))
        for turn_id, agent_id in agents.items()
    )
