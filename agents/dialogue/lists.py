"""Several facts of one kind as one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.dialogue.facts import Fact, FactKind
from exaim_core.text.names import NUMBER_WORDS, number_word
from exaim_core.text.wording import series


def newest(facts: Sequence[Fact]) -> list[Fact]:
    """Return the first fact of each name, in the order given."""
    return list({fact.name: fact for fact in reversed(facts)}.values())[::-1]


def newest_of_each(facts: Sequence[Fact], members: Sequence[str]) -> list[Fact]:
    """Return the newest fact of each member of a group, in the group's order."""
    chosen: dict[str, Fact] = {}
    for member in members:
        of_it = [fact for fact in facts if member in fact.head.names]
        if of_it:
            latest = max(of_it, key=lambda fact: fact.order)
            chosen.setdefault(latest.name, latest)
    return list(chosen.values())


def joined(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return facts of one kind as one sentence; its shorter wordings hold fewer, and say how many more."""
    if len(facts) < 2:
        return tuple(facts)
    first = facts[0]
    verb = " ".join(first.said[0].split()[:4])  # "the case paper has", "the case paper lists"
    parts = [fact.said[-1].removeprefix(verb).strip() for fact in facts]
    same_time = bool(first.at) and all(fact.at == first.at for fact in facts)
    if same_time:
        parts = [part.replace(f" {first.at}", "") for part in parts]
    when = f", {first.at}" if same_time else ""
    said = []
    for count in range(len(parts), 0, -1):
        more = f", and {_how_many(len(parts) - count)} more" if count < len(parts) else ""
        said.append(f"{verb} {series(parts[:count])}{more}{when}")
    if first.told is FactKind.MEDICINE and len(facts) > 3:
        said.insert(0, f"{verb} {series([fact.name for fact in facts])}")
    whole = replace(
        first,
        name="",
        said=tuple(said),
        bare=(),
        rests_on=tuple(text for fact in facts for text in fact.rests_on),
        numbers=frozenset(number for fact in facts for number in fact.numbers),
    )
    return (whole,)


def _how_many(count: int) -> str:
    """Return a count as a word; above twelve "many", for digits would sound like a figure of the case."""
    return number_word(count) if count < len(NUMBER_WORDS) else "many"
