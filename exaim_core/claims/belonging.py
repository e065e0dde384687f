"""Whether a value is this patient's, now: who or what it belongs to, and whether it was measured at all.

What stands before a value says whose it is more surely than what stands behind it: "his mother's potassium is 6.9" is
hers, "potassium is 6.9, his mother was told" is his. Headings, labels and keys of JSON stand before all below them.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.claims.limits import Limit
from exaim_core.claims.values import Given
from exaim_core.lexicon.withdrawn import Span
from exaim_core.text.assertion import Mark, Status, clauses, marks
from exaim_core.text.context import context_of
from exaim_core.text.quantities import quantities
from exaim_core.text.rows import Row, any_row

_LIMITS: Final = any_row(
    (
        Row(
            "a limit",
            r"limits?(?! (?:is |was |has been )?(?:exceeded|crossed|passed|broken))|thresholds?(?! (?:is |was |has been )?(?:exceeded|crossed|passed))|cut-?offs?|triggers? (?:for|at)",
            "the alarm limit for potassium is 6.5",
            "the limit exceeded: potassium 6.9",
        ),
        Row(
            "a target",
            r"(?<!missed the )(?<!off )(?<!above )(?<!below )(?<!beyond )(?:targets?|targeting|goals?)|aim(?:s|ing)? (?:for|at|to)|titrat\w+ to|(?<!not )(?:accept|tolerate)|permissive|(?:keep|maintain)(?= (?:the|his|her|their|an?|\w+ium)\b)|transfuse (?:to|at|if)",
            "aim for a systolic of 80",
            "she was above target: potassium 6.9",
        ),
        Row(
            "a setting",
            r"set (?:to|at|the)|settings?|paced (?:at|to)",
            "set to a rate of 8",
            "a set of bloods",
        ),
        Row(
            "a rule",
            r"criteri(?:a|on)(?! (?:is |are )?(?:met|fulfilled))|(?:points?|scores? \w+) (?:for|at|if) (?:an?|the|each|every|any|GCS)|call (?:me|us|for help) (?:at|for)|escalate at (?:an?|the)|(?:mandatory|indicated|required|recommended|advised|warranted) (?:at|from)",
            "criteria: sodium 109",
            "criteria met: sodium 109",
        ),
    )
)
_SUPPOSED: Final = any_row(
    (
        Row(
            "reckoned",
            r"(?:by|using|per) (?:the )?(?:\w+['’]s )?(?:formula|equation|nomogram)|assum(?:es?|ing)|suppos(?:e|ing)|imagine|pretend|had (?:the|his|her|it)(?= [^.;]{0,60}\bbeen\b)|calculated (?:if|from|with|at)|predicts?|(?:would|might) expect|fears? an?|(?:chance|likelihood|probability|odds|prospect|threat) of|(?:nobody|no one|none of us) (?:\w+ )?(?:measured|seen|found|saw|recorded|reported)",
            "suppose a potassium of 6.9",
            "as was supposed and feared",
        ),
        Row(
            "to come",
            r"(?:will|shall|going to)(?: (?:soon|likely|then|probably))* (?:be|reach|rise|fall|drop|climb|exceed|hit|become)",
            "the potassium will reach 6.9",
            "which will need treatment",
        ),
        Row(
            "prevented",
            r"must (?:not|never) (?:let|allow|get|reach|come|fall|rise)|(?:do not|don['’]t|never) (?:let|allow)|lest",
            "we must not let it",
            "we must not wait",
        ),
    )
)
_TITLES_ELSEWHERE: Final = re.compile(
    r"(?:(?:the|his|her|our|their|my|\w+ium|\w+) ){0,3}(?:(?:targets?|goals?|thresholds?|limits?|cut-?offs?|criteria|ranges?|intervals?)(?! (?:met|exceeded|crossed|passed))|"
    r"(?:reference|normal) (?:values?|limits?)|guidelines?|guidance|literature|textbooks?|references?|trials?|teaching points?|learning points?|for example|in general|examples?|epidemiology|published cases?|"
    r"case reports?|search results?|family(?: history)?|relatives?|wrong (?:patient|sample|tube|label)|graded by \w+|(?:answer )?(?:options?|choices)|answers|distractors?)(?: (?:for|of|to|on|from) .*)?",
    re.IGNORECASE,
)
_NOT_LIMITS: Final = re.compile(
    r"\b(?:out of|outside|beyond|above|below|treatment|management|missed) ", re.IGNORECASE
)
_CHOICE: Final = re.compile(
    r"\bwhich (?:of|finding|one|value|result|answer|is|would|\w+ (?:fits?|suits?|explains?|matches))[^?]*\?",
    re.IGNORECASE,
)
_OPTION: Final = re.compile(r"\s*(?:\(?[A-Ha-h]\)|[A-H]\.)\s")
_ONE_OPTION: Final = re.compile(r"\b(?:option|choice|answer) [A-H1-9]\b", re.IGNORECASE)
_BODY: Final = (
    r"(?:CSF|cerebrospinal|spinal fluid|lumbar puncture|urine|urinary|urinalysis|dip-?stick|pleural|thoracentesis|ascites|ascitic|paracentesis|peritoneal|synovial|joint fluid|"
    r"arthrocentesis|pericardial|drain|sweat|effusion|gastric|nasogastric|stool|fa?ecal|vaginal|saliva\w*|semen|tears|amniotic|bile|breast milk|cord|umbilical|scalp|bronchial|lavage|BAL|exudate|transudate|abscess|vitreous|post-?mortem)"
)
_HELD: Final = r"(?:dialysate|dialysis bath|replacement|feed|formula|infusate|(?:IV |intravenous )?fluids?|TPN|parenteral nutrition|Hartmann\S*|saline|infusion|drip|bag|ampoule|solution|tank)"
_KINDS: Final = r"(?: (?:fluid|tap|aspirate|analysis|sample|specimen|results?|chemistry|biochemistry|studies|stick|spot|random|24-hour|artery|vein|blood|gas|bath|bag|pH|vitreous))*"
_OF_FLUID: Final = re.compile(
    rf"\b(?:{_BODY}|{_HELD}){_KINDS}(?:['’]s)?"
    r"(?: (?:is|has|had|shows?|showed|with|contains?|contained|holds|gave|gives|reads?|at|a|an|the|of|its|spot|random|24-hour|to))*\s*\Z",
    re.IGNORECASE,
)
_IN_FLUID: Final = re.compile(
    rf"\b(?:in|of|from) (?:(?:the|his|her|their|this|a|an|pleural|spot|24-hour) )*{_BODY}\b", re.IGNORECASE
)
_FLUID_TITLE: Final = re.compile(
    rf"\W*(?:(?:the|his|her|spot|random|24-hour|diagnostic) )*(?:{_BODY}|{_HELD}){_KINDS}\W*", re.IGNORECASE
)
_BLOOD: Final = re.compile(r"\b(?:serum|plasma|blood|arterial|venous|capillary|gas|ABG|VBG)\b", re.IGNORECASE)
_LIST: Final = re.compile(r"\s*(?:,|;|and|with|a|an|the|of|its|\s)*\s*", re.IGNORECASE)
_GENERIC: Final = re.compile(
    r"\b(?:every|any|each|most|all|such an?|other|typical|usual|expected|average|median|target|desired|ideal|predicted) (?:\w+ )?\Z",
    re.IGNORECASE,
)
_INDEFINITE: Final = re.compile(
    r"(?:\b(?:an?|any|every|each|such an?)|\bof|\bwith) (?:\w+ )?\Z|\A\Z", re.IGNORECASE
)
_OWN: Final = re.compile(
    r"\b(?:his|her|their|your|our|this|(?:the |our |this )?patient['’]s)(?: own)? (?:\w+ )?\Z", re.IGNORECASE
)
_HE: Final = re.compile(
    r"\b(?:he|she|they|(?:the|our|this) patient(?:['’]s)?|his own|her own|ours|hers)\b", re.IGNORECASE
)
_BESIDE: Final = re.compile(
    r"\b(?:with|by|told|tells?|informed|asked|to|per|like|unlike|beside|and|called|warned) (?:(?:the|an?|his|her|their|this|our|my) )*\Z",
    re.IGNORECASE,
)
_IS_OF: Final = re.compile(
    r"\b(?:from|of|in|belongs?(?:ed)? to|was|is|for) (?:(?:the|an?|his|her|their|my|our) )*(?:\w+['’]?s? )?\Z",
    re.IGNORECASE,
)
_APPOSED: Final = re.compile(
    r"\A(?:the|an?|who|which|whose) [^,;:.]{1,60}, (?=(?:has|had|is|was|shows?|with|runs)\b)", re.IGNORECASE
)
_LABEL_END: Final = re.compile(r":\s*\Z")
_DATE_LABEL: Final = re.compile(
    r"\s*(?:(?:in )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*\.? )?(?:19|20)\d\d\s*:?\s*",
    re.IGNORECASE,
)
_PAST_TITLE: Final = re.compile(
    r"\b(?:previous|prior|past|former|old (?:results?|notes?)|last (?:admission|visit|year))\b", re.IGNORECASE
)
_PRESENT_TITLE: Final = re.compile(r"\b(?:present(?:ing)?|current|today|now)\b", re.IGNORECASE)
_LONG_AGO: Final = re.compile(
    r"\b(?:(?:years?|months?|weeks?) ago|last (?:year|month|week|spring|summer|autumn|winter)|(?:in|since|from|of|dated|back in) (?:\w+ )?(?:19|20)\d\d|previously|formerly|in the past|"
    r"as a (?:child|teenager|student)|in childhood|at (?:her|his|the) last (?:admission|visit))\b",
    re.IGNORECASE,
)
_OVER: Final = re.compile(
    r"\b(?:has|have|had|was|were|is|and|which|that|then)(?: (?:since|now|fully|been|then|soon|promptly|rapidly|completely|has|have|had|was))*"
    r" (?:resolved|settled|corrected(?! for)|reversed|normali[sz]ed|subsided|recovered)\b",
    re.IGNORECASE,
)
_BACK: Final = re.compile(
    r"\b(?:(?:has been|is|was) (?:now |again )?normal|normal (?:since|again|now)|back to normal)\b",
    re.IGNORECASE,
)
_REASSIGNED: Final = re.compile(
    r"\bbelongs? to (?!(?:him|her|our|ours|this|the patient)\b)|\b(?:is|was) (?:Mrs?|Ms|Miss)\.? \w+['’]s\b|\bnot (?:ours|hers|his|this patient['’]s)\b",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(
    r"\s*(?:has|have|had|was|were|is) (?:never|not)(?: yet)?(?: been)? (?:recorded|seen|reached|measured|found|reported|true|so)\b",
    re.IGNORECASE,
)
_MET: Final = re.compile(r" (?:is |are |was )?(?:met|fulfilled|exceeded|crossed|passed)\b", re.IGNORECASE)
_ADDRESSED: Final = re.compile(r"\b(?:for|about) (?:the |his |her )?\Z", re.IGNORECASE)
_SETTING: Final = re.compile(r"\bset (?:to|at|the)\b|\bsettings?\b", re.IGNORECASE)
_HANGS: Final = re.compile(r",? ?which\b", re.IGNORECASE)
_MEETS: Final = re.compile(r"\b(?:meets?|met|meeting|fulfil\w*|satisf\w+) (?:\w+ ){0,4}\Z", re.IGNORECASE)
PERSON_TITLE_WORDS: Final = 4  # of a heading that names somebody else as whose values follow
_CHAIN: Final = r"(?: (?:is|are|was|were|runs?|has|had|have|at|to|set|kept|with|a|an|the))*\s*"
_AT_A: Final = re.compile(r"\A\W*(?P<at>at|for|with|given) an? (?:\w+ )?\Z", re.IGNORECASE)
_RECKONED: Final = re.compile(r"\b(?:expected|predicted|calculated|compensation)\b", re.IGNORECASE)
_INVERTED: Final = re.compile(
    r"\W*(?:had|were|should) (?:the|an?|his|her|it|this|that|there)\b", re.IGNORECASE
)
_WOULD: Final = re.compile(r"\b(?:would|one|will)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value stands: its name's span in `given.view`, and what the sentence stands under."""

    limit: Limit
    name: Span
    given: Given
    above: tuple[str, ...]
    joined: bool  # it goes on a list of values that the one before is of too

    @property
    def value(self) -> Span:
        """Return where the value stands, with its unit."""
        """Return where the value stands, with its unit."""
        return (self.given.quantity.start, self.given.quantity.end)


