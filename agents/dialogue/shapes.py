"""Whether a text has the form that a question asks for: a number, a time, a reason, a verdict, a condition."""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from typing import Final

_FITS: Final = 0.18  # for a sentence that has what the question asks for: a number, a time, a reason
_NUMBER: Final = re.compile(
    r"\b(?:how (?:much|many|high|low|wide|thick|big|large|fast|long|far|old|deep|bad)|dos(?:e|es|ing|age)|rate|rates|what (?:level|number|value|figure|pressure|percentage)|diameter|width|size|units|milligrams?|mils|mikes|micrograms?|targets?|goals?|odds|percent|figures?|running at|start (?:her|him) on|threshold|at what)\b"
)
_TIME: Final = re.compile(
    r"\b(?:when|what time|which (?:year|day)|by when|til when|till when|until when|how long|since when|what year|how soon)\b"
)
_WHY: Final = re.compile(
    r"\b(?:why|how come|reason|what made|what makes|because|grounds|argues?|speaks? (?:for|against)|in favou?r|against|based? (?:on|his|her|their)|justif\w+|turned)\b"
)
_MAY: Final = re.compile(
    r"\A(?:(?:and|so|but|ok|okay|then|now) )*(?:can|could|may|might|should|shall)\b(?! you\b)|\b(?:yes or no|or not|or leave|or hold|any (?:use|good|point|harm)|enough|fine (?:to|for)|ok|okay|safe|dangerous|risky|allowed|alright|all right|option|can (?:i|we|she|he|they)|could (?:i|we|she|he|they|not)|should (?:i|we|she|he)|shall (?:i|we)|do (?:i|we)|may (?:i|we|she|he)|are (?:we|they) (?:allowed|giving|going)|does (?:she|he) (?:need|get)|is (?:somebody|someone|she|he) (?:getting|having|going)|do(?:es)? (?:\w+ ){1,3}(?:carry on|go on|continue|keep|stay|stop))\b"
)
_WHETHER: Final = re.compile(
    r"\A(?:(?:and|so|but|ok|okay|then|now|well) )*(?:is|are|was|were|does|do|did|has|have|had|can|could|should|shall|may|will|would)\b|\b(?:is|are|was|were|did|does|has|have) ?n['’]?t (?:she|he|it|they)\b"
)
_IF: Final = re.compile(
    r"\bwhen (?:must|should|do|does|can|may|would|is|are) (?:i|we|he|she|they|you|it|the)\b|\b(?:if|supposing|in case|what would|unless|at what \w+|when would|plan b)\b"
)
HAS_NUMBER: Final = re.compile(r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|half|once|twice)\b")
_HAS_UNIT: Final = re.compile(
    r"\d[\d.,]*\s?(?:%|°|mg|mcg|microg|microgram|ug|µg|g\b|kg|ml|mL|L\b|units?|mmol|micromol|ng|mmHg|mm\b|cm\b|/min|per minute|bpm|mg/|mL/)|\d+/\d+|\d{3}",
    re.IGNORECASE,
)
_HAS_TIME: Final = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.]\d{2}\b|\b(?:[01]\d|2[0-3])[0-5]\d\b|\b(?:yesterday|today|tonight|tomorrow|tmrw|this morning|interval)\b|\b\d+/(?:7|52|12)\b|"
    r"\b\d+ ?(?:h|hrs?|min|minutes?|hours?|days?|weeks?|months?|years?)\b|\b(?:two|three|four|five|six|seven|eight|ten) (?:minutes|hours|days|weeks|months|years)\b|\b(?:until|till?|before|after|once)\b",
    re.IGNORECASE,
)
_HAS_REASON: Final = re.compile(
    r"\b(?:because|since|so that|therefore|due to|explains?|given|for the sake|in case|could|outweighs?|speaks?|argues?|fits?|accounts?|against|makes?|supports?)\b|\bw/|[:=+–—→]",
    re.IGNORECASE,
)
_HAS_VERDICT: Final = re.compile(
    r"\b(?:no|not|never|avoid|stop|only|unless|until|til|rejected|contra-?indicat\w+|ok|safe|suitable|fine|hold|wait|leave|instead|rather|must|should|cannot|can|don['’]t|won['’]t|off|against|needs?|pointless|scrap|before)\b",
    re.IGNORECASE,
)
_HAS_CONDITION: Final = re.compile(
    r"\b(?:if|unless|only|once|when|until|til|above|below|under|over|falls?|drops?|in case)\b|[<>]",
    re.IGNORECASE,
)
# ... said in so many words, or by a limit: "Triggers: platelets below 50", "no signal, vascular at once".
_SETS_CONDITION: Final = re.compile(
    rf"{_HAS_CONDITION.pattern}|\b(?:whenever|till?|before|passes|exceeds?|should|(?:less|more) than|or (?:more|less)|triggers?|alarms?|at once)\b"
    # ... or as a sum: "a drop of one grade = call me", "any drop in GCS → CT again"; or by a level: "intubate at 1.2"
    r"|(?<!\d) (?:=|→) (?:I\b|stop|hold|call|ring|wake|bleep|page|phone|fetch|start|give|back|tube|intubate|transfer)\b"
    r"|[A-Za-z)] ?(?:→|->|=>) ?[A-Za-z]|\bany (?:drop|fall|rise|change|new)\b|\A(?:\W*[A-Za-z]+ ){1,3}at \d+(?:\.\d+)?(?![\d:.]|/\d| ?[ap]m\b)",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"\b(?:what time|by when|which year|what year|til when|till when|until when)\b")
