"""Orders that meet an allergy: one on record in the case paper, or one that an agent has stated.

A drug meets an allergy to itself or to a drug of its class (`drugs`). Cross-reactions between classes, such
as cephalosporins with a penicillin allergy, are judgements and raise nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from exaim_core.claims import Claim, Kind, ListEnd, Stance
from exaim_core.context import context_of
from exaim_core.critical import Critical
from exaim_core.drugs import drugs_meant
from exaim_core.paper import CasePaper
from exaim_core.reader import Unit

_ORDERS: Final = {Kind.ACTION, Kind.TEST, Kind.PRIORITY}
_STATED: Final = (
    re.compile(r"\ballergic to (?P<what>[\w-]+)", re.IGNORECASE),
    re.compile(r"\banaphyla(?:xis|ctic reaction) (?:to|after|with) (?P<what>[\w-]+)", re.IGNORECASE),
    re.compile(r"\b(?P<what>[\w-]{4,}) allergy\b", re.IGNORECASE),
    re.compile(r"\ballergy to (?P<what>[\w-]+)", re.IGNORECASE),
)
_NO_SUBSTANCE: Final = frozenset(
    {"known", "drug", "food", "severe", "possible", "suspected", "latex", "true", "this", "that", "these"}
)


class Allergies:
    """What one patient is known to react to, and which orders were held against it."""

    def __init__(self, paper: CasePaper | None) -> None:
        """`paper` is the case paper, None for none."""
        self._known: dict[str, frozenset[str]] = {}
        for allergy in paper.allergies if paper is not None else ():
            self._add(re.split(r"\s*[(:,;]", allergy.substance)[0])

    def note(self, units: Iterable[Unit]) -> None:
        """Take in the allergies that agents state of this patient."""
        for unit in units:
            for pattern in _STATED:
                for match in pattern.finditer(unit.text):
                    what = match["what"].lower()
                    stated = context_of(unit.text, match.start("what"), match.end("what"))
                    if what not in _NO_SUBSTANCE and not (
                        stated.negated or stated.hypothetical or stated.family
                    ):
                        self._add(what)

    def met(self, claims: Iterable[Claim | ListEnd]) -> list[Claim]:
        """Return a critical claim for each order among `claims` that meets an allergy."""
        found = []
        for claim in claims:
            if (
                not isinstance(claim, Claim)
                or claim.kind not in _ORDERS
                or claim.stance is not Stance.PROPOSES
            ):
                continue
            critical = self._met_by(claim.entity or claim.text)
            if critical is not None:
                found.append(replace(claim, kind=Kind.CRITICAL, entity=critical.name, critical=critical))
        return found

    def _met_by(self, order: str) -> Critical | None:
        words = re.findall(r"[a-z][a-z-]{3,}", order.lower())
        for substance, means in self._known.items():
            for word in words:
                if substance in (word, word.removesuffix("s")) or means & drugs_meant(word):
                    name = f"{word} with a known allergy to {substance}"
                    return Critical(name, "", f"allergy:{substance}:{word}", f"allergy:{substance}")
        return None

    def _add(self, substance: str) -> None:
        name = substance.strip().lower()
        if name:
            self._known[name.removesuffix("s")] = drugs_meant(name)
