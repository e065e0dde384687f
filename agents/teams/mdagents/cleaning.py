"""Models' text made plain: typographic marks as one types them, nothing that carries meaning changed.

Not NFKC, which turns 10⁹ into 109: only the compatibility forms that differ in width or are ligatures are
folded. µ, ≥, ² and ½ stay as they are.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_MARKS: Final = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
        "…": "...",
    }
)
_FOLDED: Final = ("<wide>", "<narrow>", "<noBreak>")
_LIGATURES: Final = range(0xFB00, 0xFB07)


def cleaned(text: str) -> str:
    """Return `text` composed (NFC), with plain quotes, dashes and blanks, and no control characters."""
    text = unicodedata.normalize("NFC", text).translate(_MARKS)
    if text.isascii() and text.isprintable():
        return text.strip()
    return "".join(map(_plain, text)).strip()


def _plain(char: str) -> str:
    if char in "\n\t" or (char.isascii() and char.isprintable()):
        return char
    if unicodedata.category(char) in {"Zs", "Zl", "Zp"}:
        return " "
    if unicodedata.category(char) in {"Cc", "Cs", "Co"}:
        return ""
    if ord(char) in _LIGATURES or unicodedata.decomposition(char).startswith(_FOLDED):
        return unicodedata.normalize("NFKC", char)
    return char
