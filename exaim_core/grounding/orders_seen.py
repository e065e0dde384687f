"""Take a second look at an order that would alarm: is it given, or forbidden, stopped, left out?

It shares nothing with the code that read the order. Of the governing words, the one nearest before what is
named decides, whatever stands between; a sentence without any is a bare order, as on a chart.
"""

from __future__ import annotations

import re
from typing import Final

_WORD: Final = re.compile(r"[A-Za-z]+(?:n['’]t)?")
_GIVES: Final = frozenset(
    "give gives giving start starts starting begin commence add load infuse inject push put administer use treat "
    "prescribe continue restart resume switch change need needs recommend suggest propose advise order want asks "
    "due charted running prepare draw".split()
)
_KEEPS_FROM: Final = frozenset(
    "no not never nor neither none nobody without avoid stop stops stopped stopping hold holds held holding withhold "
    "withheld cease discontinue omit skip refuse forbid contraindicated banned against off instead".split()
)


def is_kept_from(text: str, order: str) -> bool:
    """Return whether `text` forbids what `order` names rather than asks for it."""
    for sentence in re.split(r"(?<=[.;:!?])\s+", text):
        at = sentence.lower().rfind(order.lower())
        if at < 0:
            continue
        words = [word.lower() for word in _WORD.findall(sentence[:at])]
        governing = next((word for word in reversed(words) if _governs(word)), "")
        return governing in _KEEPS_FROM or governing.endswith(("n't", "n’t"))
    return False


def is_replaced(text: str, order: str) -> bool:
    """Return whether something else is to replace what `order` names."""
    for found in re.finditer(re.escape(order), text, re.IGNORECASE):
        before = [word.lower() for word in _WORD.findall(text[: found.start()])][-MOST_BETWEEN:]
        if before[-1:] == ["to"]:
            continue  # it is the replacement
        if any(word in _PUTS_ANOTHER for word in before) and _BY_ANOTHER.match(text[found.end() :]):
            return True
    return False


def is_listed_elsewhere(text: str, order: str) -> bool:
    """Return whether what `order` names stands only in a list that asks for nothing, or as a cause."""
    clauses = [part for part in re.split(r"(?<=[.;!?])\s+", text) if order.lower() in part.lower()]
    return bool(clauses) and all(_is_listed(part, part.lower().find(order.lower())) for part in clauses)


def is_of_a_book(text: str, order: str) -> bool:
    """Return whether what `order` names is quoted after a label that says where the words are from."""
    found = _CITED.search(text)
    return found is not None and order.lower() in found["words"].lower()


def _is_listed(clause: str, at: int) -> bool:
    before = clause[:at]
    if any(_governs(word.lower()) for word in _WORD.findall(before)):
        return False
    label, colon, _ = before.partition(":")
    return _TAKEN.search(label) is not None if colon else _CAUSED.search(before) is not None


MOST_BETWEEN: Final = 4  # words between "change" and what is changed
_PUTS_ANOTHER: Final = frozenset({"change", "changing", "switch", "switching", "replace", "swap", "convert"})
_BY_ANOTHER: Final = re.compile(r"\W{0,3}(?:\S+ ){0,4}?(?:to|for|with|by|into) (?!be\b)[a-z]", re.IGNORECASE)
_TAKEN: Final = re.compile(
    r"\b(?:home|usual|regular|current|own|long-term|past|previous|drug history|medications?|medicines?|takes|on)\b",
    re.IGNORECASE,
)
_CITED: Final = re.compile(
    r"(?:\b(?:19|20)\d\d\b|\b(?:protocol|guid(?:ance|elines?)|handbook|textbook|leaflet|policy|formulary|monograph|paper|"
    r"review|trial|datasheet|summary of product)\b)[^:\"“]{0,40}:\s*[\"“](?P<words>[^\"”]*)",
    re.IGNORECASE,
)
_CAUSED: Final = re.compile(
    r"\b(?:from|by|due to|because of|after|caused|induced)\W+(?:\w+ )?\Z", re.IGNORECASE
)


def _governs(word: str) -> bool:
    return word in _GIVES or word in _KEEPS_FROM or word.endswith(("n't", "n’t"))


_WARNS: Final = re.compile(
    r"\b(?:allerg\w*|anaphyla\w*|reaction|danger\w*|harm\w*|risk\w*|unsafe|wrong|mistake|caution|careful\w*|beware|"
    r"watch|avoid\w*|stop\w*|withh\w*|held|omit\w*|discontinu\w*|cancel\w*|contra-?indicat\w*|toxic\w*|fatal|lethal|"
    r"kills?|worse\w*|only|unless|until|maximum|at most|limit|instead|out|\w*n['’]t)\b",
    re.IGNORECASE,
)


def warns(text: str) -> bool:
    """Return whether `text` forbids or warns in its own words: only then is it called a caution."""
    return _WARNS.search(text) is not None or any(
        word.lower() in _KEEPS_FROM - {"skip"} for word in _WORD.findall(text)
    )
