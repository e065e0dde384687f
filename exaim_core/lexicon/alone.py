"""Whether a sentence can be told by itself, or hangs on words that were said before it.

A sentence that says "it", "the rest" or "if positive" means something only beside another. Told alone it says
nothing, or something else. What hangs is told with the sentence before it, or stands on the page only.
"""

# ruff: noqa: E501 - a row is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_condition, names_measure, names_test
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.text.rows import Row, any_row

_ALWAYS: Final = any_row(
    (
        Row(
            "a part of what was named",
            r"the (?:rest|others?|latter|former|same)(?= ?(?:[.,;:)–—-]|\Z|is\b|are\b|was\b|were\b|has\b|have\b|can\b|should\b|must\b|of (?:it|that|them|those)\b))"
            r"|the (?:two|three|four|pair)(?= ?(?:[.,;:)–—-]|\Z|is\b|are\b|were\b|have\b|can\b|should\b|must\b|level\b|together\b|apart\b|equal\w*\b|side\b))",
            "I do not take back the rest",
            "the rest of the plan holds",
        ),
        Row(
            "neither, or both, of what was named",
            r"(?:neither|both)(?= ?(?:[.;:)–—-]|\Z|,|ought\b|is\b|are\b|was\b|were\b|have\b|can\b|should\b|must\b|would\b))",
            "I hold neither; both are incomplete",
            "both eyes are red",
        ),
        Row(
            "on that",
            r"(?:on|of|for|with|about|to|by|from|before|against|without|under|instead of) (?:that|this|those|these)(?= ?(?:[.,;:)–—-]|\Z| (?:is|are|was|and|or|but|alone)\b))|(?:un)?till? then",
            "do not give her dextrose on that",
            "on that day",
        ),
        Row(
            "a point by its number",
            r"(?:take back|withdraw|drop|stand by|keep|maintain|accept|reject|stop|hold|give) (?:my |your |his |her )?(?:points?|claims?|items?|objections?|arguments?|[A-Z]{1,4})[- ]?\d+(?! ?(?:m?g|%|mmol))",
            "I take back point 1",
            "I take back the pneumonia",
        ),
        Row(
            "somebody else's point",
            r"(?:do|does|did|would|will|can|could|should|shall|must|may|might)(?: not|n['’]t) ?(?=[.;]|\Z)",
            "Abiola would hold back, I would not",
            "I would not give it",
        ),
    )
)
_POINTS: Final = re.compile(
    r"(?<!\w)(?:it|its|they|them|their|theirs|these|those)(?!\w)(?! (?:is|was|would be|seems|has been) (?:\w+ )?(?:not )?(?:clear|possible|likely|unlikely|important|time|safe|best|better|wise|reasonable|worth|known|too|hard|said)\b)"
    r"|(?<!\w)(?:this|that)(?= (?:is|was|has|had|would|will|can|could|should|must|may|might|means|makes|needs|fits|explains|argues|speaks|settles|changes|comes)\b)"
    r"|(?<!\w)(?:such|one|ones)(?=[.,;]|\Z)",
    re.IGNORECASE,
)
_DETERMINED: Final = re.compile(
    r"\b(?:the|an?|no|any|his|her|their|your|our|my|every|each|more|another|some|all) (?!(?:only|rest|other|same|first|second|way|point|time|moment|chance|case|one|would|could|should|will|can|may|might|must|is|are|was|were|has|had|does|did)\b)[a-z-]{3,}",
    re.IGNORECASE,
)
_IF: Final = re.compile(
    r"\A\W*(?:and |but |then |also |only )?(?:if|once|when|unless|until)(?: (?:it|this|that|they|both|either|neither|all|still|then|clearly|really))*(?: (?:is|are|was|were|comes back|came back|turns out|remains?))?(?: (?:not|still|again|both))?"
    r" (?:positive|negative|normal|abnormal|raised|elevated|clear|clean|so|not|confirmed|present|absent|yes|no|high|low|higher|lower|worse|better|needed|back|done|possible|available|reached|above|below|over|under)\b",
    re.IGNORECASE,
)
_BARE_NUMBER: Final = re.compile(
    r"\b(?:the|re the|above|below|at|past|beyond|over|under|stays|reached|reaches|about|of) (?P<number>\d+(?:[.,·]\d+)?)(?= ?(?:[,;:)–—-](?!\d)|\.(?!\d)|\Z|and\b|or\b|on\b))",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"\bat (?:[01]?\d|2[0-4])\Z", re.IGNORECASE)
