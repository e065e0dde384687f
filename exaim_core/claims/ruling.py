"""A sentence that says outright how the discussion ends: who rules it, or what all hold, in its speaker's words.

    **Most likely diagnosis:** light-chain amyloidosis – probable, not proven
    So all agreed: DKA from pump set failure, no infection found.

Nothing is read into it: the closing tells it as it stands, behind its label. What one member of a team holds, what
another is said to hold, and what is open beside the question are no such sentence.
"""

# ruff: noqa: E501 - a pattern is read more easily on its one line

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from exaim_core.claims.claims import Claim, Kind
from exaim_core.lexicon.alone import hangs
from exaim_core.lexicon.kinds import states_condition
from exaim_core.text.assertion import Status, statuses_of
from exaim_core.text.reader import Sentence
from exaim_core.text.wording import word_count

MOST_WORDS: Final = 26  # with "Finished" and the speaker's name, 12 s


class Force(IntEnum):
    """How a sentence says that it is the end, the strongest last."""

    LIKELY = 1  # a view that is said to lead: the end only if the chair says so
    TITLED = 2  # under a title such as "Diagnosis": of the chair, or the last words of all
    SHARED = 3  # what all hold, or leave open


_TITLE: Final = re.compile(
    r"(?:the |our |my )?(?:(?:final|working|agreed|consensus|joint|shared|team|panel|overall|closing|unanimous|most[_ ]likely|leading|principal|primary|unifying|confirmed|group|chair['’]?s?) ?)*"
    r"(?:diagnos[ei]s|dx|impression|view|conclusions?|verdict|decision|ruling|consensus|answer|output|label|final|confirmed|most[_ ]likely|cause|outcome|statement|position)"
    r"(?: (?:diagnosis|reached|statement|view|answer))?",
    re.IGNORECASE,
)
_SHARED: Final = re.compile(
    r"\b(?:all (?:\w+ ){0,2}(?:agree\w*|in agreement|of one mind|accept\w*|sign\w*|hold|landed|concur\w*|singing)|agreed by all|(?:we|both|everyone) (?:all |both |now |are |fully )*(?:agree\w*|of one mind|united|unanimous|sign\w*|accept\w*)|"
    r"unanim\w+|nobody (?:dissents|disagrees|objects|is left)|no dissent|all (?:\w+ of us|of us|three|four|five|svcs|services|teams)|whole (?:panel|team|board|group)|in agreement|our (?:working|joint|shared|agreed|common) (?:view|diagnosis|label)|(?:and )?that['’]s our (?:cause|diagnosis|answer))\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:consensus(?: diagnosis)?[: ]+(?:is |was )?not (?:yet )?reached|no (?:consensus|winner|agreement)|diagnosis: not \w+|(?:I am|I['’]m|we are|we['’]re) not going to (?:pick|choose|decide)|we (?:do not|don['’]t) (?:pick|choose|know)|"
    r"(?:I|we)(?: am|['’]m| are|['’]re)? (?:not|decline to) (?:choosing|choose|deciding|picking|pick)|we(?:['’]re| are| remain) (?:split|divided|apart)|we (?:agree to differ|leave it open|stay split|part on the diagnosis)|cause not settled|we do not yet know)\b",
    re.IGNORECASE,
)
_LIKELY: Final = re.compile(
    r"\b(?:most likely|very likely|is leading|leads|(?:the|our|working|final) diagnosis is|is the diagnosis|probable|probably|working (?:dx|diagnosis|label|view))\b",
    re.IGNORECASE,
)
_INLINE: Final = re.compile(
    r"\A\W*(?:\d{1,2}[:.]\d\d\s+|\d+[.)]\s+)?(?P<label>[^:;.]{3,60}?):\s+(?P<rest>\S.*)", re.DOTALL
)
_OTHERS_VIEW: Final = re.compile(
    r"\A\W*(?:psychiatrist|neurolog\w+|\w+ologist|\w+ology|surgery|surgeon|ID|critic|proposer|[A-Z])\b[^:]{0,20}: ?(?!.*\b(?:all|we|everyone)\b)",
)
_STATUSES: Final = frozenset({Status.QUESTION, Status.OTHER_PERSON, Status.BOOKS})
_SUPPOSES: Final = re.compile(r"\A\W*(?:if|should|once|when|unless)\b|\bwould\b", re.IGNORECASE)
_NOT_SHARED: Final = re.compile(
    r"\b(?:cannot|can['’]t|not|n['’]t|no longer|hardly|yet to)\b[^,;.]*\Z", re.IGNORECASE
)
_TIME: Final = re.compile(r"\A\d{1,2}[:.]\d\d\s+")


def ruling_of(agent_id: str, unit: Sentence) -> Claim | None:
    """Return `unit` as a sentence that ends the discussion, its `Force` in `raw`; None if it is none."""
    text, label = _labelled(unit)
    if not 2 <= word_count(text) <= MOST_WORDS:
        return None
    force = _force(text, label)
    if force is None or statuses_of(text, "") & _STATUSES or _SUPPOSES.search(text) or hangs(text):
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
    if label and (_TITLE.fullmatch(label) or _SHARED.search(label)):
        return f"{label}: {text}", label
    return text, ""


def _force(text: str, label: str) -> Force | None:
    if _OTHERS_VIEW.match(text):
        return None
    titled = bool(label) and _TITLE.fullmatch(label) is not None
    if _OPEN.search(text):
        return Force.SHARED
    if not _names_one(text):
        return None
    shared = _SHARED.search(text)
    if shared is not None and not _NOT_SHARED.search(text[: shared.start()]):
        return Force.SHARED
    if titled:
        return Force.TITLED
    return Force.LIKELY if _LIKELY.search(text) else None


def _names_one(text: str) -> bool:
    return states_condition(text) or re.search(r"\b[A-Z]{3,6}\b", text) is not None
