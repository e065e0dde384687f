"""The orders of the board: what is asked for now, what was taken back or forbidden, what comes first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from exaim_core.claims.claims import Claim
from exaim_core.claims.revoking import given, is_about, is_stop
from exaim_core.lexicon.drugs import DRUG, drugs_meant, drugs_named
from exaim_core.lexicon.prose import gives_a_dose, is_aim
from exaim_core.text.places import Source
from exaim_core.text.quantities import Quantity, quantities
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import key_words, mid_sentence

_FORMS: Final = lexicon("board/orders")

KEPT: Final = 64  # of orders, bans and findings each: a case has some twenty; beyond that the oldest go


@dataclass(slots=True)
class Orders:
    """Orders that stand, in the order of speaking, and the bans that took some off."""

    standing: list[Claim] = field(default_factory=list)
    revoked: list[Claim] = field(default_factory=list)
    bans: list[Claim] = field(default_factory=list)

    def take_off(self, claim: Claim) -> tuple[Claim, ...]:
        """Take off what `claim` revokes, whoever asked for it; return the orders taken off."""
        again = [ban for ban in self.bans if ban.agent_id == claim.agent_id and ban.revokes == claim.revokes]
        self.bans = [*(ban for ban in self.bans if ban not in again), claim][-KEPT:]
        gone = tuple(
            order
            for order in self.standing
            if (asked := given(order)) and any(is_about(part, asked, order.text) for part in claim.revokes)
        )
        self.standing = [old for old in self.standing if old not in gone]
        self.revoked = [*self.revoked, *gone][-KEPT:]
        return gone

    def drop(self, source: Source) -> tuple[Claim, ...]:
        """Drop the orders at `source`, which their speaker took back in the next breath, and return them."""
        gone = tuple(
            old for old in self.standing if old.source == source and old.source.spans == source.spans
        )
        self.standing = [old for old in self.standing if old not in gone]
        return gone

    def replace_by(self, claim: Claim) -> None:
        """Take off the speaker's own dose, or its last drug, that `claim` is said to replace."""
        if is_instead(claim.text):
            own = [each for each in self.standing if each.agent_id == claim.agent_id]
            last = next((each for each in reversed(own) if drugs_named(each.text)), None)
            if last is not None and not drugs_named(last.text) & drugs_named(claim.text):
                self.standing = [order for order in self.standing if order is not last]
                self.revoked = [*self.revoked, last][-KEPT:]
            return
        if (found := _FORMS["in_place"].search(claim.text)) is None:
            return
        old, named = set(map(_amount, quantities(found["what"]))), drugs_named(claim.text)
        gone = [
            order
            for order in self.standing
            if order.agent_id == claim.agent_id
            and old & set(map(_amount, quantities(order.text)))
            and named & drugs_named(order.text)
        ]
        self.standing = [order for order in self.standing if order not in gone]
        self.revoked = [*self.revoked, *gone][-KEPT:]

    def forbids(self, parts: Sequence[str]) -> bool:
        """Return whether each of `parts` is forbidden already, by anybody."""
        banned = [part for ban in self.bans for part in ban.revokes]
        drugs = {drug for part in banned for drug in drugs_named(part)}
        words = [set(key_words(part)) for part in banned]
        return all(
            ((named := drugs_named(part)) and named <= drugs)
            or any(set(key_words(part)) <= old for old in words)
            for part in parts
        )

    def banned_by(self, order: Claim) -> Claim | None:
        """Return the newest sentence that forbids what `order` gives; an agent's own ban must be newer."""
        asked = given(order)
        if not asked:
            return None
        return next(
            (
                ban
                for ban in reversed(self.bans)
                if ban.agent_id != order.agent_id or ban.source.first_seq > order.source.first_seq
                if any(is_about(part, asked) for part in ban.revokes)
            ),
            None,
        )

    def was_revoked(self, order: Claim) -> bool:
        """Return whether an order like `order` was taken off, so that asking again is news."""
        meant = drugs_meant(given(order))
        return any(meant & drugs_meant(given(gone)) for gone in self.revoked)


def is_instead(text: str) -> bool:
    """Return whether `text` names a drug that is to be given instead of one that it does not name."""
    return bool(drugs_named(text)) and _INSTEAD.search(text) is not None


