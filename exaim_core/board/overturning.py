"""What was asked for or forbidden, and told, is remembered by what it names, and followed up once where it falls.

Whoever refuses it later, takes it back, puts it off, gives another dose, or answers it with a "no" is told in their own
words, before what is routine: who heard the order hears that it stands no more. What a later sentence says by itself in
a way that is told anyway needs no help. What words do so: `claims/refusing.py`. Which order a "no" answers:
`board/replying.py`.

An amount that is put right, by whoever says it, is off: what gives it is taken back (`Board.put_right`). It need not
have been told. Which amount is meant: the one with the number that is denied, else the newest one of the kind, of the
speaker or of who is named (`claims/correcting.py`).
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from exaim_core.board.replying import Replying, numbered_label
from exaim_core.claims import refusing
from exaim_core.claims.claims import Claim, Kind, Worth
from exaim_core.claims.correcting import Correction, Number, amounts, correction
from exaim_core.claims.revoking import is_stop
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.named import names
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.lexicon.withdrawn import blank
from exaim_core.text.assertion import statuses_of
from exaim_core.text.names import person
from exaim_core.text.places import Source
from exaim_core.text.units import Sentence
from exaim_core.text.wording import lower_first, word_count

MOST_TOLD: Final = 24  # orders and bans of a case that are remembered, the newest
MOST_CALLED: Final = 9  # words that an order is called by
NEAR: Final = 12  # sentences behind an amount, in which what does not name its number may put it right
_STOP: Final = re.compile(r"(?<=[.!]) +")
_HEAD: Final = re.compile(r"[,;:(]|\.(?=\s|\Z)")
_NOUN: Final = re.compile(
    r"\W*(?:(?:please|now|then|let['’]?s|we|I|you|can|could|should|give|start|run|hang|order|push|put up|prescribe|"
    r"draw up|get|the|a|some|her|him|with|of|on|at)\W+)*(?P<noun>[^\W\d][\w-]*(?: [^\W\d][\w-]*)?)\W*(?:at|of|to)?\W*",
    re.IGNORECASE,
)
"""What stands before an amount: an order, and one or two words that name what is given."""
_ORDERS: Final = frozenset({Worth.ORDER, Worth.URGENT})


@dataclass(frozen=True, slots=True)
class ToldOrder:
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

    def named_by(self, wrong: frozenset[Number]) -> str:
        """Return what is given in the amounts `wrong`: the one drug, else the words before them, else its own words."""
        of = refusing.doses(self.text)
        drugs = [drug for drug, each in of.items() if any((one.number, one.unit) in wrong for one in each)]
        if len(drugs) == 1:
            return drugs[0]
        first = next((each for each in amounts(self.text) if (each.number, each.unit) in wrong), None)
        found = _NOUN.fullmatch(self.text[: first.start]) if first is not None and not drugs else None
        if found is not None and all(map(names, found["noun"].split())):
            return lower_first(found["noun"])
        return self.called or f"“{lower_first(self.text.rstrip('.'))}”"

    def may_fall_by(self, unit: Sentence) -> bool:
        """Tell whether `unit` is not the order's own words, and its speaker, if another one, had heard it whole."""
        if unit.source.agent_id == self.source.agent_id:
            return not unit.source.meets(self.source)
        return unit.source.first_seq > self.source.last_seq


@dataclass(frozen=True, slots=True)
class Overturned:
    """An order or a ban that a sentence refuses or allows again.

    `name`: by what it does so, as it stands there. `words`: what answers the order, which names nothing of it; it is
    told behind what the order is called, or behind `what`. `wrong`: the amounts of it that are put right, in the clause
    `part`.
    """

    order: ToldOrder
    name: str
    words: str = ""
    wrong: frozenset[Number] = frozenset()
    what: str = ""
    part: str = ""


