"""Which claims say nothing beyond what was told: the same words, the same ban, numbers of the same thing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from exaim_core.board.numbers import numbers_in
from exaim_core.claims.claims import Claim, Kind
from exaim_core.claims.limits import analytes_named
from exaim_core.lexicon.drugs import drugs_meant, drugs_named
from exaim_core.lexicon.prohibitions import prohibits, tells_allergy
from exaim_core.text.quantities import quantities
from exaim_core.text.wording import key_words

FORBIDDING: Final = frozenset(
    key_words("stop stays hold on off avoid no given give today please patient repeat must")
)


def forbids_again(claim: Claim, cautions: Iterable[Claim], asked: Iterable[Claim]) -> bool:
    """Return whether earlier `cautions` forbid all that `claim` does, in nearly all of its words.

    It is news if it has a number that they do not, names an allergy where they only forbid, or names a drug that
    was `asked` for since.
    """
    drugs = drugs_named(claim.text)
    allergic = tells_allergy(claim.text)
    earlier = [
        old
        for old in cautions
        if old is not claim
        and drugs & drugs_named(old.text)
        and (tells_allergy(old.text) if allergic else prohibits(old.text))
    ]
    told = " ".join(old.text for old in earlier)
    own, known = set(key_words(claim.text)), set(key_words(told)) | FORBIDDING
    if not drugs or not drugs <= drugs_named(told) or not numbers_in(claim.text) <= numbers_in(told):
        return False
    if not (prohibits(claim.text) or allergic) or len(own - known) > len(own) // 8:
        return False
    since = max(old.source.first_seq for old in earlier)
    return not any(
        order.source.first_seq > since and drugs & drugs_meant(order.entity or order.text) for order in asked
    )


def repeats(old: Claim, new: Claim) -> bool:
    """Return whether `new` says nothing beyond `old`: its words and its numbers are contained in it.

    One in five words may be other ones, but not the thing that is named first ("avoid contrast until …"), nor a drug.
    """
    before, now = set(key_words(_told(old))), set(key_words(new.entity or new.text))
    if old.kind is new.kind is Kind.CAUTION:
        now -= {"no"}  # "no penicillins" after the allergy was told
    numbers = (
        {(q.number, q.unit) for q in quantities(_told(old))},
        {(q.number, q.unit) for q in quantities(new.entity or new.text)},
    )
    others = now - before
    first = [word for word in key_words(new.entity or new.text) if word not in FORBIDDING][:2]
    alike = bool(now) and len(others) <= len(now) // 5 and others.isdisjoint(first)
    return (
        alike
        and numbers[1] <= numbers[0]
        and drugs_named(new.text) <= drugs_named(f"{_told(old)} {old.text}")
    )


def may_be_of_one(old: str, new: str) -> bool:
    """Return whether two findings may give numbers of the same thing.

    They do not if one names a drug or analyte, and the other none of those that it names.
    """
    before, now = _measured(old), _measured(new)
    return before == now or not before.isdisjoint(now)


def _measured(text: str) -> frozenset[str]:
    """Return the drugs and the analytes with limits that `text` names, each in one form."""
    return drugs_named(text) | {each.limit.name for each in analytes_named(text) if each.limit is not None}


def _told(claim: Claim) -> str:
    """Return the words by which a claim was told: for claims that were read or stated, their wording."""
    return claim.worded or claim.text


def tells(told: Claim, claim: Claim, name: str) -> bool:
    """Return whether a `told` claim has `name` in its words or, for no name, may be the words of `claim`."""
    if name:
        return told.tells_of(name)
    words, again = (each.text.strip(" ;.,").lower() for each in (told, claim))
    return told.kind is not Kind.QUOTE or words in again or again in words
