"""Read the text in an unfinished JSON object, up to its last whole sentence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pydantic import BaseModel

from agents.stream import TokenContext

FIELDS: Final = ("reasoning", "report", "feedback", "investigations")
"""What of an answer is prose that somebody hears."""
_BODY: Final = re.compile(r'(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_HALF: Final = re.compile(r"(?:\\u[dD][89abAB][0-9a-fA-F]{2})\Z")
WHOLE_SENTENCES: Final = re.compile(r".*(?:[.!?](?=\s)|\n)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Aloud:
    """How an answer is told while it is written. `told_as` makes of its text what is told."""

    told_as: Callable[[str], str]
    round: int | None = None
    context: TokenContext = TokenContext.AGENT_THOUGHT


def field_of(shape: type[BaseModel]) -> str | None:
    """Return which field of an answer is prose that somebody hears; None if none is."""
    return next((name for name in FIELDS if name in shape.model_fields), None)


def said_so_far(raw: str, field: str) -> str:
    """Return the whole sentences of a field's text in an unfinished object; all of it once it is closed."""
    begun = re.search(rf'"{field}"\s*:\s*"', raw)
    if begun is None:
        return ""
    body = _BODY.match(raw, begun.end())
    assert body is not None  # it may be empty, but it matches
    closed = raw[body.end() : body.end() + 1] == '"'
    text: str = json.loads(f'"{_HALF.sub("", body[0])}"', strict=False)
    if closed:
        return text
    whole = WHOLE_SENTENCES.match(text)
    return whole[0] if whole is not None else ""
