"""What in a sentence of a model's own no longer stands, or never did: what was only supposed, what was taken back."""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from typing import Final

from exaim_core.binding import Said
from exaim_core.paraphrase import concepts, is_strict, telling
from exaim_core.polarity import denied_and_affirmed
from exaim_core.quantities import quantities
from exaim_core.worded_numbers import CORRECTS, numbers_of

LEAST_SHARE: Final = 0.6  # of a sentence's telling words that a source must hold to be where it was said
SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+")


def bare(text: str) -> str:
    """Return `text` without its numbers and units."""
    for quantity in reversed(quantities(text)):
        text = f"{text[: quantity.start]} {text[quantity.end :]}"
    return text


_IF: Final = re.compile(
    r"\b(?:if|unless|in case(?: of)?|in the event (?:of|that)|as soon as|watch(?:ing)? (?:out )?for|look(?:ing)? (?:out )?for|monitor(?:ing)? for|screen(?:ing)? for|risks? of|at risk of|danger of|threat of|for fear of|afraid of|worr\w+ (?:about|that)|concern\w* (?:about|for|that)|"
    r"to (?:prevent|exclude|rule out|look for)|(?:must|should|need to) (?:exclude|rule out)|possibility of|suspicion of|suspect\w*|query|suppos\w+|assum\w+|(?:when|once)(?! (?:[\w-]+ ){0,3}?(?:was|were|had|did|began|started|came|went|\w+ed)\b))\b",
    re.IGNORECASE,
)
_MODAL: Final = re.compile(
    r"(?<!I )(?<!we )\b(?:would(?! be (?:a |an |the )?(?:mistake|wrong|unsafe|unwise|wise|better|best|safer|reasonable|right|sensible|my))|could|may(?! (?:carry on|continue|eat|drink|go|stay|stop|take|have|start|restart|resume|be (?:given|started|stopped|used|continued|resumed|discharged)))|might)\b",
    re.IGNORECASE,
)
_KEEPS: Final = re.compile(
    r"\b(?:if|unless|should|in case|event|watch\w*|look\w* out|monitor\w*|risks?|danger|prevent\w*|would|could|may|might|possib\w+|when|once|until|were|suppos\w+|assum\w+|consider\w*|cannot|not|no|potential\w*|threat\w*|fear\w*|whether|suspect\w*|likely|think|rule out|leads?|ask\w*|conditional\w*|provided|only|suggest\w*|propos\w+|wonder\w*|favou?rs?)\b",
    re.IGNORECASE,
)
_ENDS: Final = re.compile(r",\s|[;.:!?]\s|\s(?:then|but|so)\s")


