"""Separate a model's thinking from its words, by tags that may be split over any pieces.

The one place that knows the tags. The engine cuts with it, and so does everything that sends agents' words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

HIDDEN: Final = frozenset(
    "think thinking thought thoughts reasoning reason analysis scratchpad reflection inner_monologue "
    "monologue tool_call tool_calls tool_use tool_code function_call function_calls function_results "
    "invoke".split()
)
"""Tags whose content is not the agent's word to the team, as models and chat templates write them."""

# Blanks are possessive and bounded: a run of them is read once, and a tag that is begun is soon held no more.
_TAG: Final = re.compile(
    r"<\s{0,40}+(?P<close>/?)\s{0,40}+(?P<name>[A-Za-z_][\w:-]{0,40})(?P<rest>[^<>]{0,80})>"
)
_MAY_BE_TAG: Final = re.compile(r"<\s{0,40}+/?\s{0,40}+(?:[A-Za-z_][\w:-]{0,40}[^<>]{0,80})?\Z")
_BRACKET: Final = re.compile(r"\[(?P<close>/?)(?P<name>THINK|REASONING|TOOL_CALLS?)\]")
_MAY_BE_BRACKET: Final = re.compile(r"\[/?[A-Z_]{0,12}\Z")


class Part(NamedTuple):
    """Text, where it was written, and whether it stands within a hidden tag."""

    text: str
    at: int
    hidden: bool


class Splitter:
    """One stream of text, split piece by piece. Holds back at most one tag that is begun.

    Tags nest, and the tags themselves are nobody's words. `passages` counts what was hidden. `thinks_first`:
    each turn begins hidden, until a closing tag; some models' templates write the opening one into the prompt.
    """

    def __init__(self, *, thinks_first: bool = False) -> None:
        self.passages = 0
        self._held = ""
        self._held_at = 0
        self._first = ["think"] if thinks_first else []
        self._depth: list[str] = [*self._first]

    @property
    def hidden(self) -> bool:
        """Return whether what comes now is hidden."""
        return bool(self._depth)

    def take(self, text: str, at: int = 0) -> list[Part]:
        """Return what is known of `text`, written at `at`, and of what was held back, in order."""
        if not self._held and "<" not in text and "[" not in text:
            return [Part(text, at, self.hidden)] if text else []
        whole = ((self._held, self._held_at), (text, at))
        text, self._held = self._held + text, ""
        parts: list[Part] = []
        done = 0
        for match in _marks(text):
            name = match["name"].lower()
            if name not in HIDDEN:
                continue
            parts += self._parts(whole, done, match.start())
            self._turn(name, closes=bool(match["close"]), whole=match.group().endswith("/>"))
            done = match.end()
        end = self._hold(text, done, whole)
        return [*parts, *self._parts(whole, done, end)]

    def end_turn(self) -> list[Part]:
        """Return what was held back; what was never closed ends with the turn."""
        held, self._held = Part(self._held, self._held_at, self.hidden), ""
        self._depth = [*self._first]
        return [held] if held.text else []

    def _hold(self, text: str, done: int, whole: Sequence[tuple[str, int]]) -> int:
        """Hold back a tag that is begun at the end of `text`; return where it begins, or the end."""
        rest = text[done:]
        begun = _MAY_BE_TAG.search(rest) or _MAY_BE_BRACKET.search(rest)
        if begun is None or not _may_hide(begun.group()):
            return len(text)
        end = done + begun.start()
        self._held, (_, self._held_at) = begun.group(), _cut(whole, end, len(text))[0]
        return end

    def _parts(self, whole: Sequence[tuple[str, int]], start: int, end: int) -> list[Part]:
        return [Part(text, at, self.hidden) for text, at in _cut(whole, start, end)]

    def _turn(self, name: str, *, closes: bool, whole: bool) -> None:
        if whole:
            return
        if not closes:
            self.passages += not self._depth
            self._depth.append(name)
        elif name in self._depth:
            while self._depth.pop() != name:
                pass
        elif self._depth == self._first:  # it began hidden, under whichever name
            self._depth = []


def split_whole(text: str) -> list[Part]:
    """Return a whole answer in parts. A closing tag that nothing opens hides all before it.

    Some models' templates write the opening tag into the prompt, so that only the closing one is answered.
    """
    for match in _marks(text):
        name = match["name"].lower()
        if name in HIDDEN:
            if match["close"]:
                text = f"<{name}>{text}"
            break
    splitter = Splitter()
    return [*splitter.take(text), *splitter.end_turn()]


def _cut(parts: Sequence[tuple[str, int]], start: int, end: int) -> list[tuple[str, int]]:
    """Return what stands from `start` to `end` of all `parts` together, with where it was written."""
    found: list[tuple[str, int]] = []
    before = 0
    for part, at in parts:
        first, last = max(0, start - before), min(len(part), end - before)
        if first < last:
            found.append((part[first:last], at + first))
        before += len(part)
    return found


def _marks(text: str) -> list[re.Match[str]]:
    found = [*_TAG.finditer(text), *_BRACKET.finditer(text)]
    return sorted(found, key=lambda match: match.start())


def _may_hide(begun: str) -> bool:
    """Return whether a tag that is begun may become one of `HIDDEN`."""
    name = re.sub(r"[<\[\s/]", "", begun).lower()
    word = re.match(r"[\w:-]*", name)
    known = word.group() if word else ""
    if len(known) < len(name):  # attributes have begun: the name is whole
        return known in HIDDEN
    return any(hidden.startswith(known) for hidden in HIDDEN)
