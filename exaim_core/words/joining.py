"""Items of one update, one kind and one agent, told in one sentence where it stays short."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from exaim_core.lexicon.brevity import MOST_WORDS
from exaim_core.schema import SpokenKind
from exaim_core.text.wording import word_count
from exaim_core.words.templates import Wording

JOINED_WORDS: Final = 22  # 8.5 s at 2.6 words a second: shorter than two items and the pause between them
MOST_PARTS: Final = 3
_SHAPE: Final = re.compile(
    r"(?P<opening>Caution(?:, [^:]{3,30})?: |(?:Doctor \w+|The supervisor)(?: recommends |: ))"
    r"(?P<rest>.+)\.\Z"
)
_BARE: Final = "Caution: "
_ASKS: Final = " recommends "
_HANGS: Final = re.compile(r"\b(?:if|once|unless|until|when|only|provided|while)\b", re.IGNORECASE)
_KINDS: Final = frozenset({SpokenKind.ACTION, SpokenKind.CAUTION, SpokenKind.FINDING})


def joined(made: Sequence[Wording], holds: Callable[[Wording], bool]) -> list[Wording]:
    """Join what one agent says of one kind, in the place of the first; `holds` grounds the new sentence."""
    told: list[Wording] = []
    for wording in made:
        for place, before in enumerate(told):
            both = _both(before, wording)
            if both is not None and holds(both):
                told[place] = both
                break
        else:
            told.append(wording)
    return told


def _both(one: Wording, other: Wording) -> Wording | None:
    """Return both in one sentence; None if they do not go together or it would be long.

    An action that hangs on something stays alone, so that its condition is read with nothing else; what is
    important carries nothing that is not, which would only make it longer.
    """
    if one.kind is not other.kind or one.kind not in _KINDS or one.agents != other.agents:
        return None
    if one.quoted or other.quoted or one.urgency != other.urgency or one.presses != other.presses:
        return None
    first, second = _SHAPE.match(one.text), _SHAPE.match(other.text)
    opening = _opening(first, second) if first and second else ""
    if first is None or second is None or not opening:
        return None
    if one.kind is SpokenKind.ACTION and (_HANGS.search(one.text) or _HANGS.search(other.text)):
        return None
    if one.text.count(";") + other.text.count(";") >= MOST_PARTS - 1:
        return None
    text = f"{opening}{first['rest']}; {second['rest']}."
    if word_count(text) > (MOST_WORDS if one.kind is SpokenKind.CAUTION else JOINED_WORDS) or ". " in text:
        return None
    return replace(
        one,
        text=text,
        claims=one.claims + other.claims,
        said=one.said + other.said,
        brief=_short(one, other, text),
        topic=one.topic if one.topic == other.topic else None,
        protects=one.protects or other.protects,
    )


def _opening(first: re.Match[str], second: re.Match[str]) -> str:
    """Return the opening for both; one may lack a caution's speaker, or the verb of an order."""
    one, other = first["opening"], second["opening"]
    if one == other:
        return one
    if one.replace(_ASKS, ": ") == other.replace(_ASKS, ": "):
        return min(one, other, key=len)
    return max(one, other, key=len) if _BARE in {one, other} and one[:7] == other[:7] else ""


def _short(one: Wording, other: Wording, text: str) -> str | None:
    first, second = _SHAPE.match(one.brief or one.text), _SHAPE.match(other.brief or other.text)
    opening = _opening(first, second) if first and second else ""
    if first is None or second is None or not opening:
        return None
    brief = f"{opening}{first['rest']}; {second['rest']}."
    return brief if word_count(brief) <= word_count(text) - 2 else None
