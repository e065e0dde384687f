"""The judge's port: whether released text is complete, relevant, novel, a new topic, or critical."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, Protocol

from exaim_core.board.board import Board
from exaim_core.text.token_gate import MAX_WAIT, MAX_WORDS, SILENCE, Chunk

Path = Literal["A", "B", "C"]


class StreamState(StrEnum):
    """How the released text stands to what came before it."""  # a model is asked with it (`llm/shapes.py`)

    SAME_TOPIC_CONTINUING = "SAME_TOPIC_CONTINUING"
    TOPIC_SHIFT = "TOPIC_SHIFT"
    CRITICAL_ALERT = "CRITICAL_ALERT"


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferAnalysis:
    """A judge's verdict on what is waiting."""

    rationale: str
    stream_state: StreamState
    is_relevant: bool
    is_novel: bool
    is_complete: bool
    fallback: str = ""  # why a model gave no verdict, if this one stands in for it


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRequest:
    """What a judge looks at: the text just released, what waits with it, and the board after both.

    `number` counts the requests of one engine from 1; a log that is read again brings the same ones.
    """

    chunk: Chunk
    waiting: tuple[Chunk, ...]
    board: Board
    history: tuple[str, ...]
    number: int = 0


class Judge(Protocol):
    """Decides whether what is waiting deserves a summary now."""

    async def judge(self, request: JudgeRequest) -> BufferAnalysis | None:
        """Return the verdict, or None if there is none: then nothing is triggered and nothing is lost."""
        ...


def decide(analysis: BufferAnalysis | None) -> Path | None:
    """Return the path that triggers a summary: C critical, A complete, B topic shift; None for none."""
    if analysis is None:
        return None
    if analysis.stream_state is StreamState.CRITICAL_ALERT:
        return "C"
    if not (analysis.is_relevant and analysis.is_novel):
        return None
    if analysis.is_complete:
        return "A"
    return "B" if analysis.stream_state is StreamState.TOPIC_SHIFT else None


class LexicalJudge:
    """Judges by the board: critical and complete (ripe) changes are worth a summary."""

    async def judge(self, request: JudgeRequest) -> BufferAnalysis:
        """Return the verdict; never fails."""
        board = request.board
        if board.critical_waiting:
            state = StreamState.CRITICAL_ALERT
        elif board.topic_shifted:
            state = StreamState.TOPIC_SHIFT
        else:
            state = StreamState.SAME_TOPIC_CONTINUING
        ripe = bool(board.changes.ripe)
        cut_off = request.chunk.reason in {MAX_WORDS, MAX_WAIT, SILENCE} and board.topic_shifted
        return BufferAnalysis(
            rationale=f"{len(board.changes.ripe)} changes of the board are ripe",
            stream_state=state,
            is_relevant=ripe,
            is_novel=ripe,
            is_complete=ripe and not cut_off,
        )
