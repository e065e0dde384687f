"""What restrains, read as widely as can be: each sentence in force that forbids, warns, or is of an allergy.

It is not told as a ban. It is quoted on the page, below an answer about safety, so that a ban in a wording that
nobody thought of is reached there (docs/decisions/076-what-restrains-is-on-the-page.md).
"""

# ruff: noqa: E501 - patterns are read more easily on long lines

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from agents.dialogue.forbids import EPISTEMIC, denies, doings, is_of_a_list, is_record
from agents.dialogue.given import names_given, reacted_to, substances
from agents.dialogue.shapes import asks_leave
from exaim_core.board.shown import SaidView
from exaim_core.claims.remarks import VALUES
from exaim_core.lexicon.drugs import drugs_named
from exaim_core.text.names import NUMBER_WORDS
from exaim_core.text.wording import word_count

# A word that restrains, anywhere beside something that is given or done.
_WORDS: Final = re.compile(
    r"\b(?:no|nil (?:by mouth|orally|per os|po)|nbm|npo|nothing (?:by mouth|orally|per os|po|to eat|to drink)|not|never|nobody|nor|neither|none|cannot|avoid\w*|stop\w*|hold|held|holding|withh\w+|omit\w*|skip\w*|leave out|off|cancel\w*|struck|withdraw\w*|withdrew|contra-?ind\w*|against|reject\w*|refus\w*|declin\w*|barr?ed|forbid\w*|only (?:if|after|for|when|once|with)|unless|until|till?|wait|rather|caution\w*|careful\w*|beware|danger\w*|harm\w*|kills?|fatal|lethal|steer|clear of|keep (?:away|off|out)|without|strike|nor|forbidden|take[ns]? [^.,;]{2,30} (?:down|out))\b|n['’]t\b",
    re.IGNORECASE,
)
# ... or of what the sentence before names: "Those two must never share a line".
_OF_BEFORE: Final = re.compile(r"\W*(?:it|this|that|these|those|they|both)\b[^.;,]{0,20}\b(?:must|should|can|may)(?: ?not|n['’]t| never)\b", re.IGNORECASE)  # fmt: skip
# Of these those that bar a thing which stands in the same clause ...
_BARS: Final = re.compile(
    r"\b(?:avoid\w*|stopp?(?:ed|s)?|withh\w+|omit\w*|cancel\w*|struck|strike|contra-?ind\w*|against|reject\w*|forbid\w*|barr?ed|ban(?:ned)?|danger\w*|harm\w*|kills?|fatal|lethal|ruins?|clear of|(?:is|are|stays?|be|goes|now) out(?! of))\b|\btake[ns]? [^.,;]{2,30} (?:down|off|out)\b",
    re.IGNORECASE,
)
# ... but for "not contraindicated"; those that bar what follows them at once: "no naproxen", "nor any more of it", ...
_NEGATED: Final = re.compile(r"(?:\b(?:no|not|never|nothing)|n['’]t)(?: \w+)?\s*\Z", re.IGNORECASE)
_NO: Final = re.compile(r"\b(?:no|nor|neither|(?<=, )not)\b(?P<named>(?: [^\s,;]+){1,4})", re.IGNORECASE)
_FOUND: Final = re.compile(  # ... which is no ban of what somebody has, is on, or what was seen
    r"\b(?:(?<!to )(?:has|have|had)|with|on|is|are|was|were|shows?|showed|shown|reveals?|revealed|sees?|saw|seen|finds?|found|demonstrat\w+|got|takes?|took)\s*\Z",
    re.IGNORECASE,
)
# ... and those that say of it, before or after, what is not to be: "must not have it", "is not for him", "never ketamine".
_NOT: Final = re.compile(
    rf"(?:\A\W*(?:\w+: ?)?(?:please )?(?:not|never)|\b(?:must|should|can|may|shall|would|do|ought|to)(?: not|n['’]t| never)|\bcannot|\bcan['’]t|(?:\b(?:is|are) (?:not|never)|\b(?:isn|aren)['’]t)(?= (?:for|to|safe|allowed|advis\w+|recommend\w+|indicated|suitable|an option)\b)|\b(?:not|never)(?= (?:for|to) ))\b(?! (?:{EPISTEMIC}|exclude|rule|prove|tell|say|see)\b)(?P<named>[^,;]*)",
    re.IGNORECASE,
)
_DONE: Final = re.compile(r"\Abe (?:given|taken|used)\b", re.IGNORECASE)  # behind "must not" it is no report
_NO_NEED: Final = re.compile(
    r"\bno (?:need|harm|trouble|problem|reason|effect|matter)\b|\btakes? none\b", re.IGNORECASE
)
_CLAUSES: Final = re.compile(r"[;:.?] |, (?=(?:so|and|but|then|he|she|it|we|I|they)\b)| [–—-] ")
# What urges: "don't forget it", "never miss those", "must not be delayed". It bars nothing.
_URGES: Final = re.compile(
    r"(?:\b(?:do not|never|(?:must|should|may|can|ought|shall) ?(?:not|never)|nobody|not|cannot)|\b\w*n['’]t\b)(?: (?:ever|just|you|please|dare|anyone|anybody|be|to|let))*,? (?:forg[eo]t\w*|miss(?:ed)?|delay\w*|stop(?:ped)?|fear|afraid|hesitat\w+|worr(?:y|ied)|(?:with)?h(?:o|e)ld|skip(?:ped)?|omit(?:ted)?|interrupt\w*|discontinue\w*|overlook\w*|neglect\w*)\b",
    re.IGNORECASE,
)
# What takes an entry off a list or a chart.
_CROSSES_OUT: Final = (
    r"strike|delete|cancel|scrap|cross (?:it |them |that )?(?:off|out)|rub (?:it |them |that )?out"
)
# How a line is labelled before its words: by a time, or by the number of what it replies to.
_LABEL: Final = re.compile(r"\A\W*(?:\[?\d{1,2}:\d\d\]?:? |(?:re|ad) #?\d+: )", re.IGNORECASE)
# An order not to do something, whatever it is.
_ORDER: Final = re.compile(
    r"(?:\A|[.;:–—-] |, )(?:please |also |and |so )?(?:no|not|do not|don['’]t|never|nobody|avoid|stop|hold|withhold)\b(?! \w+ (?:seen|found))",
    re.IGNORECASE,
)


