"""Read answers to examination questions with options: "Answer: (C) …".

The letter belongs to the question, which no listener hears; what it stands for is the agent's view, or its order. Each
function looks at one line or sentence only. What is asked, denied, supposed, left open between
two options or reported of somebody else is no answer.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("lexicon/options")


def without_letter(text: str) -> str:
    """Return `text` without an option's letter at its start: "B) Digoxin toxicity"."""
    return _OPENS.sub("", text)


_OPENS: Final = re.compile(r"\A\s*(?:(?i:option|choice)\s+)?[(\[]?[A-Ja-j][)\]][.:,]?\s+(?=\w)")


def answer(text: str) -> str | None:
    """Return what an agent answers in `text`, a whole sentence or line, without the letter; or None.

    "": only the letter, which says nothing without the question.
    """
    text = _FORMS["tex"].sub("", text).strip(" *")
    if text.endswith("?"):
        return None
    if opening := _FORMS["answers"].match(text):
        at = opening.end()
        if passed := _FORMS["not_that"].match(text, at):
            at = passed.end()
        if letter := _FORMS["letter"].match(text, at):
            return _named(text[letter.end() :])
        if re.fullmatch(r"[A-J]\.?", text[at:]):
            return ""
    bare = _FORMS["without_letter"].match(text)
    return _named(text[bare.end() :]) or None if bare else None


def lettered(text: str) -> tuple[str, str] | None:
    """Return the option's letter with which `text` answers, in capitals, and its words, "" for none; else None.

    What leaves more than one option open, or answers without a letter, is None.
    """
    said = answer(text)
    if said is None:
        return None
    text = _FORMS["tex"].sub("", text).strip(" *")
    opening = _FORMS["answers"].match(text)
    at = opening.end() if opening is not None else 0
    if opening is not None and (passed := _FORMS["not_that"].match(text, at)):
        at = passed.end()
    letter = _LETTER.match(text, at)
    rest = text[letter.end() :].strip(" .)]*") if letter is not None else said
    if letter is None or (not said and rest):
        return None
    return letter["letter"].upper(), said


_LETTER: Final = re.compile(r"(?:(?i:option|choice)\s+)?[(\[]?\s?(?P<letter>[A-Ja-j])(?!\w)")


def listed_answer(text: str, heading: str) -> str | None:
    """Return what a line with an option's letter answers under the heading "Answer", as `answer` does."""
    if _FORMS["labelled"].fullmatch(heading.strip(" :*")) is None:
        return None
    letter = _FORMS["letter"].match(text)
    return _named(text[letter.end() :]) if letter else None


def names_drug_effect(words: str) -> bool:
    """Return whether an option that names a drug is a condition that the drug causes."""
    return _FORMS["condition"].search(words) is not None


def shows_example(text: str) -> bool:
    """Return whether a sentence announces an example, which is about another patient."""
    return _FORMS["example"].search(text) is not None


def _named(text: str) -> str | None:
    """Return the words of the option that `text` opens with; None if they leave it open."""
    words = text.strip(" *")
    end = _FORMS["end"].search(words)
    words = (words[: end.start()] if end else words).strip(" *.,\"'")
    return None if _FORMS["open"].match(words) or _FORMS["letter"].search(words) else words
