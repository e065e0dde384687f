"""Fill an idle voice with the best of the agents' sentences, in their own words.

The engine adds these sentences to its updates (`Update.spare`). One is offered to the queue only when the voice is
idle, so that it displaces and delays nothing, and is told only after everything that is worth more.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from typing import Final

from exaim_core import SpokenItem, Update
from exaim_core.text.wording import key_words
from realtime.speech.budget import WORDS_PER_S
from realtime.speech.earlier import worded_for
from realtime.speech.narrator import item_id, spare_utterance
from tts_queue import Snapshot, Utterance

QUIET_S: Final = 2.0  # the voice is idle after so long without anything to say
OLD_S: Final = 30.0  # age at which a sentence is dropped while the agents speak; after their end none is
PER_S: Final = 0.01  # taken off a sentence's likelihood for a second of age: the newer of two goes first
AFTER_END_S: Final = 40.0  # of speech, before the closing
MOST: Final = 256
ALIKE: Final = 0.6  # share of its words (and all its numbers) in one text that was told: it counts as told
_NUMBER: Final = re.compile(r"\d+(?:[.,:/]\d+)*")


_MARKS: Final = re.compile(r"\b(?:not?|never|without|left|right)\b|n['’]t\b", re.IGNORECASE)
_Gist = tuple[frozenset[str], frozenset[str], tuple[str, ...]]
"""A sentence without its speaker: the stems of its words, its numbers, its denials and sides in order."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A sentence that is kept: its id, when it was said, on the voice's clock, and its gist."""

    utterance_id: str
    update_id: str
    item: SpokenItem
    said_at_s: float
    gist: _Gist


class Spare:
    """Keeps the engine's spare sentences, and chooses the one to tell in a silence."""

    def __init__(self, known: Callable[[str], bool]) -> None:
        """`known` tells whether an utterance was offered before."""
        self._known = known
        self._kept: list[_Kept] = []  # the newest `MOST`
        self._told: deque[_Gist] = deque(maxlen=MOST)  # of what sounded
        self._quiet_from_s: float | None = None

    def take(self, update: Update, update_id: str, *, said_at_s: float) -> None:
        """Keep an update's spare sentences, and drop those that it withdraws."""
        gone = {f"{update_id.rpartition('-')[0]}-{each}" for each in update.withdraws}
        self._kept = [each for each in self._kept if each.utterance_id not in gone]
        for number, item in enumerate(update.spare, start=len(update.items) + 1):
            if not self._known(uid := item_id(update_id, number)):
                kept = _Kept(uid, update_id, item, said_at_s, _gist(item.text))
                self._kept = [*self._kept, kept][-MOST:]

    def sounded(self, text: str) -> None:
        """Record a text that began to sound, so that no sentence repeats it."""
        self._told.append(_gist(text))

    def in_silence(self, snapshot: Snapshot, now_s: float) -> Utterance | None:
        """Return the best sentence if the voice was idle for `QUIET_S`; of similar ones the newest."""
        if snapshot.standings or snapshot.holds:
            self._quiet_from_s = None
            return None
        self._quiet_from_s = now_s if self._quiet_from_s is None else self._quiet_from_s
        if now_s - self._quiet_from_s < QUIET_S:
            return None
        self._kept = [each for each in self._kept if now_s - each.said_at_s <= OLD_S]
        left = self._untold(())
        if not left:
            return None
        best = max(left, key=lambda each: each.item.likely - PER_S * (now_s - each.said_at_s))
        self._kept.remove(best)
        self._quiet_from_s = None
        return spare_utterance(best.item, best.utterance_id, best.update_id, now_s)

    def at_end(self, waiting: Collection[str], now_s: float) -> tuple[Utterance, ...]:
        """Return the best sentences to tell before the closing, `AFTER_END_S` of them, in spoken order.

        `waiting` are the texts that will be told before them. In any other order than that in which the agents said
        them, an older value could be heard as the newer one.
        """
        chosen, words = list[_Kept](), 0
        told = [_gist(text) for text in waiting]
        for each in sorted(self._untold(told), key=lambda each: (-each.item.likely, -each.said_at_s)):
            count = len(each.item.text.split())
            if words + count > AFTER_END_S * WORDS_PER_S or _is_among(each.gist, told):
                continue
            chosen.append(each)
            told.append(each.gist)
            words += count
        kept, self._kept = self._kept, []
        after, found = sum(len(text.split()) for text in waiting), list[Utterance]()
        for each in (each for each in kept if each in chosen):
            made = spare_utterance(each.item, each.utterance_id, each.update_id, now_s)
            text = worded_for(
                made.text, each.item.agents, said_at_s=each.said_at_s, now_s=now_s, after_words=after
            )
            found.append(replace(made, text=text))
            after += len(text.split())
        return tuple(found)

    def close(self) -> None:
        """Drop all that is kept: nothing is told after the closing."""
        self._kept = []

    def _untold(self, waiting: Collection[_Gist]) -> list[_Kept]:
        told = (*self._told, *waiting)
        return [each for each in self._kept if not _is_among(each.gist, told)]


def _is_among(gist: _Gist, told: Iterable[_Gist]) -> bool:
    words, numbers, marks = gist
    return any(
        numbers <= other and marks == those_marks and len(words & those) >= ALIKE * len(words)
        for those, other, those_marks in told
    )


def _gist(text: str) -> _Gist:
    said = text.partition(": ")[2] or text
    marks = tuple(mark.lower() for mark in _MARKS.findall(said))
    return frozenset(key_words(said)), frozenset(_NUMBER.findall(said)), marks