# The same, as how a sentence begins.
_BEGINS: Final = re.compile(r"\A(?:please |also |and |so )?(?:no|do not|don['’]t|never|nobody|avoid|stop|hold|withhold)\b (?!one\b)", re.IGNORECASE)  # fmt: skip


def without_urging(text: str) -> str:
    """Return a text without what only urges: "Do not forget it" is no ban, "Don't forget: no aspirin" is one."""
    return _URGES.sub("", text).strip(" :,;–—-")


def orders_not_to(text: str) -> bool:
    """Tell whether a sentence begins as an order not to do something, whatever it is."""
    text = without_urging(text)
    begins = _BEGINS.match(text)
    return begins is not None and not denies(text[begins.end() :])


def bars(text: str) -> bool:
    """Tell whether one clause both names something that is given or done and bars that.

    A finding, and what somebody has or is on, is denied and not barred.
    """
    return any(
        _names_thing(part) and not _NO_NEED.search(part) and _bars_its_thing(part)
        for part in _CLAUSES.split(without_urging(text))
    )


def _bars_its_thing(part: str) -> bool:
    if not denies(part) and any(not _NEGATED.search(part[: word.start()]) for word in _BARS.finditer(part)):
        return True
    for no in _NO.finditer(part):
        after = part[no.start("named") :].lstrip()
        before = part[: no.start()]
        found = _FOUND.search(before) is not None or is_of_a_list(before, after)
        if _names_thing(no["named"]) and not denies(after) and not found:
            return True
    said = _NOT.search(part)
    if said is None or re.search(r"\b(?:if|unless)\b", part[: said.start()], re.IGNORECASE):
        return False
    return not denies(_DONE.sub("", said["named"].lstrip()))


def _names_thing(text: str) -> bool:
    return bool(names_given(text) or doings(text))


