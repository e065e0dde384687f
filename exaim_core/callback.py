"""A callback handler that attaches an engine to any LangChain or LangGraph application.

It needs langchain-core. How it listens to an application and names its speakers is in `exaim_live.handler`, which
live teams use too.
"""

from __future__ import annotations

from types import TracebackType
from typing import Self

from exaim_core.exaim import EXAIM
from exaim_core.live import LiveFeed
from exaim_live.agent_names import agent_of
from exaim_live.handler import AgentCallbackHandler, AgentOf


class ExaimCallbackHandler(AgentCallbackHandler):
    """Listens to an application's models for one engine.

        async with ExaimCallbackHandler(exaim) as listening:
            await app.ainvoke(question, config={"callbacks": [listening]})

    Leaving the context feeds what is held and closes the case (`finish=False`: leaves it open).
    """

    def __init__(
        self,
        exaim: EXAIM,
        *,
        agent_of: AgentOf = agent_of,
        finish: bool = True,
        thinks_first: bool = False,
    ) -> None:
        self.feed = LiveFeed(exaim, finish=finish)
        super().__init__(self.feed, agent_of=agent_of, thinks_first=thinks_first)

    async def __aenter__(self) -> Self:
        await self.feed.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.feed.__aexit__(kind, error, trace)
