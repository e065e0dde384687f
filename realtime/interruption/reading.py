"""Read a turn's words once: its phrases, what leads it, and whether it names us or the case."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from realtime.interruption.near import sounds
from realtime.interruption.words import (
    LONGEST_TEXT,
    Phrase,
    Says,
    Words,
    is_clinical,
    lexicon,
    phrases_of,
    words_of,
)

DIAL: Final = frozenset(
    {Says.SLOWER, Says.FASTER, Says.LOUDER, Says.SOFTER, Says.USUAL_PACE, Says.USUAL_VOLUME}
)
LEADS: Final = DIAL | {Says.GO_ON, Says.QUIET, Says.WAIT, Says.SKIP, Says.REPEAT}
"""Commands that may stand before something else: "stop, what is the potassium"."""
DETAIL: Final = frozenset({Says.BRIEF, Says.FULL, Says.USUAL_DETAIL})
COMMANDS: Final = (
    LEADS
    | DETAIL
    | {Says.PREVIOUS, Says.MORE, Says.HERE, Says.HOW_LONG, Says.SPELL}
    | {Says.WRONG_CASE, Says.RIGHT_CASE}
)
LIGHT: Final = frozenset(
    {Says.FILLER, Says.ACK, Says.READY, Says.COURTESY, Says.APOLOGY, Says.FRAME, Says.NAME, Says.NO}
)
"""What may stand before the matter of a turn and does not change it."""
_NAME: Final = words_of("exaim")
_OUR_SOUND: Final = re.compile("aksa[mn]g?")
"""How recognisers write our name by its sounds: "exane", "exaem", "exeem", "exang" (decision 098)."""
_LONGEST_NAME: Final = 7  # letters
_GREETS: Final = frozenset({"hey", "hi", "hello"})


@dataclass(frozen=True, slots=True)
class TurnReading:
    """The words of one turn and what they are made of."""

    words: Words
    phrases: tuple[Phrase, ...]
    whole: bool  # every word belongs to a phrase that we know
    truncated: bool  # the text was longer than we read: it is never wholly anything
    end: int  # of the matter: thanks and our name after it say nothing
    starts: tuple[int, ...]  # where the matter may begin: at the start, and after each word that leads it
    led_by: frozenset[Says]  # what was said before the matter
    case: bool  # a word of the case, or a clinical one
    case_words: frozenset[str]

    def says(self) -> frozenset[Says]:
        """Return all that its phrases say."""
        return frozenset(each.says for each in self.phrases if each.says is not None)

    def only(self, allowed: frozenset[Says]) -> bool:
        """Return whether every word belongs to a phrase that says one of `allowed`."""
        return self.whole and not self.truncated and self.says() <= allowed

    @property
    def named(self) -> bool:
        """Our name is in it."""
        return any(each.says is Says.NAME for each in self.phrases)

    @property
    def matter(self) -> Words:
        """What is left between all that leads it and the thanks after it."""
        return self.words[self.starts[-1] : self.end] if self.starts else ()

    def of_case(self, word: str) -> bool:
        """Return whether `word` belongs to the case or to medicine."""
        return word in self.case_words or is_clinical(word)


def read(text: str, case_words: frozenset[str]) -> TurnReading:
    """Read `text`, or its first `LONGEST_TEXT` characters."""
    words = _with_our_name(_without_swearing(words_of(text[:LONGEST_TEXT])), case_words)
    phrases = phrases_of(words)
    starts, led_by = _lead(phrases, len(words))
    return TurnReading(
        words=words,
        phrases=phrases,
        whole=bool(words) and all(each.says is not None for each in phrases),
        truncated=len(text) > LONGEST_TEXT,
        end=_end(phrases, starts[-1] if starts else 0),
        starts=starts,
        led_by=led_by,
        case=any(word in case_words or is_clinical(word) for word in words),
        case_words=case_words,
    )


def is_known(text: str, case_words: frozenset[str]) -> bool:
    """Return whether every word of `text` belongs to a phrase that means something to us."""
    return read(text, case_words).whole


def _lead(phrases: tuple[Phrase, ...], count: int) -> tuple[tuple[int, ...], frozenset[Says]]:
    starts, led_by = [0] if count else [], set[Says]()
    for each in phrases:
        after_command = each.says is Says.ATTACH and bool(led_by & LEADS)
        if each.end == count or not (each.says in LIGHT or each.says in LEADS or after_command):
            break
        if each.says is not None:
            led_by.add(each.says)
        starts.append(each.end)
    return tuple(starts), frozenset(led_by)


def _end(phrases: tuple[Phrase, ...], start: int) -> int:
    for each in reversed(phrases):
        if each.says not in {Says.COURTESY, Says.NAME, Says.APOLOGY} or each.start <= start:
            return each.end
    return 0


def _without_swearing(words: Words) -> Words:
    """Return the words without swearing, which says nothing; all of them if there are no others."""
    known, kept, at = lexicon().phrases["swearing"], list[str](), 0
    while at < len(words):
        length = known.at(words, at)
        if not length:
            kept.append(words[at])
        at += max(1, length)
    return tuple(kept) or words


def _with_our_name(words: Words, case_words: frozenset[str]) -> Words:
    """Return the words with our name for a word like it ("exam", "exane") where a name stands.

    That is first, before a request or a command, or after a greeting; or last, after nothing but such. What
    sounds like our name and is no word of the case, of medicine or of English ("exaem") may stand before anything.
    """
    known = lexicon()
    for at in range(len(words)):
        length = known.phrases["name_like"].at(words, at)
        no_word = not length and _sounds_like_us(words[at], case_words)
        if not length and not no_word:
            continue
        before, after = words[:at], words[at + max(1, length) :]
        if _leads(before) and (no_word or _calls(after) or (before and before[-1] in _GREETS)):
            return before + _NAME + after
        if not after and before and all(each.says is not None for each in phrases_of(before)):
            return before + _NAME
        return words
    return words


def _sounds_like_us(word: str, case_words: frozenset[str]) -> bool:
    """Return whether a word sounds like our name and is no other word, as "axon" is."""
    if len(word) > _LONGEST_NAME or _OUR_SOUND.fullmatch(sounds(word)) is None:
        return False
    return not (word in case_words or is_clinical(word) or word in lexicon().words["name_unlike"])


def _leads(words: Words) -> bool:
    return all(each.says in LIGHT or each.says in COMMANDS for each in phrases_of(words))


def _calls(words: Words) -> bool:
    if not words:
        return False
    known, first = lexicon(), words[0]
    if first in known.words["auxiliaries"]:
        return first in {"can", "could", "would", "will", "should"}
    return (
        first in known.words["question_words"]
        or first in known.words["order_verbs"]
        or (first in known.words["office_verbs"] and len(words) > 1)
        or bool(known.phrases["tell"].at(words))
        or phrases_of(words)[0].says in COMMANDS | {Says.COURTESY, Says.FRAME}
    )