# How a refusal begins that leaves it to what was said before it to name the thing: "Tranexamic acid?" "No."
REFUSES: Final = re.compile(rf"\A\W*(?:(?:please|also|and|then|so|definitely|absolutely|twice|again|still)\W+)*(?:(?:no|not|never|don['’]t|stop|avoid|hold|skip|leave|drop|likewise|neither|off)\b|none\b(?= ?[.,;:!]|\Z| of (?:them|those|these)\b)|(?:{_CROSSES_OUT})\b(?= ?[.,;:!]|\Z| (?:it|them|that|those|this)\b))", re.IGNORECASE)  # fmt: skip
# ... or does so by its form, whatever else it names: "No, turn it down", "STOP it", "Not in a child who gets calcium".
_LEANS: Final = re.compile(rf"{REFUSES.pattern}(?:\s*[,.;:!]|\s+(?:it|them|that|this|these|in|for|until|unless|before|after|while)\b|\Z)", re.IGNORECASE)  # fmt: skip
# What is ruled where leave was asked for: "May he have aspirin?" "Denied." Else it says what somebody denies.
_RULES_OUT: Final = re.compile(
    r"\W*(?:denied|refused|rejected|declined|overruled|vetoed)\W*\Z", re.IGNORECASE
)
# ... as it does where what was taken, or what is so, is asked: "Could she have taken aspirin?" "Denied."
_DENIED: Final = re.compile(r"\W*denied\b", re.IGNORECASE)
_ASKS_OF_BEFORE: Final = re.compile(
    r"\bhave (?:had|been|taken|missed|used|swallowed|ingested|overdosed|eaten|drunk|stopped)\b|\bthis be (?!\w+(?:ed|en)\b)|\b(?:could|might) (?:\w+ )?be on\b",
    re.IGNORECASE,
)
_PLACES_OF_CARE: Final = frozenset({"high-dependency bed"})
_BYGONE: Final = re.compile(r"\b(?:ago|was|were|yesterday|last)\b", re.IGNORECASE)
_BACK: Final = 3  # sentences, at most, from a refusal back to what names the thing
_TURNS: Final = 2  # ... in its own turn and the one before


def refused(said: Sequence[SaidView], at: int) -> SaidView | None:
    """Return what names the thing that sentence `at` refuses without its name; None: it refuses nothing so.

    It is looked for in the turn so far, and in the last words of the turn before.
    """
    one = said[at]
    text = without_urging(_LABEL.sub("", one.text))
    if one.past or one.text.endswith("?"):
        return None
    if not REFUSES.match(text):
        before = said[at - 1] if at and _RULES_OUT.match(text) else None
        if before is None or (_DENIED.match(text) and _ASKS_OF_BEFORE.search(before.text)):
            return None
        return before if _asks_to_give(before.text) else None
    if names_given(text) and not _LEANS.match(text):
        return None
    if denies(REFUSES.sub("", text).lstrip()):
        return None
    turns = {one.in_turn}
    for other in reversed(said[max(0, at - _BACK) : at]):
        turns.add(other.in_turn)
        if len(turns) > _TURNS:
            return None
        if _names_thing(other.text) and not _only_says_where(other.text):
            return other
    return None


def _asks_to_give(text: str) -> bool:
    return text.endswith("?") and asks_leave(text.lower()) and _names_thing(text)


def _only_says_where(text: str) -> bool:
    """Tell whether a statement says of a bygone time where care was: "ITU two years ago" is nothing that is refused."""
    if text.endswith("?") or _BYGONE.search(text) is None:
        return False
    return not doings(text) and names_given(text) <= _PLACES_OF_CARE


# How many things are meant that were named before: "both off", "stop all three of those tablets".
_COUNTED: Final = re.compile(
    r"\b(?:both|neither|(?:all|those|these) (?P<many>two|three|four|five|six))\b"
    r"(?= ?[.,;:!?–—]|\Z| (?:of|off|out|stop\w*|are|is|were|must|should|will|may|can|go|down|held|to|until|for|now|then|again|drugs?|tablets?|pills?|infusions?|bags?|antibiotics?|medicines?|meds|not|please)\b)",
    re.IGNORECASE,
)
_COUNTED_BACK: Final = 30  # sentences: a list that was read out is spoken of a good while later


