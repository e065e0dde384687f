"""Cut words that are too long to read or show, such as a picture or a key pasted into a text."""

from __future__ import annotations

import re
from typing import Final

LONGEST_WORD: Final = 100  # characters; the longest drug name in use has under 40
_TOO_LONG: Final = re.compile(rf"(\S{{{LONGEST_WORD}}})\S+")


def cut_long_words(text: str) -> str:
    """Return `text` with each word cut to `LONGEST_WORD` characters and a mark that it was."""
    return _TOO_LONG.sub(r"\1…", text)
