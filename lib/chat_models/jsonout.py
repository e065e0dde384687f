"""The JSON object in a model's answer: alone, in a fence, or amid prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

_FENCE: Final = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL | re.IGNORECASE)
MOST_CHARS: Final = 200_000  # of an answer that is searched; six fields are under 2,000
MOST_STARTS: Final = 200


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects in `text`: the whole, then fenced ones, then whatever else parses, in order.

    An object that does not parse is passed over, and the search goes on behind its brace.
    """
    text = text[:MOST_CHARS]
    for part in (text, *(match[1] for match in _FENCE.finditer(text))):
        found = _whole(part)
        if found is not None:
            yield found
    decoder = json.JSONDecoder()
    at, starts = text.find("{"), 0
    while at >= 0 and starts < MOST_STARTS:
        starts += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if isinstance(value, dict):
                yield value
        at = text.find("{", end)


def _whole(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
