"""Read one message or chunk of a chat model: its text, and whether it is thinking. Pure.

LangChain gives providers' answers in several forms, by provider and by version; all that hold text are
read here:

* text as a string, or in blocks `text` (Chat Completions, Gemini, Anthropic, Responses);
* thinking in blocks `thinking` (Anthropic, Gemini), `reasoning` (Responses, and LangChain's own form) and
  `reasoning_content` (Bedrock);
* thinking beside the text as `reasoning_content` or `reasoning` (DeepSeek, Groq, vLLM, OpenRouter, Ollama).

Thinking within the text, by tags, is cut by `exaim_live.thinking`. Calls of tools are nobody's words.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

BESIDE: Final = ("reasoning_content", "reasoning")
"""Where thinking stands beside the text; services that send both send the same twice."""


class Piece(NamedTuple):
    """Some text, and whether the provider marks it as thinking."""

    text: str
    thinking: bool


def pieces_of(message: BaseMessage) -> list[Piece]:
    """Return the text in `message`, thinking first as it was thought first."""
    beside = message.additional_kwargs
    found = [Piece(text, True) for text in _beside(beside)] if beside else []
    content = message.content
    if isinstance(content, str):
        return [*found, Piece(content, False)] if content else found
    return [*found, *(piece for block in content if (piece := _of_block(block)) is not None)]


def _beside(fields: Mapping[str, Any]) -> Iterable[str]:
    return next(([text] for name in BESIDE if (text := _text_of(fields.get(name)))), [])


def _of_block(block: str | Mapping[str, Any]) -> Piece | None:
    if isinstance(block, str):
        return Piece(block, False) if block else None
    match block.get("type", "text"):
        case "text" | "output_text":
            text, thinking = _text_of(block.get("text")), bool(block.get("thought"))
        case "thinking":
            text, thinking = _text_of(block.get("thinking")), True
        case "reasoning":
            text, thinking = _text_of(block.get("reasoning")) or _text_of(block), True
        case "reasoning_content":
            text, thinking = _text_of(block.get("reasoning_content")), True
        case _:
            return None
    return Piece(text, thinking) if text else None


def _text_of(value: Any) -> str:
    """Return the text of a value: itself, or what stands in its `summary`, `content` or `text`."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return next(
            (text for name in ("text", "summary", "content") if (text := _text_of(value.get(name)))), ""
        )
    if isinstance(value, (list, tuple)):
        return "".join(map(_text_of, value))
    return ""