_BARE_AMOUNT: Final = re.compile(
    r"\A\W*(?:(?:only |just )?(?:one|two|three|four|half an?|\d+(?:[.,]\d+)?) ?(?:weeks?|days?|hours?|doses?|units?|months?|mg|g|mcg|micrograms?|ml|mmol|litres?|tablets?|bags?|months?)\b)(?! (?:of|after|before|ago|later|without|into|since|post|with|old)\b)"
    r"|\b(?:one|two|three|four|\d+) (?:units?|doses?|bags?|tablets?)(?= ?(?:[.,;]|\Z|now\b|more\b|today\b|tonight\b))"
    r"|\bdose: ?\d",
    re.IGNORECASE,
)
_AMOUNT_DOES: Final = re.compile(
    r"\A\W*(?:one|two|three|four|half an?|\d+(?:[.,]\d+)?|a) (?:weeks?|days?|hours?|doses?|units?|months?|bags?) (?:can|will|may|might|would|could|is|are|was|has|have|ruins?)\b",
    re.IGNORECASE,
)
_NO_OBJECT: Final = re.compile(
    r"\b(?:don['’]t|do not|not to|never|cannot|must not|should not|shouldn['’]t|mustn['’]t|would not|wouldn['’]t) (?:start|give|use|stop|hold|continue|add|restart|begin|repeat|push|do|move|go|change|touch|extend) (?:blind(?:ly)?|yet|now|tonight|today|until|till?|before|without|if|too|empirically|early|alone|there|here|at|in|again|[.,;])",
    re.IGNORECASE,
)
_OPENS_ON_NOTHING: Final = re.compile(
    r"\W*(?:and |but |so )?(?:not|never) (?:before|until|yet|now|today|tonight|while|unless|there|here|the|at|in|on|with|again)\b"
    r"|\W*(?:would|could|should|might|may|will|must) (?:\w+ly )?(?:be|help|do|have|make|need)\b|\W*(?:is|was|were|are|has|needs|helps|makes|means|fits|explains) "
    r"|\W*(?:sorry|apologies|correction|erratum|no)[,:]\s(?!.*\bnot\b)(?:\S+\s*){1,4}\Z",
    re.IGNORECASE,
)
_LIMITS_ONLY: Final = re.compile(
    r"\W*(?:only|except|but only) (?:for|if|when|after|in|with)\b", re.IGNORECASE
)
_PARTICIPLE: Final = re.compile(
    r"\A\W*(?:(?:now|then|also|just|all|again) )?(?:(?!(?:need|feed|bleed|bed|red|speed|indeed|sed|suspected|confirmed|agreed|proceed)\b)[a-z]{3,}ed|rubbed out|struck out|struck off|withdrawn|taken back|given up|gone|done|off|out)\b(?: (?:out|off|up|now|then|by \w+|for now|today|tonight|already|again))*\s*(?:[.,;–—-]|\Z)",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"\A[^:;.]{2,60}:\s+")
_CLAUSE: Final = re.compile(r"[;:.?!–—](?=\s)|,\s")


