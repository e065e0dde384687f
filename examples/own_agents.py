"""Attach EXAIM to your own LangGraph application in five lines, and read what is worth attention.

Run it: .venv/bin/python examples/own_agents.py
No key is wanted: both "agents" say their lines from a script.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.graph import END, START, MessagesState, StateGraph

from exaim_core import EXAIM, ExaimCallbackHandler


def own_application() -> Any:
    """Stand in for an application of one's own: two nodes, each with a chat model."""
    lines = {
        "cardiology": "### Most Likely Diagnosis:\n**Pericarditis** - ST elevation, friction rub.\n",
        "laboratory": "The potassium is 6.9 mmol/L and must be treated now.\n",
    }
    builder = StateGraph(MessagesState)
    former = START
    for name, line in lines.items():

        async def node(state: MessagesState, line: str = line) -> Any:
            model = FakeListChatModel(responses=[line])
            return {"messages": [await model.ainvoke(state["messages"])]}

        builder.add_node(name, node)
        builder.add_edge(former, name)
        former = name
    builder.add_edge(former, END)
    return builder.compile()


async def show(exaim: EXAIM) -> None:
    """Write each summary as it is made, until the application is done."""
    async for summary in exaim.summaries():  # 4
        sys.stdout.write(f"{summary.status_action} {summary.agent_contributions}\n")  # 5
        sys.stdout.flush()


async def main() -> None:
    """Run the application, and show meanwhile what is worth attention."""
    app, question = own_application(), {"messages": [("human", "Chest pain.")]}
    exaim = EXAIM()  # 1
    async with asyncio.TaskGroup() as group:
        group.create_task(show(exaim))
        async with ExaimCallbackHandler(exaim) as listening:  # 2
            await app.ainvoke(question, config={"callbacks": [listening]})  # 3


if __name__ == "__main__":
    asyncio.run(main())
