"""Time the words of a clip: map espeak's groups of phonemes, whose lengths are known, to words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from tts_queue.model import WordSpan

_NOT_SOUNDS: Final = frozenset(" .,;:!?-()\"'ˈˌ^$_")  # group limits, punctuation, stress, begin, end


@dataclass(frozen=True, slots=True)
class PhonemeGroup:
    """The phonemes between two blanks and the samples at 22 kHz that they, and the blank after, last."""

    sounds: str
    samples: int


def groups_of(phonemes: Sequence[str], lengths: Sequence[int]) -> list[PhonemeGroup]:
    """Return the groups of one sentence from its phonemes and the samples that each of them lasts."""
    groups: list[PhonemeGroup] = []
    said, length = "", 0
    for phoneme, samples in zip(phonemes, lengths, strict=True):
        length += samples
        said += sounds(phoneme)
        if phoneme == " " and said:
            groups.append(PhonemeGroup(said, length))
            said, length = "", 0
    if said or not groups:
        groups.append(PhonemeGroup(said, length))
    elif length:
        groups[-1] = PhonemeGroup(groups[-1].sounds, groups[-1].samples + length)
    return groups


def silences(lengths: tuple[Sequence[str], Sequence[int]]) -> tuple[int, int]:
    """Return the samples before the first mark that sounds, and those after the last one."""
    sounding = [i for i, mark in enumerate(lengths[0]) if sounds(mark)]
    if not sounding:
        return 0, 0
    return sum(lengths[1][: sounding[0]]), sum(lengths[1][sounding[-1] + 1 :])


def shifted(words: Sequence[WordSpan], lead: int, samples: int) -> tuple[WordSpan, ...]:
    """Return a clip's words after its first `lead` samples, and those behind `samples` more, were cut."""
    return tuple(
        WordSpan(text, min(max(0, start - lead), samples), min(max(0, end - lead), samples))
        for text, start, end in words
    )


def sounds(phonemes: str) -> str:
    """Return the phonemes without what is not heard by itself."""
    return "".join(p for p in phonemes if p not in _NOT_SOUNDS)


def tile(
    words: Sequence[str], groups: Sequence[PhonemeGroup], samples: int, alone: Callable[[str], str]
) -> tuple[WordSpan, ...]:
    """Tile a clip with its words: the first begins at 0, the last ends at `samples`.

    `alone` gives the phonemes of a word said by itself; it is asked only where espeak joined or split.
    """
    ends = list(accumulate(group.samples for group in groups))
    whole = ends[-1]
    same = len(words) == len(groups)
    firsts = (
        list(range(len(groups)))
        if same
        else first_groups([alone(word) for word in words], [group.sounds for group in groups])
    )
    spans: list[WordSpan] = []
    for i, word in enumerate(words):
        first = firsts[i]
        after = next((later for later in firsts[i + 1 :] if later > first), len(groups))
        start = ends[first - 1] if first else 0
        end = ends[after - 1]
        spans.append(WordSpan(word, start * samples // whole, end * samples // whole))
    return tuple(spans)


def first_groups(alone: Sequence[str], groups: Sequence[str]) -> list[int]:
    """Return for each word the group in which it begins; never decreasing.

    espeak joins words ("has been" is one group) and splits numbers ("120" is two). `alone` are the words'
    phonemes when each is said by itself, nearly those of the groups. Laid side by side, the place where a
    word begins is found in the groups; it begins with the nearest group if that is no further than one
    phoneme, else inside of one, whose span it shares.
    """
    if len(alone) == len(groups):
        return list(range(len(groups)))
    places = side_by_side("".join(alone), "".join(groups))
    starts = [0, *accumulate(len(word) for word in alone)][:-1]
    limits = [0, *accumulate(len(group) for group in groups)][:-1]
    firsts: list[int] = []
    for start in starts:
        place = places[start]
        near = min(range(len(limits)), key=lambda i: abs(limits[i] - place))
        inside = max(i for i in range(len(limits)) if limits[i] <= place)
        found = near if abs(limits[near] - place) <= 1 else inside
        firsts.append(max(found, firsts[-1] if firsts else 0))
    return firsts


def side_by_side(left: str, right: str) -> list[int]:
    """Return for each place in `left`, its end too, the place in `right`, by the fewest edits."""
    rows = [list(range(len(right) + 1))]
    for i, letter in enumerate(left, 1):
        above, row = rows[-1], [i]
        for j, other in enumerate(right, 1):
            row.append(min(above[j - 1] + (letter != other), above[j] + 1, row[j - 1] + 1))
        rows.append(row)
    places = [0] * (len(left) + 1)
    i, j = len(left), len(right)
    places[i] = j
    while i:
        if j and rows[i][j] == rows[i - 1][j - 1] + (left[i - 1] != right[j - 1]):
            i, j = i - 1, j - 1
        elif rows[i][j] == rows[i - 1][j] + 1:
            i -= 1
        else:
            j -= 1
        places[i] = j
    return places