_HAS_CLOCK: Final = re.compile(
    r"\b(?:19|20)\d\d\b|\b\d{1,2}[:.]\d{2}\b|\b(?:[01]\d|2[0-3])[0-5]\d\b|\b\d{1,2} ?[ap]m\b"
)
_END: Final = re.compile(
    r"\b(?:land(?:ed)? on|settled?|agreed?|decid\w+|final\w*|in the end|end(?:ed)? up|by the end)\b"
)
_HAS_END: Final = re.compile(
    r"\b(?:all \w+|we (?:both )?(?:agree|have)|unanimous\w*|consensus|decision|decided|agreed|confirmed|rejected|final)\b",
    re.IGNORECASE,
)
_SURE: Final = re.compile(r"\bhow (?:sure|certain|confident|convinced)\b|\bconfiden\w+\b|\bcertainty\b")
_HAS_SURE: Final = re.compile(
    r"\b(?:confiden\w+|sure|certain\w*|likely|probab\w+|loosely|firmly|convinced)\b|\b0\.\d|\d ?%",
    re.IGNORECASE,
)
_SHAPES: Final = (
    (_END, _HAS_END),
    (_CLOCK, _HAS_CLOCK),
    (_SURE, _HAS_SURE),
    (_TIME, _HAS_TIME),
    (_WHY, _HAS_REASON),
    (_MAY, _HAS_VERDICT),
    (_IF, _HAS_CONDITION),
)


def form_of(asks: str, text: str, value: bool) -> float:
    """Return what a text gains and loses by its form: a number, a time, a reason that is asked for."""
    made = 0.0
    if value and not _NUMBER.search(asks) and not any(wants.search(asks) for wants, _ in _SHAPES):
        made += 0.5 * _FITS if HAS_NUMBER.search(text) else -0.5 * _FITS
    if _NUMBER.search(asks):
        made += _FITS if _HAS_UNIT.search(text) else 0.5 * _FITS if HAS_NUMBER.search(text) else -_FITS
    for wants, has in _SHAPES:
        if wants.search(asks):
            made += _FITS if has.search(text) else -0.5 * _FITS
    return made


def asks_leave(question: str) -> bool:
    """Tell whether `question` (small letters) asks if something may be given or done, or should be."""
    return _MAY.search(question) is not None


def asks_whether(question: str) -> bool:
    """Tell whether `question` (small letters) asks if something is so: yes or no is its answer."""
    return _WHETHER.search(question) is not None


def sets_condition(text: str) -> bool:
    """Tell whether a text says when or from what limit on something is to be done."""
    return _SETS_CONDITION.search(text) is not None