class Overturning:
    """The orders and bans of one case that were told. `replying` has heard a sentence before it is asked about here."""

    def __init__(self, replying: Replying, called: Callable[[str], str]) -> None:
        """`called`: how an agent is called aloud."""
        self._replying, self._called = replying, called
        self._told: deque[ToldOrder] = deque(maxlen=MOST_TOLD)
        self._used: deque[tuple[ToldOrder, Source]] = deque(maxlen=MOST_TOLD)  # each with what was told of it
        self._held: tuple[Overturned, Sentence, int] | None = None
        self._given: deque[tuple[int, ToldOrder]] = deque(
            maxlen=MOST_TOLD
        )  # amounts, and after how many sentences
        self._heard = 0  # sentences
        self._righted: tuple[ToldOrder, int] | None = (
            None  # the last amount that was put right, and in which turn
        )

    def tell(self, claim: Claim) -> None:
        """Note an order or a ban that is told."""
        if any(each.source.meets(claim.source) and each.text == claim.text for each in self._told):
            return
        if found := things(claim.text) | refusing.other_names(claim.text):
            ban = prohibits(claim.text) or (claim.kind is Kind.QUOTE and claim.worth is Worth.PROHIBITION)
            asked = claim.kind is Kind.ACTION or claim.worth in _ORDERS
            self._told.append(ToldOrder(claim.source, found, claim.text, self._replying.turn, ban, asked))

    def overturned(self, unit: Sentence) -> Overturned | None:
        """Return what was told that `unit` overturns, and by what; None if it is nothing. It was heard last."""
        if unit.row or unit.text.endswith("?"):
            return None
        if (over := self._by_correction(unit)) is not None:
            return over
        return (self._by_name(unit) or self._by_dose(unit)) if self._told else None

    def give(self, unit: Sentence) -> None:
        """Note a sentence that was heard, if it gives an amount of something."""
        self._heard += 1
        if unit.row or not amounts(unit.full) or statuses_of(unit.full, "") & refusing.OPEN:
            return
        agent = unit.source.agent_id
        text = unit.full if unit.item is None or unit.item in unit.full else f"{unit.item}: {unit.full}"
        named = _named(text)
        before = self._given[-1] if self._given else None
        if not named and before is not None and before[1].source.agent_id == agent and correction(text):
            return  # it puts right what was said before, and stands for nothing itself
        self._given.append((self._heard, ToldOrder(unit.source, named, text, self._replying.turn)))

    def _by_correction(self, unit: Sentence) -> Overturned | None:
        """Return the amount that `unit` puts right, whether it was told or not."""
        said = correction(unit.full)
        order = self._meant(unit, said) if said is not None else None
        if said is None or order is None:
            return None
        self._righted = order, self._replying.turn
        wrong = said.replaced(order.text)
        drug = next(iter(drugs_named(said.part) & order.names), "")
        if drug and drug in said.part.lower():
            return Overturned(order, drug, "", wrong, part=said.part)
        words = refusing.short_enough(unit.full, said.mark)
        return Overturned(order, "", words, wrong, order.named_by(wrong)) if words else None

    def _meant(self, unit: Sentence, said: Correction) -> ToldOrder | None:
        """Return the order whose amount `said` is about; None where none is, or it may be one of two."""
        named, agent = _named(said.part), unit.source.agent_id
        if (
            self._righted is not None
            and not named
            and not said.own
            and self._righted[1] == self._replying.turn
        ):
            return self._righted[0] if said.replaced(self._righted[0].text) else None
        fits = [
            (at, each)
            for at, each in reversed(self._given)
            if each.may_fall_by(unit) and said.replaced(each.text) and (not named or named & each.names)
        ]
        if not said.is_sure:
            whose = [each for _, each in fits if self._is_called(each.source.agent_id, unit.full)]
            fits = [
                (at, each) for at, each in fits if self._heard - at <= NEAR and (not whose or each in whose)
            ]
            fits = [(at, each) for at, each in fits if not said.own or each.source.agent_id == agent]
        return fits[0][1] if fits else None

    def _is_called(self, agent_id: str, text: str) -> bool:
        """Tell whether `text` names the agent as whose something is: "Doctor Brandt's dose"."""
        name = re.escape(self._called(person(agent_id)).split()[-1])
        return re.search(rf"\b{name}['’]s\b", text, re.IGNORECASE) is not None

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
                own = told.source.agent_id == unit.source.agent_id
                return Overturned(told, dose, "", frozenset(_numbers(told.text)) if own else frozenset())
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

    def is_own(self, order: ToldOrder) -> bool:
        """Tell whether `order` was given in the turn of the sentence that was heard last."""
        return order.turn == self._replying.turn

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on; what it used up stands again."""

        def gone(source: Source) -> bool:
            return person(source.agent_id) == agent_id and source.first_seq >= since

        again = [order for order, source in self._used if gone(source)]
        kept = [each for each in (*self._told, *again) if not gone(each.source)]
        used = [(order, source) for order, source in self._used if not (gone(order.source) or gone(source))]
        self._given = deque((each for each in self._given if not gone(each[1].source)), maxlen=MOST_TOLD)
        self._told = deque(sorted(kept, key=lambda each: each.source.first_seq), maxlen=MOST_TOLD)
        self._used = deque(used, maxlen=MOST_TOLD)


def _numbers(text: str) -> Iterable[Number]:
    return ((dose.number, dose.unit) for each in refusing.doses(text).values() for dose in each)


def _named(text: str) -> frozenset[str]:
    """Return what `text` names beside its amounts and the words that stop something."""
    bare = blank(text, [(each.start, each.end) for each in amounts(text)])
    return frozenset(each for each in things(bare) if not is_stop(each))
