"""What a model is asked about, as one JSON document: agents' text is data in it and never part of the instructions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

MOST_CHARS: Final = 24_000  # of agents' text in one prompt, about 6,000 tokens; the newest is kept


def newest(segments: list[tuple[str, str]], most_chars: int) -> tuple[list[dict[str, str]], int]:
    """Return the newest `most_chars` of the segments, and how many characters went before them."""
    room, kept = most_chars, list[dict[str, str]]()
    for agent, text in reversed(segments):
        if room <= 0:
            break
        kept.append(segment(agent, text[-room:]))
        room -= len(text)
    total = sum(len(text) for _, text in segments)
    return kept[::-1], max(0, total - most_chars)


def segment(agent: str, text: str) -> dict[str, str]:
    """Return what an agent said as a part of a document."""
    return {"agent": agent, "text": text}


def as_json(document: Mapping[str, Any]) -> str:
    """Return `document` as JSON that is valid UTF-8, whatever agents wrote into it."""
    text = json.dumps(document, ensure_ascii=False)
    return text.encode("utf-8", "replace").decode("utf-8")
