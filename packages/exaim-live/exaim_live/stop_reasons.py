"""Read why a model stopped writing, by providers' names, in any case of letters. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_NAMES: Final = ("finish_reason", "stop_reason", "done_reason")

REFUSED: Final = frozenset(
    {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "refusal"}
)
"""The model, or the service's filter, would not answer."""

LOOP: Final = "loop"
"""Our own: the answer said the same again and again, and was ended by whoever asked."""
BROKE_OFF: Final = "broke_off"
"""Our own: the call, or what stood around it, failed while the answer was written."""
OVERLONG: Final = "overlong"
"""Our own: the answer was longer than whoever asked takes, and was ended there."""

CUT: Final = frozenset(
    {
        "length",  # OpenAI's chat completions and who speaks their protocol (Groq, llama.cpp, vLLM, Ollama)
        "max_tokens",  # Anthropic, Google
        "model_context_window_exceeded",  # Anthropic
        "max_output_tokens",  # OpenAI's Responses
        LOOP,
        BROKE_OFF,
        OVERLONG,
    }
)
"""The answer was ended before its end: its last words may be half of a sentence, of a dose or of a name."""


def is_cut(stop_reason: str | None) -> bool:
    """Return whether an answer that stopped so was cut."""
    return (stop_reason or "").lower() in CUT


def stop_reason_of(facts: Mapping[str, Any]) -> str | None:
    """Return the reason in a message's `response_metadata`; None: it has not stopped, or does not say."""
    found = next((facts[name] for name in _NAMES if facts.get(name)), None)
    if found is not None:
        return str(found)
    details = facts.get("incomplete_details")  # OpenAI's Responses
    if isinstance(details, Mapping) and details.get("reason"):
        return str(details["reason"])
    return "completed" if facts.get("status") == "completed" else None
