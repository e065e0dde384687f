"""The names by which clinicians call things, and where they stand in a text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from agents.dialogue.words import likeness, sound, spelled, tokens

ALIKE: Final = 0.72  # a mis-heard word is taken for a name from here on: tests/dialogue/test_hearing.py
ALIKE_JOINED: Final = 0.73  # the same for two to four words that may be one name
ALIKE_BESIDE: Final = 0.87  # where another name was spelled: the rest is seldom a name
ALIKE_ELSEWHERE: Final = 0.86  # for a name that the case does not hold
NEARLY_EQUAL: Final = 0.06  # two names whose likeness differs by less are asked about
SURE: Final = 0.93  # ... unless one is as good as spelled
_LEAST_ALIKE: Final = 0.6  # below it nobody asks
_REMEMBERED: Final = 2000  # words whose likenesses are kept
_LEAST_LETTERS: Final = 5  # shorter names are matched by letter only


@dataclass(frozen=True, slots=True)
class Term:
    """One thing: its name as read back, what kind it is, other ways to say it, what a group stands for."""

    name: str
    kind: str
    say: tuple[str, ...] = ()
    members: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """A name found in a text: the things it may mean, from which word to which, and how surely."""

    names: tuple[str, ...]
    begins: int
    ends: int
    likeness: float = 1.0


@dataclass(frozen=True, slots=True)
class MisheardAs:
    """What a word may be a mis-hearing of, and how alike they are."""

    likeness: float
    names: tuple[str, ...]


Key = tuple[str, ...]


class Vocabulary:
    """Finds names in texts. Longer names win over shorter ones, spelled ones over mis-heard ones."""

    def __init__(self, entries: Iterable[Term], words: Mapping[str, str]) -> None:
        self._words = {spelled(word): spelled(other) for word, other in words.items()}
        self.entries: dict[str, Term] = {}
        self._aliases: dict[Key, list[str]] = {}
        self._by_length: dict[int, list[tuple[str, str, frozenset[str], Key]]] = {}
        self._groups: dict[str, tuple[str, ...]] = {}
        self._heard: dict[str, list[MisheardAs]] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Term) -> None:
        """Enter a thing under its name and all other ways to say it."""
        self.entries[entry.name] = entry
        self._heard.clear()
        for member in entry.members:
            self._groups[member] = (*self._groups.get(member, ()), entry.name)
        for alias in (entry.name, *entry.say):
            key = self.key(alias)
            if not key:
                continue
            if key not in self._aliases:
                joined = "".join(key)
                if len(joined) >= _LEAST_LETTERS and joined.isalpha():
                    of_length = self._by_length.setdefault(len(joined), [])
                    of_length.append((joined, sound(joined), _pairs(joined), key))
            names = self._aliases.setdefault(key, [])
            if entry.name not in names:
                names.append(entry.name)

    def key(self, text: str) -> Key:
        """Return the words of `text` as they are compared."""
        return tuple(self.word(word) for word in tokens(text))

    def word(self, word: str) -> str:
        """Return one word as it is compared."""
        one = spelled(word)
        return self._words.get(one, one)

    def groups_of(self, name: str) -> tuple[str, ...]:
        """Return the names of the groups that `name` is a member of."""
        return self._groups.get(name, ())

    def spelled_in(self, words: Key) -> list[Match]:
        """Return the names that stand in `words` letter by letter, the longest first choice, in order."""
        found: list[Match] = []
        at = 0
        while at < len(words):
            for length in range(min(6, len(words) - at), 0, -1):
                names = self._aliases.get(words[at : at + length])
                if names:
                    found.append(Match(tuple(names), at, at + length))
                    at += length
                    break
            else:
                at += 1
        return found

    def heard_as(self, word: str, least: float) -> list[MisheardAs]:
        """Return the names that `word` may be a mis-hearing of, at least that alike, the likeliest first."""
        if len(word) < _LEAST_LETTERS - 1 or not word.isalpha():
            return []
        known = self._heard.get(word)
        if known is None:
            if len(self._heard) >= _REMEMBERED:
                self._heard.clear()
            known = self._heard[word] = self._nearest(word)
        return [one for one in known if one.likeness >= least]

    def _nearest(self, word: str) -> list[MisheardAs]:
        heard, pairs = sound(word), _pairs(word)
        found: dict[tuple[str, ...], float] = {}
        for length in range(max(1, len(word) * 4 // 5 - 3), len(word) * 4 // 3 + 4):
            for joined, sounds, known, key in self._by_length.get(length, ()):
                if abs(length - len(word)) > 2 + length // 4:
                    continue
                if sounds != heard and 2 * len(pairs & known) < 0.3 * (len(pairs) + len(known)):
                    continue
                names = tuple(self._aliases[key])
                found[names] = max(found.get(names, 0.0), likeness(word, joined))
        alike = [MisheardAs(value, names) for names, value in found.items() if value >= _LEAST_ALIKE]
        return sorted(alike, key=lambda one: -one.likeness)

    def copy(self) -> Vocabulary:
        """Return a vocabulary that can be added to without changing this one."""
        other = Vocabulary((), {})
        other._words = self._words
        other.entries = dict(self.entries)
        other._aliases = {key: list(names) for key, names in self._aliases.items()}
        other._by_length = {length: list(rows) for length, rows in self._by_length.items()}
        other._groups = dict(self._groups)
        return other


def _pairs(word: str) -> frozenset[str]:
    return frozenset(word[k : k + 2] for k in range(len(word) - 1))


@cache
def _table() -> tuple[tuple[Term, ...], dict[str, str]]:
    path = resources.files("agents.dialogue").joinpath("data/vocabulary.json")
    raw = json.loads(path.read_text(encoding="utf-8"))
    entries = tuple(
        Term(row["name"], kind, tuple(row["say"]), tuple(row.get("members", ())))
        for kind, rows in raw["entries"].items()
        for row in rows
    )
    return entries, raw["words"]


@cache
def _clinical() -> Vocabulary:
    return Vocabulary(*_table())


def known_vocabulary() -> Vocabulary:
    """Return the one vocabulary of `data/vocabulary.json` that all share; nothing is added to it."""
    return _clinical()


def clinical_vocabulary() -> Vocabulary:
    """Return a vocabulary of one's own with the names of `data/vocabulary.json`."""
    return _clinical().copy()
