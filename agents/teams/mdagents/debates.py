"""Script what each agent of MDAgents reasons, so that a debate can be heard without a key.

Which line is said is read from the question: its kind by the shape that it asks for, its number by round and turn
or by how often the agent was asked before. The script's own words, clinically plausible, labelled as scripted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Final

from langchain_core.messages import BaseMessage, HumanMessage

from agents.teams.mdagents.scripted import kind_of
from agents.teams.mdagents.writing import FIELDS
from agents.teams.scripted import NO_ANSWER, Script, ScriptedChatModel, ScriptLine

TEAM: Final = "mdagents"
UNHEARD_WORDS_PER_S: Final = 60.0  # of answers that are not spoken while written: a provider's usual pace
_ROUND: Final = re.compile(r"\bround (\d+)", re.IGNORECASE)
_TURN: Final = re.compile(r"\bturn (\d+)", re.IGNORECASE)
_UNWRITTEN: Final[dict[str, dict[str, Any]]] = {
    "talk": {"talk": False, "messages": []},  # who has nothing to add
    "reply": {"reply": NO_ANSWER},
}


class DebatingModel(ScriptedChatModel):
    """The chat model of one agent in a scripted debate. Answers in JSON, written word by word."""

    def _asked(self, messages: Sequence[BaseMessage]) -> tuple[str, int]:
        question = str(messages[-1].content)
        kind = kind_of(question)
        if kind == "talk":  # 12 is the second turn of the first round
            return kind, 10 * _number(_ROUND, question) + _number(_TURN, question)
        if kind == "feedback":
            return kind, _number(_ROUND, question)
        asked = [str(each.content) for each in messages if isinstance(each, HumanMessage)]
        return kind, sum(kind_of(each) == kind for each in asked)

    def _line(self, kind: str, number: int) -> ScriptLine:
        lines = self.lines.get(kind, {})
        if kind in _UNWRITTEN and number not in lines:
            return ScriptLine(text=json.dumps(_UNWRITTEN[kind]))
        line = super()._line(kind, number)
        if line.form is None:
            return line
        pace = line.words_per_s if kind in FIELDS else UNHEARD_WORDS_PER_S
        text = json.dumps(line.form, ensure_ascii=False)
        return line.model_copy(update={"text": text, "form": None, "words_per_s": pace})


class Debate:
    """The models of a scripted debate, by role. `speed` 0: without any wait."""

    def __init__(self, script: Script, *, speed: float = 1.0) -> None:
        self._lines, self._speed = script.lines[TEAM], speed
        self._made: dict[str, DebatingModel] = {}

    def of(self, role: str) -> DebatingModel:
        """Return the role's model; one of whom nothing is written has nothing to say."""
        if role not in self._made:
            lines = self._lines.get(role, {})
            self._made[role] = DebatingModel(role=role, lines=lines, speed=self._speed)
        return self._made[role]


def _number(pattern: re.Pattern[str], text: str) -> int:
    found = pattern.search(text)
    return int(found[1]) if found else 1
