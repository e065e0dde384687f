"""Find what was said last of the drugs that a waiting item names, or newer values, and word the item with it.

A voice is slower than a team. What it tells late may be refused, changed or done by then, in words that no form knows.
So nothing is concluded: who is told something late is told as well what was said of the same drug since, in its
speaker's words. A sentence that forbids, asks for, refuses, ends or changes something comes before one that only names
the drug. A ban that is only repeated is told once. Of what names no drug, or of whose drugs nothing was said, newer
values are told.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.claims.quotes import asks_for
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.schema import SaidSince, SpokenItem, SpokenKind
from exaim_core.text.names import Names, person
from exaim_core.text.units import Sentence, Unit
from exaim_core.text.wording import word_count
from exaim_core.words.newer import NewestValues
from exaim_core.words.revised import may_revise, takes_back
from exaim_core.words.since_then import Beside, last_seq, said_since, says_again
from exaim_core.words.templates import said_words

MOST_SAID: Final = 300  # sentences that are kept
MOST_ITEMS: Final = 100  # items, the newest, that may still wait
MOST_WORDS: Final = 14  # of what was said since; five seconds
_KINDS: Final = frozenset(
    {
        SpokenKind.ACTION,
        SpokenKind.CAUTION,
        SpokenKind.CHANGE,
        SpokenKind.CORRECTION,
        SpokenKind.FINDING,
        SpokenKind.TEST,
    }
)


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence with the drugs that it names; `weighs`: it forbids, asks for, refuses, ends or changes something."""

    drugs: frozenset[str]
    words: str
    weighs: bool
    agent_id: str
    seq: int
    turn_from: int  # the first delta of its turn


class LastSaid(Beside[_Said, SaidSince]):
    """What was said of each drug, and what is told beside the items that name it, or that give a value."""

    def __init__(self, values: NewestValues) -> None:
        super().__init__()
        self._values = values
        self._worded: dict[str, str] = {}  # what was said of the drugs of an item, by its id
        self._touched = set[str]()  # drugs of which something was said, or taken back, since the last update
        self._last_of: dict[str, frozenset[str]] = {}  # of whose last sentence named drugs last, by person

    def read(self, unit: Unit) -> None:
        """Take what a sentence says of drugs; a question says nothing, and what is long is not told beside another."""
        if not isinstance(unit, Sentence):
            return
        speaker, turn_from = person(unit.source.agent_id), self._turn_of(unit.source)
        said, drugs = unit.full.strip(" .;,!*"), self._of_which(speaker, unit.full)
        if not drugs or said.endswith("?") or word_count(said) > MOST_WORDS:
            return
        self._stated.append(
            _Said(
                drugs=drugs,
                words=said,
                weighs=prohibits(said) or asks_for(said) or may_revise(said),
                agent_id=unit.source.agent_id,
                seq=unit.source.first_seq,
                turn_from=turn_from,
            )
        )
        self._touched |= drugs
        del self._stated[:-MOST_SAID]

    def _of_which(self, speaker: str, text: str) -> frozenset[str]:
        """Return the drugs that a sentence names; those of its speaker's last one if it only takes that back.

        That is so while nobody has named another drug behind it. A question names none for this.
        """
        drugs = _drugs(text)
        if drugs and text.rstrip().endswith("?"):
            return drugs
        before = self._last_of.pop(speaker, frozenset())
        if not drugs:
            return before if takes_back(text) else drugs
        self._last_of = {who: named for who, named in self._last_of.items() if drugs <= named}
        self._last_of[speaker] = drugs
        return drugs

    def unsay(self, agent_id: str, first_seq: int) -> None:
        """Forget what an agent said from delta `first_seq` on."""
        before = self._stated
        super().unsay(agent_id, first_seq)
        self._touched.update(*(each.drugs for each in before if each not in self._stated))
        self._last_of.pop(agent_id, None)

    def _beside(self, items: Sequence[SpokenItem], names: Names) -> Iterable[SaidSince]:
        (touched, self._touched), (before, self._worded) = (self._touched, set()), (self._worded, {})
        for item in items[-MOST_ITEMS:]:
            if item.kind not in _KINDS or not item.cites:
                continue
            said = None if touched & _drugs(said_words(item.text)) else before.get(item.item_id)
            said = self._worded[item.item_id] = self._of(item, names) if said is None else said
            yield SaidSince(item_id=item.item_id, words=said or self._values.since(item, names))

    def _of(self, item: SpokenItem, names: Names) -> str:
        """Return what was said last of a drug that `item` names, with its speaker's name; "" for nothing."""
        words, told = said_words(item.text), last_seq(item)
        if not _drugs(words):
            return ""
        since = [
            each
            for each in self._stated
            if each.seq > told
            and (each.weighs or each.turn_from > told)  # else it only goes on
            and _is_of(each, words, bans=item.kind is SpokenKind.CAUTION)
        ]
        last = next((each for each in reversed(since) if each.weighs), since[-1] if since else None)
        return said_since(item, [(last.agent_id, last.words)], names) if last is not None else ""


def _is_of(said: _Said, words: str, *, bans: bool) -> bool:
    """Return whether a later sentence is about a drug of `words`, and does not say the same again.

    `bans`: they forbid; a ban beside them is the same.
    """
    if not said.drugs & _drugs(words) or (bans and prohibits(said.words) and prohibits(words)):
        return False
    return not says_again(words, said.words)


@lru_cache(maxsize=2048)
def _drugs(text: str) -> frozenset[str]:
    """Return the drugs and classes that `text` names."""
    return frozenset(drugs_named(text))
