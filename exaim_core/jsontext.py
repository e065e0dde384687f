"""JSON objects as agents write them: parsed if they parse, else read pair by pair."""

from __future__ import annotations

import json
import re
from typing import Final

Pairs = tuple[tuple[str, tuple[str, ...]], ...]
_PAIR: Final = re.compile(
    r'"(?P<key>[^"\n]{1,80})"\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)*)"|\[(?P<list>[^\]]*)\])', re.DOTALL
)
_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NUMBERED: Final = re.compile(r"(?:^|[,;]\s*)\d{1,2}[.)]\s+")


def pairs_of(text: str) -> Pairs:
    """Return the pairs of the JSON object in `text`, nested ones too; nothing if there is none."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return ()
    try:
        found = json.loads(text[start : end + 1])
        return tuple(_walk(found)) if isinstance(found, dict) else ()
    except (ValueError, RecursionError):  # no JSON, or nested by the hundred
        return _by_hand(text)


def _walk(value: dict[str, object]) -> list[tuple[str, tuple[str, ...]]]:
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for key, inner in value.items():
        if isinstance(inner, dict):
            pairs.append((str(key), tuple(text for _, texts in _walk(inner) for text in texts)))
        else:
            pairs.append((str(key), _strings(inner)))
    return pairs


def _strings(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return split_list(value)
    if isinstance(value, list):
        return tuple(text for inner in value for text in _strings_of_item(inner))
    return () if value is None or isinstance(value, bool) else (str(value),)


def _strings_of_item(value: object) -> tuple[str, ...]:
    if isinstance(value, dict):
        return tuple(str(inner) for inner in value.values() if isinstance(inner, str))[:1]
    return (value,) if isinstance(value, str) else _strings(value)


def split_list(text: str) -> tuple[str, ...]:
    """Return the items of a list written into one string ("1. a, 2. b"), or the string alone."""
    parts = [part.strip(" ,;") for part in _NUMBERED.split(text) if part.strip(" ,;")]
    return tuple(parts) if len(parts) > 1 else ((text.strip(),) if text.strip() else ())


def _by_hand(text: str) -> Pairs:
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for match in _PAIR.finditer(text):
        if match["text"] is not None:
            pairs.append((match["key"], split_list(match["text"])))
        else:
            pairs.append((match["key"], tuple(_TEXT.findall(match["list"]))))
    return tuple(pairs)
