"""What puts a figure right that is told: it is told before the sentence with the wrong one (docs/decisions/149).

No word list finds it. Whoever puts a figure right says the wrong one again, and another beside it in the same unit: "I
said 50 units per kilo. Make it 25." "The platelets are 84, not 48."
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.beside import as_one
from agents.dialogue.compose import MOST_OF_ONE, inside
from agents.dialogue.facts import PAPER, Fact
from agents.dialogue.given import names_given
from agents.dialogue.look_up import FactGroup
from agents.dialogue.meaning import meaning_of
from agents.dialogue.passages import Passages
from agents.dialogue.slots import LIMIT
from agents.dialogue.ties import share_asked
from agents.dialogue.vocabulary import known_vocabulary
from exaim_core.board.shown import SaidView
from exaim_core.claims.correcting import correction
from exaim_core.claims.put_right import values_put_right
from exaim_core.patient.conflicts import corrected
from exaim_core.text.names import with_spoken_names
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.wording import word_count

_NEAR: Final = 20  # characters before a figure: a word there makes it a limit
_MEASURED: Final = frozenset({"labs", "signs"})


def with_put_right(question: str, groups: tuple[FactGroup, ...], passages: Passages) -> tuple[FactGroup, ...]:
    """Return `groups` with what puts a figure of their first fact right before all else."""
    told = [fact for group in groups for fact in group.facts]
    if not told or groups[0].nearest:
        return groups
    first = put_right(told[0], passages, question)
    if not first or word_count(first[0].said[0]) > MOST_OF_ONE:
        return groups
    texts = set(first[0].rests_on)

    def rest(facts: Sequence[Fact]) -> tuple[Fact, ...]:
        new = (fact for fact in facts if not texts & set(fact.rests_on))
        return tuple(_before(fact) if fact is told[0] else fact for fact in new)

    kept = (replace(group, facts=rest(group.facts)) for group in groups)
    return (FactGroup(groups[0].opening, first), *(group for group in kept if group.facts))


def _before(fact: Fact) -> Fact:
    """Return a fact led by that it was said before what was told."""
    return replace(fact, said=tuple(f"before that, {inside(said)}" for said in fact.said), bare=())


def put_right(fact: Fact, passages: Passages, question: str = "") -> tuple[Fact, ...]:
    """Return the last of what was said later and puts a figure of `fact` right, with what it leans on; () for nothing.

    Of several sentences those count that are of the `question`.
    """
    said = passages.said
    places = () if fact.told in PAPER else passages.told_at(fact) or _place_of(fact, passages)
    if len(places) > 1:
        places = tuple(k for k in places if share_asked(question, said[k].text))
    if not places or any(corrected(said[k].text) for k in places):
        return ()
    wrong = [each for k in places for each in _figures(said[k].text)]
    names = _names(" ".join(said[k].text for k in places))
    for later in range(len(said) - 1, places[-1], -1):
        same = said[later].agent_id == said[places[-1]].agent_id
        for window in _windows(said, later):
            if _puts_right(said, window, wrong, names, same=same):
                return as_one(passages, window)
    return ()


def _place_of(fact: Fact, passages: Passages) -> tuple[int, ...]:
    """Return where the sentence stands that a typed fact of the board was made from."""
    return tuple(
        k
        for k, one in enumerate(passages.said)
        if one.agent_id in fact.agents[:1] and one.text == fact.rests_on[0]
    )[-1:]


def _windows(said: Sequence[SaidView], at: int) -> tuple[tuple[int, ...], ...]:
    """Return the place of a sentence alone, and behind that of the one before it in its turn."""
    before = at and said[at - 1].in_turn == said[at].in_turn and not said[at - 1].text.endswith("?")
    return ((at,), (at - 1, at)) if before else ((at,),)


def _puts_right(
    said: Sequence[SaidView],
    window: tuple[int, ...],
    wrong: Sequence[Quantity],
    names: frozenset[str],
    *,
    same: bool,
) -> bool:
    """Tell whether the last sentence of `window` gives another figure for one of `wrong`, which stands there too.

    It names nothing else that is given or measured, and one of `names` where its speaker is not the `same`.
    """
    last = said[window[-1]]
    text = " ".join(said[k].text for k in window)
    if last.past or last.text.endswith("?") or not _figures(last.text):
        return False
    named = _names(text)
    if not (named & names if named else same):
        return False
    pair, amount = corrected(last.text), correction(last.text)
    if pair is not None:
        return _has(wrong, pair[1])
    if amount is not None and amount.is_sure:
        return amount.wrong in {one.number for one in wrong}
    if named - names:
        return False
    if {number for _, number in values_put_right(last.text)} & {one.number for one in wrong}:
        return True
    before = _figures(
        " ".join(said[k].text for k in window[:-1])
    )  # "5000 units, then 1000 an hour" is one order
    again = [one for one in wrong if _has(before, one) and (one.unit or named)]
    new = [
        each
        for each in _figures(last.text)
        if not _has(wrong, each) and not _is_limit(with_spoken_names(last.text), each)
    ]
    return any(each.unit == one.unit for one in again for each in new)


def _is(one: Quantity, other: Quantity) -> bool:
    """Tell whether two are one figure: the number, and the unit where both have one."""
    return one.number == other.number and (one.unit == other.unit or not (one.unit and other.unit))


def _figures(text: str) -> tuple[Quantity, ...]:
    """Return the figures of a text; a speaker's number is none, and a single digit stands for too much."""
    found = quantities(with_spoken_names(text))
    return tuple(each for each in found if each.unit or len(each.number) > 1)


def _is_limit(text: str, one: Quantity) -> bool:
    return LIMIT.search(text, max(0, one.start - _NEAR), one.start) is not None


def _has(figures: Sequence[Quantity], one: Quantity) -> bool:
    return any(_is(each, one) for each in figures)


def _names(text: str) -> frozenset[str]:
    """Return what a text names that is given, and the values and signs that it names."""
    entries = known_vocabulary().entries
    measured = {
        name for name in meaning_of(text).names if name in entries and entries[name].kind in _MEASURED
    }
    return frozenset(names_given(text) | measured)
