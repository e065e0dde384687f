"""Find which treatments a sentence takes back, stops, holds or forbids.

The scope of each such wording reaches to the end of its clause. Nothing is taken back by a condition ("stop it if …"),
a supposition ("would have to stop"), a limit ("no more than …") or a denied stop ("must not be delayed").
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from exaim_core.claims.claims import Claim
from exaim_core.lexicon.drugs import DRUG, drugs_meant, drugs_named
from exaim_core.lexicon.prohibitions import stopped_behind
from exaim_core.lexicon.prose import THERAPY
from exaim_core.text.boundaries import stopped
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import key_words, word_count

_FORMS: Final = lexicon("claims/revoking")
_WITHDRAWS: Final = ("withdraws", "and_withdraws", "takes_back")
_GIVEN_THAT: Final = re.compile(r"\A\W*without\b", re.IGNORECASE)
_AND_NO: Final = re.compile(r"(?:, |\band )no (?P<what>[^.;:,]{3,60})", re.IGNORECASE)
_SPLIT: Final = re.compile(r",\s*(?:and |or |nor )?|\s+(?:and|or|nor)\s+")
_QUANTITY_END: Final = re.compile(r"\s+\d.*\Z")
_BARE_NUMBER: Final = re.compile(r"(?:the |my |that )?\d[\d.,]*%?")
_POINTS: Final = re.compile(r"(?:\A|\s)(?:it|this|that|they|them)\Z", re.IGNORECASE)
_SUPPOSED: Final = re.compile(r"\b(?:if|unless|in case|when|once|should|as soon as)\b", re.IGNORECASE)
_ONLY_IF: Final = re.compile(r"\W+\w+(?: \w+)? (?:only )?(?:if|unless|when|once)\b", re.IGNORECASE)
_NO_REASON: Final = re.compile(
    r"\b(?:no|not an?|(?:not|n['’]t)(?= necess))(?: \w+)? (?:reason|need|cause|grounds?|indication|necess\w+)"
    r"(?: (?:for \w+|why \w+)){0,1} to \w+(?: off)?:? \Z",
    re.IGNORECASE,
)
"""Found before what is stopped: it need not be. "No need to wait to stop it" stops it."""
_EMPTY: Final = frozenset(
    key
    for word in "treatment therapy drug medication infusion dose it them both this that these those everything anything action patient surgeon team doctor plan test ruling result hospital ward nurse catheter laboratory theatre bed urgent emergency immediate".split()
    for key in key_words(word)
)


@lru_cache(maxsize=2048)
def treatments_taken_back(text: str, item: str = "") -> tuple[str, ...]:
    """Return what `text` takes back, stops or forbids, as written, each part on its own; () for nothing.

    `item` is the list item that the sentence explains: "stop it" is about that.
    """
    if text.endswith("?"):
        return ()
    behind = [each for each in stopped_behind(text) if not _is_supposed(each, text)]
    if not (behind or _FORMS["any"].search(text)):
        return ()
    head = text.split(": ", 1)[0] if _FORMS["no"].match(text) else text
    scopes: list[str] = behind
    if item and _FORMS["tail"].search(text) and not _FORMS["conditional"].search(text):
        scopes.append(item)
    for clause in stopped(head):
        own = _GIVEN_THAT.sub("", clause)  # "without fever I withdraw it" states that there is no fever
        for pattern in (_FORMS[form] for form in _WITHDRAWS):
            scopes += [match["what"] for match in pattern.finditer(own) if not _hangs(own, match.end())]
        for pattern in (
            _FORMS["stops"],
            _FORMS["not_given"],
            _FORMS["is_stopped"],
            _FORMS["no"],
        ):
            found = [
                match["what"]
                for match in pattern.finditer(clause)
                if not _hangs(clause, match.end()) and not _is_denied(clause, match)
            ]
            scopes += [_meant(what, text) for what in found]
    parts: list[str] = []
    for back in _FORMS["back"].finditer(text):
        named = [*DRUG.finditer(text, 0, back.start()), *THERAPY.finditer(text, 0, back.start())]
        if named and not item and not _hangs(text, back.end()):
            parts.append(max(named, key=lambda match: match.start()).group())
    for match in _FORMS["thinks_not"].finditer(text):
        scopes.append(match["what"] or match["bare"])
    scopes += [
        match["what"]
        for match in _AND_NO.finditer(text)
        if drugs_named(match["what"]) and not _hangs(text, match.end())
    ]
    for scope in scopes:
        end = _FORMS["scope_end"].search(scope)
        for part in _SPLIT.split(scope[: end.start()] if end else scope):
            bare = part.strip(" ,.*").removeprefix("both ")
            if (
                bare
                and not _BARE_NUMBER.fullmatch(bare)
                and word_count(bare) <= 7
                and not _FORMS["not_the_drug"].search(bare)
            ):
                parts.append(bare)
    return tuple(dict.fromkeys(parts))


def _meant(what: str, text: str) -> str:
    """Return the drug that "it" in `what` stands for, the last that `text` names before it; else `what`."""
    if _POINTS.search(what) is None or drugs_named(what):
        return what
    named = [*DRUG.finditer(text, 0, max(text.rfind(what), 0))]
    return named[-1].group() if named else what


_ENDS_IN_NOT: Final = re.compile(r"(?:\bnot|\bnever|n['’]t)\Z", re.IGNORECASE)


def _is_denied(clause: str, stop: re.Match[str]) -> bool:
    """Return whether a stop is denied: "no reason to withhold ceftriaxone", "heparin must not be stopped"."""
    needless = _NO_REASON.search(clause[: stop.start("what")])
    return needless is not None or _ENDS_IN_NOT.search(stop["what"]) is not None


@lru_cache(maxsize=2048)
def stops_forbidden(text: str) -> tuple[str, ...]:
    """Return what `text` says must not be stopped, as written: "levodopa must never be stopped"; () for nothing."""
    return tuple(
        found["what"]
        for clause in ([] if text.endswith("?") else stopped(text))
        for found in _FORMS["is_stopped"].finditer(clause)
        if _MUST_NOT.search(found["what"]) and not _hangs(clause, found.end())
    )


_MUST_NOT: Final = re.compile(
    r"\b(?:(?:must|should|shall|may|can) ?(?:not|never)|(?:must|should|sha|ca)n['’]t)\Z", re.IGNORECASE
)


def _hangs(clause: str, end: int) -> bool:
    """Return whether the order that ends at `end` has a condition; words after "until" are only a time."""
    rest = re.split(r"\b(?:until|till|before|because|since)\b", clause[end:])[0]
    return _FORMS["conditional"].search(f"{clause[:end]}|{rest}") is not None


@lru_cache(maxsize=4096)
def is_about(part: str, order: str, explained: str = "") -> bool:
    """Return whether the treatment `part` is what `order` gives or does; `explained` is its whole text."""
    named = drugs_named(part)
    if named:
        return bool(named & drugs_meant(order))
    words = set(key_words(_QUANTITY_END.sub("", part)))
    telling = words - _EMPTY
    if telling and telling <= set(key_words(order)):
        return True
    return len(words) >= 2 and " ".join(key_words(part)) in " ".join(key_words(explained))


def withdraws_order(text: str) -> bool:
    """Return whether the speaker takes back an order of its own in so many words."""
    return any(_FORMS[form].search(text) for form in _WITHDRAWS) or "and withdraw " in text


def is_stop(order: str) -> bool:
    """Return whether `order` itself stops or forbids something."""
    return bool(
        re.match(
            r"(?:stop|hold|withhold|withdraw(?= [\w-]+\W*\Z)|avoid|discontinue|suspend|cease|omit|cancel|pause|no|do not|don['’]t|never)\b",
            order,
            re.IGNORECASE,
        )
    )


def given(claim: Claim) -> str:
    """Return the words of an order that name what is given or done; "" if it stops something."""
    words = claim.entity or claim.text
    if is_stop(words) or (not claim.entity and treatments_taken_back(claim.text, claim.label)):
        return ""
    return _FORMS["beyond_given"].split(words, maxsplit=1)[0]


def _is_supposed(what: str, text: str) -> bool:
    """Return whether a clipped stop has a condition, before it or right after the word."""
    at = text.find(what)
    return _SUPPOSED.search(text[:at]) is not None or _ONLY_IF.match(text, at + len(what)) is not None
