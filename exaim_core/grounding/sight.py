"""Take a second look at a finished sentence, with a reader of its own (`seen.py`).

It shares no word list, pattern or parser with the code that made the sentence, and imports nothing of this project.
Both the sentence and the text that it cites are read into marked words; then these are compared: who, what, number
with its unit and its thing, side, denial, hedge, condition, person and past, and the order of a swap. What it
can't match it refuses; a quotation always matches itself.
"""

# ruff: noqa: E501 - word lists are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from exaim_core.grounding.placed import is_alarm, numbers_kept, order_kept, sides_kept, telling, tells
from exaim_core.grounding.seen import (
    ANY_MARK,
    DENIAL,
    FRAME,
    FREE,
    LEXICONS,
    STEMS_OF_MANY,
    STRONG,
    WEAK,
    SeenText,
    SeenWord,
    seen,
    stem,
)

_COVERS_WEAK: Final = frozenset("think consider differential doubt check open conditional ask page".split())
_COVERS_STRONG: Final = _COVERS_WEAK | frozenset(
    "lead leading favour favor differ side narrow rule change now agree want recommend say caution critical decision consensus "
    "settled finished advise propose".split()
)
_OF_TEMPLATES: Final = re.compile(
    r"What was decided could not be read: it is on the page|No leading view stands"
)
"""Words that belong to the templates and say nothing about the patient."""
_TAKES_BACK: Final = frozenset({"withdraw", "change", "changed"})


def unlike(
    text: str,
    cited: Sequence[str],
    *,
    names: Iterable[str] = (),
    terms: Iterable[str] = (),
    strict: bool = False,
) -> str | None:
    """Return how `text` differs from the text that it cites; None if it does not.

    `names` are those of speakers who may be named, `terms` other wordings for what is cited. `strict`: its
    author was not bound to any form, so each part of it must keep the order of one part of the cited text.
    """
    return _unlike(text, tuple(cited), tuple(names), tuple(terms), strict) if cited else None


@lru_cache(maxsize=1024)  # what waits is tried again at each update, and mostly in the same words
def _unlike(
    text: str, cited: tuple[str, ...], names: tuple[str, ...], terms: tuple[str, ...], strict: bool
) -> str | None:
    closes = not strict and text.startswith("Finished.")
    if closes:
        text = _OF_TEMPLATES.sub(" ", text)
    read = seen(" . ".join(cited))
    said = _in_words_of(seen(_without(text, names)), read)
    if _forms(said) in [_forms(seen(each)) for each in cited]:
        return None  # a quotation always matches itself
    alias = {word.form for term in terms for word in seen(term).words}
    taken_back = bool({word.form for word in said.words} & _TAKES_BACK)
    retold = closes or (not strict and (taken_back or is_alarm(said)))
    for check in (_words_known, numbers_kept, sides_kept, _denials_kept, order_kept):
        if retold and check is _denials_kept:
            continue  # a list in one sentence, an alarm, or a template that takes back by its own verb
        reason = check(said, read, alias)
        if reason is not None:
            return reason
    if strict and (reason := _parts_kept(said, read) or _all_marks_kept(said, read)):
        return reason
    asked = any(seen(each).asked for each in cited)
    return _marks_kept(said, read, alias, asked=asked, strict=strict, closes=closes)


def _forms(text: SeenText) -> list[str]:
    return [word.form for word in text.words if word.form != ","]


def _in_words_of(said: SeenText, read: SeenText) -> SeenText:
    """Return `said` with its words in the endings and full forms of the cited text."""
    there = sorted({word.form for word in read.words if not word.number and word.form != ","}, key=len)
    known = set(there)
    words = tuple(
        word if word.number or word.form in known else replace(word, form=_same_word(word.form, there))
        for word in said.words
    )
    return replace(said, words=words)


def _same_word(form: str, there: Sequence[str]) -> str:
    if form in FREE or form in FRAME or form in ANY_MARK or len(form) < 5:
        return form
    for other in there:
        common = next(
            (k for k, (a, b) in enumerate(zip(form, other, strict=False)) if a != b),
            min(len(form), len(other)),
        )
        cut_short = common == len(other) >= 4 and other not in STEMS_OF_MANY
        other_ending = common >= 5 and common >= 0.75 * max(len(form), len(other))
        if (cut_short or other_ending) and other not in ANY_MARK and other not in FREE:
            return other
    return form


