"""What a token costs on its way from a model's wire to the gate: CPU, for three who watch, one of whom never reads.

The way is the one of a team of our own: LangChain's stream, the adapter, the core and its sockets, the outbox
of a live team, the cleaner and the gate. LangChain's share is measured alone, as the floor. The provider's client
and the sending are not in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any, Final

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult

from agents.stream import THOUGHT, EventType, StreamEvent, TokenContext
from agents.streaming import CallOptions
from agents.streaming.core import Core
from agents.streaming.sockets import Sockets, Subscription
from exaim_core.text.cleaning import TextCleaner
from exaim_core.text.token_gate import GateCore, GateLimits
from exaim_live.outbox import Outbox
from lab.bench.figures import Figure, figure
from lab.bench.lines import line

TOKENS: Final = 2_000  # of one call: a second's worth at the aim's pace
US: Final = 1_000_000
AIM_US: Final = 100.0
AGENT: Final = "doctor0"


class _Writes(BaseChatModel):
    """Writes the words that it is given, each at once."""

    words: list[str]

    @property
    def _llm_type(self) -> str:
        return "bench"

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for word in self.words:
            yield ChatGenerationChunk(message=AIMessageChunk(content=word))

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError


async def measure(rounds: int) -> list[Figure]:
    """Return the CPU of a token, over `rounds` calls of `TOKENS` tokens each."""
    words = _words()
    whole, floor = [], []
    for _ in range(rounds):
        floor.append(await _bare(words))
        whole.append(await _watched(words))
    return [
        figure(
            "a token from the model's client to the gate, CPU: adapter, sockets, outbox, cleaner, gate",
            "µs",
            whole,
            floor=sorted(floor)[len(floor) // 2],
            most=AIM_US,
            aim=f"p50 ≤ {AIM_US:g} µs",
        )
    ]


def _words() -> list[str]:
    text = f"<think>{line(1)}</think> " + " ".join(line(number) for number in range(2, 400))
    return [f"{word} " for word in text.split(" ")][:TOKENS]


async def _bare(words: list[str]) -> float:
    began_s = time.process_time()
    async for _ in _Writes(words=words).astream("?"):
        pass
    return (time.process_time() - began_s) * US / len(words)


async def _watched(words: list[str]) -> float:
    sockets, outbox, cleaner, gate = Sockets(), Outbox(), TextCleaner(), GateCore(GateLimits())
    sockets.stream.subscribe()  # and never read
    counted, heard = sockets.stream.subscribe(), sockets.stream.subscribe()
    began_s = time.process_time()
    counting = asyncio.create_task(_count(counted))
    hearing = asyncio.create_task(_hear(heard, outbox, cleaner, gate))
    core = Core(sockets, thread_id="t", session_id="s")
    options = CallOptions(context=TokenContext.AGENT_THOUGHT)
    await core.process(_Writes(words=words), [("human", "?")], options, agent_id=AGENT)
    for subscription in (counted, heard):
        sockets.stream.unsubscribe(subscription)
    await asyncio.gather(counting, hearing)
    return (time.process_time() - began_s) * US / len(words)


async def _count(subscription: Subscription[StreamEvent]) -> int:
    return len([event async for event in subscription])


async def _hear(
    subscription: Subscription[StreamEvent], outbox: Outbox, cleaner: TextCleaner, gate: GateCore
) -> None:
    async for event in subscription:
        if event.type is not EventType.TOKEN:
            continue
        outbox.offer(AGENT, event.data, thinking=event.token_type in THOUGHT)
        for sent in outbox.take():
            sent.to_wire()
        if event.token_type not in THOUGHT:
            gate.add(AGENT, cleaner.take(event.data), event.seq, event.seq / TOKENS)
