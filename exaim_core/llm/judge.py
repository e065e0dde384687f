"""The judge's port, answered by a chat model; what must not depend on a model is judged lexically.

A critical finding is found by the board: it is released at once, without asking, and a model that claims an
alarm where the board has none gets its update, not an alarm. What is important on the board, or was held
back by the model a few times, goes out by the lexical verdict. When the model fails, the lexical verdict
is used and says so.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from chat_models.calls import CallLimits, ModelCaller
from chat_models.errors import CallFailed
from exaim_core.board.changes import ChangeKind
from exaim_core.judge import BufferAnalysis, Judge, JudgeRequest, LexicalJudge, StreamState, decide
from exaim_core.llm import shapes
from exaim_core.llm.prompts import judge_messages

JUDGE_LIMITS: Final = CallLimits(deadline_s=2.0, tries=2)
PATIENCE: Final = 3  # verdicts in a row that may hold back what the lexical judge would release
NOT_TO_WAIT: Final = frozenset(
    {
        ChangeKind.CAUTION,
        ChangeKind.CONFLICT,
        ChangeKind.CORRECTED,
        ChangeKind.REVOKED,
        ChangeKind.CHANGED,
        ChangeKind.FIRST,
        ChangeKind.CONFIRMED,
    }
)


class LLMJudge:
    """Judges one case. If the model fails, `fallback` judges; None: the rules do.

    With `lexical_fallback=False` and no `fallback` a failure gives no verdict, and what waits goes on waiting.
    """

    def __init__(
        self, caller: ModelCaller, *, fallback: Judge | None = None, lexical_fallback: bool = True
    ) -> None:
        self._caller = caller
        self._lexical = LexicalJudge()
        self._fallback = fallback or (self._lexical if lexical_fallback else None)
        self._held_back = 0

    async def judge(self, request: JudgeRequest) -> BufferAnalysis | None:
        """Return the verdict. Never raises for a fault of a model or a service."""
        plain = await self._lexical.judge(request)
        if plain.stream_state is StreamState.CRITICAL_ALERT:
            return plain
        if decide(plain) is not None and (self._held_back >= PATIENCE or _presses(request)):
            self._held_back = 0
            return plain
        try:
            found = await self._caller.structured(_question(request), shapes.BufferAnalysis)
        except CallFailed as failed:
            verdict = await self._fallback.judge(request) if self._fallback is not None else None
            return replace(verdict, fallback=failed.reason) if verdict is not None else None
        verdict = _without_false_alarm(found)
        self._held_back = self._held_back + 1 if decide(verdict) is None and decide(plain) is not None else 0
        return verdict


def _question(request: JudgeRequest) -> list[tuple[str, str]]:
    chunk = request.chunk
    before = [(each.agent_id, each.text) for each in request.waiting if each is not chunk]
    return judge_messages(
        summaries=request.history,
        before=before,
        new=(chunk.agent_id, chunk.text),
        flush_reason=chunk.reason,
    )


def _presses(request: JudgeRequest) -> bool:
    return any(change.news in NOT_TO_WAIT for change in request.board.changes.ripe)


def _without_false_alarm(found: shapes.BufferAnalysis) -> BufferAnalysis:
    alarm = found.stream_state is StreamState.CRITICAL_ALERT
    return BufferAnalysis(
        rationale=found.rationale,
        stream_state=StreamState.TOPIC_SHIFT if alarm else found.stream_state,
        is_relevant=found.is_relevant or alarm,
        is_novel=found.is_novel or alarm,
        is_complete=found.is_complete or alarm,
    )
