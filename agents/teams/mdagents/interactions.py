"""Log who wrote to whom in a debate, and draw its matrix. Experts are numbered from 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from agents.teams.mdagents.shapes import Note

EMOJI: Final = ("🧑‍⚕️", "👩‍🔬", "👨‍⚕️", "👩‍⚕️", "🧑‍🔬", "👨‍🔬", "🩺")
TEXT_MOST: Final = 2_000  # characters of one message


@dataclass(frozen=True, slots=True)
class Interaction:
    """One message that was delivered."""

    round: int
    turn: int
    source: int
    target: int
    text: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What of an expert's messages can be delivered, by target; and why the others can't."""

    messages: tuple[tuple[int, str], ...]
    refused: tuple[str, ...]


def deliverable(notes: Sequence[Note], source: int, names: Sequence[str]) -> Sent:
    """Return which of `notes` reach whom: several targets may be named, never oneself or nobody.

    A target is a number or a name; the same words twice to one target are one message.
    """
    messages: dict[tuple[int, str], None] = {}
    refused: list[str] = []
    for note in notes:
        target = _target(note.to, names)
        if target is None:
            refused.append("a message to nobody of the team was not sent")
        elif target == source:
            refused.append("a message to oneself was not sent")
        elif not note.text:
            refused.append("an empty message was not sent")
        else:
            messages[target, note.text[:TEXT_MOST]] = None
    return Sent(tuple(messages), tuple(refused))


def _target(written: str, names: Sequence[str]) -> int | None:
    word = written.strip().casefold().removeprefix("agent").removeprefix("expert").strip(" #.:()")
    if word.isdecimal():
        return int(word) if 1 <= int(word) <= len(names) else None
    return next((at for at, name in enumerate(names, 1) if name.casefold() == word), None)


def as_log(interactions: Sequence[Interaction]) -> dict[str, Any]:
    """Return the log as Round / Turn / source / target, to a list of texts."""
    log: dict[str, Any] = {}
    for each in interactions:
        at = log.setdefault(f"Round {each.round}", {}).setdefault(f"Turn {each.turn}", {})
        at.setdefault(f"Agent {each.source}", {}).setdefault(f"Agent {each.target}", []).append(each.text)
    return log


def matrix(interactions: Sequence[Interaction], size: int) -> list[list[str]]:
    """Return who wrote to whom: `->` the row to the column, `<-` the column to the row, `<->` both."""
    wrote = {(each.source, each.target) for each in interactions}
    marks = {(True, True): "<->", (True, False): "->", (False, True): "<-", (False, False): ""}
    return [
        [marks[(row, column) in wrote, (column, row) in wrote] for column in range(1, size + 1)]
        for row in range(1, size + 1)
    ]
