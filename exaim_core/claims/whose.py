"""Find the sentence that says whose something is: "The rash was her brother's", "that's bed nine's, not hers".

English says so in one way: a thing, "is" or "belongs to", and a person at the end of the clause. Such a sentence puts a
record right, and says nothing of the other person. So it is told, though its clause is of somebody else. It is quoted;
what it means for the board is decided elsewhere (`given_away.py`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.lexicon.kinds import names_condition, names_test
from exaim_core.lexicon.named import is_known
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.kin import KIN
from exaim_core.text.patterns import late

MOST_WORDS_BEFORE: Final = 10  # of the thing that is somebody's
_UNSURE: Final = frozenset({Status.QUESTION, Status.CONDITIONAL, Status.BOOKS, Status.HEDGED})
_COUNT: Final = (
    r"(?:[#№]? ?\d+\w?|[A-Z]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen)"
)
_BED: Final = rf"(?:in |from |of )?(?:bed|bay|cubicle|cot|room|slot|theatre|resus|side ?room) {_COUNT}"
_TITLED: Final = r"(?:an? |the )?(?i:mr|mrs|ms|miss|mx|baby|patient)\.? (?:[A-Z]\.? )?[A-Z][\w'’-]+?"
_NOUN: Final = r"(?:patient|man|woman|lady|gentleman|person|boy|girl|child|case|baby|one)"
_SOMEBODY: Final = (
    rf"(?:(?:another|(?:an|the) other|a different|the wrong|the next|the previous|the last)(?: {_NOUN})?"
    r"(?: [A-Z][\w'’-]+){0,2}|some(?:body|one) else|(?:the|her|his) (?:neighbou?r|donor|room-?mate)"
    rf"|(?:the|a|an) {_NOUN} {_BED}"
    rf"|the {_NOUN} (?:before|next to|opposite|beside|across from) (?:her|him|this one|ours))"
)
_LINK: Final = (
    r"(?:[’']s|s(?<=thats)|(?:\s|\A)(?:is|was|are|were|isn[’']t|wasn[’']t|=)"
    r"|\s(?P<goes>(?:really |actually |in fact )?(?:belong(?:s|ed)? to|(?:turns|turned) out to be"
    r"|(?:comes?|came) from|goes (?:with|to)|(?:is|was|are|were) (?:about|for|of|from)"
    r"|(?:is|was|sits|stands) in the (?:notes?|chart|records?"
    r"|file) of|(?:(?:is|was|are|were|been) )?(?:meant|made out|issued|written|intended|dispensed|prescribed|booked)"
    r" (?:for|to))))"
)
_PAPER: Final = (
    r"(?:bands?|charts?|notes?|files?|labels?|sheets?|traces?|strips?|tubes?|samples?|bottles?|box(?:es)?|forms?"
    r"|entry|entries|lines?|lists?|letters?|cards?|records?|results?|reports?|scans?|films?|tablets|history|allergy)"
)
_KIN_OF: Final = r"(?:(?:his|her|their|the|my|our|\w+[’']s)\W{1,3}(?:\w+ )?)"
_NOT_OURS: Final = r"not (?:hers|his|ours|this (?:patient|man|woman|lady|one)[’']s)\b"
_WHOSE: Final = late(
    lambda: re.compile(
        rf"{_LINK}\s+(?:{_NOT_OURS}|(?:(?:all|actually|really|in fact|only)\s)?\W{{0,2}}"
        rf"(?:(?P<kin>{_KIN_OF}(?i:{KIN}))(?P<owns>[’']s?(?: own|(?: \w+)? {_PAPER})?)?"
        rf"|(?:{_BED}|{_TITLED}|{_SOMEBODY}|(?:{_TITLED},?|[A-Z][\w'’-]+,) {_BED}|the patient[’']s own)(?:[’']s?)?))"
        r"(?=\W*(?:\Z|[.,;:!?)\u2013\u2014-](?!\w)|(?:in|on|at|from|not)\b))"
    )
)
"""The link, and at the clause's end who it is of. Case counts: it shows a name."""
_THAT: Final = re.compile(
    r"\W*(?:(?:no|yes|sorry|oh|uh|um|wait|well|and|but|so|ah|look|my (?:error|mistake|bad))\b[\W_]*)*"
    r"(?:that|this|it|those|these|thats|they)(?: (?:one|lot))?\W*\Z",
    re.IGNORECASE,
)
_RECORD: Final = late(
    lambda: re.compile(
        rf"\b(?:wrist{_PAPER}|{_PAPER}|page|screen|monitor|pictures?|images?|ECGs?|gas(?:es)?|bloods?|values?|numbers?"
        r"|weight|documents?|referral|prescriptions?|(?:blood )?group|ones?|\d+"
        r"|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|point)\b",
        re.IGNORECASE,
    )
)
_PLACED: Final = re.compile(r"\bfrom\b|(?<!meant )\bfor\b")
_TOLD_BY: Final = re.compile(
    r"\b(?:history|accounts?|stor(?:y|ies)|letters?|notes?|lists?|forms?|cards?|reports?|documents?|referral)\W*\Z",
    re.IGNORECASE,
)
"""What comes from a relative who tells or writes it: "the history is from her daughter"."""
_MOVED: Final = re.compile(
    r"\A\W*(?:the|a|this|that) (?:\w+ )?(?:monitor|screen|referral|transfer)\W*\Z", re.IGNORECASE
)
"""What comes from a place, and is no record of who is there."""
_PERSON: Final = late(
    lambda: re.compile(
        rf"(?:{_TITLED}|\b(?:he|she|who|i|we|you|patient|historian|informant|donor|carer|contact|caller|interpreter"
        rf"|visitor|proxy|attorney|driver|phone|(?:phone|mobile|contact) number|signature|handwriting"
        rf"|consent(?: form)?|house|home|car|decision|choice|wish|question|idea|fault|turn|worry"
        rf"|option|plan|answer|{KIN}))\W*\Z",
        re.IGNORECASE,
    )
)
"""The thing is a person, or what is in no record: who that is puts nothing right."""
_ARTICLE: Final = re.compile(
    r"\W*(?:the|that|this|those|these|all)\b|\W*[\"“‘'][^\"”’']+[\"”’']\s*\Z", re.IGNORECASE
)
_PARTS: Final = re.compile(r"[.;:!?]|[,\u2013\u2014-] |\b(?:and|but|that) (?=\w+\W*\Z)")


