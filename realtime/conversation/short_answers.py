"""Word the answers that need no dialogue: that we hear, what is left, a word spelled. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Set
from typing import Final

from exaim_core.text.names import number_word
from realtime.interruption import Effect, Mode, distance, is_clinical, words_of
from realtime.speech.budget import WORDS_PER_S
from tts_queue import Utterance

REPLY: Final = "reply"  # kind of all that is said so
NOTHING_BEFORE: Final = "Nothing was said before this."
NOTHING_TO_SPELL: Final = "I have not said a word yet."
DETAIL: Final = {
    Effect.BRIEF: "In short from now on.",
    Effect.FULL: "Everything from now on.",
    Effect.USUAL_DETAIL: "As much as usual from now on.",
}
_HERE: Final = {
    Mode.QUIET: "I hear you, and stay silent until you say: go on.",
    Mode.WAITING: "I hear you, and wait until you say: go on.",
}
_NOT_ITEMS: Final = frozenset(
    {"greeting", "arrival", "silence", "welcome", "question", "answer", "refusal", "progress", REPLY}
)
_NAMED_WITHIN: Final = 0.45  # share of the sounds in which a named word may differ from ours
_STEP_S: Final = 10  # times are told to so many seconds


def noted(name: str) -> str:
    """Return how an acknowledgment is read back: which finding we took it for."""
    return f"Noted: {name}." if name else "Noted."


def here(mode: Mode) -> str:
    """Return the answer to "can you hear me?"."""
    return _HERE.get(mode, "I hear you.")


def how_long(waiting: Iterable[Utterance], agents: str) -> str:
    """Return how many items wait, about how long they take, and how far the agents are (a sentence)."""
    items = [each for each in waiting if each.kind not in _NOT_ITEMS]
    if not items:
        return f"Nothing waits. {agents}".strip()
    words = sum(len(each.text.split()) for each in items)
    steps = max(1, round(words / WORDS_PER_S / _STEP_S))
    seconds = steps * _STEP_S
    if seconds < 60:
        length = f"about {seconds} seconds"
    else:
        minutes = round(seconds / 60)
        length = "about a minute" if minutes == 1 else f"about {number_word(minutes)} minutes"
    one = len(items) == 1
    count = "One item waits" if one else f"{number_word(len(items)).capitalize()} items wait"
    return f"{count}, {length}. {agents}".strip()


def spelled(word: str) -> str:
    """Return a word and its letters: "Troponin: T, R, O, …"."""
    letters = ", ".join(letter.upper() for letter in word if letter.isalnum())
    return f"{word.capitalize()}: {letters}."


def word_meant(asked: str, said: str, case_words: Set[str]) -> str | None:
    """Return the word that is to be spelled: the one that is named, else the hardest that we just said.

    A recogniser writes a named drug as it likes, so the word of ours that sounds most like it is taken.
    """
    ours = [word for word in words_of(said) if not word.isdigit()]
    named = _named(asked)
    if named:
        near = min(ours, key=lambda word: distance(word, named), default=named)
        return near if distance(near, named) <= _NAMED_WITHIN else named
    hardest: str | None = None
    for word in ours:
        if hardest is None or _hard(word, case_words) >= _hard(hardest, case_words):
            hardest = word
    return hardest


def _named(asked: str) -> str:
    words = words_of(asked)
    if "spell" not in words:
        return ""
    after = [word for word in words[words.index("spell") + 1 :] if word not in _POINTS]
    return "".join(after) if len(after) <= 2 else ""


_POINTS: Final = frozenset("it that this the word name last out for me us please again exaim".split())


def _hard(word: str, case_words: Set[str]) -> tuple[bool, int]:
    return (word in case_words or is_clinical(word), len(word))
