"""Find the agents' own words that a sentence rests on; count, by reason, what was read and not told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain, product
from typing import Final

from exaim_core.claims.claims import Claim, ListEnd
from exaim_core.lexicon.phrases import is_definition, is_noise
from exaim_core.schema import FieldSentence, LeftOut, Span, SpokenItem
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence

MOST_SPANS: Final = 8  # for one sentence; a closing rests on more, but the first ones are enough
MOST_HEARD: Final = 4_096  # sentences between two updates; beyond that only reasons are counted
_WORDS_OF_A_SENTENCE: Final = 3  # a sentence with fewer states nothing
_Place = tuple[str, int, int]  # an agent, and the start and end of its words


class Reason(StrEnum):
    """Why something that was read is in no field and in no item."""

    REFUSED = "refused"  # what was made of it says more than its words do
    KNOWN = "known"  # understood; told before, or waiting for the rest of its list
    QUESTION = "question"
    COURTESY = "courtesy"
    BOOKS = "of books"
    OTHER_PERSON = "of somebody else"
    PAST = "past"
    CONDITIONAL = "conditional"
    HEDGED = "hedged"
    UNREAD = "unread"  # it has no known form
    THINKING = "thinking"  # cut out before the text is read


_BY_STATUS: Final = {
    Status.QUESTION: Reason.QUESTION,
    Status.BOOKS: Reason.BOOKS,
    Status.OTHER_PERSON: Reason.OTHER_PERSON,
    Status.PAST: Reason.PAST,
    Status.CONDITIONAL: Reason.CONDITIONAL,
    Status.HEDGED: Reason.HEDGED,
}  # the first that applies counts


def spans_of(sources: Iterable[Source]) -> tuple[Span, ...]:
    """Return the places of `sources`, each once, at most `MOST_SPANS` of them."""
    found = ((source.agent_id, start, end) for source in sources for start, end in source.spans)
    kept = [*dict.fromkeys(found)][:MOST_SPANS]
    return tuple(Span(agent_id=agent, start=start, end=end) for agent, start, end in kept)


def meet(places: Iterable[Span], others: Iterable[Span]) -> bool:
    """Return whether one of `places` has a word of one of the `others`."""
    return any(
        a.agent_id == b.agent_id and a.start < b.end and b.start < a.end
        for a, b in product(places, tuple(others))
    )


def resting(claims: Iterable[Claim]) -> tuple[Span, ...]:
    """Return the words that `claims` rest on, and those of the claims that they need."""
    return spans_of(_sources(claims))


def _sources(claims: Iterable[Claim]) -> Iterator[Source]:
    for claim in claims:
        yield claim.source
        yield from claim.source.labels
        for other in claim.rests_on:
            yield other.source


def why_unused(unit: Sentence) -> Reason:
    """Return why nothing was made of `unit`."""
    if unit.text.endswith("?"):
        return Reason.QUESTION
    if is_noise(unit.text) or len(unit.full.split()) < _WORDS_OF_A_SENTENCE:
        return Reason.COURTESY
    if is_definition(unit.text):
        return Reason.BOOKS
    found = statuses_of(unit.text, "")
    return next((reason for status, reason in _BY_STATUS.items() if status in found), Reason.UNREAD)


class Ear:
    """What was heard since the last update, and which claims were made of it."""

    def __init__(self) -> None:
        self._heard: list[tuple[_Place, Reason]] = []
        self._beyond: Counter[Reason] = Counter()  # reasons of sentences beyond `MOST_HEARD`
        self._understood: set[_Place] = set()
        self._hidden = 0

    def hear(self, unit: Sentence, made: Iterable[Claim | ListEnd], *, used: bool) -> None:
        """Note a sentence with the claims that were made as it was read, from it or from one before it.

        `used`: something else was made of it.
        """
        for each in made:
            if isinstance(each, Claim):
                self._understood.update(_places(each.source))
        own = _places(unit.source)[-1:]  # spans before it are a table's header
        why = Reason.KNOWN if used or self._understood.intersection(own) else why_unused(unit)
        if own and len(self._heard) < MOST_HEARD:
            self._heard.append((own[0], why))
        else:
            self._beyond[why] += 1

    def left_out(
        self, items: Sequence[SpokenItem], sentences: Sequence[FieldSentence], *, refused: int, hidden: int
    ) -> tuple[LeftOut, ...]:
        """Return how much of it no item and no field rests on, the most frequent reason first, and forget it.

        `refused`: how many sentences grounding refused; `hidden`: how many passages were cut out so far in all.
        """
        spans = chain(*(item.evidence for item in items), *(each.evidence for each in sentences))
        told = {(span.agent_id, span.start, span.end) for span in spans}
        counts = self._beyond
        for place, why in self._heard:
            if place not in told:
                counts[Reason.KNOWN if place in self._understood else why] += 1
        counts[Reason.REFUSED] += refused
        counts[Reason.THINKING] += hidden - self._hidden
        self._hidden, self._beyond = hidden, Counter()
        self._heard.clear()
        self._understood.clear()
        return tuple(LeftOut(reason=why.value, count=many) for why, many in counts.most_common() if many)


def _places(source: Source) -> list[_Place]:
    return [(source.agent_id, start, end) for start, end in source.spans]
