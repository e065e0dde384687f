"""Read a text for the second look: words in the form for comparing, and marks of their meaning.

Its word lists (`data/seen.toml`), patterns and splitting are its own: nothing here is imported from this project.
"""

# ruff: noqa: E501 - word lists are read more easily on long lines

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Final


def stem(word: str) -> str:
    """Return a word without its most common endings."""
    word = re.sub(r"['’]s?\Z", "", word)
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return (
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
    )


def _as_compared(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in (word, stem(word)))


_TOKEN: Final = re.compile(
    r"(?P<number>\d+(?:[.,·:/]\d+)*)|(?P<word>[^\W\d_]+(?:['’/][^\W\d_]+)*)|(?P<mark>[%<>≤≥→=?;:.!,()+~]|->)"
)
_NUMBERS: Final = dict(
    zip(
        "zero one two three four five six seven eight nine ten eleven twelve".split(),
        map(str, range(13)),
        strict=True,
    )
)
_TABLE: Final = tomllib.loads(resources.files("exaim_core").joinpath("data/seen.toml").read_text("utf-8"))
FREE, FRAME, SIDES, BOUND, STEMS_OF_MANY = (_as_compared(words) for words in _TABLE["words"].values())
LEXICONS: Final = {mark: _as_compared(words) for mark, words in _TABLE["marks"].items()}
DENIAL, WEAK, STRONG, _CONDITION = (LEXICONS[mark] for mark in ("denied", "weak", "strong", "condition"))
ANY_MARK: Final = (
    frozenset().union(*(LEXICONS[mark] for mark in LEXICONS if mark != "result")) | SIDES | BOUND
)
UNIT: Final = re.compile(
    r"%|(?:m|µ|μ|n|p|k|d|c)?(?:g|l|mol|m|iu|u|eq|osm|cal|pa|s)|mcg|ug|mmhg|cmh2o|units?|hours?|hrs?|h|min|mins|minutes?|"
    r"days?|weeks?|months?|years?|seconds?|sec|bpm|kcal|puffs?|drops?|tablets?|"
    r"(?:m|µ|μ|n|p|k|d|c|mc|u|micro|milli)?(?:g|l|mol|iu|u|eq|units?)/.+|milligrams?|micrograms?|millilitres?|litres?|liters?|grams?"
)
_OPEN: Final = re.compile(
    r"\b(?:cannot|can ?not|can['’]t|could ?n[o'’]t|couldn['’]t|not|n['’]t) (?:yet |be |been |fully |safely |entirely |reliably |"
    r"completely |to be )*(?:ruled? out|excluded?|rule [a-z ]{1,40}? out|dismissed)\b|\bnot (?:yet )?(?:been )?(?:ruled out|excluded)\b"
)
_RULED: Final = re.compile(r"\bruled out\b")
_RULES: Final = re.compile(r"\brul(?:e|es|ing) out\b")  # denies what stands after it, not what stands before
_ONCE: Final = re.compile(r"\bonce (?=(?:the|her|his|she|he|it|they|we|you|systolic)\b)")
_OUT: Final = re.compile(r"\b(?:stay|keep|leave|remain)s? (?:it |them |this |that )?(?:out|off)\b(?! of\b)")
_GIVEN: Final = re.compile(
    r"\b(?:the|your|as) provided\b|"
    r"\bprovided(?= (?:is|are|was|were|here|above|so far|in|to)\b|\s*(?:[,.;:)]|\Z))"
)
""""Given" and the like that open no condition: "based on the information provided"."""
_LOOSE: Final = re.compile(r"\bfree(?= (?:intraperitoneal |abdominal |pelvic )?(?:fluid|air|gas|t[34])\b)")
""""Free" for something that is there, and no denial of it."""
_ALL_WEIGHED: Final = re.compile(r"\b(?:everything|all things) considered\b")
_UNTIL_SHOWN: Final = re.compile(
    r"\b(?:un)?til+ (?:proven|proved|shown|demonstrated) (?:otherwise|differently)\b"
)
_NOT_DENIED: Final = re.compile(
    r"\b(?:not only|no doubt|no longer than|nobody (?:dissents|disagrees|objects)|no dissent|without (?:delay|doubt|question)|do not (?:delay|miss|forget)|don['’]t (?:delay|miss|forget)|"
    r"no later than|rule out (?=\w)|to rule out)\b"
)
_NEXT_CLAUSE: Final = frozenset(
    {"but", "however", "although", "though", "whereas", "while", "yet", "because"}
)
_SHORT: Final = tuple(
    (
        re.compile(rf"(?<![\w-])(?:{long})(?![\w-])", re.IGNORECASE),
        re.compile(rf"(?<![\w-])(?:{short})(?![\w-])"),
        form,
    )
    for form, (long, short) in _TABLE["short"].items()
)
_REACH: Final = 9  # words that a denial reaches forward
_REACH_BACK: Final = 4  # "PE was ruled out"


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A word in the form for comparing; `clause` counts within its text, `number` is its value, if any.

    `doubted`: a word of doubt in its clause is about it, as far as can be seen.
    """

    form: str
    clause: int
    denied: bool = False
    doubted: bool = False
    number: str = ""
    unit: str = ""


@dataclass(frozen=True, slots=True)
class SeenText:
    """What one text says: its words in order, and the marks of each clause."""

    words: tuple[SeenWord, ...]
    marks: tuple[frozenset[str], ...]  # by clause
    asked: bool

    def places(self, form: str) -> list[int]:
        """Return the positions of a word."""
        return [at for at, word in enumerate(self.words) if word.form == form]


def _number(text: str) -> str:
    plain = text.replace("·", ".")
    if re.fullmatch(r"\d+,\d{1,2}", plain):
        plain = plain.replace(",", ".")
    plain = plain.replace(",", "")
    return re.sub(r"\.0+\Z", "", plain)


@lru_cache(maxsize=4096)
def seen(text: str) -> SeenText:
    """Read a text into words and marks."""
    text = unicodedata.normalize("NFKC", text).replace("’", "'").replace("*", "")
    for long, short, form in _SHORT:
        text = short.sub(form, long.sub(form, text))
    text = text.lower()
    asked = text.rstrip(" \"')*").endswith("?")
    text = _NOT_DENIED.sub(
        lambda match: re.sub(r"\b(?:not|no|nobody|without|n't|rule)\b", "", match[0]), text
    )
    text = _LOOSE.sub("loose", text)
    text = _OUT.sub(" excluded ", _OPEN.sub(" possible ", text))
    text = _UNTIL_SHOWN.sub(" likely ", _RULED.sub(" excluded ", _RULES.sub(" exclude ", text)))
    text = _GIVEN.sub("given", _ONCE.sub("when ", _ALL_WEIGHED.sub(" ", text)))
    text = re.sub(r"\b(\w+)n['’]t\b", r"\1 not", text)
    forms, clauses, clause = list[tuple[str, str]](), list[int](), 0
    sentences = [0]  # by clause
    for match in _TOKEN.finditer(text):
        raw, kind = match[0], match.lastgroup or ""
        not_yet = raw == "yet" and bool(forms) and forms[-1][0] in DENIAL
        leads_on = raw in {"→", "->", "="} and not text[match.end() :].lstrip()[:1].isdigit()
        if (kind == "mark" and raw in ".;!?:") or (raw in _NEXT_CLAUSE and not not_yet) or leads_on:
            clause += 1
            sentences.append(sentences[-1] + (raw in ".;!?"))
            continue
        if kind == "mark" and raw in ",()+~":
            forms.append((",", "mark"))
            clauses.append(clause)
            continue
        form = _number(raw) if kind == "number" else _NUMBERS.get(raw, stem(raw))
        forms.append((form, "number" if form[:1].isdigit() else kind))
        clauses.append(clause)
    return SeenText(_words(forms, clauses), _marks(forms, clauses, sentences), asked)


def _words(forms: Sequence[tuple[str, str]], clauses: Sequence[int]) -> tuple[SeenWord, ...]:
    words = list[SeenWord]()
    answered = _answered_no(forms, clauses)
    for at, (form, kind) in enumerate(forms):
        after = forms[at + 1][0] if at + 1 < len(forms) and clauses[at + 1] == clauses[at] else ""
        unit = after if kind == "number" and UNIT.fullmatch(after) else ""
        denied = _denied(forms, clauses, at) or clauses[at] + 1 in answered
        doubted = _doubted(forms, clauses, at)
        words.append(SeenWord(form, clauses[at], denied, doubted, form if kind == "number" else "", unit))
    return tuple(words)


def _answered_no(forms: Sequence[tuple[str, str]], clauses: Sequence[int]) -> frozenset[int]:
    """Return the clauses that only say no, and so deny the one before."""
    by_clause = dict[int, list[str]]()
    for (form, _), clause in zip(forms, clauses, strict=True):
        by_clause.setdefault(clause, []).append(form)
    return frozenset(clause for clause, said in by_clause.items() if _only_denies(said))


def _only_denies(said: Sequence[str]) -> bool:
    """Return whether a clause only says no to the one before: "No.", "stop it", "avoid both"."""
    if set(said) <= {"no", "not", "yet", "never", ","}:
        return True
    return _points_back(said)


def _points_back(said: Sequence[str]) -> bool:
    return any(
        one in DENIAL and other in {"it", "both", "them", "this", "these", "all"}
        for one, other in pairwise(said)
    )


def _denied(forms: Sequence[tuple[str, str]], clauses: Sequence[int], at: int) -> bool:
    """Return whether a denial before the word, or right after it, is about it."""
    back, reached = at - 1, 0
    while back >= 0 and clauses[back] == clauses[at] and reached < _REACH:
        if forms[back][0] in DENIAL:
            return True
        if forms[back][0] == "," and _starts_anew(forms, back + 1):
            break
        back, reached = back - 1, reached + 1
    rest = [
        form
        for (form, _), clause in zip(forms[at + 1 :], clauses[at + 1 :], strict=True)
        if clause == clauses[at]
    ]
    if _points_back(rest):
        return True
    for ahead in range(at + 1, min(len(forms), at + 1 + _REACH_BACK)):
        if clauses[ahead] != clauses[at] or forms[ahead][0] in {",", "and"}:
            return False
        if forms[ahead][0] in {
            "excluded",
            "unlikely",
            "negative",
            "neg",
            "absent",
            "rejected",
            "ruled",
            "nil",
            "contraindicated",
        }:
            return True
    return False


def _doubted(forms: Sequence[tuple[str, str]], clauses: Sequence[int], at: int) -> bool:
    """Return whether a word of doubt is about this word.

    One before it in its clause is, unless a new statement starts in between with its own part of that clause; so is one
    after it up to the next comma, and one that stands alone after a comma: "sarcoidosis, with nodes, perhaps".
    """
    begins = next((k + 1 for k in range(at - 1, -1, -1) if clauses[k] != clauses[at]), 0)
    comma = next((k for k in range(at - 1, begins - 1, -1) if forms[k][0] == ","), None)
    if comma is not None and _starts_anew(forms, comma + 1):
        begins = comma + 1
    if any(form in WEAK for form, _ in forms[begins:at]):
        return True
    parts: list[list[str]] = [[]]
    for ahead in range(at + 1, len(forms)):
        if clauses[ahead] != clauses[at]:
            break
        if forms[ahead][0] == ",":
            parts.append([])
        else:
            parts[-1].append(forms[ahead][0])
    own, *rest = parts
    alone = (part for part in rest if all(form in FREE or form in FRAME or form in ANY_MARK for form in part))
    return bool(WEAK & set(own)) or any(WEAK & set(part) for part in alone)


def _starts_anew(forms: Sequence[tuple[str, str]], at: int) -> bool:
    """Return whether a statement of its own begins here after a comma: it has a number or a verb."""
    ahead = [form for form, _ in forms[at : at + 4]]
    if ahead[:1] in (["for"], ["since"], ["as"], ["due"]):
        return True
    return any(form[:1].isdigit() for form in ahead) or bool(
        {"is", "are", "was", "were", "has", "have", "i", "we", "she", "he", "it", "give", "start", "and"}
        & set(ahead[:3])
    )


def _marks(
    forms: Sequence[tuple[str, str]], clauses: Sequence[int], sentences: Sequence[int]
) -> tuple[frozenset[str], ...]:
    """Return the marks of each clause; an opening condition marks all that follows in its sentence."""
    found = [set[str]() for _ in sentences]
    for (form, _), clause in zip(forms, clauses, strict=True):
        for name, lexicon in LEXICONS.items():
            if form in lexicon:
                found[clause].add(name)
    opened = dict[int, int]()  # by sentence: the clause that opens with a condition
    for at, ((form, _), clause) in enumerate(zip(forms, clauses, strict=True)):
        if form in _CONDITION and (at == 0 or clauses[at - 1] != clause):
            opened.setdefault(sentences[clause], clause)
    return tuple(
        frozenset(marks | {"condition"} if clause >= opened.get(sentences[clause], len(found)) else marks)
        for clause, marks in enumerate(found)
    )
