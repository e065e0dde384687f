"""A team's reasoning from a file: one event a line, as JSON, in the form of docs/live.md.

    async with LiveTeam(opened) as team:
        await tell_file(team, "debate.jsonl")

A line needs no `seq`: events are numbered as they leave. END may be there or not: leaving the team ends it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from exaim_live.events import EventType, SentEvent, TeamEvent
from exaim_live.team import LiveTeam

LINE_CHARS: Final = 100_000  # of one line, as JSON
AGAIN_S: Final = 0.1  # when what waits to be sent leaves no room


class _Line(SentEvent):
    """An event of a file; its words may be longer than the server takes, and leave in pieces."""

    data: str = ""


class BadLine(ValueError):
    """A line of the file is no event; what was before it was told."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"line {number} is no event: {why}")
        self.number = number


def events_in(path: str | Path) -> Iterator[TeamEvent]:
    """Yield the events of a file; empty lines are passed over. Raises: BadLine; OSError."""
    with Path(path).open(encoding="utf-8-sig", errors="surrogateescape") as file:
        number = 0
        while line := file.readline(LINE_CHARS):
            number += 1
            if line.strip():
                yield _event(line, number)


async def tell_file(team: LiveTeam, path: str | Path) -> int:
    """Tell a file's events to a team, no faster than they are taken; return how many.

    An ERROR ends it, as it would have ended the team. Raises: BadLine; OSError.
    """
    told = 0
    for event in events_in(path):
        if event.type is EventType.ERROR:
            team.break_off(event.data)
            return told + 1
        while not team.has_room(event) and team.refused is None:
            await asyncio.sleep(AGAIN_S)
        team.tell(event)
        told += 1
        await asyncio.sleep(0)
    return told


def _event(line: str, number: int) -> TeamEvent:
    try:
        line.encode()
    except UnicodeEncodeError:
        raise BadLine(number, "it is no UTF-8") from None
    try:
        found = json.loads(line)
        return _Line.model_validate({"seq": number - 1, **found})
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadLine(number, f"{place or 'event'}: {first['msg']}") from None
    except (ValueError, TypeError, RecursionError):
        raise BadLine(number, "it is no JSON object") from None