def is_elsewhere(place: Place) -> bool:
    """Tell whether the value is not said of this patient now: denied, supposed, past, of others, of books, a limit."""
    return (
        not _is_affirmed(place) or any(_titled_elsewhere(title) for title in place.above) or _is_marked(place)
    )


def _is_affirmed(place: Place) -> bool:
    """Tell whether the value is neither denied, nor supposed, nor of long ago.

    Words for a time hold for the whole clause ("two years ago, potassium was 6.9").
    """
    view, (start, _), (_, end) = place.given.view, place.name, place.value
    if view.rstrip(" \"'”’*)").endswith("?"):
        return False
    first, last = _clause(view, start, end)
    context = context_of(view[first:last], start - first, end - first)
    past = not place.given.now and (context.historical or _LONG_AGO.search(view, first, start) is not None)
    ends = _clause_end(view, end)
    over = (
        any(words.search(view, end, ends) for words in (_OVER, _BACK))
        or _REASSIGNED.search(view, end) is not None
    )
    return not (context.negated or _NEVER.match(view, end) or context.hypothetical or past or over)


def _clause_end(view: str, end: int) -> int:
    """Return where what is said of the value that ends at `end` ends, with a clause that hangs on it."""
    return next(
        (each.end for each in clauses(view) if each.end >= end and not _HANGS.match(view, each.end)),
        len(view),
    )


