"""Stop a LangGraph graph for the clinician's questions: `interrupt` waits, `Command` resumes.

Start EXAIM Voice (`make run`), then this; listen, and say "ask the team", with a question, and "yes":
.venv/bin/python examples/live_questions.py
No key is wanted: the doctor's chat model says its lines from a script.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from exaim_live import LiveError, LiveTeam, open_session
from exaim_live.langchain import TeamCallbackHandler

TITLE = "Chest pain after a flight"
VIEW = "### Most Likely Diagnosis:\n**Pulmonary embolism** - chest pain and one swollen leg after a flight.\n"
ANSWER = "You asked: {question} I would look for it by an ECG, and it changes nothing before that."


def discussion() -> Any:
    """Return the graph: the doctor gives a view, then waits for a question, answers it, and waits again."""

    async def doctor(state: MessagesState) -> Any:
        asked = [each for each in state["messages"] if each.type == "human"]
        line = ANSWER.format(question=asked[-1].content) if asked else VIEW
        model = GenericFakeChatModel(messages=iter([AIMessage(line)]))
        return {"messages": [await model.ainvoke(state["messages"])]}

    def clinician(_: MessagesState) -> Any:
        return {"messages": [("human", interrupt("any questions?"))]}

    builder: Any = StateGraph(MessagesState)
    builder.add_node("Doctor Zero", doctor)
    builder.add_node("clinician", clinician)
    builder.add_edge(START, "Doctor Zero")
    builder.add_edge("Doctor Zero", "clinician")
    builder.add_edge("clinician", "Doctor Zero")
    return builder.compile(checkpointer=InMemorySaver())


async def discuss(graph: Any, team: LiveTeam) -> None:
    """Let the graph think until it stops for a question, and go on with each that comes; facts are only noted."""
    config: Any = {"callbacks": [TeamCallbackHandler(team)], "configurable": {"thread_id": "case"}}
    await graph.ainvoke({"messages": []}, config)
    async for message in team.inbox():
        if message.kind != "question":  # a fact belongs in a prompt, as the clinician's: docs/live.md
            sys.stdout.write(f"Noted: {message.text}\n")
            continue
        with team.answering(message):
            await graph.ainvoke(Command(resume=message.text), config)


async def run(api_url: str) -> None:
    """Open a session, discuss in it, and stop as soon as it ends or the clinician wants no more."""
    # until somebody asks the team is silent, so it is given an hour
    opened = await open_session(api_url, title=TITLE, agents=["Doctor Zero"], silence_s=3_600)
    sys.stdout.write(f"Listen here: {opened.page_url}\n")
    sys.stdout.flush()
    async with LiveTeam(opened) as team:
        await team.run(discuss(discussion(), team))
    sys.stdout.write(f"The team was {team.why or 'done'}.\n")


def main() -> None:
    """Read the arguments and run."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("--url", default="http://127.0.0.1:8080", help="where EXAIM Voice runs")
    try:
        asyncio.run(run(reading.parse_args().url))
    except LiveError as error:  # nothing runs there, or it refuses: the message says what to do
        sys.exit(str(error))


if __name__ == "__main__":
    main()
