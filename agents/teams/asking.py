"""Write an agent's question: one JSON document, in which the case and all that was said are data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from agents.teams.calling import Said
from agents.teams.prompts import prompt
from chat_models.documents import MOST_CHARS, as_json, newest

Messages = list[tuple[str, str]]
CUT_OFF: Final = "[cut off here]"


def question(
    name: str,
    case: str,
    *,
    kind: str,
    round: int,
    said: Iterable[Said] = (),
    notes: Sequence[Mapping[str, Any]] = (),
    words: Mapping[str, str] | None = None,
    **more: Any,
) -> Messages:
    """Return a question by a prompt; `kind` says what for, and `words` fill the prompt's slots."""
    shown, left_out = newest([(each["agent"], _shown(each)) for each in said if each["text"]], MOST_CHARS)
    document: dict[str, Any] = {"kind": kind, "round": round, "case": case}
    if shown:
        document["said_so_far"] = shown
    if left_out:
        document["characters_left_out"] = left_out
    if notes:
        document["from_the_clinician"] = [str(each["text"]) for each in notes if each["is_fact"]]
    document |= {key: value for key, value in more.items() if value}
    return [("system", prompt(name).filled(**(words or {}))), ("human", as_json(document))]


def _shown(said: Said) -> str:
    """Return what colleagues are shown of it; of an answer that was cut, that it was."""
    return f"{said['text']} {CUT_OFF}" if said.get("cut") else said["text"]
