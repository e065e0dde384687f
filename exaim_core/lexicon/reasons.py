"""Take the reason away that stands beside a ban: "no macrolides, her QTc is 510" forbids macrolides without a limit.

A reason is a part that states something of the patient, and what follows "because", "given her" or "with that". Its
words limit no ban: in "no beta-blockers, she's in heart block" nothing says in what they are forbidden. A part that
forbids something itself is no reason, and what says until when or in which case stays.
"""

from __future__ import annotations

import re
from typing import Final

from exaim_core.text.sections import only_forbids

_PARTS: Final = re.compile(
    r",\s+|;\s+|\s[–—-]\s+|:\s+|\s(?=so (?:no|not|avoid|never|please)\b)", re.IGNORECASE
)
_STATES: Final = re.compile(
    r"(?:(?:and|but|as|since|because|with|given|now|that) )*"
    r"(?:(?:s?he|they|it|there|we|you|I)(?:['’](?:s|re|ve|d)\b| \w)"
    r"|(?:his|her|their|the|this|that|our) (?:[\w/-]+ ){1,4}?(?:is|are|was|were|has|had|have|will)\b"
    r"|(?:his|her|the) [\w/-]+['’]s \w)",
    re.IGNORECASE,
)
"""How a part begins that says something of somebody: it has a subject of its own."""
_FORBIDS: Final = re.compile(
    r"\b(?:no|not|nor|never|avoid\w*|stop\w*|hold\w*|omit\w*|withh\w+|contra-?indicated|banned|forbidden)\b|n['’]t\b",
    re.IGNORECASE,
)
_MEASURES: Final = re.compile(
    r"(?!(?:for|in|at|on|over|under|below|above|within|after|before|until|more|less|first|next|only)\b)[A-Z][\w/+-]* "
    r"(?:is |of |at )?\d[\d.,]*(?! ?(?:h|hours?|days?|weeks?|months?|minutes?|mg|g|mcg|micrograms?|ml|units?)\b)",
    re.IGNORECASE,
)
"""How a part begins that gives a value: its name and a number, and no time or dose."""
_BECAUSE: Final = re.compile(
    r",? (?:because|owing to|due to|on account of|in view of|what with|considering"
    r"|(?:given|seeing) (?:that|this|his|her|their|the|an?|s?he|they)|(?:as|since) (?:s?he|they|it|there|we)\b"
    r"|with (?:that|this|those|these|his|her|their|such)\b"
    r"|with (?:an? )?(?:\w+ ){1,2}(?:of |at )?\d)(?![\w-])[^,;]*",
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(r"\b(?:hang on|hold on|scratch that|wait|sorry|bed \w+)\b", re.IGNORECASE)
"""In such a clause a part may be no reason, but a correction."""
_WHOM: Final = re.compile(
    r" (?:to|for|in) (?:him|her|them|(?:this|the|our) (?:patient|man|woman|lady|gentleman|lad|chap|child|boy|girl))\b"
    r"(?! \w)",
    re.IGNORECASE,
)


def without_reasons(clause: str) -> str:
    """Return `clause` without the reasons of what it forbids, and without the patient for whom it does.

    What stands behind a colon is a reason too, unless the words before it are a label that forbids ("Stopped: …").
    """
    head, _, behind = clause.partition(": ")
    if behind and only_forbids(head):
        return f"{head}: {without_reasons(behind)}"
    if _TAKES_BACK.search(clause):
        return clause
    clause = head
    bare = _WHOM.sub("", _BECAUSE.sub("", clause))
    parts = [part for part in _PARTS.split(bare) if not _is_reason(part)]
    return ", ".join(parts)


def _is_reason(part: str) -> bool:
    """Return whether a part states something of the patient, or gives a value, and forbids nothing."""
    if _FORBIDS.search(part) is not None:
        return False
    return _STATES.match(part) is not None or _MEASURES.match(part) is not None
