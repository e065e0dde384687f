"""Remember orders and bans that were spoken; follow each up once when a later sentence overturns it.

A speaker who refuses it, takes it back, puts it off, gives another dose or answers it with "no" is told in their own
words, before routine items, so that a listener who heard the order hears that it no longer stands. If the sentence
is told anyway and says so itself, nothing is added. Which words overturn: `claims/refusing.py`. Which order a "no"
answers: `board/replying.py`.

An amount that is put right, by whoever says it, is off: the order that gives it is taken back (`putting_right.py`),
spoken or not. Which amount is meant: the one with the number that is denied, else the newest one of the kind, of the
speaker or of the agent that is named (`claims/correcting.py`).
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
NEAR: Final = 12  # sentences after an amount in which a correction need not name its number
_STOP: Final = re.compile(r"(?<=[.!]) +")
_HEAD: Final = re.compile(r"[,;:(]|\.(?=\s|\Z)")
_NOUN: Final = re.compile(
    r"\W*(?:(?:please|now|then|let['’]?s|we|I|you|can|could|should|give|start|run|hang|order|push|put up|prescribe|"
    r"draw up|get|the|a|some|her|him|with|of|on|at)\W+)*(?P<noun>[^\W\d][\w-]*(?: [^\W\d][\w-]*)?)\W*(?:at|of|to)?\W*",
    re.IGNORECASE,
)
"""What stands before an amount: words of ordering, and one or two words that name what is given."""
_ORDERS: Final = frozenset({Worth.ORDER, Worth.URGENT})


@dataclass(frozen=True, slots=True)
class ToldOrder:
    """An order or a ban: its source and turn, and the things that it names."""

    source: Source
    names: frozenset[str]
    text: str
    turn: int = 0
    ban: bool = False
    asked: bool = False  # its claim says that it asks for something

    @property
    def called(self) -> str:
        """Return its name for use after "on": its one drug, else its first words; "" if those are too many."""
        drugs = drugs_named(self.text)
        if len(drugs) == 1:
            return next(iter(drugs))
        head = _HEAD.split(numbered_label(self.text)[1].lstrip(" >→*•"))[0].strip()
        asks = names_measure(head) and not statuses_of(head, "") and word_count(head) <= MOST_CALLED
        return f"“{lower_first(head)}”" if asks else ""

    def named_by(self, wrong: frozenset[Number]) -> str:
        """Return what is given in the amounts `wrong`: the one drug, else the noun before, else its words."""
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
        """Return whether `unit` is not part of the order and began after another speaker's order had ended."""
        if unit.source.agent_id == self.source.agent_id:
            return not unit.source.meets(self.source)
        return unit.source.first_seq > self.source.last_seq


@dataclass(frozen=True, slots=True)
class Overturned:
    """An order or a ban that a sentence refuses or allows again.

    `name`: the word for it in that sentence. `words`: an answer to the order that names nothing of it; it is spoken
    after the order's name (`ToldOrder.called`), or after `what`. `wrong`: the order's amounts that are put right, in
    the clause `part`.
    """

    order: ToldOrder
    name: str
    words: str = ""
    wrong: frozenset[Number] = frozenset()
    what: str = ""
    part: str = ""


_AND: Final = re.compile(r"\b(?:and|plus|then|with)\b|[;,+&]", re.IGNORECASE)


def is_of_one(text: str) -> bool:
    """Return whether an order asks for one thing alone, so that whoever refuses that refuses all of it."""
    others = _AND.split(text)[1:]
    return len(drugs_named(text)) < 2 and not any(names(each) or amounts(each) for each in others)


