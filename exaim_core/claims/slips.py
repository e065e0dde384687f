"""Find where a speaker puts the own value right in the same breath: which number is the wrong one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from exaim_core.lexicon.withdrawn import blank


def without_slip(sentence: str) -> str:
    """Return `sentence` with blanks for "should" before a right value, and for the speaker's own wrong one."""
    sentence = _SHOULD.sub(lambda should: " " * len(should.group()), sentence)
    slip = MISGIVEN.search(sentence)
    sentence = blank(sentence, [slip.span("wrong")]) if slip is not None else sentence
    return blank(sentence, [(said.start, said.right[0]) for said in slips(sentence)])


@dataclass(frozen=True, slots=True)
class Slip:
    """A number that its speaker puts right in the next clause: the places of the wrong and the right one.

    It starts with the words for having said it, if they stand before the wrong one.
    """

    start: int
    wrong: tuple[int, int]
    right: tuple[int, int]


def slips(sentence: str) -> list[Slip]:
    """Return the slips of `sentence`, in order: "6.9, sorry, it is 7.9"; both numbers are of one kind."""
    found = []
    for match in _IN_ONE_BREATH.finditer(sentence):
        unit, right = ((match[each] or "").strip() for each in ("unit", "unit_right"))
        alike = unit == right or not right or (not unit and _MEASURED.search(right) is not None)
        if _CORRECTION.search(match["mark"]) and not sentence.startswith(",", match.end("mark")):
            alike = unit == right or not right  # "sodium 112; correction 10 mmol/L" is a rate
        alike = alike and ("/" in match["wrong"]) == ("/" in match["right"])
        if match["wrong"] != match["right"] and alike:
            found.append(Slip(match.start(), match.span("wrong"), match.span("right")))
    return found


def says_it_was_a_slip(sentence: str) -> str:
    """Return the number that `sentence` gives in place of the one said last, and nothing else; "" for none."""
    said = _THE_LAST.fullmatch(sentence)
    if said is None or (
        said["unit"] and (_CORRECTION.search(said["mark"]) or not _MEASURED.search(said["unit"]))
    ):
        return ""
    return said["right"]


_SHOULD: Final = re.compile(
    r"\bshould (?:have )?(?=read\b[^,;\d]{0,24}\d[\d./]*(?: ?[^\W\d][\w/%]*)?,? (?:and )?"
    r"(?:not|instead of|rather than) (?:the )?\d)",
    re.IGNORECASE,
)
"""Before the right value, beside the wrong one: "should read 4.9, not 6.9".

"It should be 4.9, not 6.9" may be an aim.
"""
MISGIVEN: Final = re.compile(
    r"\b(?:I|we)(?: have| had|['’]ve|['’]d)? (?:gave|given|wrote|written|put|read|misread|typed|entered|called|quoted|"
    r"copied)(?: down)? (?P<what>[^;.,\d]{2,40}?) (?:down )?as (?P<wrong>\d[\d./]*)[^;.,\d]{0,15}"
    r"(?:\s?[;,–—-]|\.(?=\s))\s*(?:(?:but|sorry|and|in fact|actually) )*(?:it|that|which) "
    r"(?:is|reads|should (?:be|read))(?: (?:really|actually|in fact))? (?P<right>\d[\d./]*)",
    re.IGNORECASE,
)
"""A speaker's own slip: "I gave the potassium as 6.9; it is 4.9"."""
_MARK: Final = (
    r"(?:(?:oh|ah|so|no|oops|whoops),? )?(?:sorry|apologies|correction|I mean|I meant|or rather|no,? wait|scratch that|"
    r"make that|(?:my|a) (?:mistake|slip|typo)|typo|I should (?:say|have (?:said|written))|I mis-?(?:read|spoke|typed|"
    r"wrote)(?: (?:it|that))?|no(?=,))"
)
_IT_IS: Final = r"[\s,:;.–—-]{1,3}(?:(?:it|that|this)(?:['’]s| is| reads| was| should (?:be|read))? )?"
_NUMBER: Final = r"\d+(?:[./]\d+)?"
_UNIT: Final = r"(?: ?%| ?[^\W\d][\w^²³⁹]*(?:/[\w^²³⁹]+)?)"
_MEASURED: Final = re.compile(r"%|mmHg|/(?!kg|h|d)", re.IGNORECASE)
"""In a unit of what is measured, and of no dose."""
_CORRECTION: Final = re.compile(r"correction", re.IGNORECASE)
_OF_THEN: Final = r"(?:(?:that|this|it) )?(?:was|were|yesterday|earlier|before|last|old)\b"
_ENDS: Final = rf"(?=\s*(?:[,;!)]|\.(?!\d)|\Z|[–—-] |: (?!{_OF_THEN})))"
_IN_ONE_BREATH: Final = re.compile(
    rf"(?<![\w.])(?:(?:I|we) (?:wrote|said|gave|put|read|typed|entered) )?(?P<wrong>{_NUMBER})"
    rf"(?P<unit>{_UNIT})?(?:\s?[,;:–—-]|\.(?=\s)| \()\s*(?P<mark>{_MARK}){_IT_IS}"
    rf"(?P<right>{_NUMBER})(?P<unit_right>{_UNIT})?{_ENDS}",
    re.IGNORECASE,
)
"""A value and, behind a word that says so, the right one: "6.9, sorry, 7.9".

What goes on behind the second number ("sorry, 4.9 was yesterday") puts nothing right.
"""
_THE_LAST: Final = re.compile(
    rf"\W*(?!no,)(?P<mark>{_MARK}){_IT_IS}(?P<right>{_NUMBER})(?P<unit>{_UNIT})?\W*",
    re.IGNORECASE,
)
"""The same where the sentence before gave the wrong one: "Sorry, it is 7.9."."""
