"""Marks of layout: what of a text is read, word by word, in one pass over its lines and words."""

from __future__ import annotations

import re
from typing import Final

OPENING: Final = "([{\"'“‘«"
CLOSING: Final = ")]}\"'”’»"
STOPS: Final = ".,;:!?…"

# Every search below begins at a sign of its own and goes no further than it says: time is linear in length.
_LINK: Final = re.compile(r"!?\[([^\[\]]{0,200})\]\([^()\s]{0,500}\)")
_URL: Final = re.compile(r"(?:https?://|www\.)[^\s)\]]+")
_MAIL: Final = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{0,64}\w")
_MOST_MAIL: Final = 200
_NOTE: Final = re.compile(r"\s?\[\d{1,3}(?:[,–-]\s?\d{1,3}){0,20}\]")
_CITED: Final = re.compile(
    r"\s?\([A-Z][\w'’-]{1,40}(?: et al\.?| (?:and|&) [A-Z]\w{1,40})?,? (?:19|20)\d\d[a-z]?\)"
)
_TAG: Final = re.compile(r"</?[A-Za-z][\w-]{0,30}(?:\s[\w-]{1,30}=[^<>]{0,80})?\s?/?>")
_BULLET: Final = re.compile(r"\s*(?:[-*+•▪●◦]|\d{1,2}[.)])\s+")
_HEADING: Final = re.compile(r"\s*#{1,6}\s+")
_RULE: Final = re.compile(r"[\s|:+=_*-]+")
_GROUPED: Final = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")  # "10 000" that does not break
_FREE_STOP: Final = re.compile(r" ([,;:.!?])(?= |$)")


def plain(text: str) -> str:
    """Return `text` without marks of layout: the words that are read, with pauses as punctuation."""
    said = [line for line in map(_plain_line, text.splitlines()) if line]
    ended = [line if line[-1] in STOPS + CLOSING else f"{line}." for line in said[:-1]]
    return " ".join([*ended, *said[-1:]])


def _plain_line(line: str) -> str:
    if _RULE.fullmatch(line):
        return ""
    if heading := _HEADING.match(line):
        line = line[heading.end() :].rstrip().rstrip("#")
    if bullet := _BULLET.match(line):
        line = line[bullet.end() :]
    line = _CITED.sub("", _NOTE.sub("", _TAG.sub("", _LINK.sub(r"\1", line))))
    if line.count("|") > 1:
        line = ", ".join(cell.strip() for cell in line.strip().strip("|").split("|") if cell.strip())
    words = (_plain_word(word) for word in _GROUPED.sub(",", line).split())
    return _FREE_STOP.sub(r"\1", " ".join(word for word in words if word))


def _plain_word(word: str) -> str:
    """Return a word without emphasis; addresses are named, not read."""
    if "@" in word and len(word) <= _MOST_MAIL:
        word = _MAIL.sub("email address", word)
    word = _URL.sub(_link, word)
    head = len(word) - len(word.lstrip(OPENING))
    tail = len(word.rstrip(CLOSING + STOPS))
    inner = _unmarked(word[head:tail]) if head < tail else word[head:tail]
    return word[:head] + inner + word[max(head, tail) :]


def _unmarked(inner: str) -> str:
    inner = inner.replace("**", "").replace("`", "").replace("~~", "")
    if inner.strip("*_"):
        inner = inner.lstrip("_").rstrip("_")
        return inner[1:] if inner[0] == "*" else inner.rstrip("*")
    return inner if inner in ("*", "_") else ""


def _link(found: re.Match[str]) -> str:
    address = found[0].rstrip(STOPS)
    return "link" + found[0][len(address) :]