class Overturning:
    """The spoken orders and bans of one case. `replying` must hear each sentence before this does."""

    def __init__(self, replying: Replying, called: Callable[[str], str]) -> None:
        """`called` returns an agent's spoken name."""
        self._replying, self._called = replying, called
        self._told: deque[ToldOrder] = deque(maxlen=MOST_TOLD)
        self.refused: list[ToldOrder | Claim] = []  # since the last update, whose maker empties it
        self._used: deque[tuple[ToldOrder, Source]] = deque(maxlen=MOST_TOLD)  # each with its follow-up
        self._held: tuple[Overturned, Sentence, int] | None = None
        self._given: deque[tuple[int, ToldOrder]] = deque(
            maxlen=MOST_TOLD
        )  # amounts, and after how many sentences
        self._heard = 0  # sentences
        self._righted: tuple[ToldOrder, int] | None = (
            None  # the last amount that was put right, and in which turn
        )

    def tell(self, claim: Claim) -> None:
        """Note an order or a ban that is spoken."""
        if any(each.source.meets(claim.source) and each.text == claim.text for each in self._told):
            return
        if found := things(claim.text) | refusing.other_names(claim.text):
            ban = prohibits(claim.text) or (claim.kind is Kind.QUOTE and claim.worth is Worth.PROHIBITION)
            asked = claim.kind is Kind.ACTION or claim.worth in _ORDERS
            self._told.append(ToldOrder(claim.source, found, claim.text, self._replying.turn, ban, asked))

    def overturned(self, unit: Sentence) -> Overturned | None:
        """Return what `unit`, heard last, overturns of what was spoken, and by which words; None for nothing."""
        if unit.row or unit.text.endswith("?"):
            return None
        if (over := self._by_correction(unit)) is not None:
            return over
        return (self._by_name(unit) or self._by_dose(unit)) if self._told else None

    def give(self, unit: Sentence) -> None:
        """Note a sentence that gives an amount of something; others are only counted."""
        self._heard += 1
        if unit.row or not amounts(unit.full) or statuses_of(unit.full, "") & refusing.OPEN:
            return
        agent = unit.source.agent_id
        text = unit.full if unit.item is None or unit.item in unit.full else f"{unit.item}: {unit.full}"
        named = _named(text)
        before = self._given[-1] if self._given else None
        if not named and before is not None and before[1].source.agent_id == agent and correction(text):
            return  # it corrects what was said before, and is no order itself
        self._given.append((self._heard, ToldOrder(unit.source, named, text, self._replying.turn)))

    def _by_correction(self, unit: Sentence) -> Overturned | None:
        """Return the order whose amount `unit` puts right, spoken or not; None for none."""
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
        """Return the order whose amount `said` is about; None if none fits."""
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
        """Return whether `text` names the agent as an owner: "Doctor Brandt's dose"."""
        name = re.escape(self._called(person(agent_id)).split()[-1])
        return re.search(rf"\b{name}['’]s\b", text, re.IGNORECASE) is not None

    def _by_name(self, unit: Sentence) -> Overturned | None:
        """Return what `unit` refuses, takes back or allows again by name, with the name used; else None."""
        for clause, rest in refusing.plain_clauses(unit.full):
            for told in self._told:
                name = refusing.overturns(clause, told.names, told.text) if told.may_fall_by(unit) else None
                if name is not None and not refusing.is_turned(rest, told.names):
                    return Overturned(told, name)
        return None

    def _by_dose(self, unit: Sentence) -> Overturned | None:
        """Return the order for whose drug `unit` gives another dose or denies the dose; else None."""
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
        """Hold `unit`, heard last, if it refuses an order without naming it; drop it if the turn permits."""
        if self._held is not None and self._held[2] == self._replying.turn:
            if refusing.permits(unit.full):
                self._held = None
            return
        over = self._by_reply(unit)
        self._held = (over, unit, self._replying.turn) if over is not None else None

    def take_held(self, agent_id: str) -> tuple[Overturned, Sentence] | None:
        """Return the order that the agent's finished turn refuses without naming it, with its sentence."""
        held, self._held = self._held, None
        return held[:2] if held is not None and held[1].source.agent_id == agent_id else None

    def _by_reply(self, unit: Sentence) -> Overturned | None:
        """Return the order to which `unit` is a plain refusal that names nothing; None for none."""
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
        """Note that words at `source` tell that an order no longer stands: it is followed up only once."""
        order = over.order
        if order in self._told:
            self._told.remove(order)
            self._used.append((order, source))
            plainly = bool(over.words) or source.agent_id == order.source.agent_id
            if plainly and not order.ban and is_of_one(order.text):  # "can wait", by another, is a view
                self.refused.append(order)

    def is_fallen(self, source: Source) -> bool:
        """Return whether what was told at `source` was overturned, so that it may be nobody's context."""
        return any(source == order.source and source.spans == order.source.spans for order, _ in self._used)

    def is_own(self, order: ToldOrder) -> bool:
        """Return whether `order` was given in the turn of the sentence heard last."""
        return order.turn == self._replying.turn

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on; orders that it overturned stand again."""

        def gone(source: Source) -> bool:
            return person(source.agent_id) == agent_id and source.first_seq >= since

        again = [order for order, source in self._used if gone(source)]
        self.refused = [each for each in self.refused if each not in again]
        kept = [each for each in (*self._told, *again) if not gone(each.source)]
        used = [(order, source) for order, source in self._used if not (gone(order.source) or gone(source))]
        self._given = deque((each for each in self._given if not gone(each[1].source)), maxlen=MOST_TOLD)
        self._told = deque(sorted(kept, key=lambda each: each.source.first_seq), maxlen=MOST_TOLD)
        self._used = deque(used, maxlen=MOST_TOLD)


def _numbers(text: str) -> Iterable[Number]:
    return ((dose.number, dose.unit) for each in refusing.doses(text).values() for dose in each)


def _named(text: str) -> frozenset[str]:
    """Return what `text` names apart from amounts and stopping words."""
    bare = blank(text, [(each.start, each.end) for each in amounts(text)])
    return frozenset(each for each in things(bare) if not is_stop(each))
