"""What was asked for or forbidden, and told, is remembered by what it names, and followed up once where it falls.

Whoever refuses it later, takes it back, puts it off, gives another dose, or answers it with a "no" is told in their own
words, before what is routine: who heard the order hears that it stands no more. What a later sentence says by itself in
a way that is told anyway needs no help.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.board.replying import Replying, numbered_label
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.quotes import Worth, asks_for
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.named import names
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.text.assertion import Status, clauses, statuses_of
from exaim_core.text.boundaries import stopped
from exaim_core.text.places import Source
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence
from exaim_core.text.wording import lower_first, word_count

MOST_TOLD: Final = 24  # orders and bans of a case that are remembered, the newest
MOST_CHARS: Final = (
    400  # of a clause that refuses something plainly; a search in more would take the loop for long
)
LEAST_CHARS: Final = 3  # of a word that stands for what was asked for, where no lexicon knows it
MOST_APART: Final = 24  # characters between a drug's name and its dose
MOST_REPLY: Final = 20  # words of a refusal
MOST_CALLED: Final = 9  # words that an order is called by
_FORMS: Final = lexicon("board/overturning")
_DOSES: Final = frozenset(
    {"mg", "g", "microgram", "ng", "unit", "mmol", "ml", "mg/h", "ml/h", "mg/kg", "unit/h"}
)
_DENIED: Final = re.compile(
    r"\b(?:not|instead of|rather than) (?P<number>\d(?:[\d.,]*\d)?)(?P<unit> ?[a-zµ/]{1,12})?(?=[.,;)]|\Z)",
    re.IGNORECASE,
)
_STOP: Final = re.compile(r"(?<=[.!]) +")
_AND: Final = re.compile(r"\band\b|\bthen\b|[;,+&]")
_BAN: Final = str(int(Worth.PROHIBITION))
_ORDERS: Final = {str(int(Worth.ORDER)), str(int(Worth.URGENT))}
_HEAD: Final = re.compile(r"[,;:(]|\.(?=\s|\Z)")
_WORD: Final = re.compile(r"[^\W\d_][\w-]+")
_YET: Final = re.compile(r"yet(?=[.,;]|\Z)")  # of the clause before it: "no heparin yet"
_OPEN: Final = frozenset(
    {Status.CONDITIONAL, Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON, Status.PAST}
)


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
    """The orders and bans of one case that were told."""

    def __init__(self, replying: Replying) -> None:
        self._replying = replying
        self._told: deque[Order] = deque(maxlen=MOST_TOLD)
        self._used: deque[tuple[Order, Source]] = deque(maxlen=MOST_TOLD)  # each with what was told of it
        self._held: tuple[Overturned, Sentence, int] | None = None

    def tell(self, claim: Claim) -> None:
        """Note an order or a ban that is told."""
        if any(each.source.meets(claim.source) and each.text == claim.text for each in self._told):
            return
        if found := things(claim.text) | _other_names(claim.text):
            ban = prohibits(claim.text) or (claim.kind is Kind.QUOTE and claim.raw == _BAN)
            asked = claim.kind is Kind.ACTION or claim.raw in _ORDERS
            self._told.append(Order(claim.source, found, claim.text, self._replying.turn, ban, asked))

    def overturned(self, unit: Sentence) -> Overturned | None:
        """Return what was told that `unit` overturns, and by what; None if it is nothing. It was heard last."""
        if not self._told or unit.row or unit.text.endswith("?"):
            return None
        return self._by_name(unit) or self._by_dose(unit)

    def _by_dose(self, unit: Sentence) -> Overturned | None:
        """Return the order whose drug `unit` gives in another dose instead, or whose dose it denies."""
        if statuses_of(unit.full, "") & _OPEN or _FORMS["besides"].search(unit.full):
            return None
        given = doses(unit.full)
        for told in reversed(self._told):
            asked = doses(told.text)
            if not asked or not _is_later(unit.source, told.source) or told.turn == self._replying.turn:
                continue
            for drug in asked.keys() & given.keys() if _FORMS["gives"].match(unit.full) else ():
                units = {dose.unit for dose in asked[drug]}
                other = [dose for dose in given[drug] if dose.unit in units]
                numbers = {dose.number for dose in asked[drug]}
                if other and not any(dose.number in numbers for dose in given[drug]):
                    return Overturned(told, unit.full[other[0].start : other[0].end])
            of_it = not (given.keys() | self._replying.drugs) - asked.keys()
            denied = _denied(unit.full, [dose for each in asked.values() for dose in each])
            if denied and of_it and told.called:
                return Overturned(told, "", _around(unit.full, denied))
        return None

    def hold(self, unit: Sentence) -> None:
        """Note whether `unit`, heard last, refuses an order without naming it; drop what is held if it permits."""
        if self._held is not None and self._held[2] == self._replying.turn:
            if _permits(unit.full):
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
        opening = _STOP.split(words, maxsplit=1)  # a "No." may be of one unit with what stands behind it
        answered = self._replying.answered(unit) if not any(map(_permits, opening[1:])) else None
        if answered is None or not _FORMS["better" if answered.own else "refuses"].fullmatch(opening[0]):
            return None
        words = words if word_count(words) <= MOST_REPLY else opening[0]
        told = [each for each in self._told if each.source.meets(answered.source)]
        if len(told) != 1 or not _is_plain(told[0]) or not told[0].called:
            return None
        beside = [each for each in self._told if each.turn == told[0].turn]
        return Overturned(told[0], "", words) if answered.alone or len(beside) == 1 else None

    def _by_name(self, unit: Sentence) -> Overturned | None:
        """Return what was told that `unit` refuses, takes back or allows again, and its name as it stands there."""
        for clause in clauses(unit.full):
            if clause.statuses & _OPEN or len(clause.text) > MOST_CHARS:
                continue
            rest = unit.full[clause.end :]
            yet = _YET.match(rest)
            text = clause.text if yet is None else clause.text + yet.group()
            for told in self._told:
                if not _is_later(unit.source, told.source):
                    continue
                name = _overturns(text, told)
                if name is not None and not _turned(rest, told):
                    return Overturned(told, name)
        return None

    def use(self, over: Overturned, source: Source) -> None:
        """Note that it is told, in words at `source`, that an order stands no more: it is followed up once."""
        order = over.order
        if order in self._told:
            self._told.remove(order)
            self._used.append((order, source))

    def is_fallen(self, source: Source) -> bool:
        """Tell whether what was told at `source` was followed up: it is nobody's context any more."""
        return any(_same_words(source, order.source) for order, _ in self._used)

    def is_own(self, order: Order) -> bool:
        """Tell whether `order` was given in the turn of the sentence that was heard last."""
        return order.turn == self._replying.turn

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on; what it used up stands again."""

        def gone(source: Source) -> bool:
            return source.agent_id == agent_id and source.first_seq >= since

        again = [order for order, source in self._used if gone(source)]
        kept = [each for each in (*self._told, *again) if not gone(each.source)]
        used = [(order, source) for order, source in self._used if not (gone(order.source) or gone(source))]
        self._told = deque(sorted(kept, key=lambda each: each.source.first_seq), maxlen=MOST_TOLD)
        self._used = deque(used, maxlen=MOST_TOLD)


def _permits(text: str) -> bool:
    """Tell whether what stands behind a refusal may let the order stand, or asks for something itself."""
    asks = asks_for(text) or doses(text) or names_measure(text)
    return bool(asks or text.endswith("?") or _FORMS["permits"].search(text))


def _is_plain(order: Order) -> bool:
    """Tell whether an order asks for one thing, and for no other beside it; a ban or a reaction is none."""
    text = order.text
    if order.ban or "allerg" in text.lower() or text.endswith("?") or statuses_of(text, "") & _OPEN:
        return False
    asked = [part for part in _AND.split(text) if drugs_named(part) or names_measure(part) or asks_for(part)]
    return (order.asked or asks_for(text) or bool(doses(text))) and len(asked) == 1


def _denied(text: str, asked: Sequence[Quantity]) -> str:
    """Return where `text` denies one of the doses, in its unit or beside another dose in it; "" for nowhere."""
    given = quantities(text)
    for no in _DENIED.finditer(text):
        for dose in asked:
            same = [each for each in given if each.unit == dose.unit]
            here = any(no.start() < each.start < no.end() for each in same)
            other = not no["unit"] and any(each.end <= no.start() for each in same)
            if no["number"] == dose.number and (here or other):
                return no.group()
    return ""


def _same_words(one: Source, other: Source) -> bool:
    return one == other and one.spans == other.spans


def offers(unit: Sentence) -> bool:
    """Tell whether a sentence gives a drug with its dose, whoever is to give it."""
    return not unit.row and not statuses_of(unit.full, "") & _OPEN and bool(doses(unit.full))


@lru_cache(maxsize=512)
def doses(text: str) -> Mapping[str, Sequence[Quantity]]:
    """Return the doses that stand right behind a drug's name in `text`, by the drug."""
    found: dict[str, list[Quantity]] = {}
    named = [*DRUG.finditer(text)]
    for quantity in quantities(text) if named else ():
        before = [match for match in named if match.end() <= quantity.start]
        if before and quantity.unit in _DOSES and quantity.start - before[-1].end() <= MOST_APART:
            found.setdefault(before[-1].group().lower(), []).append(quantity)
    return found


