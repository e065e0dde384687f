"""Keep what came in since the last update, and find earlier items that it takes back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from exaim_core.board.numbers import Number, Numbers, numbers_in
from exaim_core.board.overturning import ToldOrder
from exaim_core.claims.bodily import Function
from exaim_core.claims.claims import Claim, Worth
from exaim_core.claims.finding import without_count
from exaim_core.claims.measured import values_named
from exaim_core.claims.quotes import worth_of
from exaim_core.kept import TOLD
from exaim_core.schema import Cite, Fallback, Newer, SaidSince, SpokenItem, SpokenKind
from exaim_core.text.names import Names, person
from exaim_core.text.places import Source
from exaim_core.text.token_gate import Chunk
from exaim_core.text.units import Unit
from exaim_core.words.care_sentences import CONTRADICTED
from exaim_core.words.last_said import LastSaid
from exaim_core.words.newer import NewestValues
from exaim_core.words.newer_events import NewestEvents
from exaim_core.words.overtaken import overtaken
from exaim_core.words.revised import MOST_BACK
from exaim_core.words.since_then import rests_on
from exaim_core.words.takings import Heard, Taking, lost_by
from exaim_core.words.templates import said_words, stands_in
from exaim_core.words.told_bans import Spared

TAKINGS: Final = 32  # updates of which is kept what they took back, and by which words
EARLIER: Final = 8  # sentences before the last update, to which one after it may refer


@dataclass(slots=True)
class Since:
    """What waits for the next update: released chunks, sentences, models' failures, items taken back.

    `before` are the last sentences before it; `items` those spoken, as far back as
    `kept.TOLD`; `settled` those of them that told a contradiction of the case paper which somebody has put right.
    """

    waiting: list[Chunk] = field(default_factory=list)
    said: list[Unit] = field(default_factory=list)
    before: list[Unit] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    withdraws: list[str] = field(default_factory=list)
    relieved: set[str] = field(default_factory=set)  # ids of alarms whose speakers gave a better value since
    settled: set[str] = field(default_factory=set)
    newest: set[str] = field(default_factory=set)  # ids of what the last update told
    gone: set[str] = field(default_factory=set)  # ids of what was taken back
    takings: deque[Taking] = field(default_factory=lambda: deque(maxlen=TAKINGS))
    values: NewestValues = field(default_factory=NewestValues)
    events: NewestEvents = field(default_factory=NewestEvents)
    last_said: LastSaid = field(default_factory=LastSaid)
    items: deque[SpokenItem] = field(default_factory=lambda: deque(maxlen=TOLD))
    spared: list[Spared] = field(default_factory=list)  # claims that some of `items` tell

    @property
    def earlier(self) -> tuple[Unit, ...]:
        """The last sentences before the last update."""
        return tuple(self.before[-EARLIER:])

    def failed(self, part: Literal["judge", "summarizer", "reader"], reason: str) -> None:
        """Note that a model failed, and why; a `reason` of "" means that it did not."""
        if reason:
            self.fallbacks.append(Fallback(part=part, reason=reason))

    def resting_on(self, agent_id: str, first_seq: int) -> list[str]:
        """Return the ids of the items that rest on an agent's deltas from `first_seq` on and on nothing else."""
        return [
            item.item_id
            for item in self.items
            if item.kind is not SpokenKind.CLOSING
            and item.cites
            and all(cite.agent_id == agent_id and cite.first_seq >= first_seq for cite in item.cites)
        ]

    def read(self, unit: Unit) -> frozenset[Function]:
        """Take what a unit states of values, events and things; return the functions that are there again."""
        self.values.read((unit,))
        self.last_said.read(unit)
        return self.events.read(unit)

    def unsay(self, agent_id: str, first_seq: int) -> None:
        """Forget what an agent said from delta `first_seq` on: it takes nothing back, and is nobody's context."""
        self.values.unsay(agent_id, first_seq)
        self.events.unsay(agent_id, first_seq)
        self.last_said.unsay(agent_id, first_seq)
        for kept in (self.said, self.before):
            kept[:] = [
                unit
                for unit in kept
                if person(unit.source.agent_id) != agent_id or unit.source.first_seq < first_seq
            ]

    def holding(self, fallen: Iterable[tuple[Source, frozenset[Number]]]) -> list[str]:
        """Return the ids of items that tell an amount put right since, each amount found by its source."""
        return [
            item.item_id
            for item in self.items
            for source, wrong in fallen
            if item.kind
            not in {SpokenKind.CLOSING, SpokenKind.CRITICAL}  # the hazard that an order met is still true
            and numbers_in(item.text) & wrong
            and rests_on(item, source)
        ]

    def untrue(self, alarms: Sequence[str], values: Sequence[tuple[str, str, Source]]) -> list[str]:
        """Return the ids of items that tell an alarm with one of these keys, or a value put right since.

        `values`: for each the name, the number, and the place where it was put right.
        """
        return [
            item.item_id
            for item in self.items
            if item.kind is not SpokenKind.CLOSING
            and (
                without_count(item.critical_key or "") in alarms
                or any(
                    (name, number) in values_named(item.text)
                    and all(cite.first_seq < source.first_seq for cite in item.cites)
                    for name, number, source in values
                )
            )
        ]

    def refused(self, orders: Iterable[ToldOrder | Claim]) -> list[str]:
        """Return the ids of items that tell one of `orders` and nothing else: it was refused, and that is told."""
        words = {(person(each.source.agent_id), each.text.rstrip(" .!").lower()) for each in orders}
        return [
            item.item_id
            for item in self.items
            if item.kind is SpokenKind.ACTION
            and len(item.cites) == 1
            and (person(item.cites[0].agent_id), said_words(item.text).rstrip(" .!").lower()) in words
        ]

    def retold(self, items: Iterable[SpokenItem]) -> list[str]:
        """Return the ids of findings and spare sentences whose words stand whole in one of the new `items`."""
        return [
            old.item_id
            for old in self.items
            if (old.kind is SpokenKind.FINDING or old.likely)
            and any(
                {*old.agents} <= {*new.agents} and stands_in(said_words(old.text), new.text) for new in items
            )
        ]

    def standing(self, begun: Callable[[str], int]) -> tuple[SpokenItem, ...]:
        """Return the items that are told in any case, and that no newer one of their topic may replace.

        `begun`: the first delta of an agent's newest turn.
        """
        newest = {item.topic: item.item_id for item in self.items if item.topic}
        gone = {*self.gone, *self.withdraws, *overtaken(self.items, self.said, begun)}
        return tuple(
            item
            for item in self.items
            if (item.protects or (item.presses and item.topic is None))
            and item.item_id not in gone
            and newest.get(item.topic or "", item.item_id) == item.item_id
        )

    def unheard(self, begun: Callable[[str], int]) -> list[Claim]:
        """Return the claims that were not told as an item told them which was taken back since; forget them."""
        if not self.spared:
            return []
        kept = {item.item_id for item in self.items}
        self.spared = [each for each in self.spared if each.items and each.items <= kept]  # else long ago
        standing = {item.item_id for item in self.standing(begun)}
        lost = [each for each in self.spared if not each.items <= standing]
        self.spared = [each for each in self.spared if each not in lost]
        return [each.claim for each in lost]

    def moved(self, newest: Mapping[str, int]) -> list[str]:
        """Return the ids of disagreements with a side that has changed, and of spare views that are outdated.

        `newest`: for each agent the first delta of the view that it last stated or took back.
        """

        def is_old(cite: Cite) -> bool:
            return newest.get(person(cite.agent_id), -1) > cite.last_seq

        return [
            item.item_id
            for item in self.items
            if (item.kind is SpokenKind.DISAGREEMENT and any(map(is_old, item.cites)))
            or (
                item.likely and all(map(is_old, item.cites)) and worth_of(said_words(item.text)) is Worth.VIEW
            )
        ]

    def newer(self, items: Sequence[SpokenItem], names: Names) -> tuple[Newer, ...]:
        """Return what was stated since of what alarms tell; `items` are those of the update that is made."""
        every = (*self.items, *items)
        return (*self.values.changed(every, names), *self.events.changed(every, names))

    def said_since(self, items: Sequence[SpokenItem], names: Names) -> tuple[SaidSince, ...]:
        """Return what was said since of the drugs that other items name; `items` are those of this update."""
        standing = [item for item in (*self.items, *items) if item.item_id not in self.gone]
        return tuple(self.last_said.changed(standing, names))

    def relieve(self, keys: Container[str], righted: Sequence[tuple[str, str, Source]]) -> None:
        """Note the alarms with one of these keys as relieved, but for those of values that were put right.

        `keys` are of values that their own speakers gave as within limits since.
        """
        ids = {item.item_id for item in self.items if without_count(item.critical_key or "") in keys}
        self.relieved |= ids.difference(self.untrue((), righted))

    def eased(self, newer: Iterable[Newer], begun: Callable[[str], int]) -> None:
        """Have relieved alarms told with the newer value that their speaker gave in a later turn, and not taken back.

        In one turn it is a course, of which only the end is told.
        """
        worded = {each.item_id for each in newer if each.text and each.item_id in self.relieved}
        kept = {
            item.item_id
            for item in self.items
            if item.item_id in worded
            and all(cite.last_seq < begun(person(cite.agent_id)) for cite in item.cites)
        }
        self.withdraws[:] = [each for each in self.withdraws if each not in kept]

    def taken_back(
        self, begun: Callable[[str], int], numbers: Numbers, changed: Sequence[Claim] = ()
    ) -> tuple[str, ...]:
        """Return the ids of items that must not be spoken any more.

        `begun`: the first delta of an agent's newest turn. `changed`: the claims that this update tells.
        """
        settled = [
            item.item_id
            for item in self.items
            if item.text.startswith(CONTRADICTED)
            and item.item_id not in self.settled
            and numbers.was_put_right(numbers_in(item.text))
        ]
        self.settled.update(settled)
        heard = Heard(tuple(self.said), tuple(self.before), frozenset(self.newest), tuple(changed))
        over = heard.takes_back([each for each in self.items if each.item_id not in self.gone], begun)
        gone = [each for each in dict.fromkeys((*self.withdraws, *settled, *over)) if each not in self.gone]
        self.gone.update(gone)
        if gone:
            self.takings.append(Taking(tuple(each for each in self.items if each.item_id in gone), heard))
        return tuple(gone)

    def lost_by(self, agent_id: str, first_seq: int, begun: Callable[[str], int]) -> list[SpokenItem]:
        """Return the items that only an agent's words from delta `first_seq` on took back."""
        return lost_by(self.takings, agent_id, first_seq, begun)

    def told(self, items: tuple[SpokenItem, ...]) -> None:
        """Start over after an update that told `items`."""
        self.items.extend(items)
        self.newest = {item.item_id for item in items}
        self.before = [*self.before, *self.said][-MOST_BACK:]
        for each in (self.waiting, self.said, self.fallbacks, self.withdraws, self.relieved):
            each.clear()
