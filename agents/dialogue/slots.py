"""What a question asks for (how much, when, where, a value), and whether a passage says it of the thing asked about.

A number in the next clause is another thing's: "labetalol 20 mg; no magnesium top-ups" holds no dose of magnesium.
"""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agents.dialogue.meaning import IN_CLASS, Unit, meaning_of, met_by

HAS_UNIT: Final = re.compile(
    r"\d[\d.,]*\s?(?:%|°|mg|mcg|microg|microgram|ug|µg|g\b|kg|ml|mL|L\b|lit(?:re|er)s?|units?|mmol|millimol\w*|micromol|ng|mmHg|mm\b|cm\b|/min|per minute|per kilo|bpm|mg/|mL/)|\d+/\d+|\d{3}"
    r"|\b(?:half|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|hundred)\b[\w ]{0,20}\b(?:mg|milligrams?|grams?|micrograms?|mils?|millilit\w+|lit(?:re|er)s?|units?|millimol\w*)\b",
    re.IGNORECASE,
)
HAS_NUMBER: Final = re.compile(
    r"\d|\b(?:nought|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|half)\b",
    re.IGNORECASE,
)
HAS_TIME: Final = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.]\d{2}\b|\b(?:[01]\d|2[0-3])[0-5]\d\b|\b(?:yesterday|today|tonight|tomorrow|tmrw|this morning|(?:mon|tues|wednes|thurs|fri|satur|sun)day|hourly|daily)\b|\b\d+/(?:7|52|12)\b"
    r"|\b(?:\d+|two|three|four|five|six|seven|eight|ten|twelve|twenty) ?(?:h|hrs?|min|minutes?|hours?|days?|weeks?|months?|years?)\b|\b(?:until|till?|before|after|once)\b",
    re.IGNORECASE,
)
HAS_PLACE: Final = re.compile(
    r"\b(?:icu|itu|hdu|ccu|high[- ]dependency|intensive care|ward|theatre|theater|resus|cath lab|endoscopy|unit|bed|home|clinic|centre|center|hospital|vein|arm|leg|groin|neck|chest|left|right)\b",
    re.IGNORECASE,
)
LIMIT: Final = re.compile(
    r"\b(?:if|unless|until|targets?|aim\w*|goal|want|above|below|over|under|less than|more than|should|falls?|falling|stays?|rises?)\b",
    re.IGNORECASE,
)
_ASKS: Final = (
    (re.compile(r"\b(?:how often|how frequently)\b"), re.compile(r"\b(?:hourly|daily|weekly|once|twice|times|every|alternate|\d+[- ]hourly|q\d+h|a day)\b", re.IGNORECASE)),
    (re.compile(r"\b(?:when|what time|which (?:year|day)|what year|how long|since when|how soon|till when|until when)\b"), HAS_TIME),
    (re.compile(r"\b(?:how (?:much|high|low|wide|thick|big|large|fast|far|heavy)|dos(?:e|es|ing|age)|rate|diameter|size|running at|start (?:her|him) on)\b"), HAS_UNIT),
    (re.compile(r"\b(?:where|which (?:bed|ward|unit|vein|side|hospital))\b"), HAS_PLACE),
)  # fmt: skip
# What is asked of a value beside its number.
_OTHERWISE: Final = re.compile(
    r"\b(?:why|how come|reason|what (?:made|makes)|because|if|supposing|unless|ok|okay|safe|allowed|can|could|should|shall|may|sure|certain|agreed?|decid\w+|final\w*)\b"
)
_CLAUSES: Final = re.compile(r"[.;?](?:\s|\Z)|: |, (?!\d)|\b(?:and|but) (?=(?:I|he|she|they|we) )")


def asks_for(question: str) -> re.Pattern[str] | None:
    """Return what an answer to `question` (small letters) must hold; None where no such thing is asked for."""
    return next((has for wants, has in _ASKS if wants.search(question)), None)


def says_of(question: str, text: str, about: Sequence[Unit], *, value: bool) -> bool | None:
    """Tell whether one clause of `text` both names one of `about` and holds what `question` asks for.

    `value`: a laboratory value or a sign is asked about, whose number is the answer; a limit or an aim is none.
    None: nothing of the kind is asked for.
    """
    has = asks_for(question)
    if not about or (has is None and (not value or _OTHERWISE.search(question))):
        return None
    clauses = [clause for clause in _CLAUSES.split(text) if clause and (has or HAS_NUMBER).search(clause)]
    if has is None:
        clauses = [clause for clause in clauses if not LIMIT.search(clause)]
    if not clauses:
        return False
    return any(max(met) >= IN_CLASS for met in met_by(about, [meaning_of(clause) for clause in clauses]))