def _around(text: str, words: str) -> str:
    """Return `text` if it is short enough, else its part between stops that holds `words`; "" if neither is."""
    parts = (text, *(part for part in stopped(text) if words in part))
    return next((part.strip(" ;.,") for part in parts if word_count(part) <= MOST_REPLY), "")


def _is_later(source: Source, told: Source) -> bool:
    if source.agent_id == told.agent_id:
        return not source.meets(told)
    return source.first_seq > told.last_seq


def _turned(rest: str, told: Order) -> bool:
    """Tell whether the rest of the sentence may turn round what was said: a "but" that names nothing else."""
    return _FORMS["turned"].match(rest) is not None and not things(rest) - told.names


def _overturns(clause: str, told: Order) -> str | None:
    """Return the name by which `clause` refuses what was asked for, or allows what was forbidden; None if it does not.

    A name that no lexicon knows counts where it is said to be refused, and not behind a bare "no" or "not": "no blood
    on any sequence" is a finding.
    """
    for name in _places(clause, told.names):
        marked = _marked(clause, name)
        if _FORMS["of_history"].search(marked):
            continue
        if _forbids(told.text, name.group()):
            found = _unguarded("allows", marked)
        else:
            found = _refusal(marked)
            if found is not None and _FORMS["plainly"].match(found.group()) is None:
                found = found if _is_given(name.group()) else None
        if found is not None and _FORMS["of_then"].search(marked[: marked.find("§")]) is None:
            return name.group()
    return None


