"""Find what a sentence states of this patient now, clause by clause.

A clause that supposes, asks for, or speaks of a relative, of other patients, of a disease in general or of what is
written about it states nothing of this patient; the clause beside it may. Each function looks at one sentence only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.terms import DURATION
from exaim_core.text.clauses import FINITE, segments, told_apart
from exaim_core.text.kin import KIN, TELLS, TOGETHER
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

LONG_WORDS: Final = 20  # of a longer sentence only clauses with a value are told

_FORMS: Final = lexicon("lexicon/statements", finite=FINITE, kin=KIN, tells=TELLS, together=TOGETHER)
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_SPEAKER: Final = re.compile(r"(?:I|we)\b")


@dataclass(frozen=True, slots=True)
class ToldClause:
    """A part of a sentence that has a verb of its own, and its place.

    `supposed`: something beside it in its segment is only supposed or asked; `own`: it is about this patient now.
    """

    start: int
    end: int
    supposed: bool
    own: bool


@lru_cache(maxsize=2048)
def told_clauses(text: str) -> tuple[ToldClause, ...]:
    """Return the clauses of a sentence in order; a supposition in one holds to the end of its segment.

    A label that says whose it is ("maternal grandmother: …") holds up to the next label.
    """
    made: list[ToldClause] = []
    elsewhere = False
    asks = text.rstrip().endswith("?")
    for start, end in segments(text):
        supposed = asks or _FORMS["supposes"].search(text, start, end) is not None
        for first, last in told_apart(text, start, end):
            theirs = bool(made) and goes_on_of_kin(text[made[-1].start :], first - made[-1].start)
            own = not (supposed or elsewhere or theirs) and _is_own(text[first:last])
            made.append(ToldClause(first, last, supposed, own))
            if text[first : last + 1].rstrip().endswith(":"):
                elsewhere = is_family(text[first:last])
    return tuple(made)


def goes_on_of_kin(text: str, at: int) -> bool:
    """Return whether `at` still speaks of a relative: "her sister had TTP, her platelets were 12"."""
    for had in _FORMS["kin_had"].finditer(text, 0, at):
        on = _FORMS["goes_on_of_kin"].search(text[: at + 8], had.end())
        if on is not None and on.start() <= at and not re.search(r"[.;]\s", text[had.end() : on.start()]):
            hers = _FORMS["woman"].search(had.group()) is not None
            if re.match(r"[^;.,]{0,40}?\b(?:is|has|are|now)\b", text[on.end() :]):
                continue  # a present value; in doubt it is the patient's
            if on["whose"].lower() in ({"her", "she"} if hers else {"his", "he"}):
                return True
    return False


def _is_own(clause: str) -> bool:
    return not any(
        pattern.search(clause)
        for pattern in (
            _FORMS["unsure"],
            _FORMS["general"],
            _FORMS["rule"],
            _FORMS["range"],
            _FORMS["long_ago"],
            _FORMS["others"],
            _FORMS["relative"],
        )
    )


def is_family(text: str) -> bool:
    """Return whether `text` speaks of a relative."""
    return _FORMS["relative"].search(text) is not None


def supposes(text: str) -> bool:
    """Return whether something in `text` is only supposed."""
    return _FORMS["supposes"].search(text) is not None


def is_general(text: str) -> bool:
    """Return whether `text` is about other patients, about what is usual, or about the literature."""
    return any(pattern.search(text) for pattern in (_FORMS["general"], _FORMS["others"]))


def measured(text: str) -> tuple[Quantity, ...]:
    """Return the measured values that `text` states of this patient now, with their places in `text`."""
    return tuple(each for clause in told_clauses(text) for each in _values(text, clause))


def _values(text: str, clause: ToldClause) -> tuple[Quantity, ...]:
    if clause.supposed:
        return ()
    shares = () if _FORMS["frequency"].search(text, clause.start, clause.end) else ("%",)
    found = (each for each in quantities(text) if clause.start <= each.start < clause.end)
    return tuple(each for each in found if _is_value(text, each, shares) and clause.own)


def _is_value(text: str, quantity: Quantity, shares: tuple[str, ...]) -> bool:
    if not quantity.unit:
        if _YEAR.fullmatch(quantity.number):
            return False
        return _FORMS["unitless"].search(text[max(0, quantity.start - 40) : quantity.start]) is not None
    return quantity.unit not in DURATION or quantity.unit in shares


def told(text: str) -> tuple[str, ...]:
    """Return the words that tell the values in `text`: the sentence, or clauses of a long or mixed one.

    A finding that is denied, or has a side, is told beside them, and so are short words after a value. A
    clause that points back is told with what stands before it, so that nothing loses its name.
    """
    found = told_clauses(text)
    valued = [bool(_values(text, clause)) for clause in found]
    if not any(valued):
        return ()
    own = all(
        clause.own and (has or not _SPEAKER.match(text, clause.start))
        for clause, has in zip(found, valued, strict=True)
    )
    if own and word_count(text) <= LONG_WORDS:
        return (text,)
    spans = _spans(text, found, valued)
    return tuple(
        _FORMS["aside"].sub("", text[start:end].strip(" ,")) or text[start:end] for start, end in spans
    )


def _spans(text: str, found: tuple[ToldClause, ...], valued: list[bool]) -> list[tuple[int, int]]:
    """Return the start and end of what is told of `text`, for each clause."""
    made: list[tuple[int, int]] = []
    for place, clause in enumerate(found):
        words = text[clause.start : clause.end]
        before = found[place - 1] if place else None
        goes_on = bool(made) and before is not None and made[-1][1] == before.end
        if valued[place] or (clause.own and (_is_sided(words) or _is_denied(words))):
            start = clause.start
            if before is not None and _FORMS["points"].match(words):
                start = made.pop()[0] if goes_on else before.start
            made.append((start, clause.end))
        elif goes_on and clause.own and not _is_talk(words):
            if word_count(text[made[-1][0] : clause.end]) <= LONG_WORDS:
                made[-1] = (made[-1][0], clause.end)
    return made


@lru_cache(maxsize=2048)
def unmeasured(text: str) -> tuple[str, ...]:
    """Return the clauses that state a one-sided finding, or that something is absent, of this patient."""
    found = (text[each.start : each.end].strip(" ,") for each in told_clauses(text) if each.own)
    return tuple(
        words
        for words in found
        if (_is_sided(words) or _is_denied(words)) and word_count(words) <= LONG_WORDS + 5
    )


def _is_sided(words: str) -> bool:
    return bool(_FORMS["sided"].search(words) and _FORMS["subject"].match(words)) and not _is_talk(words)


def _is_denied(words: str) -> bool:
    return _FORMS["denies"].search(words) is not None and not _is_talk(words)


def _is_talk(words: str) -> bool:
    """Return whether a clause is about the speakers or their plans, or points back."""
    return _FORMS["no_finding"].search(words) is not None or _FORMS["points"].match(words) is not None