# -- other fluids and things -----------------------------------------------------------------


def is_of_other_stuff(place: Place) -> bool:
    """Tell whether the value is of another fluid than blood, or of a thing."""
    view, (start, end) = place.given.view, place.name
    unless, owner = place.limit.unless, place.limit.of_things
    if unless and re.search(unless, view[start : place.value[1] + 15], re.IGNORECASE):
        return True
    if owner and re.search(rf"\b(?:{owner}){_CHAIN}\Z", view[:start], re.IGNORECASE):
        return True
    if _BLOOD.search(view, start, end):
        return False
    return (
        place.joined
        or _OF_FLUID.search(view, 0, start) is not None
        or _IN_FLUID.search(view, start, place.value[0]) is not None
        or _IN_FLUID.match(view[place.value[1] :].lstrip()) is not None
        or any(_FLUID_TITLE.fullmatch(view, *label) for label in _labels(view, start))
        or any(map(_FLUID_TITLE.fullmatch, place.above))
    )


def goes_on(text: str, end: int, start: int) -> bool:
    """Tell whether what begins at `start` only continues a list from the value that ends at `end`."""
    return 0 < end <= start and _LIST.fullmatch(text, end, start) is not None


# -- whose, when, and in what manner ---------------------------------------------------------


@lru_cache(maxsize=1024)
def _titled_elsewhere(title: str) -> bool:
    """Tell whether what stands under `title`, a heading, a label or a key, is not of this patient now."""
    title = title.strip(" :")
    if _CHOICE.search(title):
        return True
    if _PRESENT_TITLE.search(title):
        return False
    if _PAST_TITLE.search(title) or _DATE_LABEL.fullmatch(title):
        return True
    if _TITLES_ELSEWHERE.fullmatch(title) and not _NOT_LIMITS.search(title):
        return True
    others = (mark for mark in marks(title) if mark.status is Status.OTHER_PERSON)
    return len(title.split()) <= PERSON_TITLE_WORDS and any(
        not (_BESIDE.search(title, 0, mark.start) or _ADDRESSED.search(title, 0, mark.start))
        for mark in others
    )


