"""A callback handler that hangs on any LangChain or LangGraph application; needs langchain-core.

Agents are named as `agent_names` tells. Tokens are taken as they are written, whole messages where a model does
not stream; what a model thinks is offered apart from what it says, whichever way it is written. Nothing here
waits: text is offered to a feed, whose one task does the rest.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any, Final, Protocol
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, Generation, GenerationChunk, LLMResult

from exaim_live.agent_names import LINEAGE, UNNAMED, Runs, agent_of
from exaim_live.pieces import Piece, pieces_of
from exaim_live.thinking import Splitter

log = logging.getLogger(__name__)

MOST_RUNS: Final = 1_000  # model calls under way at once; the oldest is forgotten beyond it


@dataclass(slots=True)
class _Run:
    agent_id: str
    streamed: bool = False
    splitter: Splitter = field(default_factory=Splitter)


class TextFeed(Protocol):
    """Where agents' text goes, from any thread, without waiting."""

    def offer(self, agent_id: str, text: str, *, thinking: bool = False) -> bool:
        """Take text, or what a model thinks on the way to it; False if there was no room for it."""
        ...

    def end_turn(self, agent_id: str) -> None:
        """Take the end of an agent's turn."""
        ...


AgentOf = Callable[[Mapping[str, Any]], str | None]
"""Names the agent by a run's metadata; None means: not an agent, pass over."""


class AgentCallbackHandler(AsyncCallbackHandler):
    """Listens to an application's models, and gives each answer to a feed as a turn of its agent.

    Whatever goes wrong here is logged and stays here. Models may answer in several threads at once.
    `thinks_first`: the models' answers begin with thinking, and only its end is marked.
    """

    raise_error = False

    def __init__(self, feed: TextFeed, *, agent_of: AgentOf = agent_of, thinks_first: bool = False) -> None:
        self._to = feed
        self._agent_of = agent_of
        self._thinks_first = thinks_first
        self._guard = threading.Lock()
        self._around = Runs()
        self._runs: OrderedDict[UUID, _Run] = OrderedDict()

    async def on_chain_start(
        self,
        serialized: dict[str, Any],
        inputs: dict[str, Any],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note what a graph, a node or an agent is called. What goes in is not looked at."""
        self._around.begin(run_id, parent_run_id, "chain", str(kwargs.get("name") or ""))

    async def on_tool_start(
        self,
        serialized: dict[str, Any],
        input_str: str,
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,
    ) -> None:
        """Note what a tool is called: agents may answer in it. What goes in is not looked at."""
        name = kwargs.get("name") or (serialized or {}).get("name")
        self._around.begin(run_id, parent_run_id, "tool", str(name or ""))

    async def on_chain_end(self, outputs: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:
        """Forget a run that is over."""
        self._around.end(run_id)

    async def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Forget a run that broke off."""
        self._around.end(run_id)

    async def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Forget a tool's run that is over."""
        self._around.end(run_id)

    async def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """Forget a tool's run that broke off."""
        self._around.end(run_id)

    async def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Note whose call it is. The prompt is not looked at."""
        self._start(run_id, {**(metadata or {}), LINEAGE: self._around.lineage(parent_run_id)})

    async def on_llm_start(
        self,
        serialized: dict[str, Any],
        prompts: list[str],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Note whose call it is. The prompt is not looked at."""
        self._start(run_id, {**(metadata or {}), LINEAGE: self._around.lineage(parent_run_id)})

    async def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **kwargs: Any,
    ) -> None:
        """Offer a piece of an answer."""
        run = self._runs.get(run_id)
        if run is None:
            return
        message = getattr(chunk, "message", None)
        self._offer(run, _pieces(token if message is None else message))

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Offer the whole answer if nothing of it was streamed, and the end of the turn."""
        run = self._runs.get(run_id)
        if run is None:
            return
        if not run.streamed:
            for generation in (each for group in response.generations for each in group[:1]):
                self._offer(run, _pieces_of_answer(generation))
        self._end(run_id)

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End the turn of an answer that broke off; what was written of it counts."""
        self._end(run_id)

    def agent_at(self, run_id: UUID) -> str | None:
        """Return whose call is under way; None: nobody's that is listened to."""
        run = self._runs.get(run_id)
        return None if run is None else run.agent_id

    def _start(self, run_id: UUID, metadata: Mapping[str, Any]) -> None:
        try:
            agent_id = self._agent_of(metadata)
        except Exception as error:  # a stranger's function: its errors must not reach the application
            log.warning("naming an agent raised %s", type(error).__name__)
            agent_id = UNNAMED
        if agent_id is None:
            return
        with self._guard:
            splitter = Splitter(thinks_first=self._thinks_first)
            self._runs[run_id] = _Run(self._unused(agent_id), splitter=splitter)
            while len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)

    def _end(self, run_id: UUID) -> None:
        """End a run's turn; its name is free from then on, and not before."""
        with self._guard:
            run = self._runs.pop(run_id, None)
            if run is not None:
                for part in run.splitter.end_turn():
                    self._give(run, part.text, thinking=part.hidden)
                self._to.end_turn(run.agent_id)

    def _offer(self, run: _Run, pieces: Iterable[Piece]) -> None:
        for piece in pieces:
            run.streamed = True
            if piece.thinking:
                self._give(run, piece.text, thinking=True)
                continue
            for part in run.splitter.take(piece.text):
                self._give(run, part.text, thinking=part.hidden)

    def _give(self, run: _Run, text: str, *, thinking: bool) -> None:
        if thinking:
            self._to.offer(run.agent_id, text, thinking=True)
        else:
            self._to.offer(run.agent_id, text)

    def _unused(self, agent_id: str) -> str:
        """Return a name under which nobody is speaking.

        Answers that one node writes at once are of several agents, and would run into each other.
        """
        speaking = {run.agent_id for run in self._runs.values()}
        names = chain([agent_id], (f"{agent_id} {number}" for number in count(2)))
        return next(name for name in names if name not in speaking)


def _pieces(token: BaseMessage | str | list[str | dict[str, Any]]) -> list[Piece]:
    """Return the text of a piece of an answer: a message's, or a plain token's."""
    return pieces_of(token if isinstance(token, BaseMessage) else AIMessageChunk(content=token))


def _pieces_of_answer(generation: Generation) -> list[Piece]:
    message = getattr(generation, "message", None)
    return _pieces(generation.text if message is None else message)
