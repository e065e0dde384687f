"""Divide a released chunk into slices, so that no chunk blocks the event loop for long."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from exaim_core.text.boundaries import MOST_LINE_CHARS
from exaim_core.text.openings import MOST_JSON_CHARS, opens_json
from exaim_core.text.token_gate import Chunk, Piece

SLICE_CHARS: Final = 1_000


def in_slices(chunk: Chunk) -> Iterator[Chunk]:
    """Yield a chunk in slices of whole lines, of about `SLICE_CHARS`, to be pushed in turn.

    A longer line is cut anywhere, as if it had come so, unless it may be JSON: one line of JSON is one
    slice.
    """
    text, pieces, start = chunk.text, deque(chunk.pieces), 0
    while len(text) - start > SLICE_CHARS and (end := _slice_end(text, start)) < len(text):
        yield replace(chunk, text=text[start:end], pieces=_taken(pieces, end - start))
        start = end
    yield replace(chunk, text=text[start:], pieces=tuple(pieces)) if start else chunk


def _slice_end(text: str, start: int) -> int:
    end = text.rfind("\n", start, start + SLICE_CHARS) + 1
    if end:
        return end
    line_end = text.find("\n", start, start + MOST_JSON_CHARS) + 1 or min(
        len(text), start + MOST_JSON_CHARS + 1
    )
    whole = line_end - start <= MOST_LINE_CHARS or opens_json(text[start:line_end])
    return line_end if whole else start + SLICE_CHARS


def _taken(pieces: deque[Piece], chars: int) -> tuple[Piece, ...]:
    """Remove the pieces of the next `chars` characters from `pieces`, splitting the last; return them."""
    taken: list[Piece] = []
    while chars > 0:
        piece = pieces.popleft()
        if piece.chars > chars:
            pieces.appendleft(replace(piece, chars=piece.chars - chars))
            piece = replace(piece, chars=chars)
        taken.append(piece)
        chars -= piece.chars
    return tuple(taken)
