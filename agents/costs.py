"""Sum up a session's model costs by agent, from METADATA events. Pure.

An event tells one call up to then: several of one call take each other's place, and are never added up. What
no provider said stays unknown and is no zero.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agents.stream import LLMMetadata, TeamEvent

MOST_CALLS: Final = 1_000  # told apart; a later event of an older call would count as a call of its own
MOST_AGENTS: Final = 64
OTHERS: Final = "others"


@dataclass(frozen=True, slots=True)
class Spent:
    """Calls of models, and their tokens and time; None: no provider said."""

    calls: int = 0
    input_tokens: int | None = None
    output_tokens: int | None = None
    thinking_tokens: int | None = None
    time_ms: int | None = None

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.calls + other.calls,
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.thinking_tokens, other.thinking_tokens),
            _sum(self.time_ms, other.time_ms),
        )

    @classmethod
    def of(cls, call: LLMMetadata) -> Spent:
        """Return what one call cost."""
        return cls(
            1, call.input_tokens, call.output_tokens, call.thinking_tokens, call.total_generation_time_ms
        )


class Costs:
    """Counts a session's calls. Holds the newest `MOST_CALLS` apart, and older ones as sums."""

    def __init__(self) -> None:
        self._calls: OrderedDict[tuple[str, str], LLMMetadata] = OrderedDict()
        self._folded: dict[str, Spent] = {}

    def take(self, event: TeamEvent) -> bool:
        """Count an event; False if it tells no cost."""
        if event.llm is None:
            return False
        agent_id = self._known(event.agent_id or OTHERS)
        key = (agent_id, event.llm.trace_id or f"event {event.seq}")
        before = self._calls.get(key)
        self._calls[key] = event.llm if before is None else merged((before, event.llm))
        while len(self._calls) > MOST_CALLS:
            (owner, _), oldest = self._calls.popitem(last=False)
            self._folded[owner] = self._folded.get(owner, Spent()) + Spent.of(oldest)
        return True

    def by_agent(self) -> Mapping[str, Spent]:
        """Return what each agent's calls cost, in the order in which the agents first cost something."""
        found = dict(self._folded)
        for (agent_id, _), call in self._calls.items():
            found[agent_id] = found.get(agent_id, Spent()) + Spent.of(call)
        return found

    def total(self) -> Spent:
        """Return what all of it cost."""
        return sum(self.by_agent().values(), Spent())

    def _known(self, agent_id: str) -> str:
        known = {owner for owner, _ in self._calls} | self._folded.keys()
        return agent_id if agent_id in known or len(known) < MOST_AGENTS else OTHERS


def merged(each: Iterable[LLMMetadata]) -> LLMMetadata:
    """Return what several METADATA of one call come to: the last counts, the first time to a token.

    Each of them tells the call up to then. What none of them says stays None.
    """
    found: dict[str, Any] = {}
    for metadata in each:
        first = found.get("time_to_first_token_ms")
        found |= {name: value for name, value in metadata if value is not None}
        if first is not None:
            found["time_to_first_token_ms"] = first
    return LLMMetadata(**found)


def all_together(calls: Iterable[LLMMetadata]) -> LLMMetadata:
    """Return what several calls cost together: the metadata of a whole execution."""
    each = tuple(calls)
    spent = sum(map(Spent.of, each), Spent())
    models = {call.model for call in each if call.model}
    return LLMMetadata(
        model=models.pop() if len(models) == 1 else None,
        input_tokens=spent.input_tokens,
        output_tokens=spent.output_tokens,
        thinking_tokens=spent.thinking_tokens,
        total_generation_time_ms=spent.time_ms,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    return one + other