@lru_cache(maxsize=4096)
def hangs(text: str) -> str | None:
    """Return on what `text` hangs that is not in it; None if it can be told by itself."""
    bare = _LABEL.sub("", text)
    if _ALWAYS.search(text):
        return "it points to what was said before"
    if _NO_OBJECT.search(text) and not _names_before(text, _NO_OBJECT):
        return "what it forbids is not named"
    label = text[: len(text) - len(bare)]
    if _PARTICIPLE.match(bare) and not (_has_thing(label) or names_condition(label)):
        return "what was done is not said of anything"
    if _LIMITS_ONLY.match(text):
        return "it limits what was said before"
    if any(_OPENS_ON_NOTHING.match(part) for part in (text, bare)) and not _has_thing(label):
        return "of what it is said, is not named"
    if any(_IF.match(part) for part in (text, bare)) and not _named(label):
        return "on what it depends is not named"
    if _AMOUNT_DOES.match(bare):
        return "of what the amount is, is not said"
    if _BARE_AMOUNT.search(bare) and not _has_thing(text):
        return "of what the amount is, is not said"
    if (number := _BARE_NUMBER.search(text)) is not None and _number_alone(text, number):
        return "of what the number is, is not said"
    point = _POINTS.search(text)
    if point is not None and not _names_something(text[: point.start()]):
        return "what it points to is not named"
    return None


MOST_SHORT: Final = 6  # words
_NAMES_ITS_OBJECT: Final = re.compile(
    r"\W*(?:no|nobody|no one|never) [a-z][\w-]+|.*,? not \S+\Z", re.IGNORECASE | re.DOTALL
)


@lru_cache(maxsize=4096)
def is_scrap(text: str) -> bool:
    """Tell whether `text` is so short that what it is about was said before it, as its kind mostly does.

    Of the judged quotations of so few words that name no drug, and are no ban, one in three was not true; of all
    others one in ten (docs/decisions/061). A ban says what it is about, and so does what is put in another's place.
    """
    words = [word for word in text.split() if any(each.isalnum() for each in word)]
    if len(words) > MOST_SHORT or _NAMES_ITS_OBJECT.match(text.rstrip(" .!")) or prohibits(text):
        return False
    return DRUG.search(text) is None and not drugs_named(text)


def _named(text: str) -> bool:
    """Tell whether a condition, a test, a drug or a measure is named."""
    return names_test(text) or names_condition(text) or names_measure(text) or bool(drugs_named(text))


def _has_thing(text: str) -> bool:
    return DRUG.search(text) is not None or bool(drugs_named(text)) or names_test(text)


def _names_before(text: str, words: re.Pattern[str]) -> bool:
    match = words.search(text)
    return match is not None and _has_thing(text[: match.start()])


def _number_alone(text: str, number: re.Match[str]) -> bool:
    """Tell whether a number has no unit, and nothing that is measured stands before it."""
    if _CLOCK.search(text[: number.end()]):
        return False
    *earlier, before = re.split(r"[.!?]\s", text[: number.start()])
    before = " ".join(before.split()[-8:])
    if earlier and len(earlier[-1].split()) <= MOST_NEAR:  # "QTc is 512 ms. Avoid it while above 500"
        before = f"{earlier[-1]} {before}"
    return not (
        names_test(before) or _MEASURED.search(before) or _OF_A_THING.search(text[: number.start("number")])
    )


_OF_A_THING: Final = re.compile(
    r"\b(?:the|his|her|their|an?) (?!rest\b|two\b)[a-z-]{3,}(?: \w+){0,2} (?:is|was|are|were|stays|falls|goes|rises|drops|remains|being) (?:\w+ )?(?:above|below|over|under|at|about) \Z",
    re.IGNORECASE,
)
MOST_NEAR: Final = 5  # words of a sentence before, whose one thing the number is of
_ACTS: Final = re.compile(r"\b(?:give|start|stop|hold|withhold|treat|deliver|watch)\b", re.IGNORECASE)
_MEASURED: Final = re.compile(
    r"\b(?:albumin|systolic|diastolic|saturations?|sats|temp(?:erature)?|rate|pulse|output|weight|score|urea|bicarbonate|age|aged|day|week|step|point|line|room|bed|pH|spo2|map|bp|hr|rr|gcs)\b|(?-i:\w*[A-Z][A-Za-z]?[A-Z]\w*)",
    re.IGNORECASE,
)


def _names_something(before: str) -> bool:
    """Tell whether what stands before a pronoun names what it may point to."""
    return _named(_ACTS.sub(" ", before)) or _DETERMINED.search(before) is not None
