"""What a recording adds to its words: the marks that are dictated with a letter, and where on the tape a line begins.

"Potassium 7.1 comma phosphate 3.4 full stop" is read as "Potassium 7.1, phosphate 3.4.". A mark is taken for one only
where it plainly is: a colon is an organ unless another mark is dictated in the same sentence.
"""

from __future__ import annotations

import re
from typing import Final

_NO_TALK: Final = (
    r"(?<!\ba )(?<!\bthe )(?<!\bthat )(?<!\bdecimal )(?<!\bmissing )(?<!\bsaid )(?<!\bsays )(?<!\bsay )"
)
_COMMA: Final = rf"{_NO_TALK}\bcomma\b(?!-)"
_STOP: Final = rf"{_NO_TALK}\bfull stop\b(?=\s*(?:[.()]|\Z|(?-i:[A-Z])|(?:new|open|close)\b))"
_IS_ORGAN: Final = (
    r"(?<!\bthe )(?<!\bher )(?<!\bhis )(?<!\bof )(?<!\bin )(?<!\ba )(?<!left )(?<!right )(?<!sigmoid )(?<!ending )"
    r"(?<!transverse )(?<!toxic )"
)
_ASKS: Final = r"\bquestion mark\b\??(?=\s*(?:\Z|(?-i:[A-Z])))"
_LABEL: Final = rf"\s{_IS_ORGAN}\bcolon (?=(?:hold|give|stop|start|continue|keep|avoid|\d)\b)"
_MARKS: Final = re.compile(
    rf"{_COMMA}|{_STOP}|\b(?:open|close) bracket\b|\bnew (?:line|paragraph)\b|{_LABEL}|{_ASKS}", re.IGNORECASE
)
_PUT: Final = tuple(
    (re.compile(words, re.IGNORECASE), mark)
    for words, mark in (
        (rf"\s*{_COMMA},?", ","),
        (rf"\s*{_STOP}\.?", "."),
        (r"\s*\bsemicolon\b;?", ";"),
        (rf"\s*{_ASKS}", "?"),
        (r"\bopen bracket\b\s*", "("),
        (r"\s*\bclose bracket\b", ")"),
        (r"\s*\bnew (?:line|paragraph)\b\.?", ""),
        (r",+(?=[.;:?])|\A[\s,]+", ""),
        (rf"\s+{_IS_ORGAN}\bcolon\b(?! (?:cancer|carcinoma|polyps?|resection|wall|is|was|looks|has)\b)", ":"),
    )
)
_ON_TAPE: Final = re.compile(r"(?:\A|(?<=\s))\[(?:\d:[0-5]\d|\d{1,2}:[0-5]\d:[0-5]\d)(?:[.,]\d+)?\]\s*")
"""Where on a recording something is said: minutes and seconds, or with the hours. "[05:30]" is a time of the day."""


def without_recording(text: str) -> str:
    """Return `text` with the marks that were dictated as marks, and without its places on a tape."""
    if "[" in text:
        text = _ON_TAPE.sub("", text)
    if _MARKS.search(text) is None:
        return text
    for pattern, mark in _PUT:
        text = pattern.sub(mark, text)
    return text
