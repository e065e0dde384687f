"""Write an update's evidence for the page: each place once, then by its number. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from exaim_core import Span, Update
from realtime.protocol import EvidenceBody, UpdateBody
from realtime.team.long_words import cut_long_words

MOST_SPANS: Final = 96  # of one update, 2 kB; of 178 in the written discussions the fullest has 17


class _Spans:
    """The places of one update, numbered in the order in which they are first named."""

    def __init__(self) -> None:
        self.agents: dict[str, int] = {}
        self.spans: dict[tuple[int, int, int], int] = {}

    def numbers(self, evidence: Iterable[Span]) -> tuple[int, ...]:
        """Return the numbers of these places; of a new one none if there are `MOST_SPANS`."""
        return tuple(dict.fromkeys(n for span in evidence if (n := self._number(span)) is not None))

    def _number(self, span: Span) -> int | None:
        agent = self.agents.setdefault(span.agent_id, len(self.agents))
        place = (agent, span.start, span.end)
        if place not in self.spans and len(self.spans) >= MOST_SPANS:
            return None
        return self.spans.setdefault(place, len(self.spans))


def evidence_body(update: Update) -> EvidenceBody:
    """Return what the items and the fields of `update` rest on, and what it leaves out."""
    places = _Spans()
    items = tuple(places.numbers(item.evidence) for item in update.items)
    fields: dict[str, tuple[tuple[int, int, tuple[int, ...]], ...]] = {}
    for each in update.sentences:
        text = getattr(update.summary, each.field)
        # else the page shows another text, and the places are not its own
        if cut_long_words(text) == text:
            numbers = places.numbers(each.evidence)
            fields[each.field] = (*fields.get(each.field, ()), (each.start, each.end, numbers))
    return EvidenceBody(
        agents=tuple(places.agents),
        spans=tuple(places.spans),
        items=items,
        fields=fields,
        left_out={each.reason: each.count for each in update.left_out},
    )


def within_reach(update: UpdateBody, words_from: Mapping[str, int]) -> UpdateBody:
    """Return `update` without its places if none of them is among the words that a page has.

    `words_from` is the first character that it has of each agent. What was left out is told all the same.
    """
    found = update.evidence
    if not found.spans:
        return update
    for agent, _, end in found.spans:
        if end > words_from.get(found.agents[agent], end):
            return update
    return update.model_copy(update={"evidence": EvidenceBody(left_out=found.left_out)})
