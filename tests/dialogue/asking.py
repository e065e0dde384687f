"""Asks questions of a dialogue on the shipped case, or on a few sentences of a made-up one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver

from agents.dialogue import Answer, Dialogue, Focus, Question
from exaim_core import EXAIM, BoardView, CasePaper, Delta
from exaim_core.board.view import view_of
from tests.dialogue.scoring import boards_at, paper_of

CASE = "hyperkalaemia"
END_S = 95.0


class Asking:
    """One dialogue with a board that tests may change between questions."""

    def __init__(
        self,
        board: BoardView | None,
        paper: CasePaper | None,
        checkpointer: BaseCheckpointSaver[Any] | None = None,
        thread_id: str = "case-1",
    ) -> None:
        self.board = board
        self.dialogue = Dialogue(thread_id=thread_id, paper=paper, checkpointer=checkpointer)
        self._asked = 0

    async def ask(self, text: str, focus: Focus | None = None, turn_id: str | None = None) -> Answer:
        self._asked += 1
        return await self.dialogue.answer(
            Question(turn_id or f"turn-{self._asked}", text, self.board, focus, 1000 * self._asked)
        )


@cache
def _boards() -> dict[float, BoardView]:
    return {}


async def at(moment_s: float = END_S) -> Asking:
    """Return a dialogue on the shipped case as it stands at a moment."""
    known = _boards()
    if moment_s not in known:
        known.update(await boards_at(CASE, [moment_s]))
    return Asking(known[moment_s], paper_of(CASE))


async def board_of(*said: tuple[str, str]) -> BoardView:
    """Return the board after turns given as (agent, text)."""
    exaim, seq = EXAIM(), 0
    for agent, text in said:
        await exaim.feed(Delta(agent, text, seq + 1, float(seq + 1)))
        await exaim.turn_end(agent, seq + 2, float(seq + 2))
        seq += 2
    return view_of(exaim.board)


def held(text: str, kind: str, *agents: str, topic: str | None = None) -> Focus:
    return Focus("u1", text, kind, topic, tuple(agents))


def sources(answer: Answer) -> Sequence[str]:
    return [sentence.source for sentence in answer.sentences]