_INSTEAD: Final = re.compile(r"\binstead\b(?! of\b)(?=\W*(?:\Z|[.;,]))", re.IGNORECASE)


def _amount(quantity: Quantity) -> tuple[str, str]:
    return quantity.number, quantity.unit


def is_limited(claim: Claim) -> bool:
    """Return whether an order says "only if", so that the thing is not to be done otherwise."""
    return re.search(r"\bonly (?:if|when|once|after)\b", claim.text, re.IGNORECASE) is not None


def is_pressing(claim: Claim) -> bool:
    """Return whether an order is for now: no later step, check or aim, and no condition but "only if"."""
    words = claim.entity or claim.text
    if claim.condition is not None:
        return is_limited(claim)
    return not (_FORMS["later"].match(words) or is_aim(words))


FIRST_LINE: Final = 2  # doses for a critical finding that are told as urgent; the later ones wait for room


def presses(orders: Orders, claim: Claim, criticals: Sequence[Claim]) -> bool:
    """Return whether an order is urgent enough to be spoken before others.

    Urgent are: a treatment to be given "only if"; what is to be done "at once", in those words; and, for what
    is critical now, the first doses, stops, operations and calls for somebody, but no later dose, no check
    and no aim.
    """
    if claim.condition is not None:
        return is_limited(claim)
    if not is_pressing(claim):
        return False
    if not criticals:
        dosed_now = gives_a_dose(claim.text) and _FORMS["now"].search(claim.text)
        return bool(dosed_now or _FORMS["at_once"].search(claim.text))
    if not is_dosed(claim):
        return True
    since = max(old.source.first_seq for old in criticals)
    doses = [
        old
        for old in orders.standing
        if is_dosed(old) and old.condition is None and is_pressing(old) and old.source.first_seq >= since
    ]
    return claim in doses[:FIRST_LINE]


def is_immediate(claim: Claim) -> bool:
    """Return whether an urgent order goes even before answers: a dose, or what is asked for now in words.

    A bed to be found today or a drug from tomorrow on is important, and can wait for its turn.
    """
    at_once = _FORMS["at_once"].search(claim.text) or _FORMS["now"].search(claim.text)
    plain = not claim.entity and _FORMS["waits"].search(claim.text) is None and gives_a_dose(claim.text)
    dosed = is_dosed(claim) or plain
    return claim.condition is None and (
        at_once is not None or (dosed and not _FORMS["days"].search(claim.text))
    )


def speaks_against(criticals: Sequence[Claim], text: str) -> bool:
    """Return whether an alarm warns of an order that `text` names."""
    orders = [found.critical.order for found in criticals if found.critical is not None]
    return any(order and is_about(order, text) for order in orders)


def is_dosed(claim: Claim) -> bool:
    """Return whether an order gives a drug or fluid with its amount."""
    return bool(claim.entity) and any(character.isdigit() for character in claim.entity)


def first_steps(orders: Orders, first: Claim | None, criticals: list[Claim]) -> list[Claim]:
    """Return up to two treatments that come first: what was ruled, else doses for what is critical now.

    An order that was taken back or forbidden never comes first.
    """
    named = _ruled(orders, first)
    if named is not None:
        return [named]
    criticals = [claim for claim in criticals if claim.critical is None or not claim.critical.order]
    if not criticals:
        return []
    since = min(claim.source.first_seq for claim in criticals)
    doses = [
        claim
        for claim in orders.standing
        if is_dosed(claim)
        and claim.condition is None
        and given(claim)
        and claim.source.first_seq >= since
        and orders.banned_by(claim) is None
    ]
    if not doses:
        return []
    stops = [
        replace(ban, entity=mid_sentence(ban.label))
        for ban in orders.bans
        if ban.label and is_stop(ban.label) and since <= ban.source.first_seq < doses[0].source.first_seq
    ]
    return [*stops, *doses][:2]


def _ruled(orders: Orders, first: Claim | None) -> Claim | None:
    """Return the ruled first priority, if it is something to do and was not taken back since."""
    if first is None:
        return None
    if any(
        is_about(part, first.entity)
        for ban in orders.bans
        if ban.source.first_seq > first.source.first_seq
        for part in ban.revokes
    ):
        return None
    words = set(key_words(first.entity))
    known = any(words & set(key_words(given(order))) for order in orders.standing)
    return first if known or DRUG.search(first.entity) else None
