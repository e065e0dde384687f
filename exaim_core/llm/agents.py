"""Judge and summariser under the core document's names, for use without `EXAIM`.

Both ask a chat model, that of their role unless one is given. What they write is grounded like everything else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chat_models.calls import ModelCaller
from chat_models.config import LLMRole
from chat_models.errors import CallFailed
from chat_models.registry import default_registry
from exaim_core.judge import BufferAnalysis, decide
from exaim_core.llm import shapes
from exaim_core.llm.judge import JUDGE_LIMITS
from exaim_core.llm.prompts import joined, judge_messages, summarizer_messages
from exaim_core.llm.writing import written
from exaim_core.schema import FIELD_LIMITS, AgentSummary
from exaim_core.text.boundaries import sentences
from exaim_core.text.marks import plain
from exaim_core.text.names import spoken_name
from exaim_core.text.places import Source
from exaim_core.words.excerpts import Excerpt, source_of
from exaim_core.words.fields import PLACEHOLDERS


@dataclass(frozen=True, slots=True)
class AgentSegment:
    """A piece of what one agent said."""

    agent_id: str
    segment: str


def caller_of(role: LLMRole) -> ModelCaller:
    """Return a caller of the role's model, from the environment. Raises as `get_llm`."""
    registry = default_registry()
    spec = registry.specs[role]
    limits = JUDGE_LIMITS if role is LLMRole.BUFFER_AGENT else None
    return ModelCaller(
        registry.get(role),
        structured=spec.structured,
        streaming=spec.streaming,
        limits=limits,
        name=spec.model,
    )


class BufferAgent:
    """Keeps segments until a model's verdict, weighed in code, says that a summary is due."""

    def __init__(self, disable_novelty: bool = False, *, caller: ModelCaller | None = None) -> None:
        self._caller = caller
        self._novelty = not disable_novelty
        self._buffer: list[AgentSegment] = []
        self._tail: list[AgentSegment] = []
        self._counts: dict[str, int] = {}
        self._last: dict[str, BufferAnalysis | None] = {}
        self.last_path: Literal["A", "B", "C"] | None = None

    async def addsegment(
        self,
        agent_id: str,
        segment: str,
        previous_summaries: Sequence[str],
        flush_reason: str | None = None,
        history_k: int = 3,
    ) -> bool:
        """Take a segment; return whether a summary is due. A failing model triggers and loses nothing."""
        self._counts[agent_id] = self._counts.get(agent_id, 0) + 1
        before = [(each.agent_id, each.segment) for each in (*self._tail, *self._buffer)]
        self._buffer.append(AgentSegment(agent_id, segment))
        question = judge_messages(
            summaries=previous_summaries[-history_k:] if history_k else (),
            before=before,
            new=(agent_id, segment),
            flush_reason=flush_reason,
            novelty=self._novelty,
        )
        self._last[agent_id] = await self._asked(question)
        self.last_path = decide(self._last[agent_id])
        return self.last_path is not None

    def flush(self) -> list[AgentSegment]:
        """Return tail and buffer, in that order, and empty both."""
        found = [*self._tail, *self._buffer]
        self._tail, self._buffer = [], []
        return found

    def park_tail(self, segments: Sequence[AgentSegment]) -> None:
        """Keep segments for the next summary, without a verdict."""
        self._tail += segments

    def get_trace_count(self, agent_id: str) -> int:
        """Return how many segments the agent has had; 0 if it is unknown."""
        return self._counts.get(agent_id, 0)

    def get_last_analysis(self, agent_id: str) -> BufferAnalysis | None:
        """Return the agent's last verdict; None if there was none or it failed."""
        return self._last.get(agent_id)

    async def _asked(self, question: list[tuple[str, str]]) -> BufferAnalysis | None:
        if self._caller is None:
            self._caller = caller_of(LLMRole.BUFFER_AGENT)
        try:
            if self._novelty:
                found = await self._caller.structured(question, shapes.BufferAnalysis)
                return BufferAnalysis(**found.model_dump())
            plainer = await self._caller.structured(question, shapes.BufferAnalysisNoNovelty)
        except CallFailed:
            return None
        return BufferAnalysis(**plainer.model_dump(), is_novel=True)


class SummarizerAgent:
    """Writes one summary of segments; sentences that are no excerpts of them are left out."""

    def __init__(self, *, caller: ModelCaller | None = None) -> None:
        self._caller = caller
        self.truncated: tuple[str, ...] = ()

    async def summarize(
        self,
        segments_with_agents: Sequence[AgentSegment],
        summary_history: Sequence[str],
        latest_summary: str,
        history_k: int = 3,
    ) -> AgentSummary:
        """Return the six fields; `truncated` then names those that were cut. Raises CallFailed."""
        if self._caller is None:
            self._caller = caller_of(LLMRole.SUMMARIZER)
        segments = [(each.agent_id, each.segment) for each in segments_with_agents]
        names = {agent: spoken_name(agent) for agent, _ in segments}
        question = summarizer_messages(
            segments=segments,
            history=summary_history[-history_k:] if history_k else (),
            latest=latest_summary,
            names=names,
        )
        found = await written(self._caller, question)
        said = [
            Excerpt(sentence, Source(agent, number, number, 0.0))
            for number, (agent, text) in enumerate(joined(segments))
            for line in re.split(r"\n+", text)
            for sentence in sentences(plain(line))
        ]
        texts = {name: _standing(getattr(found.summary, name), said, names) for name in FIELD_LIMITS}
        self.truncated = tuple(
            name for name in found.truncated if texts[name] and texts[name] == getattr(found.summary, name)
        )
        return AgentSummary(**{name: text or PLACEHOLDERS[name] for name, text in texts.items()})


def _standing(text: str, said: Sequence[Excerpt], names: dict[str, str]) -> str:
    return " ".join(each for each in sentences(text) if source_of(each, said, names) is not None)