def _marked(text: str, name: re.Match[str]) -> str:
    return f"{text[: name.start()]}§{text[name.end() :]}"


def _refusal(marked: str) -> re.Match[str] | None:
    return _unguarded("against", marked)


def _unguarded(form: str, marked: str) -> re.Match[str] | None:
    """Return where a form stands in `marked`, unless it is itself denied: "should not delay or omit §"."""
    found = _FORMS[form].search(marked)
    if _FORMS["doubted"].search(marked):
        return None
    return None if found is None or _FORMS["guarded"].search(marked[: found.start()]) else found


def _forbids(text: str, name: str) -> bool:
    """Tell whether what was told keeps from what it names so."""
    there = re.search(re.escape(name), text, re.IGNORECASE)
    return prohibits(text) or (there is not None and _refusal(_marked(text, there)) is not None)


def _is_given(name: str) -> bool:
    return bool(drugs_named(name)) or names_measure(name)


def _places(clause: str, wanted: frozenset[str]) -> Iterator[re.Match[str]]:
    """Give where a clause names one of the things, also with the ending of a plural."""
    there = clause.lower()
    for name in sorted((each for each in wanted if each in there), key=len, reverse=True):
        yield from re.finditer(rf"(?<![\w-]){re.escape(name)}s?(?![\w-])", clause, re.IGNORECASE)


def _other_names(text: str) -> frozenset[str]:
    """Return the words of an order that may name what it asks for, and that no lexicon knows: "wire"."""
    return frozenset(
        word.lower()
        for word in _WORD.findall(text)
        if len(word) >= LEAST_CHARS and names(word) and not word.endswith(("ing", "ed", "ly"))
    )