def says_whose(text: str) -> bool:
    """Return whether `text` says outright that something of the record is somebody else's, or the patient's after all.

    A bare relative ("it's her SISTER") counts only behind a pronoun or a record; what is said of a relative does not.
    """
    return bool(_owners(text))


def is_said_to_be_anothers(text: str) -> bool:
    """Return whether `text` says outright that something that it names is somebody else's, or not the patient's."""
    return any(not (_OWN.search(owner) or _THAT.match(thing)) for thing, owner in _owners(text))


def points_to_another(text: str) -> bool:
    """Return whether `text` says that what was said right before it is somebody else's: "that's his twin".

    What comes from a relative, or is for one, may be the patient's: a relative told it.
    """
    return any(
        _THAT.match(thing) and not (_OWN.search(owner) or _OF_KIN.match(owner))
        for thing, owner in _owners(text)
    )


_ALLERGY: Final = re.compile(r"\b(?:allerg|anaphyla|hypersensitiv|reaction)\w*\W*\Z", re.IGNORECASE)
_OF_KIN: Final = late(
    lambda: re.compile(rf".*?\b(?:from|(?<=s )for)\s+\W{{0,2}}{_KIN_OF}(?i:{KIN})\W*\Z", re.DOTALL)
)
"""A relative whom something comes from or is for: "is from her daughter"; not "is from her daughter's chart"."""


_OWN: Final = re.compile(r"\bpatient[’']s own\b", re.IGNORECASE)


@lru_cache(maxsize=2048)
def _owners(text: str) -> tuple[tuple[str, str], ...]:
    """Return the things of the record of which `text` says who they are of, each with the words that say so."""
    owners = list[tuple[str, str]]()
    if text.rstrip(" \"'”’*)").endswith("?"):
        return ()
    plain = text.replace("*", "")
    for found in _WHOSE.finditer(plain):
        thing = _PARTS.split(plain[: found.start()])[-1]
        if len(thing.split()) > MOST_WORDS_BEFORE or _PERSON.search(thing):
            continue
        of_record = _THAT.match(thing) is not None or _RECORD.search(thing) is not None
        placed = _PLACED.search(found.group())
        if placed and not (of_record or _is_known(thing)):
            continue  # "the room is for bed 9"
        if placed and placed.group() == "from" and (_TOLD_BY if found["kin"] else _MOVED).search(thing):
            continue
        if _OF_KIN.match(found.group()) and _ALLERGY.search(thing):
            continue  # "the allergy comes from her daughter"
        owned = found["kin"] is None or found["owns"] is not None or found["goes"] is not None
        said = f"{thing}{found.group()}"
        if (of_record or (owned and _is_a_thing(thing))) and not statuses_of(said, "") & _UNSURE:
            owners.append((thing, found.group()))
    return tuple(owners)


def _is_a_thing(words: str) -> bool:
    """Return whether `words` name a thing: with an article, in quotation marks, or something known."""
    return _ARTICLE.match(words) is not None or _is_known(words)


def _is_known(words: str) -> bool:
    """Return whether `words` name something that a lexicon has."""
    return is_known(words) or names_condition(words) or names_test(words)
