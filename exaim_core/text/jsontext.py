"""Read JSON objects as agents write them: parsed if they parse, else pair by pair."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from exaim_core.text.keys import key_name, names_by
from exaim_core.text.refusals import is_doubted_view, is_view
from exaim_core.text.rows import lexicon
from exaim_core.text.sections import Section, classify, classify_key

_FORMS: Final = lexicon("text/jsontext")

DRAFT_NAMES: Final = ("diagnosis", "test", "sure", "treatment", "any")
"""The kinds of keys that name an item of a draft, best first (`keys.names_by`)."""
MOST_DEEP: Final = 40  # nested objects; a draft has three
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"
Pairs = tuple[tuple[str, tuple[str, ...]], ...]
_PAIR: Final = re.compile(
    r'"(?P<key>[^"\n]{1,80})"\s*:\s*(?:"(?P<text>(?:[^"\\]|\\.)*)"|\[(?P<list>[^\]]*)\])', re.DOTALL
)
_TEXT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_NUMBERED: Final = re.compile(r"(?:^|[,;]\s*)\d{1,2}[.)]\s+")


def pairs_of(text: str) -> Pairs:
    """Return the pairs of the JSON object in `text`, nested ones too; () if there is none.

    What stands under a key that announces its content (`sections.classify`) is one pair, however deep it lies.
    """
    found = parsed(text)
    if found is None:
        return _by_hand(text)
    return tuple(pair for each in found for pair in _walk(each))


_LONE_HALF: Final = re.compile(
    r"(?<!\\)\\u(?:d[89ab][0-9a-f]{2}(?!\\ud[c-f][0-9a-f]{2})|(?<!\\ud[89ab][0-9a-f]{2}\\u)d[c-f][0-9a-f]{2})",
    re.IGNORECASE,
)
"""Half of a surrogate pair, which no text can hold."""


def parsed(text: str) -> list[dict[str, Json]] | None:
    """Return the objects in `text`, one or a list of them; None if it does not parse."""
    start = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=-1)
    end = max(text.rfind("}"), text.rfind("]"))
    if start < 0:
        return []
    try:
        found = json.loads(_LONE_HALF.sub("?", text[start : end + 1]))
    except (ValueError, RecursionError):  # no JSON, or nested by the hundred
        return None
    if _is_deep(found):
        return None
    return [each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)]


def _is_deep(value: Json) -> bool:
    """Return whether objects and lists are nested deeper than anybody would read."""
    level = [value]
    for _ in range(MOST_DEEP):
        inner = (each.values() if isinstance(each, dict) else each for each in level)
        level = [
            one
            for many in inner
            if isinstance(many, Iterable)
            for one in many
            if isinstance(one, dict | list)
        ]
        if not level:
            return False
    return True


def denies(key: str) -> bool:
    """Return whether a key takes back, forbids or dates what stands under it."""
    return _FORMS["denies"].search(key) is not None


def _walk(value: dict[str, Json]) -> list[tuple[str, tuple[str, ...]]]:
    pairs: list[tuple[str, tuple[str, ...]]] = []
    doubted = is_doubted_view(value)
    for key, inner in value.items():
        if names_by(key) == "test" and has_result(value):
            pass  # it was done, and is not asked for
        elif isinstance(inner, dict) and is_doubted_view(inner, key_name(key)):
            pairs += [(key_name(key), ()), *_walk(inner)]
        elif doubted and isinstance(inner, str) and is_view(key_name(key)):
            pairs.append((key_name(key), ()))  # if a key beside it says no, it is told in its own words
        elif isinstance(inner, dict) and (parted := _parted(key_name(key), inner)):
            pairs += parted
        elif isinstance(inner, dict) and _is_nameless(key_name(key), inner):
            pairs += _walk(inner)
        elif isinstance(inner, dict):
            pairs.append((key_name(key), tuple(text for _, texts in _walk(inner) for text in texts)))
        else:
            pairs.append((key_name(key), _strings(inner, key_name(key))))
    return pairs


def has_result(value: Mapping[str, Json]) -> bool:
    """Return whether an object gives the result of what it names."""
    fields = {key_name(name).lower(): inner for name, inner in value.items()}
    return any(isinstance(fields.get(each), str | int | float) for each in RESULTS)


RESULTS: Final = ("value", "result", "level", "measured", "reading")
"""Keys of the value of what an object names."""


def _parted(key: str, inner: dict[str, Json]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the pairs of an object that decides on a diagnosis or reports a change; [] for any other.

    Under "final decision" the diagnosis is what is decided, and the rest stands under keys of its own. In a change of
    mind the new view is the diagnosis.
    """
    fields = {key_name(name).lower(): value for name, value in inner.items()}
    if _FORMS["changes_view"].search(key):
        new = next((fields[name] for name in _NEW if name in fields), None)
        return [("revised diagnosis", _strings(new))] if new is not None else []
    if classify(key) not in {Section.LEADING, Section.AGREEMENT}:
        return []
    decided = next((name for name in inner if classify(key_name(name)) is Section.LEADING), None)
    if decided is None or not isinstance(inner[decided], str):
        return []
    rest = {name: value for name, value in inner.items() if name != decided}
    held = [(key, _strings(inner[decided]))]
    if classify(key) is Section.AGREEMENT:  # it is also the writer's own view
        held.append((key_name(decided), held[0][1]))
    return [*held, *_walk(rest)]


_NEW: Final = ("to", "new", "now", "after", "current", "revised", "updated")


def _is_nameless(key: str, inner: dict[str, Json]) -> bool:
    """Return whether the keys inside say more than `key`, which says nothing about its content."""
    if classify(key) is not Section.OTHER or _FORMS["denies"].search(key):
        return False
    return any(classify_key(key_name(name)) is not Section.OTHER for name in inner)


def _strings(value: Json, key: str = "") -> tuple[str, ...]:
    if isinstance(value, str):
        return split_list(value)
    if isinstance(value, list):
        return tuple(text for inner in value for text in _strings_of_item(inner, key))
    return () if value is None or isinstance(value, bool) else (str(value),)


def _strings_of_item(value: Json, key: str) -> tuple[str, ...]:
    if isinstance(value, dict) and is_doubted_view(value, key):
        return ()
    if isinstance(value, dict):
        texts = {names_by(name): inner for name, inner in reversed(value.items()) if isinstance(inner, str)}
        first = [inner for inner in value.values() if isinstance(inner, str)]
        return (*(texts[each] for each in DRAFT_NAMES if each in texts), *first)[:1]
    return (value,) if isinstance(value, str) else _strings(value, key)


def split_list(text: str) -> tuple[str, ...]:
    """Return the items of a list written into one string ("1. a, 2. b"), or the string alone."""
    parts = [part.strip(" ,;") for part in _NUMBERED.split(text) if part.strip(" ,;")]
    return tuple(parts) if len(parts) > 1 else ((text.strip(),) if text.strip() else ())


def _by_hand(text: str) -> Pairs:
    pairs: list[tuple[str, tuple[str, ...]]] = []
    for match in _PAIR.finditer(text):
        if match["text"] is not None:
            pairs.append((key_name(match["key"]), split_list(match["text"])))
        else:
            pairs.append((key_name(match["key"]), tuple(_TEXT.findall(match["list"]))))
    return tuple(pairs)
