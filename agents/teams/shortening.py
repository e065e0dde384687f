"""Shorten a question that is too long for a model's context, dropping what was said first. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from chat_models.documents import as_json, newest

LEAST_CHARS: Final = 200  # of what was said; less is no discussion any more


def shortened(messages: Sequence[tuple[str, Any]]) -> list[tuple[str, Any]] | None:
    """Return the question with half of what was said before it; None if nothing more can be left out.

    The instructions, the case and what is asked stay whole. The question says how much it leaves out.
    """
    if len(messages) > 3:  # an agent with a history: its instruction, then questions with their answers
        first, *history, last = messages
        return [first, *history[2 * ((len(history) // 2 + 1) // 2) :], last]
    document = _document(messages[-1][1])
    said = [(str(each["agent"]), str(each["text"])) for each in document.get("said_so_far", ())]
    chars = sum(len(text) for _, text in said)
    if chars < LEAST_CHARS:
        return None
    shown, left_out = newest(said, chars // 2)
    before = int(document.get("characters_left_out", 0))
    document |= {"said_so_far": shown, "characters_left_out": before + left_out}
    return [*messages[:-1], (messages[-1][0], as_json(document))]


def _document(content: Any) -> dict[str, Any]:
    try:
        found = json.loads(content)
    except (TypeError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
