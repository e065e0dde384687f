"""Make a LangChain or LangGraph application a live team by a callback handler; needs langchain-core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, GenerationChunk, LLMResult

from exaim_live.agent_names import agent_of
from exaim_live.handler import MOST_RUNS, AgentCallbackHandler, AgentOf
from exaim_live.stop_reasons import BROKE_OFF
from exaim_live.team import LiveTeam
from exaim_live.usage import Meter


class TeamCallbackHandler(AgentCallbackHandler):
    """Gives each answer of an application's models to a live team, as a turn of its graph's node.

    async with LiveTeam(opened) as team:
        await app.ainvoke(question, config={"callbacks": [TeamCallbackHandler(team)]})

    `agent_of` names the agent by a run's metadata; None means: not an agent, pass over. What a model thinks is
    sent as that, and what each call cost with its turn.
    """

    def __init__(
        self,
        team: LiveTeam,
        *,
        agent_of: AgentOf = agent_of,
        thinks_first: bool = False,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(team, agent_of=agent_of, thinks_first=thinks_first)
        self._team = team
        self._now_s = now_s
        self._meters: dict[UUID, Meter] = {}

    async def on_chat_model_start(self, *args: Any, run_id: UUID, **kwargs: Any) -> None:
        """Note whose call it is, and when it began."""
        await super().on_chat_model_start(*args, run_id=run_id, **kwargs)
        if self.agent_at(run_id) is not None:
            self._meters[run_id] = Meter(self._now_s(), str(run_id))
            while len(self._meters) > MOST_RUNS:
                self._meters.pop(next(iter(self._meters)), None)

    async def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        run_id: UUID,
        **kwargs: Any,
    ) -> None:
        """Send a piece of an answer, and note what it says of its cost."""
        meter, message = self._meters.get(run_id), getattr(chunk, "message", None)
        if meter is not None and message is not None:
            meter.note(message)
            if token or message.additional_kwargs:
                meter.began_to_speak(self._now_s())
        await super().on_llm_new_token(token, chunk=chunk, run_id=run_id, **kwargs)

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """Send the whole answer if nothing of it was streamed, what it cost, and the end of the turn."""
        meter = self._meters.pop(run_id, None)
        agent_id = self.agent_at(run_id)
        if meter is not None and agent_id is not None:
            if not meter.noted:
                for message in _messages(response):
                    meter.note(message)
            told = meter.told(self._now_s())
            if told is not None:
                self._team.cost(agent_id, told)
        await super().on_llm_end(response, run_id=run_id, **kwargs)

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """End the turn of an answer that broke off, with its known cost; its last sentence is left out."""
        meter, agent_id = self._meters.pop(run_id, None), self.agent_at(run_id)
        told = None if meter is None else meter.told(self._now_s())
        if told is not None and agent_id is not None:
            self._team.cost(agent_id, told.model_copy(update={"stop_reason": told.stop_reason or BROKE_OFF}))
        elif agent_id is not None:
            self._team.cut_off(agent_id)
        await super().on_llm_error(error, run_id=run_id, **kwargs)


def _messages(response: LLMResult) -> Iterator[BaseMessage]:
    generations = (each for group in response.generations for each in group[:1])
    return (each.message for each in generations if isinstance(each, ChatGeneration))


__all__ = ["TeamCallbackHandler"]
