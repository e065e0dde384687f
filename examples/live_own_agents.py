"""A team in the manner of MDAgents, written without any framework, heard while it thinks.

A moderator recruits experts, they give their opinions in rounds, and the moderator decides. Start EXAIM Voice
(`make run`), then: .venv/bin/python examples/live_own_agents.py
No key is wanted: `ask` says the answers from a script. Put your own model's call in its place.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from exaim_live import LiveError, LiveTeam, open_session

TITLE = "Fever and a stiff neck"
MODERATOR = "moderator"
THINKS_FOR_S = 8.0
ANSWERS: Mapping[str, Sequence[str]] = {
    MODERATOR: (
        "I recruit an infectiologist and a neurologist.",
        """### Final Decision:
**Bacterial meningitis** - both experts agree. Ceftriaxone 2 g intravenously first.
""",
    ),
    "infectiologist": (
        """### Most Likely Diagnosis:
**Bacterial meningitis** - fever of 39.4 °C, a stiff neck and confusion.
""",
        "I keep bacterial meningitis. Ceftriaxone 2 g intravenously now, before the lumbar puncture.",
    ),
    "neurologist": (
        """### Most Likely Diagnosis:
**Heat stroke** - he lay in the sun for three hours.
""",
        "I withdraw heat stroke: the skin is moist. I agree with bacterial meningitis.",
    ),
}


@dataclass
class Agent:
    """One expert of the team; `ask` is what a model's client does elsewhere."""

    role: str
    asked: int = 0

    async def ask(self, question: str) -> str:
        """Return the next answer."""
        await asyncio.sleep(THINKS_FOR_S)
        self.asked += 1
        return ANSWERS[self.role][self.asked - 1]


async def heard(team: LiveTeam, agent: Agent, question: str) -> str:
    """Have an agent answer, and let the session hear it; a model that streams would say each piece."""
    answer = await agent.ask(question)
    async with team.agent(agent.role) as turn:
        await turn.say(answer)
    return answer


async def decide(team: LiveTeam, question: str, *, rounds: int = 2) -> str:
    """Recruit experts, let them speak in rounds, each knowing what was said, and have one decide."""
    moderator = Agent(MODERATOR)
    said = [await heard(team, moderator, f"Whom does this case need? {question}")]
    experts = [Agent(role) for role in ANSWERS if role in said[0]]
    for _ in range(rounds):
        known = "\n".join([question, *said])
        said += await asyncio.gather(*(heard(team, expert, known) for expert in experts))
    return await heard(team, moderator, "\n".join([question, *said]))


async def run(api_url: str) -> None:
    """Open a session, and let the team work into it."""
    opened = await open_session(api_url, title=TITLE, agents=list(ANSWERS))
    sys.stdout.write(f"Listen here: {opened.page_url}\n")
    sys.stdout.flush()
    async with LiveTeam(opened) as team:
        await decide(team, "A man of 24 with fever, a stiff neck and confusion.")


if __name__ == "__main__":
    reading = argparse.ArgumentParser(description=__doc__)
    reading.add_argument("--url", default="http://127.0.0.1:8080", help="where EXAIM Voice runs")
    try:
        asyncio.run(run(reading.parse_args().url))
    except LiveError as error:  # nothing runs there, or it refuses: the message says what to do
        sys.exit(str(error))
