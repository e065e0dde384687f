"""Split the rules' reading: what is told at once, and what waits for a model's reading.

Values, bans, corrections and withdrawals wait for nobody. Without a segment nothing waits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from exaim_core.board.board import Board
from exaim_core.claims.claims import Claim, ListEnd, Worth
from exaim_core.readings.entering import PRESSING
from exaim_core.readings.pending import ReadUnit, ReleasedSegment

_AT_ONCE: Final = frozenset({Worth.PROHIBITION, Worth.DOUBTED})


def enter(read: ReadUnit, board: Board, segment: ReleasedSegment | None) -> None:
    """Enter a unit's urgent claims as the rules read them, and leave the rest to the segment."""
    now, later = _parted(read.held) if segment is not None else (read.held, ())
    board.apply(now)
    if read.quote is not None and (segment is None or read.quote.worth in _AT_ONCE):
        board.quote(read.quote)
        now = (*now, read.quote)
    if segment is not None:
        segment.reads.append(ReadUnit(read.unit, now, later, read.quote if read.quote not in now else None))


def enter_end(made: Sequence[Claim | ListEnd], board: Board, segment: ReleasedSegment | None) -> None:
    """Enter the claims that the end of a turn completes."""
    now, later = _parted(made) if segment is not None else (tuple(made), ())
    board.apply(now)
    if segment is not None:
        segment.after = later


def _parted(
    made: Sequence[Claim | ListEnd],
) -> tuple[tuple[Claim | ListEnd, ...], tuple[Claim | ListEnd, ...]]:
    now = tuple(each for each in made if isinstance(each, Claim) and each.kind in PRESSING)
    return now, tuple(each for each in made if each not in now)
