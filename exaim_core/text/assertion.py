"""How words are meant: of this patient now, or denied, doubted, supposed, past, of somebody else, of books.

Whoever asks, asks here, and gets `Status` values; none says that it is stated plainly. There are two ways to ask. By
clauses (`statuses_at`, `statuses_of`): a status holds for the clause that its words stand in, a condition for the whole
sentence, since what it opens is said on its terms. By what stands around (`statuses_around`), for alarms, allergies and
cautions: words before or after open a scope that ends at a stop word. What a measured value is told by is cut apart
once more, with words of its own (`lexicon.statements`).
"""

# ruff: noqa: E501 - a row is read more easily on its one line

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from exaim_core.text.clauses import meant_apart
from exaim_core.text.kin import KIN, TELLS, TOGETHER
from exaim_core.text.rows import lexicon


class Status(StrEnum):
    """What keeps a clause from being a plain statement about this patient now."""

    NEGATED = "negated"
    HEDGED = "hedged"
    CONDITIONAL = "conditional"
    PAST = "past"
    OTHER_PERSON = "of somebody else"
    BOOKS = "of books"
    QUESTION = "question"


_FORMS: Final = lexicon("text/assertion", kin=KIN, tells=TELLS, together=TOGETHER)
_FOUND: Final = {status: _FORMS[status.name.lower()] for status in Status if status is not Status.QUESTION}
NOT_OURS: Final = frozenset({Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON})
"""What is meant so says nothing of this patient."""
NOT_OURS_NOW: Final = NOT_OURS | {Status.PAST}
_FALSE_NO: Final = re.compile(
    r"\b(?:not only|no doubt|without (?:delay|doubt|question)|not (?:to )?(?:be )?(?:missed|forget|forgotten|overlook(?:ed)?|delay(?:ed)?)|no (?:change|other|longer than)|if not)\b|\bcannot be (?:ruled out|excluded)\b|\b(?:cannot|can['’]t|could not) (?:rule out|exclude)\b|\bnot (?:been )?(?:ruled out|excluded)\b",
    re.IGNORECASE,
)

_THAT: Final = re.compile(
    r"\b(?:that|this|it|those)(?:['’]s| is| was| were| belongs?| came from)\b", re.IGNORECASE
)
_AROUND: Final = lexicon("text/assertion_around", kin=KIN, tells=TELLS, together=TOGETHER)
_MODAL: Final = re.compile(r"\s*(?:if|unless|could|may|might)\b")
NEAR_WORDS: Final = 9  # before a word, in which a denial or a time is of it
DENIED_WITHIN: Final = 60  # characters behind a word
PAST_WITHIN: Final = 40
BESIDE: Final = 25  # characters from "that was" to who it was


@dataclass(frozen=True, slots=True)
class Mark:
    """The words by which a clause is meant in some way, and where they stand in the sentence."""

    status: Status
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that is meant in one way, and where it stands."""

    text: str
    start: int
    end: int
    statuses: frozenset[Status]


@lru_cache(maxsize=4096)
def clauses(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of `sentence` in order; together they are the whole of it."""
    whole = _whole(sentence)
    return tuple(
        Clause(sentence[start:end], start, end, _statuses(sentence[start:end]) | whole)
        for start, end in meant_apart(sentence)
    )


def _whole(sentence: str) -> frozenset[Status]:
    found = {Status.CONDITIONAL} if _FOUND[Status.CONDITIONAL].search(sentence) else set()
    if sentence.rstrip(" \"'”’*)").endswith("?"):
        found.add(Status.QUESTION)
    return frozenset(found)


def _statuses(clause: str) -> frozenset[Status]:
    bare = _FALSE_NO.sub(" ", clause)
    return frozenset(
        status
        for status, pattern in _FOUND.items()
        if pattern.search(bare if status is Status.NEGATED else clause)
    )


def statuses_at(sentence: str, start: int, end: int) -> frozenset[Status]:
    """Return how the words at [start, end) of `sentence` are meant."""
    return frozenset(
        status
        for clause in clauses(sentence)
        if clause.start < max(end, start + 1) and start < clause.end
        for status in clause.statuses
    )


@lru_cache(maxsize=4096)
def marks(text: str) -> tuple[Mark, ...]:
    """Return all words of `text` that say how it is meant, whatever its clauses are."""
    return tuple(
        Mark(status, match.start(), match.end())
        for status, pattern in _FOUND.items()
        for match in pattern.finditer(text)
    )


def is_of_another(words: str) -> bool:
    """Return whether `words` name somebody else than the patient, as a key or a heading does: "father"."""
    return any(mark.status is Status.OTHER_PERSON for mark in marks(words))


def statuses_of(sentence: str, words: str) -> frozenset[Status]:
    """Return how `words` are meant in `sentence`: where they stand, else in any of its clauses."""
    at = sentence.lower().find(words.lower()) if words else -1
    if at >= 0:
        return statuses_at(sentence, at, at + len(words))
    return frozenset(status for clause in clauses(sentence) for status in clause.statuses)


def gives_to_another(text: str) -> str:
    """Return the words by which `text` says that what was said is somebody else's; "" if it does not."""
    others = [mark.start for mark in marks(text) if mark.status is Status.OTHER_PERSON]
    said = (
        match
        for match in _THAT.finditer(text)
        if any(0 <= at - match.end() <= BESIDE and " about " not in text[match.end() : at] for at in others)
    )
    return next((match.group() for match in said), "")


@lru_cache(maxsize=2048)
def statuses_around(sentence: str, start: int, end: int) -> frozenset[Status]:
    """Return how the words at [start, end) are meant by what stands before and after them.

    A small reading of ConText (Harkema et al., J Biomed Inform 2009;42:839-51), with short lists of our own. A doubt
    counts as a supposition.
    """
    left, right = _scope(sentence, start, end)
    before, after = (
        _AROUND["pseudo"].sub(_blank, _AROUND["reminds"].sub(_blank, part))
        for part in (sentence[left:start], sentence[end:right])
    )
    is_value = any(
        map(str.isdigit, sentence[start:end])
    )  # "no ECG changes, potassium 6.9": no item of a list
    near = " ".join((before.rpartition(",")[2] if is_value else before).split()[-NEAR_WORDS:])
    past = _found("history", near) or _found("history", after[:PAST_WITHIN])
    supposed = _found("hypothesis", before) or _MODAL.match(after) or sentence.rstrip().endswith("?")
    found = {
        Status.NEGATED: _found("negate_before", near) or _found("negate_after", after[:DENIED_WITHIN]),
        Status.PAST: past and not _found("past_onset", before),
        Status.CONDITIONAL: supposed or _found("pseudo", sentence[left:right]),
        Status.OTHER_PERSON: _found("family", before),
    }
    return frozenset(status for status, there in found.items() if there)


def _scope(sentence: str, start: int, end: int) -> tuple[int, int]:
    """Return from where to where what stands around [start, end) is of it."""
    left = max((stop.end() for stop in _AROUND["stops"].finditer(sentence, 0, start)), default=0)
    after = _AROUND["stops"].search(sentence, end)
    return left, after.start() if after else len(sentence)


def _found(form: str, text: str) -> bool:
    return _AROUND[form].search(text) is not None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
