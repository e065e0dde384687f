"""What speaks against a thing that is asked about, told before all else: its ban, its class's, and the record's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

from agents.dialogue.facts import PAPER, Fact, FactKind
from agents.dialogue.given import reacted_to
from agents.dialogue.look_up import FactGroup
from agents.dialogue.passages import Passages
from agents.dialogue.stops import Stops, asked_for, key_of
from exaim_core.patient.contraindications import Contraindications
from exaim_core.patient.paper import CasePaper
from exaim_core.patient.treatments import Treatment, treatments_named
from exaim_core.text.names import is_moderator
from exaim_core.text.places import Source
from exaim_core.text.wording import mid_sentence

_MOST_BANS: Final = 2  # sentences: the last word on it, and one before
_NOBODY: Final = Source("", 0, 0, 0.0)


class Against:
    """What the record of one patient has against what may be given."""

    def __init__(self, paper: CasePaper | None, facts: Sequence[Fact]) -> None:
        """`facts` are those of the paper."""
        self._known = Contraindications(paper)
        self._facts = [fact for fact in facts if fact.told in PAPER]

    def of(self, question: str) -> tuple[Fact, ...]:
        """Return the entries of the record that a thing in `question` meets, each said with what it meets."""
        found: dict[str, Fact] = {}
        for mention in treatments_named(question):
            drug = mid_sentence(mention.word)
            for claim in self._known.met(Treatment("", mention, question, _NOBODY)):
                against = claim.critical.against if claim.critical else ""
                entry = next((one for one in self._facts if _holds(one, against)), None)
                if against and entry is not None and entry.rests_on[0] not in found:
                    found[entry.rests_on[0]] = _met(entry, drug, against)
        return tuple(found.values())


def _holds(fact: Fact, words: str) -> bool:
    return bool(words) and any(words.lower() in text.lower() for text in fact.rests_on)


def _met(entry: Fact, drug: str, against: str) -> Fact:
    """Return an entry of the record, with the drug that it is a contraindication to."""
    said = tuple(f"{one}; {against} is a contraindication to {drug}" for one in entry.said)
    return replace(entry, said=said, bare=(), terms=(*entry.terms, drug, against, "contraindication"))


def with_decision(
    groups: tuple[FactGroup, ...], opening: str, members: Collection[str], passages: Passages
) -> tuple[FactGroup, ...]:
    """Return `groups` with what was decided of a class first, of which `members` are the drugs.

    That is the last sentence of the chair's that asks for one of them; where the chair has none, the last of anybody's.
    """
    wanted = {name.lower().removesuffix("s") for name in members}
    found = [one for one in passages.all if one.alone and not one.past and asked_for(one.text) & wanted]
    chaired = [one for one in found if is_moderator(one.agent)]
    last = (chaired or found)[-1:]
    told = [text for group in groups for fact in group.facts[:1] for text in fact.rests_on]
    if not last or any(reacted_to(text) for text in told[:1] if not chaired):
        return groups
    first = passages.fact_of(last[0])
    text = first.rests_on[0]
    rest = (
        replace(
            group,
            facts=tuple(fact for fact in group.facts if not any(text in said for said in fact.rests_on)),
        )
        for group in groups
        if not group.nearest
    )
    return (FactGroup(opening, (first,)), *(group for group in rest if group.facts))


def with_against(
    groups: tuple[FactGroup, ...],
    opening: str,
    question: str,
    stops: Stops,
    passages: Passages,
    record: Sequence[Fact],
) -> tuple[FactGroup, ...]:
    """Return `groups` with what speaks against first: the record, then what was forbidden, the last word before others.

    Where their first fact is such a ban they stay; what is no more than the nearest is told no more.
    """
    bans = stops.against(question)
    told = [fact for group in groups for fact in group.facts]
    texts = {one.text for one in bans}
    is_first = bool(told) and told[0].told in {
        FactKind.ALLERGY,
        FactKind.CRITICAL,
    }  # on record, it comes before what was said
    is_first = is_first or (bool(told) and any(told[0].rests_on[0].startswith(text) for text in texts))
    if not record and (not bans or is_first):
        return groups
    places = {key_of(one): at for at, one in enumerate(passages.said)}
    alone = (passages.alone_at(places[key_of(one)]) for one in bans if key_of(one) in places)
    first = [passages.fact_of(one) for one in alone if one is not None][:_MOST_BANS]
    first = [*record, *first]
    if not first:
        return groups
    known = {fact.rests_on[0] for fact in first}

    def is_new(fact: Fact) -> bool:
        return fact.told is FactKind.CRITICAL or not any(
            text in said for text in known for said in fact.rests_on
        )

    rest = (replace(group, facts=tuple(filter(is_new, group.facts))) for group in groups if not group.nearest)
    return (FactGroup(opening, tuple(first)), *(group for group in rest if group.facts))
