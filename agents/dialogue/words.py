"""Words as they are compared: one spelling for British, American and mis-heard ones."""

# ruff: noqa: E501 - patterns and word lists are read more easily on long lines

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

MOST_CHARS: Final = 300  # what the protocol lets a client ask; of a longer text the beginning is read
_ASKING: Final = r"what|who|where|when|why|how|that|there"
_PERSON: Final = r"i|you|he|she|it|we|they"
_BEEN: Final = r"been|got|had|gone|come|happened|changed"  # of "what's decided" it may be "is"
_DONE: Final = rf"{_BEEN}|said|done|decided|agreed"
# As a recogniser writes it, and a hurried hand: "mustnt", "whats", where no other word is spelled so.
_MARK_LEFT_OUT: Final = re.compile(
    r"\b(?:((?:must|should|could|would|need|may|might|is|are|was|were|do|does|did|has|have|had|ca|wo)n)(?=t\b)"
    rf"|({_ASKING}|she)(?=s\b)|(you|they)(?=(?:re|ve|ll)\b)|(i|we)(?=ve\b))",
    re.IGNORECASE,
)
# Verbs that are cut short; what "'s" belongs to somebody behind any other word: "Mary's".
_CUT_SHORT: Final = tuple(
    (re.compile(pattern, re.IGNORECASE), full)
    for pattern, full in (
        (rf"\b({_ASKING}|{_PERSON})'s(?= (?:{_BEEN}|(?:{_PERSON}|the team) (?:{_DONE}))\b)", r"\1 has"),
        (rf"\b({_ASKING}|{_PERSON}|here|this)'s\b", r"\1 is"),
        (r"\b(let)'s\b", r"\1 us"),
        (r"\b(i)'m\b", r"\1 am"),
        (r"(\w)'re\b", r"\1 are"),
        (r"(\w)'ve\b", r"\1 have"),
        (r"(\w)'ll\b", r"\1 will"),
        (rf"\b({_ASKING})'d(?= (?:{_PERSON})\b)", r"\1 did"),
        (r"(\w)'d\b", r"\1 would"),
        (r"\b(ca)n't\b", r"\1nn't"),
        (r"\bwon't\b", "willn't"),
        (rf"(\w)n't ({_PERSON}|there)\b", r"\1 \2 not"),
        (r"(\w)n't\b", r"\1 not"),
    )
)
_TOKEN: Final = re.compile(r"[a-z0-9]+(?:\.\d+)?\+?|[%]")
_SPELLINGS: Final = (
    ("haem", "hem"), ("aem", "em"), ("oed", "ed"), ("rrhoea", "rrhea"), ("isch", "isch"), ("aesth", "esth"), ("oest", "est"), ("sulph", "sulf"),
    ("litre", "liter"), ("tumour", "tumor"), ("dyspnoea", "dyspnea"), ("ise", "ize"), ("leuco", "leuko"),
)  # fmt: skip
_SOUNDS: Final = (
    ("ph", "f"), ("ough", "o"), ("igh", "i"), ("gh", "g"), ("sch", "sk"), ("ck", "k"), ("qu", "kw"), ("x", "ks"), ("ce", "se"), ("ci", "si"), ("cy", "si"),
    ("th", "t"), ("sh", "s"), ("ch", "k"), ("c", "k"), ("q", "k"), ("z", "s"), ("wh", "w"), ("j", "g"), ("v", "f"), ("y", "i"), ("h", ""),
)  # fmt: skip


def written_out(text: str) -> str:
    """Return `text` with the verbs that are cut short in full: "what's she got" is "what has she got"."""
    made = _MARK_LEFT_OUT.sub(lambda match: f"{match.group()}'", text.replace("’", "'"))
    if "'" in made:
        for pattern, full in _CUT_SHORT:
            made = pattern.sub(full, made)
    return made


def tokens(text: str, most_chars: int = MOST_CHARS) -> tuple[str, ...]:
    """Return the words of the first `most_chars` characters, in small Latin letters, without marks."""
    return _tokens(text[:most_chars])


@lru_cache(maxsize=4096)  # each question looks at all that is on record and on the board
def _tokens(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", written_out(text).lower())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    plain = plain.replace("'s", "").replace("'", "")
    return _joined_letters(_TOKEN.findall(plain))


def _joined_letters(words: list[str]) -> tuple[str, ...]:
    """Return words with letters that were spelled out as one word: "e g f r" is "egfr"."""
    made: list[str] = []
    run = ""
    for word in [*words, ""]:
        if len(word) == 1 and word.isalpha():
            run += word
            continue
        if run:
            made.append(run)
        run = ""
        if word:
            made.append(word)
    return tuple(made)


@lru_cache(maxsize=8192)
def spelled(word: str) -> str:
    """Return the one spelling of a word under which it is compared: American, singular."""
    for british, american in _SPELLINGS:
        word = word.replace(british, american)
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is", "sis")):
        return word[:-1]
    return word


@lru_cache(maxsize=8192)
def sound(word: str) -> str:
    """Return roughly how a word sounds: consonants in classes, runs of vowels as one."""
    word = spelled(re.sub(r"[^a-z]", "", word.lower()))
    first = word[:1]
    for written, heard in _SOUNDS:
        word = word.replace(written, heard)
    word = re.sub(r"[aeiou]+", lambda run: run.group()[0], word)
    word = re.sub(r"e$", "", word)
    word = re.sub(r"(.)\1+", r"\1", word)
    return ("a" if first in "aeiou" else word[:1]) + word[1:]


def distance(one: str, other: str) -> int:
    """Return how many letters must be put in, left out, changed or swapped to make one of the other."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        last, row_before, row = before, row, [i]
        for j, b in enumerate(other, start=1):
            cost = min(row_before[j] + 1, row[j - 1] + 1, row_before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        before = row_before
    return row[-1]


@lru_cache(maxsize=65536)
def likeness(one: str, other: str) -> float:
    """Return how alike two words are, 0 to 1: the mean of their letters' and their sounds' likeness."""
    letters = 1 - distance(one, other) / max(len(one), len(other), 1)
    heard, meant = sound(one), sound(other)
    sounds = 1 - distance(heard, meant) / max(len(heard), len(meant), 1)
    return (letters + sounds) / 2
