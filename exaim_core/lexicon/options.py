"""Answers to a question with options, as teams that were made on examination questions give them: "Answer: (C) …".

The letter is of the question, which nobody hears; what it stands for is the agent's view, or its order. Each
function looks at one line or sentence and at nothing else. What is asked, denied, supposed, left open between
two options or reported of somebody else is no answer.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.rows import lexicon

_FORMS: Final = lexicon("lexicon/options")


def without_letter(text: str) -> str:
    """Return `text` without the letter of an option that it opens with: "B) Digoxin toxicity"."""
    return _OPENS.sub("", text)


_OPENS: Final = re.compile(r"\A\s*(?:(?i:option|choice)\s+)?[(\[]?[A-Ja-j][)\]][.:,]?\s+(?=\w)")


def answer(text: str) -> str | None:
    """Return what an agent answers in `text`, a whole sentence or line, without the letter; None: nothing.

    "": the letter alone, which says nothing to who does not see the question.
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


def listed_answer(text: str, heading: str) -> str | None:
    """Return what a line that opens with a letter answers under the heading "Answer", as `answer` does."""
    if _FORMS["labelled"].fullmatch(heading.strip(" :*")) is None:
        return None
    letter = _FORMS["letter"].match(text)
    return _named(text[letter.end() :]) if letter else None


def names_drug_effect(words: str) -> bool:
    """Return whether an option that names a drug is a condition all the same: one that the drug brings about."""
    return _FORMS["condition"].search(words) is not None


def shows_example(text: str) -> bool:
    """Return whether a sentence says that an example follows, which is of another patient."""
    return _FORMS["example"].search(text) is not None


def _named(text: str) -> str | None:
    """Return the words of the option that `text` opens with; None if they leave it open."""
    words = text.strip(" *")
    end = _FORMS["end"].search(words)
    words = (words[: end.start()] if end else words).strip(" *.,\"'")
    return None if _FORMS["open"].match(words) or _FORMS["letter"].search(words) else words
