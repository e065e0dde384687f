"""A graph that walks through four nodes, run as a process by the test that kills it.

Arguments: the store's URL, and the node at which to hang ("": none). Writes each node's name as it
starts, and at the end the steps that its state has.
"""

from __future__ import annotations

import asyncio
import sys
from operator import add
from typing import Annotated, TypedDict

from langgraph.graph import START, StateGraph

from infra.checkpoints import RedisSaver
from infra.store import connect
from tests.checkpoints.making import config

NODES = ("one", "two", "three", "four")


class Walked(TypedDict):
    """Where the walk has been."""

    steps: Annotated[list[str], add]


async def walk(url: str, hang_at: str) -> None:
    """Go on from where the thread is, or begin."""
    client = connect(url)
    builder = StateGraph(Walked)
    for name, before in zip(NODES, (START, *NODES), strict=False):
        builder.add_node(name, _node(name, hang_at))
        builder.add_edge(before, name)
    graph = builder.compile(checkpointer=RedisSaver(client))
    begun = (await graph.aget_state(config())).next
    done = await graph.ainvoke(None if begun else {"steps": []}, config(), durability="sync")
    _say("done " + " ".join(done["steps"]))
    await client.aclose()


def _node(name: str, hang_at: str):  # type: ignore[no-untyped-def]  # LangGraph's own overloads name no such type
    async def step(state: Walked) -> Walked:
        _say(name)
        if name == hang_at:
            await asyncio.Event().wait()
        return {"steps": [name]}

    return step


def _say(what: str) -> None:
    sys.stdout.write(what + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(walk(*sys.argv[1:]))
