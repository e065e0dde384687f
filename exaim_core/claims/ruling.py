"""A sentence that says outright how the discussion ends: who rules it, or what all hold, in its speaker's words.

    **Most likely diagnosis:** light-chain amyloidosis – probable, not proven
    So all agreed: DKA from pump set failure, no infection found.

Nothing is read into it: the closing tells it as it stands, behind its label. What one member of a team holds, what
another is said to hold, and what is open beside the question are no such sentence.
"""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.kinds import states_condition
from exaim_core.lexicon.named import NAMELESS
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.reader import Sentence
from exaim_core.text.rows import lexicon
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 26  # with "Finished" and the speaker's name, 12 s


class Force(IntEnum):
    """How a sentence says that it is the end, the strongest last."""

    LIKELY = 1  # a view that is said to lead: the end only if the chair says so
    TITLED = 2  # under a title such as "Diagnosis": of the chair, or the last words of all
    SHARED = 3  # what all hold, or leave open


_FORMS: Final = lexicon("claims/ruling")
_INLINE: Final = re.compile(
    r"\A\W*(?:\d{1,2}[:.]\d\d\s+|\d+[.)]\s+)?(?P<label>[^:;.]{3,60}?):\s+(?P<rest>\S.*)", re.DOTALL
)
_STATUSES: Final = frozenset({Status.QUESTION, Status.OTHER_PERSON, Status.BOOKS})
_TIME: Final = re.compile(r"\A\d{1,2}[:.]\d\d\s+")


def ruling_of(agent_id: str, unit: Sentence) -> Claim | None:
    """Return `unit` as a sentence that ends the discussion, its `Force` in `raw`; None if it is none."""
    text, label = _labelled(unit)
    if not 2 <= word_count(text) <= MOST_WORDS:
        return None
    force = _force(text, label)
    if force is None or statuses_of(text, "") & _STATUSES or _FORMS["supposes"].search(text):
        return None
    if hangs(text) not in (None, NAMELESS):  # "For A. Gout, most likely": what is ruled is named later
        return None
    return Claim(agent_id, Kind.QUOTE, "", text, unit.source, raw=str(int(force)), under=unit.section)


def force_of(claim: Claim) -> Force:
    """Return how a claim that `ruling_of` made says that it is the end."""
    return Force(int(claim.raw))


def _labelled(unit: Sentence) -> tuple[str, str]:
    """Return a sentence behind the label that it stands under, and that label; a title that rules is enough."""
    text = _TIME.sub("", unit.full.strip(" .>*→"))
    inline = _INLINE.match(text)
    if inline is not None:
        return text, inline["label"].strip(" *-")
    label = unit.heading.replace("_", " ").strip(" :*") if unit.opens else ""
    if label and (_FORMS["title"].fullmatch(label) or _FORMS["shared"].search(label)):
        return f"{label}: {text}", label
    return text, ""


def _force(text: str, label: str) -> Force | None:
    if _FORMS["others_view"].match(text):
        return None
    titled = bool(label) and _FORMS["title"].fullmatch(label) is not None
    if _FORMS["open"].search(text):
        return Force.SHARED
    if not _names_one(text):
        return None
    shared = _FORMS["shared"].search(text)
    if shared is not None and not _FORMS["not_shared"].search(text[: shared.start()]):
        return Force.SHARED
    if titled:
        return Force.TITLED
    return Force.LIKELY if _FORMS["likely"].search(text) else None


def _names_one(text: str) -> bool:
    return states_condition(text) or re.search(r"\b[A-Z]{3,6}\b", text) is not None