def _is_marked(place: Place) -> bool:
    view, (start, _) = place.given.view, place.name
    if any(_is_elsewhere_label(view[first:last]) for first, last in _labels(view, start)):
        return True
    if _OPTION.match(view) and any(title.endswith("?") for title in place.above):
        return True
    first, last = _clause(view, start, place.value[1])
    before = view[first:start]
    if _GENERIC.search(before) or _ONE_OPTION.search(before):
        return True
    if _supposes(view, start, place.value[1]):
        return True
    if any(_counts(view, (mark.start(), mark.end()), start) for mark in _LIMITS.finditer(view, first, start)):
        return True
    if _SUPPOSED.search(view, first, place.value[0]) or _INVERTED.match(before):
        return True
    return any(
        _is_others(view, mark, place)
        if mark.status is Status.OTHER_PERSON
        else _is_of_books(view, mark, place)
        for mark in marks(view)
        if mark.status in {Status.OTHER_PERSON, Status.BOOKS} and first <= mark.start < last
    )


def _is_elsewhere_label(label: str) -> bool:
    books = (mark for mark in marks(label) if mark.status is Status.BOOKS)
    return (
        _titled_elsewhere(label)
        or _SETTING.search(label) is not None
        or any(not _MET.match(label, mark.end) for mark in books)
    )


