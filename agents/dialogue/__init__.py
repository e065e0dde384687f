"""Answers to a clinician's spoken questions, from the case paper and what the board holds now.

`Dialogue` and `warm` are imported when first used: they bring langgraph, which takes a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.dialogue.values import Answer, DialogueStalled, Focus, Intent, Question, Sentence

if TYPE_CHECKING:
    from agents.dialogue.graph import Dialogue, warm

__all__ = ["Answer", "Dialogue", "DialogueStalled", "Focus", "Intent", "Question", "Sentence", "warm"]


def __getattr__(name: str) -> object:
    if name not in {"Dialogue", "warm"}:
        raise AttributeError(name)
    from agents.dialogue import graph

    return getattr(graph, name)