def _without(text: str, names: Iterable[str]) -> str:
    for name in sorted(names, key=len, reverse=True):
        if name:
            text = re.sub(
                rf"(?<!\w)(?:(?:from|by) )?{re.escape(name)}(?:['’]s)?(?!\w)", " ", text, flags=re.IGNORECASE
            )
    return text


def _words_known(said: SeenText, read: SeenText, alias: set[str]) -> str | None:
    there = {word.form for word in read.words} | alias
    loose = {word[:-2] if word.endswith(("ed", "ly")) else word for word in there}
    for word in telling(said):
        if word.number or word.form in there or word.form in loose or _half(word.form, there):
            continue
        return "a word is not in the cited text"
    return None


def _half(form: str, there: set[str]) -> bool:
    """Return whether a word joined by a slash stands there in parts, or the other way round."""
    return "/" in form and all(part in there for part in map(stem, form.split("/")))


def _denials_kept(
    said: SeenText, read: SeenText, alias: set[str], frames: frozenset[str] = frozenset()
) -> str | None:
    """Return a reason if a content word is denied on one side only; `frames` as in `tells`."""
    for word in telling(said, frames):
        places = read.places(word.form)
        if not places or word.number:
            continue
        there = {read.words[place].denied for place in places}
        if word.denied not in there:
            return "a denial is lost" if not word.denied else "a denial is not in the cited text"
    return None


_JOINS: Final = frozenset({",", "and", "or", "nor", "plus", "with"})


def _parts_kept(said: SeenText, read: SeenText) -> str | None:
    """Return a reason if a part is not in order in one clause of the source, or skips a comma of it."""
    part, last = list[str](), -1
    for word in (*said.words, SeenWord(",", -1)):
        if word.form not in _JOINS and (not part or word.clause == last):
            last = word.clause
            if tells(word):
                part.append(word.form)
            continue
        if len(part) > 1 and not any(_holds(read, clause, part) for clause in range(len(read.marks))):
            return "what belongs apart is put together"
        part = [word.form] if word.form not in _JOINS and tells(word) else []
        last = word.clause
    return None


def _all_marks_kept(said: SeenText, read: SeenText) -> str | None:
    """Return a reason if a denial of what is told, or any condition of the source, is missing."""
    there = frozenset(word.form for word in read.words)
    touched = _touched(said, read, there)
    denials = sum("denied" in read.marks[clause] for clause in touched)
    if denials > sum(word.form in DENIAL for word in said.words):
        return "a denial is lost"
    if any(word.form == "only" and word.clause in touched for word in read.words):
        if all(word.form != "only" for word in said.words):
            return "a condition is lost"
    if (reason := _denials_kept(said, read, set(), there)) is not None:
        return reason
    if any("condition" in marks for marks in read.marks) and not any(
        "condition" in marks for marks in said.marks
    ):
        return "a condition is lost"
    return None


def _holds(read: SeenText, clause: int, part: Sequence[str]) -> bool:
    """Return whether `part` stands in order in this clause, with no number skipped on the way."""
    words = [word for word in read.words if word.clause == clause]
    forms = [word.form for word in words]
    for start, form in enumerate(forms):
        if form != part[0]:
            continue
        at, commas = start, 0
        for want in part[1:]:
            later = next((k for k in range(at + 1, len(forms)) if forms[k] == want), None)
            if later is None:
                break
            commas += sum(forms[k] == "," or bool(words[k].number) for k in range(at + 1, later))
            at = later
        else:
            if commas == 0:
                return True
    return False


def _touched(said: SeenText, read: SeenText, there: frozenset[str] = frozenset()) -> list[int]:
    """Return the fewest clauses of the cited text that hold what is told, the fullest first."""
    told = {word.form for word in telling(said, there)}
    held = [
        {word.form for word in read.words if word.clause == clause} & told
        for clause in range(len(read.marks))
    ]
    picked = list[int]()
    while told and held:
        best = max(range(len(held)), key=lambda clause: len(held[clause] & told))
        if not held[best] & told:
            break
        told -= held[best]
        picked.append(best)
    return picked


