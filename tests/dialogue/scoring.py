"""Replays a shipped case up to a moment, asks the gold's questions, and says what each answer lacks."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from agents.dialogue import Answer, Dialogue, Focus, Question
from exaim_core import EXAIM, BoardView, CasePaper, Delta
from exaim_core.board.view import view_of
from lab.evaluation.answers import answered
from tests.conftest import ROOT
from tests.gold import corpus

CASES = ROOT / "cases"
NAMES = {"hyperkalaemia": "case-hyperkalaemia-aki", "sudden-chest-pain": "case-sudden-chest-pain"}


@dataclass(frozen=True)
class Scored:
    row: corpus.Question
    board: BoardView
    answer: Answer
    faults: tuple[str, ...]

    @property
    def right(self) -> bool:
        return not self.faults


@cache
def paper_of(case: str) -> CasePaper:
    return CasePaper.model_validate_json((CASES / f"{NAMES[case]}.paper.json").read_text(encoding="utf-8"))


@cache
def _records(case: str) -> tuple[dict[str, Any], ...]:
    with gzip.open(CASES / f"{NAMES[case]}.trace.jsonl.gz", "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    names = {record["agent_id"].lower() for record in records if record["record_type"] == "turn_boundary"}
    texts: dict[int, str] = {}
    for record in records:
        if record["record_type"] == "stream_delta":
            texts[record["turn_id"]] = texts.get(record["turn_id"], "") + record["delta_text"]
    said = {turn for turn, text in texts.items() if text.strip().lower() not in names | {"", "terminate"}}
    return tuple(record for record in records if record.get("turn_id") in said)


async def boards_at(case: str, moments_s: Iterable[float]) -> dict[float, BoardView]:
    """Return what the board holds at each moment, in seconds from the trace's first delta."""
    waiting, views = sorted(set(moments_s)), dict[float, BoardView]()
    exaim, at_s = EXAIM(paper=paper_of(case)), 0.0
    for seq, record in enumerate(_records(case), start=1):
        now_s = max(at_s, record["t_rel_ms"] / 1000)
        while waiting and now_s > waiting[0]:
            await exaim.tick(max(at_s, waiting[0]))
            views[waiting[0]] = view_of(exaim.board)
            at_s = max(at_s, waiting.pop(0))
        at_s = max(at_s, now_s)
        if record["record_type"] == "stream_delta":
            await exaim.feed(Delta(record["agent_id"], record["delta_text"], seq, at_s))
        elif record["boundary"] == "end":
            await exaim.turn_end(record["agent_id"], seq, at_s)
    await exaim.finish(at_s + 1)
    return {**views, **dict.fromkeys(waiting, view_of(exaim.board))}


def focus_of(row: corpus.Question) -> Focus | None:
    item = row.focus
    if item is None:
        return None
    return Focus(item["item_id"], item["text"], item["kind"], item["topic"], tuple(item["agents"]))


async def scored(case: str, *, held_out: bool) -> list[Scored]:
    """Ask each question of a fresh dialogue and return what its answer lacks; rows are asked once."""
    if (case, held_out) not in _SCORED:
        rows = [row for row in corpus.questions(case) if row.held_out is held_out]
        boards = await boards_at(case, (row.asked_at_s for row in rows))
        _SCORED[case, held_out] = [await _asked(case, row, boards[row.asked_at_s]) for row in rows]
    return _SCORED[case, held_out]


_SCORED: dict[tuple[str, bool], list[Scored]] = {}


async def _asked(case: str, row: corpus.Question, board: BoardView) -> Scored:
    dialogue = Dialogue(thread_id=row.id, paper=paper_of(case))
    question = Question(row.id, row.text, board, focus_of(row), int(row.asked_at_s * 1000))
    answer = await answered(dialogue, question)
    return Scored(row, board, answer, row.expected.faults(answer.text))
