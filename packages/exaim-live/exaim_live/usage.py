"""Merge the cost of a call from the pieces of its answer. Pure.

Some services count up and send the count again with each piece, some send what is new, most send it once.
Whichever it is, nothing is counted twice.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from langchain_core.messages import BaseMessage

from exaim_live.events import NAME_MAX, RAW_CHARS, LLMMetadata
from exaim_live.stop_reasons import stop_reason_of

_MODEL: Final = ("model_name", "model")


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
            stop_reason=(stop_reason_of(facts) or "")[:NAME_MAX] or self.stop_reason,
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
        """Return whether no service said anything about the cost."""
        return self.counts == Counts() and self.stop_reason is None and self.model is None


class Meter:
    """Measures one call: when it began, when its first words came, what was said of its cost.

    `trace_id` names the call; `noted` says whether anything was noted at all.
    """

    def __init__(self, began_s: float, trace_id: str) -> None:
        self.usage = Usage()
        self.noted = False
        self._trace_id = trace_id
        self._began_s = began_s
        self._first_s: float | None = None

    def note(self, message: BaseMessage) -> None:
        """Take what a piece of the answer, or the whole, says of the cost."""
        self.noted = True
        self.usage = self.usage.after(message)

    def began_to_speak(self, now_s: float) -> None:
        """Note the time of the first words; later ones change nothing."""
        if self._first_s is None:
            self._first_s = now_s

    def told(self, now_s: float) -> LLMMetadata | None:
        """Return what the call cost up to now; None if nothing was said and nothing came."""
        if self.usage.says_nothing and self._first_s is None:
            return None
        counts = self.usage.counts
        return LLMMetadata(
            model=self.usage.model,
            input_tokens=counts.input,
            output_tokens=counts.output,
            thinking_tokens=counts.thinking,
            time_to_first_token_ms=_ms(self._first_s - self._began_s) if self._first_s is not None else None,
            total_generation_time_ms=_ms(now_s - self._began_s),
            stop_reason=self.usage.stop_reason,
            provider_raw_usage=self.usage.raw_told(),
            trace_id=self._trace_id,
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


def _last(before: int | None, later: int | None) -> int | None:
    return before if later is None else later


def _sum(before: int | None, later: int | None) -> int | None:
    return _last(before, later) if before is None or later is None else before + later


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1_000))