def _only_with(mark: str, said: SeenText, read: SeenText) -> bool:
    """Return whether a told word stands only in parts, between commas, that have the mark."""
    parts, part = list[list[str]](), list[str]()
    last = 0
    for word in read.words:
        if word.form == "," or word.clause != last:
            parts.append(part)
            part = []
        last = word.clause
        part.append(word.form)
    parts.append(part)
    for told in telling(said):
        homes = [each for each in parts if told.form in each]
        if homes and all(LEXICONS[mark] & set(each) for each in homes):
            return True
    return False


def _only_doubted(said: SeenText, read: SeenText, touched: Sequence[int]) -> bool:
    """Return whether a told word stands only where a doubt is about it."""
    for told in telling(said):
        places = [read.words[at] for at in read.places(told.form)]
        homes = [word for word in places if word.clause in touched]
        if homes and all(word.doubted for word in homes):
            return True
    return False


_COVERS: Final = {
    "condition": frozenset({"conditional"}),
    "past": frozenset({"anaphylaxis", "allergy", "allergic", "anaphylactic"}),  # these are never past
}


def _marks_kept(
    said: SeenText, read: SeenText, alias: set[str], *, asked: bool, strict: bool, closes: bool = False
) -> str | None:
    touched = _touched(said, read)
    there = frozenset[str]().union(*(read.marks[clause] for clause in touched))
    here = frozenset[str]().union(*said.marks)
    frames = {word.form for word in said.words}
    if "critical" in frames:
        return None  # an alarm is told whatever its condition
    weak = "weak" in there and (strict or _only_doubted(said, read, touched))
    if weak and "weak" not in here and not frames & _COVERS_WEAK and not closes:
        # a closing cites every view that is held, and counts those that are stated firmly
        return "a doubt is told as certain"
    if strict and "strong" in there and not {"weak", "strong"} & here and not frames & _COVERS_STRONG:
        return "a doubt is told as certain"
    added = any(word.form in (WEAK | STRONG) - FRAME - alias for word in said.words)
    if added and not any({"weak", "strong"} & marks for marks in read.marks) and not asked:
        return "a doubt is not in the cited text"
    for mark, name in (
        ("condition", "a condition"),
        ("other", "whose it is"),
        ("past", "that it is past"),
        ("later", "when it is"),
    ):
        needed = mark in there if mark == "condition" else _only_with(mark, said, read)
        if needed and mark not in here and not frames & _COVERS.get(mark, frozenset()):
            return f"{name} is lost"
        if mark in here and mark not in there and not any(mark in marks for marks in read.marks):
            return f"{name} is not in the cited text"
    if (
        asked
        and len(read.marks) <= 2
        and not said.asked
        and not frames & {"ask", "open", "check", "whether", "consider", "think"}
    ):
        return "a question is told as an answer"
    return None


def says_no(text: str) -> bool:
    """Return whether a text has a word that denies or forbids."""
    return any(word.form in DENIAL for word in seen(text).words)


def doubts(texts: Iterable[str]) -> int:
    """Return how many clauses have a word of doubt, apart from names such as "working diagnosis"."""
    return len(
        {
            (at, word.clause)
            for at, each in enumerate(texts)
            for word in seen(each).words
            if word.form in (WEAK | STRONG) - _CALLED
        }
    )


_CALLED: Final = frozenset({"working", "impression"})


def verbatim(words: str, text: str) -> bool:
    """Return whether `words` stand in `text` one after the other, whatever their case and punctuation."""
    wanted = [word.form for word in seen(words).words if word.form != ","]
    there = [word.form for word in seen(text).words if word.form != ","]
    return bool(wanted) and any(
        there[at : at + len(wanted)] == wanted for at in range(len(there) - len(wanted) + 1)
    )


def marks_at(words: str, cited: Sequence[str]) -> frozenset[str]:
    """Return the marks of `words`, from the clauses of the text that holds most of them."""
    said, read = seen(words), seen(" . ".join(cited))
    touched = _touched(said, read)
    marks = frozenset[str]().union(*(read.marks[clause] for clause in touched)) - {"denied"}
    told = [word.form for word in telling(said)]
    places = [at for form in told for at in read.places(form) if read.words[at].clause in touched]
    denied = bool(places) and sum(read.words[at].denied for at in places) * 2 > len(places)
    return marks | {"denied"} if denied else marks
