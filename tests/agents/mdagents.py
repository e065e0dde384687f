"""Agents in the shape of MDAgents' own, and a team that hears them. Made up; no model is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

VIEW = "I hold digoxin toxicity most likely."
OTHER = "The potassium is 6.9 mmol/L."


class Agent:
    """Answers from a script, in the shape of MDAgents' Agent: role, instruction, chat, temp_responses."""

    def __init__(
        self, instruction: str, role: str, examplers: Any = None, *, says: tuple[Any, ...] = (VIEW,)
    ) -> None:
        self.instruction, self.role, self.examplers = instruction, role, examplers
        self.says = list(says)

    def chat(self, message: str, img_path: str | None = None, chat_mode: bool = True) -> Any:
        """Chat, as the original says."""
        return self._next()

    def temp_responses(self, message: str, img_path: str | None = None) -> Any:
        return {0.0: self._next()}

    def _next(self) -> Any:
        answer = self.says.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer


def agent(role: str = "cardiologist", *says: Any) -> Agent:
    return Agent(f"You are a {role}.", role, says=says or (VIEW,))


class Team:
    """Keeps the turns; fails if one begins or ends within another."""

    def __init__(self, on_offer: Callable[[], None] = lambda: None) -> None:
        self.turns: list[tuple[str, str]] = []
        self.under_way: str | None = None
        self._on_offer = on_offer

    def offer(self, agent_id: str, text: str) -> bool:
        assert self.under_way is None, f"{agent_id} begins within {self.under_way}"
        self.under_way = agent_id
        self._on_offer()
        self.turns.append((agent_id, text))
        return True

    def end_turn(self, agent_id: str) -> None:
        assert self.under_way == agent_id
        self.under_way = None
