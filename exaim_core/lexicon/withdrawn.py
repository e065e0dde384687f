"""Find which values a sentence takes back, and which words only look as if they did.

A value is taken back if the word that does so leads straight to it ("disregard the potassium of 6.9")
or is said of it ("the potassium of 6.9 was a lab error"), and if an artefact is claimed. "Do not
disregard", "the sample may be haemolysed" and "withdraw the ACE inhibitor, the potassium is 6.9" take nothing
back: in doubt the value stands, since an alarm that is not heard does more harm than one too many. The
wordings are in `data/forms/lexicon/withdrawn_words.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of a sentence, with blanks for the rest so that places stay.

    `words` is blank where a word takes nothing back, `text` also where a value is taken back; those values stood at
    `gone`.
    """

    words: str
    text: str
    gone: tuple[Span, ...]


_DENIED: Final = re.compile(r"\bnot (?:at |of )?\Z", re.IGNORECASE)
_FORMS: Final = lexicon("lexicon/withdrawn")
_WORDS: Final = lexicon("lexicon/withdrawn_words")

ARTEFACT: Final = _FORMS.late("artefact")
# Here haemolysis is a disease, unless it is the sample's.
LYSIS_IS_ILLNESS: Final = frozenset({"haemoglobin", "bilirubin"})
_ASKED: Final = re.compile(r"[\s(,]\?\s?\Z")
_SAMPLE_LYSED: Final = re.compile(r"ha?emolysed", re.IGNORECASE)


_SUBJECT: Final = re.compile(
    r"\b(?:the|that|this|his|her|its)(?: (?:first|last|earlier|previous|old|initial|high|low))? "
    r"(?P<number>\d[\d.,]*)(?: ?[^\W\d]\S{0,9}| ?%)? (?:is|was|were|has been|looks?|must be|proved)(?: \w+){0,2} \Z"
)
"""A number given before, as the subject of an artefact named right after it."""


def blank(text: str, spans: Sequence[Span]) -> str:
    """Return `text` with spaces in `spans`; all other characters keep their places."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


@lru_cache(maxsize=512)
def standing(sentence: str, names: tuple[Span, ...]) -> Remainder:
    """Return what is left of `sentence`; `names` are the places where it names measured things, in order."""
    asked = None if _WORDS["asks"].match(sentence) else _WORDS["asked"].search(sentence)
    text = blank(sentence, [asked.span()] if asked else [])
    alike = [match.span() for match in _WORDS["look_alikes"].finditer(text)]
    text = blank(text, [*alike, *(match.span() for match in _WORDS["as_artefact"].finditer(text) if alike)])
    found = quantities(text)
    denied = {
        (each.start, each.end): (match.start(), each.end + but.end())
        for each in found
        if (match := _DENIED.search(text, 0, each.start)) and (but := _FORMS["but"].match(text[each.end :]))
    }
    gone = {
        (each.start, each.end)
        for place, each in enumerate(found)
        if _is_gone(text, each, found[place - 1] if place else None, names)
    }
    return Remainder(text, blank(text, [*gone, *denied.values()]), tuple(sorted(gone | denied.keys())))


def takes_back_the_last(sentence: str) -> bool:
    """Return whether `sentence` takes back the one value that the sentence before it gave."""
    said = _WORDS["of_the_last"].match(sentence)
    if said is None or _WORDS["and_yet"].search(sentence, said.end()) or _WORDS["unsure"].search(sentence):
        return False
    return _WORDS["look_alikes"].search(sentence, said.start("said")) is None


def _is_gone(text: str, value: Quantity, before: Quantity | None, names: tuple[Span, ...]) -> bool:
    after = text[value.end :]
    if _WORDS["real"].match(after):
        return False
    if _WORDS["of_it"].match(after):
        return True
    since = before.end if before else 0
    named = [start for start, end in names if since <= start and end <= value.start]
    if not named or re.search(r"[;:.,]", text[named[-1] : value.start]):
        return False
    return _WORDS["takes"].search(text[: named[-1]]) is not None


def is_artefact(text: str, value: Span, name: str) -> bool:
    """Return whether `text`, the `words` of `standing`, calls the value `name` at `value` an artefact.

    If a value stands before the word in its clause the artefact is that one's, else the other values' too,
    unless a fresh sample is named in between.
    """
    for match in ARTEFACT.finditer(text):
        if _ASKED.search(text, 0, match.start()):
            continue  # "K 7.4 ?haemolysed": in doubt the value stands
        if (
            name in LYSIS_IS_ILLNESS
            and "emolys" in match.group().lower()
            and not _SAMPLE_LYSED.match(match.group())
        ):
            continue
        start = max((stop.end() for stop in _FORMS["clause"].finditer(text, 0, match.start())), default=0)
        after = _FORMS["clause"].search(text, match.end())
        end = after.start() if after else len(text)
        if any(start <= each.start < match.start() for each in quantities(text)):
            subject = _SUBJECT.search(text, start, match.start())  # "K 4.4, the 7.2 is spurious": one of them
            if (subject.start("number") if subject is not None else start) <= value[0] < match.start():
                return True
            continue
        beside = start <= value[0] < end
        fresh = _FORMS["fresh"].search(text[match.end() : value[0]]) or _FORMS["from_fresh"].match(
            text[value[1] :]
        )
        if not fresh and (beside or _FORMS["of_samples"].search(text, start, end)):
            return True
    return False
