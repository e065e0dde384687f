"""Keep what came in since the last update, and find earlier items that it takes back."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from exaim_core.board.board import Board
from exaim_core.board.numbers import Number, numbers_in
from exaim_core.claims.bodily import Function
from exaim_core.claims.claims import Claim, Worth
from exaim_core.claims.finding import without_count
from exaim_core.claims.measured import values_named
from exaim_core.claims.quotes import worth_of
from exaim_core.kept import TOLD
from exaim_core.schema import Fallback, Newer, SaidSince, SpokenItem, SpokenKind
from exaim_core.text.names import Names, person
from exaim_core.text.places import Source
from exaim_core.text.token_gate import Chunk
from exaim_core.text.units import Unit
from exaim_core.words.care_sentences import CONTRADICTED
from exaim_core.words.evidence import meet
from exaim_core.words.last_said import LastSaid
from exaim_core.words.newer import NewestValues
from exaim_core.words.newer_events import NewestEvents
from exaim_core.words.since_then import last_seq, rests_on
from exaim_core.words.templates import said_words, stands_in
from exaim_core.words.told_bans import Spared
from exaim_core.words.withdrawn import MOST_BACK, Begun, given_up, passed_by, withdrawn

EARLIER: Final = 8  # sentences before the last update, to which one after it may refer


@dataclass(slots=True)
class Since:
    """What waits for the next update: released chunks, sentences, models' failures, items taken back.

    `before` are the last sentences before it; `items` those spoken, as far back as `kept.TOLD`.
    """

    waiting: list[Chunk] = field(default_factory=list)
    said: list[Unit] = field(default_factory=list)
    before: list[Unit] = field(default_factory=list)
    fallbacks: list[Fallback] = field(default_factory=list)
    withdraws: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)  # what `said` takes off, found anew for each update
    relieved: set[str] = field(default_factory=set)  # ids of alarms whose speakers gave a better value since
    newest: set[str] = field(default_factory=set)  # ids of what the last update told
    gone: set[str] = field(default_factory=set)  # ids of what was taken back
    values: NewestValues = field(default_factory=NewestValues)
    events: NewestEvents = field(default_factory=NewestEvents)
    last_said: LastSaid = field(init=False)
    items: deque[SpokenItem] = field(default_factory=lambda: deque(maxlen=TOLD))
    spared: list[Spared] = field(default_factory=list)  # claims that some of `items` tell

    def __post_init__(self) -> None:
        self.last_said = LastSaid(self.values)

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

    def withdraw(self, board: Board) -> None:
        """Withdraw the items that the board no longer holds, or that something said since the last update takes off.

        What the board noted of this is cleared.
        """
        refused = {(person(each.source.agent_id), _bare(each.text)) for each in board.overturning.refused}
        stated, begun, righted = board.views.newest(), board.floor.begun, board.fallen_values
        standing = [item for item in self.items if item.item_id not in self.gone]
        self.withdraws += [
            item.item_id
            for item in standing
            if item.kind is not SpokenKind.CLOSING
            and (
                _tells_amount(item, board.fallen)
                or _tells_untrue(item, board.alarms.fallen, righted)
                or _is_outdated(item, stated)
                or _is_refused(item, refused)
                or (item.text.startswith(CONTRADICTED) and board.numbers.was_put_right(numbers_in(item.text)))
            )
        ]
        self.over = withdrawn(standing, self.said, self.before, self.newest, begun)
        self.over += [item.item_id for item in standing if item.likely and self._passes(item)]
        self.relieved |= {
            item.item_id
            for item in self.items
            if without_count(item.critical_key or "") in board.alarms.relieved
            and not _tells_untrue(item, (), righted)
        }
        self.values.disown((name, number) for name, number, _ in righted)
        for each in (
            board.fallen,
            board.alarms.relieved,
            board.alarms.fallen,
            righted,
            board.overturning.refused,
        ):
            each.clear()

    def _passes(self, item: SpokenItem) -> bool:
        """Return whether a sentence that was kept for a silence may no longer hold."""
        return passed_by(
            item.text.partition(": ")[2],
            last_seq(item),
            self.said,
            near=item.item_id in self.newest,
            agent_id=item.cites[-1].agent_id,
        )

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

    def tells(self, item: SpokenItem) -> bool:
        """Return whether what a model read is told already: its words stand whole in an item on the same place.

        That item has to be told as surely, and to stand still.
        """
        if not item.read:
            return False
        gone, words = {*self.gone, *self.withdraws, *self.over}, said_words(item.text)
        return any(
            old.item_id not in gone
            and {*old.agents} == {*item.agents}
            and (old.presses or not item.presses)
            and (old.protects or not item.protects)
            and not old.likely
            and meet(old.evidence, item.evidence)
            and stands_in(words, old.text)
            for old in self.items
        )

    def standing(self) -> tuple[SpokenItem, ...]:
        """Return the items that are told in any case, and that no newer one of their topic may replace."""
        newest = {item.topic: item.item_id for item in self.items if item.topic}
        gone = {*self.gone, *self.withdraws, *self.over}
        return tuple(
            item
            for item in self.items
            if (item.protects or (item.presses and item.topic is None))
            and item.item_id not in gone
            and newest.get(item.topic or "", item.item_id) == item.item_id
        )

    def unheard(self) -> list[Claim]:
        """Return the claims that were not told as an item told them which was taken back since; forget them."""
        if not self.spared:
            return []
        kept = {item.item_id for item in self.items}
        self.spared = [each for each in self.spared if each.items and each.items <= kept]  # else long ago
        standing = {item.item_id for item in self.standing()}
        lost = [each for each in self.spared if not each.items <= standing]
        self.spared = [each for each in self.spared if each not in lost]
        return [each.claim for each in lost]

    def newer(self, items: Sequence[SpokenItem], names: Names) -> tuple[Newer, ...]:
        """Return what was stated since of what alarms tell; `items` are those of the update that is made."""
        every = (*self.items, *items)
        return (*self.values.changed(every, names), *self.events.changed(every, names))

    def said_since(self, items: Sequence[SpokenItem], names: Names) -> tuple[SaidSince, ...]:
        """Return what was said since of the drugs that other items name; `items` are those of this update."""
        standing = [item for item in (*self.items, *items) if item.item_id not in self.gone]
        return tuple(self.last_said.changed(standing, names))

    def taken_back(self, newer: Iterable[Newer], changed: Sequence[Claim], begun: Begun) -> tuple[str, ...]:
        """Return the ids of items that must not be spoken any more; `changed` are the claims that this update tells.

        A relieved alarm is told with the `newer` value that its speaker gave in a later turn, if that is not taken
        back. In one turn it is a course, of which only the end is told. `begun`: the first delta of an agent's newest
        turn.
        """
        worded = self.relieved & {each.item_id for each in newer if each.text}
        stay = self.gone | {
            item.item_id
            for item in self.items
            if item.item_id in worded
            and all(cite.last_seq < begun(person(cite.agent_id)) for cite in item.cites)
        }
        every = dict.fromkeys((*self.withdraws, *self.over, *given_up(self.items, changed, begun)))
        gone = tuple(each for each in every if each not in stay)
        self.gone.update(gone)
        return gone

    def told(self, items: tuple[SpokenItem, ...]) -> None:
        """Start over after an update that told `items`."""
        self.items.extend(items)
        self.newest = {item.item_id for item in items}
        self.before = [*self.before, *self.said][-MOST_BACK:]
        for each in (self.waiting, self.said, self.fallbacks, self.withdraws, self.over, self.relieved):
            each.clear()


def _tells_amount(item: SpokenItem, fallen: Iterable[tuple[Source, frozenset[Number]]]) -> bool:
    """Return whether an item tells an amount put right since; an alarm stays: the hazard that it met is still true."""
    return item.kind is not SpokenKind.CRITICAL and any(
        numbers_in(item.text) & wrong and rests_on(item, source) for source, wrong in fallen
    )


def _tells_untrue(
    item: SpokenItem, alarms: Sequence[str], righted: Iterable[tuple[str, str, Source]]
) -> bool:
    """Return whether an item tells an alarm with one of the keys `alarms`, or a value put right since.

    `righted`: for each the name, the number, and the place where it was put right.
    """
    return without_count(item.critical_key or "") in alarms or any(
        (name, number) in values_named(item.text)
        and all(cite.first_seq < source.first_seq for cite in item.cites)
        for name, number, source in righted
    )


def _is_outdated(item: SpokenItem, stated: Mapping[str, int]) -> bool:
    """Return whether a disagreement has a side that has changed, or a spare sentence tells a view of before.

    `stated`: for each agent the first delta of the view that it last stated or took back.
    """
    old = [stated.get(person(cite.agent_id), -1) > cite.last_seq for cite in item.cites]
    if item.kind is SpokenKind.DISAGREEMENT:
        return any(old)
    return bool(item.likely) and all(old) and worth_of(said_words(item.text)) is Worth.VIEW


def _is_refused(item: SpokenItem, orders: Container[tuple[str, str]]) -> bool:
    """Return whether an item tells one of `orders` and nothing else: it was refused, and that is told."""
    return (
        item.kind is SpokenKind.ACTION
        and len(item.cites) == 1
        and (person(item.cites[0].agent_id), _bare(said_words(item.text))) in orders
    )


def _bare(words: str) -> str:
    return words.rstrip(" .!").lower()
