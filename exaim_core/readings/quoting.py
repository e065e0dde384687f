"""Quote the sentences that a claim rests on, as they were said: all of them, one, or a part of one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from exaim_core.claims.claims import Worth
from exaim_core.claims.quotes import LEAST_WORDS, MOST_WORDS, excerpt, with_title
from exaim_core.grounding.seen import seen
from exaim_core.grounding.sight import says_no, verbatim
from exaim_core.lexicon.prohibitions import prohibits
from exaim_core.readings.port import Numbered, ReadClaim, ReadKind
from exaim_core.text.units import Sentence
from exaim_core.text.wording import key_words, upper_first, word_count

_DENIES: Final = frozenset({ReadKind.EXCLUDED, ReadKind.PROHIBITION})
"""Kinds that deny: a quotation for one of them contains its denial."""
MEASURED: Final = frozenset({ReadKind.VALUE, ReadKind.FINDING})
"""Kinds that may leave out a denial of something else in their sentence, but of no word that is told."""
_LEADS_IN: Final = re.compile(
    r"\A(?:(?:[→»•]|>(?!\s*\d))\s*|final answer:\s*|answer:\s*|verdict:\s*)+", re.IGNORECASE
)


def _bare(unit: Sentence) -> Sentence:
    """Return a sentence without marks and labels that a system or a template puts before it."""
    text = _LEADS_IN.sub("", unit.full)
    return unit if text == unit.full or not text else replace(unit, text=upper_first(text), item=None)


def _of_row(unit: Sentence, claim: ReadClaim) -> Sentence:
    """Return a table's row reduced to its head and the labelled cells that hold a measurement's words.

    A cell without a number stays, as it may say that the others do not hold; so does the present value.
    If the row weighs something no cell is left out: reasons for a thing are not told without those against it.
    """
    if claim.kind not in MEASURED:
        return unit
    head, mark, rest = unit.full.partition(": ")
    cells = rest.split("; ")
    wanted = _named_in(" ".join((claim.say, *claim.slots.values()))) - _named_in(head)
    found = [cell for cell in cells if wanted & _named_in(cell)]
    kept = [cell for cell in cells if cell in found or _NOW.match(cell) or not _NUMBER.search(_value(cell))]
    if not unit.row or not mark or not found or len(kept) == len(cells):
        return unit
    return replace(unit, text=f"{head}: {'; '.join(kept)}", item=None)


_NOW: Final = re.compile(r"(?:now|today|current|latest)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"\d")


def _value(cell: str) -> str:
    """Return the content of a cell after its labels."""
    return cell.rpartition(": ")[2]


def _named_in(text: str) -> set[str]:
    words = (word for word in key_words(text) if not word[:1].isdigit())
    return {*words, *re.findall(r"\d+(?:[.,]\d+)*", text)}


def quotation(claim: ReadClaim, cited: tuple[Numbered, ...]) -> str:
    """Return the cited sentences as they were said if short; else the one that says it, or a part of it."""
    cited = tuple(replace(each, unit=_of_row(_bare(each.unit), claim)) for each in cited)
    whole = "; ".join(with_title(each.unit).rstrip(".;") for each in cited if each.new).replace("?; ", "? ")
    apart = not any(each.unit.row for each in cited)  # not across rows: columns may differ
    if (
        len(cited) > 1
        and apart
        and LEAST_WORDS <= word_count(whole) <= MOST_WORDS
        and all(each.new for each in cited)
    ):
        return whole
    about = claim.slots.get("entity", "")
    for each in sorted(cited, key=lambda each: not (about and verbatim(about, each.text))):
        found = excerpt(with_title(each.unit), MOST_WORDS, Worth.REMARK, each.unit.heading, each.unit.section)
        if not found or (about and not verbatim(about, found) and verbatim(about, each.text)):
            continue
        if claim.kind in _DENIES and not any("denied" in marks for marks in seen(found).marks):
            if says_no(each.text) or not prohibits(found):
                continue
        return found
    return ""
