"""Decide how words are meant: of this patient now, or denied, doubted, supposed, past, another's.

Every room asks here, and gets `Status` values; none of them means that it is stated plainly. There are two ways to ask.
By clauses (`statuses_at`, `statuses_of`): a status holds for the clause of the words, a condition for the whole
sentence, since what it opens is said on its terms. By surroundings (`statuses_around`), for alarms, allergies and
cautions: words before or after open a scope that ends at a stop word. The words about a measured value are divided
once more, with words of their own (`lexicon/statements.py`).
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
    """A reason why a clause is no plain statement about this patient now."""

    NEGATED = "negated"
    HEDGED = "hedged"
    CONDITIONAL = "conditional"
    PAST = "past"
    OTHER_PERSON = "of somebody else"
    BOOKS = "of books"
    QUESTION = "question"


_FORMS: Final = lexicon("text/assertion", kin=KIN, tells=TELLS, together=TOGETHER)
_FOUND: Final = {
    status: _FORMS.late(status.name.lower()) for status in Status if status is not Status.QUESTION
}
NOT_OURS: Final = frozenset({Status.QUESTION, Status.BOOKS, Status.OTHER_PERSON})
"""With one of these, words say nothing of this patient."""
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
NEAR_WORDS: Final = 9  # words before a word in which a denial or a time applies to it
DENIED_WITHIN: Final = 60  # characters after a word in which a denial applies to it
PAST_WITHIN: Final = 40
BESIDE: Final = 25  # characters from "that was" to who it was


@dataclass(frozen=True, slots=True)
class Mark:
    """Words that say how a clause is meant, and where they stand in the sentence."""

    status: Status
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a sentence that is meant in one way, and its place."""

    text: str
    start: int
    end: int
    statuses: frozenset[Status]


@lru_cache(maxsize=4096)
def clauses(sentence: str) -> tuple[Clause, ...]:
    """Return the clauses of `sentence` in order; together they make up all of it."""
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
        if pattern.search(bare if status is Status.NEGATED else _without_bed(clause, status))
    )


def _without_bed(text: str, status: Status) -> str:
    """Return `text` with blanks for the bed of somebody who is presented with age, sex or title: the patient.

    Any other bed is somebody else's, and so is each one beside "ours".
    """
    if status is not Status.OTHER_PERSON or not any(map(str.isdigit, text)) or _AROUND["ours"].search(text):
        return text
    return _AROUND["presented"].sub(_blank, text)


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
        for match in pattern.finditer(_without_bed(text, status))
    )


def is_of_another(words: str) -> bool:
    """Return whether `words`, a key or a heading, name somebody other than the patient: "father"."""
    return any(mark.status is Status.OTHER_PERSON for mark in marks(words))


def statuses_of(sentence: str, words: str) -> frozenset[Status]:
    """Return how `words` are meant in `sentence`: where they stand, or in any clause if they do not."""
    at = sentence.lower().find(words.lower()) if words else -1
    if at >= 0:
        return statuses_at(sentence, at, at + len(words))
    return frozenset(status for clause in clauses(sentence) for status in clause.statuses)


def gives_to_another(text: str) -> str:
    """Return the words by which `text` says that something is somebody else's; "" for none."""
    others = [mark.start for mark in marks(text) if mark.status is Status.OTHER_PERSON]
    said = (
        match
        for match in _THAT.finditer(text)
        if any(0 <= at - match.end() <= BESIDE and " about " not in text[match.end() : at] for at in others)
    )
    return next((match.group() for match in said), "")


@lru_cache(maxsize=2048)
def statuses_around(sentence: str, start: int, end: int) -> frozenset[Status]:
    """Return how the words at [start, end) are meant, by what stands before and after them.

    A small version of ConText (Harkema et al., J Biomed Inform 2009;42:839-51), with short lists of our own. A doubt
    counts as a supposition.
    """
    left, right = _scope(sentence, start, end)
    negated_from, supposed_from, past_from = _own_from(sentence, left, start, end)
    before, after = (
        _AROUND["pseudo"].sub(_blank, _AROUND["reminds"].sub(_blank, part))
        for part in (sentence[left:start], sentence[end:right])
    )
    is_value = any(
        map(str.isdigit, sentence[start:end])
    )  # in "no ECG changes, potassium 6.9" the value is not denied

    def near(since: int) -> str:
        words = before[since - left :]
        return " ".join((words.rpartition(",")[2] if is_value else words).split()[-NEAR_WORDS:])

    denied = _found("negate_before", near(negated_from)) or _found("negate_after", after[:DENIED_WITHIN])
    past = _found("history", near(past_from)) or _found("history", after[:PAST_WITHIN])
    modal = _MODAL.match(after) is not None or sentence.rstrip().endswith("?")
    supposed = _found("hypothesis", before[supposed_from - left :]) or modal
    found = {
        Status.NEGATED: denied,
        Status.PAST: past and not _found("past_onset", before),
        Status.CONDITIONAL: supposed or _found("pseudo", sentence[left:right]),
        Status.OTHER_PERSON: _found("family", before),
    }
    return frozenset(status for status, there in found.items() if there)


def _own_from(sentence: str, left: int, start: int, end: int) -> tuple[int, int, int]:
    """Return from where words before [start, end) may deny it, suppose it, or put it in the past.

    A value behind "and" may be a statement of its own: "there is no urine and the pH is 7.01". It is not if what
    stands before holds for both: "no sign that the sodium is low and the pH is 7.01".
    """
    joined = _AROUND["joins"].search(sentence, left, start)
    if (
        joined is None
        or not any(map(str.isdigit, sentence[start:end]))
        or _AROUND["governs"].search(sentence, left, joined.start())
    ):
        return left, left, left
    own, states = joined.end("and"), _AROUND["states"].search(sentence, start, end)
    if states is None:
        return own if _AROUND["bare"].fullmatch(sentence, start, end) else left, left, left
    return own, own, own if states["now"] else left


def _scope(sentence: str, start: int, end: int) -> tuple[int, int]:
    """Return the start and end of the scope around [start, end)."""
    left = max((stop.end() for stop in _AROUND["stops"].finditer(sentence, 0, start)), default=0)
    after = _AROUND["stops"].search(sentence, end)
    return left, after.start() if after else len(sentence)


def _found(form: str, text: str) -> bool:
    return _AROUND[form].search(text) is not None


def _blank(match: re.Match[str]) -> str:
    return " " * len(match.group())
