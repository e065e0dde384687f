"""Clean agents' text before it is read: cut out thinking, and give each character one plain form.

Tool calls are cut out too. Tags may be split over deltas in any way. Characters that look like a plain one
become it (full-width digits, subscripts, zero-width blanks), so that no later part has to know of them. Text that
is cut or folded belongs to the delta that it came with. The places of the rest are kept (`places.py`), so that
citations stay right.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from exaim_core.text.places import Places
from exaim_live.thinking import Part, Splitter


class TextCleaner:
    """Cleans one agent's stream of text, piece by piece. It holds back at most one unfinished tag."""

    def __init__(self, places: Places | None = None) -> None:
        self.places = places or Places()
        self._splitter = Splitter()
        self._last = ""

    @property
    def hidden(self) -> int:
        """Return how many passages were cut out."""
        return self._splitter.passages

    def take(self, text: str) -> str:
        """Return the agent's own words in `text` and in what was held back."""
        fresh_at = self.places.taken
        self.places.taken += len(text)
        return self._shown(self._splitter.take(text, fresh_at))

    def end_turn(self) -> str:
        """Return what was held back; thinking that was never closed ends with the turn."""
        said, self._last = self._shown(self._splitter.end_turn()), ""
        return said

    def _shown(self, parts: Sequence[Part]) -> str:
        shown = [(part.text, part.at) for part in parts if not part.hidden]
        return self._folded(shown) if shown else ""

    def _folded(self, parts: Sequence[tuple[str, int]]) -> str:
        """Return `parts`, each given with its place, as plain text, and note where that stands."""
        text = parts[0][0] if len(parts) == 1 else "".join(part for part, _ in parts)
        if text.isascii():
            for part, at in parts:
                if part:
                    self.places.add(len(part), at)
            self._last = text[-1:] or self._last
            return text
        each = _folded(text, self._last)
        done = 0
        for part, at in parts:
            self._note(each[done : done + len(part)], at)
            done += len(part)
        made = "".join(each)
        self._last = made[-1:] or self._last
        return made

    def _note(self, made: Sequence[str], at: int) -> None:
        if all(len(plain) == 1 for plain in made):
            return self.places.add(len(made), at)
        for k, plain in enumerate(made):
            if plain:
                self.places.add(len(plain), at + k)
                self.places.add(0, at + k + 1)
        return None


_INVISIBLE: Final = (0xAD, *range(0x200B, 0x2010), 0x2060, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_GONE: Final = frozenset(map(chr, (*_INVISIBLE, 0xFEFF)))
_BLANKS: Final = frozenset(map(chr, (0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))
_POINTS: Final = "·•⋅∙‧・"
_CONFUSABLE: Final = dict(zip("АВЕКМНОРСТХаеорсхКΑΒΕΚΜΝΟΡΤΧ", "ABEKMHOPCTXaeopcxKABEKMNOPTX", strict=True))
_SUPERS: Final = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))


def fold(text: str) -> str:
    """Return `text` with one plain form for each character.

    Superscript digits behind a digit are an exponent ("10⁹" is "10^9"); a square stays in a unit ("m²").
    Letters of another alphabet are folded only beside Latin ones or a sign: a Russian word stays Russian.
    """
    return "".join(_folded(text))


def _folded(text: str, before: str = "") -> list[str]:
    """Return the plain form of each character of `text`; `before` is the character in front of it."""
    made: list[str] = []
    for at, char in enumerate(text):
        if char.isascii():
            made.append(char)
            continue
        last = made[-1][-1:] if made and made[-1] else ("" if made else before)
        follows = text[at + 1 : at + 2]
        made.append(_plain(char, last, follows))
    return made


def _plain(char: str, last: str, follows: str) -> str:
    if char in _GONE:
        return ""
    if char in _BLANKS:
        return " "
    if char in _POINTS:
        return "." if last.isdigit() and follows.isdigit() else char
    if char in _SUPERS:
        if char in "²³" and (last.isalpha() and not follows.isalnum() and follows not in _SUPERS):
            return char
        charge = char in "⁺⁻" or follows in {"⁺", "⁻"}  # "PO₄³⁻", where "10⁹" has an exponent
        return f"^{_SUPERS[char]}" if last.isdigit() and not charge else _SUPERS[char]
    if char in _CONFUSABLE:
        beside = _is_latin(last) or _is_latin(follows) or (follows and follows in f"+-{''.join(_SUPERS)}")
        return _CONFUSABLE[char] if beside else char
    if _has_plain_form(char):
        return unicodedata.normalize("NFKC", char)
    return char


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _has_plain_form(char: str) -> bool:
    code = ord(char)
    return (
        0x2080 <= code <= 0x209C  # subscripts
        or 0xFF01 <= code <= 0xFF5E  # full width
        or 0x1D400 <= code <= 0x1D7FF  # mathematical letters and digits
        or 0xFB00 <= code <= 0xFB06  # ligatures
        or char in "℃℉㎎㎍㎏㎖㎜㎝"
    )
