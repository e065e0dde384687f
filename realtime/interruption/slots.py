"""Parse commands by slots, for wordings in no list that are made of a closed vocabulary.

"Turn it down a touch" is a knob, a thing, a way and a degree; whoever says "bring your voice down slightly" fills
the same slots. `slots.json` has the words by their role and which roles make a command. A stretch of a turn is a
command if it can be cut into phrases of that command's roles, in any order, with every needed role among them. One
word without such a role, or two commands that fit, and it is none: what is not understood steers nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final, TypeAlias

from exaim_core.text.patterns import compiled_by_all
from realtime.interruption.patterns import expanded

Words: TypeAlias = tuple[str, ...]
Span: TypeAlias = tuple[int, int]

MOST_WORDS: Final = 16
"""Of a turn that is cut by slots; a command that takes longer to say is a sentence."""
_KEPT: Final = 8  # turns, each of which is read a few times


@dataclass(frozen=True, slots=True)
class CommandForm:
    """A command's slots: each role of `needs` has to be filled, each of `may` can be."""

    says: str
    needs: tuple[str, ...]
    roles: frozenset[str]  # needed or not


@dataclass(frozen=True, slots=True)
class Grammar:
    """The closed vocabulary and the commands that are made of it."""

    roles: Mapping[Words, frozenset[str]]  # of a phrase
    vocabulary: frozenset[str]  # words of all phrases
    longest: int  # phrase, in words
    commands: tuple[CommandForm, ...]


def spoken_by_slots(words: Words) -> Mapping[Span, str]:
    """Return the stretches of `words` that fill a command's slots, each with the name of its `Says`."""
    return _spoken(words) if 0 < len(words) <= MOST_WORDS else {}


@lru_cache(maxsize=_KEPT)
def _spoken(words: Words) -> Mapping[Span, str]:
    known = grammar()
    filled = _filled(words, known)
    there = frozenset(role for roles in filled.values() for role in roles)
    found: dict[Span, set[str]] = {}
    for command in known.commands:
        if there.issuperset(command.needs):
            for span in _spans(command, filled, len(words)):
                found.setdefault(span, set()).add(command.says)
    return {span: says.pop() for span, says in found.items() if len(says) == 1}


def _filled(words: Words, known: Grammar) -> dict[Span, frozenset[str]]:
    """Return the roles of every stretch that is a phrase."""
    return {
        (start, end): known.roles[words[start:end]]
        for start in range(len(words))
        for end in range(start + 1, min(start + known.longest, len(words)) + 1)
        if words[start:end] in known.roles
    }


def _spans(command: CommandForm, filled: Mapping[Span, frozenset[str]], count: int) -> Iterator[Span]:
    """Yield the stretches that consist of phrases of the command's roles, with all that it needs."""
    steps: dict[int, list[tuple[int, frozenset[str]]]] = {}
    for (start, end), roles in filled.items():
        if fit := roles & command.roles:
            steps.setdefault(start, []).append((end, fit))
    for begin in steps:
        reached: dict[int, set[frozenset[str]]] = {begin: {frozenset(command.needs)}}
        for at in range(begin, count):
            for wanting in reached.get(at, ()):
                for end, roles in steps.get(at, ()):
                    reached.setdefault(end, set()).update(_after(wanting, roles))
        yield from ((begin, end) for end, wanting in reached.items() if frozenset() in wanting)


def _after(wanting: frozenset[str], roles: frozenset[str]) -> Iterator[frozenset[str]]:
    """Yield the needs that are left after a phrase of `roles` has filled one of them, or none."""
    yield wanting
    yield from (wanting - {role} for role in roles & wanting)


def sets_a_dial(words: Words, *, by_degrees: bool) -> bool:
    """Return whether `words` name pace or loudness, or how far to turn it, and nothing that has no slot."""
    known, at, named = grammar(), 0, False
    dials = _DIAL_ROLES | {"degree"} if by_degrees else _DIAL_ROLES
    while at < len(words):
        end = next((end for end in range(len(words), at, -1) if words[at:end] in known.roles), 0)
        if not end:
            return False
        named = named or not dials.isdisjoint(known.roles[words[at:end]])
        at = end
    return named


_DIAL_ROLES: Final = frozenset({"voice", "pace"})


@compiled_by_all
@lru_cache(maxsize=1)
def grammar() -> Grammar:
    """Return the grammar, read once."""
    raw = json.loads(files("realtime.interruption").joinpath("slots.json").read_text(encoding="utf-8"))
    roles: dict[Words, set[str]] = {}
    for name, patterns in raw["classes"].items():
        for phrase in expanded(patterns, {}):
            roles.setdefault(tuple(phrase.split()), set()).add(name)
    commands = (*map(_command, raw["commands"]), *_dials(raw["dial_commands"], raw["dials"]))
    return Grammar(
        roles={words: frozenset(each) for words, each in roles.items()},
        vocabulary=frozenset(word for words in roles for word in words),
        longest=max(map(len, roles)),
        commands=commands,
    )


def _command(raw: Mapping[str, Any]) -> CommandForm:
    return CommandForm(raw["says"], tuple(raw["needs"]), frozenset((*raw["needs"], *raw["may"])))


def _dials(
    commands: Sequence[Mapping[str, Any]], dials: Mapping[str, Mapping[str, str]]
) -> Iterator[CommandForm]:
    """Yield each way to turn a dial, for each dial and each way that it goes."""
    for says, dial in dials.items():
        for raw in commands:
            if dial["thing"] != raw.get("of", dial["thing"]) or dial["move"] != raw.get("move", dial["move"]):
                continue  # a way to turn another dial, or this one the other way
            needs = tuple(_role(each, dial) for each in raw["needs"])
            yield CommandForm(says, needs, frozenset((*needs, *(_role(each, dial) for each in raw["may"]))))


def _role(name: str, dial: Mapping[str, str]) -> str:
    """Return the role that a name stands for: "level.more" is "slow.more" to the dial that slows."""
    first, dot, rest = name.partition(".")
    return dial.get(first, first) + dot + rest