def _supposes(view: str, start: int, end: int) -> bool:
    """Tell whether a sentence that opens with a value reckons with it: "at a pH of 7.0 the shift would be …"."""
    opened = _AT_A.search(view[:start])
    if opened is None:
        return False
    return _RECKONED.search(view, end) is not None or (
        opened["at"].lower() in {"at", "for"} and _WOULD.search(view, end) is not None
    )


def _counts(view: str, mark: Span, start: int) -> bool:
    """Tell whether a word for a limit is about what begins at `start`: no other value has come between."""
    return not any(mark[1] <= each.start < start for each in quantities(view))


def _is_others(view: str, mark: Mark, place: Place) -> bool:
    start = place.name[0]
    if mark.start >= place.value[0]:
        return _IS_OF.search(view, 0, mark.start) is not None
    if _in_bracket(view, (mark.start, mark.end), place.value):
        return False
    owns = re.match(r"['’]s\b", view[mark.end :]) or view[mark.start : mark.end].endswith(("'s", "’s"))
    if not owns and _BESIDE.search(view, 0, mark.start):
        return False
    return _HE.search(view, mark.end, start if mark.end <= start else place.value[0]) is None


def _is_of_books(view: str, mark: Mark, place: Place) -> bool:
    start = place.name[0]
    if (
        _OWN.search(view, 0, start)
        or _MEETS.search(view, 0, mark.start)
        or _in_bracket(view, (mark.start, mark.end), place.value)
    ):
        return False
    return mark.start < place.value[0] or (
        not place.given.now and _INDEFINITE.search(view[:start]) is not None
    )


def _in_bracket(view: str, mark: Span, value: Span) -> bool:
    """Tell whether `mark` stands in a bracket that the value is not in."""
    opened = view.rfind("(", 0, mark[0])
    closed = view.find(")", mark[1])
    return 0 <= opened and view.find(")", opened, mark[0]) < 0 <= closed and not opened < value[0] < closed


def _clause(view: str, start: int, end: int) -> Span:
    """Return the clause from a name to its value; an apposition between commas belongs to what it explains."""
    found = [each for each in clauses(view) if each.start < end and start < each.end]
    first, last = found[0].start, found[-1].end
    for each in reversed(clauses(view)):
        if each.end == first and (_APPOSED.match(view[first:last]) or view[first:last].startswith(",")):
            first = each.start
    return first, last


def _labels(view: str, start: int) -> Iterator[Span]:
    """Yield the labels that what begins at `start` stands under in its sentence: "CSF: glucose 1.2, lactate 9"."""
    for each in clauses(view):
        if each.end > start:
            return
        if _LABEL_END.search(each.text) and ";" not in view[each.end : start]:
            yield each.start, each.end


_YOUNG: Final = re.compile(
    r"\b(?:\d+|\w+)[- ](?:day|week|month)s?[- ]old (?:boy|girl|child|male|female|infant|baby|twin|patient|who|with)\b"
    r"|(?<!her )(?<!his )(?<!their )\b(?:infant|neonate|newborn|toddler|baby)\b(?! (?:screening|sister|brother))",
    re.IGNORECASE,
)


def is_young(text: str) -> bool:
    """Tell whether `text` says that the patient is a small child."""
    return _YOUNG.search(text) is not None
