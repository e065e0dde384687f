"""Remove what a recording adds to its words: dictated punctuation marks, and places on the tape.

"Potassium 7.1 comma phosphate 3.4 full stop" is read as "Potassium 7.1, phosphate 3.4.". A text is dictated only
if at least two marks plainly stand in it. A colon is an organ and stays one. A new line is a catheter unless it
follows the end of a sentence. Nothing is changed between two numbers: it may be a decimal's. In doubt
the text stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.figures import NUMBER_WORDS

_PUT: Final = {
    "comma": ",",
    "semicolon": ";",
    "full stop": ".",
    "question mark": "?",
    "open bracket": "(",
    "close bracket": ")",
    "new paragraph": "",
}
FEWEST_MARKS: Final = 2
_ENDS: Final = r"(?=\s*(?:\Z|(?-i:[A-Z])|(?:open|close) bracket\b|new paragraph\b))"
_MARK: Final = re.compile(
    rf"(?<!\S)(?:(?P<within>comma|semicolon)(?![^\s.,;])[,;]?"
    rf"|(?P<ends>full stop|question mark)(?:[.?]|\s+new line\b[.]?)?{_ENDS}"
    rf"|(?P<opens>open bracket)(?!\S)\s*|(?P<closes>close bracket|new paragraph)(?![^\s.,;])[.]?)",
    re.IGNORECASE,
)
_TALKS_OF_IT: Final = re.compile(
    r"\b(?:an?|the|that|this|of|by|with|without|for|to|or|and|as|no|sa(?:y|ys|id)|typed?|wrote|decimal|missing)\s+\Z",
    re.IGNORECASE,
)
"""Before a word for a mark: words that end no phrase, so that the mark itself is spoken about."""
_NUMBER_BEFORE: Final = re.compile(rf"(?:\d|\b(?:{NUMBER_WORDS}))\W*\Z", re.IGNORECASE)
_NUMBER_BEHIND: Final = re.compile(rf"\W*(?:(?:minus|point)\s)?(?:\d|(?:{NUMBER_WORDS})\b)", re.IGNORECASE)
_LEFT_OVER: Final = re.compile(r"\A[\s,]+|,+(?=[.;?])")
_ON_TAPE: Final = re.compile(r"(?:\A|(?<=\s))\[(?:\d:[0-5]\d|\d{1,2}:[0-5]\d:[0-5]\d)(?:[.,]\d+)?\]\s*")
"""A place on a recording: minutes and seconds, or hours as well.

"[05:30]" is a time of the day.
"""


def without_recording(text: str) -> str:
    """Return `text` with dictated marks written as marks, and without its places on a tape."""
    if "[" in text:
        text = _ON_TAPE.sub("", text)
    marks = _dictated(text)
    if len(marks) < FEWEST_MARKS:
        return text
    read, at = "", 0
    for mark in marks:
        put = _PUT[_kind(mark)]
        before = text[at : mark.start()]
        read += (before if put == "(" else before.rstrip()) + put
        at = mark.end()
    return _LEFT_OVER.sub("", read + text[at:])


def _dictated(text: str) -> list[re.Match[str]]:
    """Return the dictated marks that plainly stand in `text`; brackets only in pairs."""
    marks = [mark for mark in _MARK.finditer(text) if _is_plain(text, mark)]
    brackets = [_kind(mark) for mark in marks if "bracket" in _kind(mark)]
    if brackets == ["open bracket", "close bracket"] * (len(brackets) // 2):
        return marks
    return [mark for mark in marks if "bracket" not in _kind(mark)]


def _is_plain(text: str, mark: re.Match[str]) -> bool:
    if _TALKS_OF_IT.search(text, 0, mark.start()):
        return False
    between = _NUMBER_BEFORE.search(text, 0, mark.start()) and _NUMBER_BEHIND.match(text, mark.end())
    return between is None


def _kind(mark: re.Match[str]) -> str:
    return " ".join(str(mark[mark.lastgroup or 0]).lower().split())
