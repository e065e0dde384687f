"""Answers to a clinician's spoken questions, from the case paper and what the board holds now.

`Dialogue` is imported when first used: it brings langgraph, which takes a second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.dialogue.values import Answer, DialogueStalled, Focus, Intent, Question, Sentence

if TYPE_CHECKING:
    from agents.dialogue.graph import Dialogue

__all__ = ["Answer", "Dialogue", "DialogueStalled", "Focus", "Intent", "Question", "Sentence"]


def __getattr__(name: str) -> object:
    if name != "Dialogue":
        raise AttributeError(name)
    from agents.dialogue.graph import Dialogue

    return Dialogue
