"""Passages as facts: in their speaker's words, as given up where he gave them up, with what stopped an order."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agents.dialogue.facts import PAPER, Fact, FactKind, Text
from agents.dialogue.ground import GIVEN_UP
from agents.dialogue.headings import without_bare_heading
from agents.dialogue.meaning import meaning_of
from agents.dialogue.segments import HANGS, Passage
from agents.dialogue.stops import Key, key_of
from exaim_core.board.shown import BoardView, SaidView
from exaim_core.text.names import Names, inner, with_spoken_names
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import lower_first, word_count


class Quotes:
    """Quotes the passages of one board."""

    def __init__(self, view: BoardView, stopped: Mapping[Key, SaidView]) -> None:
        """`stopped` is what stopped an order, by the order's sentence; none is told without it."""
        self._view = view
        self._stopped = stopped
        self._names = Names(view.names)

    def fact_of(self, passage: Passage) -> Fact:
        """Return a passage as a fact in its speaker's words."""
        if passage.paper is not None:
            return passage.paper
        first, text = passage.said[0], passage.text
        who = self._names(first.agent_id)
        spoken = with_spoken_names(without_bare_heading(text).rstrip(". :"))
        head, colon, rest = spoken.partition(": ")
        if colon and "." not in head and len(head) <= 90:
            spoken = f"{head}; {lower_first(rest)}"
        item = first.under.split("; ")[-1] if HANGS.match(text) and ";" in first.under else ""
        of = f" of {lower_first(item)}" if item and word_count(item) <= 8 else ""
        says = f"{who} {GIVEN_UP}" if passage.past else f"{who} says{of}:"
        by = next((self._stopped[key] for one in passage.said if (key := key_of(one)) in self._stopped), None)
        but = ""
        if by is not None and by.agent_id != first.agent_id:
            but = f"; but {inner(self._names(by.agent_id))} says: {lower_first(_spoken(by))}"
        read = meaning_of(text)
        others = (
            one
            for one in self._view.speakers
            if one != first.agent_id and self._names(one).lower() in spoken.lower()
        )
        return Fact(
            FactKind.SAID_BEFORE if passage.past else FactKind.SAID,
            text,
            (f"{says} {lower_first(spoken)}{but}",),
            f"{who}, turn {first.at[0]}",
            (text, spoken, *((by.text,) if by else ()), *(part for part in (first.under,) if part)),
            Text(),
            Text(read.names, read.stems),
            agents=(first.agent_id, *others, *((by.agent_id,) if but and by else ())),
            order=float(first.at[1]),
            numbers=frozenset((q.number, q.unit) for q in quantities(text) if q.unit),
        )


def _spoken(one: SaidView) -> str:
    """Return a sentence as it is quoted inside another."""
    return with_spoken_names(without_bare_heading(one.text).rstrip(". :")).replace(": ", "; ")


def as_told(fact: Fact) -> str:
    """Return what is told of a fact, without its frame; of the paper with what it stands under there."""
    if fact.told in PAPER:
        return f"{fact.source.removeprefix('case paper: ')} {fact.name} {fact.said[0]}"
    return re.sub(r"\A[^:]{2,60}\bsays(?: of [^:]{3,90})?: ", "", fact.said[0])
