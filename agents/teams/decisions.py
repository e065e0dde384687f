"""Read an agent's decisions from the form that the prompts ask for, and from nothing else.

Each rests on words of the turn as they stand there. An answer without the form states nothing: it is prose, and
read as such.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from agents.stream import TOLD_MAX, Decision, DecisionKind
from chat_models.jsonout import objects_in

MOST_DECISIONS: Final = 24  # of one turn
HEADINGS: Final = {
    "most likely diagnosis": DecisionKind.LEADING,
    "final decision": DecisionKind.FINAL,
    "immediate actions": DecisionKind.ORDER,
    "contraindications": DecisionKind.PROHIBITION,
}
"""The form's headings that state something (prompts/*.md)."""

_ONE: Final = frozenset({DecisionKind.LEADING, DecisionKind.FINAL})
_HEADING: Final = re.compile(r"#{1,6}(?P<hash>.+)|\*\*(?P<bold>[^*]+)\*\*\s*:?")
_INDENT_MOST: Final = 3  # blanks before a heading, as Markdown has it
_MARK: Final = re.compile(r"\s*(?:[-*•]\s+|\d{1,2}[.)]\s+)?")
_BOLD: Final = re.compile(r"\*\*(.+?)\*\*")
_FOUND: Final = (
    r"(?:known|stated|identified|found|noted|reported|recorded|documented|required|needed|necessary|indicated|applicable"
    r"|specific|for now|now|currently|so far|yet|at present|at this (?:time|stage|point|moment)|on record)"
)
_NONE: Final = re.compile(
    rf"(?:none|n/?a|nothing)(?: (?:is|are|was|were|has been|have been))?(?: {_FOUND}){{0,3}}\.?",
    re.IGNORECASE,
)  # and no more: "Nothing by mouth." states something
_NO_ENTRY: Final = re.compile(
    rf"(?:no (?:(?:known|immediate|urgent|absolute|specific|further|additional) ){{0,2}}"
    rf"(?:actions?|contra-?indications?))(?: (?:is|are|was|were|has been|have been))?(?: {_FOUND}){{0,3}}\.?",
    re.IGNORECASE,
)  # of a list: "No calcium." states something, and "No further action is needed." does as a final decision


def decisions_in(text: str, *, chairs: bool) -> tuple[Decision, ...]:
    """Return what a turn states, in its order; a final decision only of who chairs."""
    found = [each for each in _stated(text) if chairs or each.kind is not DecisionKind.FINAL]
    return tuple(found[:MOST_DECISIONS])


def is_final(text: str) -> bool:
    """Return whether a chair's turn holds a final decision."""
    return any(each.kind is DecisionKind.FINAL for each in _stated(text))


def _stated(text: str) -> Iterator[Decision]:
    if text.lstrip().startswith(("{", "```json")):
        yield from _in_json(text)
        return
    kind: DecisionKind | None = None
    for line in text.splitlines():
        heading = _heading(line)
        announced = heading and HEADINGS.get((heading["hash"] or heading["bold"]).strip(" \t#:*").lower())
        if heading and (heading["hash"] or announced):
            kind = announced or None
            continue
        words = line[_MARK.match(line).end() :].strip()  # type: ignore[union-attr]  # it matches anything
        decision = _decision(kind, words) if kind is not None and words else None
        if decision is not None:
            yield decision
            kind = None if kind in _ONE else kind


def _heading(line: str) -> re.Match[str] | None:
    indent = len(line) - len(line.lstrip())
    return _HEADING.fullmatch(line.strip()) if indent <= _INDENT_MOST else None


def _decision(kind: DecisionKind, words: str) -> Decision | None:
    """Return what a line states; None where it says that there is nothing, or is too long to quote whole."""
    bare = words.strip("* ")
    final = kind is DecisionKind.FINAL
    if len(words) > TOLD_MAX or _NONE.fullmatch(bare) or (not final and _NO_ENTRY.fullmatch(bare)):
        return None
    bold = _BOLD.match(words)
    told = bold[1] if bold and kind in _ONE else words.replace("**", "")
    return Decision(kind=kind, text=told.strip(" :"), rests_on=words) if told.strip(" :") else None


def _in_json(text: str) -> Iterator[Decision]:
    """Yield the decisions of the same form as JSON; values that are not literally there are left out."""
    for found in objects_in(text):
        for key, value in found.items():
            kind = HEADINGS.get(str(key).replace("_", " ").strip().lower())
            if kind is not None:
                for words in _strings(value):
                    decision = _decision(kind, words) if words in text else None
                    if decision is not None:
                        yield decision
        return


def _strings(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value.strip(),) if value.strip() else ()
    return tuple(each.strip() for each in value if isinstance(each, str)) if isinstance(value, list) else ()
