"""Answers to a question with options, as teams that were made on examination questions give them: "Answer: (C) …".

The letter is of the question, which nobody hears; what it stands for is the agent's view, or its order. Each
function looks at one line or sentence and at nothing else. What is asked, denied, supposed, left open between
two options or reported of somebody else is no answer.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from typing import Final

_SPECIES: Final = r"(?:difficile|botulinum|perfringens|tetani|albicans|auris|coli|faecalis|faecium|pylori|influenzae|cereus|anthracis|burgdorferi|jejuni|diphtheriae|baumannii|lamblia|vaginalis|histolytica)\b"
_LETTER: Final = re.compile(
    rf"(?:(?i:option|choice)\s+)?(?:[(\[]\s?[A-Ja-j]\s?[)\]]|(?<!\w)(?:[a-j]\)|[A-J](?:[).:,]|\s[-–—](?=\s))))[.:,]?(?=\s|\Z)(?!\s+{_SPECIES})"
)
_WORD: Final = r"(?:answer|choice|option|selection|(?:most likely |likely )?diagnosis)"
_WHOSE: Final = r"(?:(?:my|our|the|final|correct|best|right|most (?:likely|appropriate|accurate)|chosen|revised|updated|initial|consensus|majority|agreed|single)\s+)*"
_LEAD_IN: Final = r"(?:(?:so|thus|therefore|hence|overall|now|and|in conclusion|in summary|(?:based on|given|considering|after|taking|having|as) [^,.;]{3,160}|[^,.;:?]{3,160}, (?:but|so|and|yet)),?\s+)?"
_ANSWERS: Final = re.compile(
    rf"(?!(?:if|when|unless|were|had|should|suppos\w+|assuming)\b){_LEAD_IN}(?:I (?:\w+ ){{0,2}}?(?:believe|think|conclude|agree|maintain|say)(?: that)? )?"
    rf"(?:{_WHOSE}{_WORD}(?:\s+to (?:the|this) question)?(?:\s+(?:still|therefore|thus))?(?:\s*(?::|[-–—](?=\s))|\s+(?:is|remains|stays)(?:\s+(?:still|therefore|thus))?:?)"
    rf"|(?:I|we)(?:['’]d| would| will)?(?: still| now| therefore)? (?:choose|select|pick|answer|vote for|go with|stay with|stand by|stick with)(?: {_WHOSE}{_WORD}(?= [A-Z(\[]))?"
    r"|I (?:\w+ )?(?:lean|vote) (?:towards?|for))\s*",
    re.IGNORECASE,
)
_NOT_THAT: Final = re.compile(rf"not {_LETTER.pattern}[^.;:]{{2,80}}? but (?:rather )?(?={_LETTER.pattern})")
_WITHOUT_LETTER: Final = re.compile(
    rf"{_WHOSE}answer(?:\s*:\s*(?=[A-Z])|\s+is\s+an?\s+)", re.IGNORECASE
)  # a name, or one with its article: "the answer is clear" gives none
_LABELLED: Final = re.compile(rf"{_WHOSE}{_WORD}(?: to (?:the|this) question)?", re.IGNORECASE)
_END: Final = re.compile(
    r"\s+[-–—]\s+|[;:]|\.(?=\s|\Z)|,?\s+(?:because|since|given|as (?:it|this|the|he|she|they|there|my|our|empirical)|due to the fact|based on|which|who|is (?:the|my|most|correct|supported)|for the following|and (?:not|I|we)|rather than|instead of)\b|,\s+(?:as|so|but|with the)\b"
)
_OPEN: Final = re.compile(
    r"(?:or|and|not|either|neither|both|none|all)\b|.*\b(?:option|choice|either|neither|depends|unclear|unknown|cannot|uncertain)\b",
    re.IGNORECASE,
)
_TEX: Final = re.compile(r"\\(?:boxed|text|textbf|mathbf|mathrm)\b|[{}$]")
_EXAMPLE: Final = re.compile(
    r"\b(?:example|sample|format|illustration)\b[^.?!]*\b(?:another|different|other) (?:patient|case|question)",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"-(?:induced|associated|related)\b|\b(?:toxicity|poisoning|overdose|withdrawal|intoxication|allergy|hypersensitivity|reaction|syndrome|deficiency|excess|resistance|\w+(?:a?emia|itis|osis|penia|pathy|uria|oma|lysis))\b",
    re.IGNORECASE,
)


def without_letter(text: str) -> str:
    """Return `text` without the letter of an option that it opens with: "B) Digoxin toxicity"."""
    return _OPENS.sub("", text)


_OPENS: Final = re.compile(r"\A\s*(?:(?i:option|choice)\s+)?[(\[]?[A-Ja-j][)\]][.:,]?\s+(?=\w)")


def answer(text: str) -> str | None:
    """Return what an agent answers in `text`, a whole sentence or line, without the letter; None: nothing.

    "": the letter alone, which says nothing to who does not see the question.
    """
    text = _TEX.sub("", text).strip(" *")
    if text.endswith("?"):
        return None
    if opening := _ANSWERS.match(text):
        at = opening.end()
        if passed := _NOT_THAT.match(text, at):
            at = passed.end()
        if letter := _LETTER.match(text, at):
            return _named(text[letter.end() :])
        if re.fullmatch(r"[A-J]\.?", text[at:]):
            return ""
    bare = _WITHOUT_LETTER.match(text)
    return _named(text[bare.end() :]) or None if bare else None


def listed_answer(text: str, heading: str) -> str | None:
    """Return what a line that opens with a letter answers under the heading "Answer", as `answer` does."""
    if _LABELLED.fullmatch(heading.strip(" :*")) is None:
        return None
    letter = _LETTER.match(text)
    return _named(text[letter.end() :]) if letter else None


def names_condition(words: str) -> bool:
    """Tell whether an option that names a drug is a condition all the same: one that the drug brings about."""
    return _CONDITION.search(words) is not None


def shows_example(text: str) -> bool:
    """Tell whether a sentence says that an example follows, which is of another patient."""
    return _EXAMPLE.search(text) is not None


def _named(text: str) -> str | None:
    """Return the words of the option that `text` opens with; None if they leave it open."""
    words = text.strip(" *")
    end = _END.search(words)
    words = (words[: end.start()] if end else words).strip(" *.,\"'")
    return None if _OPEN.match(words) or _LETTER.search(words) else words