def supposed(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What stands in an "if" alone is not said as so: a clause that holds it must suppose it too."""
    inside, outside = set[str](), set[str]()
    for source in said:
        for part in SENTENCE.split(source.text):
            start, stop = _supposition(part)
            inside.update(telling(part[start:stop]))
            outside.update(telling(part[:start]))
            outside.update(telling(part[stop:]))
    only = frozenset(inside - outside) - names
    for clause in re.split(r"[;.]\s|,?\s(?:so|because|therefore)\s", told):
        if frozenset(telling(clause)) & only and not _KEEPS.search(clause):
            return "what is only supposed would be told as so"
    return None


def _supposition(part: str) -> tuple[int, int]:
    """Return where what is only supposed stands in a sentence; nothing: at its start."""
    modal = _MODAL.search(part)
    if modal is not None:
        ends = [end.end() for end in _ENDS.finditer(part, 0, modal.start())]
        stop = _ENDS.search(part, modal.end())
        return max(ends, default=0), stop.start() if stop else len(part)
    part = _IF_PRESSED.sub(lambda match: "," * len(match.group()), part)
    first = _SHOULD_FIRST.match(part) or _IF.search(part)
    if first is None or (first.group().lower() in ("when", "once") and not _ORDERED.search(part)):
        return 0, 0
    end = _ENDS.search(part, first.end())
    return first.end(), end.start() if end else len(part)


_IF_PRESSED: Final = re.compile(
    r"\bif (?:you (?:press|push|ask|force)\w*|pressed|pushed|asked|I am honest|anything|I had to \w+)\b",
    re.IGNORECASE,
)
_ORDERED: Final = re.compile(
    r"\b(?:give|start|stop|add|will|should|must|then|repeat|switch|change|restart|resume|reduce|increase|continue|need|needs|call|go|going|only|can|until|take|treat|operate|discharge|extubate|intubate|wean|feed|transfuse|check|aim|plan)\b",
    re.IGNORECASE,
)
_SHOULD_FIRST: Final = re.compile(r"\A\W*(?:should|were|had)\s", re.IGNORECASE)
BACK: Final = re.compile(
    r"\b(?:withdraw|withdrew|scratch|scrap|retract|rescind|forget|strike|cancel|disregard|ignore|abandon|(?:am|I['’]m) (?:withdrawing|dropping|scrapping|abandoning|cancelling)|I drop)\b[^.;]{0,12}\b(?:that|it|this|my|the)\b(?P<object>[^.;,:]*)|"
    r"\b(?:tak(?:e|ing)|took) (?P<taken>(?:[\w-]+ ){1,5})back\b|\bI was (?:wrong|mistaken)\b|\bchanged my mind\b|\bI stand corrected\b|\bon (?:second thoughts?|reflection)\b|\bnever ?mind\b|\bI (?:no longer|misspoke|spoke too soon|concede)\b|\bmy mistake\b|\b(?:that|this|it|which) (?:no longer|does not|doesn[’']t) (?:holds?|stands?|appl(?:y|ies))\b|\boverrul\w+",
    re.IGNORECASE,
)
_NOT_HERS: Final = re.compile(
    r"\b(?:another patient|(?:was|is|been) removed from|wrong patient|mixed up|mix-?up|entered (?:in|by) (?:error|mistake)|in error|not (?:hers|his)|mislabel\w+|misread|belongs? to)\b",
    re.IGNORECASE,
)
_TOLD_BACK: Final = re.compile(
    r"\b(?:withdr\w+|tak\w+ back|retract\w*|correct\w*|chang\w+|not now|no|not|without|avoid\w*|stop\w*|ruling|former\w*|first|earlier|another patient|was|were|instead|against|removed|error|wrong|dropped|cancel\w*|overrul\w*|postpon\w*|gives? up|reject\w*|no longer)\b",
    re.IGNORECASE,
)
_CHAIRS: Final = frozenset({"supervisor", "moderator", "chair"})


def overtaken(told: str, said: tuple[Said, ...], names: frozenset[str]) -> str | None:
    """What its speaker or the moderator takes back later, or what turns out to be another's, stands no more."""
    words = _marks(told) - names
    if not words or _TOLD_BACK.search(told):
        return None
    cut = [
        (turn, Said(part, source.agent, source.name))
        for turn, source in enumerate(said)
        for part in PART.split(source.text)
        if part
    ]
    if max((len(words & _marks(part.text)) for _, part in cut), default=0) < LEAST_SHARE * len(words):
        cut = list(enumerate(said))
    parts = [part for _, part in cut]
    shares = [len(words & _marks(part.text)) / len(words) for part in parts]
    most = max(shares, default=0.0)
    last = max((place for place, share in enumerate(shares) if share == most >= LEAST_SHARE), default=None)
    if last is None:
        return None
    source, mine = parts[last], words & _marks(parts[last].text)
    if mine & _only_denied(source.text) & denied_and_affirmed(bare(told))[1]:
        return "what was taken back would be told as standing"
    if _NOT_HERS.search(source.text):
        return "what was taken back would be told as standing"
    for place in range(last + 1, len(parts)):
        later = parts[place]
        own = later.agent == source.agent or later.agent in _CHAIRS
        anew = cut[place][0] > cut[last][0]
        between = any(part.agent == later.agent and cut[last][0] < turn < cut[place][0] for turn, part in cut)
        if own and anew and mine & _only_denied(_SUPPOSED.sub(" ", later.text)):
            return "what was taken back would be told as standing"
        if own and shares[place] < most and _takes_back(later.text, mine, at_large=not between):
            return "what was taken back would be told as standing"
        if _NOT_HERS.search(later.text) and mine & frozenset(telling(later.text)):
            return "what was taken back would be told as standing"
        if anew and CORRECTS.search(said[cut[place][0]].text) and _replaced(told, source.text, later.text):
            return "what was taken back would be told as standing"
    return None


_SUPPOSED: Final = re.compile(
    r"\b(?:until|unless|if|when|once|should|in case|so that)\b[^.;,]*", re.IGNORECASE
)


def _takes_back(text: str, mine: frozenset[str], *, at_large: bool) -> bool:
    """Tell whether `text` takes back what holds the words `mine`: it names one of them or, `at_large`, nothing."""
    for match in BACK.finditer(text):
        named = frozenset(telling(match["object"] or match["taken"] or ""))
        if named & mine or (at_large and not named):
            return True
    return False


def _only_denied(text: str) -> frozenset[str]:
    denied, affirmed = denied_and_affirmed(text)
    return denied - affirmed


PART: Final = re.compile(r"(?<=[.;!?])\s+|,?\s+but\s+(?!only\b|not (?:before|until)\b|if\b)")
SPANS: Final = frozenset(concepts("seconds minutes hours days weeks months years"))


def _marks(text: str) -> frozenset[str]:
    return frozenset((*telling(bare(text)), *(quantity.number for quantity in quantities(text)))) - SPANS


def _replaced(told: str, before: str, after: str) -> bool:
    """Tell whether a number of `told` has another in its place, of the same unit and thing, in a correction."""
    new = numbers_of(after)
    mine = {(number.values, number.unit) for number in numbers_of(told)}
    old = [number for number in numbers_of(before) if (number.values, number.unit) in mine]
    return any(
        (number.values, number.unit) not in {(each.values, each.unit) for each in new}
        and any(
            number.unit == each.unit and _of_one_thing(number.bag, each.bag, with_unit=bool(number.unit))
            for each in new
        )
        for number in old
    )


def _of_one_thing(one: frozenset[str], other: frozenset[str], *, with_unit: bool) -> bool:
    """Tell whether two numbers may be of one thing: they share a word, or one of them names no thing at all."""
    if one & other:
        return True
    return with_unit and (not any(map(is_strict, one)) or not any(map(is_strict, other)))
