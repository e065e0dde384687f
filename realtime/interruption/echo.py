"""Detect our own speech, heard back through the clinician's microphone."""

from __future__ import annotations

from typing import Final

from realtime.interruption.words import Words, words_of

SHARE: Final = 0.8  # of a turn's words that must be ours, in our order; recognisers mishear one in five
LONGEST_SAID: Final = 80  # words: thirty seconds of the default voice
LONGEST_TURN: Final = 40  # words that are compared
_NUMBERS: Final = {
    word: str(value)
    for value, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_NOT_COMPARED: Final = frozenset({"point", "um", "uh"})


def is_echo(words: Words, said: str) -> bool:
    """Return whether nearly all of `words` are in `said`, in their order and close together."""
    turn, ours = _plain(words)[:LONGEST_TURN], _plain(words_of(said[-1000:]))[-LONGEST_SAID:]
    need = _needed(len(turn))
    if not turn or common_in_order(turn, ours) < need:
        return False
    span = len(turn) + len(turn) // 2 + 1
    return any(
        common_in_order(turn, ours[start : start + span]) >= need
        for start in range(max(1, len(ours) - span + 1))
    )


def common_in_order(one: Words, other: Words) -> int:
    """Return the length of the longest sequence of words that both hold in the same order.

    One bit a word of `other`, all of them moved in one addition (Hyyrö, 2004).
    """
    places: dict[str, int] = {}
    for at, word in enumerate(other):
        places[word] = places.get(word, 0) | 1 << at
    full = (1 << len(other)) - 1
    open_bits = full
    for word in one:
        met = open_bits & places.get(word, 0)
        open_bits = ((open_bits + met) | (open_bits - met)) & full
    return len(other) - open_bits.bit_count()


def _needed(count: int) -> int:
    return count if count < 4 else -(-count * 4 // 5)


def _plain(words: Words) -> Words:
    return tuple(_NUMBERS.get(word, word) for word in words if word not in _NOT_COMPARED)
