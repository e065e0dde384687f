"""Is what is told of a discussion's end right? Fixed before endings were quoted (docs/decisions/094).

An ending is *right* if it tells what the author of the discussion says it must name, and contradicts nothing;
*unread* if it says openly that nothing was read; *wrong* if it names what is not the end, one side of what was left
open, or a consensus that there was not. A quotation that is none of these is *beside*: true words of whoever had the
last, which do not say what was decided. It counts as no right ending.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from lab.evaluation.points import flat

UNREAD: Final = "could not be read"
_SAID: Final = re.compile(r"\AFinished\. .+, says [^:]{2,60}?\.(?: |\Z)|\AFinished\. At the end ", re.DOTALL)
_CLAUSE: Final = re.compile(r"[,;:.–—]\s|\b(?:but|with|while|though)\b")
_SET_ASIDE: Final = re.compile(
    r"\b(?:not?|never|without|unlikely|excluded?|withdrawn|dropped|possible|possibly|perhaps|pending|second|third|"
    r"minority|superseded|bystander|against|ruled out|until|a?waits?|on the list|differential)\b|\?"
)
"""What a clause says that names something which the discussion did not end with."""
_OPEN: Final = re.compile(
    r"\b(?:no (?:agreement|consensus|winner|leading)|undecided|open|split|pick|choose|rank|unsettled|remain|"
    r"do not (?:yet )?know|not (?:\w+ )?(?:reached|certified|settled|decided|agreed))\b"
)
_CLAIMS_CONSENSUS: Final = re.compile(r"\b(?:consensus|decision|all (?:\w+ )?agree|both agree)\b")


@dataclass(frozen=True, slots=True)
class Ending:
    """What a discussion ends with, as its author judged it.

    `kind` is "agreed", "leading", "open" or "unstated"; `entities` are what it must name, `wrong` what it must not.
    """

    kind: str
    entities: tuple[str, ...]
    wrong: tuple[str, ...]

    def judged(self, closing: str) -> str:
        """Return "right", "unread" (openly so), "beside" or "wrong"."""
        there = flat(closing.partition(" Wanted:")[0])
        clauses = [] if self.kind in ("open", "unstated") and _OPEN.search(there) else _CLAUSE.split(there)
        if any(_names(each, self.wrong) and not _SET_ASIDE.search(each) for each in clauses):
            return "wrong"
        if UNREAD in there:
            return "unread"
        if self.kind in ("agreed", "leading"):
            right, wrong = bool(_names(there, self.entities)), False
        else:
            right, wrong = self._left_open(there)
        if right or wrong:
            return "right" if right else "wrong"
        return "beside" if _SAID.match(closing) else "wrong"

    def _left_open(self, there: str) -> tuple[bool, bool]:
        """Return whether it is told as open, and whether as one side or as settled."""
        is_open, named = _OPEN.search(there) is not None, _names(there, self.entities)
        if self.kind == "unstated":
            claims = _CLAIMS_CONSENSUS.search(there) is not None and not is_open
            return not claims, claims
        told = is_open or len(named) > 1
        return told, not told and (bool(named) or _CLAIMS_CONSENSUS.search(there) is not None)


def _names(there: str, terms: tuple[str, ...]) -> list[str]:
    return [term for term in terms if re.search(rf"(?<!\w){re.escape(flat(term).strip())}", there)]
