"""Three doctors in a LangGraph graph, heard while they think: a live team of one's own.

Start EXAIM Voice (`make run`), then this, and listen: .venv/bin/python examples/live_langgraph.py
No key is wanted: the doctors' chat model says its lines from a script, at the speed of a fast reader.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import sys
import webbrowser
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import END, START, MessagesState, StateGraph

from exaim_live import LiveError, LiveTeam, open_session
from exaim_live.langchain import TeamCallbackHandler

TITLE = "Yellow vision and a slow pulse"
PAPER = {
    "case_id": "live-yellow-vision",
    "title": TITLE,
    "fictional": True,
    "age": 81,
    "age_unit": "years",
    "sex": "female",
    "presenting_complaint": "Two days of nausea, yellow vision and a slow pulse.",
    "history": ["Atrial fibrillation since 2016", "Chronic kidney disease stage 3"],
    "medication": [
        {"drug": "digoxin", "dose": 250, "unit": "microgram", "route": "oral", "frequency": "once daily"},
        {"drug": "clarithromycin", "dose": 500, "unit": "mg", "route": "oral", "frequency": "twice daily"},
    ],
    "allergies": [{"substance": "penicillin", "reaction": "rash", "year": 1989}],
    "observations": [{"name": "heart rate", "value": 38, "unit": "/min"}],
    "labs": [
        {"analyte": "potassium", "value": 6.1, "unit": "mmol/L", "ref_range": [3.5, 5.1]},
        {"analyte": "digoxin", "value": 4.8, "unit": "ng/mL", "ref_range": [0.5, 2.0]},
    ],
}
ROUNDS = (
    {
        "Doctor Zero": """### Most Likely Diagnosis:
**Inferior myocardial infarction** - an 81-year-old woman with nausea and a pulse of 38 has heart block
from the right coronary artery until shown otherwise.

### Recommended Diagnostic Tests:
1. **Twelve-lead ECG** - at once.
2. **Troponin** - now and after three hours.
""",
        "Doctor One": """I do not agree with the leading diagnosis.

### Most Likely Diagnosis:
**Digoxin toxicity** - yellow vision, nausea and bradycardia together, a digoxin level of 4.8 ng/mL, and
clarithromycin, which raises the level, since last week. The potassium is 6.1 mmol/L.
""",
        "Doctor Two": """### Most Likely Diagnosis:
**Digoxin toxicity** - I side with Doctor One: the ECG shows no ST elevation, and the kidneys fail.

Stop clarithromycin and digoxin.
""",
    },
    {
        "Doctor Zero": """I withdraw myocardial infarction: the first troponin is normal.

### Most Likely Diagnosis:
**Digoxin toxicity** - I now agree with the others.
""",
        "Doctor One": """### Treatment:
1. **Fab antibody fragments** - 80 mg intravenously over 30 minutes.
2. **Atropine** - 0.5 mg intravenously if the pulse falls below 35.
""",
        "Doctor Two": """I agree with digoxin toxicity and with the antibody fragments.
Monitor the potassium every two hours, because it will fall when they work.
""",
    },
)


class ScriptedModel(BaseChatModel):
    """A chat model that writes its line word by word; any other model of LangChain may stand here."""

    line: str
    words_per_s: float

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.line))])

    async def _astream(
        self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **_: Any
    ) -> AsyncIterator[ChatGenerationChunk]:
        for word in re.findall(r"\S+\s*", self.line):
            await asyncio.sleep(1 / self.words_per_s)
            chunk = ChatGenerationChunk(message=AIMessageChunk(word))
            if run_manager is not None:
                await run_manager.on_llm_new_token(word, chunk=chunk)
            yield chunk


def discussion(words_per_s: float) -> Any:
    """Return the graph: each doctor speaks once a round, and its node's name is the agent's."""
    builder = StateGraph(MessagesState)
    names = list(ROUNDS[0])
    for place, name in enumerate(names):

        async def doctor(state: MessagesState, name: str = name) -> Any:
            rounds_over = len(state["messages"]) // len(names)
            model = ScriptedModel(line=ROUNDS[rounds_over][name], words_per_s=words_per_s)
            return {"messages": [await model.ainvoke(state["messages"])]}

        builder.add_node(name, doctor)
        builder.add_edge(names[place - 1] if place else START, name)

    def another_round(state: MessagesState) -> str:
        return names[0] if len(state["messages"]) < len(names) * len(ROUNDS) else END

    builder.add_conditional_edges(names[-1], another_round, [names[0], END])
    return builder.compile()


async def run(api_url: str, words_per_s: float, *, open_page: bool) -> None:
    """Open a session, and let the doctors discuss into it."""
    opened = await open_session(api_url, title=TITLE, paper=PAPER, agents=list(ROUNDS[0]))
    sys.stdout.write(f"Listen here: {opened.page_url}\n")
    sys.stdout.flush()
    if open_page:
        webbrowser.open(opened.page_url)
    async with LiveTeam(opened) as team:
        config: Any = {"callbacks": [TeamCallbackHandler(team)]}
        # "messages" has LangGraph stream the models in the nodes; with ainvoke whole answers would come
        async for _ in discussion(words_per_s).astream({"messages": []}, config, stream_mode="messages"):
            pass


def main() -> None:
    """Read the arguments and run."""
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("--url", default="http://127.0.0.1:8080", help="where EXAIM Voice runs")
    reading.add_argument("--words-per-s", type=float, default=5.0)
    reading.add_argument("--no-browser", action="store_true", help="only print the page's address")
    given = reading.parse_args()
    try:
        asyncio.run(run(given.url, given.words_per_s, open_page=not given.no_browser))
    except LiveError as error:  # nothing runs there, or it refuses: the message says what to do
        sys.exit(str(error))


if __name__ == "__main__":
    main()
