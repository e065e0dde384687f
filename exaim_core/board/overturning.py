"""What was asked for or forbidden, and told, is remembered by what it names, and followed up once where it falls.

Whoever refuses it later, takes it back or puts it off is told in their own words, before what is routine: who heard the
order hears that it stands no more. What a later sentence says by itself in a way that is told anyway needs no help.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from exaim_core.claims.claims import Claim
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.kinds import names_measure
from exaim_core.lexicon.named import names
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.things import things
from exaim_core.text.assertion import Status, clauses
from exaim_core.text.places import Source
from exaim_core.text.rows import lexicon
from exaim_core.text.units import Sentence

MOST_TOLD: Final = 24  # orders and bans of a case that are remembered, the newest
MOST_CHARS: Final = (
    400  # of a clause that refuses something plainly; a search in more would take the loop for long
)
LEAST_CHARS: Final = 3  # of a word that stands for what was asked for, where no lexicon knows it
_FORMS: Final = lexicon("board/overturning")
_WORD: Final = re.compile(r"[^\W\d_][\w-]+")
_YET: Final = re.compile(r"yet(?=[.,;]|\Z)")  # of the clause before it: "no heparin yet"
_OPEN: Final = frozenset(
    {Status.CONDITIONAL, Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON, Status.PAST}
)


@dataclass(frozen=True, slots=True)
class Order:
    """An order or a ban that was told: where it stands, and what it names."""

    source: Source
    names: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Overturned:
    """An order or a ban that a sentence refuses or allows again, and the name by which it does so."""

    order: Order
    name: str


class Overturning:
    """The orders and bans of one case that were told."""

    def __init__(self) -> None:
        self._told: deque[Order] = deque(maxlen=MOST_TOLD)
        self._used: deque[tuple[Order, Source]] = deque(maxlen=MOST_TOLD)  # each with what was told of it

    def tell(self, claim: Claim) -> None:
        """Note an order or a ban that is told."""
        if found := things(claim.text) | _other_names(claim.text):
            self._told.append(Order(claim.source, found, claim.text))

    def overturned(self, unit: Sentence) -> Overturned | None:
        """Return what was told that `unit` refuses, takes back or allows again, and its name as it stands there."""
        if not self._told or unit.row or unit.text.endswith("?"):
            return None
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

    def use(self, order: Order, source: Source) -> None:
        """Note that it is told, in words at `source`, that `order` stands no more: it is followed up once."""
        if order in self._told:
            self._told.remove(order)
            self._used.append((order, source))

    def withdraw(self, agent_id: str, since: int) -> None:
        """Forget what the agent said from delta `since` on; what it used up stands again."""

        def gone(source: Source) -> bool:
            return source.agent_id == agent_id and source.first_seq >= since

        again = [order for order, source in self._used if gone(source)]
        kept = [each for each in (*self._told, *again) if not gone(each.source)]
        used = [(order, source) for order, source in self._used if not (gone(order.source) or gone(source))]
        self._told = deque(sorted(kept, key=lambda each: each.source.first_seq), maxlen=MOST_TOLD)
        self._used = deque(used, maxlen=MOST_TOLD)


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
