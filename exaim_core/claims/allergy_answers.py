"""Read what an answer says of allergies that were asked for: "allergic to penicillin or latex?", and then "both".

What is named counts, or all that the question names ("both of them"), or its one substance ("yes"). What is denied bare
and then said stands: "No wait, both", and "No.", "Well, latex." A bare "no" states nothing by itself.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.lexicon.prohibitions import is_allergen
from exaim_core.text.assertion import NOT_OURS, Status, statuses_of
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import lower_first, series, upper_first

_FORMS: Final = lexicon("claims/allergy_answers")
_WORD: Final = re.compile(r"[\w-]+")
_JOINS: Final = re.compile(r"(?:,| or|,? and| &)(?: (?:to|the))* (?=\w)", re.IGNORECASE)


def only_says_no(text: str) -> bool:
    """Return whether `text` is a bare denial: "No.", "None known."."""
    return _FORMS["only_no"].fullmatch(text) is not None


def asked_of(question: str) -> tuple[str, ...]:
    """Return the substances of which `question` asks whether the patient is allergic to them; () for none."""
    found = _FORMS["asked_of"].search(question)
    if found is None or _FORMS["asked_else"].search(question):
        return ()
    if statuses_of(question, "") & NOT_OURS - {Status.QUESTION}:
        return ()
    what = next(each for each in found.groupdict().values() if each)
    return tuple(word for word in _WORD.findall(what) if is_allergen(word))


def said_after_no(answer: str) -> bool:
    """Return whether `answer`, behind a bare "no", may say an allergy all the same."""
    return bool(_named(answer)) or _all_of_them(answer) is not None


def allergies_said(question: str, answer: str) -> str:
    """Return the allergies that `answer` says, worded as an entry of a list; "" for none.

    `question` asks for allergies, or whether there is one to what it names.
    """
    asked = asked_of(question)
    if named := _named(answer):
        return named
    if len(asked) > 1 and (more := _all_of_them(answer)) is not None:
        return _entry(asked, more)
    yes = _FORMS["yes"].match(answer)
    if len(asked) == 1 and yes is not None and not _FORMS["turns_round"].search(yes["more"]):
        return _entry(asked, yes.group())
    return ""


def _entry(names: tuple[str, ...], said: str) -> str:
    """Return an entry with what somebody said of it: "Penicillin and latex (both of them)"."""
    return f"{upper_first(series(names))} ({lower_first(said.strip(' .!,()'))})"


def _all_of_them(answer: str) -> str | None:
    """Return the words with which `answer` says that all is so that was asked; None if it does not."""
    opening = _FORMS["opens"].match(answer)
    found = _FORMS["all_of_them"].match(answer, opening.end() if opening is not None else 0)
    return found.group() if found is not None and not _FORMS["turns_round"].search(found["more"]) else None


def _named(answer: str) -> str:
    """Return the substances with which `answer` opens, and what it says behind them; "" if it does not name one.

    A thing of that name is none ("latex gloves"), nor is what is denied, borne or ordered.
    """
    opening = _FORMS["opens"].match(answer)
    start = end = opening.end() if opening is not None else 0
    while (word := _WORD.match(answer, end)) is not None and is_allergen(word.group()):
        end = word.end()
        joins = _JOINS.match(answer, end)
        behind = _WORD.match(answer, joins.end()) if joins is not None else None
        if joins is None or behind is None or not is_allergen(behind.group()):
            break
        end = joins.end()
    tail = answer[end:]
    if end == start or _FORMS["tail"].fullmatch(tail) is None or _FORMS["turns_round"].search(tail):
        return ""
    return upper_first(answer[start:].strip())
