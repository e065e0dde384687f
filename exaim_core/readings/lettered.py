"""Letters and numbers by which a text refers to options or items: what they stand for is told with them."""

from __future__ import annotations

import re
from typing import Final

from exaim_core.readings.port import Numbered, ReadClaim, ReadingRequest

_OPTION: Final = re.compile(
    r"(?:\A|[.;:,(]\s*|\b(?:for|with|in|is|and|or|now|to|than|at|by|on|of|option|final)\s+)(?P<letter>[A-H])"
    r"(?=\s?[.;,:)](?! \(?[a-z]{4,}|[A-Za-z])|\s?\Z| (?:is|was|now|not|and|or|as|from|falls|rises|stays|leads)\b|"
    r" \d+(?![\w.]| ?[a-zµ%]))"
)
"""An option's letter that does not say what it stands for: alone, rated, or a verb's object."""
_NUMBERED: Final = re.compile(
    r"(?:#|\b(?:re|item|option|point|finding|withdraws?|\+1 on)\s+#?)(?P<of>\d{1,2})\b(?![.:,]\d)|"
    r"\((?P<mark>\d)\)\s+\w+(?=\s*(?:[,;.]|\Z))"
)


def defines(behind: tuple[Numbered, str] | None, label: str) -> bool:
    """Return whether the words told before a claim open with its label: "B. Heparin alone"."""
    return behind is not None and re.match(rf"\W*(?:option )?{label}\W", behind[1]) is not None


def labels_in(text: str) -> set[str]:
    """Return the letters and numbers by which a text refers to options or items and does not name them.

    A letter after a noun is part of the name ("hepatitis B"), and a number in brackets before more than one word opens
    an item of a list.
    """
    numbers = {each["of"] or each["mark"] for each in _NUMBERED.finditer(text)}
    return numbers | {each["letter"] for each in _OPTION.finditer(text)}


_STANDS_FOR: Final = re.compile(r"(?P<label>(?<!\w)\(?\w{1,3}\)?) (?P<thing>\[[^\]]+\])")


def with_things(say: str, claim: ReadClaim, request: ReadingRequest) -> str:
    """Return a wording with its numbers and letters resolved, if a cited sentence does so in brackets."""
    text = " ".join(each.text for each in request.sentences if each.number in claim.cites)
    for label, thing in _STANDS_FOR.findall(text):
        there = re.search(rf"(?<![\w.,/]){re.escape(label)}(?![\w.,/]*\w| ?%)", say)
        if there is not None and thing not in say:
            say = f"{say[: there.end()]} {thing}{say[there.end() :]}"
    return say
