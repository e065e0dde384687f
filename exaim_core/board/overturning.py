"""What was asked for or forbidden, and told, is remembered by what it names, and followed up once where it falls.

Whoever refuses it later, takes it back, puts it off, gives another dose, or answers it with a "no" is told in their own
words, before what is routine: who heard the order hears that it stands no more. What a later sentence says by itself in
a way that is told anyway needs no help. What words do so: `claims/refusing.py`. Which order a "no" answers:
`board/replying.py`.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Final

from exaim_core.board.replying import Replying, numbered_label
from exaim_core.claims import refusing
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.quotes import Worth
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.text.assertion import statuses_of
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence
from exaim_core.text.wording import lower_first, word_count

MOST_TOLD: Final = 24  # orders and bans of a case that are remembered, the newest
MOST_CALLED: Final = 9  # words that an order is called by
_STOP: Final = re.compile(r"(?<=[.!]) +")
_HEAD: Final = re.compile(r"[,;:(]|\.(?=\s|\Z)")
_BAN: Final = str(int(Worth.PROHIBITION))
_ORDERS: Final = {str(int(Worth.ORDER)), str(int(Worth.URGENT))}


@dataclass(frozen=True, slots=True)
class Order:
    """An order or a ban that was told: where it stands, in which turn, and what it names."""

    source: Source
    names: frozenset[str]
    text: str
    turn: int = 0
    ban: bool = False
    asked: bool = False  # it asks for something, as its claim says

    @property
    def called(self) -> str:
        """Return what it is called behind "on": its one drug, else its first words; "" if these are too many."""
        drugs = drugs_named(self.text)
        if len(drugs) == 1:
            return next(iter(drugs))
        head = _HEAD.split(numbered_label(self.text)[1].lstrip(" >→*•"))[0].strip()
        asks = names_measure(head) and not statuses_of(head, "") and word_count(head) <= MOST_CALLED
        return f"“{lower_first(head)}”" if asks else ""

    def may_fall_by(self, unit: Sentence) -> bool:
        """Tell whether `unit` is not the order's own words, and its speaker, if another one, had heard it whole."""
        if unit.source.agent_id == self.source.agent_id:
            return not unit.source.meets(self.source)
        return unit.source.first_seq > self.source.last_seq


@dataclass(frozen=True, slots=True)
class Overturned:
    """An order or a ban that a sentence refuses or allows again.

    `name`: by what it does so, as it stands there. `words`: what answers the order, which names nothing of it; it is
    told behind what the order is called.
    """

    order: Order
    name: str
    words: str = ""