def counted(said: Sequence[SaidView], at: int) -> SaidView | None:
    """Return the nearest sentence before `at` that names as many things as that restrains by their number.

    A sentence that names exactly so many goes before one that names more; "both" and "neither" are of the last words.
    """
    one = said[at]
    number = _COUNTED.search(one.text)
    if number is None or one.past or one.text.endswith("?") or word_count(one.text) > _FEW:
        return None
    text = without_urging(one.text)
    if drugs_named(text) or not _WORDS.search(text) or denies(text):
        return None
    many = NUMBER_WORDS.index(number["many"].lower()) if number["many"] else 2
    back = said[max(0, at - (_COUNTED_BACK if number["many"] else _BACK)) : at]
    named = [(other, len(drugs_named(other.text))) for other in reversed(back) if not other.past]
    exactly = next((other for other, things in named if things == many), None)
    return exactly or next((other for other, things in named if things > many), None)


_FEW: Final = 12  # words of what restrains what was named before it,
# ... and points back at it: "Don't push that.", "For her neither", "Both stopped."
_POINTS_BACK: Final = re.compile(
    r"\b(?:neither|both)\b|(?<=\w )(?:it|that|them|those|these)\b", re.IGNORECASE
)
# A thing that is put beside another that is restrained, and no more: "Codeine likewise.", "The naproxen too", "Nor prilocaine".
# Several before "too" or "as well" are as often what is given instead: "No NSAIDs. Start ceftriaxone and vancomycin too."
_LIKEWISE: Final = re.compile(r"\A\W*(?:(?:nor|neither|also no|(?:the )?same (?:goes |holds |is true )?(?:for|of))\b|(?:and |also )?(?!(?:he|she|it|they|we|you|i|that|this|these|those)\b)[A-Za-z][\w-]{2,}(?: \w+)?(?:,? (?:too|as well|also)|(?:(?:,? (?:and|or)|,) [A-Za-z][\w-]{2,}(?: \w+)?){0,3},? (?:likewise|either|neither))(?=\s*(?:[,.;!]|\Z)))", re.IGNORECASE)  # fmt: skip


def restrained_likewise(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether sentence `at` names but a thing that goes the way of the sentence before it in its turn."""
    one, before = said[at], said[at - 1] if at else None
    if before is None or one.past or _LIKEWISE.match(one.text) is None:
        return False
    return before.in_turn == one.in_turn and (restrains(before) or _is_of_restrained(said, at - 1))


def _is_of_restrained(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether sentence `at` names a thing that one shortly before it restrains: "No lytic." "Agree on lytic."."""
    names = names_given(said[at].text)
    near = said[max(0, at - _BACK) : at]
    return bool(names) and any(restrains(other) and names & names_given(other.text) for other in near)


def restrains_before(said: Sequence[SaidView], at: int) -> bool:
    """Tell whether sentence `at` restrains in a few words what the one before it in its turn names.

    "For anybody else I'd say aspirin and heparin. For her neither until the count is over 50."
    """
    one, before = said[at], said[at - 1] if at else None
    if before is None or one.past or one.text.endswith("?") or before.in_turn != one.in_turn:
        return False
    if VALUES in (one.under, before.under) or word_count(one.text) > _FEW or _names_thing(one.text):
        return False
    both = _WORDS.search(without_urging(one.text)) and _POINTS_BACK.search(one.text)
    return bool(both and names_given(before.text)) and not denies(one.text)


def restrains(said: SaidView) -> bool:
    """Tell whether a sentence may forbid or warn. What its speaker has given up, and a question, does not."""
    if said.past or said.text.endswith("?") or said.under == VALUES:
        return False
    return _may(said.text, said.under.split("; ")[-1])


# A clause that lifts a ban, and does not say that it will be lifted, or is not.
_LIFTED: Final = re.compile(
    r"(?:\A|(?<=[.,;:]))(?:(?!\b(?:no|not|never|cannot|until|till?|unless|if|when|once|before|after|be)\b|n['’]t)[^.,;:])*\blifted\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def _may(text: str, heading: str) -> bool:
    if reacted_to(text, heading):
        return True
    if is_record(heading):
        return False
    text = without_urging(text)
    if _WORDS.search(text) and (names_given(text) or doings(text) or _OF_BEFORE.match(text)):
        return True
    kept = _LIFTED.sub("", text)
    if substances(kept) and bars(kept):  # a tube that is out was taken out
        return True
    order = _ORDER.search(text)
    return order is not None and not denies(text[order.end() :].lstrip())
