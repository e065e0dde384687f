"""The summariser's port, answered by a chat model. The engine admits only excerpts of what was said."""

from __future__ import annotations

from dataclasses import replace

from chat_models.calls import ModelCaller
from chat_models.errors import CallFailed
from exaim_core.board.changes import ChangeKind
from exaim_core.llm.prompts import summarizer_messages
from exaim_core.llm.writing import written
from exaim_core.schema import SpokenItem, SpokenKind
from exaim_core.text.units import Heading, JsonBlock, Unit
from exaim_core.words.summarizer import Draft, LexicalSummarizer, SummaryRequest


class LLMSummarizer:
    """Writes the six fields and asks for sentences worth hearing; the lexical items come first.

    `after` is the number of the last update that is committed already: a successor that reads the log again
    makes those without the model, as they are skipped.
    """

    def __init__(self, caller: ModelCaller, *, after: int = 0) -> None:
        self._caller = caller
        self._lexical = LexicalSummarizer()
        self._after = after

    async def summarise(self, request: SummaryRequest) -> Draft:
        """Return the draft; if the model fails the lexical one, marked."""
        plain = await self._lexical.summarise(request)
        if request.number <= self._after or not request.said or _is_urgent(request):
            return plain
        segments = [(unit.source.agent_id, _as_text(unit)) for unit in request.said]
        question = summarizer_messages(
            segments=segments,
            history=request.history,
            latest=request.latest,
            told=[item.text for item in plain.items],
            names={agent: request.names(agent) for agent, _ in segments},
        )
        try:
            found = await written(self._caller, question)
        except CallFailed as failed:
            return replace(plain, fallback=failed.reason)
        own = tuple(
            SpokenItem(item_id=f"{request.number:04d}.0", kind=SpokenKind.FINDING, text=text)
            for text in found.spoken
        )
        return replace(
            plain,
            summary=found.summary,
            items=(*plain.items, *own),
            truncated=found.truncated,
            engine="llm",
            model=self._caller.name,
        )


def _is_urgent(request: SummaryRequest) -> bool:
    """Return whether the update tells a critical finding, which waits for no model."""
    return any(change.news is ChangeKind.CRITICAL for change in request.changes)


def _as_text(unit: Unit) -> str:
    if isinstance(unit, Heading):
        return f"\n{unit.text}:\n"
    return f"{unit.text}\n" if isinstance(unit, JsonBlock) else f"{unit.full}\n"