class Overturning:
    """The orders and bans of one case that were told. `replying` has heard a sentence before it is asked about here."""

    def __init__(self, replying: Replying) -> None:
        self._replying = replying
        self._told: deque[Order] = deque(maxlen=MOST_TOLD)
        self._used: deque[tuple[Order, Source]] = deque(maxlen=MOST_TOLD)  # each with what was told of it
        self._held: tuple[Overturned, Sentence, int] | None = None

    def tell(self, claim: Claim) -> None:
        """Note an order or a ban that is told."""
        if any(each.source.meets(claim.source) and each.text == claim.text for each in self._told):
            return
        if found := things(claim.text) | refusing.other_names(claim.text):
            ban = prohibits(claim.text) or (claim.kind is Kind.QUOTE and claim.raw == _BAN)
            asked = claim.kind is Kind.ACTION or claim.raw in _ORDERS
            self._told.append(Order(claim.source, found, claim.text, self._replying.turn, ban, asked))

    def overturned(self, unit: Sentence) -> Overturned | None:
        """Return what was told that `unit` overturns, and by what; None if it is nothing. It was heard last."""
        if not self._told or unit.row or unit.text.endswith("?"):
            return None
        return self._by_name(unit) or self._by_dose(unit)

    def _by_name(self, unit: Sentence) -> Overturned | None:
        """Return what was told that `unit` refuses, takes back or allows again, and its name as it stands there."""
        for clause, rest in refusing.plain_clauses(unit.full):
            for told in self._told:
                name = refusing.overturns(clause, told.names, told.text) if told.may_fall_by(unit) else None
                if name is not None and not refusing.is_turned(rest, told.names):
                    return Overturned(told, name)
        return None

    def _by_dose(self, unit: Sentence) -> Overturned | None:
        """Return the order whose drug `unit` gives in another dose instead, or whose dose it denies."""
        if not refusing.may_replace(unit.full):
            return None
        drugs = refusing.doses(unit.full).keys() | self._replying.drugs
        for told in reversed(self._told):
            asked = refusing.doses(told.text).keys()
            if not asked or told.turn == self._replying.turn or not told.may_fall_by(unit):
                continue
            if dose := next(refusing.gives_instead(unit.full, told.text), ""):
                return Overturned(told, dose)
            if not drugs - asked and told.called and (words := refusing.denied_dose(unit.full, told.text)):
                return Overturned(told, "", words)
        return None

    def hold(self, unit: Sentence) -> None:
        """Note whether `unit`, heard last, refuses an order without naming it; drop what is held if it permits."""
        if self._held is not None and self._held[2] == self._replying.turn:
            if refusing.permits(unit.full):
                self._held = None
            return
        over = self._by_reply(unit)
        self._held = (over, unit, self._replying.turn) if over is not None else None

    def take_held(self, agent_id: str) -> tuple[Overturned, Sentence] | None:
        """Return the order that the agent's turn, which is over, refuses without naming it, and its sentence."""
        held, self._held = self._held, None
        return held[:2] if held is not None and held[1].source.agent_id == agent_id else None

    def _by_reply(self, unit: Sentence) -> Overturned | None:
        """Return the order that `unit` refuses without naming it: it answers it by a plain refusal and no more."""
        words = numbered_label(unit.full)[1].strip(" ;,")
        opening, *rest = _STOP.split(
            words, maxsplit=1
        )  # a "No." may be of one unit with what stands behind it
        answered = self._replying.answered(unit) if not any(map(refusing.permits, rest)) else None
        if answered is None or not refusing.says_no(opening, to_itself=answered.own):
            return None
        told = [each for each in self._told if each.source.meets(answered.source)]
        if len(told) != 1 or told[0].ban or not told[0].called:
            return None
        beside = [each for each in self._told if each.turn == told[0].turn]
        if not refusing.asks_for_one(told[0].text, asked=told[0].asked) or not (
            answered.alone or len(beside) == 1
        ):
            return None
        return Overturned(told[0], "", words if word_count(words) <= refusing.MOST_REPLY else opening)

    def use(self, over: Overturned, source: Source) -> None:
        """Note that it is told, in words at `source`, that an order stands no more: it is followed up once."""
        order = over.order
        if order in self._told:
            self._told.remove(order)
            self._used.append((order, source))

    def is_fallen(self, source: Source) -> bool:
        """Tell whether what was told at `source` was followed up: it is nobody's context any more."""
        return any(source == order.source and source.spans == order.source.spans for order, _ in self._used)

    def is_own(self, order: Order) -> bool:
        """Tell whether `order` was given in the turn of the sentence that was heard last."""
        return order.turn == self._replying.turn

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on; what it used up stands again."""

        def gone(source: Source) -> bool:
            return person(source.agent_id) == agent_id and source.first_seq >= since

        again = [order for order, source in self._used if gone(source)]
        kept = [each for each in (*self._told, *again) if not gone(each.source)]
        used = [(order, source) for order, source in self._used if not (gone(order.source) or gone(source))]
        self._told = deque(sorted(kept, key=lambda each: each.source.first_seq), maxlen=MOST_TOLD)
        self._used = deque(used, maxlen=MOST_TOLD)
