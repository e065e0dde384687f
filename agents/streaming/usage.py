"""What a call cost, merged from what came of it piece by piece. Pure.

Some services count up and send the count again with each piece, some send what is new, most send it once.
Whichever it is, nothing is counted twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from langchain_core.messages import BaseMessage

from agents.stream import NAME_MAX, LLMMetadata

_FINISH: Final = ("finish_reason", "stop_reason", "done_reason")
_MODEL: Final = ("model_name", "model")
RAW_CHARS: Final = 2_000
_COUNTS: Final = ("input_tokens", "output_tokens", "thinking_tokens")


@dataclass(frozen=True, slots=True)
class Counts:
    """Tokens of one call up to now; None: nobody has said."""

    input: int | None = None
    output: int | None = None
    thinking: int | None = None

    def then(self, later: Counts) -> Counts:
        """Return the counts after `later` came.

        Who counts up repeats the tokens of the question, which never change: then the later count holds.
        Else the later one is what is new since.
        """
        if self.input and later.input is not None and later.input >= self.input:
            return Counts(later.input, _last(self.output, later.output), _last(self.thinking, later.thinking))
        return Counts(
            _sum(self.input, later.input),
            _sum(self.output, later.output),
            _sum(self.thinking, later.thinking),
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """What is known of one call: counts, why it stopped, which model, and the service's own words."""

    counts: Counts = Counts()
    stop_reason: str | None = None
    model: str | None = None
    provider: str | None = None
    raw: Mapping[str, Any] = field(default_factory=dict)

    def after(self, message: BaseMessage) -> Usage:
        """Return what is known after `message`, a chunk or a whole answer."""
        facts = message.response_metadata
        usage = getattr(message, "usage_metadata", None)
        if not facts and not usage:
            return self
        raw = facts.get("token_usage") or facts.get("usage") or usage
        return replace(
            self,
            counts=self.counts.then(_counts(usage)) if usage else self.counts,
            stop_reason=_named(facts, _FINISH) or self.stop_reason or _status(facts),
            model=_named(facts, _MODEL) or self.model,
            provider=_named(facts, ("model_provider",)) or self.provider,
            raw=dict(raw) if isinstance(raw, Mapping) and raw else self.raw,
        )

    def raw_told(self) -> dict[str, Any] | None:
        """Return the service's own words as plain JSON; None if there are none, or too many to pass on."""
        try:
            told = json.dumps(self.raw)
        except (TypeError, ValueError):
            return None
        return json.loads(told) or None if len(told) <= RAW_CHARS else None

    @property
    def says_nothing(self) -> bool:
        """Tell whether no service said anything: then there is nothing to tell."""
        return self.counts == Counts() and self.stop_reason is None and self.model is None


def merged(each: Iterable[LLMMetadata]) -> LLMMetadata:
    """Return what several METADATA of one call come to: the last count, the first time to a token.

    Each of them tells the call up to then. What none of them says stays None.
    """
    found: dict[str, Any] = {}
    for metadata in each:
        said = {name: value for name, value in metadata if value is not None}
        first = found.get("time_to_first_token_ms")
        found |= said
        if first is not None:
            found["time_to_first_token_ms"] = first
    return LLMMetadata(**found)


def total(each: Iterable[LLMMetadata]) -> LLMMetadata:
    """Return the tokens and the time of several calls together. What none of them says stays None."""
    calls = tuple(each)
    sums = {name: _summed(getattr(call, name) for call in calls) for name in _COUNTS}
    models = {call.model for call in calls if call.model}
    return LLMMetadata(
        **sums,
        total_generation_time_ms=_summed(call.total_generation_time_ms for call in calls),
        model=models.pop() if len(models) == 1 else None,
    )


def _counts(usage: Mapping[str, Any]) -> Counts:
    details = usage.get("output_token_details") or {}
    return Counts(
        _number(usage.get("input_tokens")),
        _number(usage.get("output_tokens")),
        _number(details.get("reasoning")),
    )


def _number(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _named(facts: Mapping[str, Any], names: Iterable[str]) -> str | None:
    found = next((facts[name] for name in names if facts.get(name)), None)
    return str(found)[:NAME_MAX] if found is not None else None


def _status(facts: Mapping[str, Any]) -> str | None:
    """Return the end that the Responses API tells: `completed`, or why it is incomplete."""
    details = facts.get("incomplete_details")
    if isinstance(details, Mapping) and details.get("reason"):
        return str(details["reason"])[:NAME_MAX]
    return "completed" if facts.get("status") == "completed" else None


def _last(before: int | None, later: int | None) -> int | None:
    return before if later is None else later


def _sum(before: int | None, later: int | None) -> int | None:
    return _last(before, later) if before is None or later is None else before + later


def _summed(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
