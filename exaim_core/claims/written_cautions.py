"""Read cautions in full prose by their grammar: "Verapamil would be hazardous for this patient, because …".

English warns in few ways: a verb or a noun of harm behind the name of what is given ("could precipitate", "carries a
risk of"), an adjective of danger, a verb of fear in the first person ("I would be wary of"), one thing that must come
before another, a limit with its number, a device that does not bear a field, and an allergy in long words. What is
given must be known as a drug, a study or a procedure, and the words must be of this patient or of what is proposed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from exaim_core.claims.limits import analytes_named
from exaim_core.claims.written_orders import asked_for, is_thing
from exaim_core.lexicon import statements
from exaim_core.lexicon.brevity import binds, without_lead_in, without_reasons
from exaim_core.lexicon.drugs import DRUG, drugs_named
from exaim_core.lexicon.kinds import names_test
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.lexicon.prose import is_warning
from exaim_core.text.assertion import NOT_OURS, Status, statuses_at
from exaim_core.text.clauses import FINITE
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import upper_first, word_count

MOST_CHARS: Final = 500  # of a sentence that is read
LEAST_WORDS: Final = 4
NEAR: Final = 14  # words beside a verb of fear or of harm, among which the thing is
_FORMS: Final = lexicon("claims/written_cautions")
_CLAUSE: Final = re.compile(
    r"[;:.]\s|\s[–—]\s|\b(?:that|which|as|because|since|although|given)\b", re.IGNORECASE
)
"""What stands before this is not the subject of a verb of harm: "issues that could impair absorption"."""
_PARTS: Final = re.compile(
    rf";\s+|,\s+(?:and|so|but)\s+(?!that\b)(?=(?:[\w'’-]+\s+){{1,9}}?{FINITE}\b)", re.IGNORECASE
)
"""Between the clauses of a sentence: a semicolon, or a comma and a joint before a clause with its own verb."""
_BIDS: Final = re.compile(
    r"\b(?:must|should|ought to|(?:has|have|needs?|is|are) to|aim\w*|target\w*|limit\w*|restrict\w*|cap(?:ped)?|keep"
    r"|kept|maximum|ceiling|advis\w+|recommend\w*|insist\w*)\b",
    re.IGNORECASE,
)
_WOULD: Final = re.compile(r"\bwould\b", re.IGNORECASE)
_GIVING: Final = re.compile(
    r"\b(?:dos(?:es?|ing|age)|bolus(?:es)?|infusions?|injections?|(?:\w+-)?blockade|anticoagulation|sedation|ventilation"
    r"|(?:co-?)?administration of|(?:giving|using|starting|prescribing) (?:\w+ )*\w{4,})\b",
    re.IGNORECASE,
)
"""A name of what is given by the act of giving it."""


@lru_cache(maxsize=2048)
def warns_of_this_case(text: str) -> bool:
    """Return whether `text` warns, outright or as likely, of something in the care of this patient."""
    if not LEAST_WORDS <= word_count(text) or len(text) > MOST_CHARS or text.endswith(("?", ":")):
        return False
    if _FORMS["elsewhere"].search(text) or statements.is_general(text):
        return False
    return any(
        _is_meant(text, found, form) and _is_so(text, found)
        for form, _is_so in _READ.items()
        for row in _FORMS.each(form)
        for found in row.finditer(text)
    )


def _is_meant(text: str, found: re.Match[str], form: str) -> bool:
    """Return whether what is found is of this patient, and neither asked nor, of a harm, denied or past."""
    meant = statuses_at(text, *found.span())
    if meant & NOT_OURS:
        return False
    if form in _DENIABLE:
        end = found.start("thing") if form == "wary" else found.end()
        return not statuses_at(text[:end], found.start(), end) & _DENIABLE[form]
    return True


_DENIABLE: Final = {
    "harms": frozenset({Status.NEGATED, Status.PAST}),
    "wary": frozenset({Status.PAST}),
    "reacts": frozenset({Status.NEGATED}),
}


def _harms(text: str, found: re.Match[str]) -> bool:
    before = _CLAUSE.split(text[: found.start()])[-1]
    behind = " ".join(text[found.end() :].split()[:NEAR])
    if not (_is_thing(before) or (_is_thing(behind) and found.group().lower().startswith(("it ", "this ")))):
        return False
    if _WOULD.search(found.group()) or len(set(map(str.lower, drugs_named(text)))) > 1:
        return True
    return _FORMS["ours"].search(text) is not None


def _wary(_text: str, found: re.Match[str]) -> bool:
    thing = " ".join(found["thing"].split()[:NEAR])
    return _is_thing(thing) and not (names_test(thing) and _JUDGES.match(thing))


_JUDGES: Final = re.compile(
    r"(?:over|mis|re)?(?:-?interpret|-?read|-?rely|-?attribut|-?diagnos|-?estimat|draw|conclud|assum)\w*",
    re.IGNORECASE,
)
"""What is feared is to think, and nothing that is done: "wary of overinterpreting a single troponin"."""


def _first(text: str, found: re.Match[str]) -> bool:
    return asked_for(text) is None and _is_thing(text) and not _FORMS["elsewhere"].search(found.group())


def _limit(text: str, found: re.Match[str]) -> bool:
    if found.group()[-1].isdigit() and not _BIDS.search(text):
        return False
    return asked_for(text) is None and (_is_thing(text) or bool(analytes_named(text)))


def _device(text: str, found: re.Match[str]) -> bool:
    return names_test(found.group()) or _is_thing(" ".join(text[found.end() :].split()[:NEAR]))


def _reacts(text: str, found: re.Match[str]) -> bool:
    named = found["thing"]
    return bool(DRUG.search(named) or drugs_named(named)) and _FORMS["ours"].search(text) is not None


_READ: Final = {
    "harms": _harms,
    "wary": _wary,
    "first": _first,
    "limit": _limit,
    "device": _device,
    "reacts": _reacts,
}


def _is_thing(words: str) -> bool:
    """Return whether `words` name what may be given or done, or the act of giving it."""
    return is_thing(words) or _GIVING.search(words) is not None


def in_part(text: str) -> Iterator[str]:
    """Yield shorter wordings of the caution `text`: without what opens it, then its clause that warns.

    A clause is told alone only if what it leaves out holds no number, condition, limit, negation or side.
    """
    bare = without_opening(text.rstrip(" .!"))
    yield from without_reasons(bare)
    parts = _PARTS.split(bare)
    for at, part in enumerate(parts):
        others = [*parts[:at], *parts[at + 1 :]]
        if (
            others
            and not any(map(binds, others))
            and (prohibits(part) or is_warning(part) or warns_of_this_case(part))
        ):
            yield from without_reasons(upper_first(part))


def without_opening(text: str) -> str:
    """Return `text` without what opens it and says nothing of the danger: "With that said,", "I must stress that"."""
    for _ in range(3):
        text = upper_first(_FORMS["lead"].sub("", text).strip())
    return upper_first(without_lead_in(text))
